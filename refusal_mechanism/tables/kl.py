"""Table 6: how far ablation moves benign next-token predictions, for every layer and for random directions."""

from collections.abc import Mapping, Sequence

import numpy as np

from dilemma_kernel.records.base import Record
from dilemma_kernel.statistics.clusters import Array, Groups
from refusal_mechanism.figures import Mean, mean_by_intent, mean_by_row
from refusal_mechanism.selection import KL_LIMIT


class KlRow(Record):
    """Ablating one direction everywhere. KL in nats, raw logits, float64."""

    name: str
    site: int | None
    """Where the direction was taken; None for a random one."""
    suite: Mean
    """Over the suite's benign chats, linearised by intent."""
    generic: Mean | None
    """Over a set of everyday prompts, each on its own."""

    @property
    def below_limit(self) -> bool:
        """Whether the suite's mean lies below the limit."""
        return self.suite.estimate is not None and self.suite.estimate < KL_LIMIT


class KlTable(Record):
    """Every layer, and the controls."""

    limit: float
    layers: tuple[KlRow, ...]
    random: tuple[KlRow, ...]
    most_random: KlRow | None
    """The control with the largest mean over the suite's prompts."""
    below_limit: int
    """Layers whose mean lies below the limit."""


def kl_table(
    layers: Mapping[int, tuple[Array, Array]], random: Sequence[tuple[Array, Array]], intents: Groups
) -> KlTable:
    """Table 6.

    Args:
        layers: site -> KL of its direction's ablation on the suite's prompts and on the generic ones.
        random: the same of each random direction.
        intents: the clusters of the suite's prompts.
    """
    rows = tuple(
        _row(f"layer {site}", site, suite, generic, intents) for site, (suite, generic) in sorted(layers.items())
    )
    controls = tuple(
        _row(f"random {number}", None, suite, generic, intents) for number, (suite, generic) in enumerate(random, 1)
    )
    return KlTable(
        limit=KL_LIMIT,
        layers=rows,
        random=controls,
        most_random=max(controls, key=lambda row: row.suite.estimate or 0.0, default=None),
        below_limit=sum(row.below_limit for row in rows),
    )


def _row(name: str, site: int | None, suite: Array, generic: Array, intents: Groups) -> KlRow:
    known = ~np.isnan(suite)
    return KlRow(
        name=name,
        site=site,
        suite=mean_by_intent(suite[known], Groups(labels=intents.labels, codes=intents.codes[known])),
        generic=mean_by_row(generic, unit="prompt") if len(generic) else None,
    )
