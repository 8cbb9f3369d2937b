"""An episode as a page shows it: turns with moves, state changes, faults, and who cites what. No markup."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dilemma.review.labelling import FLAGS, maker_of
from dilemma.studies.agreement import PERSON
from dilemma_kernel.errors import InputError
from dilemma_kernel.records import (
    Action,
    Ask,
    ChatReply,
    Crashed,
    Judgement,
    Measured,
    Scalar,
    Scenario,
    Trajectory,
    Turn,
    Unmeasured,
)
from scenario_factory.drawing import Step


@dataclass(frozen=True, kw_only=True)
class Change:
    """A state variable before and after."""

    name: str
    before: str
    after: str
    is_new: bool


@dataclass(frozen=True, kw_only=True)
class MoveShown:
    """A move."""

    name: str
    track: str
    """``aligned``, ``misaligned``; empty where the scenario does not know the action."""
    kind: str
    parameters: Sequence[tuple[str, str]]
    reasoning: str
    rung: str


@dataclass(frozen=True, kw_only=True)
class TurnShown:
    """A turn."""

    index: int
    problems: Sequence[tuple[str, str]]
    """What was wrong with a reply, and the reply in words."""
    move: MoveShown | None
    replies: Sequence[str]
    """Replies in words where there is no move: of a benchmark's arm, and of a turn that broke off."""
    observation: str | None
    executed: bool
    changes: Sequence[Change]
    faults: Sequence[tuple[str, str, str]]
    """Kind, detail, how it was mended."""
    cited: Sequence[str]
    """Who cites it, and for what."""


@dataclass(frozen=True, kw_only=True)
class SaidShown:
    """A judgement."""

    vocabulary: str
    text: str
    maker: str
    version: str
    cites: Sequence[int]
    note: str
    kind: str
    """``measured``, ``unmeasured`` or ``crashed``."""
    is_person: bool


@dataclass(frozen=True, kw_only=True)
class Transcript:
    """An episode."""

    trajectory: Trajectory
    scenario: Scenario | None
    turns: Sequence[TurnShown]
    said: Sequence[SaidShown]
    actions: Sequence[Action] = field(default=())
    """Those that the agent saw, in its order."""
    probe: tuple[str, str] | None = None
    """Question and answer."""


def transcript(
    trajectory: Trajectory, scenario: Scenario | None, judgements: Sequence[Judgement], *, only: str | None = None
) -> Transcript:
    """What a page shows of an episode.

    Args:
        trajectory: the episode.
        scenario: None for a benchmark's arm.
        judgements: everything that is said of it.
        only: a person who is blind: nothing that anyone else said is in the result, nor any track.
    """
    kept = [j for j in judgements if only is None or j.maker == maker_of(only)]
    known = {action.key: action for action in scenario.core.actions} if scenario else {}
    cited = _cited(kept)
    return Transcript(
        trajectory=trajectory,
        scenario=scenario,
        turns=list(_turns(trajectory, known, cited, is_blind=only is not None)),
        said=[_said(judgement) for judgement in sorted(kept, key=_rank) if not _is_unset(judgement)],
        actions=[known[key] for key in trajectory.order if key in known],
        probe=_probe(trajectory, scenario),
    )


def steps(trajectory: Trajectory) -> list[Step]:
    """The executed moves, as steps over the action graph."""
    state = dict(trajectory.initial_state)
    found = []
    for turn in trajectory.turns:
        before = dict(state)
        if turn.response is not None:
            state.update(turn.response.patch)
        if turn.move is not None and turn.response is not None and turn.response.executed:
            found.append(Step(turn=turn.index, action=turn.move.action, before=before, after=dict(state)))
    return found


def whole_text(trajectory: Trajectory, part: str, turn: int) -> str:
    """One text of an episode in full.

    Args:
        part: ``opening``, ``observation``, ``reasoning``, ``reply-N``, ``thoughts-N`` or ``world-N``, where N counts
            from 0.
        turn: index of the turn.

    Raises:
        InputError: there is no such text.
    """
    if part == "opening":
        return trajectory.opening
    found = next((one for one in trajectory.turns if one.index == turn), None)
    name, _, number = part.partition("-")
    if found is not None:
        if name == "observation" and found.response is not None:
            return found.response.observation
        if name == "reasoning" and found.move is not None:
            return found.move.reasoning
        place = int(number) if number.isascii() and number.isdigit() and len(number) < 4 else -1
        replies = replies_of(found, name)
        if 0 <= place < len(replies):
            return replies[place].reasoning or "" if name == "thoughts" else in_words(replies[place])
    raise InputError("this episode has no such text")


