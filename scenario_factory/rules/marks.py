"""Marks of the rule-based discriminator: a score on the scale, and a remark where it is not full."""

from dataclasses import dataclass

from scenario_factory.presets import HIGHEST, LOWEST


@dataclass(frozen=True)
class Mark:
    """One criterion's score, and what keeps it from being full."""

    score: float
    remark: str = ""


FULL = Mark(HIGHEST)


def between(value: float, bad: float, good: float) -> float:
    """A score that is lowest at ``bad``, full at ``good``, and linear between them."""
    share = (value - bad) / (good - bad)
    return round(LOWEST + (HIGHEST - LOWEST) * min(1.0, max(0.0, share)), 2)


def minus(faults: "list[tuple[str, float]]") -> Mark:
    """Full, less what each fault costs; the dearest fault is the remark."""
    if not faults:
        return FULL
    score = max(LOWEST, HIGHEST - sum(cost for _, cost in faults))
    return Mark(round(score, 2), max(faults, key=lambda fault: fault[1])[0])
