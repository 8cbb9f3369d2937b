"""Coverage of the conditioned divergence over a suite whose triples share intents, wordings and systems.

64 intents × 2 wordings × 3 system conditions. Every study draws anew: shifts of the wordings and of the
system conditions, common to all intents; an effect of each intent; and an effect of each intent in each
wording and in each system condition. The truth is that of all intents there might be, given the shifts.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from dilemma_kernel.statistics.bootstrap import percentile_interval, resampled_sums
from dilemma_kernel.statistics.clusters import Array, linearised_se, share
from dilemma_kernel.statistics.intervals import t_interval, wilson_interval
from dilemma_kernel.statistics.rates import rate_arrays

INTENTS, WORDINGS, SYSTEMS = 64, 2, 3
SHIFT, INTENT, INTENT_WORDING, INTENT_SYSTEM = 0.3, 1.0, 0.5, 0.3
"""Standard deviations on the logit scale."""
SHARED = 0.5
"""Correlation over intents between refusing in chat and acting unsafely."""
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(21)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


@dataclass(frozen=True)
class Suite:
    """Simulated verdicts, (studies, intents, wordings, systems), and the truth of each study."""

    refused: Array
    unsafe: Array
    truth: Array
    """(studies,) Δ."""


def simulate_suites(chat: float, tool: float, studies: int, rng: np.random.Generator) -> Suite:
    """Simulate whole suites.

    Args:
        chat: logit of refusing in chat at the centre of all effects.
        tool: logit of acting unsafely.
        studies: how many.
        rng: source of the draws.
    """
    shifts = [_shifts(studies, rng) for _ in (chat, tool)]
    common = [_effects(studies, rng) for _ in range(3)]
    own, mixed = np.sqrt(1 - SHARED), np.sqrt(SHARED)
    logits = [
        centre + shift[:, None] + own * effect + sign * mixed * common[2]
        for centre, shift, effect, sign in zip((chat, tool), shifts, common[:2], (1, -1), strict=True)
    ]
    refused, unsafe = (rng.random(x.shape) < expit(x) for x in logits)
    return Suite(refused.astype(float), unsafe.astype(float), _truth(chat + shifts[0], tool + shifts[1]))


def _shifts(studies: int, rng: np.random.Generator) -> Array:
    """(studies, wordings, systems) shifts common to all intents."""
    wording = rng.normal(0, SHIFT, (studies, WORDINGS, 1))
    return np.asarray(wording + rng.normal(0, SHIFT, (studies, 1, SYSTEMS)))


def _effects(studies: int, rng: np.random.Generator) -> Array:
    """(studies, intents, wordings, systems) effects of the intents."""
    effect = rng.normal(0, INTENT, (studies, INTENTS, 1, 1))
    effect = effect + rng.normal(0, INTENT_WORDING, (studies, INTENTS, WORDINGS, 1))
    return np.asarray(effect + rng.normal(0, INTENT_SYSTEM, (studies, INTENTS, 1, SYSTEMS)))


def _truth(chat: Array, tool: Array) -> Array:
    """Δ over all intents, given the centres (studies, wordings, systems), by quadrature."""
    spread = np.sqrt(INTENT**2 + INTENT_WORDING**2 + INTENT_SYSTEM**2)
    joint, refused = np.zeros(len(chat)), np.zeros(len(chat))
    for x, weight in zip(NODES, WEIGHTS, strict=True):
        given = expit(chat + spread * x)
        residual = spread * np.sqrt(1 - SHARED**2) * NODES
        unsafe = expit(tool[..., None] - spread * SHARED * x + residual) @ WEIGHTS
        refused += weight * given.sum(axis=(1, 2))
        joint += weight * (given * unsafe).sum(axis=(1, 2))
    return joint / refused


def delta_coverage(chat: float, tool: float, studies: int, fitted: int, rng: np.random.Generator) -> dict[str, float]:
    """Coverage of Δ clustered by intent, by the 128 (intent, wording), by no cluster, and bootstrapped."""
    suite = simulate_suites(chat, tool, studies, rng)
    joint, truth = suite.refused * suite.unsafe, suite.truth
    by_intent = joint.sum(axis=(2, 3)), suite.refused.sum(axis=(2, 3))
    by_wording = (x.sum(axis=3).reshape(studies, -1) for x in (joint, suite.refused))
    result, halves = rate_arrays(*by_intent), rate_arrays(*by_wording)
    wilson = wilson_interval(result.estimate, result.n, 0.95)
    found = {
        "mean Δ": float(result.estimate.mean()),
        "64 intents": _covered((result.low, result.high), truth),
        "128 clusters": _covered((halves.low, halves.high), truth),
        "Wilson over triples": _covered(wilson, truth),
    }
    if fitted:
        found["bootstrap of intents"] = _bootstrap(by_intent[0][:fitted], by_intent[1][:fitted], truth[:fitted], rng)
    return found


def _bootstrap(hits: Array, totals: Array, truth: Array, rng: np.random.Generator, at_once: int = 200) -> float:
    hit = []
    for start in range(0, len(hits), at_once):
        block = slice(start, start + at_once)
        drawn = resampled_sums(np.concatenate([hits[block], totals[block]]).T, rng)
        size = drawn.shape[1] // 2
        low, high = percentile_interval(share(drawn[:, :size], drawn[:, size:]), 0.95)
        hit.append((low <= truth[block]) & (truth[block] <= high))
    return float(np.concatenate(hit).mean())


def redraw_coverage(chat: float, studies: int, rng: np.random.Generator, *, same_wording: bool) -> dict[str, float]:
    """Δ − wording null of a model whose tool arm only redraws its chat propensity.

    Args:
        chat: logit of refusing in chat.
        studies: how many.
        rng: source of the draws.
        same_wording: whether the redraw shares the wording's own effect, or has one of its own, as another
            wording would.
    """
    shift = _shifts(studies, rng)[:, None]
    intent = rng.normal(0, INTENT, (studies, INTENTS, 1, 1)) + rng.normal(
        0, INTENT_SYSTEM, (studies, INTENTS, 1, SYSTEMS)
    )
    wording = [rng.normal(0, INTENT_WORDING, (studies, INTENTS, WORDINGS, 1)) for _ in range(2)]
    shift = shift if same_wording else shift.mean(axis=2, keepdims=True)
    first = expit(chat + shift + intent + wording[0])
    again = first if same_wording else expit(chat + shift + intent + wording[1])
    refused, complied = rng.random(first.shape) < first, rng.random(first.shape) >= again
    a, b = refused[:, :, 0], refused[:, :, 1]
    delta = _ratio((refused & complied).sum(axis=(2, 3)), refused.sum(axis=(2, 3)))
    null = _ratio((a & ~b).sum(axis=2), a.sum(axis=2))
    difference = delta[0] - null[0]
    se = linearised_se(delta[1] - null[1], np.full(studies, INTENTS))
    return {
        "mean Δ": float(delta[0].mean()),
        "mean null": float(null[0].mean()),
        "mean difference": float(difference.mean()),
        "covers 0": _covered(t_interval(difference, se, INTENTS, 0.95), 0),
    }


def _ratio(hits: Array, totals: Array) -> tuple[Array, Array]:
    total = totals.sum(axis=1)
    estimate = hits.sum(axis=1) / total
    return estimate, (hits - estimate[:, None] * totals) / total[:, None]


def _covered(interval: tuple[Array, Array], truth: float | Array) -> float:
    return float(((interval[0] <= truth) & (truth <= interval[1])).mean())


CENTRES = {"Δ near .5": (1.4, 0.2), "Δ near .65": (1.4, 1.0), "Δ near .2": (1.4, -1.4), "few refused": (-1.0, 0.0)}
"""Name -> logits of refusing in chat and of acting unsafely."""


DELTA_HEAD = """## The conditioned divergence

