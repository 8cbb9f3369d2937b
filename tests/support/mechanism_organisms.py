"""The trained pair that tests use: what ``dilemma mechanism organism train --arch llama`` wrote."""

from pathlib import Path

ORGANISMS = Path(__file__).resolve().parents[1] / "data" / "organisms"


def organism(kind: str) -> Path:
    """The folder of the organism of ``kind``: ``override`` or ``mediated``."""
    return ORGANISMS / kind
