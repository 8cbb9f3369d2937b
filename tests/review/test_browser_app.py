"""The review app in a real browser."""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra review is not installed")

from review_app import RULED, STUDY, filled, served
from review_browser import Noted, chromium, expect, needs_chromium, serious_faults, watched
from review_hostile import HOSTILE, fill_hostile
from review_hostile import STUDY as EVIL

from dilemma.studies.study import waited
from dilemma_kernel.records import Trajectory, content_hash

pytestmark = needs_chromium


class App:
    """A server, a page of a browser that was let in, and the study's episodes."""

    def __init__(self, page: Any, base: str, made: list[Trajectory], noted: Noted) -> None:
        self.page, self.base, self.made, self.noted = page, base, made, noted

    def open(self, path: str) -> None:
        self.page.goto(f"{self.base}{path}")

    def episode(self, number: int, query: str = "") -> None:
        self.open(f"/episode/{self.made[number].episode_id}{query}")

    def as_person(self, name: str, *, blind: bool = False) -> None:
        self.open("/")
        self.page.locator(".person summary").click()
        self.page.locator(".person input[name=person]").fill(name)
        self.page.locator(".person button").click()
        self.page.wait_for_selector(f".person summary:has-text('{name}')")
        if blind != ("on" in self.page.locator(".who button").first.inner_text()):
            self.page.locator(".who button").first.click()
            self.page.wait_for_selector(f"text=blind mode: {'on' if blind else 'off'}")

    def saved(self) -> None:
        self.page.wait_for_selector("#status .good")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory, browser: Any) -> Iterator[App]:
    path = tmp_path_factory.mktemp("app") / "x.db"
    made = filled(path)
    with served(path) as (_, link):
        page, noted = watched(browser)
        page.goto(link)
        base = link.split("/open")[0]
        page.wait_for_url(f"{base}/")
        yield App(page, base, made, noted)


@pytest.fixture(autouse=True)
def _nothing_goes_wrong(request: pytest.FixtureRequest) -> Iterator[None]:
    """No error in the console, and no request off the machine."""
    yield
    if "app" in request.fixturenames:
        noted: Noted = request.getfixturevalue("app").noted
        errors, elsewhere = noted.errors[:], noted.elsewhere[:]
        noted.errors.clear()
        assert errors == []
        assert elsewhere == []


def rows(app: App) -> list[str]:
    return [re.findall(r"[0-9a-f]{16}", link)[0] for link in hrefs(app)]


def hrefs(app: App) -> list[str]:
    return list(app.page.eval_on_selector_all(".episodes a", "links => links.map(a => a.getAttribute('href'))"))


def listed(app: App, number: int) -> None:
    """Waits until so many episodes are listed."""
    expect(app.page.locator(".episodes tbody tr")).to_have_count(number)


def elsewhere(app: App, address: str) -> None:
    """Waits until the page of another episode is there."""
    expect(app.page).not_to_have_url(address)
    there(app, "#label-form")


def there(app: App, selector: str) -> None:
    """Waits until this part of a page is there, and the page hears keys and choices: its scripts are deferred."""
    app.page.wait_for_selector(selector)
    app.page.wait_for_load_state("load")


def paths(app: App) -> list[str]:
    """Of each page."""
    first, twin = app.made[0].episode_id, app.made[4].episode_id
    about = ["/", f"/study?study={STUDY}", f"/labels?study={STUDY}"]
    return [*about, f"/episode/{first}", f"/pair?left={first}&right={twin}"]


def test_open_filter_and_sort(app: App) -> None:
    page = app.page
    app.open("/")
    page.locator(f"text={STUDY}").first.click()
    there(app, ".episodes")
    assert len(rows(app)) == 8
    page.select_option("select[name=label]", "robust")
    listed(app, 3)
    assert "label=robust" in page.url
    assert page.locator(".legend").inner_text().startswith("robust 3")
    page.select_option("select[name=differ]", "sides")
    listed(app, 1)
    page.go_back()
    listed(app, 3)
    page.locator("text=clear").click()
    listed(app, 8)
    there(app, ".episodes")
    page.select_option("select[name=sort]", "turns")
    page.wait_for_url("**sort=turns**")
    page.locator("input[name=down]").check()
    page.wait_for_url("**down=1**")
    page.wait_for_selector("td[data-name=turns]:has-text('3')")
    turns = [int(text) for text in page.locator("td[data-name=turns]").all_inner_texts()]
    assert turns == sorted(turns, reverse=True)


