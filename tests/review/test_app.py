"""The review app's pages: what they show, filter, sort and hide."""

import asyncio
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra review is not installed")

from review_app import BASELINE_CELL, LOW_CELL, RULED, STUDY, app_over, fill, played, record, said
from review_hostile import HOSTILE, fill_hostile
from review_hostile import STUDY as EVIL

from dilemma_kernel.records import Cell, content_hash
from dilemma_kernel.unseen import is_unseen
from trajectories import open_store


def episodes_on(page: str) -> list[str]:
    """Ids of the episodes that a list links to, in its order."""
    return re.findall(r'href="/episode/([0-9a-f]{16})', page)


async def test_the_studies(tmp_path: Path) -> None:
    await fill(tmp_path / "x.db")
    async with app_over(tmp_path / "x.db") as browser:
        page = await browser.page("/")
        assert f"/study?study={STUDY}" in page
        assert re.findall(r'<td class="n" data-name="(\w+)">([\d,]+)</td>', page) == [
            ("episodes", "8"), ("planned", "8"), ("crashed", "0"), ("labelled", "0"),
        ]  # fmt: skip


async def test_filters(tmp_path: Path) -> None:
    made = await fill(tmp_path / "x.db")
    ids = [one.episode_id for one in made]
    async with app_over(tmp_path / "x.db") as browser:

        async def shown(**asked: str) -> set[str]:
            return set(episodes_on(await browser.page("/study", study=STUDY, **asked)))

        assert await shown() == set(ids[:8])
        assert await shown(forks="1") == set(ids)
        for label in set(RULED):
            assert await shown(label=label) == {one for one, said in zip(ids, RULED, strict=False) if said == label}
        assert await shown(cell=LOW_CELL.key) == set(ids[4:8])
        assert await shown(agent="scripted/two", forks="1") == {ids[8]}
        assert await shown(scenario="none") == set()
        assert await shown(trouble="faults") == await shown(label="strategic") | await shown(label="robust")
        assert await shown(trouble="crashed") == set()
        assert await shown(differ="machines") == await shown(differ="sides") == {ids[1], ids[6]}
        assert await shown(label="robust", differ="sides") == {ids[6]}
        assert await shown(label="no such", sort="no such", page="x", trouble="'") == set()
        await browser.desk.lacking(STUDY)
        await browser.desk._indexing[STUDY]
        assert await shown(text="think reason") == set(ids[:8])
        assert await shown(text="alert") == await shown(label="strategic") | await shown(label="failed")


async def test_sorting(tmp_path: Path) -> None:
    made = await fill(tmp_path / "x.db")
    turns = {one.episode_id: len(one.turns) for one in made}
    async with app_over(tmp_path / "x.db") as browser:
        up = episodes_on(await browser.page("/study", study=STUDY, sort="turns"))
        down = episodes_on(await browser.page("/study", study=STUDY, sort="turns", down="1"))
        assert [turns[one] for one in up] == sorted(turns[one] for one in up)
        assert [turns[one] for one in down] == sorted((turns[one] for one in down), reverse=True)
        assert len(up) == len(down) == 8
        contested = episodes_on(await browser.page("/study", study=STUDY, sort="differ", down="1"))
        assert set(contested[:2]) == {made[1].episode_id, made[6].episode_id}


async def test_a_transcript(tmp_path: Path) -> None:
    made = await fill(tmp_path / "x.db")
    async with app_over(tmp_path / "x.db") as browser:
        page = await browser.page(f"/episode/{made[0].episode_id}")
        assert page.count('<article class="turn') == 3
        assert re.findall(r'<article class="turn (cited)?" id="turn-(\d)"', page) == [
            ("cited", "1"), ("", "2"), ("cited", "3"),
        ]  # fmt: skip
        assert "rules: executed label, label</span>" in page
        assert "a/judge: label</span>" in page
        for word in ("A−", "not a valid move: ", "Reason 1.", "QV-2281", "Good morning."):
            assert word in page
        assert re.search(r"<del>.*&#34;on&#34;.*</del>.*<ins>.*&#34;off&#34;.*</ins>", page)
        assert "fault of the environment, repaired: schema" in page
        raw = await browser.page(f"/episode/{made[0].episode_id}/raw", turn="1")
        assert "Let me think." in raw
        assert "world" in raw
        assert "50 + 0 tokens" in raw
        graph = await browser.page(f"/episode/{made[0].episode_id}/graph")
        assert graph.count("stroke-width='3'") == 3
        assert "turn 3: A−" in graph


