"""What holds for every reply of every family, however mangled."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcall_strategies import TOOLS, mangled, written_replies

from dilemma_kernel.models.hygiene import MAX_CALLS
from dilemma_kernel.models.toolcalls import FAMILIES, Family, ParsedReply, parse_reply

WRITTEN = written_replies()
FUZZED = 10_000
NOTHING_RUNS = frozenset({"exec", "import", "open", "os.system", "subprocess.Popen", "socket.connect", "ctypes.dlopen"})
FAMILY_NAMES = sorted(FAMILIES)

_watching: list[str] = []
_active = False


def _audit(event: str, _: tuple[Any, ...]) -> None:
    if _active and event in NOTHING_RUNS:
        _watching.append(event)


sys.addaudithook(_audit)


@contextmanager
def nothing_runs() -> Iterator[None]:
    """Fails where anything between is executed, imported, opened or connected to."""
    global _active
    _watching.clear()
    _active = True
    try:
        yield
    finally:
        _active = False
    assert _watching == []


def hold(parsed: ParsedReply) -> None:
    """The laws of one parsed reply."""
    assert len(parsed.calls) <= MAX_CALLS
    for call in parsed.calls:
        assert (call.arguments is None) is (call.malformed is not None)
        if call.arguments is not None:
            assert call.name
            json.dumps(call.arguments, allow_nan=False).encode()
            call.model_dump_json()
        call.raw.encode()


def test_fuzzed_replies_raise_nothing_and_run_nothing() -> None:
    families: list[Family] = list(FAMILIES)
    parse_all("", families)
    with nothing_runs():
        for seed in range(FUZZED):
            parse_all(mangled(seed, WRITTEN), [families[seed % len(families)]])


def parse_all(text: str, families: list[Family]) -> None:
    for family in families:
        hold(parse_reply(family, text, TOOLS))


@given(st.text(), st.sampled_from(FAMILY_NAMES))
def test_any_text_is_read(text: str, family: Family) -> None:
    hold(parse_reply(family, text, TOOLS))


@given(st.text(st.characters(exclude_characters="{[(<`|", exclude_categories=("Cs",))), st.sampled_from(FAMILY_NAMES))
def test_text_without_a_bracket_holds_no_call(text: str, family: Family) -> None:
    assert parse_reply(family, text, TOOLS).calls == ()


scalars = st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0␛"))
values = st.recursive(
    scalars | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
made_calls = st.lists(
    st.tuples(
        st.sampled_from(TOOLS), st.dictionaries(st.from_regex(r"[a-z]{1,8}", fullmatch=True), values, max_size=3)
    ),
    min_size=1,
    max_size=4,
)
Calls = list[tuple[str, dict[str, Any]]]


def written(family: Family, calls: Calls) -> str:
    """The calls as the family writes them."""
    if family == "gemma3":
        return "[" + ", ".join(f"{n}({', '.join(f'{k}={v!r}' for k, v in a.items())})" for n, a in calls) + "]"
    if family == "qwen3":
        objects = [json.dumps({"name": n, "arguments": a}) for n, a in calls]
        return "\n".join(f"<tool_call>\n{one}\n</tool_call>" for one in objects)
    if family == "mistral":
        return "[TOOL_CALLS] " + json.dumps([{"name": n, "arguments": a} for n, a in calls])
    if family == "command_r":
        items = [{"tool_call_id": str(i), "tool_name": n, "parameters": a} for i, (n, a) in enumerate(calls)]
        return f"<|START_ACTION|>{json.dumps(items, ensure_ascii=False)}<|END_ACTION|>"
    key = "parameters" if family == "llama3" else "arguments"
    return "; ".join(json.dumps({"name": n, key: a}) for n, a in calls)


@given(made_calls, st.sampled_from([name for name in FAMILY_NAMES if name != "gemma3"]))
def test_calls_written_in_a_family_come_back(calls: Calls, family: Family) -> None:
    parsed = parse_reply(family, written(family, calls), TOOLS)
    assert [(call.name, call.arguments) for call in parsed.calls] == calls
    assert parsed.text == ""


python_words = st.from_regex(r"[a-z]{2}_[a-z]{1,6}", fullmatch=True)


@given(
    st.lists(
        st.tuples(st.sampled_from(TOOLS), st.dictionaries(python_words, values, max_size=3)), min_size=1, max_size=4
    )
)
def test_python_calls_come_back(calls: Calls) -> None:
    parsed = parse_reply("gemma3", written("gemma3", calls), TOOLS)
    assert [(call.name, call.arguments) for call in parsed.calls] == calls


@given(made_calls, st.sampled_from(FAMILY_NAMES), st.data())
def test_what_is_cut_makes_no_call_that_was_not_made(calls: Calls, family: Family, data: st.DataObject) -> None:
    named = [(n, {f"{k}_": v for k, v in a.items()}) for n, a in calls]
    text = written(family, named)
    cut = data.draw(st.integers(0, len(text)))
    parsed = [call for call in parse_reply(family, text[:cut], TOOLS).calls if call.malformed is None]
    assert [(call.name, call.arguments) for call in parsed] == named[: len(parsed)]


UNITS = (
    '{"a":', '{"name":', "[", "(", "get_quote(a=", "<tool_call>{", "<think>x</think>", "`", "{ ", '{"get_quote', "'",
    "-",
    "[TOOL_CALLS]", "<|START_THINKING|>x<|END_THINKING|>", "```json\n{", "```tool_code\nf(", " ", "\n", "a", "[a",
    '{"name": "get_quote", ', "`<tool_call>", "not ", "a.", "<|START_ACTION|>", '{"\\', '{"name": "get_quote"} ',
    '> {"a":1} ',
)  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_repetition_is_read_in_bounded_work(family: Family, unit: str) -> None:
    parsed = parse_reply(family, unit * (200_000 // len(unit)), TOOLS)
    hold(parsed)


def test_many_calls_are_bounded_and_said_to_be() -> None:
    calls: Calls = [("list_accounts", {})] * (MAX_CALLS + 5)
    for family in FAMILIES:
        parsed = parse_reply(family, written(family, calls), TOOLS)
        assert len(parsed.calls) == MAX_CALLS
        assert parsed.calls[-1].malformed is not None


def test_the_guard_sees_what_is_run() -> None:
    with pytest.raises(AssertionError), nothing_runs():
        exec("1")
