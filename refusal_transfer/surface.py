"""Can a text's surface tell harmful from benign? It should not: then a model has to read.

A logistic regression over length, punctuation and politeness learns from all domains but one and is tried on that
one. An AUC near one half says that the surface of a harmful text is that of a benign one.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from refusal_transfer.records import MODES, VARIANTS
from refusal_transfer.suite import Suite

MARKS = ".,;:?!'\"()[]{}-/\n"
POLITE = (
    "please",
    "thank",
    "thanks",
    "grateful",
    "kindly",
    "could you",
    "would you",
    "would",
    "could",
    "sorry",
    "dear",
)
_WORD = re.compile(r"\w+")


def features(text: str) -> list[float]:
    """Length, punctuation and politeness of ``text``, as numbers."""
    words = _WORD.findall(text)
    lower = text.lower()
    sentences = max(1, len(re.findall(r"[.?!\n]+", text)))
    counts = [float(text.count(mark)) for mark in MARKS]
    polite = [float(len(re.findall(rf"\b{re.escape(word)}\b", lower))) for word in POLITE]
    return [
        float(len(text)),
        float(len(words)),
        len(text) / max(1, len(words)),
        len(words) / sentences,
        float(sum(ch.isdigit() for ch in text)),
        float(sum(ch.isupper() for ch in text)),
        *counts,
        *polite,
    ]


def held_out_auc(suite: Suite) -> dict[str, float]:
    """domain -> AUC of telling harmful from benign there, learned from the other domains; empty with one domain."""
    rows = [
        (intent.domain, intent.request == "harmful", features(intent.wordings[variant].text(mode)))
        for intent in suite.intents
        for variant in VARIANTS
        for mode in MODES
    ]
    if len(suite.domains) < 2:
        return {}
    domain = np.array([row[0] for row in rows])
    harmful = np.array([row[1] for row in rows])
    surface = np.array([row[2] for row in rows])
    return {name: _auc(surface, harmful, domain == name) for name in suite.domains}


def _auc(surface: NDArray[np.float64], harmful: NDArray[np.bool_], held: NDArray[np.bool_]) -> float:
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    model.fit(surface[~held], harmful[~held])
    scores: Sequence[float] = model.predict_proba(surface[held])[:, 1]
    return float(roc_auc_score(harmful[held], scores))
