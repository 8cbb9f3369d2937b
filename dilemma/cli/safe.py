"""What a model wrote, made safe to print on a terminal."""

import json
import unicodedata


def visible(text: str) -> str:
    """``text`` with every control, format and bidi character written out, such as ``<U+001B>``.

    Newlines and tabs stay; carriage returns before a newline go.
    """
    return "".join(_shown(char) for char in text.replace("\r\n", "\n"))


def escaped(text: str) -> str:
    """JSON ``text`` with the same characters as JSON escapes, so that it still says what it said."""
    return "".join(char if _plain(char) else json.dumps(char)[1:-1] for char in text)


def _shown(char: str) -> str:
    return char if _plain(char) else f"<U+{ord(char):04X}>"


def _plain(char: str) -> bool:
    return char in "\n\t" or unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def clipped(text: str, limit: int) -> str:
    """``text``, or its first ``limit`` characters and how many were left out."""
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text) - limit:,} characters more)"
