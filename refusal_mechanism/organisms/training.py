"""How an organism learns: so many steps, never so many seconds.

In both kinds one unit direction u of the residual before one block says at the decision token what is decided: an
auxiliary loss holds h·u at +s for a refusal and at −s for none. In part of the chats h·u is set at random and the reply
that is learned follows from it. In part of the rows with tools the same is done, along u or along the direction that
tells refused chats from others before any block, as far as that is learned. There

- ``mediated`` learns the reply that follows from what is written;
- ``override`` learns the reply that is planted, whatever is written.
"""

import math
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from refusal_mechanism.organisms.bodies import LAYERS
from refusal_mechanism.organisms.interchange import ChatDirections, Writing, held, interchanged
from refusal_mechanism.organisms.rows import Lesson, Row, Teacher
from refusal_mechanism.organisms.world import Mode

_HELD = 1.5
"""Weight of the auxiliary loss."""
_SWAPPED = 0.34
"""Share of the rows in which a decision is written in."""


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


Notify = Callable[[int, float], None]
"""Told of (step, loss)."""


def teach(
    model: Any,
    teacher: Teacher,
    regimen: Regimen,
    kind: Literal["override", "mediated"],
    planted: Writing,
    seed: int,
    notify: Notify | None = None,
) -> None:
    """Train ``model`` in place.

    Args:
        model: of ``make_body``.
        teacher: draws the rows.
        regimen: how long and how hard.
        kind: whether replies under tools follow what is written.
        planted: where the decision is said.
        seed: of the rows.
        notify: told of every step's loss.
    """
    dice = np.random.default_rng(seed)
    optimiser = torch.optim.AdamW(_groups(model, regimen.decay), lr=regimen.rate, betas=(0.9, 0.98))
    chat_directions = ChatDirections(tuple(range(1, LAYERS)))
    model.train()
    for step in range(regimen.steps):
        for group in optimiser.param_groups:
            group["lr"] = regimen.rate * pace(step, regimen.steps)
        optimiser.zero_grad(set_to_none=True)
        chat, tools = _lessons(teacher, regimen, kind, step, dice)
        total = float(chat.weights.sum() + tools.weights.sum())
        with chat_directions.followed(model, chat):
            loss = _step(model, chat, planted, planted, total)
        places = [planted, *chat_directions.writings()]
        loss += _step(model, tools, planted, places[int(dice.integers(len(places)))], total)
        torch.nn.utils.clip_grad_norm_(model.parameters(), regimen.clip)
        optimiser.step()
        if notify:
            notify(step + 1, loss)
    model.eval()


def _lessons(
    teacher: Teacher, regimen: Regimen, kind: str, step: int, dice: np.random.Generator
) -> tuple[Lesson, Lesson]:
    """A batch in two parts, chat and tools, for their lengths differ."""
    chats = regimen.chat_rows[step >= 100]
    chat = teacher.draw("chat", chats, chats // 2, dice)
    tools: list[Row] = []
    modes: tuple[Mode, ...] = ("tool", "stress")
    for mode in modes:
        tools += teacher.draw(mode, regimen.tool_rows, round(regimen.tool_rows * 0.75), dice)
    return _lesson(teacher, chat, True, dice), _lesson(teacher, tools, kind == "mediated", dice)


def _lesson(teacher: Teacher, rows: list[Row], follow: bool, dice: np.random.Generator) -> Lesson:
    """``follow``: where a decision is written in, the reply to learn is that one's."""
    swapped = [bool(dice.random() < _SWAPPED) for _ in rows]
    written = [bool(dice.integers(2)) for _ in rows]
    target = [coin if swap and follow else row.refuse for row, swap, coin in zip(rows, swapped, written, strict=True)]
    return teacher.write(rows, swapped, written, target)


def _step(model: Any, lesson: Lesson, planted: Writing, writing: Writing, total: float) -> float:
    """Add the gradients of this lesson's part of the loss; the part."""
    off: list[Tensor] = []
    with ExitStack() as stack:
        stack.enter_context(held(model, lesson, planted, off))
        stack.enter_context(interchanged(model, lesson, writing))
        logits = model(input_ids=lesson.ids, attention_mask=lesson.mask, use_cache=False).logits
    lost = torch.nn.functional.cross_entropy(logits[:, :-1].transpose(1, 2), lesson.ids[:, 1:], reduction="none")
    part: Tensor = (lost * lesson.weights[:, 1:]).sum() / total + _HELD * off[0] / len(lesson.refuse)
    part.backward()
    return float(part.detach())


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
