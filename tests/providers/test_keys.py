"""A marked key is in no byte that is written: not in the store, an export, a report, a log or a traceback."""

import base64
import urllib.parse
from pathlib import Path

import pytest
from loopback_server import Answer, LoopbackServer, Received, status
from provider_studies import dilemma, played, settle

KEY = "sk-MARKED+key/0123456789"
FORMS = {
    KEY,
    KEY[::-1],
    "MARKED",
    urllib.parse.quote(KEY, safe=""),
    base64.b64encode(KEY.encode()).decode().rstrip("="),
    KEY.encode().hex(),
}


def telling(received: Received) -> Answer:
    """A server that repeats the key in its errors, as some do."""
    echoed = received.headers["authorization"]
    if received.number == 2:
        return status(429, retry_after="0", message=f"slow down, {echoed}")
    if received.number == 3:
        return status(503, message=f"{KEY} met an error")
    return status(401, message=f"Incorrect API key provided: {KEY}") if received.number > 12 else played(received)


@pytest.mark.parametrize("processes", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_a_marked_key_is_in_no_byte_that_is_written(processes: str, tmp_path: Path) -> None:
    told = []
    key = {"TEAM_KEY": KEY, "LITELLM_LOG": "DEBUG"}
    with LoopbackServer(telling) as server:
        settle(tmp_path, server.url, api_key_env="TEAM_KEY")
        study = ["simulate", "--agent", "gpt-x", "--domain", "legal", "--episodes", "3", "--study", "s", "--json"]
        ran = dilemma(tmp_path, *study, "--processes", processes, **key)
        assert ran.returncode == 2, ran.stderr
        assert {received.headers["authorization"] for received in server.requests} == {f"Bearer {KEY}"}
        told += [ran, dilemma(tmp_path, "doctor", "--agent", "gpt-x", **key)]
    for command in (["report", "s"], ["export", "s"], ["export", "s", "--format", "csv"]):
        told.append(dilemma(tmp_path, *command, **key))
        assert told[-1].returncode == 0, told[-1].stderr
    spoken = "".join(result.stdout + result.stderr for result in told)
    assert "Incorrect API key provided: [key]" in spoken, "the error that held the key was not told"
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"dilemma.db", "s.csv", "trajectories.jsonl"} <= {path.name for path in written}
    for form in FORMS:
        assert form not in spoken
        for path in written:
            assert form.encode() not in path.read_bytes(), f"{form} is in {path.name}"
