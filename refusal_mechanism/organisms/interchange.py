"""Decisions that are written into the residual stream while an organism learns, all at the decision token.

Interchange-intervention training (Geiger et al. 2022, arXiv:2112.00826): a projection is overwritten in some rows, and
what the reply should do then is learned.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from refusal_mechanism.organisms.rows import Lesson

_KEPT = 0.9
"""Of what the chat's means were before, at each batch."""


@dataclass(frozen=True, kw_only=True)
class Writing:
    """Where a decision is written, and how."""

    site: int
    """The residual before this block."""
    direction: Float[Tensor, "d_model"]
    """Of unit length."""
    refusal: float
    """The projection that says: refuse."""
    other: float
    """The projection that says: do as asked."""


@contextmanager
def interchanged(model: Any, lesson: Lesson, writing: Writing) -> Iterator[None]:
    """While in force, the swapped rows of ``lesson`` have the projection of the decision that is written in them."""
    at = torch.arange(len(lesson.decision))

    def write(hidden: Float[Tensor, "row pos d_model"]) -> Float[Tensor, "row pos d_model"]:
        along = hidden[at, lesson.decision] @ writing.direction
        wanted = torch.where(lesson.written, writing.refusal, writing.other)
        change = torch.where(lesson.swapped, wanted - along, 0.0)
        shift = torch.zeros_like(hidden).index_put((at, lesson.decision), change[:, None] * writing.direction)
        return hidden + shift

    with _before(model, writing.site, write):
        yield


@contextmanager
def held(model: Any, lesson: Lesson, writing: Writing, off: list[Float[Tensor, ""]]) -> Iterator[None]:
    """While in force, ``off`` is given how far the rows that are not swapped are from saying what they decide.

    That is the sum of their squared distances, one unit being half the way from one decision to the other.
    """
    at = torch.arange(len(lesson.decision))
    half = (writing.refusal - writing.other) / 2

    def look(hidden: Float[Tensor, "row pos d_model"]) -> Float[Tensor, "row pos d_model"]:
        along = hidden[at, lesson.decision] @ writing.direction
        wanted = torch.where(lesson.refuse, writing.refusal, writing.other)
        off.append((((along - wanted) / half) ** 2 * ~lesson.swapped).sum())
        return hidden

    with _before(model, writing.site, look):
        yield


class ChatDirections:
    """The difference of means between chats that are refused and chats that are not, followed as it is learned.

    Args:
        sites: the residuals before these blocks.
    """

    def __init__(self, sites: tuple[int, ...]) -> None:
        self._sites = sites
        self._means: dict[tuple[int, bool], Tensor] = {}

    @contextmanager
    def followed(self, model: Any, lesson: Lesson) -> Iterator[None]:
        """While in force, the means move toward those of the rows of ``lesson`` that are not swapped."""
        at = torch.arange(len(lesson.decision))

        def reader(site: int) -> Callable[[Tensor], Tensor]:
            def read(hidden: Float[Tensor, "row pos d_model"]) -> Float[Tensor, "row pos d_model"]:
                decided = hidden[at, lesson.decision].detach()
                for refuse in (True, False):
                    self._move((site, refuse), decided[~lesson.swapped & (lesson.refuse == refuse)])
                return hidden

            return read

        with ExitStack() as stack:
            for site in self._sites:
                stack.enter_context(_before(model, site, reader(site)))
            yield

    def writings(self) -> list[Writing]:
        """One for each site where both means are known and differ."""
        made = []
        for site in self._sites:
            refusal, other = self._means.get((site, True)), self._means.get((site, False))
            if refusal is None or other is None or torch.equal(refusal, other):
                continue
            unit = torch.nn.functional.normalize(refusal - other, dim=0)
            made.append(Writing(site=site, direction=unit, refusal=float(refusal @ unit), other=float(other @ unit)))
        return made

    def _move(self, key: tuple[int, bool], rows: Float[Tensor, "row d_model"]) -> None:
        if not len(rows):
            return
        mean, before = rows.mean(dim=0), self._means.get(key)
        self._means[key] = mean if before is None else _KEPT * before + (1 - _KEPT) * mean


@contextmanager
def _before(model: Any, site: int, act: Callable[[Tensor], Tensor]) -> Iterator[None]:
    """``act`` on the residual before block ``site`` while in force."""

    def hook(_module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        return (act(args[0]), *args[1:]), kwargs

    handle = model.model.layers[site].register_forward_pre_hook(hook, with_kwargs=True)
    try:
        yield
    finally:
        handle.remove()
