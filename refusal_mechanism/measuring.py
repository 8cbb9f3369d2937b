"""Scores at the decision token, streamed: logits are reduced to two numbers a prompt as they come."""

from collections.abc import Callable, Sequence

import torch

from refusal_mechanism.interventions import UNMODIFIED, Condition
from refusal_mechanism.lab import Lab
from refusal_mechanism.selection import kl_from, refusal_log_odds

OnScore = Callable[[int, int, float, float], None]
"""Told the condition, the prompt, KL from the unmodified model in nats, and refusal log-odds."""


def first_tokens(lab: Lab, prompts: Sequence[str]) -> list[int]:
    """The token that a greedy reply to each prompt begins with."""
    found = [0] * len(prompts)
    for _, rows, logits in lab.decision_logits(prompts, [UNMODIFIED]):
        for row, token in zip(rows.tolist(), logits.argmax(dim=-1).tolist(), strict=True):
            found[row] = token
    return found


def decision_scores(
    lab: Lab, prompts: Sequence[str], conditions: Sequence[Condition], tokens: Sequence[int], on_score: OnScore
) -> None:
    """Score every prompt under every condition, from raw logits in float64.

    Only the unmodified model's logits of these prompts are held, so hand over a few dozen at a time.

    Args:
        lab: the lab.
        prompts: rendered texts.
        conditions: what is done.
        tokens: tokens that begin refusals.
        on_score: told each score as it comes.
    """
    held = list(lab.decision_logits(prompts, [UNMODIFIED]))
    reference = torch.cat([part for _, _, part in held])
    place = {row: at for at, row in enumerate(row for _, rows, _ in held for row in rows.tolist())}
    for condition, rows, logits in lab.decision_logits(prompts, conditions):
        same = reference[[place[row] for row in rows.tolist()]].double().numpy()
        other = logits.double().numpy()
        kl, odds = kl_from(same, other), refusal_log_odds(other, tokens)
        for row, one_kl, one_odds in zip(rows.tolist(), kl.tolist(), odds.tolist(), strict=True):
            on_score(condition, row, one_kl, one_odds)
