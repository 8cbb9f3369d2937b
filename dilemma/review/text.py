"""Text that a model wrote, made safe to stand in a page: escaped, unseen characters shown, its size bounded."""

import re
from typing import Any

from markupsafe import Markup, escape

from dilemma_kernel.unseen import code_point, replace_unseen

FIRST = 4_000
"""Characters shown before a reader asks for all."""

_BREAKS = re.compile(r"[ \t\r\n]+")
_MARK = re.compile("\ue000([0-9A-F]+)\ue001")
"""An unseen character on its way through escaping. Both ends are private-use characters, which are written out too."""

_MARKS = re.compile("\ue000\\+([0-9]+)\ue001")
_OVER = r"[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_STACK = re.compile(f"({_OVER}{{8}})({_OVER}+)")
"""More marks on one letter than any language has: they cover the lines above and below."""

TEXT_CSS = """
.said { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; overflow: hidden; }
.unseen { font: 0.78em ui-monospace, monospace; border: 1px solid currentColor; border-radius: 3px;
  padding: 0 0.2em; opacity: 0.75; unicode-bidi: isolate; }
details.rest > summary { cursor: pointer; }
"""
"""What a page needs for ``shown`` and ``line``."""


def shown(text: str, *, first: int = FIRST, most: int | None = None, more: str | None = None) -> Markup:
    """``text`` as a block of a page.

    Args:
        text: anything, lone surrogates and NUL included.
        first: characters that are shown at once.
        most: characters that the page holds at most, the rest behind "show all"; None for all of them.
        more: where the page leads to for the whole text, instead of holding it; an address of our own, such as
            ``/episodes/ID/text``.

    Returns:
        A ``<div class="said">``; where the text is longer, "show all" after it.
    """
    head = Markup('<div class="said">{}</div>').format(_written(text[:first]))
    if len(text) <= first:
        return head
    if more is not None:
        return head + Markup('<p class="rest"><a href="{}">show all {:,} characters</a></p>').format(more, len(text))
    kept = len(text) if most is None else min(most, len(text))
    if kept <= first:
        return head + Markup('<p class="rest">{:,} characters more are not in this page</p>').format(len(text) - first)
    left = Markup("") if kept == len(text) else Markup("; {:,} more are not in this page").format(len(text) - kept)
    return head + Markup(
        '<details class="rest"><summary>show {} ({:,} characters{})</summary><div class="said">{}</div></details>'
    ).format("all" if kept == len(text) else "more", len(text), left, _written(text[first:kept]))


def line(text: str, most: int = 160) -> Markup:
    """``text`` on one line, its first ``most`` characters; breaks and runs of spaces become one space."""
    cut = _BREAKS.sub(" ", text[: most * 4]).strip()
    clipped = cut[:most] + ("…" if len(cut) > most or len(text) > most * 4 else "")
    return Markup('<span class="one">{}</span>').format(_written(clipped))


def written_out(value: Any) -> Any:
    """A template's ``finalize``: text that passed no filter has its unseen characters written out too."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return replace_unseen(value, lambda char: f"<{code_point(char)}>")


def _written(text: str) -> Markup:
    """``text`` escaped, each unseen character as its number in a frame."""
    marked = replace_unseen(text.replace("\r\n", "\n"), lambda char: f"\ue000{ord(char):04X}\ue001")
    bounded = _STACK.sub(lambda found: f"{found[1]}\ue000+{len(found[2])}\ue001", marked)
    framed = _MARK.sub(r'<span class="unseen">U+\1</span>', str(escape(bounded)))
    return Markup(_MARKS.sub(r'<span class="unseen">\1 marks more</span>', framed))
