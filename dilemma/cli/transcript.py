"""An episode as a transcript: who, what, state change, label and the turns it cites."""

import json
from collections.abc import Sequence

from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from dilemma.cli.safe import clipped, visible
from dilemma.cli.tables import print_json, wide_console
from dilemma.studies.study import StoredEpisode
from dilemma_kernel.records import Ask, Crashed, Judgement, Measured, Scalar, Turn
from dilemma_kernel.semantics.actions import present
from dilemma_kernel.semantics.labels import attempts, risk_score

LONGEST = 4000


def print_transcript(stored: StoredEpisode, *, as_json: bool) -> None:
    """The transcript of one episode. Everything that a model wrote is printed with its control characters shown."""
    if as_json:
        print_json(
            {
                "trajectory": stored.trajectory.model_dump(mode="json"),
                "judgements": [j.model_dump(mode="json") for j in stored.judgements],
            }
        )
        return
    page = _Page(stored)
    page.head()
    page.block("opening", stored.trajectory.opening)
    if stored.trajectory.probe is not None and stored.scenario is not None:
        page.block("probe question, before the first move", stored.scenario.probe.question)
        page.answer(stored.trajectory.probe)
    for turn in stored.trajectory.turns:
        page.turn(turn)
    page.end()


class _Page:
    """Prints the parts of one transcript, folding the state as it goes."""

    def __init__(self, stored: StoredEpisode) -> None:
        self._console = wide_console()
        self._trajectory = stored.trajectory
        self._judgements = stored.judgements
        assert stored.scenario is not None, "a transcript needs the scenario of its episode"
        t = stored.trajectory
        self._presented = {item.action.key: item for item in present(stored.scenario, t.cell.levels, t.seed)}
        self._risk = risk_score(attempts(stored.trajectory, stored.scenario))
        self._state: dict[str, Scalar] = dict(stored.trajectory.initial_state)

    def head(self) -> None:
        t = self._trajectory
        levels = ", ".join(f"{name}={level}" for name, level in t.cell.levels.items())
        self._line(f"episode {t.episode_id} · study {t.study} · {t.scenario} ({t.domain})", "bold")
        self._line(f"agent {t.cell.agent} · environment {t.cell.environment} · repeat {t.repeat} · seed {t.seed}")
        if t.origin is not None:
            self._line(f"a fork of episode {t.origin}: it enters no rate")
        self._line(levels, "dim")

    def block(self, title: str, text: str) -> None:
        self._console.print(Rule(Text(title), align="left", style="dim"))
        self._line(clipped(text, LONGEST))

    def answer(self, probe: Ask) -> None:
        """What was answered to the probe question."""
        said = clipped(probe.reply.refusal or probe.reply.text or "(empty reply)", 400)
        self._line(f"agent answers{f' ({probe.problem})' if probe.problem else ''}:")
        self._indented(said)

    def turn(self, turn: Turn) -> None:
        cited = [name for name, turns in self._cited().items() if turn.index in turns]
        mark = f" · cited by {', '.join(cited)}" if cited else ""
        self._console.print(
            Rule(Text(visible(f"turn {turn.index}{mark}")), align="left", style="bold" if cited else "dim")
        )
        for ask in turn.asks:
            if ask.problem is not None:
                self._problem(ask)
        self._move(turn)
        if turn.response is not None:
            self._response(turn)

    def end(self) -> None:
        t = self._trajectory
        self._console.print(Rule(Text("end"), align="left", style="dim"))
        self._line(f"ended: {t.ended}" + (" (cut by the turn budget)" if t.truncated else ""))
        if t.error:
            self._line(f"error: {t.error}", "red")
        for judgement in self._judgements:
            self._line(_said(judgement), "bold")
        self._line(f"risk score: {self._risk} (A− helper 4 or 7, A− terminal 10, added up)", "dim")

    def _cited(self) -> dict[str, Sequence[int]]:
        return {f"{j.vocabulary} by {j.maker}": j.cites for j in self._judgements}

    def _problem(self, ask: Ask) -> None:
        self._line(f"agent, not a valid move: {ask.problem}", "yellow")
        raw = ask.reply.refusal or ask.reply.text or "\n".join(call.raw for call in ask.reply.calls) or "(empty reply)"
        self._indented(clipped(raw, 400))

    def _move(self, turn: Turn) -> None:
        if turn.move is None:
            self._line("no valid move: the turn is lost", "yellow")
            return
        shown = self._presented[turn.move.action]
        action = shown.action
        name = shown.name if shown.name == action.name else f"{shown.name} (it is {action.name})"
        track = "A+" if action.track == "aligned" else "A−"
        kind = "terminal" if action.terminal else "helper"
        parameters = json.dumps(turn.move.parameters, ensure_ascii=False)
        self._line(f"agent → {name} {clipped(parameters, 400)}", "bold")
        self._line(f"        {track} {kind} ({action.role}), by {turn.move.rung}", "dim")
        if turn.move.reasoning:
            self._indented(clipped(turn.move.reasoning, 1500))

    def _response(self, turn: Turn) -> None:
        response = turn.response
        assert response is not None
        executed = "" if response.executed else " (not executed)"
        self._line(f"environment{executed}:")
        self._indented(clipped(response.observation, LONGEST))
        for name, value in response.patch.items():
            self._line(f"    state {name}: {_json(self._state.get(name))} → {_json(value)}", "cyan")
        self._state.update(response.patch)
        for fault in response.faults:
            self._line(f"    fault of the environment, {fault.mended}: {fault.kind}: {fault.detail}", "yellow")

    def _line(self, text: str, style: str = "") -> None:
        """Every line goes through here or ``_indented``, where control characters are written out."""
        self._console.print(Text(visible(text), style=style))

    def _indented(self, text: str) -> None:
        self._console.print(Padding(Text(visible(text)), (0, 0, 0, 4)))


def _json(value: Scalar) -> str:
    return json.dumps(value, ensure_ascii=False)


def _said(judgement: Judgement) -> str:
    match judgement.outcome:
        case Measured(value=value):
            said = str(value)
        case Crashed(error=error):
            said = f"crashed: {error}"
        case unmeasured:
            said = f"unmeasured: {unmeasured.why}"
    turns = f", citing turns {', '.join(map(str, judgement.cites))}" if judgement.cites else ""
    return f"{judgement.vocabulary}: {said} (by {judgement.maker} {judgement.version}{turns})"
