"""Who gets in, and what is refused: token, session, host, origin, the token of a form, a password; headers."""

from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra review is not installed")

from review_app import BASE, PORT, STUDY, app_over, fill

from dilemma.cli import main
from dilemma.review.gate import HEADERS, MOST_BYTES, Hosts, is_loopback
from dilemma.review.serving import Serving, own_port, serve
from dilemma.review.sessions import TRIES, WAIT_S, Door
from dilemma.settings import review_password
from dilemma.studies.study import waited
from dilemma_kernel.errors import InputError
from trajectories import open_store


async def empty(path: Path) -> Path:
    async with open_store(str(path)):
        return path


async def test_the_link_opens_once(tmp_path: Path) -> None:
    async with app_over(await empty(tmp_path / "x.db"), password="unused") as browser:
        client, token = browser.client, browser.door.token
        assert (await client.get("/open", params={"token": "wrong"})).status_code == 403
        first = await client.get("/open", params={"token": token, "study": "a&b"})
        assert first.status_code == 200
        cookie = first.headers["set-cookie"]
        assert cookie.startswith(f"dilemma_review_{PORT}=")
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert 'content="0;url=/study?study=a%26b"' in first.text
        assert (await client.get("/")).status_code == 200
        assert "set-cookie" not in (await client.get("/open", params={"token": token})).headers
        client.cookies.clear()
        again = await client.get("/open", params={"token": token})
        assert again.status_code == 403
        assert "opens once" in again.text


@pytest.mark.parametrize("path", ["/", f"/study?study={STUDY}", "/episode/x", "/labels", "/queue", "/nothing"])
async def test_without_a_session_there_is_nothing(tmp_path: Path, path: str) -> None:
    async with app_over(await empty(tmp_path / "x.db")) as browser:
        for cookies in ({}, {f"dilemma_review_{PORT}": "guessed"}):
            browser.client.cookies.clear()
            browser.client.cookies.update(cookies)
            answer = await browser.client.get(path)
            assert answer.status_code == 401
            assert "open the link" in answer.text
            assert answer.headers["content-security-policy"] == HEADERS["content-security-policy"]


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:80", f"127.0.0.1.evil.example:{PORT}", ""]
)
async def test_another_name_is_refused(tmp_path: Path, host: str) -> None:
    """A name that leads here by someone else's doing (DNS rebinding)."""
    async with app_over(await empty(tmp_path / "x.db")) as browser:
        assert (await browser.client.get("/", headers={"host": host})).status_code == 421


async def test_own_names_are_taken(tmp_path: Path) -> None:
    async with app_over(await empty(tmp_path / "x.db")) as browser:
        for host in (f"127.0.0.1:{PORT}", f"localhost:{PORT}", f"LOCALHOST:{PORT}", f"[::1]:{PORT}"):
            assert (await browser.client.get("/static/app.css", headers={"host": host})).status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:1"}, 403),
        ({"origin": f"https://127.0.0.1:{PORT}"}, 403),
        ({"origin": ""}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({}, 403),
        ({"origin": BASE, "content-type": "text/plain"}, 415),
        ({"origin": BASE, "content-type": "multipart/form-data; boundary=x"}, 415),
        ({"origin": BASE}, 303),
        ({"sec-fetch-site": "same-origin"}, 303),
    ],
)
async def test_a_write_of_another_page_is_refused(tmp_path: Path, headers: dict[str, str], status: int) -> None:
    async with app_over(await empty(tmp_path / "x.db")) as browser:
        form = f"csrf={browser.csrf}&blind=on&back=/"
        own = {"content-type": "application/x-www-form-urlencoded", **headers}
        answer = await browser.client.post("/blind", content=form, headers=own)
        assert answer.status_code == status
        page = await browser.page("/")
        assert ("blind mode: on" in page) == (status == 303)


@pytest.mark.parametrize("csrf", ["", "guessed"])
@pytest.mark.parametrize("path", ["/label", "/person", "/blind"])
async def test_no_write_without_its_token(tmp_path: Path, path: str, csrf: str) -> None:
    one = (await fill(tmp_path / "x.db"))[0].episode_id
    async with app_over(tmp_path / "x.db") as browser:
        browser.csrf = csrf
        form = {"person": "ada", "blind": "on", "episode": one, "attempt": "0", "label": "direct"}
        assert (await browser.post(path, form)).status_code == 403
        assert "blind mode: off" in await browser.page("/")
        assert await browser.desk.store.judgements(STUDY, "scenario_unrealistic") == []


async def test_a_body_that_is_too_long_or_no_form(tmp_path: Path) -> None:
    async with app_over(await empty(tmp_path / "x.db")) as browser:
        assert (await browser.post("/blind", {"blind": "x" * MOST_BYTES})).status_code == 413
        headers = {"origin": BASE, "content-type": "application/x-www-form-urlencoded"}
        answer = await browser.client.post("/blind", content=b"csrf=\xff\xfe", headers=headers)
        assert answer.status_code == 400
        for method in ("PUT", "DELETE", "TRACE", "OPTIONS"):
            assert (await browser.client.request(method, "/", headers=headers)).status_code == 405


