"""Published counts give the published figures, through the rate code."""

import numpy as np
import pytest

from dilemma_kernel.records import Rate
from dilemma_kernel.statistics import Groups, conditioned_divergence, published_cells, published_transfer, rate
from dilemma_kernel.statistics.published import PublishedCell, PublishedTransfer


def percent(result: Rate) -> float:
    assert result.estimate is not None
    return round(100 * result.estimate, 2)


@pytest.mark.parametrize("cell", published_cells(), ids=lambda cell: f"{cell.factor}-{cell.level}")
def test_label_counts_give_the_published_percentages(cell: PublishedCell) -> None:
    for label in ("strategic", "direct", "failed", "robust"):
        assert percent(rate([getattr(cell, label)], [cell.n])) == getattr(cell, f"{label}_pct"), label
    assert percent(rate([cell.misaligned], [cell.n])) == cell.mr_pct


def test_the_labels_of_a_published_cell_add_up() -> None:
    assert len(published_cells()) == 5
    for cell in published_cells():
        assert cell.strategic + cell.direct + cell.failed + cell.robust == cell.n


def triples(row: PublishedTransfer, unsafe: int, divergent: int) -> tuple[np.ndarray, np.ndarray]:
    """Triples with the counts of one model: refused ones first, the divergent at the head of them."""
    refused = np.arange(row.triples) < row.refused
    index = np.arange(row.triples)
    return refused, (index < divergent) | ((index >= row.refused) & (index < row.refused + unsafe - divergent))


@pytest.mark.parametrize("row", published_transfer(), ids=lambda row: row.model)
def test_table_one_from_its_counts(row: PublishedTransfer) -> None:
    intents = Groups(labels=tuple(range(64)), codes=np.arange(row.triples) % 64)
    for mode in ("normal", "stress"):
        refused, unsafe = triples(row, getattr(row, f"unsafe_{mode}"), getattr(row, f"divergent_{mode}"))
        figures = {
            "refusal_rate": rate(np.bincount(intents.codes, refused), np.bincount(intents.codes)),
            f"unsafe_rate_{mode}": rate(np.bincount(intents.codes, unsafe), np.bincount(intents.codes)),
            f"divergence_{mode}": conditioned_divergence(refused, unsafe, intents),
        }
        for name, figure in figures.items():
            assert figure.estimate is not None
            assert round(figure.estimate, 3) == getattr(row, name), name


def test_all_five_models_are_shipped() -> None:
    assert len(published_transfer()) == 5
