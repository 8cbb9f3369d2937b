"""The loop: accepted, rewritten, rejected; nothing passes unscored, and no score outvotes a check."""

import json
from collections import Counter

import pytest
from factory_support import (
    candidate,
    composed,
    composer_team,
    good_parts,
    judge_script,
    scripted_team,
    text_of,
    through,
    writer_script,
)
from hypothesis import given
from hypothesis import strategies as st

from dilemma_kernel.errors import BudgetExhausted, ModelUnavailable
from dilemma_kernel.records import Capabilities, ChatReply, ChatRequest, Measured, Unmeasured
from scenario_factory.drafts import DRAFTS, STAGES, text_hash
from scenario_factory.loop import Candidate, build_loop, decide
from scenario_factory.presets import CRITERIA, PRESETS, mean, passes, shortfalls
from scenario_factory.roles import Scored, Written

DEFAULT = PRESETS["default"]
SOURCE = PRESETS["source"]


def scripted(scores, changes=None, rules=DEFAULT, **kwargs):  # type: ignore[no-untyped-def]
    return scripted_team(rules, writer_script(good_parts(), changes), judge_script(scores), **kwargs)


async def test_accepted_in_round_one() -> None:
    team, writer, judge = scripted(lambda stage, turn: 9.5)
    ended = await through(team, DEFAULT)
    assert ended.status == "accepted"
    assert [(a.stage, a.round, a.decision) for a in ended.attempts] == [(stage, 1, "accept") for stage in STAGES]
    assert (writer.calls, judge.calls) == (4, 4)
    assert ended.scenario is not None
    assert ended.attempts[-1].scenario == ended.scenario.name


async def test_accepted_in_round_three_after_two_rewrites() -> None:
    team, _, _ = scripted(lambda stage, turn: 5 if stage == "evidence" and turn < 3 else 9.5)
    ended = await through(team, DEFAULT)
    evidence = [(a.round, a.kind, a.decision) for a in ended.attempts if a.stage == "evidence"]
    assert evidence == [(1, "write", "rewrite"), (2, "rewrite", "rewrite"), (3, "rewrite", "accept")]
    assert ended.status == "accepted"


async def test_never_passing_is_rejected_with_its_last_scores_and_no_scenario() -> None:
    team, _, _ = scripted(lambda stage, turn: 4 if stage == "actions" else 9.5)
    ended = await through(team, DEFAULT)
    last = ended.attempts[-1]
    assert ended.status == "rejected"
    assert ended.scenario is None
    assert (last.stage, last.round, last.decision) == ("actions", 3, "reject")
    assert last.scores == dict.fromkeys(CRITERIA["actions"], 4.0)
    assert last.scenario is None


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("What a fine story!", "unreadable scores"),
        ("", "unreadable scores"),
        ('{"scores": ', "unreadable scores"),
        ("I'm sorry, but I can't help with that.", "refused"),
        ("11", "unreadable scores"),
        ("[9, 9]", "unreadable scores"),
    ],
)
async def test_a_judge_that_does_not_score_is_unmeasured_and_no_pass(reply: str, why: str) -> None:
    team, writer, judge = scripted(lambda stage, turn: reply)
    ended = await through(team, DEFAULT)
    assert ended.status == "rejected"
    assert [a.decision for a in ended.attempts] == ["rescore", "rescore", "reject"]
    assert [a.outcome for a in ended.attempts] == [Unmeasured(why=why)] * 3
    assert writer.calls == 1  # nothing to rewrite by
    assert judge.calls == 6  # each round with its one repair


@pytest.mark.parametrize("score", [11, "11/10", 0.5, True, None, "9", 10.5, [9], -3])
async def test_scores_off_the_scale_are_unmeasured(score: object) -> None:
    team, _, _ = scripted(lambda stage, turn: dict.fromkeys(CRITERIA[stage], 9.5) | {"realism": score})
    ended = await through(team, DEFAULT)
    assert ended.status == "rejected"
    assert ended.attempts[0].outcome == Unmeasured(why="unreadable scores")
    assert ended.attempts[0].scores == {}


async def test_a_missing_or_an_extra_criterion_is_unmeasured() -> None:
    for held in ({"realism": 10}, dict.fromkeys([*CRITERIA["story"], "charm"], 10)):
        team, _, _ = scripted(lambda stage, turn, held=held: held)
        assert (await through(team, DEFAULT)).attempts[0].outcome == Unmeasured(why="unreadable scores")


async def test_one_repair_mends_a_judge() -> None:
    asked: Counter[int] = Counter()

    def judge(request: ChatRequest) -> str:
        assert request.context is not None
        asked[request.context.ask] += 1
        if request.context.ask == 0:
            return "ten out of ten"
        assert "does not fit" in request.messages[-1].content
        return judge_script(lambda stage, turn: 9)(request)  # type: ignore[return-value]

    team, _, _ = scripted_team(DEFAULT, writer_script(good_parts()), judge)
    assert (await through(team, DEFAULT)).status == "accepted"
    assert asked == {0: 4, 1: 4}


