"""Table 5: are the request, the tool and the behavioural direction one?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from dilemma_kernel.records.base import Record
from dilemma_kernel.statistics.clusters import Groups, group
from refusal_mechanism.cases import Case
from refusal_mechanism.directions import Cosine, Group, by_domain, cosine_figures, principal_angles


class CosineTable(Record):
    """Cosines of each pair of directions: at the chosen site, and at every site."""

    site: int
    chosen: tuple[Cosine, ...]
    by_site: tuple[Cosine, ...]


@dataclass(frozen=True, kw_only=True)
class Sides:
    """What a direction is the difference of: states with the cases that they are of."""

    positive: NDArray[np.floating]
    """(rows, site, d_model)."""
    positive_cases: Sequence[Case]
    negative: NDArray[np.floating]
    negative_cases: Sequence[Case]


def cosine_table(
    sides: Mapping[str, Sides], site: int, sites: Sequence[int], rng: np.random.Generator, *, resamples: int = 2000
) -> CosineTable:
    """Table 5.

    Args:
        sides: direction -> its groups.
        site: the chosen site.
        sites: all sites to report.
        rng: of the bootstrap.
        resamples: how many.
    """
    every = [case.intent for one in sides.values() for case in (*one.positive_cases, *one.negative_cases)]
    labels = group(every).labels if every else ()
    found = {
        (pair, at): cosine_figures(
            (pair[0], *_groups(sides[pair[0]], at, labels)),
            (pair[1], *_groups(sides[pair[1]], at, labels)),
            at,
            rng,
            resamples=resamples,
        )
        for pair in combinations(sides, 2)
        for at in dict.fromkeys((site, *sites))
    }
    return CosineTable(
        site=site,
        chosen=tuple(
            found[pair, site].model_copy(update={"subspace_angles": _subspace_angles(sides, pair, site)})
            for pair in combinations(sides, 2)
        ),
        by_site=tuple(found[pair, at] for pair in combinations(sides, 2) for at in sites),
    )


def _groups(one: Sides, site: int, labels: Sequence[str]) -> tuple[Group, Group]:
    place = {label: index for index, label in enumerate(labels)}

    def made(states: NDArray[np.floating], cases: Sequence[Case]) -> Group:
        codes = np.array([place[case.intent] for case in cases], dtype=np.intp)
        return Group(states=states[:, site], intents=Groups(labels=tuple(labels), codes=codes))

    return made(one.positive, one.positive_cases), made(one.negative, one.negative_cases)


def _subspace_angles(sides: Mapping[str, Sides], pair: tuple[str, str], site: int) -> tuple[float, ...]:
    """Principal angles between the spans of the two directions' domain-wise versions."""
    spans = []
    for name in pair:
        one = sides[name]
        domains = sorted({case.domain for case in (*one.positive_cases, *one.negative_cases)})
        up = _by_domain(one.positive[:, site], one.positive_cases)
        down = _by_domain(one.negative[:, site], one.negative_cases)
        spans.append(by_domain(up, down, domains))
    return principal_angles(*spans) if all(len(span) > 1 for span in spans) else ()


def _by_domain(states: NDArray[np.floating], cases: Sequence[Case]) -> dict[str, NDArray[np.floating]]:
    names = np.array([case.domain for case in cases], dtype=np.str_)
    return {str(name): states[names == name] for name in np.unique(names)}
