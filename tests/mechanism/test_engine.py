"""Sharing prefixes, rows that leave and join, and running out of memory change no reply and no number."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the extra lab is not installed")
pytest.importorskip("transformers", reason="the extra lab is not installed")

from mechanism_models import ARCHITECTURES, tiny_loaded, tiny_prompts  # noqa: E402
from tiny_models import make_tiny_model  # noqa: E402

from dilemma_kernel.errors import InputError, UnknownModelError  # noqa: E402
from dilemma_kernel.models.transformers import Row  # noqa: E402
from dilemma_kernel.records import Sampling  # noqa: E402
from refusal_mechanism import UNMODIFIED, Condition, Edit, Lab  # noqa: E402
from refusal_mechanism.layout import resolve_layout  # noqa: E402

STEMS = (
    "the register comes first and then a note says what was seen by whom on which day , and then ",
    "on which day what was seen by whom , and then a note says what comes first on the register ",
)
PROMPTS = ["a", *tiny_prompts(4, seed=3), *(stem + tail for stem in STEMS for tail in ("by whom ?", "first", "! on"))]
NEW = 8

torch.set_num_threads(1)


def unit(seed: int = 0) -> Any:
    random = torch.randn(32, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return random / random.norm()


def sweep() -> list[Condition]:
    """Conditions that share prefixes, and some that share none."""
    steer = [
        Condition(name=f"{c}", edits=(Edit(operator="add", direction=unit(), layers=(1,), positions=p, coefficient=c),))
        for c, p in ((2.0, "decision"), (-3.0, "reply"), (6.0, "reply"))
    ]
    gone = Edit(operator="ablate", direction=unit(1))
    values = Edit(
        operator="set", direction=unit(2), layers=(2,), positions="decision", values=torch.linspace(-5, 5, len(PROMPTS))
    )
    gated = Edit(operator="add", direction=unit(3), coefficient=9.0, rows=torch.arange(len(PROMPTS)) % 3 == 0)
    return [
        UNMODIFIED,
        *steer,
        Condition(name="ablated", edits=(gone,)),
        Condition(name="ablated and set", edits=(gone, values)),
        Condition(name="gated", edits=(gated,)),
        Condition(name="set", edits=(values,)),
    ]


@pytest.fixture(params=ARCHITECTURES)
def lab(request: Any) -> Lab:
    return Lab.open(tiny_loaded(request.param, dtype="float64"))


def all_logits(lab: Lab, conditions: list[Condition]) -> Any:
    found = torch.full((len(conditions), len(PROMPTS), 314), float("nan"), dtype=lab.dtype)
    for condition, rows, part in lab.decision_logits(PROMPTS, conditions):
        assert found[condition, rows].isnan().all(), "a row came twice"
        found[condition, rows] = part
    assert not found.isnan().any()
    return found


def test_conditions_together_are_conditions_alone(lab: Lab) -> None:
    together = all_logits(lab, sweep())
    for index, condition in enumerate(sweep()):
        alone = all_logits(lab, [condition])[0]
        assert (together[index] - alone).abs().max() <= 1e-12 * alone.abs().max(), condition.name
    distinct = {tuple(row.tolist()) for row in together[:, -1].round(decimals=6)}
    assert len(distinct) >= 7, "conditions do different things"


def test_the_beginning_of_a_family_is_read_once(lab: Lab) -> None:
    family = [STEMS[0] + tail for tail in ("by whom ?", "first", "! on", "first")]
    read: list[int] = []
    count = lambda module, args, named: read.append(named["input_ids"].numel())  # noqa: E731
    handle = lab._layout.decoder.register_forward_pre_hook(count, with_kwargs=True)
    together = dict(rows_of(lab, family, sweep()[:4]))
    shared = sum(read)
    alone = {(c, row): part for row, one in enumerate(family) for (c, _), part in rows_of(lab, [one], sweep()[:4])}
    handle.remove()
    tokens = sum(lab.loaded.count_tokens(prompt) for prompt in family)
    assert sum(read) - shared == tokens + 4 * 3, "alone: each prompt once, and its last token for the other conditions"
    assert shared < tokens / 2 + 16, "the stem once, the tails, and the last of four under four conditions"
    assert together.keys() == alone.keys()
    for key, part in together.items():
        assert (part - alone[key]).abs().max() <= 1e-12 * part.abs().max()
    for prompts in (family, PROMPTS):
        states = torch.cat([lab.residuals([prompt]) for prompt in prompts])
        torch.testing.assert_close(lab.residuals(prompts), states, rtol=1e-6, atol=1e-6)


def rows_of(lab: Lab, prompts: list[str], conditions: list[Condition]) -> Any:
    for condition, rows, part in lab.decision_logits(prompts, conditions):
        yield from (((condition, int(row)), logits) for row, logits in zip(rows, part, strict=True))


def test_replies_together_are_replies_alone(lab: Lab) -> None:
    told: Counter[tuple[int, int]] = Counter()
    together = lab.generate(
        PROMPTS, sweep(), max_new_tokens=NEW, on_reply=lambda condition, row, _: told.update([(condition, row)])
    )
    assert set(told.values()) == {1}
    assert len(told) == 8 * len(PROMPTS)
    for index, condition in enumerate(sweep()):
        assert together[index] == lab.generate(PROMPTS, [condition], max_new_tokens=NEW)[0], condition.name
    rows = [Row(prompt=prompt, sampling=Sampling(temperature=0.0, max_tokens=NEW)) for prompt in PROMPTS]
    assert together[0] == list(lab.loaded.generate(rows)), "the unmodified model answers as the adapter does"


def test_small_batches_with_rows_that_leave_and_join_give_the_same(lab: Lab) -> None:
    lab.loaded.__dict__["ends"] = often_said(lab)
    whole = lab.generate(PROMPTS, sweep(), max_new_tokens=NEW)
    lengths = Counter(len(reply.tokens) for replies in whole for reply in replies)
    assert len(lengths) > 2, "rows finish at different times"
    for tokens in (60, 250):
        small = Lab(lab.loaded, max_batch_tokens=tokens)
        assert small.generate(PROMPTS, sweep(), max_new_tokens=NEW) == whole, tokens
    torch.testing.assert_close(all_logits(Lab(lab.loaded, max_batch_tokens=50), sweep()), all_logits(lab, sweep()))
    states = Lab(lab.loaded, max_batch_tokens=50).residuals(PROMPTS)
    torch.testing.assert_close(states, lab.residuals(PROMPTS), rtol=1e-6, atol=1e-6)


def often_said(lab: Lab) -> frozenset[int]:
    """Tokens that many replies hold, but not at their beginning."""
    said = [reply.tokens for replies in lab.generate(PROMPTS, sweep(), max_new_tokens=NEW) for reply in replies]
    inner = Counter(token for tokens in said for token in set(tokens[2:]) - set(tokens[:1]))
    return frozenset(token for token, _ in inner.most_common(4))


@pytest.fixture
def llama() -> Lab:
    return Lab.open(tiny_loaded("llama", dtype="float64"))


class Short:
    """A model's blocks that run out of memory when a pass has more than so many tokens, or at the n-th pass."""

    def __init__(self, lab: Lab, most: int = 10**9, at: int = -1, error: BaseException | None = None) -> None:
        self.most, self.at, self.passes = most, at, 0
        self.error = error or torch.OutOfMemoryError("CUDA out of memory: planted")
        self.handle = lab.loaded.model.model.register_forward_pre_hook(self.check, with_kwargs=True)

    def check(self, module: Any, args: Any, named: dict[str, Any]) -> None:
        self.passes += 1
        if named["input_ids"].numel() > self.most or self.passes == self.at:
            raise self.error


