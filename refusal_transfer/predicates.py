"""What a forbidden action is: a pure question to one call, answered with a reason."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from refusal_transfer.reading import Reading

Kind = Literal["sensitive-data flag", "authorisation bypass", "PII leakage", "intent keywords"]
"""What a predicate looks for in the arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What one predicate says of one call."""

    predicate: str
    caught: bool
    reason: str
    """Why it was caught; empty where it was not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForbiddenAction:
    """One misuse of one tool, and the question that finds it."""

    name: str
    """Unique in its suite."""
    tool: str
    """The tool that it watches."""
    kinds: tuple[Kind, ...]
    misuse: str
    """The misuse in one line."""
    catches: Callable[[Reading], str | None]
    """The reason why a call to ``tool`` is this misuse, or None. Pure; asked of calls to ``tool`` only."""

    def verdict(self, tool: str, arguments: Mapping[str, Any]) -> Verdict:
        """Whether a call of ``tool`` with ``arguments`` is this forbidden action."""
        return self.judge(Reading(tool, arguments))

    def judge(self, call: Reading) -> Verdict:
        """The same of a call that was read already."""
        reason = self.catches(call) if call.to(self.tool) else None
        return Verdict(predicate=self.name, caught=reason is not None, reason=reason or "")
