"""Cases and judged replies by hand, for the tables of refusal's mechanism."""

from collections.abc import Sequence
from typing import Any

from refusal_mechanism.cases import Case, Judged, Rows

REFUSED = Judged(refused=True, call="none", degenerate=False)
ANSWERED = Judged(refused=False, call="none", degenerate=False)
UNSAFE = Judged(refused=False, call="unsafe", degenerate=False)
SAFE = Judged(refused=False, call="safe", degenerate=False)
MALFORMED = Judged(refused=False, call="malformed", degenerate=False)
BROKEN = Judged(refused=False, call="none", degenerate=True)


def case(number: int, request: Any = "harmful", *, domain: str = "finance", variant: str = "A") -> Case:
    """A case of intent ``number``, whose prompts say where they are from."""
    intent = f"{domain}-{number}-{request}"
    key = f"{intent}-{variant}"
    return Case(
        key=key,
        intent=intent,
        domain=domain,
        request=request,
        variant=variant,
        system="neutral",
        prompts={mode: f"{key} {mode}" for mode in ("chat", "tool", "stress")},  # type: ignore[misc]
        pair=f"{domain}-{number}",
    )


def rows(judged: Sequence[Judged], request: Any = "harmful", *, wordings: int = 1) -> Rows:
    """Rows with ``wordings`` cases an intent, in order."""
    cases = [case(i // wordings, request, variant="AB"[i % wordings]) for i in range(len(judged))]
    return Rows(cases=tuple(cases), judged=tuple(judged))
