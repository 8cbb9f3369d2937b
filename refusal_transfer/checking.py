"""Is a suite whole? Counts, pairing, wording, tools, and predicates held against their own cases."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from jsonschema import Draft202012Validator

from refusal_transfer.folding import fold
from refusal_transfer.reading import Reading
from refusal_transfer.records import MODES, REQUESTS, VARIANTS, ExampleCall, Intent
from refusal_transfer.suite import Domain, Suite

TOOL_WORDS = ("tool", "tools", "toolkit", "api", "endpoint", "plugin", "function call", "json schema")
"""Words beside the tools' own names that no chat text may hold."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a suite."""

    check: str
    where: str
    message: str


def check_suite(suite: Suite) -> tuple[Finding, ...]:
    """Everything that is wrong with ``suite``; empty where it is whole."""
    return tuple(finding for check in _CHECKS for finding in check(suite))


def count(suite: Suite) -> dict[str, int]:
    """How much there is of everything that a manifest declares."""
    intents, triples = suite.intents, suite.triples
    harmful = sum(triple.intent.request == "harmful" for triple in triples)
    cells = {
        (t.intent.domain, t.intent.scenario, t.condition, t.variant, t.intent.request, mode)
        for t in triples
        for mode in MODES
    }
    return {
        "prompts": len(triples) * len(MODES),
        "cells": len(cells),
        "harmful_triples": harmful,
        "benign_triples": len(triples) - harmful,
        "intents": len(intents),
        "harmful_intents": sum(intent.request == "harmful" for intent in intents),
        "benign_intents": sum(intent.request == "benign" for intent in intents),
        "harmful_clusters": len({t.cluster for t in triples if t.intent.request == "harmful"}),
        "benign_clusters": len({t.cluster for t in triples if t.intent.request == "benign"}),
        "user_texts": len({text for _, text in _texts(suite)}),
        "system_texts": len({text for domain in suite.domains.values() for text in domain.systems.values()}),
        "tools": sum(len(domain.tools) for domain in suite.domains.values()),
        "predicates": sum(len(domain.forbidden) for domain in suite.domains.values()),
    }


def _texts(suite: Suite) -> Iterator[tuple[str, str]]:
    for intent in suite.intents:
        for variant in VARIANTS:
            for mode in MODES:
                yield f"{intent.id}-{variant}-{mode}", intent.wordings[variant].text(mode)


def _counts(suite: Suite) -> Iterator[Finding]:
    found = count(suite)
    for name, declared in suite.manifest.counts.items():
        if name not in found:
            yield Finding("counts", f"counts.{name}", f"expected one of {', '.join(found)}")
        elif found[name] != declared:
            yield Finding("counts", f"counts.{name}", f"declared are {declared}, the folder holds {found[name]}")
    for name in sorted(found.keys() - suite.manifest.counts.keys()):
        yield Finding("counts", f"counts.{name}", "the manifest does not declare it")


def _pairing(suite: Suite) -> Iterator[Finding]:
    manifest = suite.manifest
    seen = Counter(intent.id for intent in suite.intents)
    wanted = {
        f"{domain}-{scenario}-{batch}-{request}"
        for domain in manifest.domains
        for scenario in manifest.scenarios
        for batch in range(1, manifest.batches + 1)
        for request in REQUESTS
    }
    for name in sorted(wanted - seen.keys()):
        yield Finding("pairing", name, "the intent is missing")
    for name, times in sorted(seen.items()):
        if times > 1 or name not in wanted:
            yield Finding("pairing", name, "is there twice" if times > 1 else "has no place in the manifest")


def _systems(suite: Suite) -> Iterator[Finding]:
    for domain in suite.domains.values():
        if tuple(domain.systems) != suite.manifest.conditions:
            wanted = ", ".join(suite.manifest.conditions)
            yield Finding("systems", domain.name, f"expected a system text for each of {wanted}, in that order")
        for condition, text in domain.systems.items():
            if not text.strip():
                yield Finding("systems", f"{domain.name}-{condition}", "the text is empty")


def _wordings(suite: Suite) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for where, text in _texts(suite):
        folded = fold(text)
        if not folded:
            yield Finding("wordings", where, "the text is empty")
        elif folded in seen:
            yield Finding("wordings", where, f"reads the same as {seen[folded]}")
        seen.setdefault(folded, where)


def _tool_names(suite: Suite) -> Iterator[Finding]:
    every = [tool.name for domain in suite.domains.values() for tool in domain.tools]
    for name, times in Counter(every).items():
        if times > 1:
            yield Finding("tools", name, "two tools have this name")
    forbidden = re.compile(rf"\b(?:{'|'.join(map(re.escape, [*map(fold, every), *TOOL_WORDS]))})\b")
    for intent in suite.intents:
        for variant, wording in intent.wordings.items():
            if found := forbidden.search(fold(wording.chat)):
                yield Finding("tools", f"{intent.id}-{variant}-chat", f"the chat text says {found[0]!r}")
            for mode in ("tool", "stress"):
                if intent.tool not in getattr(wording, mode):
                    yield Finding("tools", f"{intent.id}-{variant}-{mode}", f"the text does not name {intent.tool}")


def _schemas(suite: Suite) -> Iterator[Finding]:
    for intent in suite.intents:
        tool = suite.domains[intent.domain].tool(intent.tool)
        if tool is None:
            yield Finding("tools", intent.id, f"{intent.tool} is no tool of {intent.domain}")
            continue
        validator = Draft202012Validator(tool.parameters)
        for kind, call in _examples(intent):
            for error in validator.iter_errors(call.arguments):
                yield Finding("calls", f"{intent.id} {kind}", f"{error.json_path}: {error.message}")


def _predicates(suite: Suite) -> Iterator[Finding]:
    names = Counter(action.name for domain in suite.domains.values() for action in domain.forbidden)
    for name, times in names.items():
        if times > 1:
            yield Finding("predicates", name, "two forbidden actions have this name")
    for domain in suite.domains.values():
        for action in domain.forbidden:
            if domain.tool(action.tool) is None:
                yield Finding("predicates", action.name, f"watches {action.tool}, which is no tool of {domain.name}")
    for intent in suite.intents:
        yield from _caught_and_clear(intent, suite.domains[intent.domain])


def _caught_and_clear(intent: Intent, domain: Domain) -> Iterator[Finding]:
    for kind, call in _examples(intent):
        caught = tuple(a.name for a in domain.forbidden if a.judge(Reading(call.tool, call.arguments)).caught)
        if kind == "call" and intent.predicate is not None:
            if intent.predicate not in caught:
                yield Finding("predicates", f"{intent.id} {kind}", f"{intent.predicate} does not catch it")
        elif caught:
            yield Finding("predicates", f"{intent.id} {kind}", f"{', '.join(caught)} catches it, and none should")


def _examples(intent: Intent) -> Iterator[tuple[str, ExampleCall]]:
    yield "call", intent.call
    if intent.decoy is not None:
        yield "decoy", intent.decoy


_CHECKS: tuple[Callable[[Suite], Iterator[Finding]], ...] = (
    _counts,
    _pairing,
    _systems,
    _wordings,
    _tool_names,
    _schemas,
    _predicates,
)
