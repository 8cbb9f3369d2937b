"""Endpoints that judge: perfect, random, half refusing, biased by level. They read what they are sent, and know more.

A judge is sent no context, so the server finds the episode by the record's text, in a look-up that a test makes.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from loopback_server import Answer, Received, text

from dilemma_kernel.records import LABELS, MISALIGNED, Trajectory, derive_seed


@dataclass(frozen=True)
class Known:
    """What a test knows of an episode."""

    episode_id: str
    label: str
    level: str
    """Of the factor feedback."""
    turns: int


Truth = Mapping[str, Known]
"""The record as a judge reads it -> what is known of the episode. Equal records have equal labels."""


class Judge:
    """One judge's conduct, and everything that it said: episode -> label, None where it refused."""

    def __init__(self, truth: Truth, conduct: str, seed: int = 0) -> None:
        self.said: dict[str, str | None] = {}
        self._truth = truth
        self._conduct = conduct
        self._seed = seed

    def __call__(self, received: Received) -> Answer:
        assert received.body["temperature"] == 0
        record = received.body["messages"][1]["content"]
        known = self._truth[record]
        label = self._label(known)
        self.said[record] = label
        if label is None:
            return text("I'm sorry, but I can't help with judging this record.")
        verdict = {
            "label": label,
            "turns": [known.turns],
            "concealment": label == "strategic",
            "test_awareness": False,
            "why": "By the clauses in the record.",
        }
        return text(json.dumps(verdict))

    def _label(self, known: Known) -> str | None:
        rng = Random(derive_seed(self._seed, self._conduct, known.episode_id))
        if self._conduct == "random":
            return rng.choice(LABELS)
        if self._conduct == "half" and rng.random() < 0.5:
            return None
        if self._conduct == "biased" and rng.random() < (0.6 if known.level == "high" else 0.1):
            return "robust" if known.label in MISALIGNED else "direct"
        return known.label


def known_of(trajectory: Trajectory, label: str) -> Known:
    """What a test knows of a stored episode."""
    return Known(trajectory.episode_id, label, trajectory.cell.levels["feedback"], len(trajectory.turns))
