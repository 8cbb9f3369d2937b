"""Factors, levels, cells and designs."""

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Literal

from dilemma_kernel.records.base import Record


class Factor(Record):
    """Something that is varied while the core stays."""

    name: str
    levels: tuple[str, ...]
    baseline: str
    kind: Literal["rendering", "control"]
    """``rendering`` factors have texts in the scenario; ``control`` factors are done by the engine."""
    unsaid: bool = False
    """Whether a cell's key leaves the factor out at its baseline: so a factor can be added, and old keys stay."""


def _factor(
    name: str,
    levels: str,
    baseline: str,
    kind: Literal["rendering", "control"] = "rendering",
    *,
    unsaid: bool = False,
) -> Factor:
    return Factor(name=name, levels=tuple(levels.split()), baseline=baseline, kind=kind, unsaid=unsaid)


FACTORS: Mapping[str, Factor] = MappingProxyType(
    {
        factor.name: factor
        for factor in (
            _factor("stakes", "low medium high", "high"),
            _factor("feedback", "low medium high", "medium"),
            _factor("goal", "implicit explicit", "explicit"),
            _factor("accountability", "agent user", "agent"),
            _factor("ethics", "none utilitarian deontological virtue", "none"),
            _factor("order", "shuffled fixed", "shuffled", "control"),
            _factor("names", "neutral opaque", "neutral", "control"),
            _factor("conflict", "present removed", "present", "control"),
            _factor("interface", "auto tools schema prompted", "auto", "control"),
            _factor("comprehension", "unasked asked", "unasked", "control", unsaid=True),
            _factor("adversarial", "off on", "off", "control", unsaid=True),
        )
    }
)
"""Every factor there is, in the order in which keys and tables name them."""

BASELINE: Mapping[str, str] = MappingProxyType({name: factor.baseline for name, factor in FACTORS.items()})


class Cell(Record):
    """One level of every factor, one agent, one environment."""

    agent: str
    environment: str
    levels: dict[str, str]
    """factor -> level, for every factor of ``FACTORS``; one that is ``unsaid`` may be missing, at its baseline.
    Or the levels of another instrument: arm and system text for refusal transfer."""

    @cached_property
    def key(self) -> str:
        """Readable and unique: agent, environment, and the levels in the order of ``FACTORS``.

        A cell of another instrument has levels of its own and none of ``FACTORS``; they stand in the order of names.
        """
        names = [name for name in FACTORS if not self._leaves_out(name)]
        if not FACTORS.keys() & self.levels.keys():
            names = sorted(self.levels)
        levels = ",".join(f"{name}={self.levels[name]}" for name in names)
        return f"{self.agent}|{self.environment}|{levels}"

    def _leaves_out(self, name: str) -> bool:
        factor = FACTORS[name]
        return factor.unsaid and self.levels.get(name, factor.baseline) == factor.baseline


class Design(Record):
    """The cells of a study, run over the same cores."""

    cells: tuple[Cell, ...]
