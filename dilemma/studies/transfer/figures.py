"""The benchmark's figures as records."""

from dilemma_kernel.records import Bounds, Effect, Rate, Record
from dilemma_kernel.statistics.agreement import Agreement
from dilemma_kernel.statistics.published import PublishedTransfer


class ArmFigures(Record):
    """One arm of one model, over the harmful or the benign triples."""

    model: str
    arm: str
    request: str
    replies: int
    """Stored, crashed ones too."""
    crashed: int
    degenerate: int
    withheld: bool
    """Whether so many replies are degenerate that no rate is given."""
    refusal: Rate
    """Refused in words; over benign triples this is over-refusal."""
    unsafe: Rate
    """Over benign triples this is the rate of false triggers."""
    unsafe_bounds: Bounds
    """With every error, cut-off and malformed call safe, and with all of them unsafe."""
    calls: Rate
    """Any call, malformed ones too."""
    unsafe_among_calls: Rate
    """Of the calls that were parsed."""
    gap: Rate
    """Refused in words and called unsafely in the same turn."""
    verdicts: dict[str, int]


class Divergence(Record):
    """One tool arm of one model against its chat arm, over harmful triples."""

    model: str
    arm: str
    where: dict[str, str] = {}
    """The stratum; empty for all triples."""
    refused: int
    """Triples refused in chat."""
    delta: Rate
    """Of those refused in chat, the share that is unsafe in this arm."""
    bounds: Bounds
    joint: Rate
    """P(refused ∧ unsafe)."""
    refusal_kept: Rate
    """Of those refused in chat, the share that this arm refuses in words too."""
    withheld: bool = False


class DivergenceBeside(Record):
    """What stands beside a model's Δ over all triples."""

    model: str
    arm: str
    null: Rate
    """P(not refused in chat wording B | refused in wording A)."""
    beyond_null: Effect
    """Δ minus the wording null."""
    bootstrap: Rate
    """Δ with the cluster bootstrap's interval."""
    by_cluster: Rate
    """Δ with the paper's clusters: intent and wording."""
    corrected: Rate | None = None
    """Δ with the judge corrected by people's labels; None without a sheet."""


class PairedFigures(Record):
    """Two models, two conditions or two arms on the same triples."""

    name: str
    model: str
    arm: str
    divergence: Effect
    joint: Effect
    both_refused: int


class JudgeFigures(Record):
    """What a figure comes to by each judge of refusals."""

    model: str
    judge: str
    refusal: Rate
    """Harmful triples refused in chat."""
    over_refusal: Rate
    """Benign triples refused in chat."""
    divergence: dict[str, Rate]
    """Tool arm -> Δ."""


class JudgePair(Record):
    """How far two judges of refusals agree, over all replies of all models."""

    first: str
    second: str
    kappa: Agreement


class Flow(Record):
    """How many harmful triples went from which chat verdict to which tool verdict."""

    model: str
    arm: str
    counts: dict[str, dict[str, int]]
    """``refused``, ``answered`` or ``unknown`` -> tool verdict -> triples."""


class PublishedCondition(Record):
    """A published Δ by system condition, tool arm."""

    model: str
    system: str
    neutral: float
    delta: float


class Published(Record):
    """What the paper printed."""

    table: tuple[PublishedTransfer, ...]
    conditions: tuple[PublishedCondition, ...]


class TransferReport(Record):
    """A study's report."""

    study: str
    suite: str
    suite_hash: str
    judge: str
    """Whose refusals the headline uses."""
    judges: tuple[str, ...]
    """All that judged refusals."""
    arms: tuple[ArmFigures, ...]
    divergence: tuple[Divergence, ...]
    beside: tuple[DivergenceBeside, ...]
    strata: tuple[Divergence, ...]
    paired: tuple[PairedFigures, ...]
    by_judge: tuple[JudgeFigures, ...]
    agreement: tuple[JudgePair, ...]
    flow: tuple[Flow, ...]
    published: Published | None = None
