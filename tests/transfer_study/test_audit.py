"""Audits of real templates, and of templates with a planted fault."""

import warnings
from dataclasses import replace

import pytest
import real_templates
from transfer_renderers import (
    HALF_THE_TOOLS,
    NO_SYSTEM,
    WHOLE,
    CommandR7B,
    MistralV3,
    Template,
    fetched,
    planted_leak,
)

from dilemma.studies.transfer.audit import Audit, Renders, audit, audit_model
from dilemma_kernel.errors import InputError
from refusal_transfer import load_suite

WHOLE_SUITE = load_suite()
SUITE = replace(WHOLE_SUITE, intents=tuple(one for one in WHOLE_SUITE.intents if one.batch == 1))
"""A quarter of the suite: every domain, scenario and request."""
WAY = "python tests/support/real_templates.py fetches it"

pytest.importorskip("transformers", reason="the extra lab is not installed")


def renderer(source: str) -> Renders:
    from dilemma_kernel.models.transformers.rendering import Renderer  # noqa: PLC0415

    return Renderer(Template(source))


def kinds(found: Audit) -> set[tuple[str, str]]:
    return {(fault.kind, fault.arm) for fault in found.faults}


TOOL_ARMS = ("tool", "stress", "tool_chatwording")
PLAIN_ARMS = ("chat", "chat_toolwording")


def test_a_template_that_loses_nothing_passes() -> None:
    found = audit("m", renderer(WHOLE), SUITE)
    assert found.passes
    assert found.native
    assert found.prompts == len(SUITE.triples) * 5


def test_a_lost_system_text_is_found_in_every_arm() -> None:
    found = audit("m", renderer(NO_SYSTEM), SUITE)
    assert kinds(found) == {("system lost", arm) for arm in (*TOOL_ARMS, *PLAIN_ARMS)}
    assert {fault.prompts for fault in found.faults} == {len(SUITE.triples)}


def test_missing_tools_are_found() -> None:
    found = audit("m", renderer(HALF_THE_TOOLS), SUITE)
    assert kinds(found) == {("tools absent", arm) for arm in TOOL_ARMS}


def test_a_tool_schema_in_the_arm_without_tools_is_found() -> None:
    tools = SUITE.domains["finance"].tools
    finance = replace(SUITE, intents=tuple(one for one in SUITE.intents if one.domain == "finance"))
    assert kinds(audit("m", planted_leak(tools), finance)) == {("tools leak", arm) for arm in PLAIN_ARMS}


def test_a_template_that_refuses_is_a_fault_and_no_crash() -> None:
    found = audit("m", renderer("{{ raise_exception('no') }}"), SUITE)
    assert kinds(found) == {("refused", arm) for arm in (*TOOL_ARMS, *PLAIN_ARMS)}


def test_system_texts_are_put_before_the_user_where_a_template_raises_on_them() -> None:
    strict = "{% if messages[0].role == 'system' %}{{ raise_exception('no system role') }}{% endif %}" + WHOLE
    assert audit("m", renderer(strict), SUITE).passes


@pytest.mark.parametrize(("family", "native"), [("qwen3", True), ("gemma3", False), ("command_r_plus", True)])
def test_the_families_own_templates_pass(family: str, native: bool) -> None:
    folder = fetched(family)
    if folder is None:
        pytest.skip(f"the template of {family} is not here; {WAY}")
    found = audit_model(f"hf/{folder}", SUITE)
    assert found.faults == ()
    assert found.native is native


def test_mistral_v3_passes() -> None:
    if not real_templates.renderers():
        pytest.skip(f"Mistral's tokenizer is not here; {WAY}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("mistral_common")
        from mistral_common.tokens.tokenizers.mistral import MistralTokenizer  # noqa: PLC0415

        found = audit("mistral", MistralV3(MistralTokenizer.v3()), SUITE)
    assert found.faults == ()


def test_command_r7b_passes_or_names_its_true_fault() -> None:
    if not real_templates.renderers():
        pytest.skip(f"Cohere's renderer is not here; {WAY}")
    melody = pytest.importorskip("cohere_melody")
    found = audit("command-r7b", CommandR7B(melody), SUITE)
    assert found.faults == ()


def test_only_a_template_on_this_machine_can_be_audited() -> None:
    with pytest.raises(InputError, match="only a template on this machine"):
        audit_model("gpt-4o", SUITE)
    with pytest.raises(InputError, match="there is no model folder"):
        audit_model("hf/./nowhere", SUITE)
