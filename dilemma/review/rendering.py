"""Templates of the app. Everything they write is escaped, and unseen characters in it are written out."""

from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from dilemma.review.labelling import FLAGS
from dilemma.review.text import TEXT_CSS, line, shown
from dilemma_kernel.errors import MissingExtraError
from dilemma_kernel.unseen import code_point, replace_unseen

STATIC = Path(__file__).parent / "static"


def templates() -> Environment:
    """The app's templates."""
    made = Environment(
        loader=PackageLoader("dilemma.review", "templates/app"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_plain,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(said=shown, one=line, percent=_percent, figure=_figure, day=_day, typed=_typed, zip_same=_twice)
    made.globals.update(FLAGS=FLAGS)
    return made


def static_files() -> dict[str, tuple[str, bytes]]:
    """Name -> media type and content, of every file that a page loads.

    Raises:
        MissingExtraError: htmx is not installed.
    """
    return {
        "app.css": ("text/css", (STATIC / "app.css").read_bytes() + TEXT_CSS.encode()),
        "app.js": ("text/javascript", (STATIC / "app.js").read_bytes()),
        "icon.svg": ("image/svg+xml", (STATIC / "icon.svg").read_bytes()),
        "htmx.js": ("text/javascript", _htmx().read_bytes()),
    }


def _htmx() -> Path:
    """htmx, as its package has it."""
    found = find_spec("js_lib_htmx")
    for folder in found.submodule_search_locations or () if found else ():
        path = Path(folder) / "static" / "htmx" / "htmx.min.js"
        if path.is_file():
            return path
    raise MissingExtraError("the review app", "review")


def _plain(value: Any) -> Any:
    """What stands in a page or in an attribute of it; markup of our own stays."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return replace_unseen(value, lambda char: f"<{code_point(char)}>")


def _typed(text: str) -> Markup:
    """What a person typed, to be edited again: escaped, and otherwise as it is."""
    return Markup(escape(text.encode("utf-8", "replace").decode()))


def _twice(names: Iterable[str]) -> list[tuple[str, str]]:
    """Options whose name is their value."""
    return [(name, name) for name in names]


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"


def _figure(value: float | None, form: str = ".2f") -> str:
    return "–" if value is None else format(value, form).replace("-", "−")


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
