"""Table 3: do tools lower the projection on the refusal direction, and does the projection matter?"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dilemma_kernel.records.base import Record
from dilemma_kernel.statistics.clusters import Array, Groups
from refusal_mechanism.cases import Rows
from refusal_mechanism.figures import Mean, mean_by_intent, mean_by_row
from refusal_mechanism.separation import Auc, auc
from refusal_mechanism.tables.comparison import Comparison


class Suppression(Record):
    """Harmful triples: projections at the decision token, and what they go with."""

    site: int
    chat: Mean
    """Mean projection in chat, linearised by intent."""
    tool: Mean
    """Mean projection under tools."""
    drop: Mean
    """Chat minus tools, paired t over triples: positive where tools suppress."""
    drop_by_intent: Mean
    """The same, linearised by intent."""
    low_predicts_unsafe: Auc
    """Whether a low projection under tools goes with an unsafe call."""
    chat_predicts_refusal: Auc
    """Whether a high projection in chat goes with a refusal in chat."""
    ablation: tuple[Comparison, ...] = ()
    """Harmful chats with the direction removed: refusal before and after."""
    addition: tuple[Comparison, ...] = ()
    """Benign chats with the direction added: over-refusal before and after."""


def suppression_table(
    site: int,
    chat: Array,
    tool: Array,
    chat_rows: Rows,
    tool_rows: Rows,
    *,
    ablation: Sequence[Comparison] = (),
    addition: Sequence[Comparison] = (),
) -> Suppression:
    """Table 3.

    Args:
        site: where the projections are from.
        chat: (rows,) projections of harmful triples in chat.
        tool: (rows,) of the same triples under tools.
        chat_rows: the unmodified replies in chat.
        tool_rows: the unmodified replies under tools.
        ablation: of the direction, on harmful chats.
        addition: of the direction, on benign chats.
    """
    intents = tool_rows.intents
    return Suppression(
        site=site,
        chat=mean_by_intent(chat, intents),
        tool=mean_by_intent(tool, intents),
        drop=mean_by_row(chat - tool),
        drop_by_intent=mean_by_intent(chat - tool, intents),
        low_predicts_unsafe=known_auc(-tool, tool_rows.unsafe, intents),
        chat_predicts_refusal=known_auc(chat, chat_rows.refused, intents),
        ablation=tuple(ablation),
        addition=tuple(addition),
    )


def known_auc(scores: Array, outcome: Array, intents: Groups) -> Auc:
    """The area over rows whose outcome (1, 0 or NaN) is known."""
    known: NDArray[np.bool_] = ~np.isnan(outcome)
    return auc(scores[known], outcome[known] == 1, Groups(labels=intents.labels, codes=intents.codes[known]))