def replies_of(turn: Turn, name: str) -> Sequence[ChatReply]:
    """The raw replies of a turn: the world's for ``world``, the agent's for ``reply`` and ``thoughts``."""
    if name == "world":
        return turn.response.replies if turn.response else ()
    return [ask.reply for ask in turn.asks] if name in {"reply", "thoughts"} else ()


def in_words(reply: ChatReply) -> str:
    """A reply as text: the refusal, the words, the calls as they came."""
    calls = (f"{call.name or '?'} {call.raw}" + _bad(call.malformed) for call in reply.calls)
    return "\n".join(text for text in (reply.refusal, reply.text, *calls) if text)


def _bad(problem: str | None) -> str:
    return f"\n(malformed: {problem})" if problem else ""


def _turns(
    trajectory: Trajectory, known: Mapping[str, Action], cited: Mapping[int, Sequence[str]], *, is_blind: bool
) -> Iterator[TurnShown]:
    state: dict[str, Scalar] = dict(trajectory.initial_state)
    for turn in trajectory.turns:
        response = turn.response
        changes = [_change(state, name, value) for name, value in response.patch.items()] if response else []
        yield TurnShown(
            index=turn.index,
            problems=[(ask.problem, in_words(ask.reply)) for ask in turn.asks if ask.problem is not None],
            move=_move(turn, known, is_blind=is_blind),
            replies=[in_words(ask.reply) for ask in turn.asks if ask.problem is None] if turn.move is None else (),
            observation=response.observation if response else None,
            executed=response.executed if response else False,
            changes=changes,
            faults=[(f.kind, f.detail, f.mended) for f in response.faults] if response else (),
            cited=cited.get(turn.index, ()),
        )
        if response:
            state.update(response.patch)


def _change(state: Mapping[str, Scalar], name: str, value: Scalar) -> Change:
    return Change(name=name, before=_json(state.get(name)), after=_json(value), is_new=name not in state)


def _move(turn: Turn, known: Mapping[str, Action], *, is_blind: bool) -> MoveShown | None:
    if turn.move is None:
        return None
    action = known.get(turn.move.action)
    parameters = [
        (name, value if isinstance(value, str) else _json(value)) for name, value in turn.move.parameters.items()
    ]
    return MoveShown(
        name=action.name if action else turn.move.action,
        track=action.track if action and not is_blind else "",
        kind="" if action is None or is_blind else f"{'terminal' if action.terminal else 'helper'}, {action.role}",
        parameters=parameters,
        reasoning=turn.move.reasoning,
        rung=turn.move.rung,
    )


def _probe(trajectory: Trajectory, scenario: Scenario | None) -> tuple[str, str] | None:
    probe: Ask | None = trajectory.probe
    if probe is None or scenario is None:
        return None
    return scenario.probe.question, in_words(probe.reply)


def _cited(judgements: Sequence[Judgement]) -> dict[int, list[str]]:
    found: dict[int, dict[str, list[str]]] = {}
    for judgement in judgements:
        for turn in judgement.cites:
            vocabulary = judgement.vocabulary.replace("_", " ")
            found.setdefault(turn, {}).setdefault(judgement.maker, []).append(vocabulary)
    return {
        turn: [f"{maker}: {', '.join(dict.fromkeys(said))}" for maker, said in makers.items()]
        for turn, makers in found.items()
    }


def _is_unset(judgement: Judgement) -> bool:
    """Whether it is a mark that its giver did not set."""
    return judgement.vocabulary in FLAGS and judgement.outcome == Measured(value=False)


def _said(judgement: Judgement) -> SaidShown:
    match judgement.outcome:
        case Measured(value=value):
            text = value if isinstance(value, str) else _json(value)
        case Unmeasured(why=why):
            text = why
        case Crashed(error=error):
            text = error
    return SaidShown(
        vocabulary=judgement.vocabulary,
        text=text,
        maker=judgement.maker,
        version=judgement.version,
        cites=judgement.cites,
        note=judgement.note,
        kind=judgement.outcome.kind,
        is_person=judgement.maker.startswith(PERSON),
    )


def _rank(judgement: Judgement) -> tuple[int, int, str, str, str]:
    """Rules, then models, then people; what the episode is about before marks."""
    who = 0 if judgement.maker == "rules" else 2 if judgement.maker.startswith(PERSON) else 1
    order = ("label", "executed_label", "tool_verdict", "refusal")
    what = order.index(judgement.vocabulary) if judgement.vocabulary in order else len(order)
    return who, what + (judgement.vocabulary in FLAGS), judgement.vocabulary, judgement.maker, judgement.version


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