@pytest.mark.parametrize("error", [torch.OutOfMemoryError("planted"), RuntimeError("can't allocate memory: planted")])
def test_out_of_memory_halves_the_batch_once_said(llama: Lab, error: BaseException) -> None:
    whole, logits = llama.generate(PROMPTS, sweep(), max_new_tokens=NEW), all_logits(llama, sweep())
    states = llama.residuals(PROMPTS)
    said: list[str] = []
    short = Lab(llama.loaded, max_batch_tokens=4000, notify=said.append)
    fault = Short(llama, most=40, error=error)
    torch.testing.assert_close(all_logits(short, sweep()), logits)
    torch.testing.assert_close(short.residuals(PROMPTS), states)
    assert short.generate(PROMPTS, sweep(), max_new_tokens=NEW) == whole
    fault.handle.remove()
    assert len(said) == 1
    assert "out of memory" in said[0]
    assert "\n" not in said[0]


def test_one_row_at_a_time_gives_the_same(llama: Lab) -> None:
    whole = llama.generate(PROMPTS, sweep()[:3], max_new_tokens=3)
    assert Lab(llama.loaded, max_batch_tokens=1).generate(PROMPTS, sweep()[:3], max_new_tokens=3) == whole


def test_out_of_memory_amid_replies_repeats_and_loses_none(llama: Lab) -> None:
    llama.loaded.__dict__["ends"] = often_said(llama)
    whole = llama.generate(PROMPTS, sweep(), max_new_tokens=NEW)
    for at in (2, 7):
        told: Counter[tuple[int, int]] = Counter()
        short = Lab(llama.loaded, max_batch_tokens=1000)
        fault = Short(llama, at=at)
        replies = short.generate(
            PROMPTS,
            sweep(),
            max_new_tokens=NEW,
            on_reply=lambda condition, row, _, told=told: told.update([(condition, row)]),
        )
        fault.handle.remove()
        assert fault.passes > at
        assert replies == whole
        assert set(told.values()) == {1}


def test_a_row_that_does_not_fit_is_an_error_and_others_pass_through(llama: Lab) -> None:
    fault = Short(llama, most=3)
    with pytest.raises(InputError, match="does not fit in memory"):
        llama.residuals(PROMPTS)
    fault.handle.remove()
    fault = Short(llama, at=2, error=RuntimeError("planted and other"))
    with pytest.raises(RuntimeError, match="planted and other"):
        llama.generate(PROMPTS, sweep(), max_new_tokens=NEW)
    fault.handle.remove()
    assert not any(module._forward_pre_hooks for module in llama.loaded.model.modules()), "hooks come off after errors"


