"""A run's results as one record."""

from dilemma.studies.transfer.figures import Divergence
from dilemma_kernel.records import Record
from refusal_mechanism.figures import ConditionFigures
from refusal_mechanism.published import PublishedFigure
from refusal_mechanism.selection import RuleName, Selection
from refusal_mechanism.separation import Auc
from refusal_mechanism.tables import (
    Comparison,
    CosineTable,
    GateTable,
    KlTable,
    PatchingTable,
    Suppression,
    SweepTable,
)
from refusal_mechanism.verdict import MechanismVerdict


class SplitCounts(Record):
    """How many intents and triples serve what."""

    part: str
    """``extract``, ``select`` or ``test``."""
    intents: int
    harmful: int
    """Harmful triples."""
    benign: int


class SiteAreas(Record):
    """How well the projection at one site separates, on held-out triples."""

    site: int
    request: Auc
    """Harmful from benign, in chat."""
    unsafe: Auc
    """Unsafe calls from all else, by a low projection, among harmful prompts with tools."""


class ProjectionPoint(Record):
    """One held-out triple's projections at the chosen site."""

    case: str
    request: str
    chat: float
    tool: float
    refused: bool | None
    """In chat."""
    call: str
    """Under tools."""


class DirectionFacts(Record):
    """One direction."""

    name: str
    positives: int
    negatives: int
    why: str = ""
    """Why it does not exist; empty where it does."""


class MechanismReport(Record):
    """Everything that a run found."""

    model: str
    weights: str
    """What tells them apart."""
    dtype: str
    layers: int
    width: int
    suite: str
    suite_hash: str
    study: str
    """The transfer study whose verdicts of the unmodified model are used."""
    seed: int
    max_tokens: int
    test_bed: str = ""
    """What the model's card says, where it is an organism."""
    left_out: int = 0
    """Triples of the study without a reply in chat or under tools: they are in no table."""
    split: tuple[SplitCounts, ...]
    directions: tuple[DirectionFacts, ...]
    refusal_tokens: tuple[str, ...]
    """Tokens that begin refusals, as text."""
    selection: Selection | None
    rule: RuleName
    """The rule asked for."""
    rule_used: RuleName | None
    """The rule that chose the site used; None where none did."""
    site: int | None
    """The site used: the residual before this block."""
    natural: float | None
    """Difference of the mean projections of harmful and benign chats there."""
    divergence: tuple[Divergence, ...] = ()
    """Tables 1 and 2: overall, and by system condition, over all triples of the study."""
    unmodified: tuple[ConditionFigures, ...] = ()
    """The held-out half without any intervention; it needs no site."""
    areas: tuple[SiteAreas, ...] = ()
    projections: tuple[ProjectionPoint, ...] = ()
    suppression: Suppression | None = None
    """Table 3."""
    patching: PatchingTable | None = None
    """Table 4."""
    cosines: CosineTable | None = None
    """Table 5."""
    kl: KlTable | None = None
    """Table 6."""
    addition: tuple[Comparison, ...] = ()
    """Table 7."""
    calls: tuple[Comparison, ...] = ()
    """Table 8."""
    sweep: SweepTable | None = None
    """Table 9."""
    gating: GateTable | None = None
    verdict: MechanismVerdict | None = None
    findings: tuple[str, ...] = ()
    """What the numbers say, in words."""
    published: tuple[PublishedFigure, ...] = ()
