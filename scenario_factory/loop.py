"""The loop as one LangGraph graph: write, check, discriminate, then accept, rewrite or reject, stage after stage.

Nodes await the ports and fold what they give; ``decide`` says what follows, and is pure.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import Command

from dilemma_kernel.errors import DilemmaError, ModelError
from dilemma_kernel.records import Attempt, Decision, Scenario, Stage
from scenario_factory.composer.draws import Brief
from scenario_factory.drafts import STAGES, Draft, Parts, text_hash
from scenario_factory.machine import assembled, machine_findings
from scenario_factory.presets import Preset, passes
from scenario_factory.roles import Advice, Cost, Scored, Task, Team, Written

Kind = Literal["write", "rewrite", "rescore"]
Status = Literal["running", "accepted", "rejected", "crashed"]


@dataclass(frozen=True)
class Candidate:
    """One scenario on its way through the four stages."""

    generation: str
    id: str
    brief: Brief
    seed: int
    stage: Stage = "story"
    round: int = 1
    kind: Kind = "write"
    parts: Parts = field(default_factory=Parts)
    """Accepted parts."""
    memo: Any = None
    """What the writer left with the last accepted text."""
    written: Written | None = None
    findings: tuple[str, ...] = ()
    whole: Scenario | None = None
    """At the last stage, what all parts make: the scenario that is scored and the one that is accepted."""
    scored: Scored | None = None
    scored_hash: str | None = None
    """Hash of the text that was scored."""
    error: str = ""
    attempts: tuple[Attempt, ...] = ()
    status: Status = "running"
    scenario: Scenario | None = None

    @property
    def draft(self) -> Draft:
        """The text of the round. Asked for only once there is one."""
        if self.written is None or self.written.draft is None:
            raise DilemmaError(f"candidate {self.id}: nothing was written for {self.stage}")
        return self.written.draft

    @property
    def task(self) -> Task:
        """What is to be done now."""
        return Task(self.id, self.brief, self.stage, self.round, self.seed, self.parts, self.whole)


def decide(candidate: Candidate, rules: Preset) -> Decision:
    """What follows the round that has just been made."""
    if candidate.error:
        return "crash"
    last = candidate.round >= rules.stages[candidate.stage].rounds
    if candidate.written is None or candidate.written.draft is None:
        return "reject" if last else "write"
    if candidate.findings:
        return "reject" if last else "rewrite"
    scored = candidate.scored
    if scored is None or scored.outcome.kind != "measured":
        return "reject" if last else "rescore"
    if passes(scored.scores, candidate.stage, rules):
        return "accept"
    return "reject" if last else "rewrite"


def build_loop(team: Team, rules: Preset) -> Callable[[Candidate], Awaitable[Candidate]]:
    """The graph, compiled once for all candidates: a function that takes a fresh one to its end.

    What a model's call raises ends the candidate as crashed; what is no model's (a budget that is used up) is raised.
    """
    graph = StateGraph(_State)
    for name, (node, next_ones) in _nodes(team, rules).items():
        graph.add_node(name, node, destinations=next_ones)
    graph.add_edge(START, "write")
    compiled = graph.compile()
    limit = 3 * sum(rule.rounds for rule in rules.stages.values()) + 10

    async def run(candidate: Candidate) -> Candidate:
        end = await compiled.ainvoke({"candidate": candidate}, {"recursion_limit": limit})
        finished: Candidate = end["candidate"]
        return finished

    return run


class _State(TypedDict):
    candidate: Candidate


_Step = Command[str]


def _nodes(team: Team, rules: Preset) -> dict[str, tuple[Any, tuple[str, ...]]]:
    """Name -> node, and the nodes that may follow it."""

    def go_on(candidate: Candidate) -> _Step:
        return _after(_concluded(candidate, team, rules))

    async def write(state: _State) -> _Step:
        now = replace(state["candidate"], kind="write", findings=(), scored=None)
        now = await _authored(now, team.writer.write(now.task, now.memo))
        return _to("check", now) if _usable(now) else go_on(now)

    async def rewrite(state: _State) -> _Step:
        now, advice = state["candidate"], _advice(state["candidate"])
        before = now.written or Written(None)
        fresh = replace(now, kind="rewrite", findings=(), scored=None)
        fresh = await _authored(fresh, team.rewriter.rewrite(fresh.task, before, advice))
        return _to("check", fresh) if _usable(fresh) else go_on(fresh)

    async def check(state: _State) -> _Step:
        now = state["candidate"]
        parts = now.parts.with_part(now.stage, now.draft)
        findings = machine_findings(now.stage, parts, now.brief)
        if findings:
            return go_on(replace(now, findings=findings))
        whole = assembled(parts, now.brief) if now.stage == STAGES[-1] else None
        return _to("discriminate", replace(now, findings=(), whole=whole))

    async def discriminate(state: _State) -> _Step:
        now = state["candidate"]
        try:
            scored = await team.discriminator.score(now.task, now.draft)
        except ModelError as error:
            return go_on(replace(now, error=_line(error)))
        return go_on(replace(now, scored=scored, scored_hash=text_hash(now.draft)))

    again = ("write", "rewrite", "discriminate", END)
    return {
        "write": (write, ("check", *again)),
        "rewrite": (rewrite, ("check", *again)),
        "check": (check, ("discriminate", *again)),
        "discriminate": (discriminate, again),
    }


def _to(node: str, candidate: Candidate) -> _Step:
    return Command(goto=node, update={"candidate": candidate})


def _after(candidate: Candidate) -> _Step:
    """Where a round that is over leads."""
    if candidate.status != "running":
        return _to(END, candidate)
    return _to({"write": "write", "rewrite": "rewrite", "rescore": "discriminate"}[candidate.kind], candidate)


def _usable(candidate: Candidate) -> bool:
    return candidate.written is not None and candidate.written.draft is not None


async def _authored(candidate: Candidate, coming: Awaitable[Written]) -> Candidate:
    try:
        return replace(candidate, written=await coming)
    except ModelError as error:
        return replace(candidate, written=None, error=_line(error))


def _advice(candidate: Candidate) -> Advice:
    scored = candidate.scored
    if scored is None:
        return Advice(findings=candidate.findings)
    return Advice(candidate.findings, dict(scored.scores), scored.feedback, scored.suggestion)


def _concluded(candidate: Candidate, team: Team, rules: Preset) -> Candidate:
    """The round is recorded, and the candidate made ready for what follows."""
    decision = decide(candidate, rules)
    attempts = (*candidate.attempts, _attempt(candidate, team, decision))
    now = replace(candidate, attempts=attempts)
    match decision:
        case "accept":
            return _accepted(now)
        case "reject" | "crash":
            return replace(now, status="rejected" if decision == "reject" else "crashed")
        case _:
            return replace(now, round=now.round + 1, kind=decision)


def _accepted(candidate: Candidate) -> Candidate:
    """The stage's text enters the parts; after the last stage they become the scenario."""
    draft = candidate.draft
    if text_hash(draft) != candidate.scored_hash:
        raise DilemmaError(f"candidate {candidate.id}: the text of {candidate.stage} is not the one that was scored")
    memo = candidate.written.memo if candidate.written else None
    parts = candidate.parts.with_part(candidate.stage, draft)
    place = STAGES.index(candidate.stage) + 1
    scenario = candidate.whole
    if scenario is None:
        fresh = replace(candidate, parts=parts, stage=STAGES[place], round=1, kind="write", written=None)
        return replace(fresh, memo=memo, findings=(), scored=None, scored_hash=None)
    last = candidate.attempts[-1].model_copy(update={"scenario": scenario.name, "scenario_id": scenario.scenario_id})
    attempts = (*candidate.attempts[:-1], last)
    return replace(candidate, parts=parts, scenario=scenario, status="accepted", attempts=attempts)


def _attempt(candidate: Candidate, team: Team, decision: Decision) -> Attempt:
    written, scored = candidate.written, candidate.scored
    draft = written.draft if written is not None else None
    authored = written.cost if written is not None and candidate.kind != "rescore" else Cost()
    judged = scored.cost if scored is not None else Cost()
    return Attempt(
        generation=candidate.generation,
        candidate=candidate.id,
        family=candidate.brief.family,
        stage=candidate.stage,
        round=candidate.round,
        kind=candidate.kind,
        text=draft.model_dump(mode="json") if draft is not None else None,
        text_hash=text_hash(draft) if draft is not None else None,
        problem=candidate.error or (written.problem if written is not None else ""),
        findings=candidate.findings,
        outcome=scored.outcome if scored is not None else None,
        scores=dict(scored.scores) if scored is not None else {},
        feedback=scored.feedback if scored is not None else "",
        suggestion=scored.suggestion if scored is not None else "",
        decision=decision,
        author=team.rewriter.name if candidate.kind == "rewrite" else team.writer.name,
        judge=team.discriminator.name,
        seed=candidate.seed,
        author_usage=authored.usage,
        author_cost=authored.dollars,
        judge_usage=judged.usage,
        judge_cost=judged.dollars,
    )


def _line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
