"""What can be done to a state along a direction: pure functions, tensors in and new tensors out.

All are one form, ``x + a r̂``, with the amount ``a`` from the projection ``p = x · r̂``: ablate ``-p``, add ``c``, patch
``v - p``, affine ``reference - p``. Arithmetic is float32 or wider and is cast once, at the end. Where the amount is 0
the state comes back bit for bit.

Sources: ablation and addition, Arditi et al. 2024; the affine edit, Marshall et al. 2024.
"""

import torch
from jaxtyping import Float
from torch import Tensor


def projection(x: Float[Tensor, "*site d_model"], direction: Float[Tensor, "*site d_model"]) -> Float[Tensor, "*site"]:
    """``x · r̂`` in float32 or wider.

    Args:
        x: states of the residual stream.
        direction: unit vectors, broadcast against ``x``.
    """
    wide = _wide(x)
    return (x.to(wide) * direction.to(wide)).sum(dim=-1)


def moved(
    x: Float[Tensor, "*site d_model"], direction: Float[Tensor, "*site d_model"], amount: Float[Tensor, "*site"]
) -> Float[Tensor, "*site d_model"]:
    """``x + a r̂`` in the dtype of ``x``; bit for bit ``x`` where ``a`` is 0.

    Args:
        x: states of the residual stream.
        direction: unit vectors, broadcast against ``x``.
        amount: ``a`` for each state, in units of the residual's norm.
    """
    wide = _wide(x)
    along = amount.to(wide)[..., None]
    there = (x.to(wide) + along * direction.to(wide)).to(x.dtype)
    return torch.where(along == 0, x, there)


def ablate(
    x: Float[Tensor, "*site d_model"], direction: Float[Tensor, "*site d_model"]
) -> Float[Tensor, "*site d_model"]:
    """``x - (x · r̂) r̂``: nothing is left along the direction."""
    return moved(x, direction, -projection(x, direction))


def add(
    x: Float[Tensor, "*site d_model"], direction: Float[Tensor, "*site d_model"], coefficient: Float[Tensor, "*site"]
) -> Float[Tensor, "*site d_model"]:
    """``x + c r̂``."""
    return moved(x, direction, coefficient)


def patch(
    x: Float[Tensor, "*site d_model"], direction: Float[Tensor, "*site d_model"], value: Float[Tensor, "*site"]
) -> Float[Tensor, "*site d_model"]:
    """``x + (v - x · r̂) r̂``: the projection becomes ``v``. With ``v`` a reference mean, this is the affine edit."""
    return moved(x, direction, value - projection(x, direction))


def _wide(x: Tensor) -> torch.dtype:
    return torch.promote_types(x.dtype, torch.float32)
