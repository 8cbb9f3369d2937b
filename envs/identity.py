"""By what an episode is known."""

from dilemma_kernel.records import Cell, content_hash


def episode_id(study: str, cell: Cell, core_id: str, repeat: int) -> str:
    """The id of an episode: a hash of where in its study it belongs."""
    return content_hash([study, cell.key, core_id, repeat])
