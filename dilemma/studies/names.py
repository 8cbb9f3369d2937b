"""Readable names for studies that were given none."""

import random
from collections.abc import Container

_FIRST = [
    "amber",
    "brisk",
    "calm",
    "clear",
    "crisp",
    "early",
    "even",
    "fair",
    "firm",
    "fleet",
    "keen",
    "late",
    "level",
    "lucid",
    "mild",
    "plain",
    "quiet",
    "sound",
    "spare",
    "steady",
]
_SECOND = [
    "alder",
    "basin",
    "birch",
    "brook",
    "cedar",
    "cliff",
    "delta",
    "fjord",
    "grove",
    "heath",
    "ledge",
    "maple",
    "marsh",
    "orchard",
    "pier",
    "ridge",
    "shoal",
    "slate",
    "spruce",
    "weir",
]


def readable_name(taken: Container[str], rng: random.Random) -> str:
    """A name such as ``calm-birch-412`` that is not among ``taken``."""
    while True:
        name = f"{rng.choice(_FIRST)}-{rng.choice(_SECOND)}-{rng.randrange(100, 1000)}"
        if name not in taken:
            return name
