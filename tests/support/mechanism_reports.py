"""Reports of the laboratory by hand: no model is run."""

from typing import Any

from mechanism_cases import SAFE, UNSAFE, rows

from dilemma.studies.mechanism.results import MechanismReport, SplitCounts
from refusal_mechanism.selection import RuleChoice, Selection
from refusal_mechanism.tables import SweepPoint, SweepTable, sweep_point, sweep_table


def hand_report(**said: Any) -> MechanismReport:
    """A report with nothing but what is said."""
    values: dict[str, Any] = {
        "model": "hf/by-hand",
        "weights": "w",
        "dtype": "float32",
        "layers": 4,
        "width": 8,
        "suite": "s 1",
        "suite_hash": "h",
        "study": "transfer",
        "seed": 0,
        "max_tokens": 48,
        "split": (SplitCounts(part="test", intents=8, harmful=8, benign=8),),
        "directions": (),
        "refusal_tokens": (),
        "selection": None,
        "rule": "arditi",
        "rule_used": "arditi",
        "site": 2,
        "natural": 2.0,
    }
    return MechanismReport(**{**values, **said})


def hand_selection(norm_growth: float | None) -> Selection:
    """Every rule chose layer 2."""
    names: Any = ("arditi", "norm", "auc")
    choices = tuple(RuleChoice(rule=name, site=2, why="by hand") for name in names)
    return Selection(layers=4, candidates=(), choices=choices, norm_growth=norm_growth)


def steered(coefficient: float, harmful: Any = None, benign: Any = None, positions: str = "decision") -> SweepPoint:
    """A point of a sweep with eight intents of each kind; the natural magnitude is 2."""
    before = rows([UNSAFE] * 8), rows([SAFE] * 8, "benign")
    after = rows(harmful or [UNSAFE] * 8), rows(benign or [SAFE] * 8, "benign")
    return sweep_point(coefficient, 2.0, positions, (before[0], after[0]), (before[1], after[1]))


def swept(*points: SweepPoint) -> SweepTable:
    """Their table."""
    return sweep_table(2, 2.0, points)
