"""Broken and surprising YAML: one line that names the place."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from dilemma_kernel.errors import ScenarioError
from scenario_factory import load_pack, load_scenario
from scenario_factory.yaml_reading import MAX_BYTES, parse_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "yes"),
        ("off", "off"),
        ("2026-03-04", "2026-03-04"),
        ("10:30", "10:30"),
        ("012", "012"),
        ("1_000", "1_000"),
        ("9" * 30, "9" * 30),
        ("'12'", "12"),
        ("12", 12),
        ("-1.5", -1.5),
        ("true", True),
        ("~", None),
    ],
)
def test_plain_scalars_are_the_json_types_and_nothing_else(text: str, value: Any) -> None:
    found = parse_yaml(f"a: {text}".encode(), "f.yaml")["a"]
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"a: 1\nb: [1, 2\n", "line 3"),
        (b"a: 1\na: 2\n", "line 2: expected each key once"),
        (b"a: 1\n2: x\n", "line 2: expected a text key"),
        (b"a: &x 1\nb: *x\n", "line 2: expected the value itself"),
        (b"a: !!python/object:os.system x\n", "line 1: expected a value without a tag"),
        (b"a: !!bool maybe\n", "line 1: expected a value without a tag"),
        (b"[" * 100_000, "line 1"),
        (b"\n" + b"[" * 60 + b"]" * 60, "line 2: expected at most"),
        (b"a: 1\n\xff\n", "line 2: expected text in UTF-8"),
        (b"a: \x00", "character 3"),
        (b"a: 1\n---\nb: 2\n", "line 2"),
        (b" " * (MAX_BYTES + 1), "expected at most"),
        (b"", "expected a mapping with format, name"),
        (b"- a\n", "expected a mapping with format, name"),
    ],
)
def test_broken_yaml_is_one_line_with_the_place(tmp_path: Path, raw: bytes, says: str) -> None:
    file = tmp_path / "broken.yaml"
    file.write_bytes(raw)
    with pytest.raises(ScenarioError) as caught:
        load_scenario(file)
    message = str(caught.value)
    assert message.startswith(f"{file}: ")
    assert says in message
    assert "\n" not in message
    assert len(message) < 600


@pytest.mark.parametrize(
    ("place", "value", "says"),
    [
        (("core", "actions", 2, "track"), "good", "core.actions[2].track: expected 'aligned' or 'misaligned'"),
        (("core", "actions", 2, "effects"), 3, "core.actions[2].effects: expected a mapping, found 3"),
        (("core", "actions", 1, "effects", "x"), [1], "core.actions[1].effects.x: expected text, a number, true"),
        (("core", "actions"), "six", 'core.actions: expected a list, found "six"'),
        (("core", "evidence", 0, "kind"), None, "core.evidence[0].kind: expected"),
        (
            ("core", "narrative", "rôle"),
            "x",
            "core.narrative.rôle: expected no such key, but one of role, capabilities",
        ),
        (("factors", "stakes", "low", "words"), "x", "factors.stakes.low.words: expected no such key, but one of text"),
        (("probe", "answer"), 9, "probe: expected otherwise: answer 9"),
        (("name",), "Not A Slug", "name: expected text to match pattern"),
        (("title",), 7, "title: expected text, found 7"),
        (("format",), 2, "format: expected 1, found 2"),
        (("core",), "\x1b[31m\n" * 99, "core: expected a mapping, found"),
    ],
)
def test_a_wrong_value_is_named_by_its_path(tmp_path: Path, place: tuple[Any, ...], value: Any, says: str) -> None:
    tree = load_pack("starter").scenarios[0].model_dump(mode="json")
    inner = tree
    for part in place[:-1]:
        inner = inner[part]
    inner[place[-1]] = value
    file = tmp_path / "wrong.yaml"
    file.write_text(yaml.safe_dump(tree, allow_unicode=True), encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        load_scenario(file)
    message = str(caught.value)
    assert message.startswith(f"{file}: {says}")
    assert message.isprintable()


def test_a_missing_value_is_named_and_the_others_counted(tmp_path: Path) -> None:
    tree = load_pack("starter").scenarios[0].model_dump(mode="json")
    del tree["core"]["actions"][4]["result"]
    del tree["no_dilemma"]
    file = tmp_path / "missing.yaml"
    file.write_text(yaml.safe_dump(tree, allow_unicode=True), encoding="utf-8")
    with pytest.raises(
        ScenarioError, match=r"core\.actions\[4\]\.result: expected a value, found nothing \(and 1 more\)"
    ):
        load_scenario(file)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"absent\.yaml: expected a readable file"):
        load_scenario(tmp_path / "absent.yaml")
    with pytest.raises(ScenarioError, match="expected a readable file"):
        load_scenario(tmp_path)
