"""JSON Schema validators, built once for each schema and never reaching the network."""

import json
from collections import OrderedDict
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError, best_match
from referencing import Registry

from dilemma_kernel.records import JsonObject, canonical_json

_MOST = 4096
_REGISTRY: Any = Registry()
_cache: OrderedDict[int, tuple[JsonObject, Draft202012Validator]] = OrderedDict()


def validator(schema: JsonObject) -> Draft202012Validator:
    """The validator of ``schema``, kept by the object's identity: records never change a schema once made."""
    held = _cache.get(id(schema))
    if held is not None and held[0] is schema:
        return held[1]
    made = Draft202012Validator(schema, registry=_REGISTRY)
    _cache[id(schema)] = (schema, made)
    if len(_cache) > _MOST:
        _cache.popitem(last=False)
    return made


def problem(schema: JsonObject, instance: Any, length: int = 240) -> str | None:
    """Why ``instance`` does not obey ``schema``, in one line of at most ``length`` characters; None where it does."""
    check = validator(schema)
    try:
        if check.is_valid(instance):
            return None
        return _worded(best_match(check.iter_errors(instance)), length)
    except (ArithmeticError, RecursionError) as error:
        return f"cannot be checked ({type(error).__name__})"


def schema_problem(schema: JsonObject) -> str | None:
    """Why ``schema`` is no JSON Schema (draft 2020-12); None where it is one."""
    return _schema_problem(canonical_json(schema))


@lru_cache(maxsize=_MOST)
def _schema_problem(text: str) -> str | None:
    try:
        Draft202012Validator.check_schema(json.loads(text))
    except SchemaError as error:
        return _worded(error, 240)
    except RecursionError:
        return "is nested too deeply"
    return None


def _worded(error: ValidationError | SchemaError | None, length: int) -> str:
    if error is None:
        return "does not obey its schema"
    where = ".".join(str(part) for part in error.absolute_path)
    text = " ".join(error.message[: 4 * length].split())
    text = f"{where}: {text}" if where else text
    return text if len(text) <= length else text[: length - 1] + "…"