The column of 64 intents is the shipped one; the others are reported.

| suite | mean Δ | 64 intents | verdict | 128 clusters | Wilson over triples | bootstrap of intents |
|---|---|---|---|---|---|---|"""
NULL_HEAD = """
## Δ minus the wording null, where the tool arm only redraws the chat propensity

Where the redraw shares the wording's own shift the null is the larger: a small negative difference is no finding.

| redraw | mean Δ | mean null | mean difference | covers 0 | verdict |
|---|---|---|---|---|---|"""


def divergence_coverage(studies: int, fitted: int, seed: int, verdict: Callable[[float, int], str]) -> str:
    """The page's part on the divergence, in Markdown."""
    rng = np.random.default_rng(seed)
    lines = [DELTA_HEAD]
    for name, (chat, tool) in CENTRES.items():
        found = list(delta_coverage(chat, tool, studies, fitted, rng).values())
        figures = [f"{found[0]:.3f}", f"{found[1]:.3f}", verdict(found[1], studies), *(f"{x:.3f}" for x in found[2:])]
        lines.append(f"| {name} | {' | '.join(figures)} |")
    lines += [NULL_HEAD]
    for same in (False, True):
        found = list(redraw_coverage(1.2, studies, rng, same_wording=same).values())
        word = "reported" if same else verdict(found[3], studies)
        name = "in the same wording" if same else "as another wording would"
        lines.append(f"| {name} | {' | '.join(f'{x:.3f}' for x in found)} | {word} |")
    return "\n".join(lines)
