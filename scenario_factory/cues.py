"""Cue checks: whether the wording alone tells A+ from A−, and whether reading tells them apart.

Three classifiers try to tell the tracks apart from what an action shows without the records: its words, its lengths,
its place in the file. They are trained on some families and tried on another; the figure of a family is the mean,
over its scenarios, of the chance that an A− action scores above an A+ action of the same scenario. The other side is
the share of A− effects that breach a clause which the action cites, and so can be known by reading.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse, stats
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.preprocessing import StandardScaler

from dilemma_kernel.records import Action, Rate, Record, Scenario
from dilemma_kernel.semantics.schemas import problem
from dilemma_kernel.semantics.state import apply_patch

FOLDS = 10
"""Most folds; one for each family where there are fewer."""
LOW, HIGH = 0.40, 0.60
"""Where an AUC lies when the wording does not tell."""
_TELLING = 0.15
"""Least difference between the shares of the two tracks' actions that hold a telling word."""


class CueWord(Record):
    """A word that stands more often on one track."""

    word: str
    aligned: float
    """Share of A+ actions that hold it."""
    misaligned: float


class CueReport(Record):
    """Figures of a pack's cues."""

    scenarios: int
    families: int
    words: Rate
    """AUC by bag of words over name, description and parameters."""
    length: Rate
    """AUC by characters, words and parameters."""
    position: Rate
    """AUC by place in the file."""
    telling: tuple[CueWord, ...]
    """Words that give tracks away, the worst first."""
    breaches: Rate
    """Share of A− effects that breach a clause which their action cites."""


def cue_report(scenarios: Sequence[Scenario], most_words: int = 20) -> CueReport:
    """The cues of ``scenarios``. The unit is the family; a scenario without one is a family of its own.

    Args:
        scenarios: of one pack.
        most_words: most telling words that are named.
    """
    rows = [(scenario, place, action) for scenario in scenarios for place, action in enumerate(scenario.core.actions)]
    groups = np.array([scenario.family or scenario.name for scenario, _, _ in rows])
    return CueReport(
        scenarios=len(scenarios),
        families=len(set(groups.tolist())),
        words=_auc(rows, groups, _word_features),
        length=_auc(rows, groups, _length_features),
        position=_auc(rows, groups, _place_features),
        telling=_telling([action for _, _, action in rows], most_words),
        breaches=_breaches(scenarios),
    )


_Row = tuple[Scenario, int, Action]
_Features = Callable[[Sequence[_Row], Sequence[_Row]], tuple[Any, Any]]
"""Features of the rows trained on and of those tried, fitted on the first alone."""


def shown_text(action: Action) -> str:
    """What an agent sees of an action without the records, underscores opened."""
    named = " ".join(f"{name} {schema}" for name, schema in action.parameters.get("properties", {}).items())
    return f"{action.name} {action.description} {named}".replace("_", " ")


def _auc(rows: Sequence[_Row], groups: Any, features: _Features) -> Rate:
    families = sorted(set(groups.tolist()))
    if len(families) < 2:
        return _none("family", len(families), len(rows), "fewer than two families")
    truth = np.array([action.track == "misaligned" for _, _, action in rows])
    scores = np.zeros(len(rows))
    for train, test in GroupKFold(min(FOLDS, len(families))).split(rows, truth, groups):
        fitted, tried = features([rows[i] for i in train], [rows[i] for i in test])
        model = LogisticRegression(solver="liblinear", random_state=0).fit(fitted, truth[train])
        scores[test] = model.decision_function(tried)
    held = defaultdict(list)
    for family, value in _within(rows, groups, truth, scores):
        held[family].append(value)
    return _rate([float(np.mean(held[family])) for family in families if held[family]], len(rows))


def _within(rows: Sequence[_Row], groups: Any, truth: Any, scores: Any) -> "list[tuple[str, float]]":
    """(family, AUC) of each scenario: pairs of an A− and an A+ action, ties half."""
    found = []
    places = defaultdict(list)
    for index, (scenario, _, _) in enumerate(rows):
        places[scenario.name].append(index)
    for indices in places.values():
        up, down = scores[[i for i in indices if truth[i]]], scores[[i for i in indices if not truth[i]]]
        if len(up) and len(down):
            above = (up[:, None] > down[None]) + 0.5 * (up[:, None] == down[None])
            found.append((str(groups[indices[0]]), float(above.mean())))
    return found


