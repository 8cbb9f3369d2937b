"""Records to JSON text and back, such that a round trip is the identity.

Text with a lone surrogate is no UTF-8: pydantic refuses it in a value, and mangles it in a key. Such a record is
written with every such character escaped, which JSON allows and any database takes.
"""

import json
from decimal import Decimal
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from dilemma_kernel.errors import StoreError
from dilemma_kernel.records import ChatRequest, Record

R = TypeVar("R", bound=Record)

_INT_DIGITS = 4000
"""Digits up to which ``int`` reads a number whatever the interpreter's limit."""


def dumps(record: Record, *, without: str | None = None) -> str:
    """The JSON of ``record``, which is UTF-8 always.

    Args:
        record: what to write.
        without: a field to leave out.

    Raises:
        StoreError: it holds something that JSON cannot.
    """
    exclude = {without} if without else None
    try:
        text = record.json_text if isinstance(record, ChatRequest) else record.model_dump_json(exclude=exclude)
        if "\ufffd" not in text:
            return text
    except PydanticSerializationError:
        pass
    try:
        return json.dumps(record.model_dump(exclude=exclude), separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"a {type(record).__name__} cannot be stored: {error}") from error


def loads(kind: type[R], text: str) -> R:
    """The record of ``kind`` that ``dumps`` wrote as ``text``.

    Raises:
        StoreError: it is none, as when a newer version of this software wrote it.
    """
    try:
        return kind.model_validate_json(text)
    except ValidationError:
        pass
    try:
        return kind.model_validate(parse(text))
    except (ValueError, RecursionError) as error:
        reason = str(error).replace("\n", " ")[:200]
        raise StoreError(f"a stored {kind.__name__} cannot be read: {reason}") from error


def parse(text: str) -> Any:
    """JSON text as plain objects; as lenient as what ``dumps`` writes."""
    return json.loads(text, parse_int=_integer)


def _integer(digits: str) -> int:
    return int(digits) if len(digits) < _INT_DIGITS else int(Decimal(digits))


def plain(text: str) -> str:
    """``text`` with lone surrogates and NUL escaped, for a column that people filter on."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")
