"""What people read and label: the report page, and the review app (extra ``review``)."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dilemma_kernel.errors import MissingExtraError

if TYPE_CHECKING:
    from dilemma.review.mechanism_page import write_mechanism_page
    from dilemma.review.report_page import export_page, write_report
    from dilemma.review.transfer_page import write_transfer_report

_HOMES = {
    "export_page": ("report_page", "a report page"),
    "write_mechanism_page": ("mechanism_page", "a report page"),
    "write_report": ("report_page", "a report page"),
    "write_transfer_report": ("transfer_page", "a report page"),
}
"""Name -> module, and what needs the extra."""

_EXTRA = frozenset({"altair", "fastapi", "jinja2", "markupsafe", "pyarrow", "starlette", "uvicorn", "vl_convert"})

__all__ = ["export_page", "write_mechanism_page", "write_report", "write_transfer_report"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, what = _HOMES[name]
    try:
        return getattr(import_module(f"{__name__}.{module}"), name)
    except ModuleNotFoundError as error:
        if error.name in _EXTRA:
            raise MissingExtraError(what, "review") from error
        raise
