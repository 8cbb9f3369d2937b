"""A chat template without its tokenizer: what an audit needs of a model whose weights are elsewhere."""

import json
from pathlib import Path
from typing import Any

from dilemma_kernel.errors import UnknownModelError
from dilemma_kernel.records import JsonObject

_TOKENIZERS = ("tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt")


class TemplateAlone:
    """A chat template without its tokenizer: enough to render, not to run.

    Args:
        config: what a ``tokenizer_config.json`` holds.
    """

    def __init__(self, config: JsonObject) -> None:
        found = config["chat_template"]
        self._templates = {"default": found} if isinstance(found, str) else {t["name"]: t["template"] for t in found}
        self._tokens = {
            name: token["content"] if isinstance(token, dict) else token
            for name, token in config.items()
            if name.endswith("_token") and isinstance(token, (str, dict))
        }

    def apply_chat_template(self, conversation: list[JsonObject], **values: Any) -> str:
        """As that of a tokenizer that does not tokenize."""
        from transformers.utils.chat_template_utils import render_jinja_template  # noqa: PLC0415

        default = self._templates["default"]
        template = self._templates.get("tool_use", default) if values["tools"] else default
        del values["tokenize"]
        rendered, _ = render_jinja_template([conversation], chat_template=template, **values, **self._tokens)
        text: str = rendered[0]
        return text


def template_alone(folder: str) -> TemplateAlone | None:
    """The template of a folder that holds a ``tokenizer_config.json`` and no tokenizer; else None.

    Raises:
        UnknownModelError: it cannot be read.
    """
    path = Path(folder) / "tokenizer_config.json"
    if not path.is_file() or any((path.parent / name).is_file() for name in _TOKENIZERS):
        return None
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
        return TemplateAlone(config) if config.get("chat_template") else None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UnknownModelError(f"{path}: cannot be read: {' '.join(str(error).split())[:200]}") from error
