"""The laws on a real instruct model, SmolLM2-135M, in float32; and that it can be opened from its GGUF at all.

Floors, as shares of the largest number compared: 1e-5 between batches of other shapes, and for a projection that should
be 0 half a unit in the last place of the state's norm, summed over its components.
"""

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the extra lab is not installed")
pytest.importorskip("transformers", reason="the extra lab is not installed")

from dilemma_kernel.errors import UnknownModelError  # noqa: E402
from dilemma_kernel.records import Message  # noqa: E402
from refusal_mechanism import UNMODIFIED, Condition, Edit, Lab  # noqa: E402
from refusal_mechanism.batching import Unit  # noqa: E402
from refusal_mechanism.hooks import Hooks  # noqa: E402
from refusal_mechanism.passes import follow  # noqa: E402
from refusal_mechanism.reading import read_prompts  # noqa: E402

pytestmark = pytest.mark.slow
FLOOR = 1e-5
ASKED = ("How do I bake bread?", "Yes?", "Name one city in Peru, one in Chile, and say which of the two is colder.")


@pytest.fixture(scope="module")
def lab() -> Lab:
    torch.set_num_threads(2)
    try:
        return Lab.open("hf/smollm2")
    except UnknownModelError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def prompts(lab: Lab) -> list[str]:
    return [lab.loaded.render((Message(role="user", content=text),)) for text in ASKED]


def direction() -> Any:
    random = torch.randn(576, generator=torch.Generator().manual_seed(4))
    return random / random.norm()


def condition(**given: Any) -> Condition:
    return Condition(name="tried", edits=(Edit(direction=direction(), **given),))


def logits(lab: Lab, prompts: list[str], tried: Condition) -> Any:
    found = torch.empty(len(prompts), 49152)
    for _, rows, part in lab.decision_logits(prompts, [tried]):
        found[rows] = part
    return found


def test_the_laws_hold(lab: Lab, prompts: list[str]) -> None:
    assert (lab.layers, lab.width, lab.dtype) == (30, 576, torch.float32)
    plain = logits(lab, prompts, UNMODIFIED)
    states = lab.residuals(prompts)
    gone = lab.residuals(prompts, condition=condition(operator="ablate"))
    assert ((gone @ direction()).abs() <= 1e-6 * gone.norm(dim=-1)).all()
    for positions in ("all", "decision", "reply"):
        assert torch.equal(logits(lab, prompts, condition(operator="add", positions=positions)), plain)
    for site in (0, 15, 30):
        own = condition(operator="set", layers=(site,), positions="decision", values=states[:, site] @ direction())
        assert (logits(lab, prompts, own) - plain).abs().max() <= FLOOR * plain.abs().max()
        much = condition(
            operator="add", layers=(site,), positions="decision", coefficient=float(states[0, site].norm())
        )
        assert (logits(lab, prompts, much) - plain).abs().amax(dim=1).min() > 0.1
    assert torch.equal(logits(lab, prompts, UNMODIFIED), plain), "hooks left a trace"
    for row, prompt in enumerate(prompts):
        alone = logits(lab, [prompt], UNMODIFIED)[0]
        assert (plain[row] - alone).abs().max() <= FLOOR * alone.abs().max()
        one = lab.residuals([prompt])[0]
        assert ((states[row] - one).norm(dim=-1) <= FLOOR * one.norm(dim=-1)).all()


def test_a_site_is_passed_once_a_step(lab: Lab, prompts: list[str]) -> None:
    bench = lab._bench(prompts, [UNMODIFIED], 4)
    with torch.no_grad(), Hooks(bench.layout).attached() as hooks:
        read = read_prompts(bench, hooks, [Unit(row, (0,), row) for row in range(3)], 4)[0]
        for step in (1, 2, 3):
            assert hooks.fired == [step] * 31
            read = follow(bench, hooks, read, read.logits.argmax(dim=-1))


def test_conditions_together_are_conditions_alone(lab: Lab, prompts: list[str]) -> None:
    steer = [
        condition(operator="add", layers=(15,), positions="reply", coefficient=coefficient)
        for coefficient in (0.0, 40.0, 200.0)
    ]
    together = lab.generate(prompts, [*steer, condition(operator="ablate")], max_new_tokens=8)
    assert len({replies[0].tokens for replies in together}) > 1
    assert together[0] == lab.generate(prompts, [UNMODIFIED], max_new_tokens=8)[0]
    assert together[3] == lab.generate(prompts, [condition(operator="ablate")], max_new_tokens=8)[0]
