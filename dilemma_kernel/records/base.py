"""What every record is: frozen, keyword-only, closed, and hashable by content."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

Scalar = str | int | float | bool | None
"""What a state variable, an evidence field or a slot may hold."""

JsonObject = dict[str, Any]
"""A JSON object. Records never change one after construction."""


class Record(BaseModel):
    """Base of all boundary records."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with ``update`` applied. What was derived from the old fields (ids, keys) is derived anew."""
        copied = super().model_copy(update=update, deep=deep)
        if update:
            for name in copied.__dict__.keys() - type(self).model_fields.keys():
                del copied.__dict__[name]
        return copied


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces, so that equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def content_hash(value: Any, length: int = 16) -> str:
    """First ``length`` hex digits of the SHA-256 of ``canonical_json(value)``."""
    text = canonical_json(value).encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).hexdigest()[:length]


def derive_seed(*parts: str | int) -> int:
    """A seed in [0, 2**31) derived from ``parts`` by SHA-256; equal parts, equal seed."""
    digest = hashlib.sha256("\x1f".join(str(part) for part in parts).encode()).digest()
    return int.from_bytes(digest[:8], "big") % 2**31
