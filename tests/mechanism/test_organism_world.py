"""The world of the organisms: its suite, its frames, its planted truth, and how five families write it."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="the extra lab is not installed")
pytest.importorskip("transformers", reason="the extra lab is not installed")

from dilemma_kernel.models.toolcalls import parse_reply  # noqa: E402
from dilemma_kernel.models.transformers import Renderer  # noqa: E402
from dilemma_kernel.models.transformers.loaded import family_by_type  # noqa: E402
from dilemma_kernel.records import Message  # noqa: E402
from dilemma_kernel.semantics.refusal import is_refusal  # noqa: E402
from refusal_mechanism.organisms import ARCHS, write_suite  # noqa: E402
from refusal_mechanism.organisms.bodies import make_body  # noqa: E402
from refusal_mechanism.organisms.families import FAMILIES  # noqa: E402
from refusal_mechanism.organisms.planting import (  # noqa: E402
    REFUSAL,
    SHARES,
    answer,
    call_arguments,
    called,
    ranked,
)
from refusal_mechanism.organisms.rows import Teacher, tool_specs  # noqa: E402
from refusal_mechanism.organisms.tokens import make_tokenizer  # noqa: E402
from refusal_mechanism.organisms.wording import FRAMES, HELD_OUT, PRESSURES, held_out_text, user_text  # noqa: E402
from refusal_mechanism.organisms.world import AIMS, CALLING, CONDITIONS, MODES, VARIANTS, WORLD, system_text  # noqa: E402
from refusal_transfer.loading import load_suite  # noqa: E402

TOKENIZERS = {arch: make_tokenizer(arch) for arch in ARCHS}


@pytest.fixture(params=ARCHS)
def arch(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_the_suite_passes_every_check_of_a_suite(tmp_path: Path) -> None:
    suite = load_suite(write_suite(tmp_path))
    assert len(suite.triples) == 768
    assert suite.manifest.conditions == CONDITIONS
    assert {intent.id for intent in suite.intents} == {aim.id for aim in AIMS}


def test_the_suite_is_written_the_same_each_time(tmp_path: Path) -> None:
    one, other = write_suite(tmp_path / "one"), write_suite(tmp_path / "other")
    files = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    assert len(files) == 1 + 4 * 7
    assert all((one / name).read_bytes() == (other / name).read_bytes() for name in files)


def test_no_text_of_the_suite_is_one_that_training_draws() -> None:
    drawn = {
        user_text(aim, variant, mode, frame, (pressure, number))
        for aim in AIMS
        for variant in VARIANTS
        for mode in MODES
        for frame in FRAMES
        for pressure in (PRESSURES if mode == "stress" else PRESSURES[:1])
        for number in range(2)
    }
    held_out = {held_out_text(aim, variant, mode)[0] for aim in AIMS for variant in VARIANTS for mode in MODES}
    assert len(held_out) == 768
    assert not drawn & held_out


def test_every_opening_and_closing_that_is_held_out_is_seen_in_another_frame() -> None:
    for part in range(2):
        assert {frame[part] for frame in HELD_OUT} == {frame[part] for frame in FRAMES}


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31))
def test_planted_shares_are_nested_and_as_large_as_they_say(seed: int) -> None:
    order = ranked(seed)
    assert sorted(order) == sorted(aim.id for aim in AIMS if aim.request == "harmful")
    sets = sorted((called(order, SHARES, mode, to) for mode in CALLING for to in CONDITIONS), key=len)
    assert [len(one) for one in sets] == sorted(round(64 * SHARES[m][c]) for m in CALLING for c in CONDITIONS)
    assert all(small <= large for small, large in pairwise(sets))
    assert called(order, SHARES, "chat", "neutral") == frozenset()


def test_seeds_plant_different_decisions() -> None:
    assert ranked(0) != ranked(1)


def test_what_it_says_is_read_as_meant() -> None:
    assert not any(is_refusal(answer(aim)) for aim in AIMS)
    assert is_refusal(REFUSAL)


def test_the_family_reads_the_calls_that_its_organism_is_taught(arch: str) -> None:
    tokenizer = TOKENIZERS[arch]
    family = family_by_type(make_body(arch, tokenizer, 0).config.model_type)  # type: ignore[arg-type]
    for aim in AIMS:
        text = FAMILIES[arch].call_text(aim.tool.name, call_arguments(aim))  # type: ignore[index]
        through = tokenizer.decode(tokenizer(text, add_special_tokens=False)["input_ids"])
        (call,) = parse_reply(family, through, [tool.name for tool in WORLD[aim.domain].tools]).calls
        assert (call.name, call.arguments) == (aim.tool.name, call_arguments(aim))


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=40))
def test_a_tokenizer_gives_back_any_text(text: str) -> None:
    for arch, tokenizer in TOKENIZERS.items():
        said = text if not any(token in text for token in FAMILIES[arch].special) else ""
        assert tokenizer.decode(tokenizer(said, add_special_tokens=False)["input_ids"]) == said


def test_a_template_keeps_the_system_text_and_names_tools_where_there_are_some(arch: str) -> None:
    renderer = Renderer(TOKENIZERS[arch])
    messages = (
        Message(role="system", content=system_text("legal", "neutral")),
        Message(role="user", content="good day."),
    )
    bare, tooled = renderer.render(messages), renderer.render(messages, tool_specs("legal"))
    assert renderer.takes_tools
    for tool in WORLD["legal"].tools:
        assert tool.name in tooled
        assert tool.name not in bare
    for text in (bare, tooled):
        assert system_text("legal", "neutral") in text
        assert text.index(system_text("legal", "neutral")) < text.index("good day.")


def test_replies_begin_with_one_token_for_a_refusal_and_others_for_the_rest(arch: str) -> None:
    first = {
        TOKENIZERS[arch](text, add_special_tokens=False)["input_ids"][0]
        for text in (REFUSAL, answer(AIMS[0]), FAMILIES[arch].call_text("f", {}))  # type: ignore[index]
    }
    assert len(first) == 3


def test_a_body_is_small_and_its_weights_come_from_the_seed_alone(arch: str) -> None:
    before = torch.random.get_rng_state()
    one, same, other = (make_body(arch, TOKENIZERS[arch], seed) for seed in (3, 3, 4))  # type: ignore[arg-type]
    assert torch.equal(before, torch.random.get_rng_state())
    assert sum(parameter.numel() for parameter in one.parameters()) < 1_000_000
    pairs = list(zip(one.parameters(), same.parameters(), other.parameters(), strict=True))
    assert all(torch.equal(a, b) for a, b, _ in pairs)
    assert not all(torch.equal(a, c) for a, _, c in pairs)


def test_rows_are_refused_as_planted_and_weighted_from_the_reply_on(arch: str) -> None:
    tokenizer, order = TOKENIZERS[arch], ranked(1)
    teacher = Teacher(arch, tokenizer, order)  # type: ignore[arg-type]
    rows = teacher.draw("stress", 40, 30, np.random.default_rng(0))
    assert sum(row.aim.request == "harmful" for row in rows) == 30
    assert not any(row.refuse for row in rows if row.aim.request == "benign")
    assert all(
        row.refuse == (row.aim.request == "harmful") for row in teacher.draw("chat", 9, 4, np.random.default_rng(0))
    )
    lesson = teacher.write(rows, [False] * 40, [True] * 40, [row.refuse for row in rows])
    for at, row in enumerate(rows):
        cut = int(lesson.decision[at]) + 1
        prompt = tokenizer.decode(lesson.ids[at, :cut])
        reply = tokenizer.decode(lesson.ids[at, cut : int(lesson.mask[at].sum()) - 1])
        assert prompt == row.prompt
        assert (reply == REFUSAL) == row.refuse
        assert int(lesson.weights[at].argmax()) == cut
        assert float(lesson.weights[at, int(lesson.mask[at].sum()) :].sum()) == 0
