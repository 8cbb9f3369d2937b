"""What a person may say about models: aliases, endpoints, keys, overrides, prices."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import ConfigDict, Field, field_validator

from dilemma_kernel.models.prices import Prices
from dilemma_kernel.records import Capabilities, JsonObject
from dilemma_kernel.records.base import Record

DEFAULT_TIMEOUT_S = 120.0

IN_PROCESS_TIMEOUT_S = 3600.0
"""At least this long is waited for a model in this process, whose calls wait for one another."""


class CapabilityOverrides(Record):
    """What a person knows better about a model than its library does. None keeps what was found."""

    tools: bool | None = None
    schema_: Literal["native", "prompted"] | None = Field(default=None, alias="schema")
    seed: bool | None = None
    temperature: bool | None = None

    model_config = {"populate_by_name": True}

    def over(self, found: Capabilities) -> Capabilities:
        """``found`` with everything that is overridden replaced."""
        return found.model_copy(update=self.model_dump(exclude_none=True))


class ModelEntry(Record):
    """One alias, or overrides for a model under its own name."""

    model: str | None = None
    """The model that the alias stands for; None for overrides under the model's own name."""
    api_base: str | None = None
    """URL of the endpoint."""
    api_key_env: str | None = None
    """Name of the environment variable that holds the key. Never the key."""
    capabilities: CapabilityOverrides = CapabilityOverrides(schema=None)
    input_price: float | None = Field(default=None, ge=0)
    """US dollars for a million prompt tokens."""
    output_price: float | None = Field(default=None, ge=0)
    """US dollars for a million completion tokens."""
    timeout_s: float | None = Field(default=None, gt=0)
    """Seconds to wait for one answer."""
    extra: JsonObject = {}
    """Further parameters that the provider takes, sent as they are with each call."""

    @property
    def prices(self) -> Prices | None:
        """The prices given here; None unless both are."""
        if self.input_price is None or self.output_price is None:
            return None
        return Prices(self.input_price / 1e6, self.output_price / 1e6)


class ModelConfig(Record):
    """Everything that ``resolve`` needs to know beside a name."""

    models: dict[str, ModelEntry] = {}
    """Alias or model name -> entry."""
    timeout_s: float = Field(default=DEFAULT_TIMEOUT_S, gt=0)
    """Seconds to wait for one answer, where an entry says nothing else."""
    api_base: str | None = None
    """URL of the endpoint of every model; it wins over the entries'."""
    environ: Mapping[str, str] = Field(default_factory=dict, exclude=True, repr=False)
    """The environment: the only place that keys are read from. Never stored or printed."""

    model_config = ConfigDict(hide_input_in_errors=True)

    @field_validator("environ", mode="before")
    @classmethod
    def _as_dict(cls, value: Any) -> dict[str, str]:
        return dict(value)

    def entry(self, name: str) -> ModelEntry:
        """The entry for ``name``, empty where there is none."""
        entry = self.models.get(name) or ModelEntry()
        return entry if self.api_base is None else entry.model_copy(update={"api_base": self.api_base})

    def variable(self, name: str) -> str | None:
        """The environment variable ``name``; None where it is missing, empty or blank."""
        return self.environ.get(name, "").strip() or None
