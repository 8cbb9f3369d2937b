"""What is stored survives a death at any byte, and one key has one value."""

import json
from pathlib import Path

import pytest

pytest.importorskip("altair", reason="the extra lab is not installed")

from dilemma.studies.mechanism.logs import AppendedLog
from dilemma_kernel.errors import StudyError


def test_what_was_put_is_there_when_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with AppendedLog(path) as log:
        log.put("a", {"text": "one\ntwo \u2028 ␛"})
        log.put("b", [1.5, -2.0])
    with AppendedLog(path) as log:
        assert log["a"] == {"text": "one\ntwo \u2028 ␛"}
        assert log["b"] == [1.5, -2.0]
        assert "c" not in log


def test_the_first_value_of_a_key_stays(tmp_path: Path) -> None:
    with AppendedLog(tmp_path / "log.jsonl") as log:
        log.put("a", 1)
        log.put("a", 2)
        assert log["a"] == 1
    assert (tmp_path / "log.jsonl").read_text().count("\n") == 1


def test_a_death_at_any_byte_loses_the_line_that_was_being_written_alone(tmp_path: Path) -> None:
    whole = b"".join(json.dumps({"key": str(i), "value": i}).encode() + b"\n" for i in range(3))
    path = tmp_path / "log.jsonl"
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        kept = whole[:cut].count(b"\n")
        with AppendedLog(path) as log:
            assert [str(i) in log for i in range(3)] == [i < kept for i in range(3)]
            log.put("next", 9)
        with AppendedLog(path) as log:
            assert log["next"] == 9
            assert [str(i) in log for i in range(3)] == [i < kept for i in range(3)]


def test_a_broken_line_within_is_said(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"key": "a", "value": 1}\nnonsense\n{"key": "b", "value": 2}\n')
    with pytest.raises(StudyError, match="line 2: is broken"):
        AppendedLog(path)
