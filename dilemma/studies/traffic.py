"""What the models of a study were asked, in numbers that add up over models and processes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Self

from dilemma_kernel.models.counters import Counters


@dataclass(frozen=True, kw_only=True)
class Traffic:
    """Counts of one model since the study began to run."""

    calls: int = 0
    """Requests that the model answered."""
    reused: int = 0
    """Requests answered from another study."""
    attempts: int = 0
    """Requests sent, retries included."""
    retries: int = 0
    rate_limited: int = 0
    waited_s: float = 0.0
    """Seconds spent waiting for retries and rate limits, summed over calls."""
    cost: float = 0.0
    """US dollars over the replies whose price is known."""
    unpriced: int = 0
    """Replies whose price is not known."""
    in_flight: int = 0
    limit: int = 0
    """Requests that may be on their way at once."""

    @classmethod
    def of(cls, counters: Counters) -> Self:
        """The counts as they stand."""
        return cls(**{field.name: getattr(counters, field.name) for field in fields(cls)})

    def __add__(self, other: "Traffic") -> "Traffic":
        return Traffic(**{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)})


def together(parts: Iterable[Mapping[str, Traffic]]) -> dict[str, Traffic]:
    """The traffic of several processes, by model."""
    summed: dict[str, Traffic] = {}
    for part in parts:
        for name, traffic in part.items():
            summed[name] = summed.get(name, Traffic()) + traffic
    return summed


def limiter_state(traffic: Mapping[str, Traffic]) -> str:
    """For the progress line: how far each model's limiter is down; empty where nothing was held up."""
    return " · ".join(
        f"{name}: {t.in_flight} of {t.limit} in flight, {t.retries} retries, {t.waited_s:.0f} s waited"
        for name, t in traffic.items()
        if t.retries
    )


def summary(traffic: Mapping[str, Traffic]) -> list[str]:
    """One line a model for the end of a run. Scripted models, which cost nothing, have none."""
    return [_summary(name, t) for name, t in traffic.items() if not name.startswith("scripted/") and _any(t)]


def _any(traffic: Traffic) -> bool:
    return bool(traffic.attempts or traffic.reused)


def _summary(name: str, t: Traffic) -> str:
    said = [f"{t.calls:,} replies to {t.attempts:,} requests"]
    said += [f"{t.reused:,} replies of another study"] if t.reused else []
    said += [f"{t.retries:,} retries ({t.rate_limited:,} times 429)"] if t.retries else []
    said += [f"{t.waited_s:,.1f} s of waiting"] if t.waited_s >= 0.05 else []
    if t.calls > t.unpriced:
        said.append(f"${t.cost:,.4f}")
    if t.unpriced:
        said.append(f"{t.unpriced:,} replies without a known price")
    return f"{name}: {', '.join(said)}"