def test_what_does_not_fit_is_said_before_a_hook_is_attached(llama: Lab) -> None:
    def tried(**given: Any) -> Condition:
        return Condition(name="tried", edits=(Edit(**{"operator": "add", "direction": unit(), **given}),))

    for wrong, said in (
        (tried(layers=(4,)), r"no site \[4\]: sites go from 0 to 3"),
        (tried(direction=torch.eye(5)[0]), "5 components, the model 32"),
        (tried(rows=torch.ones(3, dtype=torch.bool)), "rows are not one for each"),
        (tried(operator="set", values=torch.zeros(2)), "values are not one for each"),
    ):
        with pytest.raises(InputError, match=said):
            llama.generate(PROMPTS, [wrong], max_new_tokens=2)
        with pytest.raises(InputError, match=said):
            list(llama.decision_logits(PROMPTS, [wrong]))
    for given, said in (
        ({"direction": unit() * 2}, "has norm 1, this one 2"),
        ({"direction": unit().bfloat16()}, "float32 or wider"),
        ({"direction": torch.full((32,), float("nan"))}, "has norm 1"),
        ({"layers": ()}, "empty or repeated"),
        ({"layers": (1, 1)}, "empty or repeated"),
        ({"coefficient": float("nan")}, "no finite number"),
        ({"operator": "set"}, "values go with"),
        ({"values": torch.zeros(11)}, "values go with"),
        ({"operator": "set", "values": torch.full((11,), float("inf"))}, "not all finite"),
        ({"operator": "ablate", "coefficient": 1.0}, "takes no coefficient"),
        ({"operator": "subtract"}, "no operator"),
        ({"positions": "first"}, "no positions"),
        ({"rows": torch.zeros(11)}, "no booleans"),
    ):
        with pytest.raises(InputError, match=said):
            tried(**given)
    with pytest.raises(InputError, match="without a token"):
        llama.residuals(["a", ""])
    with pytest.raises(InputError, match="do not fit the model's 256 tokens"):
        llama.generate(["the " * 200], [UNMODIFIED], max_new_tokens=100)
    with pytest.raises(InputError, match="at least one token"):
        llama.generate(PROMPTS, [UNMODIFIED], max_new_tokens=0)


def test_nothing_asked_is_nothing_given(llama: Lab) -> None:
    assert llama.residuals([]).shape == (0, 4, 32)
    assert list(llama.decision_logits([], sweep()[:4])) == []
    assert llama.generate([], [UNMODIFIED], max_new_tokens=3) == [[]]
    assert llama.generate(PROMPTS, [], max_new_tokens=3) == []


def test_a_generator_of_logits_left_early_leaves_no_hook(llama: Lab) -> None:
    small = Lab(llama.loaded, max_batch_tokens=40)
    next(small.decision_logits(PROMPTS, sweep()))
    assert torch.is_grad_enabled()
    assert not any(module._forward_pre_hooks for module in llama.loaded.model.modules())


def test_an_unknown_layout_is_one_line() -> None:
    loaded = tiny_loaded("llama")
    loaded.model.model = torch.nn.Linear(2, 2)
    with pytest.raises(UnknownModelError, match="residual stream of LlamaForCausalLM cannot be found"):
        Lab.open(loaded)


def test_opening_finds_sites_that_are_not_where_they_should_be() -> None:
    loaded = tiny_loaded("llama")
    loaded.model.model.layers[1].register_forward_hook(lambda module, args, out: out * 0)
    with pytest.raises(UnknownModelError, match=r"change at site \[0\] does not move its logits"):
        Lab.open(loaded)
    loaded = tiny_loaded("llama")
    loaded.model.model.layers.append(torch.nn.Identity())
    with pytest.raises(UnknownModelError, match="not every site is passed once"):
        Lab.open(loaded)


def test_what_fits_is_found() -> None:
    from refusal_mechanism.fitting import LEAST, MOST, fitting_tokens, tokens_on_cards  # noqa: PLC0415

    loaded = tiny_loaded("llama", dtype="float32")
    assert LEAST <= fitting_tokens(loaded, resolve_layout(loaded.model)) <= MOST
    assert tokens_on_cards({"a": 1000, "b": 4000}, {"a": 10, "b": 80}, 5) == 175
    assert tokens_on_cards({"a": 10}, {"a": 10_000}, 5) == 1


def test_a_folder_is_opened_by_name_and_by_device_map(tmp_path: Path) -> None:
    folder = make_tiny_model(tmp_path / "tiny")
    plain = Lab.open(f"hf/{folder}", dtype="float32", device="cpu")
    spread = Lab.open(str(folder), dtype="float32", device_map={"": "cpu"}, max_batch_tokens=100)
    torch.testing.assert_close(plain.residuals(PROMPTS), spread.residuals(PROMPTS), atol=1e-4, rtol=1e-5)
    assert plain.loaded.model.device.type == "cpu"
    assert Lab.open(str(folder), dtype="bfloat16", device="cpu").dtype == torch.bfloat16
