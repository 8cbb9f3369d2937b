"""What a page's address asks for: filters, an order, a page, a queue; and back into an address."""

from collections.abc import Mapping
from typing import Any, Literal, get_args
from urllib.parse import urlencode

from dilemma.review.sessions import Session
from dilemma_kernel.records import Record
from trajectories.wanted import Differ, Sort, Trouble, Wanted

PAGE = 50
"""Episodes on a page."""

Queue = Literal["differ", "sheet"]
_MOST_CHARS = 400
_BLIND_SORTS = ("order", "turns", "faults", "cost", "newest")
"""Orders that tell nothing of a label."""


class Asked(Record):
    """What a person asks to see. Empty texts ask for nothing."""

    study: str = ""
    label: str = ""
    cell: str = ""
    agent: str = ""
    scenario: str = ""
    trouble: str = ""
    differ: str = ""
    mine: str = ""
    """``yes`` for episodes that this person labelled, ``no`` for the others."""
    text: str = ""
    forks: str = ""
    sort: str = "order"
    down: str = ""
    """Anything for a descending order."""
    page: int = 1
    queue: str = ""
    """``differ``: the most contested first; ``sheet``: the drawn sheet's rows in turn."""

    def address(self, path: str, **changes: Any) -> str:
        """``path`` with this question; what is as it begins is left out."""
        asked = self.model_copy(update=changes)
        told = {name: value for name, value in asked.model_dump().items() if value != _PLAIN[name]}
        return f"{path}?{urlencode(told, errors='replace')}" if told else path

    def wanted(self, session: Session, among: tuple[str, ...] | None = None) -> Wanted:
        """The same for the store; who is blind neither filters nor sorts by what others said.

        Args:
            session: who asks.
            among: episodes with the words of ``text``; None where none were asked for.
        """
        person = session.person
        machine = {} if session.blind else {"label": self.label or None, "differ": _one_of(self.differ, Differ)}
        sort = _one_of(self.sort, Sort) or "order"
        if session.blind and sort not in _BLIND_SORTS:
            sort = "order"
        return Wanted.model_validate(
            {
                "study": self.study,
                "cell": self.cell or None,
                "agent": self.agent or None,
                "scenario": self.scenario or None,
                "trouble": _one_of(self.trouble, Trouble),
                "labelled_by": person if self.mine == "yes" and person else None,
                "unlabelled_by": person if self.mine == "no" and person else None,
                "forks": bool(self.forks),
                "among": among,
                "sort": sort,
                "descending": bool(self.down),
                **machine,
            }
        )

    def queued(self, session: Session) -> Wanted:
        """The episodes of the queue by disagreement that this person has not labelled, the most contested first."""
        plain = self.model_copy(update={"label": "", "differ": "", "mine": ""}).wanted(session)
        return plain.model_copy(update={"sort": "differ", "descending": True, "unlabelled_by": session.person or None})


_PLAIN = Asked().model_dump()


def asked_from(query: Mapping[str, str]) -> Asked:
    """What an address asks for; what it does not know is left aside."""
    given: dict[str, Any] = {name: query[name][:_MOST_CHARS] for name in Asked.model_fields if name in query}
    page = given.pop("page", "1")
    given["page"] = min(max(1, int(page)), 1_000_000) if page.isascii() and page.isdigit() and len(page) < 8 else 1
    return Asked.model_validate(given)


def _one_of(text: str, choices: Any) -> Any:
    return text if text in get_args(choices) else None
