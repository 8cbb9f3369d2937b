"""Which beginnings are read once, and that every row still gets all its tokens."""

import pytest

pytest.importorskip("torch", reason="the extra lab is not installed")

from hypothesis import given
from hypothesis import strategies as st

from refusal_mechanism.stems import SHORTEST, common_length, families, find_stems

TAILS = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=9), min_size=1, max_size=8)


@given(TAILS, st.integers(0, 30))
def test_stem_and_rest_are_the_prompt(tails: list[list[int]], length: int) -> None:
    prompts = [[7] * length + tail for tail in tails]
    keys = ["one" if row % 2 else "other" for row in range(len(prompts))]
    found = find_stems(prompts, keys)
    for row, prompt in enumerate(prompts):
        stem = prompts[found.stems[found.of[row]]][: found.lengths[found.of[row]]]
        assert stem[: found.taken[row]] + prompt[-found.read :] == prompt
        assert 1 <= len(prompt) - found.taken[row] <= found.read
        assert keys[found.stems[found.of[row]]] == keys[row]
    assert found.read <= max(map(len, tails)) or length == 0


def test_families_are_prompts_that_begin_alike() -> None:
    tools, other = list(range(40)), [99] * 20
    prompts = [[*tools, 1], [*other, 1, 2], [*tools, 5, 6], [3], [*other, 2], [*other, *range(50)], [3]]
    found = families(prompts)
    assert found[0] == found[2]
    assert found[1] == found[4]
    assert len(set(found)) == 5, "the longest of the others has little in common with them, and two are too short"
    assert common_length(prompts[0], prompts[2]) == 40 >= SHORTEST
    assert families([]) == []
