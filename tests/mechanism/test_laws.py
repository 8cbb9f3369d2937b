"""What an intervention must do to any model: five architectures with random weights, float64 where rounding would hide.

Floors, as shares of the largest number compared: 1e-5 in float32 and 1e-12 in float64 between batches of other shapes;
what is bitwise is said to be.
"""

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the extra lab is not installed")
pytest.importorskip("transformers", reason="the extra lab is not installed")

from mechanism_models import ARCHITECTURES, tiny_loaded, tiny_prompts  # noqa: E402

from refusal_mechanism import UNMODIFIED, Condition, Edit, Lab  # noqa: E402
from refusal_mechanism.hooks import Hooks  # noqa: E402
from refusal_mechanism.layout import resolve_layout  # noqa: E402

FLOOR = {torch.float32: 1e-5, torch.float64: 1e-12}
PROMPTS = ["a", *tiny_prompts(6), "the register comes first and then a note says what was seen by whom on which day"]
OPERATORS = ("ablate", "add", "set", "affine")
POSITIONS = ("all", "decision", "reply")

torch.set_num_threads(1)


@pytest.fixture(scope="module", params=[*ARCHITECTURES, "gemma3-wrapper"])
def lab(request: Any) -> Lab:
    return Lab.open(tiny_loaded(request.param, dtype="float64"))


