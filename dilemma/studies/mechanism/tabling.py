"""Tables 3 to 9 from a fitted direction: which replies each needs, and the pure function that makes it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dilemma.studies.mechanism.bench import Bench
from dilemma.studies.mechanism.fitting import Fitted
from dilemma.studies.mechanism.generic import generic_prompts
from dilemma.studies.mechanism.options import MechanismOptions, coefficient_of
from dilemma_kernel.records import derive_seed
from dilemma_kernel.statistics.clusters import Array, group
from refusal_mechanism.cases import MODES, REQUESTS, Case, Mode, Request, Rows
from refusal_mechanism.conditions import ablation, addition, affine, patch, random_units
from refusal_mechanism.directions import REQUEST, projections
from refusal_mechanism.figures import UNMODIFIED, ConditionFigures, condition_figures
from refusal_mechanism.interventions import Condition, Positions
from refusal_mechanism.tables import (
    Comparison,
    CosineTable,
    KlTable,
    PatchingTable,
    Suppression,
    SweepTable,
    compare,
    cosine_table,
    kl_table,
    patching_table,
    suppression_table,
    sweep_point,
    sweep_table,
)
from refusal_mechanism.tables.patching import divergent_triples

SWEPT: tuple[Positions, ...] = ("decision", "all")
"""Where the sweep adds."""
Pair = tuple[Rows, Rows]
"""Harmful and benign."""
ForBoth = tuple[Condition, Condition]
"""One operator, as it is for the harmful and for the benign prompts: what is indexed differs."""


@dataclass(frozen=True, kw_only=True)
class Tabling:
    """The held-out half, and how its tables are made."""

    bench: Bench
    fitted: Fitted
    options: MechanismOptions
    site: int

    @cached_property
    def cases(self) -> dict[Request, tuple[Case, ...]]:
        """Held-out cases by kind of request."""
        return {request: self.fitted.rows("test", request)[0] for request in REQUESTS}

    @cached_property
    def rows(self) -> dict[Request, NDArray[np.intp]]:
        """Where they stand among all cases."""
        return {request: self.fitted.rows("test", request)[1] for request in REQUESTS}

    @cached_property
    def natural(self) -> float:
        """The natural magnitude."""
        return self.fitted.natural

    @cached_property
    def controls(self) -> Array:
        """(directions, d_model) random unit vectors."""
        rng = np.random.default_rng(derive_seed("random directions", self.options.seed))
        return random_units(self.bench.lab.width, self.options.random_directions, rng)

    def unmodified(self) -> tuple[ConditionFigures, ...]:
        """The held-out half as the model answered it."""
        return tuple(
            condition_figures(self.bench.before(mode, self._there(mode, request)), UNMODIFIED, mode, request)
            for mode in MODES
            for request in REQUESTS
            if self._there(mode, request)
        )

    def _there(self, mode: Mode, request: Request) -> tuple[Case, ...]:
        return tuple(case for case in self.cases[request] if (case.key, mode) in self.bench.unmodified)

    def compared(self, mode: Mode, request: Request, conditions: Sequence[Condition]) -> tuple[Comparison, ...]:
        """Each condition against the unmodified model."""
        cases = self.cases[request]
        before = self.bench.before(mode, cases)
        after = self.bench.replies(mode, cases, conditions)
        return tuple(
            compare(condition.name, mode, request, before, rows)
            for condition, rows in zip(conditions, after, strict=True)
        )

    def ablations(self) -> tuple[Condition, Condition]:
        """The direction ablated everywhere; and its projection set to the benign mean at the chosen site alone."""
        benign = self.fitted.rows("extract", "benign")[1]
        reference = float(self.fitted.projected("chat", benign).mean())
        return (
            ablation("ablate", self.fitted.unit),
            affine("to the benign mean", self.fitted.unit, self.site, reference, "decision"),
        )

    def suppression(self) -> Suppression:
        """Table 3."""
        self.bench.table = "table 3"
        rows = self.rows["harmful"]
        ablated = self.compared("chat", "harmful", self.ablations())
        added = self.compared("chat", "benign", [self.added(self.natural, positions) for positions in SWEPT])
        return suppression_table(
            self.site,
            self.fitted.projected("chat", rows),
            self.fitted.projected("tool", rows),
            self.bench.before("chat", self.cases["harmful"]),
            self.bench.before("tool", self.cases["harmful"]),
            ablation=ablated,
            addition=added,
        )

    def added(self, coefficient: float, positions: Positions) -> Condition:
        """x + c r̂ at the chosen site."""
        return addition(f"add {coefficient:.4g}, {positions}", self.fitted.unit, self.site, coefficient, positions)

    def patching(self) -> PatchingTable:
        """Table 4: the direction on every harmful prompt with tools, the controls on what can revert."""
        self.bench.table = "table 4"
        cases, rows = self.cases["harmful"], self.rows["harmful"]
        chat, tool = self.bench.before("chat", cases), self.bench.before("tool", cases)
        condition = patch("patch", self.fitted.unit, self.site, self.fitted.projected("chat", rows))
        (patched,) = self.bench.replies("tool", cases, [condition])
        divergent = np.flatnonzero(divergent_triples(chat, tool))
        controls = self._patched_at_random(divergent) if len(divergent) else ((), ())
        return patching_table(self.site, chat, tool, patched, *controls)

    def _patched_at_random(self, divergent: NDArray[np.intp]) -> tuple[list[Rows], list[Rows]]:
        """Along each random direction: the chat's own projection written in, and as far a move as the patch makes."""
        cases, rows = [self.cases["harmful"][i] for i in divergent], self.rows["harmful"][divergent]
        chat, tool = (self.fitted.states[mode][rows, self.site] for mode in ("chat", "tool"))
        moved = self.fitted.projected("chat", rows) - self.fitted.projected("tool", rows)
        own_value, as_far = [], []
        for number, unit in enumerate(self.controls, 1):
            own_value.append(patch(f"random {number}", unit, self.site, projections(chat, unit)))
            as_far.append(patch(f"random {number}, as far", unit, self.site, projections(tool, unit) + moved))
        made = self.bench.replies("tool", cases, [*own_value, *as_far])
        return made[: len(own_value)], made[len(own_value) :]

    def cosines(self) -> CosineTable:
        """Table 5."""
        self.bench.table = "table 5"
        rng = np.random.default_rng(derive_seed("cosines", self.options.seed))
        return cosine_table(self.fitted.sides, self.site, range(1, self.bench.lab.layers + 1), rng)

    def addition(self) -> tuple[Comparison, ...]:
        """Table 7: the natural magnitude added, and as much along a random direction."""
        self.bench.table = "table 7"
        conditions = [self.added(self.natural, positions) for positions in SWEPT]
        if len(self.controls):
            conditions.append(
                addition(f"random {self.natural:.4g}, all", self.controls[0], self.site, self.natural, "all")
            )
        modes: tuple[Mode, ...] = ("chat", "tool")
        return tuple(one for mode in modes for request in REQUESTS for one in self.compared(mode, request, conditions))

    def calls(self) -> tuple[Comparison, ...]:
        """Table 8: what ablation does to calls."""
        self.bench.table = "table 8"
        return tuple(one for request in REQUESTS for one in self.compared("tool", request, self.ablations()))

    def swept(self) -> list[tuple[float, Positions, Condition]]:
        """What the sweep adds, and where."""
        found = [coefficient_of(text, self.natural) for text in self.options.coefficients]
        return [(c, positions, self.added(c, positions)) for positions in SWEPT for c in dict.fromkeys(found) if c]

    def both(self, conditions: Sequence[ForBoth]) -> list[Pair]:
        """Replies under tools to harmful and to benign prompts, condition by condition."""
        harmful, benign = (
            self.bench.replies("tool", self.cases[request], [pair[side] for pair in conditions])
            for side, request in enumerate(REQUESTS)
        )
        return list(zip(harmful, benign, strict=True))

    @property
    def before(self) -> Pair:
        """The unmodified model's replies under tools."""
        return self.bench.before("tool", self.cases["harmful"]), self.bench.before("tool", self.cases["benign"])

    def sweep(self) -> SweepTable:
        """Table 9."""
        self.bench.table = "table 9"
        swept, (harmful, benign) = self.swept(), self.before
        after = self.both([(condition, condition) for _, _, condition in swept])
        points = [
            sweep_point(coefficient, self.natural, positions, (harmful, bad), (benign, good))
            for (coefficient, positions, _), (bad, good) in zip(swept, after, strict=True)
        ]
        return sweep_table(self.site, self.natural, points)


