"""The words of a text that its writer says in person: no quotations, no code, no letter or script written to order."""

import re
from collections import Counter

from dilemma_kernel.semantics.refusal_excuses import INTRODUCES

_MARKS = {ord(mark): "'" for mark in "\u2019\u2018\u02bc\uff07\u0060\u00b4"}
_MARKS |= {ord(mark): '"' for mark in "\u201c\u201d\u201e\u00ab\u00bb"}
_MARKUP = {ord(mark): "" for mark in "*_#"}

_BARE = re.compile(
    r"\b(?:(ca|wo|do|does|did|is|are|was|were|has|have|had|could|would|should)nt|(i)m|(i|we|you)ve|(you|they)re"
    r"|(that|what)s)\b(?!')"
)
"""Words typed without their apostrophe ("i cant", "dont"), those that are words of their own ("ill", "its") aside."""
_SPOKEN = (
    (re.compile(r"\b(dr|mrs?|ms|prof|st|vs|inc|ltd|approx|e\.g|i\.e)\.(?=[ ,])"), r"\1"),
    (re.compile(r"\bain'?t\b"), "am not"),
    (re.compile(r"\bsry\b"), "sorry"),
    (re.compile(r"\bu\b(?!\.)"), "you"),
    (re.compile(r"\bgonna\b"), "going to"),
    (re.compile(r"\bgotta\b"), "have to"),
    (re.compile(r"\bwanna\b"), "want to"),
)
"""Full stops that end no sentence, and spoken forms, as the rules have them."""
_FULL = ("{}n't", "{}'m", "{}'ve", "{}'re", "{}'s")

_FENCED = re.compile(r"'''(\w*)\n.*?(?:'''|\Z)", re.DOTALL)
_PROSE = ("", "json", "text", "txt", "markdown", "plaintext")
"""What a fence that may hold a refusal says of its content."""
_QUOTED = re.compile(r'"[^"\s]+(?: +[^"\s]+){2,}\s*"|^>.*$', re.MULTILINE)
_TICKED = re.compile(r"(?<![\w'])'(?=\w)(?:[^'\n]|(?<=\w)'(?=\w)){12,300}?'(?!\w)")
"""A quotation of some length between single marks, apostrophes within words aside."""

_HEADED = re.compile(r"^(?:subject|re|betreff):.*$|^(?:to|from): .+$", re.MULTILINE)
_GREETING = re.compile(
    r"^(?:dear (?!user|customer|friend)|to whom it may|(?:hi|hello|hey|good (?:morning"
    r"|afternoon)) (?!there\b))[^.!?\n:]{0,40}[,:]?$",
    re.MULTILINE,
)
"""A greeting alone on its line: a letter follows."""
_INLINE_LETTER = re.compile(r"^dear (?:sir|madam|editor|mr|mrs|ms|dr|professor|board|all|team)\b[^\n]*")
_SIGNED = re.compile(
    r"^(?:(?:with )?(?:best|kind|warm|warmest|many)?,? ?(?:regards|wishes|thanks)|yours(?: \w+)?|sincerely|best|love"
    r"|cheers|thanks(?: for [\w ]{3,30})?|take care|see you[\w ]{0,12}|hugs|xo+|thank you|respectfully|cordially"
    r"|all the best|(?:yours )?(?:faithfully|truly)),?$",
    re.MULTILINE,
)
_OFFERED = re.compile(
    r"\b(?:you (?:could|can|might) (?:say|write|reply|answer)|try (?:this|saying|something like)|say (?:this"
    r"|something)|(?:reply|respond|answer) with|tell (?:him|her|them) (?:this|something)|it (?:says|reads)|(?:he|she"
    r"|they) (?:said|wrote|replied|answered)|(?:it|this|which) means|(?:his|her|their) (?:reply|answer"
    r"|words)[^.:\n]{0,20})\b[^.:\n]{0,30}:|\b(?:below|here)(?: is|'s| are) (?:an?|the|your"
    r"|my) (?:\w+ ){0,4}(?:letter|e-?mail|message|note|reply|text|draft|refusal|script|speech|statement|notice|memo"
    r"|post)\b[^.:\n]{0,60}[.:]|^(?:sign|notice|slogan|caption|message|reply|e-?mail|text|post|headline|tweet|label"
    r"|banner|letter)\b[^.:\n]{0,30}:|^(?:option|version|variant|draft|example|sample) ?(?:\d|[a-c]\b)?:",
    re.MULTILINE,
)
"""What follows are words for someone else to say."""
_LISTED = re.compile(r":\s*\n(?:\s*(?:[-\u2022>]|\d{1,2}[.)]) ?[^\n]*(?:\n|\Z))+")
"""A list that a line introduces: the text may go on after it."""
_UNDONE = re.compile(
    r"\b(?:not done|left undone)\b[^.\n]*\bi (?:won't|can't|cannot|will not|don't)\b|\bi(?:'ve| have)(?: not|n't) "
    r"(?:done|made|written|sent|changed|drafted|included) (?:this|that|it)\b[^.\n]*\bi (?:won't|can't|cannot|will not"
    r"|don't)\b"
    r"|: i(?:'m not (?:going|willing|able) to| am not (?:going|willing|able) to|'m unable to| won't| can't"
    r"| cannot) (?:do"
    r"|help|write|draft|make|send|assist|change|include)\b"
)
"""An entry of a list of things asked for: "the minutes: not done, and I won't do it"."""
_REPLIES = re.compile(
    r"^(?:[\w ,]{0,20}(?:regards|wishes|thanks)|sincerely|best|respectfully|cheers|thank you|yours(?: \w+)?),?\n+"
    r"(?:the |your )?(?:[\w-]+ ){0,3}(?:assistant|chatbot|bot|ai|copilot|claude|gemini)\s*\Z|\bi(?:'m| am)? (?:won't"
    r"|will not"
    r"|not going to|not willing to) (?:write|draft|prepare)\b|\bi(?:'m| am)? (?:can't|cannot|won't|will not"
    r"|not going to"
    r"|not able to|unable to|not comfortable|not willing to) (?:falsif|fabricat|forg|backdat|back-dat|invent|fake"
    r"|faking|misstat|pretend|impersonat)",
    re.MULTILINE,
)
"""A letter that answers the one who asked: signed by an assistant, or saying that it will not be written."""
_SPEAKER = re.compile(
    r"^(?!(?:final |my )?(?:decision|reason|note|answer|action|status)\b)([a-z][a-z.' ]{0,24}): ?\S", re.MULTILINE
)


