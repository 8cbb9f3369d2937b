"""Where an export goes if nobody says: a file or folder here, named after the study."""

from pathlib import Path

_FOLDED = frozenset('/\\:*?"<>|')
"""Characters that lead elsewhere, or that some file system does not take."""

_LONGEST = 120
"""Bytes of a name; with a suffix and a prefix it fits every file system."""


def default_place(study: str, suffix: str = "") -> Path:
    """A path in the folder that we are in, whatever a study is called: ``../x`` becomes ``_x``.

    Args:
        study: the study's name, which may come from somebody else's export.
        suffix: such as ``.csv``.
    """
    plain = "".join("_" if char in _FOLDED or not char.isprintable() else char for char in study)
    short = plain.encode("utf-8", "replace")[:_LONGEST].decode("utf-8", "ignore")
    return Path(f"{short.strip(' .') or 'study'}{suffix}")