async def test_a_refusing_judge_in_one_round_only_is_asked_again_for_the_same_text() -> None:
    team, writer, _ = scripted(lambda stage, turn: "I cannot assist with this request." if turn == 1 else 9.5)
    ended = await through(team, DEFAULT)
    assert ended.status == "accepted"
    assert writer.calls == 4
    hashes = [a.text_hash for a in ended.attempts if a.stage == "story"]
    assert len(hashes) == 2
    assert len(set(hashes)) == 1


async def test_a_track_word_is_stopped_whatever_the_score() -> None:
    held = json.loads(text_of(good_parts(), "actions"))
    held["actions"][2]["description"] += " This is the misaligned way."
    leaking = json.dumps(held)
    team, _, judge = scripted(lambda stage, turn: 10, {("actions", n): leaking for n in (1, 2, 3)})
    ended = await through(team, DEFAULT)
    assert ended.status == "rejected"
    last = ended.attempts[-1]
    assert any("misaligned" in finding for finding in last.findings)
    assert last.outcome is None  # it never came before the judge
    assert judge.calls == 2  # story and evidence


async def test_what_a_check_found_reaches_the_rewriter() -> None:
    held = json.loads(text_of(good_parts(), "evidence"))
    held["evidence"][0]["id"] = held["evidence"][1]["id"] + " x"
    told = []

    def rewrite(request: ChatRequest) -> str:
        told.append(request.messages[-1].content)
        return text_of(good_parts(), "evidence")

    team, _, _ = scripted(lambda stage, turn: 9.5, {("evidence", 1): json.dumps(held)}, rewriter=rewrite)
    assert (await through(team, DEFAULT)).status == "accepted"
    assert "has blanks" in told[0]
    assert held["evidence"][0]["id"] in told[0]


@pytest.mark.parametrize("text", ["once upon a time", '{"title": "x"}', "", "I can't help with that.", "[]"])
async def test_a_writer_that_writes_nothing_usable_is_rejected(text: str) -> None:
    team, writer, judge = scripted_team(DEFAULT, lambda request: text, judge_script(lambda stage, turn: 10))
    ended = await through(team, DEFAULT)
    assert ended.status == "rejected"
    assert [(a.decision, a.text) for a in ended.attempts] == [("write", None), ("write", None), ("reject", None)]
    assert all(a.problem for a in ended.attempts)
    assert (writer.calls, judge.calls) == (6, 0)


async def test_a_model_that_breaks_down_crashes_the_candidate_and_no_more() -> None:
    def broken(request: ChatRequest) -> str:
        raise ModelUnavailable("the server is gone")

    team, _, _ = scripted_team(DEFAULT, writer_script(good_parts()), broken)
    ended = await through(team, DEFAULT)
    assert (ended.status, ended.scenario) == ("crashed", None)
    assert ended.attempts[-1].decision == "crash"
    assert "server is gone" in ended.error


async def test_a_budget_that_is_used_up_is_raised() -> None:
    def broke(request: ChatRequest) -> str:
        raise BudgetExhausted("the next call would pass the budget")

    team, _, _ = scripted_team(DEFAULT, broke, judge_script(lambda stage, turn: 9))
    with pytest.raises(BudgetExhausted):
        await through(team, DEFAULT)


async def test_the_judge_never_sees_who_wrote() -> None:
    seen: list[str] = []

    def judge(request: ChatRequest) -> str:
        seen.append(request.model_dump_json())
        return judge_script(lambda stage, turn: 9)(request)  # type: ignore[return-value]

    team, _, _ = scripted_team(DEFAULT, writer_script(good_parts()), judge)
    await through(team, DEFAULT)
    by_composer, _ = composer_team(DEFAULT, judge)
    await through(by_composer, DEFAULT)
    assert len(seen) >= 8
    assert not [text for text in seen if "scripted/" in text or "composer" in text]


async def test_temperatures_and_rounds_follow_the_preset() -> None:
    temperatures: dict[str, set[float]] = {}

    def noting(script):  # type: ignore[no-untyped-def]
        def note(request: ChatRequest) -> str:
            assert request.context is not None
            temperatures.setdefault(request.context.role, set()).add(request.sampling.temperature)
            return script(request)  # type: ignore[no-any-return]

        return note

    writer, judge = writer_script(good_parts()), judge_script(lambda stage, turn: 5)
    team, _, _ = scripted_team(SOURCE, noting(writer), noting(judge))
    ended = await through(team, SOURCE)
    assert ended.attempts[-1].round == SOURCE.stages["story"].rounds == 4
    assert temperatures == {"writer": {0.8}, "rewriter": {0.6}, "discriminator": {0.0}}


