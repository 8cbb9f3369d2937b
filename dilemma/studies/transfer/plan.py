"""From options and a suite to the cells and arms of a study. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import product

import numpy as np

from dilemma.studies.transfer.options import TransferOptions
from dilemma_kernel.errors import DesignError, InputError, StudyError
from dilemma_kernel.records import Cell, Sampling, StudyRecord, content_hash, derive_seed, episode_id
from refusal_transfer.arms import Arm, arms_named, transfer_cell
from refusal_transfer.records import Triple
from refusal_transfer.sampling import sample_pairs
from refusal_transfer.suite import Suite

INSTRUMENT = "transfer"
DEFAULT_MAX_TOKENS = 512


@dataclass(frozen=True, kw_only=True)
class ArmJob:
    """One arm of one triple to run, once."""

    triple: Triple
    cell: Cell
    repeat: int
    seed: int
    episode_id: str

    @property
    def arm(self) -> Arm:
        """Its arm."""
        arm: Arm = self.cell.levels["arm"]  # type: ignore[assignment]
        return arm


def transfer_cells(options: TransferOptions, suite: Suite) -> tuple[Cell, ...]:
    """One cell for each model, arm and system condition.

    Raises:
        InputError: no model, or one twice.
        DesignError: an unknown arm or system condition, or no chat arm.
    """
    if not options.model:
        raise InputError("no model: name one with --model MODEL, such as --model local/smollm2")
    if len(set(options.model)) < len(options.model):
        raise InputError("a model is named twice")
    arms = arms_named(options.arms or "paper")
    if "chat" not in arms:
        raise DesignError("without the arm chat there is no refusal whose transfer could be seen")
    systems = _known_systems(options.systems, suite.manifest.conditions)
    return tuple(transfer_cell(model, arm, system) for model, arm, system in product(options.model, arms, systems))


def _known_systems(said: Sequence[str], there: Sequence[str]) -> tuple[str, ...]:
    for name in said:
        if name not in there:
            raise DesignError(f"unknown system condition {name!r}; the suite has {', '.join(there)}")
    return tuple(name for name in there if not said or name in said)


def chosen_triples(suite: Suite, options: TransferOptions, systems: Sequence[str]) -> tuple[Triple, ...]:
    """The triples to run: of whole pairs of intents, in the order of the suite."""
    if options.sample is not None:
        rng = np.random.default_rng(derive_seed("sample", options.seed or 0))
        suite = sample_pairs(suite, options.sample, rng)
    return tuple(triple for triple in suite.triples if triple.condition in systems)


def transfer_record(options: TransferOptions, suite: Suite, *, name: str) -> StudyRecord:
    """The record of a study, defaults filled in. Raises as ``transfer_cells``, and where the sample is too large."""
    cells = transfer_cells(options, suite)
    triples = chosen_triples(suite, options, [cell.levels["system"] for cell in cells])
    return StudyRecord(
        name=name,
        instrument=INSTRUMENT,
        cells=cells,
        scenarios={t.cluster: content_hash(t.intent.wordings[t.variant].model_dump(mode="json")) for t in triples},
        pack=f"{suite.manifest.name} {suite.manifest.version}",
        pack_hash=suite.hash,
        turns=1,
        episodes=options.repeats or 1,
        seed=options.seed or 0,
        sampling=Sampling(
            temperature=0.0 if options.temperature is None else options.temperature,
            max_tokens=options.max_tokens or DEFAULT_MAX_TOKENS,
        ),
        cases={triple.id: _apart(triple) for triple in triples},
        versions={"dilemma-sim": version("dilemma-sim")},
    )


def _apart(triple: Triple) -> dict[str, str]:
    return {
        "intent": triple.intent.id,
        "request": triple.intent.request,
        "system": triple.condition,
        "variant": triple.variant,
        "domain": triple.intent.domain,
        "scenario": triple.intent.scenario,
    }


def transfer_jobs(record: StudyRecord, suite: Suite) -> Iterator[ArmJob]:
    """Every arm of a study: model by model, and those of one system text one after another, so prefixes stay warm."""
    by_system: dict[str, list[Triple]] = {}
    for case in record.cases:
        triple = suite.triple(case)
        by_system.setdefault(triple.condition, []).append(triple)
    for cell in record.cells:
        for triple, repeat in product(by_system.get(cell.levels["system"], ()), range(record.episodes)):
            yield ArmJob(
                triple=triple,
                cell=cell,
                repeat=repeat,
                seed=derive_seed(record.seed, triple.id, repeat),
                episode_id=episode_id(record.name, cell, triple.id, repeat),
            )


def check_same_transfer(stored: StudyRecord, options: TransferOptions, suite: Suite) -> None:
    """Refuse to go on with a study under other settings, or on another suite. What was not said is as stored.

    Raises:
        StudyError: names the first setting that differs.
    """
    check_instrument(stored)
    if stored.pack_hash != suite.hash:
        raise StudyError(
            f"study {stored.name!r} ran on suite {stored.pack} with hash {stored.pack_hash}, and this one is "
            f"{suite.manifest.name} {suite.manifest.version} with hash {suite.hash}: name its folder with --suite"
        )
    fresh = transfer_record(options.model_copy(update=_unsaid(stored, options)), suite, name=stored.name)
    for field, behind in _BEHIND.items():
        said = any(getattr(options, name) not in (None, ()) for name in behind)
        if said and getattr(fresh, field) != getattr(stored, field):
            raise StudyError(
                f"study {stored.name!r} was made with other settings ({field} differs): "
                "resume without that option, or start another study"
            )


_BEHIND = {
    "cells": ("model", "arms", "systems"),
    "cases": ("sample",),
    "episodes": ("repeats",),
    "seed": ("seed",),
    "sampling": ("temperature", "max_tokens"),
}
"""Field of the record -> options that shape it."""


def _unsaid(stored: StudyRecord, options: TransferOptions) -> dict[str, object]:
    """Stored values of the options that say nothing."""
    kept = {
        "model": tuple(dict.fromkeys(cell.agent for cell in stored.cells)),
        "arms": ",".join(dict.fromkeys(cell.levels["arm"] for cell in stored.cells)),
        "systems": tuple(dict.fromkeys(cell.levels["system"] for cell in stored.cells)),
        "repeats": stored.episodes,
        "seed": stored.seed,
        "temperature": stored.sampling.temperature,
        "max_tokens": stored.sampling.max_tokens,
    }
    return {name: value for name, value in kept.items() if getattr(options, name) in (None, ())}


def check_instrument(stored: StudyRecord) -> None:
    """Raises ``StudyError`` where a study is none of refusal transfer."""
    if stored.instrument != INSTRUMENT:
        raise StudyError(f"study {stored.name!r} is no study of refusal transfer; dilemma report shows it")
