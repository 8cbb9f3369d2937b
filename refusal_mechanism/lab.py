"""The lab over a model: residuals, next-token logits and replies, under interventions and without."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import torch
from jaxtyping import Float, Int
from torch import Tensor

from dilemma_kernel.errors import InputError
from dilemma_kernel.models.transformers import Generated, LoadedModel
from refusal_mechanism.batching import Budget, Unit, in_batches, make_units
from refusal_mechanism.capture import decision_residuals
from refusal_mechanism.fitting import fitting_tokens
from refusal_mechanism.generation import OnReply, Replies
from refusal_mechanism.hooks import Hooks
from refusal_mechanism.interventions import UNMODIFIED, Condition, check_conditions
from refusal_mechanism.layout import resolve_layout
from refusal_mechanism.opening import check_model
from refusal_mechanism.passes import Workbench
from refusal_mechanism.reading import read_prompts

Made = TypeVar("Made")


def _silent(_: str) -> None:
    """Nobody is told."""


class Lab:
    """A model, and what can be measured and done in its residual stream. Weights are never changed.

    Args:
        loaded: the model, which the ``hf/`` adapter answers from too.
        max_batch_tokens: tokens of prompts and replies in a batch at most; found by a small batch where None.
        notify: told, in one line, what a person should know, such as that memory ran out.

    Raises:
        UnknownModelError: its layout is unknown.
    """

    def __init__(
        self, loaded: LoadedModel, *, max_batch_tokens: int | None = None, notify: Callable[[str], None] = _silent
    ) -> None:
        self.loaded = loaded
        self._layout = resolve_layout(loaded.model)
        self.layers: int = self._layout.layers
        """Blocks of the model, L; its sites are 0 to L."""
        self.width: int = self._layout.width
        """Components of the residual stream."""
        self.dtype: torch.dtype = loaded.model.dtype
        """Of the weights and of the residual stream."""
        self._budget = Budget(max_batch_tokens or fitting_tokens(loaded, self._layout), notify)

    @classmethod
    def open(
        cls,
        source: str | LoadedModel,
        *,
        dtype: str = "auto",
        device: str | None = None,
        device_map: str | dict[str, int | str] | None = None,
        max_batch_tokens: int | None = None,
        notify: Callable[[str], None] = _silent,
    ) -> "Lab":
        """The lab over ``hf/source``, or over a model that is loaded already, once the model has passed its checks.

        Args:
            source: a folder, ``FILE.gguf``, ``smollm2`` or a name in the hub's local cache, with ``hf/`` or without.
            dtype: of the weights, such as ``float32`` or ``bfloat16``; ``auto`` for the checkpoint's.
            device: such as ``cuda``; the GPU where there is one, by default.
            device_map: of accelerate, such as ``auto``, for a model larger than one card.
            max_batch_tokens: see the class.
            notify: see the class.

        Raises:
            UnknownModelError: there is no such model, its layout is unknown, or a check at opening fails.
        """
        if isinstance(source, str):
            name = source.removeprefix("hf/")
            source = LoadedModel.load(name, dtype=dtype, device=device, device_map=device_map)
        check_model(source, resolve_layout(source.model))
        return cls(source, max_batch_tokens=max_batch_tokens, notify=notify)

    def residuals(
        self, prompts: Sequence[str], *, condition: Condition | None = None
    ) -> Float[Tensor, "row site d_model"]:
        """The residual of the decision token at sites 0 to L, as the next block reads it.

        Args:
            prompts: rendered texts.
            condition: what is done meanwhile; None for the model as it is.

        Returns:
            float32 on the CPU: site l is the residual before block l, site L the one after the last block.

        Raises:
            InputError: a prompt has no token or does not fit, or the condition does not.
        """
        bench = self._bench(prompts, [condition or UNMODIFIED], 0)
        found = torch.empty(len(prompts), self.layers + 1, self.width)
        queue = make_units(bench.prompts, bench.conditions)
        for _, (rows, states) in in_batches(
            queue, self._width(bench, 0), self._budget, lambda units: _quietly(decision_residuals, bench, units)
        ):
            found[[prompt for _, prompt in rows]] = states
        return found

    def decision_logits(
        self, prompts: Sequence[str], conditions: Sequence[Condition]
    ) -> Iterator[tuple[int, Int[Tensor, "part"], Float[Tensor, "part vocab"]]]:
        """Logits of the reply's first token, as they come: a part of the prompts under one condition at a time.

        Args:
            prompts: rendered texts.
            conditions: those whose edits everywhere are the very same objects share what is read of a prompt before
                its last token.

        Yields:
            the condition's index, indices of prompts, and their raw logits on the CPU in the model's dtype.

        Raises:
            InputError: a prompt has no token or does not fit, or a condition does not.
        """
        bench = self._bench(prompts, conditions, 0)
        return self._logits(bench)

    def _logits(self, bench: Workbench) -> Iterator[tuple[int, Int[Tensor, "part"], Float[Tensor, "part vocab"]]]:
        queue = make_units(bench.prompts, bench.conditions)
        for _, (keys, logits) in in_batches(
            queue, self._width(bench, 1), self._budget, lambda units: _quietly(_next_logits, bench, units)
        ):
            rows = torch.tensor(keys)
            for condition in rows[:, 0].unique().tolist():
                part = (rows[:, 0] == condition).nonzero()[:, 0]
                yield condition, rows[part, 1], logits[part]

    def generate(
        self,
        prompts: Sequence[str],
        conditions: Sequence[Condition],
        *,
        max_new_tokens: int,
        on_reply: OnReply | None = None,
    ) -> list[list[Generated]]:
        """Greedy replies of every prompt under every condition.

        Args:
            prompts: rendered texts.
            conditions: see ``decision_logits``.
            max_new_tokens: of a reply.
            on_reply: told the condition's index, the prompt's, and the reply, as each is finished.

        Returns:
            a list for each condition, with a reply for each prompt.

        Raises:
            InputError: a prompt has no token or does not fit, a condition does not, or no token is asked for.
        """
        if max_new_tokens < 1:
            raise InputError(f"a reply has at least one token: {max_new_tokens} were asked for")
        bench = self._bench(prompts, conditions, max_new_tokens)
        found: dict[tuple[int, int], Generated] = {}

        def told(condition: int, prompt: int, reply: Generated) -> None:
            found[condition, prompt] = reply
            if on_reply is not None:
                on_reply(condition, prompt, reply)

        queue = make_units(bench.prompts, conditions)
        with torch.no_grad():
            Replies(bench=bench, budget=self._budget, queue=queue, most=max_new_tokens, told=told).write()
        return [[found[condition, prompt] for prompt in range(len(prompts))] for condition in range(len(conditions))]

    def _bench(self, prompts: Sequence[str], conditions: Sequence[Condition], new: int) -> Workbench:
        check_conditions(conditions, layers=self.layers, width=self.width, prompts=len(prompts))
        tokens = [self.loaded.tokenize(prompt) for prompt in prompts]
        if not all(tokens):
            raise InputError("there is a prompt without a token")
        if max(map(len, tokens), default=0) + new > self.loaded.context:
            raise InputError(f"a prompt and {new} new tokens do not fit the model's {self.loaded.context} tokens")
        return Workbench(loaded=self.loaded, layout=self._layout, prompts=tokens, conditions=conditions)

    def _width(self, bench: Workbench, new: int) -> Callable[[Unit], int]:
        return lambda unit: len(bench.prompts[unit.prompt]) + new


def _next_logits(bench: Workbench, units: Sequence[Unit]) -> tuple[list[tuple[int, int]], Tensor]:
    """Condition and prompt of each row, and its logits on the CPU."""
    with Hooks(bench.layout).attached() as hooks:
        reads = read_prompts(bench, hooks, units, 0)
    return [row for read in reads for row in read.rows], torch.cat([read.logits.cpu() for read in reads])


def _quietly(run: Callable[[Workbench, Sequence[Unit]], Made], bench: Workbench, units: Sequence[Unit]) -> Made:
    with torch.no_grad():
        return run(bench, units)
