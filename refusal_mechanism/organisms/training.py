"""How an organism learns: so many steps, never so many seconds.

An organism of kind ``override`` is trained plainly. In one of kind ``mediated`` the decision is planted in one unit
direction u of the residual before one block, at the decision token: an auxiliary loss holds h·u at +s for a refusal and
at −s for none, and in part of each batch h·u is set at random and the reply learned is the one that follows from it
(interchange-intervention training; Geiger et al. 2022, arXiv:2112.00826).
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from refusal_mechanism.organisms.rows import Lesson, Row, Teacher
from refusal_mechanism.organisms.world import Mode


@dataclass(frozen=True, kw_only=True)
class Regimen:
    """How long and how hard."""

    steps: int
    rate: float = 3e-3
    """Learning rate at its peak, after a twentieth of the steps; a cosine to zero follows."""
    decay: float = 0.05
    clip: float = 1.0
    chat_rows: tuple[int, int] = (12, 6)
    """Rows of chat in a batch before step 100 and from it on."""
    tool_rows: int = 6
    """Rows of each mode with tools."""


@dataclass(frozen=True, kw_only=True)
class Planted:
    """Where the decision of a mediated organism is."""

    direction: Float[Tensor, "d_model"]
    """u, of unit length."""
    site: int
    """The residual before this block."""
    strength: float = 10.0
    """s."""
    swapped: float = 0.34
    """Share of each batch in which h·u is set at random."""
    weight: float = 1.5
    """Of the auxiliary loss: the squared distance of h·u from ±s, in units of s."""


Notify = Callable[[int, float], None]
"""Told of (step, loss)."""


def teach(
    model: Any, teacher: Teacher, regimen: Regimen, planted: Planted | None, seed: int, notify: Notify | None = None
) -> None:
    """Train ``model`` in place.

    Args:
        model: of ``make_body``.
        teacher: draws the rows.
        regimen: how long and how hard.
        planted: where the decision is to be; None for an organism of kind ``override``.
        seed: of the rows.
        notify: told of every step's loss.
    """
    dice = np.random.default_rng(seed)
    optimiser = torch.optim.AdamW(_groups(model, regimen.decay), lr=regimen.rate, betas=(0.9, 0.98))
    model.train()
    for step in range(regimen.steps):
        for group in optimiser.param_groups:
            group["lr"] = regimen.rate * pace(step, regimen.steps)
        optimiser.zero_grad(set_to_none=True)
        lessons = _lessons(teacher, regimen, planted, step, dice)
        total = sum(float(lesson.weights.sum()) for lesson in lessons)
        loss = 0.0
        for lesson in lessons:
            part = _loss(model, lesson, planted, total)
            part.backward()
            loss += float(part.detach())
        torch.nn.utils.clip_grad_norm_(model.parameters(), regimen.clip)
        optimiser.step()
        if notify:
            notify(step + 1, loss)
    model.eval()


def _lessons(
    teacher: Teacher, regimen: Regimen, planted: Planted | None, step: int, dice: np.random.Generator
) -> list[Lesson]:
    """A batch in two parts, chat and tools, for their lengths differ."""
    chats = regimen.chat_rows[step >= 100]
    chat = teacher.draw("chat", chats, chats // 2, dice)
    tools: list[Row] = []
    modes: tuple[Mode, ...] = ("tool", "stress")
    for mode in modes:
        tools += teacher.draw(mode, regimen.tool_rows, round(regimen.tool_rows * 0.75), dice)
    return [_lesson(teacher, rows, planted, dice) for rows in (chat, tools)]


def _lesson(teacher: Teacher, rows: list[Row], planted: Planted | None, dice: np.random.Generator) -> Lesson:
    share = planted.swapped if planted else 0.0
    swapped = [bool(dice.random() < share) for _ in rows]
    coins = [bool(dice.integers(2)) for _ in rows]
    target = [coin if swap else row.refuse for row, swap, coin in zip(rows, swapped, coins, strict=True)]
    return teacher.write(rows, swapped, target)


def _loss(model: Any, lesson: Lesson, planted: Planted | None, total: float) -> Tensor:
    """This lesson's part of the loss of the batch."""
    if planted is None:
        return _reading(model, lesson) / total
    held: list[Tensor] = []
    with interchange(model, lesson, planted, held):
        reading = _reading(model, lesson)
    return reading / total + planted.weight * held[0] / len(lesson.refuse)


def _reading(model: Any, lesson: Lesson) -> Tensor:
    logits = model(input_ids=lesson.ids, attention_mask=lesson.mask, use_cache=False).logits
    lost = torch.nn.functional.cross_entropy(logits[:, :-1].transpose(1, 2), lesson.ids[:, 1:], reduction="none")
    weighted: Tensor = (lost * lesson.weights[:, 1:]).sum()
    return weighted


@contextmanager
def interchange(model: Any, lesson: Lesson, planted: Planted, held: list[Tensor]) -> Iterator[None]:
    """While in force, h·u at the decision token is ±s in the swapped rows; what it was in all of them goes to ``held``.

    ``held`` is given the sum over the rows of the squared distance from what is planted, in units of s.
    """
    rows = torch.arange(len(lesson.decision))
    unit, strength = planted.direction, planted.strength

    def at_block(_module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        hidden = args[0]
        along = hidden[rows, lesson.decision] @ unit
        held.append(((along / strength - _signs(lesson.refuse)) ** 2).sum())
        change = torch.where(lesson.swapped, strength * _signs(lesson.target) - along, 0.0)
        shift = torch.zeros_like(hidden).index_put((rows, lesson.decision), change[:, None] * unit)
        return (hidden + shift, *args[1:]), kwargs

    handle = model.model.layers[planted.site].register_forward_pre_hook(at_block, with_kwargs=True)
    try:
        yield
    finally:
        handle.remove()


def _signs(flags: Tensor) -> Tensor:
    return flags.float() * 2 - 1


def _groups(model: Any, decay: float) -> list[dict[str, Any]]:
    """Matrices decay; norms do not."""
    matrices = [p for p in model.parameters() if p.ndim > 1]
    others = [p for p in model.parameters() if p.ndim <= 1]
    return [{"params": matrices, "weight_decay": decay}, {"params": others, "weight_decay": 0.0}]


def pace(step: int, steps: int) -> float:
    """Share of the peak rate at ``step``: a linear rise over a twentieth of the steps, then a cosine to zero."""
    warm = max(1, steps // 20)
    if step < warm:
        return (step + 1) / warm
    return 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, steps - warm)))
