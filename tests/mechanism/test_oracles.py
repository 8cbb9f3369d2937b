"""The lab against an independent implementation, one prompt at a time, to 1e-5 of the largest number in float32."""

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the extra lab is not installed")
pytest.importorskip("transformers", reason="the extra lab is not installed")

from mechanism_models import ARCHITECTURES, tiny_loaded, tiny_prompts  # noqa: E402
from mechanism_naive import Naive  # noqa: E402

from refusal_mechanism import UNMODIFIED, Condition, Edit, Lab  # noqa: E402

FLOOR = 1e-5
STEM = "the register comes first and then a note says what was seen by whom on which day , "
PROMPTS = ["a", *tiny_prompts(3, seed=5), STEM + "by whom ?", STEM + "first"]
VALUES = torch.linspace(-6, 6, len(PROMPTS))
SITE = 1
NEW = 6

torch.set_num_threads(1)


def direction() -> Any:
    random = torch.randn(32, generator=torch.Generator().manual_seed(11))
    return random / random.norm()


R = direction()


def conditions() -> dict[str, Condition]:
    """What is compared: every operator, everywhere, at the decision token, and at the reply."""
    edits = {
        "ablate": Edit(operator="ablate", direction=R),
        "add": Edit(operator="add", direction=R, layers=(SITE,), coefficient=4.0),
        "add at the decision": Edit(operator="add", direction=R, layers=(SITE,), coefficient=9.0, positions="decision"),
        "steer": Edit(operator="add", direction=R, layers=(SITE,), coefficient=-5.0, positions="reply"),
        "patch": Edit(operator="set", direction=R, layers=(SITE,), values=VALUES, positions="decision"),
        "affine": Edit(operator="affine", direction=R, layers=(SITE, 3), coefficient=1.5),
    }
    return {name: Condition(name=name, edits=(edit,)) for name, edit in edits.items()}


def naive_change(name: str, row: int) -> Any:
    """The same by hand: a state's projection, one token at a time."""

    def change(site: int, state: Any, length: int) -> Any:
        state = state.clone()
        for token in range(state.shape[1]):
            x = state[0, token]
            if name == "ablate":
                state[0, token] = x - (x @ R) * R
            elif name == "affine" and site in (SITE, 3):
                state[0, token] = x - (x @ R) * R + 1.5 * R
            elif site != SITE:
                continue
            elif name == "add":
                state[0, token] = x + 4.0 * R
            elif name == "add at the decision" and token == length - 1:
                state[0, token] = x + 9.0 * R
            elif name == "steer" and token >= length - 1:
                state[0, token] = x - 5.0 * R
            elif name == "patch" and token == length - 1:
                state[0, token] = x + (VALUES[row] - x @ R) * R
        return state

    return change


@pytest.fixture(scope="module", params=[*ARCHITECTURES, "gemma3-wrapper"])
def loaded(request: Any) -> Any:
    return tiny_loaded(request.param, seed=1)


def agree(found: Any, expected: Any, what: str) -> None:
    off = float((found - expected).abs().max() / expected.abs().max())
    assert off <= FLOOR, f"{what}: off by {off:.1e}"


def test_extraction(loaded: Any) -> None:
    found, naive = Lab.open(loaded).residuals(PROMPTS), Naive(loaded)
    for row, prompt in enumerate(PROMPTS):
        agree(found[row], naive.residuals(prompt), prompt)


def test_extraction_under_ablation(loaded: Any) -> None:
    found, naive = Lab.open(loaded).residuals(PROMPTS, condition=conditions()["ablate"]), Naive(loaded)
    for row, prompt in enumerate(PROMPTS):
        agree(found[row], naive.residuals(prompt, naive_change("ablate", row)), prompt)


def test_logits_of_every_intervention(loaded: Any) -> None:
    named, naive = conditions(), Naive(loaded)
    for index, rows, part in Lab.open(loaded).decision_logits(PROMPTS, [UNMODIFIED, *named.values()]):
        for row, logits in zip(rows.tolist(), part, strict=True):
            name = ["plain", *named][index]
            agree(logits, naive.logits(PROMPTS[row], naive_change(name, row)), f"{name}, row {row}")


def test_replies_under_every_intervention(loaded: Any) -> None:
    named, naive = conditions(), Naive(loaded)
    replies = Lab.open(loaded).generate(PROMPTS, [*named.values()], max_new_tokens=NEW)
    for name, found in zip(named, replies, strict=True):
        for row in (0, len(PROMPTS) - 1):
            tokens, margin = naive.reply(PROMPTS[row], naive_change(name, row), NEW)
            assert found[row].tokens == tokens, f"{name}, row {row}, margin {margin:.1e}"
