"""The smallest instance of a JSON Schema, for agents that must give valid parameters."""

import math
from collections.abc import Callable
from random import Random
from typing import Any

from dilemma_kernel.errors import ScenarioError
from dilemma_kernel.records import JsonObject

_FORMATS = {
    "date-time": "2026-01-01T00:00:00Z",
    "date": "2026-01-01",
    "time": "00:00:00Z",
    "email": "a@example.org",
    "uri": "https://example.org",
    "uuid": "00000000-0000-4000-8000-000000000000",
}


def instance(schema: JsonObject, random: Random) -> Any:
    """A small value that obeys ``schema``; ``random`` picks among the choices that the schema leaves.

    Understands ``const``, ``enum``, ``default``, ``examples``, the types with their bounds, ``anyOf``, ``oneOf``
    and ``allOf``. A ``pattern`` needs a default or an example.

    Raises:
        ScenarioError: the schema asks for something that cannot be made up from it.
    """
    if "const" in schema:
        return schema["const"]
    for key in ("enum", "examples"):
        if schema.get(key):
            return random.choice(schema[key])
    if "default" in schema:
        return schema["default"]
    for key in ("anyOf", "oneOf"):
        if schema.get(key):
            return instance({**_without(schema, key), **random.choice(schema[key])}, random)
    if schema.get("allOf"):
        return instance(_merged(schema), random)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    make = _MAKERS.get(kind[0] if isinstance(kind, list) else kind)
    if make is None:
        raise ScenarioError(f"no value can be made for the schema type {kind!r}")
    return make(schema, random)


def _without(schema: JsonObject, key: str) -> JsonObject:
    return {k: v for k, v in schema.items() if k != key}


def _merged(schema: JsonObject) -> JsonObject:
    merged = _without(schema, "allOf")
    for part in schema["allOf"]:
        properties = {**merged.get("properties", {}), **part.get("properties", {})}
        required = [*merged.get("required", []), *part.get("required", [])]
        merged = {**merged, **part}
        if properties:
            merged |= {"properties": properties, "required": required}
    return merged


def _object(schema: JsonObject, random: Random) -> JsonObject:
    properties = schema.get("properties", {})
    return {name: instance(properties.get(name, {}), random) for name in schema.get("required", ())}


def _array(schema: JsonObject, random: Random) -> list[Any]:
    items: list[Any] = []
    for _ in range(100 * schema.get("minItems", 0)):
        if len(items) >= schema.get("minItems", 0):
            break
        item = instance(schema.get("items", {}), random)
        if not schema.get("uniqueItems") or item not in items:
            items.append(item)
    return items


def _string(schema: JsonObject, random: Random) -> str:
    if "pattern" in schema:
        raise ScenarioError(f"a string with the pattern {schema['pattern']!r} needs a default or an example")
    if "format" in schema:
        return _FORMATS.get(str(schema["format"]), "value")
    text = f"value {random.randrange(10)}"
    text = text.ljust(int(schema.get("minLength", 0)), ".")
    longest: int | None = schema.get("maxLength")
    return text[:longest]


def _integer(schema: JsonObject, random: Random) -> int:
    step = int(schema.get("multipleOf", 1)) or 1
    low, high = _bounds(schema, float(step))
    first = math.ceil(low / step)
    last = math.floor(high / step)
    return step * random.randint(first, max(first, min(last, first + 9)))


def _number(schema: JsonObject, random: Random) -> float:
    if "multipleOf" in schema:
        step = schema["multipleOf"]
        low, _ = _bounds(schema, step)
        return float(step * math.ceil(low / step))
    low, high = _bounds(schema, 0.0)
    if "exclusiveMinimum" in schema or "exclusiveMaximum" in schema:
        return (low + min(high, low + 2.0)) / 2
    return low


def _bounds(schema: JsonObject, step: float) -> tuple[float, float]:
    """Lowest and highest value; ``step`` turns an exclusive bound into an inclusive one."""
    lows = [schema["minimum"]] if "minimum" in schema else []
    highs = [schema["maximum"]] if "maximum" in schema else []
    if "exclusiveMinimum" in schema:
        lows.append(schema["exclusiveMinimum"] + step)
    if "exclusiveMaximum" in schema:
        highs.append(schema["exclusiveMaximum"] - step)
    high = min(highs, default=math.inf)
    low = max(lows, default=min(1.0, high))
    return low, high if high < math.inf else low + 10 * (step or 1.0)


_MAKERS: dict[str, Callable[[JsonObject, Random], Any]] = {
    "object": _object,
    "array": _array,
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": lambda schema, random: random.random() < 0.5,
    "null": lambda schema, random: None,
}
