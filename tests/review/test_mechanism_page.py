"""The page of a run of the laboratory: every table and picture in its section, and nothing that is run or fetched."""

import re
from pathlib import Path
from typing import Any

import pytest
from mechanism_runs import small_run

pytest.importorskip("torch", reason="the extra lab is not installed")
pytest.importorskip("markupsafe", reason="the extra review is not installed")

from dilemma.review.mechanism_page import SECTIONS, mechanism_page, write_mechanism_page
from dilemma.studies.mechanism.shown import shown_tables
from refusal_mechanism.published import published_mechanism


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A report with few tables, whose model has a hostile name."""
    made = small_run(tmp_path_factory.mktemp("page") / "run", sample=3, tables="3,4,5", max_tokens=40)
    hostile = "hf/<script>alert(1)</script>\u202e\x1b[31m"
    return made.model_copy(update={"model": hostile, "published": published_mechanism()})


def test_every_table_has_a_section(report: Any) -> None:
    homes = {key for _, _, keys in SECTIONS for key in keys}
    assert {table.key for table in shown_tables(report)} <= homes
    page = mechanism_page(report)
    assert page.sections[0].blocks[0].notes == report.findings  # type: ignore[union-attr]
    assert {section.anchor for section in page.sections} == {
        "findings", "model", "layer", "prediction", "mediation", "published",
    }  # fmt: skip


def test_the_page_runs_nothing_and_fetches_nothing(report: Any, tmp_path: Path) -> None:
    (path,) = write_mechanism_page(report, tmp_path / "report.html")
    text = path.read_text(encoding="utf-8")
    assert "<svg" in text
    assert "<script>alert" not in text
    assert "\u202e" not in text
    assert "\x1b" not in text
    assert "://" not in re.sub(r'xmlns(:\w+)?="http[^"]*"', "", text)
