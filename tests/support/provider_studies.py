"""Whole studies over HTTP: a folder with an alias ``gpt-x`` to a loopback server, and the command line in it."""

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import command_line
from loopback_server import Answer, Received, completion, json_text, tool_calls

from dilemma.studies.exporting import export_study
from dilemma_kernel.models.instances import instance
from dilemma_kernel.records import derive_seed

ROOT = Path(__file__).parents[2]
RUN = [sys.executable, "-c", "from dilemma.cli import main; main()"]


def settle(folder: Path, url: str, **entry: Any) -> None:
    """Write a ``dilemma.toml`` in which gpt-x is a model at ``url``; ``entry`` adds to the alias."""
    fields = {"model": "openai/served", "api_base": url, "input_price": 1.0, "output_price": 2.0, **entry}
    inside = ", ".join(f"{name} = {json.dumps(value)}" for name, value in fields.items())
    (folder / "dilemma.toml").write_text(f"[models]\ngpt-x = {{{inside}}}\n")


def environ(folder: Path, **more: str) -> dict[str, str]:
    """A process environment without keys, in which our packages are found."""
    clean = {k: v for k, v in os.environ.items() if not k.endswith("_API_KEY")}
    known = os.pathsep.join(map(str, (ROOT, ROOT / "tests" / "support")))
    return {**clean, "PYTHONPATH": known, "XDG_CONFIG_HOME": str(folder), "COLUMNS": "200", **more}


def dilemma(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """The command line in ``folder``."""
    return command_line.dilemma(*arguments, cwd=folder, env=environ(folder, **more))


def exported(folder: Path, study: str, store: str = "dilemma.db") -> dict[str, bytes]:
    """The bytes of a study's export that two equal studies share, whatever port their servers had.

    The port is in the record, and in the digest that the card holds of its file.
    """
    out = folder / f"{study}-{store}-out"
    export_study(study, f"sqlite:///{folder / store}", "jsonl", out)
    digest = hashlib.sha256((out / "study.json").read_bytes()).hexdigest().encode()
    shared = {file.name: file.read_bytes() for file in sorted(out.iterdir()) if file.name != "timing.jsonl"}
    return {
        name: re.sub(rb"127\.0\.0\.1:\d+", b"server", content).replace(digest, b"digest of study.json")
        for name, content in shared.items()
    }


def played(received: Received) -> Answer:
    """Both sides by one model: a valid call where tools are offered, else an answer of the world. Equal requests, equal
    answers; the model's names and arguments come from the request alone."""
    body = received.body
    seed = derive_seed(json.dumps(body, sort_keys=True))
    if tools := body.get("tools"):
        function = sorted((tool["function"] for tool in tools), key=lambda f: str(f["name"]))[seed % len(tools)]
        return tool_calls((function["name"], instance(function["parameters"], Random(seed))))
    schema = body["response_format"]["json_schema"]["schema"]
    fixed = schema["properties"]["state_patch"]["properties"]
    patch = {name: value["const"] for name, value in fixed.items() if "const" in value}
    return json_text({"observation": f"The desk shows entry {seed % 100}.", "state_patch": patch})


def anew(received: Received) -> Answer:
    """As ``played``, but never the same twice: what a model that samples does."""
    tools = received.body.get("tools")
    if not tools:
        return played(received)
    function = tools[derive_seed(received.number) % len(tools)]["function"]
    arguments = instance(function["parameters"], Random(received.number))
    return completion(
        {
            "content": f"Draw {received.number}.",
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": function["name"], "arguments": json.dumps(arguments)},
                }
            ],
        },
        finish_reason="tool_calls",
    )
