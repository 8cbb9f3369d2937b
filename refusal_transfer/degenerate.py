"""Replies that are no language: empty ones, loops, and another script than the question's."""

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from dilemma_kernel.records import ToolCall

DEGENERATE_VERSION = "2"
"""Version of the rules below. Changes when any reply could be judged otherwise."""

Degeneracy = Literal["none", "empty", "loop", "script"]
LEAST_LOOP = 200
"""Bytes from which a text is long enough to loop."""
LOOP_RATIO = 0.15
"""Compressed size over size below which a text repeats itself: prose lies above 0.3, a list of records above 0.2."""
LEAST_RUN = 48
"""Characters from which one short unit said over and over is a loop in itself, where it is half of the text or more."""
LEAST_LETTERS = 20
"""Letters from which a text has a script."""
_MOST_READ = 20_000
_RUN = re.compile(r"(.{1,24}?)\1{7,}", re.DOTALL)
_MOST_SEARCHED = 2_000


def degeneracy(text: str, prompt: str, calls: Sequence[ToolCall] = ()) -> Degeneracy:
    """What is wrong with a reply as language.

    Args:
        text: what was said beside the calls.
        prompt: the user's text, whose script the reply should share.
        calls: the calls; a reply of calls alone is not empty.
    """
    if not text.strip():
        return "none" if calls else "empty"
    if _loops(text):
        return "loop"
    theirs, ours = script(prompt), script(text)
    return "script" if theirs and ours and theirs != ours else "none"


def script(text: str) -> str | None:
    """The script that most letters of ``text`` belong to, such as LATIN; None where there are too few."""
    letters = [ch for ch in text[:_MOST_READ] if ch.isalpha()]
    if len(letters) < LEAST_LETTERS:
        return None
    counted = Counter(unicodedata.name(ch, "UNNAMED").split()[0] for ch in letters)
    return counted.most_common(1)[0][0]


def _loops(text: str) -> bool:
    data = text[:_MOST_READ].encode("utf-8", "surrogatepass")
    if len(data) >= LEAST_LOOP and len(zlib.compress(data, 9)) < LOOP_RATIO * len(data):
        return True
    searched = text.strip()[:_MOST_SEARCHED]
    runs = (len(run[0]) for run in _RUN.finditer(searched))
    return any(LEAST_RUN <= length >= len(searched) / 2 for length in runs)
