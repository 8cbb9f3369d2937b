"""A smaller suite: matched pairs of intents, drawn evenly over domains and scenarios."""

from dataclasses import replace

import numpy as np

from dilemma_kernel.errors import DesignError
from refusal_transfer.suite import Suite


def sample_pairs(suite: Suite, n: int, rng: np.random.Generator) -> Suite:
    """``suite`` with ``n`` pairs of intents, harmful and benign, each in every rendering.

    Args:
        suite: the whole suite. Its manifest and hash stay, for they say where the pairs are from.
        n: number of pairs.
        rng: what draws them. No stratum (domain and scenario) gives two more than another while that one has any left.

    Raises:
        DesignError: there are not that many pairs, or fewer than one is asked for.
    """
    strata: dict[tuple[str, str], list[str]] = {}
    for intent in suite.intents:
        pairs = strata.setdefault((intent.domain, intent.scenario), [])
        if intent.pair not in pairs:
            pairs.append(intent.pair)
    available = sum(map(len, strata.values()))
    if not 1 <= n <= available:
        raise DesignError(f"a sample has between 1 and {available} pairs of intents, not {n}")
    drawn = [[pairs[i] for i in rng.permutation(len(pairs))] for pairs in strata.values()]
    order = [drawn[i] for i in rng.permutation(len(drawn))]
    rounds = (pairs[turn] for turn in range(max(map(len, order))) for pairs in order if turn < len(pairs))
    chosen = {pair for pair, _ in zip(rounds, range(n), strict=False)}
    return replace(suite, intents=tuple(intent for intent in suite.intents if intent.pair in chosen))
