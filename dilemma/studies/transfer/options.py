"""What a person may say of a run of the benchmark."""

from typing import Any, Self

from pydantic import ValidationError, field_validator, model_validator

from dilemma.studies.options import NAME
from dilemma_kernel.errors import InputError
from dilemma_kernel.records import Record


class TransferOptions(Record):
    """Options of ``transfer run``. None means that nothing was said."""

    model: tuple[str, ...] = ()
    """Names of the models under test."""
    suite: str | None = None
    """Folder of the suite. Default: the one that is shipped."""
    arms: str | None = None
    """Names of arms with commas between them, ``paper`` for its three or ``all`` for all five. Default: ``paper``."""
    systems: tuple[str, ...] = ()
    """System conditions to keep. Default: all."""
    sample: int | None = None
    """Pairs of a harmful and a benign intent to draw, stratified by domain and scenario. Default: all."""
    repeats: int | None = None
    """Times that every arm is run. Default 1."""
    seed: int | None = None
    """Study seed. Default 0."""
    temperature: float | None = None
    """Default 0."""
    max_tokens: int | None = None
    """Most tokens in a reply. Default 512."""
    concurrency: int | None = None
    """Arms at once. Default 16; 8 for hf/, which answers them as a batch; 1 for local/."""
    store: str | None = None
    """Store URL. Default ``sqlite:///dilemma.db``."""
    study: str | None = None
    """The study's name; a readable one is made when none is given."""
    budget: float | None = None
    """US dollars that the study may spend in all. Default: no bound."""
    max_calls: int | None = None
    """Requests that the study may send in all: earlier runs, failures and retries included. Default: no bound."""

    @field_validator("model", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value

    @field_validator("systems", mode="before")
    @classmethod
    def _by_comma(cls, value: Any) -> Any:
        texts = (value,) if isinstance(value, str) else value
        return tuple(dict.fromkeys(part.strip() for text in texts for part in text.split(",") if part.strip()))

    @model_validator(mode="after")
    def _in_range(self) -> Self:
        for name in ("sample", "repeats", "max_tokens", "concurrency", "max_calls"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} must be at least 1, not {value}")
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise ValueError(f"temperature must lie between 0 and 2, not {self.temperature}")
        if self.budget is not None and not self.budget > 0:
            raise ValueError(f"budget must be more than 0 dollars, not {self.budget}")
        if self.study is not None and not NAME.fullmatch(self.study):
            raise ValueError(f"study {self.study!r}: use letters, digits, '.', '_' and '-', 80 at most")
        return self


def transfer_options(**values: Any) -> TransferOptions:
    """Options from keyword values; raises ``InputError`` with one line that names the option."""
    try:
        return TransferOptions(**values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        raise InputError(f"{where}: {message}" if where else message) from None
