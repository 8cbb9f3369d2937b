"""Pictures: drawn offline, safe whatever their labels say, in the page's own colours."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

alt = pytest.importorskip("altair", reason="the extra review is not installed")

from dilemma.charts import CHART_CSS, INK, label_text, page_svg, save_figure  # noqa: E402
from dilemma_kernel.errors import InputError  # noqa: E402

HOSTILE = "</text><script>alert(1)</script>&<svg onload=alert(1)>"


def _chart(label: str):
    data = alt.Data(values=[{"name": label, "share": 0.4}])
    return alt.Chart(data).mark_bar().encode(x="share:Q", y=alt.Y("name:N", title=None))


def test_a_figure_is_an_svg_and_a_png(tmp_path: Path) -> None:
    svg, png = save_figure(_chart("one"), tmp_path / "new", "shares")
    assert (svg.name, png.name) == ("shares.svg", "shares.png")
    assert ElementTree.fromstring(svg.read_text(encoding="utf-8")).tag.endswith("svg")
    assert png.read_bytes().startswith(b"\x89PNG")


def test_the_same_chart_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = (save_figure(_chart("one"), tmp_path / at, "shares") for at in ("a", "b"))
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_no_label_becomes_markup() -> None:
    drawn = ElementTree.fromstring(page_svg(_chart(HOSTILE), f'"{HOSTILE}'))
    tags = {element.tag.rpartition("}")[2] for element in drawn.iter()}
    assert "script" not in tags
    assert not [name for element in drawn.iter() for name in element.attrib if name.startswith("on")]
    assert "alert" in "".join(drawn.itertext())


def test_a_page_lends_its_colours() -> None:
    drawn = page_svg(_chart("one"), "shares")
    assert f'"{INK}"' not in drawn
    assert all(f"{name}:" in CHART_CSS for name in ("--chart-ink", "--chart-muted", "--chart-grid", "--chart-paper"))
    assert "var(--chart-ink)" in drawn


def test_a_label_is_one_bounded_line() -> None:
    assert label_text("a\nb\x1b\u202e\ud800") == "a b<U+001B><U+202E><U+D800>"
    assert label_text("x" * 100, 10) == "x" * 9 + "…"
    assert label_text("x" * 10, 10) == "x" * 10


def test_a_folder_that_is_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        save_figure(_chart("one"), tmp_path / "taken", "shares")
