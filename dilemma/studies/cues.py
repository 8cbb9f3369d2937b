"""The cues of a pack, apart from the rest of it: they load a classifier library."""

from scenario_factory import load_pack
from scenario_factory.cues import CueReport, cue_report


def cues_of(name_or_path: str) -> CueReport:
    """Whether wording, length or place tells the tracks apart, and whether the clauses do."""
    return cue_report(load_pack(name_or_path).scenarios)
