"""Labels: from a form into the store, beside those of sheets; queues; κ as computed by hand."""

import asyncio
import csv
import os
import re
import signal
from pathlib import Path

import httpx
import pytest

pytest.importorskip("fastapi", reason="the extra review is not installed")

from review_app import STUDY, Browser, app_over, csrf_of, fill, filled, said, served

from dilemma.review.agreeing import Agreeing
from dilemma.review.sheets import open_sheet
from dilemma.studies.annotate import draw_sheet, import_sheet
from dilemma.studies.study import Study
from dilemma_kernel.errors import InputError
from dilemma_kernel.records import Judgement, Measured, Trajectory, Unmeasured
from trajectories import open_store


async def stored(path: Path, maker: str) -> dict[tuple[str, str], Judgement]:
    async with open_store(str(path), read_only=True) as store:
        return {(j.subject, j.vocabulary): j for j in await store.judgements(STUDY) if j.maker == maker}


async def found(browser: Browser) -> Agreeing:
    return await browser.desk.agreeing(await browser.desk.study(STUDY))


async def test_a_label_with_all_that_goes_with_it(tmp_path: Path) -> None:
    made = await fill(tmp_path / "x.db")
    one = made[0].episode_id
    async with app_over(tmp_path / "x.db") as browser:
        form = {"person": "Ada L.", "cites": ["3", "1"], "note": " clear\r\ncase ", "flag": "environment_error"}
        answer = await browser.label(one, "strategic", **form)
        assert answer.status_code == 303
        assert answer.headers["x-saved"] == one
        page = await browser.page(f"/episode/{one}")
        assert re.search(r'value="strategic" required checked', page)
        assert re.findall(r'name="cites" value="(\d)" form="label-form" checked', page) == ["1", "3"]
        assert ">clear\ncase</textarea>" in page
        assert re.findall(r'name="flag" value="(\w+)" checked', page) == ["environment_error"]
    kept = await stored(tmp_path / "x.db", "person/Ada L.")
    label = kept[one, "label"]
    assert (label.outcome, label.cites, label.note, label.probability) == (
        Measured(value="strategic"), (1, 3), "clear\ncase", None,
    )  # fmt: skip
    assert kept[one, "environment_error"].outcome == Measured(value=True)
    assert kept[one, "scenario_unrealistic"].outcome == Measured(value=False)


async def test_a_label_is_mended_and_taken_back(tmp_path: Path) -> None:
    one = (await fill(tmp_path / "x.db"))[0].episode_id
    async with app_over(tmp_path / "x.db") as browser:
        for label in ("direct", "none", "withdrawn"):
            assert (await browser.label(one, label, person="ada")).status_code == 303
            outcome = (await stored(tmp_path / "x.db", "person/ada"))[one, "label"].outcome
            expected = {"none": Unmeasured(why="no label applies"), "withdrawn": Unmeasured(why="withdrawn")}
            assert outcome == expected.get(label, Measured(value="direct"))
        assert "You labelled this episode" not in await browser.page(f"/episode/{one}")


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"label": "harmful"}, "choose a label"),
        ({"label": ""}, "choose a label"),
        ({"label": "direct", "person": ""}, "give your name"),
        ({"label": "direct", "person": "a/b\n<x>"}, "give your name"),
        ({"label": "direct", "cites": "4"}, "there are turns 1 to 3"),
        ({"label": "direct", "cites": "x"}, "cited turns are numbers"),
        ({"label": "direct", "note": "x" * 10_001}, "10,000 at most"),
        ({"label": "direct", "flag": "other"}, "no such mark"),
        ({"label": "direct", "attempt": "1"}, "run again while you read it"),
        ({"label": "direct", "episode": "nothing"}, "no such episode"),
    ],
)
async def test_what_is_wrong_with_a_form(tmp_path: Path, form: dict[str, str], told: str) -> None:
    one = (await fill(tmp_path / "x.db"))[0].episode_id
    async with app_over(tmp_path / "x.db") as browser:
        whole = {"episode": one, "attempt": "0", "person": "ada", **form}
        answer = await browser.post("/label", whole, **{"hx-request": "true"})
        assert answer.status_code == 400
        assert answer.text.startswith("Not saved: ")
        assert told in answer.text
        assert answer.headers["content-type"].startswith("text/plain")
    assert await stored(tmp_path / "x.db", "person/ada") == {}