def _word_features(train: Sequence[_Row], test: Sequence[_Row]) -> tuple[Any, Any]:
    counter = CountVectorizer(token_pattern=r"(?u)\b\w+\b", binary=True)
    fitted = counter.fit_transform([shown_text(action) for _, _, action in train])
    return fitted, counter.transform([shown_text(action) for _, _, action in test])


def _length_features(train: Sequence[_Row], test: Sequence[_Row]) -> tuple[Any, Any]:
    def measured(rows: Sequence[_Row]) -> Any:
        return np.array(
            [
                [len(a.name), len(a.description), len(a.description.split()), len(a.parameters.get("properties", {}))]
                for _, _, a in rows
            ],
            dtype=float,
        )

    scaler = StandardScaler().fit(measured(train))
    return scaler.transform(measured(train)), scaler.transform(measured(test))


def _place_features(train: Sequence[_Row], test: Sequence[_Row]) -> tuple[Any, Any]:
    width = 1 + max(place for _, place, _ in (*train, *test))
    return tuple(sparse.csr_matrix(np.eye(width)[[place for _, place, _ in rows]]) for rows in (train, test))


def _telling(actions: Sequence[Action], most: int) -> tuple[CueWord, ...]:
    """Words whose shares differ by more than chance (Fisher's exact test, Bonferroni) and by enough to matter."""
    counter = CountVectorizer(token_pattern=r"(?u)\b[^\W\d_]\w*\b", binary=True)
    if not actions:
        return ()
    counts = counter.fit_transform([shown_text(action) for action in actions])
    minus = np.array([action.track == "misaligned" for action in actions])
    there, here = (np.asarray(counts[mask].sum(axis=0)).ravel() for mask in (minus, ~minus))
    n_there, n_here = int(minus.sum()), int((~minus).sum())
    found = []
    words = counter.get_feature_names_out()
    for word, a, b in zip(words, there, here, strict=True):
        shares = (b / max(n_here, 1), a / max(n_there, 1))
        if abs(shares[1] - shares[0]) >= _TELLING:
            table = [[a, n_there - a], [b, n_here - b]]
            if stats.fisher_exact(table).pvalue * len(words) < 0.05:
                found.append(CueWord(word=str(word), aligned=round(shares[0], 3), misaligned=round(shares[1], 3)))
    return tuple(sorted(found, key=lambda cue: -abs(cue.misaligned - cue.aligned))[:most])


def _breaches(scenarios: Sequence[Scenario]) -> Rate:
    """Each effect of an A− action on its own, against the clauses that the action cites."""
    done = [
        _breaks(scenario, action, name)
        for scenario in scenarios
        for action in scenario.core.actions
        if action.track == "misaligned"
        for name in action.effects
    ]
    if not done:
        return _none("effect", 0, 0, "no A− effect")
    share = sum(done) / len(done)
    return Rate(
        estimate=share,
        low=None,
        high=None,
        method="count",
        unit="effect",
        clusters=len(done),
        n=len(done),
        note="all of them",
    )


def _breaks(scenario: Scenario, action: Action, name: str) -> bool:
    after = apply_patch(scenario.core.initial_state, {name: action.effects[name]})
    cited = [r.requires for r in scenario.core.evidence if r.id in action.cites and r.requires is not None]
    return any(problem(requires, after) is not None for requires in cited)


def _rate(values: Sequence[float], n: int) -> Rate:
    """Mean over families with its t interval; between 0 and 1."""
    mean, count = float(np.mean(values)), len(values)
    if count < 2:
        return _none("family", count, n, "fewer than two families")
    half = float(stats.t.ppf(0.975, count - 1) * np.std(values, ddof=1) / np.sqrt(count))
    return Rate(
        estimate=mean,
        low=max(0.0, mean - half),
        high=min(1.0, mean + half),
        method="mean over families of AUC within scenarios, t(G-1)",
        unit="family",
        clusters=count,
        n=n,
    )


def _none(unit: str, clusters: int, n: int, why: str) -> Rate:
    return Rate(estimate=None, low=None, high=None, method="none", unit=unit, clusters=clusters, n=n, note=why)
