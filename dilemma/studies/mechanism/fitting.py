"""Directions from one part of the intents, a layer chosen on another: what every table then uses."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dilemma.studies.mechanism.bench import Bench
from dilemma.studies.mechanism.options import MechanismOptions
from dilemma_kernel.records import derive_seed
from dilemma_kernel.statistics.clusters import Array
from refusal_mechanism.cases import REQUESTS, Case, Mode, Request, Split, split_intents
from refusal_mechanism.conditions import ablation, addition
from refusal_mechanism.directions import BEHAVIOUR, REQUEST, TOOL, Direction, mean_difference_direction, projections
from refusal_mechanism.selection import (
    ARDITI_DEPTH,
    DecisionScores,
    RuleChoice,
    RuleName,
    Selection,
    choose_layers,
    refusal_tokens,
)
from refusal_mechanism.tables.cosines import Sides

STOCK_REFUSALS = ("I", "Sorry", "As", "No")
"""Words whose first tokens stand for refusals where the model refused nothing."""

States = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """What was fitted."""

    split: Split
    cases: tuple[Case, ...]
    states: dict[Mode, States]
    """Of all cases, in their order; chat and tool."""
    directions: dict[str, Direction]
    sides: dict[str, Sides]
    tokens: tuple[int, ...]
    own_tokens: bool
    """Whether the tokens are those that this model's own refusals begin with."""
    selection: Selection
    choice: RuleChoice
    """Of the rule used."""
    rule_used: RuleName | None

    @property
    def site(self) -> int | None:
        """The chosen site."""
        return self.choice.site

    def rows(self, part: str, request: Request) -> tuple[tuple[Case, ...], NDArray[np.intp]]:
        """Cases of one part and kind, and where they stand in ``cases``."""
        kept = {case.key for case in self.split.part(self.cases, part)}  # type: ignore[arg-type]
        at = [i for i, case in enumerate(self.cases) if case.key in kept and case.request == request]
        return tuple(self.cases[i] for i in at), np.array(at, dtype=np.intp)

    @property
    def unit(self) -> Array:
        """The unit vector at the chosen site."""
        return np.asarray(self.directions[REQUEST].unit[self.site])

    def projected(self, mode: Mode, rows: NDArray[np.intp]) -> Array:
        """Projections of some rows at the chosen site."""
        return projections(self.states[mode][rows, self.site], self.unit)

    @property
    def natural(self) -> float:
        """Difference of the mean projections of harmful and benign chats that the direction was taken from."""
        up, down = (self.rows("extract", request)[1] for request in REQUESTS)
        return float(self.projected("chat", up).mean() - self.projected("chat", down).mean())


def fit(bench: Bench, cases: Sequence[Case], options: MechanismOptions) -> Fitted:
    """Residuals of every case; directions, refusal tokens and layer from the half that is not tested on."""
    bench.table = "directions"
    split = split_intents(cases, np.random.default_rng(derive_seed("split", options.seed)))
    modes: tuple[Mode, ...] = ("chat", "tool")
    states = {mode: bench.states(mode, cases) for mode in modes}
    sides = _sides(bench, cases, split, states)
    directions = {name: mean_difference_direction(name, one.positive, one.negative) for name, one in sides.items()}
    tokens = _refusal_tokens(bench, split.part(cases, "fit"))
    used = tokens or _stock_tokens(bench)
    selection = _select(bench, cases, split, states["chat"], directions[REQUEST], used, options)
    choice, rule_used = _chosen(selection, options.rule)
    return Fitted(
        split=split,
        cases=tuple(cases),
        states=states,
        directions=directions,
        sides=sides,
        tokens=used,
        own_tokens=bool(tokens),
        selection=selection,
        choice=choice,
        rule_used=rule_used,
    )


def _chosen(selection: Selection, rule: RuleName) -> tuple[RuleChoice, RuleName | None]:
    """What the rule chose; where it admits none, what ``auc`` chose."""
    names: tuple[RuleName, ...] = (rule, "auc")
    for name in names:
        choice = selection.choice(name)
        if choice.site is not None:
            return choice, choice.rule
    return selection.choice(rule), None


