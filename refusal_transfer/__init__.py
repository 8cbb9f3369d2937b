"""The matched-triple benchmark: does a refusal in chat survive when a tool call can carry the request out?"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from refusal_transfer.arms import ARMS, PAPER_ARMS, Arm, ArmSpec, arms_named, transfer_cell
    from refusal_transfer.checking import Finding, check_suite, count
    from refusal_transfer.degenerate import degeneracy
    from refusal_transfer.harness import arm_request, run_arm
    from refusal_transfer.judging import judge_refusal
    from refusal_transfer.loading import SHIPPED, load_suite, read_suite
    from refusal_transfer.outcomes import ArmOutcome, arm_outcome, withheld
    from refusal_transfer.planted import Plant, PlantedTransfer, planted_models
    from refusal_transfer.predicates import ForbiddenAction, Verdict
    from refusal_transfer.reading import Reading
    from refusal_transfer.records import ExampleCall, Intent, Manifest, Triple, Wording
    from refusal_transfer.sampling import sample_pairs
    from refusal_transfer.suite import Domain, Suite
    from refusal_transfer.surface import held_out_auc
    from refusal_transfer.verdicts import TOOL_VERDICTS, Ruling, ToolVerdict, judge_arm, rule

_HOMES = {
    "arms": ("ARMS", "PAPER_ARMS", "Arm", "ArmSpec", "arms_named", "transfer_cell"),
    "checking": ("Finding", "check_suite", "count"),
    "degenerate": ("degeneracy",),
    "harness": ("arm_request", "run_arm"),
    "judging": ("judge_refusal",),
    "loading": ("SHIPPED", "load_suite", "read_suite"),
    "outcomes": ("ArmOutcome", "arm_outcome", "withheld"),
    "planted": ("Plant", "PlantedTransfer", "planted_models"),
    "predicates": ("ForbiddenAction", "Verdict"),
    "reading": ("Reading",),
    "records": ("ExampleCall", "Intent", "Manifest", "Triple", "Wording"),
    "sampling": ("sample_pairs",),
    "suite": ("Domain", "Suite"),
    "surface": ("held_out_auc",),
    "verdicts": ("TOOL_VERDICTS", "Ruling", "ToolVerdict", "judge_arm", "rule"),
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "ARMS",
    "PAPER_ARMS",
    "SHIPPED",
    "TOOL_VERDICTS",
    "Arm",
    "ArmOutcome",
    "ArmSpec",
    "Domain",
    "ExampleCall",
    "Finding",
    "ForbiddenAction",
    "Intent",
    "Manifest",
    "Plant",
    "PlantedTransfer",
    "Reading",
    "Ruling",
    "Suite",
    "ToolVerdict",
    "Triple",
    "Verdict",
    "Wording",
    "arm_outcome",
    "arm_request",
    "arms_named",
    "check_suite",
    "count",
    "degeneracy",
    "held_out_auc",
    "judge_arm",
    "judge_refusal",
    "load_suite",
    "planted_models",
    "read_suite",
    "rule",
    "run_arm",
    "sample_pairs",
    "transfer_cell",
    "withheld",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