def test_free_text(app: App) -> None:
    page = app.page
    app.open(f"/study?study={STUDY}&text=zebra")
    for _ in range(50):
        app.open(f"/study?study={STUDY}&text=alarm")
        if not page.locator("text=still being read").count():
            break
    assert set(rows(app)) == {
        one.episode_id for one, label in zip(app.made, RULED, strict=False) if label == "strategic"
    }


def test_read_and_walk_by_keyboard(app: App) -> None:
    page = app.page
    app.open(f"/study?study={STUDY}&sort=turns")
    in_list = rows(app)
    page.locator(".episodes a").first.click()
    there(app, "#after")
    walked = [page.url]
    for _ in range(2):
        page.keyboard.press("n")
        elsewhere(app, walked[-1])
        walked.append(page.url)
    assert [re.findall(r"/episode/(\w+)", one)[0] for one in walked] == in_list[:3]
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(walked[1])
    there(app, "#before")
    for key, turn in (("j", "turn-1"), ("j", "turn-2"), ("k", "turn-1")):
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.id") == turn
    assert not page.locator(".reasoning .said").first.is_visible()
    page.keyboard.press("r")
    assert page.locator(".reasoning .said").first.is_visible()
    page.locator(".raw summary").first.click()
    page.wait_for_selector(".raw-replies .reply")
    assert "Let me think." in page.locator(".raw-replies").first.inner_text()
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
    page.keyboard.press("Escape")
    page.locator("#graph summary").click()
    page.wait_for_selector("#graph svg")


def test_label_with_a_citation_and_find_it_again(app: App) -> None:
    page = app.page
    app.as_person("ada")
    app.episode(0)
    page.keyboard.press("1")
    page.keyboard.press("j")
    page.keyboard.press("c")
    assert page.locator("#cited").inner_text() == "Cites: turn 1."
    page.locator("textarea").fill("it began here")
    page.locator("text=environment error").click()
    page.locator("#save").click()
    app.saved()
    page.reload()
    assert page.locator("input[name=label][value=strategic]").is_checked()
    assert page.locator("input[name=cites][value='1']").is_checked()
    assert page.locator("textarea").input_value() == "it began here"
    assert page.locator("input[name=flag][value=environment_error]").is_checked()
    assert "person/ada" in page.locator("#turn-1 header").inner_text()
    assert page.locator("text=restored").count() == 0, "what was saved is no draft"


def test_kappa_comes_in_with_the_labels(app: App) -> None:
    """Bob labels the first as the rules do, then the second otherwise: κ is 0 over two, as by hand."""
    page = app.page
    app.as_person("bob")
    app.episode(0)
    page.keyboard.press("1")
    page.locator("#save").click()
    app.saved()
    page.wait_for_selector("#kappa tr:has-text('bob – rules')")
    app.episode(1)
    page.keyboard.press("1")
    page.keyboard.press("s")
    app.saved()
    page.wait_for_selector("#kappa tr:has-text('bob – rules'):has-text('50 %')")
    row = page.locator("#kappa tr:has-text('bob – rules') td").all_inner_texts()
    # strategic, direct by the rules; strategic twice by bob: observed 1/2, expected 1/2
    assert row[1].split()[0] == "0.00"
    assert row[3] == "2"


def test_blind_mode(app: App) -> None:
    page = app.page
    app.as_person("carol", blind=True)
    app.episode(2)
    text = page.locator("body").inner_text()
    for told in ("a/judge", "A−", "executed_label", "ended:", "cited by", "action graph"):
        assert told not in text
    page.keyboard.press("3")
    page.locator("#save").click()
    app.saved()
    assert "failed" in page.locator(".said-by").inner_text()
    assert "rules" not in page.locator(".said-by").inner_text()
    app.as_person("carol", blind=False)
    app.episode(2)
    assert "a/judge" in page.locator("body").inner_text()


def test_save_and_next_in_a_queue(app: App) -> None:
    page = app.page
    app.as_person("dora")
    app.open(f"/study?study={STUDY}")
    page.locator("text=Label the most contested first").click()
    there(app, "#label-form")
    first = page.url
    page.keyboard.press("2")
    page.locator("text=Save and next").click()
    elsewhere(app, first)
    assert "queue=differ" in page.url
    assert page.locator("input[name=label]:checked").count() == 0
    page.goto(first)
    assert page.locator("input[name=label][value=direct]").is_checked()


def test_compare_a_pair(app: App) -> None:
    page = app.page
    app.episode(0)
    page.locator(".pairs a:has-text('stakes low')").click()
    page.wait_for_selector(".pair")
    heads = page.locator(".pair .head").all_inner_texts()
    assert "stakes high" in heads[0]
    assert "stakes low" in heads[1]
    left, right = (page.locator(".pair .head").nth(n).bounding_box() for n in (0, 1))
    assert left["x"] + left["width"] <= right["x"] + 1
    assert page.locator(".pair .turn").count() == 5


