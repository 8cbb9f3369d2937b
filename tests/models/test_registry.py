"""From names to models."""

import subprocess
import sys
from pathlib import Path

import pytest
from model_logs import ask

from dilemma_kernel import models
from dilemma_kernel.errors import MissingExtraError, ModelTimeout, UnknownModelError
from dilemma_kernel.models import ModelConfig, ModelEntry, ScriptedModel, registry, resolve
from dilemma_kernel.ports import ChatModel

MODULE = """
from dilemma_kernel.models import ScriptedModel
from langchain_core.language_models.fake_chat_models import FakeListChatModel

def ours(): return ScriptedModel(lambda request: "ours", name="mine")
def theirs(): return FakeListChatModel(responses=["theirs"])
ready = FakeListChatModel(responses=["ready"])
class Mute(ScriptedModel):
    async def complete(self, request):
        import asyncio
        await asyncio.Event().wait()
def mute(): return Mute(lambda request: "never", name="mute")
def breaks(): raise RuntimeError("out of\\norder")
def wrong(): return 5
class Nested:
    make = staticmethod(ours)
"""


@pytest.fixture
def own_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_models.py").write_text(MODULE)
    (tmp_path / "own_broken.py").write_text("raise ValueError('not\\ntoday')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "own_models", raising=False)


def test_importing_the_registry_imports_no_adapter() -> None:
    code = (
        "import sys, dilemma_kernel.models.registry, dilemma_kernel.models.calling\n"
        "heavy = {'litellm', 'xllamacpp', 'torch', 'transformers', 'langchain_core', 'openai', 'httpx'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_public_names_are_served_and_no_others() -> None:
    assert sorted(models.__all__) == sorted(models._HOMES)
    assert all(getattr(models, name) is not None for name in models.__all__)
    with pytest.raises(AttributeError, match="no_such_name"):
        models.no_such_name  # noqa: B018


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("scripted/robst", r"did you mean scripted/robust\? .*direct, failed"),
        ("scripted/robust?x=1", "without options"),
        ("scripted/", "there are direct"),
        ("scripted/robust", "plays the agent"),
    ],
)
def test_scripted_names_say_what_there_is(name: str, match: str) -> None:
    with pytest.raises(UnknownModelError, match=match):
        resolve(name, ModelConfig())


def test_an_alias_comes_first_and_may_stand_for_any_scheme() -> None:
    config = ModelConfig(models={"good": ModelEntry(model="scripted/robust")})
    model = resolve("good", config, lambda context: ())
    assert (model.name, model.identity) == ("good", "scripted/robust")


def test_further_scripted_models_are_handed_in() -> None:
    def make(name: str, options: dict[str, str]) -> ChatModel:
        return ScriptedModel(lambda request: "x", name=f"{name}|{sorted(options.items())}")

    made = resolve("scripted/transfer?rate=0.5&seed=", ModelConfig(), scripted={"transfer": make})
    assert made.name == "scripted/transfer?rate=0.5&seed=|[('rate', '0.5'), ('seed', '')]"
    with pytest.raises(UnknownModelError, match="transfer"):
        resolve("scripted/other", ModelConfig(), scripted={"transfer": make})


def test_without_the_lab_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"dilemma-sim\[lab\]"):
        resolve("hf/some/model", ModelConfig())


@pytest.mark.usefixtures("own_code")
@pytest.mark.parametrize(
    "config",
    [ModelConfig(timeout_s=0.01), ModelConfig(models={"python:own_models:mute": ModelEntry(timeout_s=0.01)})],
    ids=["for all", "for one"],
)
async def test_a_model_of_ones_own_is_not_waited_for_forever(config: ModelConfig) -> None:
    with pytest.raises(ModelTimeout, match=r"mute did not answer within 0\.01 s"):
        await resolve("python:own_models:mute", config).complete(ask())


@pytest.mark.usefixtures("own_code")
@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        ("own_models:ours", "ours"),
        ("own_models:Nested.make", "ours"),
        ("own_models:theirs", "theirs"),
        ("own_models:ready", "ready"),
    ],
)
async def test_a_model_of_ones_own(reference: str, answer: str) -> None:
    model = resolve(f"python:{reference}", ModelConfig())
    assert (await model.complete(ask())).text == answer
    await model.aclose()


@pytest.mark.usefixtures("own_code")
@pytest.mark.parametrize(
    ("reference", "match"),
    [
        ("own_models", "expected module:name"),
        ("own_models:", "expected module:name"),
        ("no_such_module_here:x", "no module 'no_such_module_here'"),
        ("own_models:missing", "has no 'missing'"),
        ("own_models:breaks", "RuntimeError: out of order"),
        ("own_models:wrong", "gave a int: expected a ChatModel"),
        ("own_broken:x", "ValueError: not today"),
    ],
)
def test_what_is_no_model_says_so_in_one_line(reference: str, match: str) -> None:
    with pytest.raises(UnknownModelError, match=match) as caught:
        resolve(f"python:{reference}", ModelConfig())
    assert "\n" not in str(caught.value)
    assert f"python:{reference}" in str(caught.value)


def test_the_environment_is_never_shown_or_stored() -> None:
    config = ModelConfig(environ={"OPENAI_API_KEY": "sk-MARKED"})
    assert config.variable("OPENAI_API_KEY") == "sk-MARKED"
    assert "MARKED" not in repr(config) + str(config) + config.model_dump_json()
    with pytest.raises(ValueError, match="environ") as caught:
        ModelConfig(environ={"OPENAI_API_KEY": ["sk-MARKED"]})
    assert "MARKED" not in str(caught.value)
