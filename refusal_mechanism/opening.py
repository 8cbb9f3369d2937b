"""What is checked when a model is opened: that its sites are where the layout says, and that hooks leave no trace."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from dilemma_kernel.errors import UnknownModelError
from dilemma_kernel.models.transformers import LoadedModel
from refusal_mechanism.batching import Unit
from refusal_mechanism.capture import decision_residuals
from refusal_mechanism.hooks import Hooks
from refusal_mechanism.interventions import UNMODIFIED, Condition, Edit
from refusal_mechanism.layout import Layout
from refusal_mechanism.passes import Workbench, follow
from refusal_mechanism.reading import read_prompts

_TEXTS = ("Is anyone there?", "Yes.")
_CLOSE = {torch.float64: 1e-6, torch.float32: 1e-3}
"""Floor between one pass and two passes over a cache, as a share of the largest logit; a tenth in half precision."""
_PLAIN = (Unit(0, (0,), 0), Unit(1, (0,), 1))


def check_model(loaded: LoadedModel, layout: Layout) -> None:
    """Shapes, one firing a step, that every site moves the logits, and that hooks come off without a trace.

    Args:
        loaded: the model.
        layout: where its sites are believed to be.

    Raises:
        UnknownModelError: one of these does not hold.
    """
    prompts = [loaded.tokenize(text) for text in _TEXTS]
    if not all(prompts):
        raise UnknownModelError(f"{loaded.name}: its tokenizer makes no tokens of {_TEXTS[0]!r}")
    bench = Workbench(loaded=loaded, layout=layout, prompts=prompts, conditions=[UNMODIFIED])
    with torch.no_grad():
        before = _bare(bench)
        _check_firings(bench, before)
        _check_sites(bench)
        after = _bare(bench)
    _demand(loaded, torch.equal(before, after), "its logits are not the same after hooks were removed")


def _bare(bench: Workbench) -> Float[Tensor, "row vocab"]:
    """Next-token logits with no hook attached."""
    return read_prompts(bench, Hooks(bench.layout), _PLAIN, 0)[0].logits


def _check_firings(bench: Workbench, bare: Float[Tensor, "row vocab"]) -> None:
    """Hooks that do nothing change nothing, fire once a pass, and see the whole residual stream."""
    shapes: list[Sequence[int]] = []
    with Hooks(bench.layout, lambda _, state: shapes.append(tuple(state.shape))).attached() as hooks:
        read = read_prompts(bench, hooks, _PLAIN, 1)[0]
        _demand(bench.loaded, torch.equal(read.logits, bare), "hooks that do nothing change its logits")
        _demand(bench.loaded, set(hooks.fired) == {1}, "not every site is passed once in a forward pass")
        shape = (*read.mask.shape, bench.layout.width)
        _demand(bench.loaded, set(shapes) == {shape}, f"a site has shape {shapes[0]} where {shape} is expected")
        token = read.logits.argmax(dim=-1)
        read = follow(bench, hooks, read, token)
        _demand(bench.loaded, set(hooks.fired) == {2}, "not every site is passed once in a step of generation")
    longer = [[*tokens, int(next_)] for tokens, next_ in zip(bench.prompts, token, strict=True)]
    whole = _bare(Workbench(loaded=bench.loaded, layout=bench.layout, prompts=longer, conditions=[UNMODIFIED]))
    floor = _CLOSE.get(bare.dtype, 0.1) * float(whole.abs().max())
    off = float((whole - read.logits).abs().max())
    _demand(bench.loaded, off <= floor, f"generation with a cache gives logits that are off by {off:.2g}")


def _check_sites(bench: Workbench) -> None:
    """A change at a site moves the logits; all sites are tried as rows of one batch."""
    states = decision_residuals(bench, _PLAIN[:1])[1][0]
    random = torch.randn(bench.layout.width, generator=torch.Generator().manual_seed(0))
    edits = [
        Edit(operator="add", direction=random / random.norm(), layers=(site,), positions="decision", coefficient=size)
        for site, size in enumerate(states.norm(dim=1).clamp_min(1.0).tolist())
    ]
    conditions = [UNMODIFIED, *(Condition(name=f"site {edit.layers}", edits=(edit,)) for edit in edits)]
    tried = Workbench(loaded=bench.loaded, layout=bench.layout, prompts=bench.prompts, conditions=conditions)
    with Hooks(bench.layout).attached() as hooks:
        logits = read_prompts(tried, hooks, [Unit(0, tuple(range(len(conditions))))], 0)[0].logits
    still = [site for site, row in enumerate(logits[1:]) if torch.equal(row, logits[0])]
    _demand(bench.loaded, not still, f"a change at site {still[:1]} does not move its logits")


def _demand(loaded: LoadedModel, holds: bool, what: str) -> None:
    if not holds:
        kind = type(loaded.model).__name__
        raise UnknownModelError(f"{loaded.name} ({kind}) cannot be examined: {what}")
