"""What a generation was asked, and the figures of what it gave."""

from collections import Counter
from collections.abc import Mapping, Sequence

from pydantic import Field

from dilemma_kernel.records import Attempt, Record, Usage, content_hash
from scenario_factory.drafts import STAGES
from scenario_factory.loop import Candidate
from scenario_factory.presets import PRESETS, Preset, shortfalls
from scenario_factory.roles import Cost, Scored
from scenario_factory.ways import Pressure


class GenerationSettings(Record):
    """What a generation is made from: with the same replies of the same models it gives the same scenarios."""

    domain: str
    domain_hash: str
    """Hash of the domain library."""
    pressure: Pressure | None = None
    """None for both in turn."""
    count: int = Field(default=1, ge=1)
    """Scenarios wanted."""
    seed: int = 0
    writer: str = "composer"
    discriminator: str = "rules"
    audit: str = "rules"
    preset: Preset = PRESETS["default"]
    most_candidates: int = Field(ge=1)
    """Candidates tried at most."""

    @property
    def id(self) -> str:
        """Names the generation: hash of everything here."""
        return content_hash(self.model_dump(mode="json"))


class Rejection(Record):
    """Why a candidate did not become a scenario."""

    candidate: str
    family: str
    stage: str
    """Where it ended; ``pack`` for a near-duplicate."""
    rounds: int
    reasons: tuple[str, ...]
    """Criteria below what was asked, ``machine check``, ``unmeasured``, ``unreadable text`` or ``near-duplicate``."""
    scores: dict[str, float] = {}
    """Last scores; empty where nothing was measured."""
    detail: str = ""


class AuditFigures(Record):
    """What the held-out discriminator says of the accepted scenarios."""

    auditor: str
    passed: int
    measured: int
    unmeasured: int
    mean: float | None
    realism: float | None
    """Mean of its realism scores."""


class GenerationReport(Record):
    """What a generation gave."""

    settings: GenerationSettings
    attempted: int
    accepted: int
    rejected: int
    crashed: int
    yield_rate: float | None
    """Accepted of attempted; None where nothing was attempted."""
    reasons: dict[str, int]
    """Rejected candidates by reason; one candidate may have several."""
    rejections: tuple[Rejection, ...]
    rounds: dict[str, float]
    """Stage -> mean rounds of the candidates that passed it."""
    rewrites: int
    """Texts written anew, over all candidates."""
    families: dict[str, int]
    """Family -> accepted scenarios."""
    realism: float | None
    """Mean realism score that the loop's own discriminator gave the accepted stories."""
    audit: AuditFigures
    usage: Usage
    cost: float | None
    """US dollars over all calls; None where a price is unknown."""
    cost_per_scenario: float | None
    errors: tuple[str, ...] = ()
    """What crashed candidates, once each."""
    pack: str = ""
    """Where the pack is."""
    pack_hash: str = ""
    names: tuple[str, ...] = ()
    """Names of the accepted scenarios."""


def report_of(
    settings: GenerationSettings,
    ended: Sequence[Candidate],
    refused: Mapping[str, Rejection],
    audits: Sequence[Scored],
    auditor: str,
) -> GenerationReport:
    """The report on candidates as they ended.

    Args:
        settings: what was asked.
        ended: every candidate that was tried, in their order.
        refused: near-duplicates, by candidate.
        audits: what the auditor said of the accepted ones, in their order.
        auditor: its name.
    """
    accepted = [candidate for candidate in ended if candidate.scenario is not None and candidate.id not in refused]
    crashed = [candidate for candidate in ended if candidate.status == "crashed"]
    rejections = [refused.get(c.id) or _rejection(c, settings) for c in ended if c not in accepted and c not in crashed]
    attempts = [attempt for candidate in ended for attempt in candidate.attempts]
    spent = _spent(attempts, audits)
    return GenerationReport(
        settings=settings,
        attempted=len(ended),
        accepted=len(accepted),
        rejected=len(rejections),
        crashed=len(crashed),
        yield_rate=len(accepted) / len(ended) if ended else None,
        reasons=dict(Counter(reason for rejection in rejections for reason in rejection.reasons).most_common()),
        rejections=tuple(rejections),
        rounds=_rounds(attempts),
        rewrites=sum(attempt.kind == "rewrite" for attempt in attempts),
        families=dict(sorted(Counter(candidate.brief.family for candidate in accepted).items())),
        realism=_mean([score for c in accepted if (score := _realism(c)) is not None]),
        audit=_audit(audits, auditor, settings.preset.audit_threshold),
        usage=spent.usage,
        cost=spent.dollars,
        cost_per_scenario=spent.dollars / len(accepted) if spent.dollars is not None and accepted else None,
        errors=tuple(dict.fromkeys(candidate.error for candidate in crashed)),
        names=tuple(candidate.scenario.name for candidate in accepted if candidate.scenario is not None),
    )


def _rejection(candidate: Candidate, settings: GenerationSettings) -> Rejection:
    last = candidate.attempts[-1]
    reasons: tuple[str, ...]
    if last.text is None:
        reasons, detail = ("unreadable text",), last.problem
    elif last.findings:
        reasons, detail = ("machine check",), last.findings[0]
    elif last.outcome is None or last.outcome.kind != "measured":
        reasons, detail = ("unmeasured",), getattr(last.outcome, "why", "")
    else:
        reasons, detail = tuple(sorted(shortfalls(last.scores, last.stage, settings.preset))), last.feedback
    return Rejection(
        candidate=candidate.id,
        family=candidate.brief.family,
        stage=last.stage,
        rounds=last.round,
        reasons=reasons,
        scores=last.scores,
        detail=detail,
    )


def _rounds(attempts: Sequence[Attempt]) -> dict[str, float]:
    passed = {stage: [a.round for a in attempts if a.stage == stage and a.decision == "accept"] for stage in STAGES}
    return {stage: round(sum(rounds) / len(rounds), 3) for stage, rounds in passed.items() if rounds}


def _realism(candidate: Candidate) -> float | None:
    return next(
        (a.scores.get("realism") for a in candidate.attempts if a.stage == "story" and a.decision == "accept"), None
    )


def _audit(audits: Sequence[Scored], auditor: str, threshold: float) -> AuditFigures:
    measured = [scored for scored in audits if scored.outcome.kind == "measured"]
    values = [float(scored.outcome.value) for scored in measured if scored.outcome.kind == "measured"]
    return AuditFigures(
        auditor=auditor,
        passed=sum(value >= threshold for value in values),
        measured=len(values),
        unmeasured=len(audits) - len(values),
        mean=_mean(values),
        realism=_mean([scored.scores["realism"] for scored in measured if "realism" in scored.scores]),
    )


def _spent(attempts: Sequence[Attempt], audits: Sequence[Scored]) -> Cost:
    total = Cost()
    for attempt in attempts:
        total += Cost(attempt.author_usage, attempt.author_cost) + Cost(attempt.judge_usage, attempt.judge_cost)
    for scored in audits:
        total += scored.cost
    return total


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 3) if values else None
