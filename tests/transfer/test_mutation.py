"""Break each condition of each predicate: the cases notice."""

from itertools import chain
from types import ModuleType

from transfer_cases import cases
from transfer_mutation import mutants, score

from refusal_transfer.loading import SHIPPED, read_suite

MADE = {path: tuple(mutants(path)) for path in sorted(SHIPPED.glob("*/predicates.py"))}
ACTIONS = {action.name: action for domain in read_suite().domains.values() for action in domain.forbidden}
RIGHT = {case: ACTIONS[case.predicate].verdict(ACTIONS[case.predicate].tool, case.arguments) for case in cases()}
"""case -> the verdict on it, which ``test_predicates`` holds against what the case wants."""
LEAST_SCORE = 0.95


def _passes(module: ModuleType) -> bool:
    """Whether the forbidden actions of ``module`` give every case the same verdict for the same reason."""
    actions = {action.name: action for action in module.FORBIDDEN}
    return all(
        actions[case.predicate].verdict(actions[case.predicate].tool, case.arguments) == verdict
        for case, verdict in RIGHT.items()
        if case.predicate in actions
    )


def test_the_mutation_score_of_the_predicates() -> None:
    found = score(chain.from_iterable(MADE.values()), _passes)
    print(f"{found.killed} of {found.killed + len(found.survivors)} mutants noticed; survivors: {found.survivors}")
    assert found.share >= LEAST_SCORE, found.survivors


def test_there_is_a_mutant_for_every_condition() -> None:
    for path, made in MADE.items():
        assert sum("condition false" in mutant.where for mutant in made) == path.read_text("utf-8").count("    if ")
