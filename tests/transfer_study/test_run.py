"""Studies of refusal transfer from end to end: stored, resumed, budgeted, counted by both rules, planted."""

from pathlib import Path

import pytest
from killed_studies import dies_and_goes_on, start
from transfer_study_models import caller, filtered, run_mortal

from dilemma.studies.simulate import simulate
from dilemma.studies.transfer.figures import TransferReport
from dilemma.studies.transfer.run import transfer
from dilemma.studies.transfer.study import open_transfer_study
from dilemma_kernel.errors import BudgetExhausted, DesignError, InputError, ModelRejected, StudyError
from dilemma_kernel.models.scripted import ScriptedModel
from refusal_transfer import load_suite
from trajectories import open_store

SUITE = load_suite()


@pytest.fixture(scope="module")
def unkilled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unkilled")
    assert start(run_mortal, folder) == 0
    return folder


@pytest.mark.filterwarnings("ignore::DeprecationWarning:multiprocessing")
@pytest.mark.parametrize("dies_at", [1, 9, 23])
def test_a_killed_run_asks_for_no_stored_reply_again(dies_at: int, unkilled: Path, tmp_path: Path) -> None:
    dies_and_goes_on(run_mortal, dies_at, tmp_path, unkilled, concurrency=4)


async def run(tmp_path: Path, model: object, **options: object) -> TransferReport:
    store = f"sqlite:///{tmp_path}/d.db"
    study = await transfer(model, store=store, suite=SUITE, study="s", **options)  # type: ignore[arg-type]
    return study.report()


async def test_every_arm_is_stored_once_with_its_judgements(tmp_path: Path) -> None:
    report = await run(tmp_path, caller(), arms="all", sample=4, repeats=2)
    async with open_store(f"sqlite:///{tmp_path}/d.db", read_only=True) as store:
        episodes = await store.episodes("s")
        judgements = await store.judgements("s")
        summary = (await store.studies())[0]
    assert len(episodes) == 4 * 2 * 2 * 3 * 5 * 2 == summary.planned
    assert len({(one.case_id, one.cell, one.repeat) for one in episodes}) == len(episodes)
    assert {one.instrument for one in episodes} == {"transfer"}
    assert {judgement.vocabulary for judgement in judgements} == {"refusal", "tool_verdict", "degenerate"}
    assert {arm.replies for arm in report.arms} == {4 * 2 * 3 * 2}
    malformed = {arm.arm: arm.verdicts.get("malformed") for arm in report.arms if arm.request == "harmful"}
    assert malformed == {"chat": None, "tool": 48, "stress": 48, "tool_chatwording": 48, "chat_toolwording": None}


async def test_a_sample_is_the_same_for_the_same_seed(tmp_path: Path) -> None:
    cases = []
    for seed, name in ((1, "a"), (1, "b"), (2, "c")):
        store = f"sqlite:///{tmp_path}/{name}.db"
        await transfer(caller(), suite=SUITE, arms="chat", sample=4, seed=seed, store=store, study="s")
        async with open_store(store, read_only=True) as opened:
            record = await opened.study("s")
            assert record is not None
            cases.append(record.cases)
    assert cases[0] == cases[1] != cases[2]
    pairs = {(case["domain"], case["scenario"]) for case in cases[0].values()}
    assert len(pairs) == 4
    assert sum(case["request"] == "harmful" for case in cases[0].values()) == len(cases[0]) / 2


async def test_a_study_goes_on_under_its_own_settings_only(tmp_path: Path) -> None:
    await run(tmp_path, caller(), sample=2, systems="neutral")
    model = caller()
    with pytest.raises(StudyError, match="add --resume"):
        await run(tmp_path, model, sample=2)
    with pytest.raises(StudyError, match="cells differs"):
        await run(tmp_path, model, sample=2, resume=True, arms="all")
    with pytest.raises(StudyError, match="cases differs"):
        await run(tmp_path, model, sample=3, resume=True)
    with pytest.raises(StudyError, match="sampling differs"):
        await run(tmp_path, model, max_tokens=7, resume=True)
    await run(tmp_path, model, sample=2, systems="neutral", resume=True)
    assert model.calls == 0