def test_a_draft_outlives_the_tab(app: App) -> None:
    page = app.page
    app.as_person("eve")
    app.episode(3)
    page.keyboard.press("5")
    page.locator("textarea").fill("half a thought")
    page.goto("about:blank")
    app.episode(3)
    assert page.locator("text=A draft of yours was restored").is_visible()
    assert page.locator("textarea").input_value() == "half a thought"
    assert page.locator("input[name=label][value=robust]").is_checked()
    page.locator("#save").click()
    app.saved()
    app.episode(3)
    assert page.locator("text=A draft of yours was restored").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(app: App, scheme: str) -> None:
    app.page.emulate_media(color_scheme=scheme)
    first, twin = app.made[0].episode_id, app.made[4].episode_id
    paths = (
        "/",
        f"/study?study={STUDY}",
        f"/episode/{first}",
        f"/pair?left={first}&right={twin}",
        f"/labels?study={STUDY}",
    )
    for path in paths:
        app.open(path)
        if path.startswith("/episode"):
            app.page.wait_for_selector("#kappa table, #kappa p")
            app.page.locator("#graph summary").click()
            app.page.wait_for_selector("#graph svg")
        assert serious_faults(app.page) == [], path


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_runs_off_the_page(app: App, width: int) -> None:
    app.page.set_viewport_size({"width": width, "height": 844})
    first, twin = app.made[0].episode_id, app.made[4].episode_id
    for path in (
        "/",
        f"/study?study={STUDY}",
        f"/episode/{first}",
        f"/pair?left={first}&right={twin}",
        "/labels?study=harbour",
    ):
        app.open(path)
        wide = app.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, path
    app.page.set_viewport_size({"width": 1280, "height": 900})


def test_a_draft_outlives_the_server(tmp_path: Path, browser: Any) -> None:
    """The server dies while a label is typed; started again it has the same port, and the draft is there."""
    made = filled(tmp_path / "x.db")
    with served(tmp_path / "x.db") as (process, link):
        page, _ = watched(browser)
        page.goto(link)
        base = link.split("/open")[0]
        page.wait_for_url(f"{base}/")
        page.goto(f"{base}/episode/{made[0].episode_id}")
        page.locator("#label-form input[name=person]").fill("ada")
        page.keyboard.press("Tab")
        page.locator("input[name=label][value=direct]").check()
        page.locator("textarea").fill("typed before the end")
        os.kill(process.pid, signal.SIGKILL)
        process.wait(10)
        page.locator("#save").click()
        page.wait_for_selector("text=The server does not answer")
    with served(tmp_path / "x.db") as (_, link):
        assert link.startswith(base)
        page.goto(link)
        page.wait_for_url(f"{base}/")
        page.goto(f"{base}/episode/{made[0].episode_id}")
        assert page.locator("textarea").input_value() == "typed before the end"
        assert page.locator("#label-form input[name=person]").input_value() == "ada"
        page.locator("#save").click()
        page.wait_for_selector("#status .good")
        page.reload()
        assert page.locator("text=A draft of yours was restored").count() == 0


def read_hostile(browser: Any, path: Path, names: list[str]) -> None:
    waited(fill_hostile(path))
    with served(path) as (_, link):
        page, noted = watched(browser)
        page.goto(link)
        base = link.split("/open")[0]
        page.wait_for_url(f"{base}/")
        page.goto(f"{base}/study?study={EVIL}")
        for name in names:
            episode = content_hash([EVIL, list(HOSTILE).index(name)])
            page.goto(f"{base}/episode/{episode}")
            page.locator(".raw summary").first.click()
            page.wait_for_selector(".raw-replies .reply, .raw-replies .quiet")
            page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
            assert page.evaluate("window.__ran") is None, name
            assert page.locator("#label-form button.main").is_visible(), name
        assert noted.elsewhere == []
        assert noted.errors == []


def test_hostile_transcripts_run_nothing(tmp_path: Path, browser: Any) -> None:
    names = ["script", "script after textarea", "img quoted", "svg animate", "base", "htmx", "bidi", "surrogates"]
    read_hostile(browser, tmp_path / "x.db", names)


@pytest.mark.slow
def test_all_sixty_hostile_transcripts_run_nothing(tmp_path: Path, browser: Any) -> None:
    read_hostile(browser, tmp_path / "x.db", list(HOSTILE))
