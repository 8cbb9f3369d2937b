"""``transfer audit``: does a model's chat template show it what the benchmark says? Every triple is rendered."""

from collections.abc import Iterator, Sequence
from difflib import ndiff
from typing import Protocol

from dilemma.settings import Settings, read_settings
from dilemma_kernel.errors import InputError, MissingExtraError, ModelError
from dilemma_kernel.records import Message, Record, ToolSpec
from refusal_transfer.arms import ARMS, Arm
from refusal_transfer.harness import NATIVE, NO_TOOLS, PROMPTED, arm_request
from refusal_transfer.records import Triple
from refusal_transfer.suite import Suite

TEMPLATED = ("hf/", "local/")
MARKS = ("<tools>", "[AVAILABLE_TOOLS]", "available_tools", "function signatures", "# Tools", "## Available Tools")
"""Words by which templates announce tools."""


class Renders(Protocol):
    """What an audit needs of a model."""

    @property
    def takes_tools(self) -> bool:
        """Whether the template has a place for tools."""
        ...

    def render(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> str:
        """The prompt. Raises ``ModelError`` where the template refuses."""
        ...


class AuditFault(Record):
    """One kind of fault, in one arm."""

    kind: str
    """``refused``, ``system lost``, ``user text lost``, ``tools absent`` or ``tools leak``."""
    arm: str
    prompts: int
    """How many prompts have it."""
    example: str
    """The first triple that has it, and what is missing or leaks."""


class Audit(Record):
    """What rendering a whole suite showed."""

    model: str
    prompts: int
    native: bool
    """Whether tools go through the template; else they are offered in words."""
    faults: tuple[AuditFault, ...]
    notes: tuple[str, ...]

    @property
    def passes(self) -> bool:
        """Whether there is no fault."""
        return not self.faults


def audit_model(model: str, suite: Suite, settings: Settings | None = None) -> Audit:
    """Audit the template of ``hf/…``, a folder with a tokenizer alone included, or of ``local/…``.

    Raises:
        InputError: the model's template is not on this machine, or cannot be read.
    """
    settings = settings or read_settings()
    target = settings.models.entry(model).model or model
    rest = next((target.removeprefix(scheme) for scheme in TEMPLATED if target.startswith(scheme)), None)
    if rest is None:
        raise InputError(f"{model}: only a template on this machine can be audited: hf/… or local/…")
    return audit(model, _renderer(rest), suite)


def _renderer(rest: str) -> Renders:
    try:
        from dilemma_kernel.models.transformers import find_place, load_renderer  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("transfer audit (transformers)", "lab") from None
    return load_renderer(find_place(rest))


def audit(model: str, renderer: Renders, suite: Suite) -> Audit:
    """Render every triple of ``suite`` in every arm and look for what is lost and what leaks."""
    found: dict[tuple[str, str], list[str]] = {}
    prompts = 0
    for triple in suite.triples:
        for arm in ARMS:
            prompts += 1
            for kind, detail in _faults(renderer, triple, arm, suite.domains[triple.intent.domain].tools):
                found.setdefault((kind, arm), []).append(f"{triple.id}: {detail}")
    faults = tuple(
        AuditFault(kind=kind, arm=arm, prompts=len(cases), example=cases[0]) for (kind, arm), cases in found.items()
    )
    return Audit(
        model=model, prompts=prompts, native=renderer.takes_tools, faults=faults, notes=tuple(_notes(renderer, suite))
    )


def _rendered(renderer: Renders, triple: Triple, arm: Arm, tools: tuple[ToolSpec, ...]) -> str:
    how = (NATIVE if renderer.takes_tools else PROMPTED) if ARMS[arm].tools else NO_TOOLS
    request = arm_request(triple, arm, tools, how=how)
    return renderer.render(request.messages, request.tools)


def _faults(renderer: Renders, triple: Triple, arm: Arm, tools: tuple[ToolSpec, ...]) -> Iterator[tuple[str, str]]:
    try:
        text = _rendered(renderer, triple, arm, tools)
    except ModelError as error:
        yield "refused", str(error)
        return
    user = triple.text(ARMS[arm].wording).strip()
    if triple.system.strip() not in text:
        yield "system lost", f"{triple.system[:60]!r} is not in the prompt"
    if user not in text:
        yield "user text lost", f"{user[:60]!r} is not in the prompt"
    around = text.replace(user, "").replace(triple.system.strip(), "")
    if ARMS[arm].tools:
        missing = [word for tool in tools for word in _words(tool) if word not in around]
        if missing:
            yield "tools absent", f"{missing[0]!r} is not in the prompt ({len(missing)} names are missing)"
    else:
        leaking = [word for word in (*(tool.name for tool in tools), *MARKS) if word in around]
        if leaking:
            yield "tools leak", f"the prompt says {leaking[0]!r}"


def _words(tool: ToolSpec) -> tuple[str, ...]:
    """The tool's name and those of its parameters."""
    return (tool.name, *tool.parameters.get("properties", {}))


def _notes(renderer: Renders, suite: Suite) -> Iterator[str]:
    """What is no fault but worth knowing: how offering tools changes the rest of the prompt."""
    if not renderer.takes_tools:
        yield "the template has no place for tools: they are offered in words after the system text"
        return
    triple = suite.triples[0]
    tools = suite.domains[triple.intent.domain].tools
    try:
        bare, offered = (_rendered(renderer, triple, arm, tools) for arm in ("chat", "tool_chatwording"))
    except ModelError:
        return
    changes = ndiff(bare.splitlines(), offered.splitlines())
    lost = [line for line in changes if line.startswith("- ") and line[2:].strip()]
    added = len(offered) - len(bare)
    yield f"with tools the prompt is {added:,} characters longer, and {len(lost)} lines of the one without are changed"