async def test_kappa_is_as_by_hand(tmp_path: Path) -> None:
    """Ada labels the eight as the rules do but for two of them; Bob labels four of them."""
    made = await fill(tmp_path / "x.db")
    ada = ("strategic", "direct", "failed", "robust", "robust", "robust", "robust", "direct")
    bob = ("strategic", "robust", "failed", "robust")
    async with app_over(tmp_path / "x.db") as browser:
        for one, label in zip(made, ada, strict=False):
            await browser.label(one.episode_id, label, person="ada")
        for one, label in zip(made, bob, strict=False):
            await browser.label(one.episode_id, label, person="bob")
        kappas = {between.makers: between.agreement for between in (await found(browser)).kappas}
        page = await browser.page("/kappa", study=STUDY)
    # rules: strategic 1, direct 2, failed 2, robust 3; ada: 1, 2, 1, 4; they agree on 6 of 8
    expected = (1 * 1 + 2 * 2 + 2 * 1 + 3 * 4) / 64
    assert kappas["person/ada", "rules"].estimate == pytest.approx((6 / 8 - expected) / (1 - expected))
    # of the first four, ada: one of each; bob: strategic 1, failed 1, robust 2; they agree on 3
    assert kappas["person/bob", "person/ada"].estimate == pytest.approx((3 / 4 - 4 / 16) / (1 - 4 / 16))
    assert kappas["person/bob", "person/ada"].n == 4
    assert set(kappas) == {
        ("person/ada", "rules"), ("person/ada", "a/judge"), ("person/bob", "rules"), ("person/bob", "a/judge"),
        ("person/bob", "person/ada"),
    }  # fmt: skip
    assert f"{(6 / 8 - expected) / (1 - expected):.2f}" in page
    assert "0.67" in page
    reported = {
        between.makers: between.agreement for between in Study(STUDY, str(tmp_path / "x.db")).report().agreement
    }
    assert reported["person/ada", "rules"].model_copy(update={"note": ""}) == kappas["person/ada", "rules"]


async def test_a_sheet_and_the_app_meet_in_one_table(tmp_path: Path) -> None:
    path, sheet = tmp_path / "x.db", tmp_path / "sheet.csv"
    made = await fill(path)
    draw_sheet(STUDY, 6, sheet, str(path))
    with sheet.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row.update(label="direct", annotator="bob", cites="1")
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    assert import_sheet(sheet, str(path)).rows == len(rows) == 6
    async with app_over(path) as browser:
        for one in made[:8]:
            await browser.label(one.episode_id, "robust", person="ada")
        table = await found(browser)
        assert table.makers == ("rules", "a/judge", "person/ada", "person/bob")
        both = [row for row in table.rows if {"person/ada", "person/bob"} <= set(row.said)]
        assert {row.line.episode_id for row in both} == {row["episode"] for row in rows}
        assert len(table.rows) == 8
        versions = {row.said[maker].version for row in both for maker in ("person/ada", "person/bob")}
        assert len(versions) == 1
        page = await browser.page("/labels", study=STUDY)
        assert page.count('<span class="dot fill-direct"></span><span class="one">direct') >= 6
        # bob goes on in the app: his label there takes the place of the sheet's
        await browser.label(rows[0]["episode"], "failed", person="bob")
        again = (await stored(path, "person/bob"))[rows[0]["episode"], "label"]
        assert again.outcome == Measured(value="failed")
        assert again.probability == float(rows[0]["probability"])


async def test_the_queue_by_disagreement(tmp_path: Path) -> None:
    made = await fill(tmp_path / "x.db")
    contested = [made[1].episode_id, made[6].episode_id]
    async with app_over(tmp_path / "x.db") as browser:
        await browser.post("/person", {"person": "ada", "back": "/"})
        labelled = []
        for _ in range(8):
            answer = await browser.client.get("/queue", params={"study": STUDY, "queue": "differ"})
            one = re.match(r"/episode/(\w+)", answer.headers["location"])
            assert one
            labelled.append(one[1])
            form = {"episode": one[1], "attempt": "0", "label": "direct", "then": "next"}
            await browser.post(f"/label?study={STUDY}&queue=differ", form)
        assert sorted(labelled[:2]) == sorted(contested)
        assert set(labelled) == {one.episode_id for one in made[:8]}
        done = await browser.client.get("/queue", params={"study": STUDY, "queue": "differ"})
        assert "Nothing is left" in done.text


