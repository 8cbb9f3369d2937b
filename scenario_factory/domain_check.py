"""Whether a domain library works: some candidates of each family are composed, and what stops them is told."""

from collections import Counter

from dilemma_kernel.records import Record, derive_seed
from scenario_factory.composer.draws import briefs
from scenario_factory.domain import Domain
from scenario_factory.loop import Candidate, build_loop
from scenario_factory.presets import PRESETS, shortfalls
from scenario_factory.teams import team_of
from scenario_factory.ways import PRESSURES

TRIES = 12
"""Candidates of each family that a check composes."""


class FamilyCheck(Record):
    """What came of composing one family."""

    family: str
    tried: int
    accepted: int
    reasons: dict[str, int]
    """Why the others were rejected: criterion or machine check -> how often."""


class DomainCheck(Record):
    """Whether a domain library works."""

    domain: str
    families: tuple[FamilyCheck, ...]
    problems: tuple[str, ...]
    """What has to be mended; empty where the library works."""


async def check_domain(domain: Domain, seed: int = 0) -> DomainCheck:
    """Compose some candidates of every family, by the default preset.

    A family of which none is accepted is a problem, as is a text that the machine checks stop in most of them.
    """
    rules = PRESETS["default"]
    loop = build_loop(team_of(rules), rules)
    checked = []
    for brief in briefs(domain, None):
        ended = [
            await loop(Candidate("check", f"check-{n}", brief, derive_seed(seed, brief.family, n)))
            for n in range(TRIES)
        ]
        checked.append(_family(brief.family, ended))
    return DomainCheck(domain=domain.domain, families=tuple(checked), problems=tuple(_problems(domain, checked)))


def _family(family: str, ended: list[Candidate]) -> FamilyCheck:
    reasons: Counter[str] = Counter()
    for candidate in ended:
        last = candidate.attempts[-1]
        if candidate.status == "accepted":
            continue
        reasons.update(last.findings or tuple(shortfalls(last.scores, last.stage, PRESETS["default"])))
    accepted = sum(candidate.status == "accepted" for candidate in ended)
    return FamilyCheck(family=family, tried=len(ended), accepted=accepted, reasons=dict(reasons.most_common()))


def _problems(domain: Domain, checked: list[FamilyCheck]) -> list[str]:
    found = []
    for family in checked:
        if 4 * family.accepted < family.tried:
            why = next(iter(family.reasons), "no reason")
            found.append(f"{family.family}: {family.accepted} of {family.tried} accepted, most often for: {why}")
    found.extend(f"no way to violate under {pressure}" for pressure in PRESSURES if not briefs(domain, pressure))
    return found
