"""From a direction in numpy to conditions for the lab, and the key of what a condition does to one prompt."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from dilemma_kernel.records.base import JsonObject
from dilemma_kernel.statistics.clusters import Array
from refusal_mechanism.interventions import Condition, Edit, Positions


def ablation(name: str, unit: Array) -> Condition:
    """Nothing is left along ``unit`` at any site and any token."""
    return Condition(name=name, edits=(Edit(operator="ablate", direction=_vector(unit)),))


def addition(name: str, unit: Array, site: int, coefficient: float, positions: Positions) -> Condition:
    """x + c r̂ at one site."""
    edit = Edit(operator="add", direction=_vector(unit), layers=(site,), coefficient=coefficient, positions=positions)
    return Condition(name=name, edits=(edit,))


def affine(name: str, unit: Array, site: int, reference: float, positions: Positions) -> Condition:
    """The projection replaced by a reference mean at one site."""
    edit = Edit(operator="affine", direction=_vector(unit), layers=(site,), coefficient=reference, positions=positions)
    return Condition(name=name, edits=(edit,))


def patch(name: str, unit: Array, site: int, values: Array) -> Condition:
    """The projection at the decision token overwritten, prompt by prompt.

    Args:
        name: of the condition.
        unit: unit vector.
        site: where.
        values: (rows,) the projections to write.
    """
    edit = Edit(
        operator="set",
        direction=_vector(unit),
        layers=(site,),
        positions="decision",
        values=torch.tensor(np.asarray(values), dtype=torch.float32),
    )
    return Condition(name=name, edits=(edit,))


def random_units(width: int, count: int, rng: np.random.Generator) -> Array:
    """(count, width) unit vectors, uniform on the sphere."""
    drawn = rng.standard_normal((count, width))
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))


def of_rows(condition: Condition, rows: Sequence[int]) -> Condition:
    """The same condition for some of its prompts."""
    index = torch.tensor(list(rows), dtype=torch.long)
    edits = tuple(
        replace(
            edit,
            values=None if edit.values is None else edit.values[index],
            rows=None if edit.rows is None else edit.rows[index],
        )
        for edit in condition.edits
    )
    return Condition(name=condition.name, edits=edits)


def fingerprint(condition: Condition) -> list[JsonObject]:
    """What every prompt's key says of a condition, its direction hashed once."""
    return [
        {
            "operator": edit.operator,
            "layers": None if edit.layers is None else list(edit.layers),
            "positions": edit.positions,
            "coefficient": float(edit.coefficient).hex(),
            "direction": _hash(edit.direction.numpy()),
        }
        for edit in condition.edits
    ]


def row_parts(condition: Condition, marks: Sequence[JsonObject], row: int) -> list[JsonObject]:
    """What a condition does to one of its prompts; nothing where a gate is closed.

    Args:
        condition: the condition.
        marks: its ``fingerprint``.
        row: index of the prompt.
    """
    return [
        {**mark, "value": None if edit.values is None else float(edit.values[row]).hex()}
        for edit, mark in zip(condition.edits, marks, strict=True)
        if edit.rows is None or bool(edit.rows[row])
    ]


def _vector(unit: Array) -> torch.Tensor:
    return torch.tensor(np.asarray(unit), dtype=torch.float64)


def _hash(values: NDArray[np.floating]) -> str:
    return hashlib.sha256(np.ascontiguousarray(values, dtype=np.float32).tobytes()).hexdigest()[:24]
