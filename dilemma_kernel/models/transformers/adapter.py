"""``hf/…`` as a ``ChatModel``: requests that wait at the same time are answered as one batch.

Tools go through the model's own chat template, and calls are read by its family's parser; a model whose template has
no place for tools says so in its capabilities. Which requests share a batch can move a reply by rounding, so replies
reproduce through the call log.
"""

import asyncio
import secrets
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version

import torch

from dilemma_kernel.errors import ContextOverflow, ModelRejected
from dilemma_kernel.models.config import ModelEntry
from dilemma_kernel.models.hygiene import kept
from dilemma_kernel.models.prices import FREE, Prices
from dilemma_kernel.models.toolcalls import ParsedReply
from dilemma_kernel.models.transformers.batches import Generated, Row
from dilemma_kernel.models.transformers.gathering import Gatherer
from dilemma_kernel.models.transformers.loaded import LoadedModel
from dilemma_kernel.models.transformers.places import find_place, known_dtype
from dilemma_kernel.models.transformers.rendering import load_renderer
from dilemma_kernel.models.transformers.replies import read_reply
from dilemma_kernel.models.wire import omitted
from dilemma_kernel.records import MAX_REPLY_CHARS, Capabilities, ChatReply, ChatRequest, Finish, Timing, Usage

BATCH = 8
"""Requests answered together at most, where the settings say nothing else."""


@dataclass(frozen=True)
class _Answer:
    generated: Generated
    seconds: float


class Transformers:
    """A Hugging Face model in process.

    Args:
        name: the name it was asked for by.
        rest: what follows ``hf/``.
        entry: overrides; ``extra`` may hold ``batch``, ``dtype`` and ``device``.
        loaded: the model, where it is in memory already.
        generate: answers greedy rows in place of the model's own ``generate``; a laboratory's batches are larger.

    Raises:
        InputError: there is no such dtype.
        MissingExtraError: torch or transformers is not installed.
        UnknownModelError: there is no such model, or it has no chat template.
    """

    def __init__(
        self,
        name: str,
        rest: str,
        entry: ModelEntry,
        *,
        loaded: LoadedModel | None = None,
        generate: Callable[[Sequence[Row]], Sequence[Generated]] | None = None,
    ) -> None:
        self._place = find_place(rest)
        self._source = rest
        self._renderer = loaded.renderer if loaded else load_renderer(self._place)
        self._dtype = known_dtype(str(entry.extra.get("dtype", "auto")))
        self._device: str | None = entry.extra.get("device")
        self.name = name
        self.identity = f"hf/{self._place.gguf or rest}:{self._place.fingerprint}:{self._dtype}"
        found = Capabilities(tools=self._renderer.takes_tools, schema="prompted")
        self.capabilities = entry.capabilities.over(found)
        self.prices: Prices | None = FREE
        most = int(entry.extra.get("batch", BATCH))
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="transformers")
        self._gatherer: Gatherer[Row, _Answer | ContextOverflow] = Gatherer(self._answers, self._thread, most)
        self._loaded: LoadedModel | None = loaded
        self._generate = generate

    async def complete(self, request: ChatRequest) -> ChatReply:
        left_out = omitted(request, self.capabilities)
        tools = () if "tools" in left_out or request.tool_choice == "none" else request.tools
        prompt = self._renderer.render(request.messages, tools)
        seed = secrets.randbits(31) if request.seed is None else request.seed
        answer = await self._gatherer.ask(Row(prompt=prompt, sampling=request.sampling, seed=seed))
        if isinstance(answer, ContextOverflow):
            raise answer
        return self._reply(answer, [tool.name for tool in tools], left_out)

    async def aclose(self) -> None:
        await asyncio.to_thread(self._thread.shutdown)
        self._loaded = None

    def _answers(self, rows: Sequence[Row]) -> list[_Answer | ContextOverflow]:
        """What each row gives; rows that do not fit the model are told so and left out. Runs on the model's thread."""
        model = self._loaded = self._loaded or LoadedModel.load(
            self._source, dtype=self._dtype, device=self._device, renderer=self._renderer
        )
        fit = [model.count_tokens(row.prompt) + row.sampling.max_tokens <= model.context for row in rows]
        started = time.perf_counter()
        generated = iter(self._generated(model, [row for row, fits in zip(rows, fit, strict=True) if fits]))
        seconds = time.perf_counter() - started
        too_long = f"{self.name}: prompt and reply do not fit its {model.context} tokens"
        return [_Answer(next(generated), seconds) if fits else ContextOverflow(too_long) for fits in fit]

    def _generated(self, model: LoadedModel, rows: Sequence[Row]) -> Sequence[Generated]:
        greedy = all(row.sampling.temperature == 0 and not row.sampling.stop for row in rows)
        generate = self._generate if self._generate and greedy else model.generate
        try:
            return generate(rows) if rows else ()
        except (RuntimeError, ValueError, IndexError) as error:
            raise ModelRejected(f"{self.name}: {' '.join(str(error).split())[:300]}") from error

    def _reply(self, answer: _Answer, tools: list[str], left_out: tuple[str, ...]) -> ChatReply:
        made, raw = answer.generated, answer.generated.text
        said = self._parsed(raw[:MAX_REPLY_CHARS], tools)
        ended: Finish = "tool_calls" if said.calls else "stop"
        return ChatReply(
            text=kept(said.text),
            calls=said.calls,
            finish="length" if made.finish == "length" else ended,
            usage=Usage(prompt_tokens=made.prompt_tokens, completion_tokens=len(made.tokens)),
            cost=0.0,
            model=self._source,
            fingerprint=f"transformers {version('transformers')}, torch {torch.__version__}",
            omitted=left_out,
            truncated=len(raw) > MAX_REPLY_CHARS,
            timing=Timing(latency_s=answer.seconds),
        )

    def _parsed(self, raw: str, tools: list[str]) -> ParsedReply:
        assert self._loaded is not None, "a reply before the model was loaded"
        return read_reply(self._loaded, raw, tools)
