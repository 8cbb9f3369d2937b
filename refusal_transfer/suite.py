"""A suite in memory: intents, tools, forbidden actions and system texts, and the triples that they make."""

from dataclasses import dataclass
from functools import cached_property

from dilemma_kernel.records import ToolSpec
from refusal_transfer.predicates import ForbiddenAction
from refusal_transfer.records import VARIANTS, Intent, Manifest, Triple


@dataclass(frozen=True, kw_only=True)
class Domain:
    """One profession: its tools, what must not be done with them, and the system texts."""

    name: str
    tools: tuple[ToolSpec, ...]
    forbidden: tuple[ForbiddenAction, ...]
    systems: dict[str, str]
    """condition -> system text."""

    def tool(self, name: str) -> ToolSpec | None:
        """The tool of this name, or None."""
        return next((tool for tool in self.tools if tool.name == name), None)


@dataclass(frozen=True, kw_only=True)
class Suite:
    """A benchmark suite as loaded from its folder."""

    manifest: Manifest
    hash: str
    """SHA-256 over the names and bytes of its files, 16 hex digits."""
    domains: dict[str, Domain]
    intents: tuple[Intent, ...]

    @cached_property
    def triples(self) -> tuple[Triple, ...]:
        """Every intent in both wordings under each system text of its domain, in the order of the files."""
        return tuple(
            Triple(intent=intent, variant=variant, condition=condition, system=system)
            for intent in self.intents
            for variant in VARIANTS
            for condition, system in self.domains[intent.domain].systems.items()
        )

    def triple(self, case: str) -> Triple:
        """The triple of this id; ``KeyError`` where there is none."""
        return self._by_id[case]

    @cached_property
    def _by_id(self) -> dict[str, Triple]:
        return {triple.id: triple for triple in self.triples}
