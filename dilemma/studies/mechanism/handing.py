"""What refusal transfer hands to the laboratory: cases with their prompts, a judge, and the unmodified verdicts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dilemma.studies.transfer.observed import Observed
from dilemma_kernel.models.hygiene import kept
from dilemma_kernel.models.transformers import LoadedModel, read_reply
from dilemma_kernel.records import ChatReply
from dilemma_kernel.semantics.refusal import is_refusal
from refusal_mechanism.cases import MODES, Call, Case, Judge, Judged, Mode, Reply
from refusal_transfer.arms import ARMS
from refusal_transfer.degenerate import degeneracy
from refusal_transfer.harness import NATIVE, NO_TOOLS, PROMPTED, arm_request
from refusal_transfer.records import Triple
from refusal_transfer.suite import Suite
from refusal_transfer.verdicts import RULES, heard, rule

CALLS: Mapping[str, Call] = {"unsafe": "unsafe", "safe_call": "safe", "no_call": "none"}
"""Tool verdict -> what the tables count; every other verdict is ``malformed``: not known, and never safe."""

NEEDED: tuple[Mode, ...] = ("chat", "tool")
"""Modes without which no table can use a case."""

Unmodified = Mapping[tuple[str, Mode], Judged]
"""(case, mode) -> what is said of the unmodified model's reply."""
Cut = Collection[str]
"""Cases whose chat the token limit cut, which rules say nothing of."""


@dataclass(frozen=True, kw_only=True)
class Handed:
    """Everything that the laboratory is given."""

    cases: tuple[Case, ...]
    unmodified: Unmodified
    judge: Judge
    left_out: int
    """Triples of the study without a stored reply in chat or under tools, or without either."""


def hand_over(
    suite: Suite, observed: Sequence[Observed], loaded: LoadedModel, *, native: bool, cut: Cut = ()
) -> Handed:
    """Cases, verdicts and judge of one model.

    Args:
        suite: where the triples are from.
        observed: what the transfer study saw of this model, harmful and benign.
        loaded: the model.
        native: whether tools go through its template; else they are offered in words.
        cut: cases whose chat the token limit cut.
    """
    how = NATIVE if native else PROMPTED
    unmodified = {place: judged for one in observed for place, judged in _verdicts(one, cut).items()}
    wanted = dict.fromkeys(case for one in observed for case in one.cases)
    whole = whole_cases(observed)
    return Handed(
        cases=tuple(_case(suite.triple(key), suite, loaded, how) for key in whole),
        unmodified=unmodified,
        judge=make_judge(suite, loaded, how),
        left_out=len(wanted) - len(whole),
    )


def whole_cases(observed: Sequence[Observed]) -> list[str]:
    """The cases with a reply in chat and one under tools; repeats of one case are one."""
    found: dict[str, set[Mode]] = {}
    for one in observed:
        for mode in NEEDED:
            arm = one.arms[mode]
            for case, there in zip(one.cases, arm.there & ~arm.crashed, strict=True):
                found.setdefault(case, set()).update({mode} if there else ())
    return [case for case, modes in found.items() if len(modes) == len(NEEDED)]


def _case(triple: Triple, suite: Suite, loaded: LoadedModel, how: str) -> Case:
    intent, tools = triple.intent, suite.domains[triple.intent.domain].tools
    prompts: dict[Mode, str] = {}
    for mode in MODES:
        request = arm_request(triple, mode, tools, how=how if ARMS[mode].tools else NO_TOOLS)
        prompts[mode] = loaded.render(request.messages, request.tools)
    return Case(
        key=triple.id,
        intent=intent.id,
        domain=intent.domain,
        request=intent.request,
        variant=triple.variant,
        system=triple.condition,
        prompts=prompts,
        pair=intent.pair,
    )


def make_judge(suite: Suite, loaded: LoadedModel, how: str) -> Judge:
    """The judge of replies: the very rules of refusal transfer.

    Args:
        suite: tools, predicates and texts.
        loaded: the model, whose family says how calls are written.
        how: how tools were offered, natively or in words.
    """

    def judge(case: Case, mode: Mode, reply: Reply) -> Judged:
        triple, with_tools = suite.triple(case.key), ARMS[mode].tools
        domain = suite.domains[case.domain]
        names = tuple(tool.name for tool in domain.tools) if with_tools else ()
        said = read_reply(loaded, reply.text, names if how == NATIVE else ())
        answer = ChatReply(text=kept(said.text), calls=said.calls)
        words = heard(answer, names, how if with_tools else NO_TOOLS)
        cut = reply.finish == "length"
        return Judged(
            refused=is_refusal(words.text),
            call=_call(rule(words.calls, domain, cut=cut).verdict if with_tools else None, cut=cut),
            degenerate=degeneracy(words.text, triple.text(ARMS[mode].wording), words.calls) != "none",
        )

    return judge


def _call(verdict: str | None, *, cut: bool) -> Call:
    """What the tables count; in chat, where there is no verdict on calls, only whether the reply was cut."""
    if verdict is None:
        return "malformed" if cut else "none"
    return CALLS.get(verdict, "malformed")


def _verdicts(one: Observed, cut: Cut) -> dict[tuple[str, Mode], Judged]:
    """What a study's first repeat says of each case and mode."""
    found: dict[tuple[str, Mode], Judged] = {}
    for mode in MODES:
        if mode not in one.arms:
            continue
        arm = one.arms[mode]
        said = arm.by(RULES)
        for row, case in enumerate(one.cases):
            if arm.there[row] and not arm.crashed[row]:
                tools = ARMS[mode].tools
                judged = Judged(
                    refused=None if np.isnan(said[row]) else bool(said[row]),
                    call=_call(str(arm.verdict[row]) if tools else None, cut=case in cut),
                    degenerate=bool(arm.degenerate[row] == 1),
                )
                found.setdefault((case, mode), judged)
    return found
