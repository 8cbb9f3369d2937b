"""The model that adapter and laboratory share: a batch equals its rows, padding changes nothing, hooks come off."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the extra lab is not installed")
pytest.importorskip("transformers", reason="the extra lab is not installed")

from tiny_models import make_tiny_model  # noqa: E402

from dilemma_kernel.errors import InputError, ModelRejected, UnknownModelError  # noqa: E402
from dilemma_kernel.models.transformers import Batch, LoadedModel, Renderer, Row, find_place  # noqa: E402
from dilemma_kernel.records import Message, Sampling, ToolCall, ToolSpec  # noqa: E402

PROMPTS = ("the register comes first", "a note", "what was seen by whom on which day, and then a note says what?")
NOTE = ToolSpec(
    name="write_note",
    description="Write a note.",
    parameters={"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    torch.set_num_threads(1)
    return LoadedModel.load(str(make_tiny_model(tmp_path_factory.mktemp("tiny"))), dtype="float32")


def rows(sampling: Sampling, seeds: tuple[int, ...] = (1, 2, 3)) -> list[Row]:
    return [Row(prompt=prompt, sampling=sampling, seed=seed) for prompt, seed in zip(PROMPTS, seeds, strict=True)]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_batch_equals_its_rows(model: LoadedModel, temperature: float) -> None:
    asked = rows(Sampling(temperature=temperature, max_tokens=12))
    together = model.generate(asked)
    assert together == tuple(model.generate([row])[0] for row in asked)
    assert len({one.tokens for one in together}) == 3


def test_left_padding_changes_no_logit(model: LoadedModel) -> None:
    batch = model.encode(PROMPTS)
    assert batch.lengths == tuple(model.count_tokens(prompt) for prompt in PROMPTS)
    with torch.inference_mode():
        padded = logits(model, batch)
        for index, prompt in enumerate(PROMPTS):
            alone = model.encode([prompt])
            assert alone.position_ids[0, 0] == 0
            assert batch.position_ids[index, -1] == alone.position_ids[0, -1]
            torch.testing.assert_close(padded[index], logits(model, alone)[0], atol=1e-4, rtol=1e-4)


def logits(model: LoadedModel, batch: Batch) -> Any:
    out = model.model(input_ids=batch.input_ids, attention_mask=batch.attention_mask, position_ids=batch.position_ids)
    return out.logits[:, -1]


def test_the_seed_decides_a_row_and_nothing_else_does(model: LoadedModel) -> None:
    hot = Sampling(temperature=1.5, max_tokens=10)
    before = torch.random.get_rng_state()
    first = model.generate(rows(hot, (7, 7, 7)))
    assert first == model.generate(rows(hot, (7, 7, 7)))
    other = model.generate(rows(hot, (7, 8, 7)))
    assert [one.tokens == two.tokens for one, two in zip(first, other, strict=True)] == [True, False, True]
    assert torch.equal(before, torch.random.get_rng_state()), "the global generator was touched"


def test_top_p_keeps_to_the_likeliest(model: LoadedModel) -> None:
    greedy = model.generate(rows(Sampling(temperature=0.0, max_tokens=8)))
    assert [one.tokens for one in model.generate(rows(Sampling(temperature=1.0, top_p=1e-9, max_tokens=8)))] == [
        one.tokens for one in greedy
    ]


def test_a_reply_ends_at_its_limit_or_stop_text(model: LoadedModel) -> None:
    free = model.generate([Row(prompt=PROMPTS[0], sampling=Sampling(temperature=0.0, max_tokens=20))])[0]
    assert free.finish == "length"
    assert len(free.tokens) == 20
    assert free.prompt_tokens == model.count_tokens(PROMPTS[0])
    stop = free.text[6:9]
    cut = model.generate([Row(prompt=PROMPTS[0], sampling=Sampling(temperature=0.0, max_tokens=20, stop=(stop,)))])[0]
    assert cut.text == free.text[: free.text.index(stop)]
    assert cut.finish == "stop"
    assert len(cut.tokens) < 20


def test_an_end_of_turn_ends_a_reply(model: LoadedModel) -> None:
    end = model.tokenizer.convert_tokens_to_ids("<|im_end|>")
    assert end in model.ends
    with forced(model, end):
        ended = model.generate([Row(prompt=PROMPTS[0])])[0]
    assert (ended.text, ended.tokens, ended.finish) == ("", (end,), "stop")


@contextmanager
def forced(model: LoadedModel, token: int) -> Iterator[None]:
    """Every next token is ``token``."""

    def lift(module: Any, args: Any, out: Any) -> Any:
        out = out.clone()
        out[..., token] = 1e9
        return out

    handle = model.model.lm_head.register_forward_hook(lift)
    try:
        yield
    finally:
        handle.remove()


class Shift:
    """Adds a constant to the residual before block 1, and counts its firings."""

    def __init__(self, by: float, fails: bool = False) -> None:
        self.by, self.fails, self.fired = by, fails, 0

    @contextmanager
    def attached(self, model: LoadedModel, batch: Batch) -> Iterator[None]:
        assert batch.input_ids.shape[0] == 3

        def add(module: Any, args: Any) -> Any:
            self.fired += 1
            if self.fails:
                raise RuntimeError("planted")
            return (args[0] + self.by, *args[1:])

        handle = model.model.model.layers[1].register_forward_pre_hook(add)
        try:
            yield
        finally:
            handle.remove()


def test_interventions_fire_once_a_step_and_come_off(model: LoadedModel) -> None:
    asked = rows(Sampling(temperature=0.0, max_tokens=5))
    plain = model.generate(asked)
    nothing, much = Shift(0.0), Shift(3.0)
    assert model.generate(asked, nothing) == plain
    assert nothing.fired == 5
    assert model.generate(asked, much) != plain
    with pytest.raises(RuntimeError, match="planted"):
        model.generate(asked, Shift(0.0, fails=True))
    assert model.generate(asked) == plain


def test_tools_go_through_the_template(model: LoadedModel) -> None:
    messages = (Message(role="system", content="Be brief."), Message(role="user", content="Hello."))
    assert model.renderer.takes_tools
    assert model.renderer.takes_system
    prompt = model.render(messages, (NOTE,))
    assert prompt.startswith("<tools>")
    assert prompt.endswith("<|im_start|>assistant\n")
    assert NOTE.name in prompt
    assert NOTE.name not in model.render(messages)
    call = ToolCall(name="write_note", arguments={"text": "x"}, raw='{"text": "x"}', call_id="call_1")
    longer = (
        *messages,
        Message(role="assistant", calls=(call,)),
        Message(role="tool", content="done", call_id="call_1"),
    )
    assert "done" in model.render(longer, (NOTE,))


def test_what_is_no_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownModelError, match="there is no model folder"):
        find_place(str(tmp_path / "nowhere"))
    (tmp_path / "weights.gguf").write_bytes(b"no")
    with pytest.raises(UnknownModelError, match="no GGUF"):
        find_place(str(tmp_path / "weights.gguf"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnknownModelError, match="no tokenizer can be read"):
        LoadedModel.load(str(tmp_path / "empty"))
    with pytest.raises(UnknownModelError, match="no tokenizer can be read"):
        LoadedModel.load("some-owner/some-model")


def test_an_empty_prompt_and_a_refusing_template_are_errors(model: LoadedModel, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="without a token"):
        model.encode(["x", ""])

    class Refusing:
        def apply_chat_template(self, conversation: Any, **values: Any) -> str:
            raise ValueError("roles must alternate")

    with pytest.raises(ModelRejected, match="roles must alternate"):
        Renderer(Refusing()).render((Message(role="user", content="x"),))
