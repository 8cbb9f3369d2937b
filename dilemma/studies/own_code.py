"""``python:module:Class``: an environment of a person's own."""

from dilemma_kernel.errors import InputError
from dilemma_kernel.models.loading import load_object
from dilemma_kernel.ports import Environment

SCHEME = "python:"


def python_environment(name: str) -> Environment | None:
    """The environment that ``name`` stands for.

    Args:
        name: ``python:module:Class``: a class or function that gives an environment when called without arguments,
            or an environment.

    Returns:
        None where it gives something else, such as a model.

    Raises:
        InputError: it cannot be had; the message says why in one line.
    """
    found = load_object(name.removeprefix(SCHEME))
    if isinstance(found, type) or not isinstance(found, Environment):
        found = _called(name, found)
    return found if isinstance(found, Environment) else None


def _called(name: str, factory: object) -> object:
    if not callable(factory):
        return factory
    try:
        made: object = factory()
    except Exception as error:
        words = " ".join(str(error).split())[:300]
        raise InputError(f"{name} fails when called: {type(error).__name__}: {words}") from error
    return made
