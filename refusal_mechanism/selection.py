"""Which layer's direction to use: three rules side by side. That none is admissible is a result."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax, logsumexp

from dilemma_kernel.records.base import Record
from dilemma_kernel.statistics.clusters import Array
from dilemma_kernel.statistics.intervals import number
from refusal_mechanism.directions import Direction, projections
from refusal_mechanism.separation import area

RuleName = Literal["arditi", "norm", "auc"]
RULES: tuple[RuleName, ...] = ("arditi", "norm", "auc")

NORM_DEPTHS = (0.35, 0.85)
"""Shares of depth among which ``norm`` looks."""
ARDITI_DEPTH = 0.8
"""Share of depth below which ``arditi`` looks."""
KL_LIMIT = 0.1
"""Nats. A direction whose ablation moves benign predictions this far is not admissible."""
TIE = 1e-9
"""Difference of areas that is none: the effect size decides then."""


class Candidate(Record):
    """What is known of one site's direction. None where it was not measured."""

    site: int
    norm: float
    """‖r‖."""
    share_of_state: float
    """‖r‖ over the mean norm of the states: what is left of the bias that norms grow with depth."""
    auc: float | None = None
    """P(a held-out harmful chat projects higher than a benign one)."""
    effect_size: float | None = None
    """Difference of held-out projections over their pooled standard deviation."""
    bypass: float | None = None
    """Mean refusal log-odds on harmful chats with the direction ablated: the lower, the more refusal is gone."""
    induce: float | None = None
    """Mean refusal log-odds on benign chats with the direction added."""
    kl: float | None = None
    """Mean KL in nats, on benign chats, from the unmodified model to the one with the direction ablated."""

    @property
    def measured(self) -> bool:
        """Whether ``arditi`` can judge it."""
        return None not in (self.bypass, self.induce, self.kl)

    @property
    def admissible(self) -> bool:
        """Whether ``arditi`` admits it, depth aside."""
        return self.measured and self.kl < KL_LIMIT and self.induce > 0  # type: ignore[operator]


class RuleChoice(Record):
    """What one rule chose."""

    rule: RuleName
    site: int | None
    """None: no site is admissible."""
    why: str


class Selection(Record):
    """All rules side by side, and what they saw."""

    layers: int
    """L: sites run from 0 to L."""
    candidates: tuple[Candidate, ...]
    choices: tuple[RuleChoice, ...]
    norm_growth: float | None
    """Rank correlation of ‖r‖ with depth: near 1, ``norm`` prefers deep sites whatever they do."""

    def choice(self, rule: RuleName) -> RuleChoice:
        """What ``rule`` chose."""
        return next(one for one in self.choices if one.rule == rule)


@dataclass(frozen=True, kw_only=True)
class DecisionScores:
    """Scores of interventions at the decision token, from raw logits in float64. NaN where not measured."""

    bypass: Array
    """(site,)."""
    induce: Array
    """(site,)."""
    kl: Array
    """(site,)."""


def choose_layers(
    direction: Direction,
    layers: int,
    held_out: NDArray[np.floating],
    harmful: NDArray[np.bool_],
    scores: DecisionScores | None = None,
) -> Selection:
    """Apply every rule.

    Args:
        direction: at every site 0 … L.
        layers: L.
        held_out: (rows, site, d_model) chat states of intents that the direction was not taken from.
        harmful: (rows,) which of them are harmful; the others are benign.
        scores: what ablation and addition at each site do; None leaves ``arditi`` unmeasured.
    """
    candidates = tuple(
        _candidate(direction, site, projected, harmful, scores)
        for site, projected in enumerate(projections(held_out, direction.unit).T)
        if direction.usable[site]
    )
    return Selection(
        layers=layers,
        candidates=candidates,
        choices=(_arditi(candidates, layers), _norm(candidates, layers), _auc(candidates, layers)),
        norm_growth=_growth(candidates),
    )


def _candidate(
    direction: Direction, site: int, projected: Array, harmful: NDArray[np.bool_], scores: DecisionScores | None
) -> Candidate:
    up, down = projected[harmful], projected[~harmful]
    return Candidate(
        site=site,
        norm=float(direction.norms[site]),
        share_of_state=float(direction.norms[site] / direction.scale[site]),
        auc=number(area(projected, harmful)),
        effect_size=number(_effect_size(up, down)),
        bypass=None if scores is None else number(scores.bypass[site]),
        induce=None if scores is None else number(scores.induce[site]),
        kl=None if scores is None else number(scores.kl[site]),
    )


def _effect_size(up: Array, down: Array) -> float:
    """Cohen's d; NaN with fewer than two rows a group, or without any spread."""
    if len(up) < 2 or len(down) < 2:
        return float("nan")
    spread = np.sqrt((up.var(ddof=1) + down.var(ddof=1)) / 2)
    return float((up.mean() - down.mean()) / spread) if spread > 0 else float("nan")


