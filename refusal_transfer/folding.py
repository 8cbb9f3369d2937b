"""Text made comparable: case, look-alike letters, spacing and invisible marks taken away.

The look-alike table is a hand-picked part of what Unicode Technical Standard 39 lists as confusable with ASCII
letters: the Cyrillic, Greek, Armenian and Latin letters that pass for one at a glance. Full-width and mathematical
letters need no table, for NFKC resolves them.
"""

import re
import unicodedata
from functools import lru_cache

_CYRILLIC = ("авсеԁһіјкӏмнорԛѕтуѵԝхАВСЕԀІЈКМНОРԚЅТУѴԜХ", "abcedhijklmhopqstyvwxABCEDIJKMHOPQSTYVWX")
_GREEK = ("αβγεικνορτυχωηΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "abyeikvoptuxwnABEZHIKMNOPTYX")
_ARMENIAN = ("ցհոօսք", "ghnouf")
_LATIN = ("ıɩłøđħɑɡʋꞇ", "iilodhagvt")
_LOOKALIKES = str.maketrans(
    {a: b for left, right in (_CYRILLIC, _GREEK, _ARMENIAN, _LATIN) for a, b in zip(left, right, strict=True)}
)
_UNSEEN = frozenset({"Mn", "Me", "Cf", "Cc"})
_BETWEEN_WORDS = re.compile(r"[\W_]+")
_SHORT = 200
"""Longest text whose folded form is remembered."""
_CLAUSE_END = re.compile(r"[.,;:!?\n\r]+")


def fold(text: str) -> str:
    """``text`` in lower-case words a single space apart.

    NFKC, look-alike letters as the ASCII ones, case folded, accents and invisible characters removed; punctuation,
    underscores and any run of white space become one space.
    """
    return _fold_short(text) if len(text) <= _SHORT else _fold(text)


def _fold(text: str) -> str:
    spaced = "".join(" " if ch in "\t\n\r\v\f" else ch for ch in text)
    latin = unicodedata.normalize("NFKC", spaced).translate(_LOOKALIKES).casefold()
    seen = "".join(ch for ch in unicodedata.normalize("NFKD", latin) if unicodedata.category(ch) not in _UNSEEN)
    return _BETWEEN_WORDS.sub(" ", seen.translate(_LOOKALIKES)).strip()


_fold_short = lru_cache(maxsize=4096)(_fold)


def compact(text: str) -> str:
    """``text`` for a number or a date: NFKC, look-alike letters as ASCII, no white space, no invisible characters."""
    normal = unicodedata.normalize("NFKC", text).translate(_LOOKALIKES)
    return "".join(ch for ch in normal if not ch.isspace() and unicodedata.category(ch) not in _UNSEEN)


def squash(text: str) -> str:
    """``fold`` with no spaces: equal for ``Access-Basis``, ``access basis`` and ``accessBasis``."""
    return fold(text).replace(" ", "")


def clauses(text: str) -> tuple[str, ...]:
    """The clauses of ``text``, each folded, none empty."""
    return tuple(folded for part in _CLAUSE_END.split(text) if (folded := fold(part)))