async def test_the_way_on_follows_the_list(tmp_path: Path) -> None:
    await fill(tmp_path / "x.db")
    async with app_over(tmp_path / "x.db") as browser:
        asked = {"study": STUDY, "sort": "turns", "down": "1", "label": "robust"}
        listed = episodes_on(await browser.page("/study", **asked))
        walked = [listed[0]]
        while after := re.search(
            r'id="after" href="/episode/(\w+)', await browser.page(f"/episode/{walked[-1]}", **asked)
        ):
            walked.append(after[1])
        assert walked == listed
        assert f'id="before" href="/episode/{listed[-2]}' in await browser.page(f"/episode/{listed[-1]}", **asked)


async def test_pairs(tmp_path: Path) -> None:
    made = await fill(tmp_path / "x.db")
    first, twin, fork = made[0].episode_id, made[4].episode_id, made[8].episode_id
    async with app_over(tmp_path / "x.db") as browser:
        page = await browser.page(f"/episode/{first}")
        assert f'<a href="/pair?left={first}&amp;right={twin}"><span class="one">stakes low</span>' in page
        assert "a fork of this one" in page
        assert "the origin of this fork" in await browser.page(f"/episode/{fork}")
        pair = await browser.page("/pair", left=first, right=twin)
        assert pair.count('<article class="turn') == 3 + 2
        assert pair.count("it had ended") == 1
        assert "stakes low" in pair
        assert pair.count('class="cell apart"') == 4, "the first two turns differ, on both sides"


async def test_blind_hides_what_machines_said(tmp_path: Path) -> None:
    made = await fill(tmp_path / "x.db")
    async with app_over(tmp_path / "x.db") as browser:
        await browser.post("/blind", {"blind": "on", "back": "/"})
        pages = [
            await browser.page("/study", study=STUDY),
            await browser.page("/study", study=STUDY, label="robust", sort="label"),
            await browser.page(f"/episode/{made[0].episode_id}"),
            await browser.page("/pair", left=made[0].episode_id, right=made[4].episode_id),
            await browser.page("/labels", study=STUDY),
            await browser.page("/kappa", study=STUDY),
        ]
        told = ("a/judge", "A−", "A+", "misaligned", "executed_label", "terminal,", "cited by")
        assert [word for page in pages for word in told if word in page] == []
        assert len(episodes_on(pages[1])) == 8, "a filter by label would tell it"
        graph = await browser.client.get(f"/episode/{made[0].episode_id}/graph")
        assert graph.status_code == 404
        await browser.post("/blind", {"blind": "off", "back": "/"})
        assert "a/judge" in await browser.page(f"/episode/{made[0].episode_id}")


async def test_a_study_that_is_being_written(tmp_path: Path) -> None:
    await fill(tmp_path / "x.db")
    async with app_over(tmp_path / "x.db") as browser, open_store(str(tmp_path / "x.db")) as writer:
        for repeat in range(8, 12):
            one = played(BASELINE_CELL, repeat, "direct")
            await writer.save(one, [said(one, "direct")])
            assert one.episode_id in episodes_on(await browser.page("/study", study=STUDY))


async def test_a_store_for_reading_only(tmp_path: Path) -> None:
    made = await fill(tmp_path / "x.db")
    async with app_over(tmp_path / "x.db", read_only=True) as browser:
        assert "opened for reading only" in await browser.page(f"/episode/{made[0].episode_id}")
        answer = await browser.label(made[0].episode_id, "direct", person="ada")
        assert answer.status_code == 400
        assert "opened for reading only" in answer.text