def _arditi(candidates: Sequence[Candidate], layers: int) -> RuleChoice:
    """The lowest bypass score among sites below 0.8 L that leave benign predictions alone and can induce refusal."""
    within = [one for one in candidates if 0 < one.site < ARDITI_DEPTH * layers and one.measured]
    fit = [one for one in within if one.admissible]
    if not within:
        return RuleChoice(rule="arditi", site=None, why="not measured: no site has all three scores")
    if not fit:
        kl = sum(one.kl >= KL_LIMIT for one in within)  # type: ignore[operator]
        induce = sum(one.induce <= 0 for one in within)  # type: ignore[operator]
        why = f"none admissible: of {len(within)} sites {kl} have KL ≥ {KL_LIMIT}, {induce} do not induce refusal"
        return RuleChoice(rule="arditi", site=None, why=why)
    best = min(fit, key=lambda one: (one.bypass, one.site))
    why = f"lowest bypass score {best.bypass:+.2f} of {len(fit)} admissible among {len(within)}"
    return RuleChoice(rule="arditi", site=best.site, why=why)


def _norm(candidates: Sequence[Candidate], layers: int) -> RuleChoice:
    """The largest ‖r‖ in 35–85 % of depth."""
    low, high = NORM_DEPTHS
    within = [one for one in candidates if low * layers <= one.site <= high * layers]
    if not within:
        return RuleChoice(rule="norm", site=None, why="none admissible: no site in 35–85 % of depth has a direction")
    best = max(within, key=lambda one: (one.norm, -one.site))
    return RuleChoice(rule="norm", site=best.site, why=f"largest norm {best.norm:.3g} of {len(within)} sites")


def _auc(candidates: Sequence[Candidate], layers: int) -> RuleChoice:
    """The largest held-out area before the last block's end; among equals the largest effect size."""
    within = [one for one in candidates if 0 < one.site < layers and one.auc is not None]
    if not within:
        return RuleChoice(rule="auc", site=None, why="none admissible: no site has a held-out area")
    top = max(one.auc for one in within)  # type: ignore[type-var]
    if top <= 0.5:  # type: ignore[operator]
        return RuleChoice(rule="auc", site=None, why=f"none admissible: the best held-out AUC is {top:.3f}")
    equal = [one for one in within if one.auc >= top - TIE]  # type: ignore[operator]
    best = max(equal, key=lambda one: (one.effect_size or 0.0, -one.site))
    ties = f", the largest effect size of {len(equal)} equal sites" if len(equal) > 1 else ""
    return RuleChoice(rule="auc", site=best.site, why=f"held-out AUC {top:.3f}{ties}")


def _growth(candidates: Sequence[Candidate]) -> float | None:
    if len(candidates) < 3:
        return None
    ranks = np.argsort(np.argsort([one.norm for one in candidates]))
    return number(np.corrcoef(ranks, np.arange(len(candidates)))[0, 1])


def kl_from(reference: ArrayLike, other: ArrayLike) -> Array:
    """KL(reference ‖ other) in nats of next-token distributions, from raw logits in float64.

    Args:
        reference: (..., vocab) logits of the unmodified model.
        other: (..., vocab) logits under an intervention.
    """
    p = log_softmax(np.asarray(reference, dtype=np.float64), axis=-1)
    q = log_softmax(np.asarray(other, dtype=np.float64), axis=-1)
    mass = np.exp(p)
    gap = np.subtract(p, q, out=np.zeros(np.broadcast_shapes(p.shape, q.shape)), where=mass > 0)
    return np.asarray((mass * gap).sum(axis=-1))


def refusal_log_odds(logits: ArrayLike, tokens: Sequence[int]) -> Array:
    """log P(refusal token) − log P(any other), from raw logits in float64.

    Args:
        logits: (..., vocab) at the decision token.
        tokens: ids of the tokens that begin refusals.

    Source: Arditi et al. (2024), the refusal metric of section 3.1.
    """
    values = np.asarray(logits, dtype=np.float64)
    begins = np.zeros(values.shape[-1], dtype=np.bool_)
    begins[list(tokens)] = True
    return np.asarray(logsumexp(values[..., begins], axis=-1) - logsumexp(values[..., ~begins], axis=-1))


def refusal_tokens(first: Sequence[int], refused: NDArray[np.bool_], *, least: float = 0.1) -> tuple[int, ...]:
    """Tokens that begin this model's own refusals: frequent among them, and more so than among its other replies.

    Args:
        first: the first token of each reply.
        refused: (rows,) which replies refused.
        least: smallest share of the refusals that a token begins.
    """
    ids = np.asarray(first)
    if not refused.any():
        return ()
    found = []
    for token in np.unique(ids[refused]):
        among = float((ids[refused] == token).mean())
        elsewhere = float((ids[~refused] == token).mean()) if (~refused).any() else 0.0
        if among >= least and among > elsewhere:
            found.append(int(token))
    return tuple(found)
