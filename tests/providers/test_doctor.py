"""``dilemma doctor`` names what is wrong, and shows no key."""

import json
import subprocess
from pathlib import Path

from loopback_server import LoopbackServer, status, text, tool_calls
from provider_studies import ROOT, RUN, dilemma, environ, settle

from dilemma.settings import read_settings
from dilemma.studies.doctor import call_once

KEY = "sk-MARKED-doctor"


def test_it_names_versions_extras_packages_and_keys(tmp_path: Path) -> None:
    result = dilemma(tmp_path, "doctor", OPENAI_API_KEY=KEY, ANTHROPIC_API_KEY=" ")
    assert result.returncode == 0, result.stderr
    for part in ("litellm", "extra local", "package envs", "OPENAI_API_KEY is set", "ANTHROPIC_API_KEY is empty"):
        assert part in result.stdout
    assert "stray" not in result.stdout
    assert KEY not in result.stdout + result.stderr


def doctor(folder: Path, path: str) -> subprocess.CompletedProcess[str]:
    """In a cold process: which package is imported is the question."""
    env = environ(folder, PYTHONPATH=path)
    return subprocess.run([*RUN, "doctor", "--json"], cwd=folder, env=env, capture_output=True, text=True, timeout=120)


def test_a_stray_envs_on_the_path_is_named(tmp_path: Path) -> None:
    stray = tmp_path / "elsewhere" / "envs"
    stray.mkdir(parents=True)
    (stray / "__init__.py").write_text("raise RuntimeError('not ours')")
    result = doctor(tmp_path, f"{stray.parent}:{ROOT}")
    assert result.returncode == 1
    found = json.loads(result.stdout)
    assert found["shadowed"] is True
    assert any(str(stray) in one for one in found["strays"])
    behind = doctor(tmp_path, f"{ROOT}:{stray.parent}")
    assert behind.returncode == 0
    assert str(stray) in json.loads(behind.stdout)["strays"][0]


def test_one_cheap_call_shows_what_the_model_does(tmp_path: Path) -> None:
    with LoopbackServer(tool_calls(("ping", {}))) as server:
        settle(tmp_path, server.url)
        result = dilemma(tmp_path, "doctor", "--agent", "gpt-x", OPENAI_API_KEY=KEY)
        assert server.count == 1
        assert server.bodies[0]["max_tokens"] <= 64
    assert result.returncode == 0, result.stderr
    for part in ("openai/served@", "as served-model", "the tool was called", "fingerprint fp_1", "10 + 5 tokens"):
        assert part in result.stdout
    assert KEY not in result.stdout + result.stderr


async def test_a_model_without_tools_is_seen_to_have_called_none() -> None:
    with LoopbackServer(text("pong")) as server:
        call = await call_once("gpt-x", read_settings(environ={}).with_endpoint(server.url))
    assert call.reply is not None
    assert (call.reply.text, call.called_tool, call.error) == ("pong", False, None)


async def test_a_failing_call_is_told_without_the_key() -> None:
    with LoopbackServer(status(401, message=f"Incorrect API key provided: {KEY}")) as server:
        call = await call_once("gpt-x", read_settings(environ={"OPENAI_API_KEY": KEY}).with_endpoint(server.url))
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert call.error is not None
    assert call.error.startswith("ModelForbidden")
    assert KEY not in call.model_dump_json()
