"""Which rung of the ladder an agent's moves are asked for on."""

from dilemma_kernel.errors import DesignError
from dilemma_kernel.records import Capabilities, Rung


def choose_rung(capabilities: Capabilities, interface: str, model: str) -> Rung:
    """Native tools where the model has them, else a native reply schema, else JSON asked for in words.

    Args:
        capabilities: what the model supports.
        interface: level of the factor ``interface``: ``auto``, or a rung that is then required.
        model: the model's name, for the error.

    Raises:
        DesignError: the model does not support the rung that is required.
    """
    native_schema = capabilities.schema_ == "native"
    if interface == "auto":
        return "tools" if capabilities.tools else "schema" if native_schema else "prompted"
    if interface == "tools" and capabilities.tools:
        return "tools"
    if interface == "schema" and native_schema:
        return "schema"
    if interface == "prompted":
        return "prompted"
    raise DesignError(f"interface={interface} asks for what '{model}' does not support; use auto or prompted")
