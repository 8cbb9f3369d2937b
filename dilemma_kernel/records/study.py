"""What a study is made of, as stored."""

from dilemma_kernel.records.base import Record
from dilemma_kernel.records.chat import Sampling
from dilemma_kernel.records.design import Cell
from dilemma_kernel.records.episode import EndRule


class StudyRecord(Record):
    """The settings of a study: with the same replies they give the same export."""

    name: str
    instrument: str = "dilemma"
    cells: tuple[Cell, ...]
    scenarios: dict[str, str]
    """Readable name -> scenario_id."""
    pack: str
    """Where the scenarios came from: a pack's name."""
    pack_hash: str
    turns: int
    """Turn budget."""
    episodes: int
    """Repeats for each core and cell."""
    seed: int
    end_rule: EndRule = "stop"
    sampling: Sampling = Sampling()
    """Of the agent."""
    environment_sampling: Sampling = Sampling(temperature=0.7)
    history: int | None = None
    """Turns that the agent sees in full; None for all."""
    controls: dict[str, str] = {}
    """Control factor -> level, of the cells that were added as controls; no other cell has that level."""
    cases: dict[str, dict[str, str]] = {}
    """Of a benchmark: case -> what tells it apart (intent, request, system, variant, domain, scenario)."""
    identities: dict[str, str] = {}
    """Model's name -> what stands behind it, as a call's key has it: model and endpoint, without credentials and query.
    Empty in a study that was made before it was kept."""
    versions: dict[str, str] = {}
