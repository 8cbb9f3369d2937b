"""What a call costs, in US dollars."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from dilemma_kernel.records import ChatRequest, Usage

CHARS_PER_TOKEN = 3
"""Fewer than most tokenizers manage in English, so that an estimate is rather too high than too low."""
TOKENS_PER_MESSAGE = 8


@dataclass(frozen=True)
class Prices:
    """US dollars for one token."""

    input: float
    output: float

    def of(self, usage: Usage | None) -> float | None:
        """The cost of a reply; None where nothing was counted, unless nothing costs anything."""
        if usage is None:
            return None if self.input or self.output else 0.0
        return usage.prompt_tokens * self.input + usage.completion_tokens * self.output

    def most(self, request: ChatRequest) -> float:
        """An estimate, rather too high, of what the reply to ``request`` can cost at most."""
        if not self.input and not self.output:
            return 0.0
        chars = sum(len(m.content) + sum(len(call.raw) for call in m.calls) for m in request.messages)
        chars += sum(len(str(tool)) for tool in request.tools) + len(str(request.reply_schema or ""))
        prompt = chars / CHARS_PER_TOKEN + TOKENS_PER_MESSAGE * len(request.messages)
        return prompt * self.input + request.sampling.max_tokens * self.output


FREE = Prices(0.0, 0.0)


@runtime_checkable
class Priced(Protocol):
    """A model that knows its prices."""

    @property
    def prices(self) -> Prices | None:
        """None where no price is known."""
        ...


def prices_of(model: object) -> Prices | None:
    """The prices of any model; None where it knows none."""
    return model.prices if isinstance(model, Priced) else None