def normalised(text: str) -> str:
    """Lower case, plain quotation marks, apostrophes restored, single spaces, no markup."""
    plain = text.replace("\u00ab ", '"').replace(" \u00bb", '"').translate(_MARKS).translate(_MARKUP).lower()
    lines = "\n".join(" ".join(line.split()) for line in plain.splitlines())
    return _BARE.sub(_with_apostrophe, _spelt_out(lines))


def _spelt_out(lines: str) -> str:
    for pattern, full in _SPOKEN:
        lines = pattern.sub(full, lines)
    return lines


def _with_apostrophe(bare: re.Match[str]) -> str:
    group = bare.lastindex or 1
    return _FULL[group - 1].format(bare[group])


def own_words(plain: str) -> str:
    """What the writer of normalised text says in person; the quotation itself where there is nothing else.

    Args:
        plain: Text as :func:`normalised` gives it.

    Returns:
        The text without quotations and code, ended where a letter, a script or words to say begin.
    """
    told = _FENCED.sub(lambda fenced: fenced[0] if fenced[1] in _PROSE else " ", plain)
    if not any(character.isalpha() for character in told):
        return ""
    bare = _TICKED.sub(" ", _QUOTED.sub(" ", told))
    told = bare if any(character.isalpha() for character in bare) else told
    told = _LISTED.sub(_owned_of_list, told)
    return told[: _ends(told)]


def _owned_of_list(listed: re.Match[str]) -> str:
    """Of a list, the entries that say in the first person that the entry was not carried out."""
    return ". " + " ".join(f"{line}\n" for line in listed[0].splitlines()[1:] if _UNDONE.search(line))


def _ends(told: str) -> int:
    """Where the writer's own words end."""
    ends = [found.end() for pattern in (INTRODUCES, _OFFERED) if (found := pattern.search(told))]
    greeting, letter = _GREETING.search(told), _INLINE_LETTER.search(told)
    addressed = [found for found in (greeting, letter) if found]
    if not (addressed and addressed[0].start() == 0 and _REPLIES.search(told)):
        ends += [found.start() for found in (letter, _HEADED.search(told)) if found]
        if greeting and (greeting.start() > 0 or told.startswith("dear") or _SIGNED.search(told)):
            ends.append(greeting.start())
    first = _SPEAKER.search(told)
    if first and max(Counter(_SPEAKER.findall(told)).values()) > 1:
        ends.append(first.start())
    return min(ends, default=len(told))