def _sides(bench: Bench, cases: Sequence[Case], split: Split, states: dict[Mode, States]) -> dict[str, Sides]:
    """What each direction is the difference of, from the part to extract from."""
    kept = {case.key for case in split.part(cases, "extract")}
    refused = {case.key: bench.unmodified[case.key, "chat"].refused for case in cases}

    def made(mode: Mode, up: Sequence[int], down: Sequence[int]) -> Sides:
        return Sides(
            positive=states[mode][list(up)],
            positive_cases=[cases[i] for i in up],
            negative=states[mode][list(down)],
            negative_cases=[cases[i] for i in down],
        )

    harmful = [i for i, case in enumerate(cases) if case.key in kept and case.request == "harmful"]
    benign = [i for i, case in enumerate(cases) if case.key in kept and case.request == "benign"]
    return {
        REQUEST: made("chat", harmful, benign),
        TOOL: made("tool", harmful, benign),
        BEHAVIOUR: made(
            "chat",
            [i for i in harmful if refused[cases[i].key] is True],
            [i for i in harmful if refused[cases[i].key] is False],
        ),
    }


def _refusal_tokens(bench: Bench, cases: Sequence[Case]) -> tuple[int, ...]:
    said = [bench.unmodified[case.key, "chat"].refused for case in cases]
    known = [i for i, refused in enumerate(said) if refused is not None]
    first = bench.first([cases[i].prompts["chat"] for i in known])
    return refusal_tokens(first, np.array([said[i] is True for i in known], dtype=np.bool_))


def _stock_tokens(bench: Bench) -> tuple[int, ...]:
    tokenizer = bench.lab.loaded.tokenizer
    found = [tokenizer(word, add_special_tokens=False)["input_ids"] for word in STOCK_REFUSALS]
    return tuple(sorted({int(ids[0]) for ids in found if ids}))


def _select(
    bench: Bench,
    cases: Sequence[Case],
    split: Split,
    chat: States,
    direction: Direction,
    tokens: Sequence[int],
    options: MechanismOptions,
) -> Selection:
    bench.table = "selection"
    kept = {case.key for case in split.part(cases, "select")}
    rows = [i for i, case in enumerate(cases) if case.key in kept]
    harmful = np.array([cases[i].request == "harmful" for i in rows], dtype=np.bool_)
    rng = np.random.default_rng(derive_seed("selection prompts", options.seed))
    held = [cases[i] for i in rows]
    up, down = (
        _some([case for case in held if case.request == kind], options.selection_prompts, rng) for kind in REQUESTS
    )
    scores = _scores(bench, direction, up, down, tokens)
    return choose_layers(direction, bench.lab.layers, chat[rows], harmful, scores)


def _some(cases: Sequence[Case], most: int, rng: np.random.Generator) -> list[Case]:
    """At most ``most`` of the cases, in their order."""
    return [cases[i] for i in sorted(rng.permutation(len(cases))[:most])]


def _scores(
    bench: Bench, direction: Direction, harmful: Sequence[Case], benign: Sequence[Case], tokens: Sequence[int]
) -> DecisionScores:
    """Bypass on harmful chats, induce and KL on benign ones, at every site that ``arditi`` looks at."""
    layers = bench.lab.layers
    sites = [site for site in range(1, layers) if direction.usable[site] and site < ARDITI_DEPTH * layers]
    found = {name: np.full(layers + 1, np.nan) for name in ("bypass", "induce", "kl")}
    if sites and harmful and benign:
        gone = [ablation(f"ablate layer {site}", direction.unit[site]) for site in sites]
        added = [
            addition(f"add layer {site}", direction.unit[site], site, float(direction.norms[site]), "all")
            for site in sites
        ]
        good, bad = ([case.prompts["chat"] for case in group] for group in (benign, harmful))
        found["bypass"][sites] = bench.scores(bad, gone, tokens)[1].mean(axis=1)
        found["kl"][sites] = bench.scores(good, gone, tokens)[0].mean(axis=1)
        found["induce"][sites] = bench.scores(good, added, tokens)[1].mean(axis=1)
    return DecisionScores(bypass=found["bypass"], induce=found["induce"], kl=found["kl"])
