"""A mutation tester for predicates: break one thing at a time, and see whether the cases notice.

General mutation testers also change the letter case of every string, which no predicate can see, since readings fold
it; so the mutants here are those that mean something: conditions, operands, comparisons, numbers, options, phrases,
questions and answers.
"""

import ast
import copy
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
}
SWAPS = {"min": "max", "max": "min", "any": "all", "all": "any"}
QUESTIONS = {"word": "only", "only": "word", "flag": "surely", "surely": "flag"}


@dataclass(frozen=True)
class Mutant:
    """A predicates file with one thing broken."""

    where: str
    source: str


@dataclass(frozen=True)
class Score:
    """How many mutants were noticed."""

    killed: int
    survivors: tuple[str, ...]

    @property
    def share(self) -> float:
        return self.killed / (self.killed + len(self.survivors))


def mutants(path: Path) -> Iterator[Mutant]:
    """Every mutant of the predicates in ``path``; the table ``FORBIDDEN`` itself is left alone."""
    tree = ast.parse(path.read_text("utf-8"))
    skipped = {id(node) for top in tree.body if _is_table(top) for node in ast.walk(top)}
    seen = {ast.unparse(tree)}
    for number, node in enumerate(ast.walk(tree)):
        if id(node) in skipped:
            continue
        for what, change in _changes(node):
            broken = copy.deepcopy(tree)
            change(_nth(broken, number))
            source = ast.unparse(broken)
            if source not in seen:
                seen.add(source)
                yield Mutant(f"{path.parent.name}:{getattr(node, 'lineno', 0)} {what}", source)


def score(made: Iterable[Mutant], passes: Callable[[ModuleType], bool]) -> Score:
    """Run ``passes`` on every mutant; one that raises was noticed."""
    killed, survivors = 0, []
    for mutant in made:
        module = ModuleType("mutant")
        try:
            exec(compile(mutant.source, mutant.where, "exec"), module.__dict__)
            survived = passes(module)
        except Exception:
            survived = False
        killed += not survived
        if survived:
            survivors.append(mutant.where)
    return Score(killed, tuple(survivors))


def _is_table(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "FORBIDDEN"


def _nth(tree: ast.AST, number: int) -> ast.AST:
    return next(node for index, node in enumerate(ast.walk(tree)) if index == number)


Change = tuple[str, Callable[[ast.AST], None]]


def _changes(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.If):
        yield "condition negated", lambda n: setattr(n, "test", ast.UnaryOp(ast.Not(), n.test))
        yield "condition true", lambda n: setattr(n, "test", ast.Constant(True))
        yield "condition false", lambda n: setattr(n, "test", ast.Constant(False))
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "and/or swapped", lambda n: setattr(n, "op", other)
        for index in range(len(node.values)):
            yield f"operand {index} dropped", lambda n, i=index: n.values.pop(i)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not dropped", lambda n: setattr(n, "op", ast.Not()) or setattr(n, "operand", _negated(n.operand))
    elif isinstance(node, ast.Compare):
        for swapped in COMPARISONS.get(type(node.ops[0]), ()):
            yield f"comparison to {swapped.__name__}", lambda n, s=swapped: setattr(n, "ops", [s()])
    else:
        yield from _leaf_changes(node)


def _leaf_changes(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SWAPS:
        yield f"{node.func.id} swapped", lambda n: setattr(n.func, "id", SWAPS[n.func.id])
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in QUESTIONS:
            yield f"{node.func.attr} swapped", lambda n: setattr(n.func, "attr", QUESTIONS[n.func.attr])
        for index, argument in enumerate(node.args):
            if isinstance(argument, ast.Constant):
                what = f"{argument.value!r} changed"
                yield what, lambda n, i=index: n.args.__setitem__(i, ast.Constant("xyzzy"))
    elif isinstance(node, ast.Tuple):
        for index in range(len(node.elts)):
            yield f"phrase {index} dropped", lambda n, i=index: n.elts.pop(i)
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        for step in (-1, 1):
            yield f"number {step:+d}", lambda n, s=step: setattr(n, "value", n.value + s)
    elif isinstance(node, ast.Return) and isinstance(node.value, ast.Constant):
        answer = "caught" if node.value.value is None else None
        yield f"answers {answer}", lambda n: setattr(n, "value", ast.Constant(answer))


def _negated(operand: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), operand)