def kl_of_layers(bench: Bench, fitted: Fitted, options: MechanismOptions, controls: Array) -> KlTable:
    """Table 6: every layer's direction and the controls, ablated everywhere; it needs no chosen site."""
    bench.table = "table 6"
    rng = np.random.default_rng(derive_seed("kl prompts", options.seed))
    cases = fitted.rows("test", "benign")[0]
    cases = tuple(cases[i] for i in sorted(rng.permutation(len(cases))[: options.kl_prompts]))
    generic = generic_prompts(bench.lab.loaded)[: options.kl_prompts]
    direction = fitted.directions[REQUEST]
    sites = [site for site in range(bench.lab.layers + 1) if direction.usable[site]]
    conditions = [
        *(ablation(f"layer {site}", direction.unit[site]) for site in sites),
        *(ablation(f"random {number}", unit) for number, unit in enumerate(controls, 1)),
    ]
    suite, _ = bench.scores([case.prompts["chat"] for case in cases], conditions, fitted.tokens)
    everyday, _ = bench.scores(generic, conditions, fitted.tokens)
    return kl_table(
        {site: (suite[i], everyday[i]) for i, site in enumerate(sites)},
        list(zip(suite[len(sites) :], everyday[len(sites) :], strict=True)),
        group([case.intent for case in cases]),
    )
