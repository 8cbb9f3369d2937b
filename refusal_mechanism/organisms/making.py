"""From an architecture, a kind and a seed to an organism's folder."""

import os
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from dilemma_kernel.errors import DesignError, InputError
from refusal_mechanism.organisms.bodies import LAYERS, WIDTH, make_body
from refusal_mechanism.organisms.card import FILE, KINDS, SUITE, Kind, OrganismCard, PlantedDirection
from refusal_mechanism.organisms.families import ARCHS, Arch
from refusal_mechanism.organisms.interchange import Writing
from refusal_mechanism.organisms.planting import SHARES, ranked
from refusal_mechanism.organisms.rows import Teacher
from refusal_mechanism.organisms.suite_files import write_suite
from refusal_mechanism.organisms.tokens import make_tokenizer
from refusal_mechanism.organisms.training import Notify, Regimen, teach

SITE = LAYERS // 2
"""The decision is said in the residual before this block."""
STRENGTH = 10.0
"""By a projection of so much for a refusal, and of its negative for none."""
MOST_SEED = 2**63 - 1
"""A seed fits the generators of all libraries."""
STEPS = 900
"""Of the optimiser, where nothing else is said. With 600, some organisms do not hold every planted decision yet."""


def train(
    arch: Arch, kind: Kind, seed: int, out: Path, *, steps: int | None = None, notify: Notify | None = None
) -> OrganismCard:
    """Train an organism and write it: a model folder of transformers, with ``suite/`` and ``organism.json``.

    Args:
        arch: which decoder.
        kind: in ``mediated`` one direction carries the decision under tools; in ``override`` it only tells it.
        seed: of the weights, of the rows, and of which intents are called on.
        out: a folder that does not exist or is empty.
        steps: of the optimiser; by default ``STEPS``.
        notify: told of (step, loss) after every step.

    Returns:
        What was planted.

    Raises:
        DesignError: there is no such architecture, kind or seed, the steps are none, or the folder holds something.
        InputError: the folder cannot be written; nothing was trained then.
    """
    _check(arch, kind, seed, steps)
    _make_room(out)
    tokenizer = make_tokenizer(arch)
    body = make_body(arch, tokenizer, seed)
    planted = Writing(site=SITE, direction=_unit(seed), refusal=STRENGTH, other=-STRENGTH)
    order = ranked(seed)
    regimen = Regimen(steps=STEPS if steps is None else steps)
    teach(body, Teacher(arch, tokenizer, order), regimen, kind, planted, seed, notify)
    card = OrganismCard(
        kind=kind,
        arch=arch,
        seed=seed,
        steps=regimen.steps,
        parameters=sum(parameter.numel() for parameter in body.parameters()),
        shares={mode: dict(shares) for mode, shares in SHARES.items()},
        order=order,
        planted=PlantedDirection(site=SITE, strength=STRENGTH, direction=tuple(planted.direction.tolist())),
    )
    _write(body, tokenizer, card, out)
    return card


def _check(arch: str, kind: Kind, seed: int, steps: int | None) -> None:
    if arch not in ARCHS:
        raise DesignError(f"unknown architecture {arch!r}: there are {', '.join(ARCHS)}")
    if kind not in KINDS:
        raise DesignError(f"unknown kind {kind!r}: there are {', '.join(KINDS)}")
    if not 0 <= seed <= MOST_SEED or (steps is not None and steps < 1):
        raise DesignError(f"a seed lies between 0 and {MOST_SEED}, and steps are 1 or more")


def _make_room(out: Path) -> None:
    """The folder, made and tried, so that no training is lost to a place where nothing can be written."""
    try:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise DesignError(f"{out} holds something already: give a folder that is new or empty")
        out.mkdir(parents=True, exist_ok=True)
        probe = out / f"{FILE}.part"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise InputError(f"{out} cannot be written: {error.strerror or error}") from error


def _unit(seed: int) -> Float[Tensor, "d_model"]:
    drawn = torch.randn(WIDTH, generator=torch.Generator().manual_seed(seed))
    return drawn / drawn.norm()


def _write(body: Any, tokenizer: Any, card: OrganismCard, out: Path) -> None:
    """Everything but the card first: a folder with a card is whole."""
    from transformers.utils import logging  # noqa: PLC0415

    logging.disable_progress_bar()
    body.save_pretrained(out)
    tokenizer.save_pretrained(out)
    write_suite(out / SUITE)
    half = out / f"{FILE}.part"
    half.write_text(card.model_dump_json(indent=1) + "\n", encoding="utf-8")
    os.replace(half, out / FILE)
