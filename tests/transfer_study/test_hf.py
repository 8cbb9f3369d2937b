"""``hf/…``: requests that wait together are one batch, calls are parsed by family, prompts are those of ``local/…``."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the extra lab is not installed")
pytest.importorskip("transformers", reason="the extra lab is not installed")

from tiny_models import make_tiny_model  # noqa: E402

from dilemma.studies.transfer.run import transfer  # noqa: E402
from dilemma_kernel.errors import ContextOverflow, UnknownModelError  # noqa: E402
from dilemma_kernel.models.config import ModelConfig, ModelEntry  # noqa: E402
from dilemma_kernel.models.registry import resolve  # noqa: E402
from dilemma_kernel.models.transformers import Generated, LoadedModel, Row, Transformers  # noqa: E402
from dilemma_kernel.records import ChatRequest, Message, Sampling, ToolSpec  # noqa: E402
from refusal_transfer import arm_request, load_suite  # noqa: E402

NOTE = ToolSpec(
    name="write_note", description="Write a note.", parameters={"type": "object", "properties": {"text": {}}}
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    return make_tiny_model(tmp_path_factory.mktemp("tiny") / "tiny-qwen3")


def ask(words: str, **fields: Any) -> ChatRequest:
    sampling = fields.pop("sampling", Sampling(temperature=0.0, max_tokens=6))
    return ChatRequest(messages=(Message(role="user", content=words),), sampling=sampling, **fields)


async def test_concurrent_requests_are_one_batch(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    generate = LoadedModel.generate

    def counted(self: LoadedModel, rows: Any, interventions: Any = None) -> Any:
        sizes.append(len(rows))
        return generate(self, rows, interventions)

    monkeypatch.setattr(LoadedModel, "generate", counted)
    model = Transformers("hf/tiny", str(folder), ModelEntry(extra={"batch": 4, "dtype": "float32"}))
    words = ["a note", "the register", "what was seen by whom", "first", "then a day", "by whom?"]
    replies = await asyncio.gather(*(model.complete(ask(one)) for one in words))
    assert sizes == [4, 2]
    alone = [await model.complete(ask(one)) for one in words]
    assert [one.text for one in replies] == [one.text for one in alone]
    assert all(one.usage and one.usage.completion_tokens == 6 and one.finish == "length" for one in replies)
    await model.aclose()


async def test_a_prompt_that_does_not_fit_fails_alone(folder: Path) -> None:
    model = Transformers("hf/tiny", str(folder), ModelEntry(extra={"dtype": "float32"}))
    long = ask("a note " * 600)
    short, failed = await asyncio.gather(model.complete(ask("a note")), model.complete(long), return_exceptions=True)
    assert isinstance(failed, ContextOverflow)
    assert not isinstance(short, BaseException)
    await model.aclose()


async def test_calls_are_read_by_the_familys_parser(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = 'Yes.\n<tool_call>\n{"name": "write_note", "arguments": {"text": "x"}}\n</tool_call>\n<tool_call>\n{"name": '

    def said(self: LoadedModel, rows: list[Row], interventions: Any = None) -> tuple[Generated, ...]:
        return tuple(Generated(text=raw, tokens=(1, 2), prompt_tokens=3, finish="length") for _ in rows)

    monkeypatch.setattr(LoadedModel, "generate", said)
    model = Transformers("hf/tiny-qwen3", str(folder), ModelEntry())
    assert model.capabilities.tools
    with_tools = await model.complete(ask("x", tools=(NOTE,)))
    assert with_tools.text == "Yes."
    assert [call.arguments for call in with_tools.calls] == [{"text": "x"}, None]
    assert with_tools.finish == "length"
    without = await model.complete(ask("x"))
    assert without.calls == ()
    await model.aclose()


async def test_thoughts_and_special_tokens_are_no_words(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def said(self: LoadedModel, rows: list[Row], interventions: Any = None) -> tuple[Generated, ...]:
        text = "<think>hm</think>\n\nNo.<|im_end|>\x00"
        return tuple(Generated(text=text, tokens=(1,), prompt_tokens=3, finish="stop") for _ in rows)

    monkeypatch.setattr(LoadedModel, "generate", said)
    model = Transformers("hf/tiny", str(folder), ModelEntry())
    assert (await model.complete(ask("x"))).text == "No.␛0000"
    await model.aclose()


def test_other_weights_are_another_identity(folder: Path, tmp_path: Path) -> None:
    other = make_tiny_model(tmp_path / "other", seed=1)
    same = make_tiny_model(tmp_path / "same", seed=0)
    names = [Transformers("hf/x", str(path), ModelEntry()).identity.partition(":")[2] for path in (folder, same, other)]
    assert names[0] == names[1] != names[2]
    assert Transformers("hf/x", str(folder), ModelEntry()).capabilities.schema_ == "prompted"


def test_the_registry_finds_it_and_names_what_is_missing(folder: Path) -> None:
    config = ModelConfig(models={"tiny": ModelEntry(model=f"hf/{folder}")})
    assert resolve("tiny", config).name == "tiny"
    with pytest.raises(UnknownModelError, match="no model folder"):
        resolve("hf/./nowhere", config)


async def test_a_study_runs_on_it(folder: Path, tmp_path: Path) -> None:
    small = make_tiny_model(tmp_path / "small", positions=16384)
    store = f"sqlite:///{tmp_path}/d.db"
    study = await transfer(
        f"hf/{small}", sample=1, systems="neutral", arms="chat,tool", max_tokens=4, store=store, study="s"
    )
    report = study.report()
    assert [arm.replies for arm in report.arms] == [2, 2, 2, 2]
    assert not any(arm.crashed for arm in report.arms)


@pytest.mark.slow
async def test_the_same_weights_read_the_same_prompts_as_local(tmp_path: Path) -> None:
    """SmolLM2 through llama.cpp and through transformers: as many tokens in every prompt, in every arm."""
    pytest.importorskip("xllamacpp", reason="the extra local is not installed")
    suite = load_suite()
    local, hf = (resolve(f"{scheme}/smollm2", ModelConfig()) for scheme in ("local", "hf"))
    sampling = Sampling(temperature=0.0, max_tokens=1)
    assert local.capabilities.tools is hf.capabilities.tools is False
    for triple in suite.triples[:: len(suite.triples) // 4]:
        tools = suite.domains[triple.intent.domain].tools
        for arm, how in (("chat", "none"), ("tool", "prompted"), ("stress", "prompted")):
            request = arm_request(triple, arm, tools, how=how, sampling=sampling)  # type: ignore[arg-type]
            theirs, ours = await local.complete(request), await hf.complete(request)
            assert theirs.usage is not None
            assert ours.usage is not None
            assert ours.usage.prompt_tokens == theirs.usage.prompt_tokens
    await local.aclose()
    await hf.aclose()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["local", "hf"])
async def test_a_sample_runs_for_real(scheme: str, tmp_path: Path) -> None:
    if scheme == "local":
        pytest.importorskip("xllamacpp", reason="the extra local is not installed")
    study = await transfer(
        f"{scheme}/smollm2",
        sample=4,
        systems="neutral",
        max_tokens=8,
        store=f"sqlite:///{tmp_path}/d.db",
        study="s",
    )
    report = study.report()
    assert sum(arm.replies for arm in report.arms) == 48
    assert not any(arm.crashed for arm in report.arms)
    assert all(arm.refusal.n == 8 for arm in report.arms if arm.arm == "chat")
