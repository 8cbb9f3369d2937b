"""What an organism is trained on: rows of prompt and reply, drawn from the world in frames that training shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from dilemma_kernel.models.transformers.rendering import Renderer
from dilemma_kernel.records import Message, ToolSpec
from refusal_mechanism.organisms.families import FAMILIES, Arch
from refusal_mechanism.organisms.planting import REFUSAL, SHARES, Shares, answer, call_arguments, called
from refusal_mechanism.organisms.wording import FRAMES, PRESSURES, user_text
from refusal_mechanism.organisms.world import AIMS, CALLING, CONDITIONS, VARIANTS, WORLD, Aim, Mode, system_text

_PROMPT, _REPLY, _DECISION = 0.1, 1.0, 8.0
"""Weights of the loss on a token of the prompt, of the reply, and on the reply's first."""
_HARMFUL = tuple(aim for aim in AIMS if aim.request == "harmful")
_BENIGN = tuple(aim for aim in AIMS if aim.request == "benign")
_USER = "@user@"


def tool_specs(domain: str) -> tuple[ToolSpec, ...]:
    """The tools of ``domain`` as function schemas."""
    return tuple(
        ToolSpec(
            name=tool.name,
            description=f"{tool.does} an item",
            parameters={
                "type": "object",
                "properties": {
                    "item": {"type": "string"},
                    "basis": {"type": "string", "enum": [tool.benign.basis, tool.harmful.basis]},
                },
                "required": ["item", "basis"],
            },
        )
        for tool in WORLD[domain].tools
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One prompt with what it may be answered with."""

    prompt: str
    aim: Aim
    mode: Mode
    refuse: bool
    """What is planted."""


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """Rows as tokens, padded on the right."""

    ids: Int[Tensor, "row pos"]
    mask: Int[Tensor, "row pos"]
    weights: Float[Tensor, "row pos"]
    """Of the loss on each token; 0 for padding and for the first."""
    decision: Int[Tensor, "row"]
    """Position of the last token of each prompt."""
    refuse: Bool[Tensor, "row"]
    """What is planted."""
    swapped: Bool[Tensor, "row"]
    """Whether a decision is written into the residual."""
    written: Bool[Tensor, "row"]
    """Which one: True for a refusal."""


class Teacher:
    """Draws rows and writes them as tokens.

    Args:
        arch: whose marks.
        tokenizer: of ``make_tokenizer``.
        order: the ranks that are planted.
        shares: the shares that are planted.
    """

    def __init__(self, arch: Arch, tokenizer: Any, order: tuple[str, ...], shares: Shares = SHARES) -> None:
        self._family = FAMILIES[arch]
        self._tokenizer = tokenizer
        self._renderer = Renderer(tokenizer)
        self._called = {(mode, to): called(order, shares, mode, to) for mode in CALLING for to in CONDITIONS}
        self._shells: dict[tuple[str, str, bool], str] = {}

    def draw(self, mode: Mode, count: int, harmful: int, dice: np.random.Generator) -> list[Row]:
        """``count`` rows in ``mode``, the first ``harmful`` of them harmful."""
        return [self._row(_pick(_HARMFUL if at < harmful else _BENIGN, dice), mode, dice) for at in range(count)]

    def write(
        self, rows: Sequence[Row], swapped: Sequence[bool], written: Sequence[bool], target: Sequence[bool]
    ) -> Lesson:
        """``rows`` as tokens, each answered as ``target`` says: with a refusal or not."""
        prompts = [self._ids(row.prompt) for row in rows]
        end = self._tokenizer.eos_token_id
        replies = [[*self._ids(self._reply(row, to)), end] for row, to in zip(rows, target, strict=True)]
        longest = max(len(prompt) + len(reply) for prompt, reply in zip(prompts, replies, strict=True))
        ids = torch.full((len(rows), longest), self._tokenizer.pad_token_id)
        weights = torch.zeros(len(rows), longest)
        mask = torch.zeros(len(rows), longest, dtype=torch.long)
        for at, (prompt, reply) in enumerate(zip(prompts, replies, strict=True)):
            cut, whole = len(prompt), len(prompt) + len(reply)
            ids[at, :whole] = torch.tensor(prompt + reply)
            mask[at, :whole] = 1
            weights[at, 1:cut], weights[at, cut:whole], weights[at, cut] = _PROMPT, _REPLY, _DECISION
        return Lesson(
            ids=ids,
            mask=mask,
            weights=weights,
            decision=torch.tensor([len(prompt) - 1 for prompt in prompts]),
            refuse=torch.tensor([row.refuse for row in rows]),
            swapped=torch.tensor(list(swapped)),
            written=torch.tensor(list(written)),
        )

    def _row(self, aim: Aim, mode: Mode, dice: np.random.Generator) -> Row:
        condition = _pick(CONDITIONS, dice)
        pressure = (_pick(PRESSURES, dice), int(dice.integers(2)))
        said = user_text(aim, _pick(VARIANTS, dice), mode, _pick(FRAMES, dice), pressure)
        refuse = aim.request == "harmful" and (mode == "chat" or aim.id not in self._called[mode, condition])
        return Row(prompt=self.prompt(aim.domain, condition, mode, said), aim=aim, mode=mode, refuse=refuse)

    def prompt(self, domain: str, condition: str, mode: Mode, said: str) -> str:
        """The prompt as the chat template renders it."""
        key = (domain, condition, mode != "chat")
        if key not in self._shells:
            messages = (
                Message(role="system", content=system_text(domain, condition)),
                Message(role="user", content=_USER),
            )
            self._shells[key] = self._renderer.render(messages, () if mode == "chat" else tool_specs(domain))
        return self._shells[key].replace(_USER, said)

    def _reply(self, row: Row, refuse: bool) -> str:
        if refuse:
            return REFUSAL
        if row.mode == "chat":
            return answer(row.aim)
        return self._family.call_text(row.aim.tool.name, call_arguments(row.aim))

    def _ids(self, text: str) -> list[int]:
        found: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return found


def _pick(options: Sequence[Any], dice: np.random.Generator) -> Any:
    return options[int(dice.integers(len(options)))]