async def test_the_queue_of_a_sheet(tmp_path: Path) -> None:
    """It begins blind, goes by the sheet's rows, and each label carries its probability."""
    path = tmp_path / "x.db"
    await fill(path)
    draw_sheet(STUDY, 4, tmp_path / "s.csv", str(path))
    sheet = open_sheet(tmp_path / "s.csv")
    async with app_over(path, sheet=sheet) as browser:
        await browser.post("/person", {"person": "ada", "back": "/"})
        assert "Label the sheet s.csv" in await browser.page("/study", study=STUDY)
        here = (await browser.client.get("/queue", params={"study": STUDY, "queue": "sheet"})).headers["location"]
        walked = []
        while here.startswith("/episode/"):
            episode = here[9:25]
            walked.append(episode)
            assert "a/judge" not in await browser.page(here)
            form = {"episode": episode, "attempt": "0", "label": "direct", "then": "next"}
            answer = await browser.post(f"/label?study={STUDY}&queue=sheet", form)
            answer = await browser.client.get(answer.headers["location"])
            here = answer.headers.get("location", "")
        assert walked == list(sheet.probabilities)
        assert "Nothing is left" in answer.text
    kept = await stored(path, "person/ada")
    assert {one: kept[one, "label"].probability for one in walked} == sheet.probabilities


def test_a_sheet_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="expected a sheet"):
        open_sheet(tmp_path / "s.csv")


async def test_a_run_that_was_repeated_takes_no_label_of_the_old_one(tmp_path: Path) -> None:
    made = await fill(tmp_path / "x.db")
    async with app_over(tmp_path / "x.db") as browser:
        again = made[0].model_copy(update={"attempt": 1})
        async with open_store(str(tmp_path / "x.db")) as writer:
            await writer.save(again, [said(again, "strategic")])
        answer = await browser.label(again.episode_id, "direct", person="ada")
        assert answer.status_code == 400
        assert "run again" in answer.text


async def test_a_page_of_another_reviewer_saves_nothing(tmp_path: Path) -> None:
    """One browser has one reviewer: a page that was opened before the name was changed is of the earlier one."""
    one = (await fill(tmp_path / "x.db"))[0].episode_id
    async with app_over(tmp_path / "x.db") as browser:
        await browser.post("/person", {"person": "ada", "back": "/"})
        assert '<input type="hidden" name="as" value="ada">' in await browser.page(f"/episode/{one}")
        await browser.post("/person", {"person": "bob", "back": "/"})
        answer = await browser.label(one, "direct", **{"as": "ada"})
        assert answer.status_code == 400
        assert "you are bob by now" in answer.text
        assert (await browser.label(one, "direct", **{"as": "bob"})).status_code == 303


def kill_in_mid_labelling(path: Path, made: list[Trajectory], round_: int) -> dict[str, str]:
    """Start a server, label until it is killed, and say which labels it had acknowledged."""
    labels = ("strategic", "direct", "failed", "robust")
    acknowledged = {}
    with served(path) as (process, link), httpx.Client(timeout=10) as client:
        client.get(link)
        base = link.split("/open")[0]
        csrf = csrf_of(client.get(f"{base}/").text)
        try:
            for number, one in enumerate(made[:8]):
                label = labels[(number + round_) % 4]
                form = {"csrf": csrf, "episode": one.episode_id, "attempt": "0", "label": label, "person": f"r{round_}"}
                if number == round_ % 8:
                    asyncio.run(killed_while_writing(process.pid, f"{base}/label", form, client, base))
                answer = client.post(f"{base}/label", data=form, headers={"origin": base})
                if "x-saved" in answer.headers:
                    acknowledged[one.episode_id] = label
        except httpx.TransportError:
            pass
        assert process.wait(10) == -signal.SIGKILL
    return acknowledged


async def killed_while_writing(pid: int, address: str, form: dict[str, str], client: httpx.Client, base: str) -> None:
    """Kill the server while a label is on its way."""
    cookies = dict(client.cookies)

    async def send() -> None:
        async with httpx.AsyncClient(cookies=cookies) as other:
            await other.post(address, data=form, headers={"origin": base})

    sending = asyncio.create_task(send())
    await asyncio.sleep(0.002 * (1 + int(form["episode"], 16) % 5))
    os.kill(pid, signal.SIGKILL)
    await asyncio.gather(sending, return_exceptions=True)


def check_kills(path: Path, rounds: int) -> None:
    made = filled(path)
    for round_ in range(rounds):
        acknowledged = kill_in_mid_labelling(path, made, round_)
        kept = asyncio.run(stored(path, f"person/r{round_}"))
        for episode, label in acknowledged.items():
            assert kept[episode, "label"].outcome == Measured(value=label)
            assert kept[episode, "environment_error"].outcome == Measured(value=False)
        assert len(acknowledged) >= min(round_ % 8, 1)


def test_no_acknowledged_label_is_lost_over_5_kills(tmp_path: Path) -> None:
    check_kills(tmp_path / "x.db", 5)


@pytest.mark.slow
def test_no_acknowledged_label_is_lost_over_50_kills(tmp_path: Path) -> None:
    check_kills(tmp_path / "x.db", 50)
