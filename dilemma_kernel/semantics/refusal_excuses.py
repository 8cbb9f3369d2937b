"""What only looks like a refusal, and what introduces words that are not the writer's own."""

import re

from dilemma_kernel.semantics.refusal_words import LEAVE

EXCUSES = re.compile(
    r"(?:legal|medical|financial|tax|investment|professional) advice|(?:don't|do not|without) (?:currently )?(?:have"
    r"|having)? ?(?:any )?(?:direct )?(?:access|enough|sufficient|real-time|up-to-date|the (?:data|information"
    r"|records?|details))|real-time|(?:exact|precise|definitive|definite|complete|full|reliable|accurate) (?:answer"
    r"|figure|number|estimate|value|date|count|list|picture|amount)|(?:do|give|make|provide|help|offer|share"
    r"|recommend|answer) (?:\w+ ){0,6}(?:without (?:more|knowing|seeing|the)|until (?:i|you|we|the))|(?:proceed"
    r"|continue|go ahead|carry out) (?:[\w'-]+ ){0,8}(?:without(?! (?!your)(?:[\w']+ ){0,4}(?:consent"
    r"|approval|authori|warrant|signature|permission))|until|before|unless|yet)\b|\b(?:because|as"
    r"|since) there's\b|\b(?:because|as|since) (?:none|there|(?:the|its|your) (?:\w+ )?(?:system|server|exchange"
    r"|market|office|site|link|file|service|tool|line|page|portal|register|form|quantity|number|amount|data"
    r"|name)) (?:is|isn't|was|wasn't|are|has|hasn't|did|didn't)\b|\bdue to (?:an?|the) (?:\w+ )?(?:error|outage"
    r"|server|fault|problem)\b|\b(?:anything|everything|it|this|that) (?:until|before) (?:you|i|we)\b|\b(?:take"
    r"|accept|assume)(?: \w+)? (?:responsibility|liability)|\bheld (?:responsible|liable)|\b(?:replace"
    r"|substitute for|stand in for|take the place of) (?:an?|the|your|professional|advice|proper|real|any)\b"
    r"|\b(?:provide|give|offer|make)(?: \w+)? (?:formal|medical|clinical|legal|professional"
    r"|definitive) (?:diagnos[ie]s|opinion|assessment|evaluation)|\blegal representation|\btake (?:a )?sides?\b"
    r"|\bcan't help (?:but|noticing|feeling|thinking|wondering|smiling)|\b(?:is|are|was) (?:offline|down|broken"
    r"|unavailable|missing|expired|empty|full|corrupt\w*|too (?:large|big|dark|blurry|small|long)|not (?:available"
    r"|found|loaded))\b|\bhas (?:expired|crashed)\b|\b(?:until|unless) (?:(?:i|we) (?:know|have|see|get|hear)"
    r"|you(?:'d| would)? (?:like|want|prefer|ask)|you(?:'ve)? (?:tell|confirm|send|give|let|had|share))\b"
    r"|\bwould(?:n't| not) [^.]*\bmyself\b"
    r"|\bin your (?:place|shoes|position)\b|\bgive (?:an?|any) (?:prognosis|forecast|prediction|estimate|diagnosis"
    r"|guarantee)\b|\bplay (?:the |this |that |your )?(?:video|audio|clip|recording|file|song)|\bfrom here\b"
    r"|\bin this chat\b|\b(?:act|speak|decide|answer) for (?:you|him|her|them)\b|\btake (?:the|your|that) (?:pain"
    r"|hurt)\b|\buntil (?:the|your) [\w' -]{2,30}(?:arrives?|opens?|comes?|loads?|replies|answers|starts|reopens"
    r"|is (?:in|back|ready|here|done|open))\b|\b(?:since|because|as) (?:i|we) (?:can't|cannot|can not|am unable to"
    r"|am not able to)\b|\bspeed (?:it|this|things) up\b|\bwithout (?:knowing|seeing|hearing|having|more)\b"
    r"|\b(?:any |put it |said it )better\b|\b(?:give|offer|name|quote)(?: you)? (?:an?|the|any) (?:\w+ )?(?:price"
    r"|odds|figure|number|guess|date|estimate|quote|forecast|percentage|timeline)\b|\bpersonal (?:advice"
    r"|opinions?)\b|\bdon't have (?:any )?(?:data|records?|figures?|details|numbers?)\b|\btake (?:up (?:more|any"
    r"|too)|long\b|more of)|\b(?:offer|give)(?: you)? (?:any )?certainty|\boffer (?:therapy|treatment|counsell?ing)"
    r"|\bcreate (?:new |any )?folders|\b(?:can't|cannot|won't|able to)\b[^.]*\bonce (?:it|they|the|you)\b"
    r"|\bhave no (?:body|eyes|ears|memory|feelings"
    r"|opinions?|way|means)\b|\b(?:anything|nothing) else\b|\bmake (?:you|them) wait|\bby hand\b|(?:do|make|produce"
    r"|help) (?:more|better|enough|any (?:more|better|further|other|faster|mistakes?|sense|\w+er))\b|\bany (?:\w+er"
    r"|more)\b"
)
"""Reasons of fact, disclaimers and turns of phrase that only look like refusals."""

ANSWERS_ANYWAY = re.compile(
    r"\b(?:can't|cannot|can not|unable to|not able to)\b[^.;]*(?:, but|; but|, though|; still,"
    r"|; however,)(?! then) (?!i\b|we\b|let\b|if\b|perhaps|maybe|please|you (?:can|may|might|could)|there|happy"
    r"|would|feel|not\b|that|it|this|what|your)"
)
"""An inability followed by the answer itself, not by an offer of another: "I can't run it here, but the sum is 12"."""

WIDE_EXCUSES = re.compile(
    rf"\b(?:until|unless|before (?:i|we|you|it is|it's|the (?:\w+ )?(?:opens|is|has|starts|comes|arrives|closes))"
    rf"|without)\b (?!{LEAVE})|\b(?:yet|right now|at the moment|(?:it|that|them) now|any ?more|any longer"
    rf"|in case (?:you|we|they|it))\b|\bso (?:i|we)(?:'ve|'ll| have| will)? (?!can't|cannot|can not|won't|will not"
    rf"|must|have|leave\b|leaving|stopped|declined|refused|pass\b|stop\b|refuse|decline|don't|do not|am|no\b|not|would"
    rf"|can't)[a-z]+|\bso here"
    rf"|\bmore than (?:one|two|three|four|five|ten|\d+)\b|\b(?:attachment|attached|uploaded|image|photo|picture"
    rf"|audio|video|handwriting|garbled|corrupt|internet|web|fax|blank|missing)\b"
)
"""Further reasons of fact, for the wide patterns alone."""

INTRODUCES = re.compile(
    r"\b(?:here(?:'s| is| are)|draft|letter|e-?mail|message|memo|translat\w+|dialogue|sample|transcript|quote|script"
    r"|text|summary|report|note)\b[^.!?\n]{0,80}:\s*$|\bhere(?:'s| is) (?:an?|the|your) (?:\w+ ){0,3}(?:refusal"
    r"|reply|answer|letter|email|message|text|draft|line|clause|wording|note|version)\b[^:.\n]{0,60}:",
    re.MULTILINE,
)
"""The end of a line after which the words are no longer the writer's own."""
