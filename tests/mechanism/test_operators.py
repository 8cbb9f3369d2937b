"""Operators are algebra: what is removed is gone, nothing added is nothing, one's own value changes nothing."""

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the extra lab is not installed")
pytest.importorskip("jaxtyping", reason="the extra lab is not installed")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from refusal_mechanism.operators import ablate, add, moved, patch, projection  # noqa: E402

DTYPES = st.sampled_from([torch.float32, torch.float64, torch.bfloat16, torch.float16])
FLOOR = {torch.float64: 1e-14, torch.float32: 1e-6, torch.float16: 2e-3, torch.bfloat16: 2e-2}
"""Of a projection that should be 0, as a share of the state's norm: half a unit in the last place, and a little."""


@st.composite
def states(draw: Any) -> Any:
    """States of one dtype, a unit vector, and a number for each state."""
    dice = torch.Generator().manual_seed(draw(st.integers(0, 2**20)))
    width = draw(st.integers(1, 96))
    scale = 10.0 ** draw(st.integers(-2, 3))
    x = (torch.randn(3, 2, width, generator=dice, dtype=torch.float64) * scale).to(draw(DTYPES))
    direction = torch.randn(width, generator=dice, dtype=torch.float64)
    return x, direction / direction.norm(), torch.randn(3, 2, generator=dice) * scale


@settings(max_examples=60, deadline=None)
@given(states())
def test_the_algebra(drawn: Any) -> None:
    x, direction, values = drawn
    floor = FLOOR[x.dtype] * (x.double().norm(dim=-1) + values.abs())
    exact = ablate(x, direction)
    assert exact.dtype == x.dtype
    assert (projection(exact, direction).abs() <= floor).all()
    assert ((projection(patch(x, direction, values), direction) - values).abs() <= 2 * floor).all()
    there = add(x.double(), direction, values.double())
    torch.testing.assert_close(projection(there, direction), projection(x.double(), direction) + values.double())
    torch.testing.assert_close(ablate(there, direction), ablate(x.double(), direction), atol=1e-9, rtol=1e-9)


@settings(max_examples=40, deadline=None)
@given(states())
def test_an_amount_of_zero_is_bitwise_nothing(drawn: Any) -> None:
    x, direction, values = drawn
    x[0, 0, 0] = -0.0
    raw = {2: torch.int16, 4: torch.int32, 8: torch.int64}[x.dtype.itemsize]
    assert torch.equal(add(x, direction, torch.zeros_like(values)).view(raw), x.view(raw))
    assert torch.equal(patch(x, direction, projection(x, direction)).view(raw), x.view(raw))


def test_arithmetic_is_wide_and_cast_once() -> None:
    dice = torch.Generator().manual_seed(1)
    x = torch.randn(50, 64, generator=dice).bfloat16()
    direction = torch.randn(64, generator=dice)
    direction /= direction.norm()
    exact = (x.double() - (x.double() @ direction.double())[:, None] * direction.double()).bfloat16()
    assert (ablate(x, direction) != exact).float().mean() < 0.01, "more than ties of rounding differ"
    half = x - (x @ direction.bfloat16())[:, None] * direction.bfloat16()
    assert (half != exact).float().mean() > 0.1
    assert torch.equal(moved(x, direction, torch.zeros(50)), x)