@pytest.mark.parametrize(
    "path",
    ["/nothing", "/study?study=nothing", "/episode/nothing", "/episode/%00", "/pair", "/labels?study=%ff", "/queue"],
)
async def test_what_is_not_there(tmp_path: Path, path: str) -> None:
    await fill(tmp_path / "x.db")
    async with app_over(tmp_path / "x.db") as browser:
        answer = await browser.client.get(path)
        assert answer.status_code == 404
        assert "That did not work" in answer.text


async def test_an_arm_of_refusal_transfer(tmp_path: Path) -> None:
    arm = Cell(agent="scripted/transfer", environment="none", levels={"arm": "tool", "system": "neutral"})
    one = played(arm, 0, "direct", study="arms").model_copy(update={"instrument": "transfer", "ended": "answered"})
    one = one.model_copy(update={"turns": (one.turns[0].model_copy(update={"move": None, "response": None}),)})
    async with open_store(str(tmp_path / "x.db")) as store:
        await store.save_study(
            record().model_copy(update={"name": "arms", "instrument": "transfer", "cells": (arm,)}), []
        )
        await store.save(
            one, [said(one, "unsafe", vocabulary="tool_verdict"), said(one, "answered", vocabulary="refusal")]
        )
    async with app_over(tmp_path / "x.db") as browser:
        assert "unsafe" in await browser.page("/study", study="arms", label="unsafe")
        page = await browser.page(f"/episode/{one.episode_id}")
        assert re.findall(r'type="radio" name="label" value="(\w+)"', page) == ["refused", "answered"]
        assert (await browser.label(one.episode_id, "refused", person="ada", cites="1")).status_code == 303
        assert "refused" in await browser.page("/labels", study="arms")


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("evil") / "x.db"
    asyncio.run(fill_hostile(path))
    return path


async def test_hostile_episodes_run_nothing(evil: Path) -> None:
    """Whatever a model wrote, no page has a tag, an attribute or an unseen character of it."""
    async with app_over(evil) as browser:
        await browser.post("/person", {"person": "ada", "back": "/"})
        for number, name in enumerate(HOSTILE):
            episode = content_hash([EVIL, number])
            for path in ("", "/raw?turn=1"):
                assert_tame(await browser.page(f"/episode/{episode}{path}"), name + path)
        for path in ("/raw?turn=2", "/graph", "/text?part=opening", "/text?part=observation&turn=1"):
            assert_tame(await browser.page(f"/episode/{content_hash([EVIL, 0])}{path}"), path)
        for path in ("/", f"/study?study={EVIL}", f"/labels?study={EVIL}"):
            assert_tame(await browser.page(path), path)
        assert len(episodes_on(await browser.page("/study", study=EVIL))) == 50


class Tags(HTMLParser):
    """The tags and attributes of a page that are not the app's own."""

    foreign: list[str]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs if name.startswith("on") or name == "style"]
        hidden = [value for name, value in attrs if name in {"href", "src", "action"} and not is_ours(value or "")]
        if names or hidden or tag in {"iframe", "object", "math", "img", "base", "style", "video", "marquee"}:
            self.foreign.append(self.get_starttag_text() or tag)
        if tag == "script" and dict(attrs).get("src") not in {"/static/htmx.js", "/static/app.js"}:
            self.foreign.append(self.get_starttag_text() or tag)


def is_ours(address: str) -> bool:
    return address.startswith(("/", "#", "text?")) and not address.startswith("//")


def assert_tame(page: str, where: str) -> None:
    tags = Tags()
    tags.foreign = []
    tags.feed(page)
    assert tags.foreign == [], where
    assert not any(is_unseen(char) for char in set(page)), where
    assert len(page) < 1_500_000, where


async def test_long_texts_come_in_parts(evil: Path) -> None:
    async with app_over(evil) as browser:
        episode = content_hash([EVIL, list(HOSTILE).index("five megabytes")])
        page = await browser.page(f"/episode/{episode}")
        assert len(page) < 600_000
        assert f"/episode/{episode}/text?part=observation&amp;turn=1" in page
        text = await browser.page(f"/episode/{episode}/text", part="observation", turn="1", start="100000")
        length = len(HOSTILE["five megabytes"])
        assert f"characters 100,001 to 200,000 of {length:,}" in text
        assert "start=200000" in text