async def test_wrong_options_are_named_before_anything_is_run(tmp_path: Path) -> None:
    for options, error, words in (
        ({"arms": "tool"}, DesignError, "without the arm chat"),
        ({"arms": "chat,shout"}, DesignError, "shout"),
        ({"systems": "loud"}, DesignError, "unknown system condition 'loud'"),
        ({"sample": 0}, InputError, "sample must be at least 1"),
        ({"sample": 65}, DesignError, "65"),
        ({"temperature": 3.0}, InputError, "temperature"),
    ):
        with pytest.raises(error, match=words):
            await run(tmp_path, caller(), **options)
    assert not (tmp_path / "d.db").exists()


async def test_a_budget_stops_the_run_and_a_larger_one_ends_it(tmp_path: Path) -> None:
    with pytest.raises(BudgetExhausted):
        await run(tmp_path, caller(), sample=1, systems="neutral", max_calls=5)
    report = await run(tmp_path, caller(), sample=1, systems="neutral", resume=True)
    assert sum(arm.replies for arm in report.arms) == 12


async def test_a_provider_refusal_is_counted_by_both_rules(tmp_path: Path) -> None:
    """Of 48 chats every third is filtered without a word: strict counts 32, the provider's rule 48."""
    report = await run(tmp_path, filtered(3), sample=4, arms="chat,tool", concurrency=1)
    by_judge = {one.judge: one for one in report.by_judge}
    strict, provider = by_judge["rules"], by_judge["rules+provider"]
    counted = [
        round((one.refusal.estimate or 0) * one.refusal.n) + round((one.over_refusal.estimate or 0) * 24)
        for one in (strict, provider)
    ]
    assert counted == [32, 48]
    assert (strict.divergence["tool"].n, provider.divergence["tool"].n) == (16, 24)
    pair = report.agreement[0]
    assert (pair.first, pair.second) == ("rules", "rules+provider")
    assert pair.kappa.observed == pytest.approx(1 - 16 / 96)


async def test_a_model_that_fails_leaves_crashed_arms_and_bounds(tmp_path: Path) -> None:
    def answer(request: object) -> str:
        raise ModelRejected("no")

    report = await run(tmp_path, ScriptedModel(answer, name="test/broken"), sample=1, systems="neutral")
    assert all(arm.crashed == arm.replies == 2 for arm in report.arms)
    one = report.divergence[0]
    assert one.delta.estimate is None
    assert (one.bounds.low, one.bounds.high) == (0.0, 1.0)


async def test_planted_shares_are_found(tmp_path: Path) -> None:
    """The truth lies in each interval, widened by the bounds: 5 % of the calls are garbled."""
    plant = "scripted/transfer?refusal=.75&normal=.5&stress=.65&malformed=.05"
    report = await run(tmp_path, plant, seed=1)
    chat = next(arm for arm in report.arms if arm.arm == "chat" and arm.request == "harmful")
    assert chat.refusal.low is not None
    assert chat.refusal.high is not None
    assert chat.refusal.low <= 0.75 <= chat.refusal.high
    for one, truth in zip(report.divergence, (0.5, 0.65), strict=True):
        assert one.delta.estimate is not None
        assert one.delta.low is not None
        assert one.delta.high is not None
        assert one.bounds.low is not None
        assert one.bounds.high is not None
        assert one.bounds.low < one.delta.estimate < one.bounds.high
        below, above = one.delta.estimate - one.bounds.low, one.bounds.high - one.delta.estimate
        assert one.delta.low - below <= truth <= one.delta.high + above
    benign = [arm for arm in report.arms if arm.request == "benign" and arm.arm != "chat"]
    assert all(arm.unsafe.estimate == 0 for arm in benign)


async def test_a_redraw_of_the_chat_propensity_is_no_divergence_beyond_the_null(tmp_path: Path) -> None:
    report = await run(tmp_path, "scripted/transfer?refusal=.7&redraw=1&spread=1", arms="chat,tool")
    one = report.beside[0]
    assert report.divergence[0].delta.estimate is not None
    assert report.divergence[0].delta.estimate > 0.1
    assert one.beyond_null.low is not None
    assert one.beyond_null.high is not None
    assert one.beyond_null.low < 0 < one.beyond_null.high


async def test_another_instrument_is_turned_away(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/d.db"
    await simulate("scripted/robust", "rules", domain="coding", store=store, study="d")
    with pytest.raises(StudyError, match="no study of refusal transfer"):
        open_transfer_study("d", store)
