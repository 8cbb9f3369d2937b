"""What a person needs to know when something does not work: versions, packages, keys, and one cheap call.

Nothing here imports a stage, so that it runs where a stray package shadows one of ours.
"""

import importlib.util
import platform
import re
import sqlite3
import sys
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

from dilemma.settings import Settings
from dilemma_kernel.errors import ModelError
from dilemma_kernel.models.providers import KEYS
from dilemma_kernel.models.registry import resolve
from dilemma_kernel.records import Capabilities, ChatReply, ChatRequest, Message, Record, Sampling, ToolSpec

DISTRIBUTION = "dilemma-sim"
PACKAGES = (
    "dilemma",
    "dilemma_kernel",
    "envs",
    "refusal_mechanism",
    "refusal_transfer",
    "scenario_factory",
    "trajectories",
)
LIBRARIES = ("litellm", "langgraph", "langchain-core", "pydantic", "sqlmodel")
_EXTRA = re.compile(r"^([\w.-]+).*extra\s*==\s*['\"]([\w-]+)['\"]")

PING = ToolSpec(
    name="ping",
    description="Answers with pong.",
    parameters={"type": "object", "properties": {}, "additionalProperties": False},
)


class Installation(Record):
    """What is installed, and where it is."""

    versions: dict[str, str]
    """Python, SQLite, this software and the libraries that matter most; ``missing`` where one is."""
    extras: dict[str, tuple[str, ...]]
    """Extra -> what it lacks; empty for one that is whole."""
    packages: dict[str, str]
    """Package of ours -> the folder that it is imported from."""
    strays: tuple[str, ...]
    """Other things of the same names on the path, and whether they come before ours."""
    shadowed: bool
    """Whether a stray is imported in place of one of ours."""
    keys: dict[str, str]
    """Variable -> ``set`` or ``empty``. The key itself is never read here."""


class Call(Record):
    """How one cheap call to a model went."""

    model: str
    identity: str
    capabilities: Capabilities
    """What is taken to be supported: by lists, and by the settings file."""
    error: str | None = None
    reply: ChatReply | None = None
    """What came back; None where nothing did."""

    @property
    def called_tool(self) -> bool:
        """Whether the tool that was offered was called, in a form that can be read."""
        return self.reply is not None and any(c.name == PING.name and c.malformed is None for c in self.reply.calls)


def look_around(settings: Settings) -> Installation:
    """The state of this installation."""
    home = Path(__file__).parents[2]
    packages = {name: _folder_of(name) for name in PACKAGES}
    strays, shadowed = _strays(home, packages)
    return Installation(
        versions=_versions(),
        extras=_extras(),
        packages={name: str(folder) for name, folder in packages.items() if folder},
        strays=strays,
        shadowed=shadowed,
        keys=_keys(settings),
    )


async def call_once(name: str, settings: Settings) -> Call:
    """Ask the model for one short reply, with a tool where it has tools.

    Raises:
        InputError: the name, the key or an extra is missing.
    """
    model = resolve(name, settings.models)
    request = ChatRequest(
        messages=(Message(role="user", content="Call the tool ping. If you have no tools, say pong."),),
        tools=(PING,) if model.capabilities.tools else (),
        sampling=Sampling(temperature=0.0, max_tokens=64),
        seed=1,
    )
    call = Call(model=name, identity=model.identity, capabilities=model.capabilities)
    try:
        return call.model_copy(update={"reply": await model.complete(request)})
    except ModelError as error:
        return call.model_copy(update={"error": f"{type(error).__name__}: {error}"})
    finally:
        await model.aclose()


def _versions() -> dict[str, str]:
    ours = {name: _version(name) for name in (DISTRIBUTION, *LIBRARIES)}
    return {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version, **ours}


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "missing"


def _extras() -> dict[str, tuple[str, ...]]:
    try:
        required = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return {}
    lacking: dict[str, tuple[str, ...]] = {}
    for found in filter(None, map(_EXTRA.match, required)):
        name, extra = found.groups()
        lacking[extra] = (*lacking.get(extra, ()), *((name,) if _version(name) == "missing" else ()))
    return lacking


def _folder_of(package: str) -> Path | None:
    spec = importlib.util.find_spec(package)
    if spec is None:
        return None
    places = list(spec.submodule_search_locations or ()) or [spec.origin or ""]
    return Path(places[0]).resolve()


def _strays(home: Path, packages: Mapping[str, Path | None]) -> tuple[tuple[str, ...], bool]:
    """Whatever else on the path bears a name of ours."""
    found, shadowed = [], False
    for name, imported in packages.items():
        if imported is not None and imported.parent != home:
            shadowed = True
            found.append(f"{name} is imported from {imported}, in place of {home / name}")
            continue
        for entry in dict.fromkeys(Path(entry or ".").resolve() for entry in sys.path):
            places = (entry / name / "__init__.py", entry / f"{name}.py")
            other = next((place for place in places if entry != home and place.is_file()), None)
            if other is not None:
                found.append(f"{other} bears the name of our {name}; ours is the one that is imported")
    return tuple(found), shadowed


def _keys(settings: Settings) -> dict[str, str]:
    named = {entry.api_key_env for entry in settings.models.models.values() if entry.api_key_env}
    variables = sorted({*named, *(variable for several in KEYS.values() for variable in several)})
    return {
        variable: "set" if settings.models.variable(variable) else "empty"
        for variable in variables
        if variable in settings.models.environ
    }