def unit(width: int = 32, seed: int = 0) -> Any:
    random = torch.randn(width, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return random / random.norm()


def edit(operator: str = "add", *, prompts: int = len(PROMPTS), seed: int = 0, **given: Any) -> Edit:
    """An edit that changes much, whatever the operator."""
    own = {"set": {"values": torch.linspace(-9, 9, prompts)}, "add": {"coefficient": 7.0}}
    return Edit(operator=operator, direction=unit(seed=seed), **own.get(operator, {}), **given)  # type: ignore[arg-type]


def logits(lab: Lab, condition: Condition, prompts: list[str] = PROMPTS) -> Any:
    found = torch.full((len(prompts), 314), float("nan"), dtype=lab.dtype)
    for _, rows, part in lab.decision_logits(prompts, [condition]):
        found[rows] = part
    return found


def condition(*edits: Edit) -> Condition:
    return Condition(name="tried", edits=edits)


def close(one: Any, other: Any, dtype: Any = torch.float64) -> bool:
    return bool((one - other).abs().max() <= FLOOR[dtype] * other.abs().max())


def test_nothing_is_left_along_an_ablated_direction(lab: Lab) -> None:
    plain, ablated = lab.residuals(PROMPTS), lab.residuals(PROMPTS, condition=condition(edit("ablate")))
    direction = unit().float()
    assert ((ablated @ direction).abs() <= 1e-6 * plain.norm(dim=-1)).all()
    assert ((plain @ direction).abs() > 1e-3).all()


def test_every_token_is_ablated_and_no_padding(lab: Lab) -> None:
    seen: list[Any] = []
    batch = lab.loaded.encode(PROMPTS)
    real = batch.attention_mask.bool()
    layout = resolve_layout(lab.loaded.model)
    with torch.no_grad(), Hooks(layout, lambda _, state: seen.append(state)).attached() as hooks:
        for sheet in (None, lab._bench(PROMPTS, [condition(edit("ablate"))], 0).sheet([(0, row) for row in range(8)])):
            hooks.use(sheet, "prompt", real)
            layout.decoder(input_ids=batch.input_ids, attention_mask=batch.attention_mask, use_cache=False)
    plain, ablated = seen[: lab.layers + 1], seen[lab.layers + 1 :]
    for state in ablated:
        assert (state[real] @ unit()).abs().max() <= 1e-12 * state.norm(dim=-1).max()
    assert torch.equal(plain[0][~real], ablated[0][~real])
    assert not torch.equal(plain[0][real], ablated[0][real])


@pytest.mark.parametrize("positions", POSITIONS)
def test_adding_zero_is_bitwise_nothing(lab: Lab, positions: str) -> None:
    nothing = condition(Edit(operator="add", direction=unit(), positions=positions))  # type: ignore[arg-type]
    assert torch.equal(logits(lab, nothing), logits(lab, UNMODIFIED))
    assert torch.equal(lab.residuals(PROMPTS, condition=nothing), lab.residuals(PROMPTS))
    same = [lab.generate(PROMPTS, [one], max_new_tokens=5) for one in (nothing, UNMODIFIED)]
    assert same[0] == same[1]


@pytest.mark.parametrize("positions", POSITIONS)
def test_a_coefficient_at_any_site_and_position_is_something(lab: Lab, positions: str) -> None:
    plain = logits(lab, UNMODIFIED)
    for site in range(lab.layers + 1):
        much = logits(lab, condition(edit(layers=(site,), positions=positions)))
        assert ((much - plain).abs().max(dim=1).values > 1e-3).all(), site


def test_ones_own_value_changes_nothing(lab: Lab) -> None:
    plain = logits(lab, UNMODIFIED)
    for site in range(lab.layers + 1):
        own = lab.residuals(PROMPTS)[:, site].double() @ unit()
        set_back = Edit(operator="set", direction=unit(), layers=(site,), values=own, positions="decision")
        # residuals come in float32, so the value is one's own to that precision
        torch.testing.assert_close(logits(lab, condition(set_back)), plain, atol=1e-4, rtol=1e-5)


def test_a_value_that_is_set_is_there(lab: Lab) -> None:
    values = torch.linspace(-4, 9, len(PROMPTS))
    set_to = Edit(operator="set", direction=unit(), layers=(1, 2), values=values, positions="decision")
    states = lab.residuals(PROMPTS, condition=condition(set_to)) @ unit().float()
    torch.testing.assert_close(states[:, 1], values, atol=1e-4, rtol=1e-5)
    torch.testing.assert_close(states[:, 2], values, atol=1e-4, rtol=1e-5)
    reference = Edit(operator="affine", direction=unit(), layers=(1,), coefficient=2.5)
    states = lab.residuals(PROMPTS, condition=condition(reference)) @ unit().float()
    torch.testing.assert_close(states[:, 1], torch.full((8,), 2.5), atol=1e-4, rtol=1e-5)


@pytest.mark.parametrize("operator", OPERATORS)
def test_hooks_leave_no_trace(lab: Lab, operator: str) -> None:
    before = logits(lab, UNMODIFIED)
    replies = lab.generate(PROMPTS, [UNMODIFIED], max_new_tokens=4)
    assert not torch.equal(logits(lab, condition(edit(operator))), before)
    lab.generate(PROMPTS, [condition(edit(operator, positions="reply"))], max_new_tokens=4)
    assert torch.equal(logits(lab, UNMODIFIED), before)
    assert lab.generate(PROMPTS, [UNMODIFIED], max_new_tokens=4) == replies
    assert not any(module._forward_pre_hooks for module in lab.loaded.model.modules())


@pytest.mark.parametrize("positions", POSITIONS)
def test_a_batch_equals_its_rows_and_padding_changes_nothing(lab: Lab, positions: str) -> None:
    alike = [edit("ablate", positions=positions, seed=3), edit(layers=(1,), positions=positions)]
    tried = condition(*alike)
    together, states = logits(lab, tried), lab.residuals(PROMPTS, condition=tried)
    replies = lab.generate(PROMPTS, [tried], max_new_tokens=6)[0]
    assert len({reply.tokens for reply in replies}) > 2
    for row, prompt in enumerate(PROMPTS):
        assert close(together[row], logits(lab, tried, [prompt])[0])
        assert close(states[row], lab.residuals([prompt], condition=tried)[0], torch.float32)
        assert replies[row] == lab.generate([prompt], [tried], max_new_tokens=6)[0][0]


def test_in_float32_a_batch_equals_its_rows_within_the_floor() -> None:
    lab = Lab.open(tiny_loaded("llama"))
    for tried in (UNMODIFIED, condition(edit("ablate"))):
        alone = torch.cat([logits(lab, tried, [prompt]) for prompt in PROMPTS])
        assert close(logits(lab, tried), alone, torch.float32)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_half_precision_keeps_the_bitwise_laws(architecture: str, dtype: str) -> None:
    lab = Lab.open(tiny_loaded(architecture, dtype=dtype))
    plain = logits(lab, UNMODIFIED)
    assert plain.dtype == lab.dtype == getattr(torch, dtype)
    assert torch.equal(logits(lab, condition(Edit(operator="add", direction=unit()))), plain)
    assert not torch.equal(logits(lab, condition(edit("ablate"))), plain)
    assert torch.equal(logits(lab, UNMODIFIED), plain)
    assert lab.residuals(PROMPTS).dtype == torch.float32


def test_a_site_is_passed_once_a_step(lab: Lab) -> None:
    from refusal_mechanism.batching import Unit  # noqa: PLC0415
    from refusal_mechanism.passes import follow  # noqa: PLC0415
    from refusal_mechanism.reading import read_prompts  # noqa: PLC0415

    bench = lab._bench(PROMPTS, [UNMODIFIED, condition(edit(positions="reply"))], 9)
    with torch.no_grad(), Hooks(bench.layout).attached() as hooks:
        read = read_prompts(bench, hooks, [Unit(6, (0,), 6), Unit(7, (0,), 7)], 9)[0]
        for step in range(1, 6):
            assert hooks.fired == [step] * (lab.layers + 1)
            read = follow(bench, hooks, read, read.logits.argmax(dim=-1))
        shared = Hooks(bench.layout)
        with shared.attached():
            read_prompts(bench, shared, [Unit(7, (0, 1))], 9)
        assert shared.fired == [2] * (lab.layers + 1), "once for the prefix, once for the decision token"
