"""A loopback endpoint that plays an agent, and the settings file that leads to it."""

import json
from pathlib import Path
from random import Random

import pytest
from loopback_server import Answer, LoopbackServer, Received, text, tool_calls

from dilemma_kernel.models.instances import instance
from dilemma_kernel.records import derive_seed


def random_mover(received: Received) -> Answer:
    """A valid call of one of the tools, now and then a word without one; the same for the same body."""
    rng = Random(derive_seed(received.raw))
    if rng.random() < 0.1:
        return text("Let me think about this first.")
    tool = rng.choice(received.body["tools"])["function"]
    return tool_calls((tool["name"], instance(tool["parameters"], rng)))


def settle(server: LoopbackServer, folder: Path, monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Work in ``folder``, where a settings file makes ``names`` models of the server."""
    lines = [
        f'{json.dumps(name)} = {{model = "openai/{name}", api_base = "{server.url}", api_key_env = "LOOPBACK_KEY", '
        'input_price = 1.0, output_price = 1.0, capabilities = {tools = true, schema = "native"}}'
        for name in names
    ]
    (folder / "dilemma.toml").write_text("\n".join(["[models]", *lines]))
    monkeypatch.setenv("LOOPBACK_KEY", "not-a-key")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    monkeypatch.chdir(folder)
