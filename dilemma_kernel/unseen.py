"""Characters that are not seen, or that change how others are seen: controls, bidi marks, surrogates, private use."""

import re
import unicodedata
from collections.abc import Callable

_SUSPECTS = re.compile(r"[^\x20-\x7e\n\t]")
_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def is_unseen(char: str) -> bool:
    """Whether a reader would not see ``char`` as what it is; newline and tab are seen."""
    return char not in "\n\t" and unicodedata.category(char) in _CATEGORIES


def replace_unseen(text: str, write: Callable[[str], str]) -> str:
    """``text`` with each such character as ``write`` puts it."""
    return _SUSPECTS.sub(lambda found: write(found[0]) if is_unseen(found[0]) else found[0], text)


def code_point(char: str) -> str:
    """Such as ``U+001B``."""
    return f"U+{ord(char):04X}"
