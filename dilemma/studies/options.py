"""What a person may say of a simulation, in a study file, on the command line or in Python."""

import re
from pathlib import Path
from typing import Any, Self

import yaml
from pydantic import ConfigDict, Field, ValidationError, field_validator, model_validator

from dilemma.studies.design import read_table
from dilemma_kernel.errors import DesignError, InputError, StudyError
from dilemma_kernel.records import BASELINE, FACTORS, Record

DESIGNS = ("vary", "one_at_a_time", "design")
"""Options that say which cells there are; one of them replaces another."""

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


class SimulateOptions(Record):
    """Options of ``simulate``. None means that nothing was said."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    agent: tuple[str, ...] = ()
    """Model names of the agents under test."""
    environment: tuple[str, ...] = ()
    """``rules`` or model names; empty for the default."""
    scenarios: str | None = None
    """A pack's name, or the path of a pack or a scenario. Default: ``starter``."""
    domain: tuple[str, ...] = ()
    """Keep the scenarios of these domains only."""
    turns: int | None = None
    """Turn budget. Default 10."""
    episodes: int | None = None
    """Episodes for each scenario core and cell. Default 1."""
    seed: int | None = None
    """Study seed. Default 0."""
    concurrency: int | None = None
    """Episodes at once. Default 16; 1 where every model runs in this process."""
    store: str | None = None
    """Store URL. Default ``sqlite:///dilemma.db``."""
    study: str | None = None
    """The study's name; a readable one is made when none is given."""
    set: dict[str, str] = {}
    """factor -> level, for factors held off their baseline."""
    vary: tuple[str, ...] = ()
    """Factors that are crossed with each other, all levels of each."""
    one_at_a_time: tuple[str, ...] = ()
    """Factors that are changed one by one."""
    design: tuple[dict[str, str], ...] = ()
    """A table of cells: factors (and ``agent``, ``environment``) by name; the levels it leaves out are held."""
    control: tuple[str, ...] = ()
    """Controls: ``order``, ``names``, ``no-dilemma``, ``interface``, ``comprehension``."""
    continue_: bool | None = Field(None, alias="continue")
    """Go on after the first attempted A− terminal."""
    temperature: float | None = None
    """Of the agent. Default 1.0."""
    max_tokens: int | None = None
    """Most tokens in a reply of the agent. Default 1024."""
    history: int | None = None
    """Turns that the agent sees in full. Default: all."""

    budget: float | None = None
    """US dollars that the study may spend in all. Default: no bound."""
    max_calls: int | None = None
    """Requests that the study may send in all: earlier runs, failures and retries included. Default: no bound."""
    api_base: str | None = None
    """URL of the endpoint of every model that litellm reaches. Default: the settings file's, then the provider's."""
    reuse: str | None = None
    """A study of the same store whose replies to equal requests are taken before any model is asked."""
    processes: int | None = None
    """Processes that run episodes; this one alone writes. Default 1."""

    @field_validator("agent", "environment", "domain", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value

    @field_validator("vary", "one_at_a_time", "control", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        """``"stakes,feedback"`` and ``["stakes", "feedback"]`` say the same."""
        parts = (value,) if isinstance(value, str) else value
        if not isinstance(parts, list | tuple) or not all(isinstance(part, str) for part in parts):
            return value
        return tuple(name for part in parts for name in (bit.strip() for bit in part.split(",")) if name)

    @field_validator("design", mode="before")
    @classmethod
    def _table(cls, value: Any) -> Any:
        """A list of cells, or the path of a CSV table."""
        return read_table(Path(value)) if isinstance(value, str | Path) else value

    @model_validator(mode="after")
    def _in_range(self) -> Self:
        for name in ("turns", "episodes", "concurrency", "max_tokens", "history", "max_calls", "processes"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} must be at least 1, not {value}")
        if self.turns is not None and self.turns > 1000:
            raise ValueError(f"turns must be at most 1000, not {self.turns}")
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise ValueError(f"temperature must lie between 0 and 2, not {self.temperature}")
        if self.budget is not None and not self.budget > 0:
            raise ValueError(f"budget must be more than 0 dollars, not {self.budget}")
        if self.api_base is not None and not self.api_base.startswith(("http://", "https://")):
            raise ValueError(f"api-base must be an http or https URL, not {self.api_base!r}")
        if self.study is not None and not NAME.fullmatch(self.study):
            raise ValueError(f"study {self.study!r}: use letters, digits, '.', '_' and '-', 80 at most")
        return self

    def over(self, other: "SimulateOptions") -> "SimulateOptions":
        """These options where something was said, ``other``'s elsewhere; ``set`` is merged."""
        said = {
            name: getattr(self, name) for name in type(self).model_fields if getattr(self, name) not in (None, (), {})
        }
        merged = {**{name: getattr(other, name) for name in type(self).model_fields}, **said}
        if any(getattr(self, name) for name in DESIGNS):
            merged |= {name: getattr(self, name) for name in DESIGNS}
        return SimulateOptions(**{**merged, "set": {**other.set, **self.set}})


def make_options(**values: Any) -> SimulateOptions:
    """Options from keyword values.

    Raises:
        InputError: one line that names the option and what it may hold.
    """
    try:
        return SimulateOptions(**values)
    except ValidationError as error:
        raise InputError(_first_line(error)) from None


def read_study_file(path: Path) -> SimulateOptions:
    """Options from a YAML study file.

    Raises:
        StudyError: the file cannot be read, is no mapping, or holds an unknown or wrong option.
    """
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StudyError(f"{path}: cannot be read: {error.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        raise StudyError(f"{path}: not valid YAML: {' '.join(str(error).split())[:200]}") from None
    if not isinstance(data, dict):
        raise StudyError(f"{path}: expected a mapping of options, such as 'agent: scripted/robust'")
    try:
        return SimulateOptions(**_keys(data, path.parent))
    except ValidationError as error:
        raise StudyError(f"{path}: {_first_line(error)}") from None


def _keys(data: dict[Any, Any], folder: Path) -> dict[str, Any]:
    """The file's options by name, dashes allowed; a table of cells lies beside the file."""
    said = {str(key).replace("-", "_"): value for key, value in data.items()}
    if isinstance(said.get("design"), str):
        said["design"] = folder / said["design"]
    return said


def parse_set(pairs: list[str]) -> dict[str, str]:
    """``["stakes=high"]`` -> ``{"stakes": "high"}``; raises ``DesignError`` on any other form."""
    levels: dict[str, str] = {}
    for pair in pairs:
        name, equals, level = pair.partition("=")
        if not equals:
            raise DesignError(f"--set {pair}: expected FACTOR=LEVEL, such as stakes=low")
        levels[name.strip()] = level.strip()
    return levels


def all_levels(chosen: dict[str, str]) -> dict[str, str]:
    """The level of every factor: ``chosen`` over the baseline.

    Raises:
        DesignError: an unknown factor or level.
    """
    for name, level in chosen.items():
        if name not in FACTORS:
            raise DesignError(f"unknown factor {name!r}; there are {', '.join(FACTORS)}")
        if level not in FACTORS[name].levels:
            raise DesignError(f"factor {name} has no level {level!r}; it has {', '.join(FACTORS[name].levels)}")
    return {**BASELINE, **chosen}


def _first_line(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        known = ", ".join(field.alias or name for name, field in SimulateOptions.model_fields.items())
        return f"unknown option {where!r}; there are {known}"
    message = first["msg"].removeprefix("Value error, ")
    return f"{where}: {message}" if where else message
