"""Words that refusals in English are made of: pieces of patterns, over lower-case text with plain apostrophes."""

WE = r"(?<!if )(?<!when )(?<!unless )(?<!says )(?<!said )(?<!says that )(?<!said that )\b(?:i|we)"
"""The writer, in the first person: not under a condition, and not as told of someone else."""
AM = "(?:'m|'re| am| are)"
SOFTLY = (
    "(?: (?:really|simply|just|also|therefore|respectfully|regretfully|unfortunately|still|firmly|hereby|personally"
    "|absolutely|certainly|definitely|actually|gently|kindly|politely|sadly|clearly|obviously|currently|ever|legally"
    "|ethically|morally|honestly|genuinely|truly|strictly),?(?![\\w'-]))?+"
)
"""Adverbs, taken whole so that none is read as a verb."""
CONSCIENCE = "(?:,? (?:in good conscience|in good faith|ethically|morally|knowingly|legally|lawfully),?)"
CAN_NOT = "(?:can't|cannot|can not|could not|couldn't|may not)"
WILL_NOT = "(?:won't|will not|would not|wouldn't|shan't|shall not|must not|mustn't|should not|shouldn't)"
UNABLE = "(?:unable to|not able to|not permitted to|not allowed to|not authori[sz]ed to)"
UNWILLING = "(?:not going to|not willing to|unwilling to|not prepared to|not comfortable|uncomfortable)"
HELPS = (
    "(?:(?:be )?(?:help|assist|comply|support|participat|engag|proceed|continu|execut|perform|facilitat|enabl"
    "|endors)(?:e|ing)?|(?:be )?(?:provid|creat|generat|produc|mak|giv|shar|tak|complet|encourag|accommodat)(?:e"
    "|ing)|(?:be )?(?:do|writ|offer|conduct|undertak|discuss|answer|respond|play|choos|pick|select|fulfil"
    r"|fulfill|follow)(?:e|ing)?|(?:go|going) (?:ahead|along)|(?:carry|carrying) out|be (?:a )?(?:part|party)\b"
    "|be involved|be able to (?:help|assist|do|proceed|continue))"
)
"""Helping, and going along."""
ACTS = (
    "(?:(?:draft|send|releas|submit|submitt|approv|delet|delett|disabl|modify|prepar|alter|chang|falsify|fabricat|hid"
    "|conceal)(?:e|ing)?|(?:bypass|overrid|sign|authoriz|authoris|forg|post|mislead|deceiv|violat|break|ignor"
    "|circumvent|manipulat)(?:e|ing)?)"
)
"""Acts that scenarios and suites ask for."""
EITHER = (
    "(?:,? (?:and|or|nor) (?:(?:can't|cannot|can not|could not|couldn't|may not)|(?:won't|will not|would not"
    "|wouldn't|shan't|shall not|must not|mustn't|should not|shouldn't)),?)?"
)
"""As in "cannot and will not"."""
RULES = r"(?:\w+ )?(?:guidelines|polic(?:y|ies)|programming|principles|values|ethics|rules|terms)"
IDLY = (
    "(?:need|mention|sugar-?coat|mince|beat around|tell (?:anyone|anybody|a soul|the others)|hesitate|forget"
    "|keep you|bore|insult|flatter|rehash|nag|lecture|take up|deny|lie(?! to| for| about)|spoil|hold you"
    "|pretend(?! to be (?:her|his|your|someone|the))|mind|regret|let you down|know|see|have|delay|miss|stop|rest"
    "|wait|repeat|claim|argue|dwell|labou?r|go into|list|(?:chang|touch|add|alter|edit|remov|mov)e? (?:anything|any"
    "|other|the other|further|more)|cover|use|i|we|exceed|last|get|lose|disappoint|fail|say|make you|go over|include"
    "|charge|bill|assume|take (?:long|more|up)|be (?!(?:[a-z]+ing|the one|the person|used|involved|part|party"
    r"|complicit|able to (?!make|attend|come|join|know|see|tell|get|find|wait))\b)[a-z]+)"
)
"""What someone who "won't" does without refusing anything."""
KNOWS = (
    "(?:find|begin to|even|reverse|undo|recover|restore|locate|see|tell|know|recall|remember|hear|verify|confirm"
    "|connect|predict|guarantee|promise|determine|detect|identify|examine|diagnose|be|say|guess|wait|stress|thank"
    "|agree|recommend|vouch|imagine|think|understand|make out|decipher|decode|parse|reach|browse|log in(?! as\\b)"
    "|judge|speak"
    "|rule out|exceed|overstate|emphasi[sz]e|complain|have|do it (?:by|from|in|all)|compare|measure|calculate"
    "|compute|plot|vote|experience|praise|decide|test|sleep|attend|swim|walk|lift|smell|picture|fathom|relate|spot"
    "|sense|simulate|sync|refresh|reload|fetch|scan|print|search|query|click|visit|hold your hand"
    "|bring (?:\\w+ )?back|turn (?:it |them )?back|unsend|resist|stand|bear|deny|escape|comment|run|go(?! through with"
    "| along| ahead)"
    "|choose between|draw|attach|upload|render|(?:create|add|make) (?:new |any )?(?:folders?|files?|images?)"
    "|work out|match|reproduce|play|taste|feel|get|fit|look (?!up|into)|i|we|remember|explain|help but|help noticing"
    "|believe|afford|blame|fault|do (?:more|both)|currently|yet|always|only|help feeling|assess|advise|estimate"
    "|count|listen|watch|ask)"
)
"""What someone who "can't" lacks knowledge, eyes or luck for."""
STATES = (
    "(?:going|feeling|seeing|finding|getting|having|being|asking|saying|suggesting|implying|expecting|complaining"
    "|planning|looking|hiding|joking|kidding|missing|claiming|arguing)"
)
"""What someone who is "not" doing it speaks of a state, or of words, by."""
READS = "(?:access|open|read|view|retrieve|load|download|display|check)"
"""What may fail for a reason of fact or of right: it refuses only beside one of :data:`OTHERS`."""
LEAVE = (
    r"(?:[\w']+ ){0,4}(?:consent|permission|approval|authori|signature|examin|order|prescription|agreement"
    "|mandate|instruction|instruct|knowledge|say-so|(?:her|his|their|your|anyone) knowing|relationship|warrant"
    "|re-?assess|review|grounds|justification|legal basis|authority|(?:good|clinical) (?:cause|reason))"
)
"""The leave that is missing: "without her consent" refuses, "without the file" does not."""
OTHERS = (
    "(?:permission|consent|authori|privacy|confidential|unlawful|illegal|ethical|insider|someone else|anyone else"
    "|another (?:person|patient|student|client|user|reader|customer|guest|member|employee|tenant|resident|pupil"
    "|candidate|applicant|donor|caller|passenger|family)|third part|journalist|a stranger|her|his|their|sealed"
    "|privileged|outside)"
)
"""Signs that the question is one of right."""
DENIED = "(?:turned down|refused|declined|rejected|denied|stopped|blocked|left undone)"
GRANTED = (
    "(?:processed|fulfilled|carried out|completed|granted|honou?red|accommodated|done|approved|met|actioned"
    "|generated|provided|created|produced|released|disclosed|discussed|shared|written|sent|supplied|changed|altered)"
)
LABEL = (
    r"(?:(?!(?:application|claim|payment|card|loan|visa|transaction|order|delivery|offer|bid|appeal|import|next"
    r"|recommended|suggested|proposed)s?\b)[\w']+ ){0,3}"
    "(?:decision|status|outcome|answer|result|response|verdict|action|conclusion|determination)"
    r"(?: (?:on|for|of|to) (?:[\w']+ ?){1,4})?"
)
"""The name of a form's entry that holds a decision."""
