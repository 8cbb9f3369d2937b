"""Assumptions, simulation and power."""

from itertools import product

import numpy as np
import pytest

from dilemma_kernel.errors import DesignError
from dilemma_kernel.statistics import Assumptions, assumptions_from, cores_for_power, power_of_design
from dilemma_kernel.statistics.assumptions import anova_icc
from dilemma_kernel.statistics.power import paired_p_values
from dilemma_kernel.statistics.simulation import centre, intercept_spread, simulate_hits

BASELINE = {"a": "0", "b": "0"}
CELLS = [{"a": a, "b": b} for a, b in product("01", "01")]
ASSUMED = Assumptions(mr=0.6, icc=0.2, slope=0.4)


def simulate(rates: list[float], assumed: Assumptions = ASSUMED, cores: int = 4000, episodes: int = 8) -> np.ndarray:
    return simulate_hits(
        CELLS, rates, assumed, np.random.default_rng(0), baseline=BASELINE, cores=cores, episodes=episodes, studies=1
    )[0]


def test_simulated_cells_have_the_rates_and_the_correlation_asked_for() -> None:
    rates = [0.6, 0.5, 0.45, 0.2]
    hits = simulate(rates)
    assert hits.mean(axis=1) / 8 == pytest.approx(rates, abs=0.02)
    assert anova_icc(hits[:1], np.full((1, 4000), 8.0)) == pytest.approx(0.2, abs=0.02)


def test_without_correlation_cores_are_alike() -> None:
    assert intercept_spread(Assumptions(mr=0.3, icc=0)) == 0
    assert centre(0.5, 3.0) == pytest.approx(0, abs=1e-6)


def test_assumptions_come_back_from_the_data_they_made() -> None:
    hits = simulate([0.6, 0.5, 0.45, 0.4], cores=3000)
    found = assumptions_from(CELLS, hits, np.full_like(hits, 8), baseline=BASELINE)
    assert found.mr == pytest.approx(0.6, abs=0.02)
    assert found.icc == pytest.approx(0.22, abs=0.03)  # the cells with slopes vary a little more
    assert found.slope == pytest.approx(0.4, abs=0.06)


def test_anova_icc_by_hand() -> None:
    # Four of four, none of four: between mean square 4, within 0, so the correlation is 1.
    assert anova_icc(np.array([[4.0, 0.0]]), np.array([[4.0, 4.0]])) == 1
    # Three and one of four: overall .5, between 4(.0625 + .0625) = .5, within (.75 + .75)/6 = .25.
    assert anova_icc(np.array([[3.0, 1.0]]), np.array([[4.0, 4.0]])) == pytest.approx(0.25 / (0.5 + 3 * 0.25))


@pytest.mark.parametrize("shape", [((4, 1), 5), ((4, 9), 1)])
def test_data_that_say_nothing_of_the_correlation_are_refused(shape: tuple[tuple[int, int], int]) -> None:
    size, episodes = shape
    with pytest.raises(DesignError, match="--assume"):
        assumptions_from(CELLS, np.ones(size), np.full(size, episodes), baseline=BASELINE)


def test_power_is_the_level_without_effect_and_rises_with_size_and_cores() -> None:
    def power(effect: float, cores: int) -> float:
        found = power_of_design(
            CELLS, ASSUMED, np.random.default_rng(1), cores=cores, episodes=2, baseline=BASELINE, effects=(effect,)
        )
        assert [p.name for p in found] == ["a: 1 − 0", "b: 1 − 0"]
        assert found[0].alpha == 0.025
        assert found[0].power is not None
        return found[0].power

    assert power(0.0, 20) == pytest.approx(0.025, abs=0.02)
    assert power(-0.1, 20) < power(-0.2, 20) < power(-0.2, 60)
    assert power(-0.2, 60) > 0.9


def test_an_effect_turns_its_sign_where_there_is_no_room() -> None:
    found = power_of_design(
        CELLS, Assumptions(mr=0.95, icc=0.1), np.random.default_rng(0),
        cores=6, episodes=2, baseline=BASELINE, effects=(0.2,), studies=10,
    )  # fmt: skip
    assert {p.effect for p in found} == {-0.2}


def test_a_design_that_cannot_tell_an_interaction_has_no_power_for_it() -> None:
    found = power_of_design(
        CELLS[:3], ASSUMED, np.random.default_rng(0), cores=6, episodes=1, baseline=BASELINE,
        effects=(0.1,), interactions=True, studies=10,
    )  # fmt: skip
    assert [p.power for p in found] == [None]


def test_the_pack_that_power_asks_for_has_it() -> None:
    rng = np.random.default_rng(2)
    cores = cores_for_power(CELLS, ASSUMED, rng, episodes=2, baseline=BASELINE, effect=-0.15)
    assert cores is not None
    found = power_of_design(CELLS, ASSUMED, rng, cores=cores, episodes=2, baseline=BASELINE, effects=(-0.15,))
    assert all(p.power is not None and 0.86 <= p.power <= 0.96 for p in found)
    assert (
        cores_for_power(CELLS, ASSUMED, rng, episodes=2, baseline=BASELINE, effect=-0.01, studies=50, most=64) is None
    )


@pytest.mark.parametrize("bad", [{"mr": 0}, {"mr": 1}, {"icc": -0.1}, {"icc": 0.95}, {"slope": -1}])
def test_assumptions_outside_their_range_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(DesignError, match="assumptions need"):
        intercept_spread(ASSUMED.model_copy(update=bad))


def test_differences_that_are_all_alike_reject_nothing() -> None:
    assert paired_p_values(np.array([[0.5, 0.5, 0.5]])).tolist() == [1.0]
