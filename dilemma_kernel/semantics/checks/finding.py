"""What a check finds."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One fault of a scenario."""

    check: str
    """Id of the check, a key of ``CHECKS``."""
    path: str
    """Where in the scenario's file, such as ``core.actions[3].effects.alert``."""
    message: str
    """What is wrong and what was expected, in one line."""

    def __str__(self) -> str:
        return f"{self.path}: {self.message} [{self.check}]"
