"""Interventions are data: which operator, at which sites, on which tokens, for which prompts.

They are checked here, before any hook is attached.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from dilemma_kernel.errors import InputError

Operator = Literal["ablate", "add", "set", "affine"]
"""Remove the projection; add ``c r̂``; overwrite the projection prompt by prompt; or with one reference for all."""
Positions = Literal["all", "decision", "reply"]
"""Every token; the last token of the prompt; that one and every generated one. Padding is never touched.

Steering, where it is meant to act on the reply, is at ``reply``: conditions then share all that was read of a prompt
before its last token, where ``all`` reads it anew for each.
"""
_OFF_UNIT = 1e-4
"""How far from 1 the norm of a direction may be. It is brought to 1 in float64."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Edit:
    """One operator along one direction."""

    operator: Operator
    direction: Float[Tensor, "d_model"]
    """Unit vector, float32 or wider."""
    layers: tuple[int, ...] | None = None
    """Sites: l for the residual before block l, L for the one after the last block; None for all of them."""
    positions: Positions = "all"
    coefficient: float = 0.0
    """For ``add``, c; for ``affine``, the reference projection. In units of the residual's norm."""
    values: Float[Tensor, "row"] | None = None
    """For ``set``: the projection that each of the prompts given gets."""
    rows: Bool[Tensor, "row"] | None = None
    """The gate: of the prompts given, those on which it acts; None for all."""

    def __post_init__(self) -> None:
        _demand(self.operator in get_args(Operator), f"there is no operator {self.operator!r}")
        _demand(self.positions in get_args(Positions), f"there are no positions {self.positions!r}")
        _check_direction(self.direction)
        _demand(self.layers is None or len(set(self.layers)) == len(self.layers) > 0, "layers are empty or repeated")
        _demand(abs(self.coefficient) < float("inf"), f"the coefficient {self.coefficient} is no finite number")
        _demand((self.values is None) == (self.operator != "set"), "values go with the operator 'set', and only there")
        _demand(self.operator in ("add", "affine") or not self.coefficient, f"{self.operator} takes no coefficient")
        _demand(self.values is None or bool(self.values.isfinite().all()), "values are not all finite")
        _demand(self.rows is None or self.rows.dtype == torch.bool, "rows are no booleans")

    def acts_at(self, site: int) -> bool:
        """Whether it acts at this site."""
        return self.layers is None or site in self.layers


@dataclass(frozen=True, kw_only=True, eq=False)
class Condition:
    """Edits that are in force together, in this order where they meet at a site. Without edits: the model as it is."""

    name: str
    edits: tuple[Edit, ...] = ()

    @property
    def everywhere(self) -> tuple[Edit, ...]:
        """The edits that act before the decision token too. Conditions that have the same ones share a prefix."""
        return tuple(edit for edit in self.edits if edit.positions == "all")


UNMODIFIED = Condition(name="unmodified")
"""The model as it is."""


def check_conditions(conditions: Sequence[Condition], *, layers: int, width: int, prompts: int) -> None:
    """Conditions fit a model and the prompts they are used on.

    Args:
        conditions: to check.
        layers: blocks of the model; its sites are 0 to ``layers``.
        width: components of its residual stream.
        prompts: how many ``values`` and ``rows`` must be for.

    Raises:
        InputError: one does not fit.
    """
    for condition in conditions:
        for edit in condition.edits:
            _check_edit(edit, condition.name, layers, width, prompts)


def _check_edit(edit: Edit, name: str, layers: int, width: int, prompts: int) -> None:
    given = len(edit.direction)
    _demand(given == width, f"condition {name}: its direction has {given} components, the model {width}")
    off = [site for site in edit.layers or () if not 0 <= site <= layers]
    _demand(not off, f"condition {name}: there is no site {off[:1]}: sites go from 0 to {layers}")
    for what, indexed in (("values", edit.values), ("rows", edit.rows)):
        fits = indexed is None or indexed.shape == (prompts,)
        _demand(fits, f"condition {name}: its {what} are not one for each of the {prompts} prompts")


def _check_direction(direction: Tensor) -> None:
    wide = direction.is_floating_point() and direction.dtype.itemsize >= 4
    _demand(direction.ndim == 1 and wide, "a direction is one vector in float32 or wider")
    norm = float(direction.double().norm())
    _demand(abs(norm - 1) <= _OFF_UNIT, f"a direction has norm 1, this one {norm:.6g}: divide it by its norm")


def _demand(holds: bool, message: str) -> None:
    if not holds:
        raise InputError(f"an intervention: {message}")
