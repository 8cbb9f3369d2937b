"""What a person may say of a run of the laboratory."""

import re
from typing import Any, Literal, Self

from pydantic import ValidationError, field_validator, model_validator

from dilemma_kernel.errors import InputError
from dilemma_kernel.models.transformers import known_dtype
from dilemma_kernel.records import Record

TABLES = ("3", "4", "5", "6", "7", "8", "9", "gated")
DEFAULT_MULTIPLES = ("0.25x", "0.5x", "1x", "1.5x", "2x", "3x", "4x", "8x")
LEAST_PAIRS = 3
"""Pairs of intents: one to extract from, one to select on, one to test on."""
_LEAST = {"sample": LEAST_PAIRS, "max_tokens": 1, "kl_prompts": 1, "selection_prompts": 1, "random_directions": 0}
_COEFFICIENT = re.compile(r"^-?\d+(\.\d+)?x?$")


class MechanismOptions(Record):
    """Options of ``mechanism run``. Everything that shapes a table; a run that goes on must say the same."""

    model: str
    """As ``hf/smollm2``, ``hf/FOLDER`` or a folder."""
    suite: str | None = None
    """Folder of the suite. Default: the one that is shipped."""
    study: str | None = None
    """A stored study of refusal transfer on this model. Default: the suite is run on it first."""
    store: str | None = None
    """Store of that study."""
    tables: tuple[str, ...] = TABLES
    rule: Literal["arditi", "norm", "auc"] = "arditi"
    """Which rule chooses the layer. Where it admits none, ``auc`` does, and the report says so."""
    sample: int | None = None
    """Pairs of intents to draw. Default: all."""
    systems: tuple[str, ...] = ()
    """System conditions to keep. Default: all."""
    seed: int = 0
    """Of the split, the sample, the controls and the bootstrap."""
    max_tokens: int | None = None
    """Most tokens in a reply. Default: the study's, or 128 where the suite is run first."""
    coefficients: tuple[str, ...] = DEFAULT_MULTIPLES
    """Of the sweep: numbers, or multiples of the natural magnitude such as ``2x``."""
    random_directions: int = 20
    """Controls of the patch and of the KL."""
    kl_prompts: int = 240
    """Prompts of each kind on which KL is measured at most."""
    selection_prompts: int = 48
    """Prompts of each kind on which ``arditi`` scores layers at most."""
    most_lost: float = 0.1
    """Bound on the share of benign calls on which a gate may act, where its threshold is set."""
    dtype: str = "auto"

    @field_validator("tables", "coefficients", "systems", mode="before")
    @classmethod
    def _by_comma(cls, value: Any) -> Any:
        texts = (value,) if isinstance(value, str) else value
        return tuple(dict.fromkeys(part.strip() for text in texts for part in str(text).split(",") if part.strip()))

    @model_validator(mode="after")
    def _in_range(self) -> Self:
        unknown = [name for name in self.tables if name not in TABLES]
        if unknown or not self.tables:
            raise ValueError(f"there is no table {', '.join(unknown) or '(none)'}; there are {', '.join(TABLES)}")
        bad = [text for text in self.coefficients if not _COEFFICIENT.match(text)]
        if bad:
            raise ValueError(f"{bad[0]!r} is no coefficient: give numbers, or multiples such as 2x")
        if not any(coefficient_of(text, 1.0) for text in self.coefficients):
            raise ValueError("no coefficient but 0, which changes nothing: give numbers, or multiples such as 2x")
        known_dtype(self.dtype)
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if value is not None and value < least:
                raise ValueError(f"{name} must be at least {least}, not {value}")
        if not 0 <= self.most_lost < 1:
            raise ValueError(f"most_lost must lie between 0 and 1, not {self.most_lost}")
        if self.study is not None and (self.sample is not None or self.systems):
            raise ValueError("a study has its own sample and systems: leave out --sample and --systems")
        return self

    @property
    def name(self) -> str:
        """The model as a study names it."""
        return self.model if self.model.startswith("hf/") else f"hf/{self.model}"


def mechanism_options(**values: Any) -> MechanismOptions:
    """Options from keyword values, None left out; raises ``InputError`` with one line that names the option."""
    try:
        return MechanismOptions(**{name: value for name, value in values.items() if value not in (None, ())})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        raise InputError(f"{where}: {message}" if where else message) from None


def coefficient_of(text: str, natural: float) -> float:
    """``450`` as it is, ``2x`` as twice the natural magnitude."""
    return float(text[:-1]) * natural if text.endswith("x") else float(text)
