"""The only reader of the process environment and of the settings file.

``dilemma.toml`` in the working folder, then the user's (``$XDG_CONFIG_HOME/dilemma/dilemma.toml``)::

    environment = "rules"                       # who plays the environment when none is named

    [models]
    gpt-x = {model = "openai/gpt-4o", api_base = "http://127.0.0.1:8000/v1", api_key_env = "MY_KEY"}

    [models."openai/local".capabilities]
    tools = false
    schema = "prompted"
"""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from dilemma_kernel.errors import SettingsError
from dilemma_kernel.models.config import DEFAULT_TIMEOUT_S, ModelConfig, ModelEntry
from dilemma_kernel.records import JsonObject, Record

FILE = "dilemma.toml"


class SettingsFile(Record):
    """What a settings file may hold."""

    environment: str | None = None
    """Who plays the environment when none is named."""
    store: str | None = None
    """Store URL when none is named."""
    timeout_s: float | None = None
    """Seconds to wait for one answer of a model."""
    models: dict[str, ModelEntry] = {}
    """Aliases and overrides."""


class Settings(Record):
    """Settings of this run: files merged, environment read."""

    environment: str | None
    store: str | None
    models: ModelConfig

    def with_endpoint(self, api_base: str | None) -> "Settings":
        """These settings with one endpoint for every model; as they are where it is None."""
        if api_base is None:
            return self
        return self.model_copy(update={"models": self.models.model_copy(update={"api_base": api_base})})


def read_settings(folder: Path | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Settings from the working folder's file, then the user's; the first that says something wins.

    Raises:
        SettingsError: one line that names the file, the key and what was expected.
    """
    environ = os.environ if environ is None else environ
    here = _read(Path(folder or ".") / FILE)
    user = _read(_user_folder(environ) / FILE)
    timeout = here.timeout_s or user.timeout_s or DEFAULT_TIMEOUT_S
    return Settings(
        environment=here.environment or user.environment,
        store=here.store or user.store,
        models=ModelConfig(models={**user.models, **here.models}, timeout_s=timeout, environ=dict(environ)),
    )


def review_password(environ: Mapping[str, str] | None = None) -> str | None:
    """The password of the review app, from ``DILEMMA_REVIEW_PASSWORD``; None where it is unset or empty."""
    return (os.environ if environ is None else environ).get("DILEMMA_REVIEW_PASSWORD") or None


_SECRET_NAMES = ("_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_ACCESS_KEY")
_SHORTEST_SECRET = 8
"""Characters below which a value is no key: it would be found in every other word."""


def known_secrets(environ: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Values of the environment that must not be given away, by the names of their variables; the longest first."""
    found = {
        value
        for name, value in (os.environ if environ is None else environ).items()
        if name.upper().endswith(_SECRET_NAMES) and len(value) >= _SHORTEST_SECRET
    }
    return tuple(sorted(found, key=lambda value: (-len(value), value)))


def _user_folder(environ: Mapping[str, str]) -> Path:
    base = environ.get("XDG_CONFIG_HOME") or str(Path(environ.get("HOME", "~")).expanduser() / ".config")
    return Path(base) / "dilemma"


def _read(path: Path) -> SettingsFile:
    try:
        data: JsonObject = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return SettingsFile()
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: not valid TOML: {error}") from None
    try:
        return SettingsFile(**data)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise SettingsError(f"{path}: {where}: {first['msg']}") from None
    except TypeError as error:
        raise SettingsError(f"{path}: {error}") from None
