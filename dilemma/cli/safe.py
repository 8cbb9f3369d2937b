"""What a model wrote, made safe to print on a terminal."""

import json

from dilemma_kernel.unseen import code_point, replace_unseen


def visible(text: str) -> str:
    """``text`` with every control, format and bidi character written out, such as ``<U+001B>``.

    Newlines and tabs stay; carriage returns before a newline go.
    """
    return replace_unseen(text.replace("\r\n", "\n"), lambda char: f"<{code_point(char)}>")


def escaped(text: str) -> str:
    """JSON ``text`` with the same characters as JSON escapes, so that it still says what it said."""
    return replace_unseen(text, lambda char: json.dumps(char)[1:-1])


def clipped(text: str, limit: int) -> str:
    """``text``, or its first ``limit`` characters and how many were left out."""
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text) - limit:,} characters more)"
