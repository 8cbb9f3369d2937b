"""The three rules: planted cases where they disagree, and where none is admissible."""

import numpy as np
import pytest
from scipy.special import logit

from refusal_mechanism.directions import Direction, mean_difference_direction
from refusal_mechanism.selection import (
    DecisionScores,
    Selection,
    choose_layers,
    kl_from,
    refusal_log_odds,
    refusal_tokens,
)

LAYERS, WIDTH = 10, 6


def planted(seed: int = 0) -> tuple[Direction, np.ndarray, np.ndarray]:
    """Site 3 separates cleanly by a small vector; site 8 has a huge difference that a few prompts cause."""
    rng = np.random.default_rng(seed)
    harmful = np.arange(80) < 40

    def states() -> np.ndarray:
        made = rng.normal(scale=0.1, size=(80, LAYERS + 1, WIDTH))
        made[harmful, 3, 0] += 1.0
        made[:, 8] += rng.normal(scale=30, size=(80, WIDTH))
        return made

    fitted = states()
    fitted[harmful, 8, 1] += 50.0
    return mean_difference_direction("request", fitted[harmful], fitted[~harmful]), states(), harmful


def scores(**at: tuple[float, float, float]) -> DecisionScores:
    """bypass, induce, kl by ``site_N``; elsewhere a direction that does nothing."""
    made = np.tile([2.0, -3.0, 0.01], (LAYERS + 1, 1))
    for name, triple in at.items():
        made[int(name.removeprefix("site_"))] = triple
    return DecisionScores(bypass=made[:, 0], induce=made[:, 1], kl=made[:, 2])


def chosen(selection: Selection) -> dict[str, int | None]:
    return {one.rule: one.site for one in selection.choices}


def test_norm_picks_a_deep_useless_layer_and_arditi_the_right_one() -> None:
    direction, held_out, harmful = planted()
    found = choose_layers(direction, LAYERS, held_out, harmful, scores(site_3=(-4.0, 2.0, 0.02)))
    assert chosen(found) == {"arditi": 3, "norm": 8, "auc": 3}
    deep, right = (next(c for c in found.candidates if c.site == site) for site in (8, 3))
    assert deep.norm > 10 * right.norm
    assert deep.auc is not None
    assert deep.auc < 0.75
    assert right.auc == 1.0
    assert "largest norm" in found.choice("norm").why


def test_none_admissible_is_a_result_and_every_kl_is_there() -> None:
    direction, held_out, harmful = planted()
    at = {f"site_{site}": (-4.0, 2.0, 0.2 + site / 100) for site in range(LAYERS + 1)}
    found = choose_layers(direction, LAYERS, held_out, harmful, scores(**at))
    assert found.choice("arditi").site is None
    assert found.choice("arditi").why == "none admissible: of 7 sites 7 have KL ≥ 0.1, 0 do not induce refusal"
    assert [c.kl for c in found.candidates] == pytest.approx([0.2 + c.site / 100 for c in found.candidates])
    assert found.choice("auc").site == 3


def test_arditi_does_not_look_at_the_last_fifth_nor_at_the_limit_itself() -> None:
    direction, held_out, harmful = planted()
    found = choose_layers(
        direction, LAYERS, held_out, harmful,
        scores(site_8=(-9.0, 5.0, 0.0), site_5=(-8.0, 5.0, 0.1), site_4=(-7.0, 0.0, 0.0), site_2=(-1.0, 1.0, 0.05)),
    )  # fmt: skip
    assert found.choice("arditi").site == 2


def test_without_scores_arditi_is_unmeasured_and_the_others_choose() -> None:
    direction, held_out, harmful = planted()
    found = choose_layers(direction, LAYERS, held_out, harmful)
    assert found.choice("arditi").why.startswith("not measured")
    assert found.choice("norm").site == 8


def test_sites_without_a_direction_are_no_candidates() -> None:
    direction, held_out, harmful = planted()
    mean = direction.mean.copy()
    mean[0] = 0.0
    flat = Direction(name="request", mean=mean, scale=direction.scale, positives=40, negatives=40)
    found = choose_layers(flat, LAYERS, held_out, harmful)
    assert [c.site for c in found.candidates] == list(range(1, LAYERS + 1))


def test_auc_breaks_ties_by_effect_size() -> None:
    harmful = np.arange(20) < 10
    rng = np.random.default_rng(0)
    states = rng.normal(scale=0.01, size=(20, LAYERS + 1, WIDTH))
    states[harmful, 2, 0] += 1.0
    states[harmful, 6, 0] += 5.0
    direction = mean_difference_direction("request", states[harmful], states[~harmful])
    found = choose_layers(direction, LAYERS, states, harmful)
    assert found.choice("auc").site == 6
    assert "largest effect size of 2 equal sites" in found.choice("auc").why


def test_kl_by_hand() -> None:
    """p = (1/2, 1/2), q = (1/4, 3/4): KL = ½ ln 2 + ½ ln ⅔. Logits may be shifted at will."""
    p, q = np.log([[0.5, 0.5]]) + 7, np.log([[0.25, 0.75]]) - 100
    assert kl_from(p, q) == pytest.approx([0.5 * np.log(2) + 0.5 * np.log(2 / 3)])
    assert kl_from(p, p).tolist() == [0.0]


def test_kl_of_raw_logits_needs_float64() -> None:
    """Logits about 80 that differ by 1e-4: float32 would round the difference away."""
    reference = np.array([[80.0, 80.0]])
    assert kl_from(reference, reference + np.array([[1e-4, 0.0]])) == pytest.approx([1e-8 / 8], rel=1e-3)


def test_kl_of_a_token_that_cannot_come_is_finite() -> None:
    assert kl_from(np.array([0.0, -np.inf]), np.array([0.0, -1.0])) == pytest.approx(np.log1p(np.exp(-1)))


def test_refusal_log_odds_by_hand() -> None:
    probabilities = np.array([[0.1, 0.2, 0.3, 0.4]])
    assert refusal_log_odds(np.log(probabilities), [0, 2]) == pytest.approx([logit(0.4)])


def test_refusal_tokens_are_the_model_s_own() -> None:
    first = [7, 7, 7, 9, 5, 5, 9, 9]
    refused = np.array([1, 1, 1, 1, 0, 0, 0, 0], dtype=bool)
    assert refusal_tokens(first, refused) == (7,)
    assert refusal_tokens(first, np.zeros(8, dtype=bool)) == ()


def test_what_does_not_separate_held_out_prompts_is_not_chosen() -> None:
    harmful = np.arange(20) < 10
    rng = np.random.default_rng(0)
    fitted, held_out = (rng.normal(size=(20, LAYERS + 1, WIDTH)) for _ in range(2))
    direction = mean_difference_direction("request", fitted[harmful], fitted[~harmful])
    turned = np.where(harmful[:, None, None], -direction.unit, direction.unit) + 0.0 * held_out
    assert choose_layers(direction, LAYERS, turned, harmful).choice("auc").site is None
