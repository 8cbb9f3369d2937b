"""Slots: ``{name}`` in a text, filled with values that factor levels own."""

import re
from collections.abc import Mapping

from dilemma_kernel.errors import ScenarioError
from dilemma_kernel.records import Scalar

_TOKEN = re.compile(r"\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]*)\}|[{}]")
_WHOLE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_GROUPED_FROM = 10_000


def fill(template: str, values: Mapping[str, Scalar]) -> str:
    """``template`` with every slot replaced by its value.

    ``{{`` and ``}}`` stand for the braces themselves. A number of five digits or more is written with commas
    between thousands (12,500), a truth value as yes or no. Values are put in as they are: a slot within a value
    stays as text.

    Raises:
        ScenarioError: a slot without a value, or a brace that is neither a slot's nor doubled.
    """
    if "{" not in template and "}" not in template:
        return template

    def replace(match: re.Match[str]) -> str:
        token, name = match.group(0), match.group(1)
        if name is None:
            if len(token) == 1:
                raise ScenarioError(f"a single '{token}' in {_excerpt(template)}: write '{token}{token}'")
            return token[0]
        if name not in values:
            raise ScenarioError(f"no factor level gives the slot '{{{name}}}' in {_excerpt(template)}")
        return written(values[name])

    return _TOKEN.sub(replace, template)


def fill_value(value: Scalar, values: Mapping[str, Scalar]) -> Scalar:
    """``value`` filled. A text that is one slot and nothing else becomes that slot's value, of its own type.

    Raises:
        ScenarioError: as ``fill``.
    """
    if not isinstance(value, str):
        return value
    whole = _WHOLE.fullmatch(value)
    if whole is not None and whole.group(1) in values:
        return values[whole.group(1)]
    return fill(value, values)


def slots_of(template: object) -> tuple[str, ...]:
    """Names of the slots in ``template``, in order, repeats included; none where it is no text."""
    if not isinstance(template, str):
        return ()
    return tuple(match.group(1) for match in _TOKEN.finditer(template) if match.group(1) is not None)


def written(value: Scalar) -> str:
    """A value as it is written within a text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float) and abs(value) >= _GROUPED_FROM:
        return f"{value:,}"
    return "none" if value is None else str(value)


def _excerpt(text: str, length: int = 60) -> str:
    flat = " ".join(text.split())
    return repr(flat if len(flat) <= length else flat[: length - 1] + "…")