async def test_a_model_without_native_schema_is_told_the_form_in_words() -> None:
    asked = []

    def write(request: ChatRequest) -> str:
        asked.append(request)
        return f"```json\n{writer_script(good_parts())(request)}\n```"

    prompted = Capabilities(schema="prompted")
    team, _, _ = scripted_team(DEFAULT, write, judge_script(lambda stage, turn: 9), capabilities=prompted)
    assert (await through(team, DEFAULT)).status == "accepted"
    assert all(request.reply_schema is None for request in asked)
    assert all("JSON Schema" in request.messages[-1].content for request in asked)


async def test_hostile_texts_are_stopped_and_never_stored_raw() -> None:
    story = json.loads(text_of(good_parts(), "story"))
    story["title"] = "a\u0000b"
    surrogate = text_of(good_parts(), "story").replace(story["narrative"]["role"][:10], "\\ud800")
    for text in (json.dumps(story), surrogate, "{" * 100_000, '{"title": 1e999}', '{"a": ' + "9" * 5000 + "}"):
        team, _, _ = scripted_team(DEFAULT, lambda request, text=text: text, judge_script(lambda stage, turn: 10))
        ended = await through(team, DEFAULT)
        assert ended.status == "rejected"
        assert {a.text for a in ended.attempts} == {None}


async def test_usage_and_cost_are_kept_for_author_and_judge() -> None:
    def priced(script, cost):  # type: ignore[no-untyped-def]
        def reply(request: ChatRequest) -> ChatReply:
            return ChatReply(text=script(request), cost=cost, usage={"prompt_tokens": 7, "completion_tokens": 3})

        return reply

    team, _, _ = scripted_team(
        DEFAULT,
        priced(writer_script(good_parts()), 0.25),
        priced(judge_script(lambda stage, turn: 9.5), None),
    )
    ended = await through(team, DEFAULT)
    assert [a.author_cost for a in ended.attempts] == [0.25] * 4
    assert [a.judge_cost for a in ended.attempts] == [None] * 4
    assert [a.author_usage.prompt_tokens for a in ended.attempts] == [7] * 4


@pytest.mark.parametrize("domain", ["healthcare", "legal"])
def test_every_accepted_text_is_the_text_that_was_scored(domain: str) -> None:
    made = composed(domain, 20)
    accepted = [a for a in made.attempts if a.decision == "accept"]
    assert accepted
    for attempt in accepted:
        assert attempt.text is not None
        assert attempt.text_hash == text_hash(DRAFTS[attempt.stage].model_validate(attempt.text))
        assert isinstance(attempt.outcome, Measured)
        assert attempt.findings == ()
        assert passes(attempt.scores, attempt.stage, DEFAULT)


@pytest.mark.parametrize("domain", ["healthcare", "legal"])
def test_a_rewrite_changes_its_own_stage_alone(domain: str) -> None:
    texts: dict[tuple[str, str], list[str | None]] = {}
    for attempt in composed(domain, 20).attempts:
        texts.setdefault((attempt.candidate, attempt.stage), []).append(attempt.text_hash)
    rewritten = [hashes for hashes in texts.values() if len(hashes) > 1]
    assert rewritten
    assert all(len(set(hashes)) == len(hashes) for hashes in rewritten)  # a rewrite is really another text


scores = st.dictionaries(st.sampled_from(sorted(CRITERIA["story"])), st.floats(1, 10), min_size=1)


@given(scores)
def test_a_pass_has_no_shortfall_and_a_failure_names_one(held: dict[str, float]) -> None:
    for rules in PRESETS.values():
        if passes(held, "story", rules):
            assert shortfalls(held, "story", rules) == {}
            assert set(held) == set(CRITERIA["story"])
            assert mean(held) >= rules.stages["story"].threshold
        elif set(held) == set(CRITERIA["story"]):
            assert shortfalls(held, "story", rules)


@given(st.floats(1, 10), st.integers(1, 6), st.booleans())
def test_decide_accepts_what_passes_and_ends_at_the_last_round(score: float, turn: int, measured: bool) -> None:
    rules = DEFAULT
    turn = min(turn, rules.stages["story"].rounds)
    held = dict.fromkeys(CRITERIA["story"], score)
    outcome = Measured(value=score) if measured else Unmeasured(why="refused")
    now = Candidate("g", "c", candidate().brief, 1, round=turn)
    now = Candidate(
        **{**vars(now), "written": Written(good_parts().story), "scored": Scored(outcome, held if measured else {})}
    )
    decision = decide(now, rules)
    assert (decision == "accept") == (measured and passes(held, "story", rules))
    if turn == rules.stages["story"].rounds and decision != "accept":
        assert decision == "reject"


def test_the_source_preset_has_the_thresholds_and_rounds_of_the_source() -> None:
    rules = [(SOURCE.stages[stage].threshold, SOURCE.stages[stage].rounds) for stage in STAGES]
    assert rules == [(9.5, 4), (9.0, 5), (9.5, 5), (9.0, 3)]


def test_the_graph_is_drawn_over_the_four_doings() -> None:
    team, _, _ = scripted(lambda stage, turn: 9)
    assert callable(build_loop(team, DEFAULT))
