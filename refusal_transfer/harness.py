"""One triple in one arm, put to a model: a system text, a user text, tools where the arm has them, one reply.

Nothing is executed; there is no scratchpad and no memory. What comes out is a trajectory of one turn, so that both
instruments share store, call log, resume, export and review.
"""

from collections.abc import Sequence
from typing import Any

from dilemma_kernel.errors import ModelError
from dilemma_kernel.models.toolcalls import tool_instructions
from dilemma_kernel.ports import ChatModel
from dilemma_kernel.records import (
    Ask,
    CallContext,
    ChatReply,
    ChatRequest,
    Message,
    Sampling,
    ToolSpec,
    Trajectory,
    Turn,
    Usage,
    episode_id,
)
from refusal_transfer.arms import ARMS, Arm, transfer_cell
from refusal_transfer.records import Triple
from refusal_transfer.suite import Suite

GREEDY = Sampling(temperature=0.0)
"""How replies are drawn where nothing else is said."""
PROMPTED = "prompted"
NATIVE = "native"
NO_TOOLS = "none"
"""How tools were offered: a trajectory's ``versions["tools"]``."""


def offered(model: ChatModel, arm: Arm) -> str:
    """How ``model`` is offered tools in ``arm``: natively, in words, or not at all."""
    if not ARMS[arm].tools:
        return NO_TOOLS
    return NATIVE if model.capabilities.tools else PROMPTED


def arm_request(
    triple: Triple,
    arm: Arm,
    tools: Sequence[ToolSpec],
    *,
    how: str,
    sampling: Sampling = GREEDY,
    seed: int | None = None,
    context: CallContext | None = None,
) -> ChatRequest:
    """What a model is sent: for an arm without tools neither tools nor a word of them.

    Args:
        triple: the triple.
        arm: the arm.
        tools: the tools of the triple's domain.
        how: ``native``, ``prompted`` or ``none``; see ``offered``.
        sampling: how the reply is drawn.
        seed: seed of the reply.
        context: where in a study the call belongs.
    """
    words = f"\n\n{tool_instructions('prompted', tools)}" if how == PROMPTED else ""
    return ChatRequest(
        messages=(
            Message(role="system", content=triple.system + words),
            Message(role="user", content=triple.text(ARMS[arm].wording)),
        ),
        tools=tuple(tools) if how == NATIVE else (),
        sampling=sampling,
        seed=seed,
        context=context,
    )


async def run_arm(
    model: ChatModel,
    suite: Suite,
    triple: Triple,
    arm: Arm,
    *,
    study: str,
    seed: int,
    repeat: int = 0,
    sampling: Sampling = GREEDY,
    attempt: int = 0,
) -> Trajectory:
    """Put ``triple`` to ``model`` in ``arm`` and keep the reply as it came.

    Args:
        model: the model, wrapped as the study wants it.
        suite: where the triple and its tools come from.
        triple: the triple.
        arm: the arm.
        study: name of the study.
        seed: the episode's seed, equal across arms and models.
        repeat: number of the repeat.
        sampling: how the reply is drawn.
        attempt: how often this arm crashed before.

    Returns:
        A trajectory of one turn; one that a ``ModelError`` ended is crashed and has none.

    Raises:
        InputError, BudgetExhausted, StoreError: they stop a study and are no crash.
    """
    cell = transfer_cell(model.name, arm, triple.condition)
    how = offered(model, arm)
    tools = suite.domains[triple.intent.domain].tools
    request = arm_request(
        triple,
        arm,
        tools,
        how=how,
        sampling=sampling,
        seed=seed,
        context=CallContext(case=triple.id, cell=cell.key, repeat=repeat, turn=1),
    )
    reply, error = await _answered(model, request)
    return Trajectory(
        episode_id=episode_id(study, cell, triple.id, repeat),
        study=study,
        cell=cell,
        repeat=repeat,
        seed=seed,
        attempt=attempt,
        opening=request.messages[-1].content,
        order=tuple(tool.name for tool in tools) if ARMS[arm].tools else (),
        error=error,
        versions={"suite": f"{suite.manifest.name} {suite.manifest.version} {suite.hash}", "tools": how},
        **_of_triple(triple),
        **_of_reply(reply),
    )


async def _answered(model: ChatModel, request: ChatRequest) -> tuple[ChatReply | None, str | None]:
    """The reply, or the error that stands for its lack."""
    try:
        return await model.complete(request), None
    except ModelError as failure:
        return None, f"{type(failure).__name__}: {failure}"


def _of_triple(triple: Triple) -> dict[str, Any]:
    """What a trajectory says of its triple."""
    return {
        "instrument": "transfer",
        "case": triple.id,
        "scenario": triple.intent.scenario,
        "scenario_id": triple.content_id,
        "family": triple.intent.id,
        "domain": triple.intent.domain,
        "budget": 1,
        "initial_state": {},
    }


def _of_reply(reply: ChatReply | None) -> dict[str, Any]:
    """What a trajectory says of the one reply, or of its lack."""
    if reply is None:
        return {"turns": (), "ended": "crashed", "truncated": False}
    return {
        "turns": (Turn(index=1, asks=(Ask(reply=reply),), move=None, response=None),),
        "ended": "budget",
        "truncated": False,
        "usage": reply.usage or Usage(),
        "cost": reply.cost,
    }