async def test_every_answer_has_the_headers(tmp_path: Path) -> None:
    one = (await fill(tmp_path / "x.db"))[0].episode_id
    paths = ("/", f"/study?study={STUDY}", f"/episode/{one}", "/static/app.js", "/static/htmx.js", "/static/x", "/no")
    async with app_over(tmp_path / "x.db") as browser:
        for path in paths:
            answer = await browser.client.get(path)
            assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
            policy = answer.headers["content-security-policy"]
            assert "unsafe" not in policy
            assert policy.startswith("default-src 'none'")


async def test_pages_have_no_inline_script_or_style(tmp_path: Path) -> None:
    one = (await fill(tmp_path / "x.db"))[0].episode_id
    async with app_over(tmp_path / "x.db") as browser:
        for path in ("/", f"/study?study={STUDY}", f"/episode/{one}", f"/episode/{one}/graph"):
            page = await browser.page(path)
            assert "<style" not in page
            assert " style=" not in page
            assert page.count("<script") == page.count('<script src="/static/')
            assert not any(f" on{event}=" in page for event in ("click", "load", "change", "input", "submit", "error"))


async def test_a_way_back_is_our_own(tmp_path: Path) -> None:
    async with app_over(await empty(tmp_path / "x.db")) as browser:
        for back in ("https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)", "/a\r\nx: y"):
            answer = await browser.post("/blind", {"blind": "on", "back": back})
            assert answer.headers["location"] == "/"
        assert (await browser.post("/blind", {"back": "/study?study=a"})).headers["location"] == "/study?study=a"


async def test_a_password(tmp_path: Path) -> None:
    now = [0.0]
    path = await empty(tmp_path / "x.db")
    async with app_over(path, password="right one", clock=lambda: now[0]) as browser:
        client = browser.client
        assert (await client.get("/")).headers["location"] == "/login"
        assert 'type="password"' in (await client.get("/login")).text
        for _ in range(TRIES):
            answer = await browser.post("/login", {"password": "wrong"})
            assert answer.status_code == 403
        assert "Too many tries" in answer.text
        assert (await browser.post("/login", {"password": "right one"})).status_code == 403
        now[0] += WAIT_S
        assert (await client.post("/login", data={"password": "right one"})).status_code == 403, "no origin"
        assert (await browser.post("/login", {"password": "right one"})).status_code == 303
        assert (await client.get("/")).status_code == 200


async def test_wide_open_needs_a_password(tmp_path: Path) -> None:
    path = await empty(tmp_path / "x.db")
    for host in ("0.0.0.0", "::", "192.0.2.1", "example.org"):
        with pytest.raises(InputError, match="set a password in DILEMMA_REVIEW_PASSWORD"):
            await serve(Serving(url=str(path), host=host, browse=False))
    assert review_password({"DILEMMA_REVIEW_PASSWORD": ""}) is None
    assert review_password({"DILEMMA_REVIEW_PASSWORD": "x"}) == "x"


def test_the_command_says_it_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    waited(empty(tmp_path / "x.db"))
    monkeypatch.delenv("DILEMMA_REVIEW_PASSWORD", raising=False)
    monkeypatch.setattr("sys.argv", ["dilemma", "review", "--store", str(tmp_path / "x.db"), "--host", "0.0.0.0"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 1
    assert "DILEMMA_REVIEW_PASSWORD" in told[0]


async def test_what_cannot_be_served(tmp_path: Path) -> None:
    path = await empty(tmp_path / "x.db")
    with pytest.raises(InputError, match="no study 'nothing'"):
        await serve(Serving(url=str(path), study="nothing", browse=False))
    with pytest.raises(InputError, match="cannot be read as a sheet"):
        await serve(Serving(url=str(path), sheet=tmp_path / "no.csv", browse=False))


def test_hosts() -> None:
    narrow, wide = Hosts("127.0.0.1", 80), Hosts("0.0.0.0", 80)
    assert not narrow.has("192.0.2.1:80")
    assert wide.has("192.0.2.1:80")
    assert wide.has("[2001:db8::1]:80")
    assert not wide.has("evil.example:80")
    assert is_loopback("127.0.0.2")
    assert not is_loopback("evil.example")


def test_sessions_are_bounded() -> None:
    door = Door(password="p", blind=True, clock=lambda: 0.0)
    made = [door.by_password("p") for _ in range(80)]
    known = [session for session in made if session and door.session(session.key) is session]
    assert len(known) == 64
    assert known[-1] is made[-1]
    assert all(session.blind for session in known)


def test_a_store_has_its_own_port(tmp_path: Path) -> None:
    assert own_port(tmp_path / "a.db") == own_port(tmp_path / "b" / ".." / "a.db")
    assert 20_000 <= own_port(tmp_path / "a.db") < 32_000
