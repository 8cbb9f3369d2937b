"""The replies behind each number of a transfer report: by model, arm and request, and what came of each."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dilemma.review.report_parts.blocks import Block, Heading, Link, Listing, Section, Table, Value
from dilemma.review.report_parts.episodes import LISTED, episode_anchor, in_turn
from dilemma.studies.rows import value
from dilemma.studies.transfer.figures import ArmFigures, TransferReport
from dilemma_kernel.records import Crashed, Judgement, StudyRecord
from refusal_transfer.outcomes import tool_verdict
from refusal_transfer.verdicts import RULES, TOOL_VERDICTS
from trajectories import EpisodeSummary

CHAT = "chat"
DIVERGENT = "refused in chat, unsafe here"
GROUPS = (DIVERGENT, *TOOL_VERDICTS, "refused", "answered", "refusal not known", "crashed")


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """One stored arm."""

    episode_id: str
    model: str
    arm: str
    system: str
    case: str
    repeat: int
    cost: float | None
    said: Mapping[tuple[str, str], Judgement] = field(repr=False)


Place = tuple[str, str, str]
"""Model, arm, request."""


@dataclass(frozen=True, kw_only=True)
class TransferBehind:
    """Where each number leads."""

    places: Sequence[Place]
    lists: Mapping[tuple[Place, str], Sequence[Reply]]

    def link(self, number: str, place: Place, group: str = "") -> Value:
        """``number``, leading to the list, or to the place's lists."""
        there = self.lists.get((place, group)) if group else any(self.lists.get((place, one)) for one in GROUPS)
        return Link(number, self.anchor(place, group)) if there and place in self.places else number

    def anchor(self, place: Place, group: str = "") -> str:
        """The anchor of a list, or of a place."""
        behind = f"-{GROUPS.index(group)}" if group else ""
        return f"arm-{self.places.index(place)}{behind}"


def reply_row(episode: EpisodeSummary, said: Mapping[tuple[str, str], Judgement], record: StudyRecord) -> Reply:
    """What the lists need of one stored arm."""
    levels = {cell.key: cell.levels for cell in record.cells}.get(episode.cell, {})
    return Reply(
        episode_id=episode.episode_id,
        model=episode.agent,
        arm=levels.get("arm", "?"),
        system=levels.get("system", "?"),
        case=episode.case_id,
        repeat=episode.repeat,
        cost=episode.cost,
        said=said,
    )


def transfer_behind(record: StudyRecord, report: TransferReport, replies: Sequence[Reply]) -> TransferBehind:
    """Sort a study's replies."""
    refused = {_key(one) for one in replies if one.arm == CHAT and _refusal(one, report.judge) == "refused"}
    lists: dict[tuple[Place, str], list[Reply]] = {}
    for one in replies:
        place = (one.model, one.arm, record.cases.get(one.case, {}).get("request", "?"))
        for group in _groups(one, report.judge, was_refused=_key(one) in refused):
            lists.setdefault((place, group), []).append(one)
    return TransferBehind(places=[place_of(one) for one in report.arms], lists=lists)


def place_of(one: ArmFigures) -> Place:
    """Where an arm's figures belong."""
    return one.model, one.arm, one.request


def picked_replies(found: TransferBehind, most: int, takes: Callable[[str], bool]) -> list[str]:
    """Ids of the replies that the page holds. Arguments as for ``episodes.picked``."""
    return in_turn([[row.episode_id for row in rows] for rows in found.lists.values()], most, takes)


def replies_section(found: TransferBehind, held: frozenset[str], lead: str) -> Section:
    """Every list."""
    return Section(
        anchor="episodes", title="Which replies are behind the numbers?", lead=lead, blocks=list(_blocks(found, held))
    )


def _blocks(found: TransferBehind, held: frozenset[str]) -> Iterator[Block]:
    for place in found.places:
        listed = [(group, found.lists[place, group]) for group in GROUPS if found.lists.get((place, group))]
        if listed:
            yield Heading(anchor=found.anchor(place), title=" · ".join(place))
        for group, rows in listed:
            title = f"{group.replace('_', ' ')} · {_replies(len(rows))}"
            yield Listing(anchor=found.anchor(place, group), title=title, table=_table(rows, held))


def _replies(number: int) -> str:
    return f"{number:,} {'reply' if number == 1 else 'replies'}"


def _table(rows: Sequence[Reply], held: frozenset[str]) -> Table:
    left_out = len(rows) - LISTED
    return Table(
        columns=("reply", "triple", "system", "refusal, by rules", "calls", "repeat"),
        words=5,
        rows=[_row(row, held) for row in rows[:LISTED]],
        notes=[f"The first {LISTED} of {len(rows):,}, in the study's order."] if left_out > 0 else [],
    )


def _row(row: Reply, held: frozenset[str]) -> list[Value]:
    name = row.episode_id[:12]
    verdict = row.said.get(("tool_verdict", RULES))
    return [
        Link(name, episode_anchor(row.episode_id)) if row.episode_id in held else name,
        row.case,
        row.system,
        _refusal(row, RULES) or "–",
        "–" if verdict is None else tool_verdict(verdict).replace("_", " "),
        str(row.repeat),
    ]


def _groups(one: Reply, judge: str, *, was_refused: bool) -> Iterator[str]:
    verdict = one.said.get(("tool_verdict", RULES))
    if verdict is not None:
        yield tool_verdict(verdict)
        if was_refused and one.arm != CHAT and tool_verdict(verdict) == "unsafe":
            yield DIVERGENT
    yield _refusal(one, judge) or "refusal not known"
    ruled = one.said.get(("refusal", RULES))
    if ruled is not None and isinstance(ruled.outcome, Crashed):
        yield "crashed"


def _refusal(one: Reply, judge: str) -> str | None:
    said = value(one.said.get(("refusal", judge)))
    return str(said) if said in ("refused", "answered") else None


def _key(one: Reply) -> tuple[str, str, int]:
    return one.model, one.case, one.repeat
