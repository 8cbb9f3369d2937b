"""One table a question: by factor, effects, controls, time, agreement, corrections, published cells.

Each is shown where the study has an answer, with plain words under it: which unit, how many, which interval.
"""

from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dilemma.cli.safe import visible
from dilemma.studies.comparison import SOURCE
from dilemma.studies.numbers import NOTHING, p_value, share, signed
from dilemma.studies.power import TARGET_EFFECT, TARGET_POWER, DesignPower
from dilemma.studies.report import Report
from dilemma_kernel.records import Effect, Rate
from dilemma_kernel.statistics.power import Power


def print_questions(report: Report, console: Console) -> None:
    """Every table that the study has an answer for."""
    for show in _QUESTIONS:
        show(report, console)


def _by_factor(report: Report, console: Console) -> None:
    if len({one.factor for one in report.by_factor}) < 2:
        return  # the first table has the levels of one factor, a row each
    rows = [
        (visible(one.factor), visible(one.level), str(one.mr.n), str(one.cells), share(one.mr))
        for one in report.by_factor
    ]
    notes = {f"{one.factor}: {one.note}." for one in report.by_factor if one.note}
    _print(
        console,
        "What is MR at each level?",
        ("factor", "level", "n", "cells", "MR"),
        rows,
        [_interval_words([one.mr for one in report.by_factor]), *sorted(notes)],
    )


def _effects(report: Report, console: Console) -> None:
    if report.effects:
        _print_effects(console, "What does each level do?", report.effects, report.gee)


def _interactions(report: Report, console: Console) -> None:
    if report.interactions:
        _print_effects(
            console, "Does one factor change another's effect?", report.interactions, report.gee_interactions
        )


def _print_effects(console: Console, title: str, effects: Sequence[Effect], gee: Sequence[Effect]) -> None:
    beside = {effect.name: effect for effect in gee}
    rows = [
        (
            visible(effect.name),
            signed(effect.estimate, effect.low, effect.high),
            p_value(effect.p),
            p_value(effect.p_adjusted),
            _log_odds(beside.get(effect.name)),
        )
        for effect in effects
    ]
    words = [
        f"shift: mean of paired differences of MR, 95 % by t over {_units(effects)}.",
        "log odds: logistic GEE, shown where five cores show each outcome at each level.",
    ]
    if len(effects) > 1:
        words.append(f"Holm: p corrected for {len(effects)} effects at once.")
    _print(console, title, ("effect", "shift of MR", "p", "Holm", "log odds"), rows, [*words, *_notes(effects)])


def _fault_free(report: Report, console: Console) -> None:
    free = report.fault_free
    if free is None:
        return
    names = [_cell(cell.agent, cell.environment) for cell in report.cells]
    rows = [(name, str(rate.n), share(rate)) for name, rate in zip(names, free.rates, strict=False)]
    words = [f"{free.dropped} {report.total.mr.unit}s in which the environment made a fault are left out of all cells."]
    _print(console, "And without what the environment got wrong?", ("cell", "n", "MR"), rows, words)


def _controls(report: Report, console: Console) -> None:
    if not report.controls:
        return
    rows = [
        (
            one.control,
            f"{one.factor}={one.level}",
            share(one.mr_against),
            share(one.mr),
            signed(one.shift.estimate, one.shift.low, one.shift.high),
            p_value(one.shift.p_adjusted),
        )
        for one in report.controls
    ]
    shifts = [one.shift for one in report.controls]
    words = [f"shift: mean of paired differences, 95 % by t over {_units(shifts)}; Holm over {len(shifts)} controls."]
    for one in report.controls:
        if one.control == "no-dilemma" and report.total.chance is not None:
            words.append(f"no-dilemma: MR with the conflict removed; chance is {report.total.chance:.2f}.")
        if (read := one.comprehension) is not None:
            words.append(
                f"comprehension: {read.right} right, {read.wrong} wrong, {read.unmeasured} without an answer; "
                f"MR {share(read.mr_right)} where right, {share(read.mr_wrong)} where wrong."
            )
    columns = ("control", "cells", "MR against", "MR", "shift", "Holm")
    _print(console, "Do order, names or interface move MR?", columns, rows, [*words, *_notes(shifts)])


def _by_turn(report: Report, console: Console) -> None:
    found = report.total.incidence
    if found is None or len(found.at_risk) < 2:
        return
    curves = {curve.cause: curve.points for curve in found.curves}
    rows = [
        (str(turn + 1), str(risk), share(curves["misaligned"][turn]), *(_plain(curves[c][turn]) for c in _OTHER))
        for turn, risk in enumerate(found.at_risk)
    ]
    words = ["Share of episodes that each cause had ended by then (cumulative incidence; the turn cap is no cause)."]
    words.append(_interval_words(curves["misaligned"], "A− terminal, 95 % at each turn by itself"))
    _print(console, "When?", ("turn", "going", "A− terminal", "A+", "declined", "crashed"), rows, words)


_OTHER = ("aligned", "declined", "crashed")


def _judges(report: Report, console: Console) -> None:
    if not report.judges:
        return
    marks = sorted({mark for one in report.judges for mark in one.marks})
    rows = [
        (
            visible(one.maker),
            str(one.measured),
            str(one.unmeasured + one.crashed),
            share(one.mr),
            *(share(one.marks[mark]) if mark in one.marks else NOTHING for mark in marks),
        )
        for one in report.judges
    ]
    words = [_interval_words([one.mr for one in report.judges]), "The headline MR above is the rules'."]
    columns = ("judge", "read", "not read", "MR by it", *(mark.replace("_", " ") for mark in marks))
    _print(console, "What do judges say?", columns, rows, words)
    agreed = [
        (
            visible(" · ".join(one.makers)),
            "κ" if one.agreement.coefficient == "kappa" else "α",
            signed(one.agreement.estimate, one.agreement.low, one.agreement.high),
            str(one.agreement.n),
            one.agreement.note,
        )
        for one in report.agreement
    ]
    words = [f"κ: Cohen's, of two; α: Krippendorff's, of several. 95 % by {report.total.mr.unit}."]
    _print(console, "Do they agree?", ("makers", "", "agreement", "n", ""), agreed, words)


def _corrected(report: Report, console: Console) -> None:
    rows = [
        (
            _cell(one.agent, one.environment),
            f"{visible(one.maker)} by {visible(one.person)}",
            share(one.raw),
            share(one.mr),
            one.how,
        )
        for one in report.corrected
    ]
    if rows:
        words = [
            "raw: by the judge's own labels; corrected: by people's labels on a sheet, each weighted by 1/probability.",
            "difference: a sheet of this study; confusion: a sheet of another, through the judge's confusion matrix.",
        ]
        columns = ("cell", "judge, corrected by", "raw MR", "corrected MR", "how")
        _print(console, "What do people's labels correct?", columns, rows, words)


def _published(report: Report, console: Console) -> None:
    rows = [
        (
            f"{one.factor}={one.level}",
            _cell(one.agent, one.environment),
            share(one.published),
            share(one.ours),
            NOTHING if one.difference is None else f"{one.difference:+.2f}",
        )
        for one in report.comparison
    ]
    if rows:
        words = [
            f"published: {SOURCE}; Wilson over episodes, for which scenarios they came from is not known.",
            "An anchor and no target: scenarios, agents and the label of an episode without a terminal differ.",
        ]
        _print(console, "Beside published cells", ("cell", "ours", "published", "our MR", "difference"), rows, words)


_QUESTIONS = (
    _by_factor,
    _effects,
    _interactions,
    _fault_free,
    _controls,
    _by_turn,
    _judges,
    _corrected,
    _published,
)


def print_power(power: DesignPower, console: Console) -> None:
    """The power of a design, after a dry run."""
    assumed = power.assumptions
    rows = [_power_row(one) for one in (*power.effects, *power.controls)]
    words = [
        f"assumed ({power.source}): MR {assumed.mr:.2f}, correlation within cores {assumed.icc:.2f}, "
        f"spread of effects over cores {assumed.slope:.2f} (logit).",
        "power: share of simulated studies in which the paired effect is found at the family's level of .05.",
    ]
    if power.cores_needed is not None:
        words.append(
            f"cores for every effect of {TARGET_EFFECT:.2f} at power {TARGET_POWER:.1f}: {power.cores_needed}."
        )
    elif any(one.power is not None for one in power.effects):
        words.append(f"more than 1,024 cores are needed for every effect of {TARGET_EFFECT:.2f}.")
    if not rows:
        words.append("one cell: there is no effect to find.")
    columns = ("effect", "size", "power", "cores", "episodes")
    _print(console, "What can this design find?", columns, rows, words)


def _power_row(one: Power) -> tuple[str, ...]:
    found = "not estimable" if one.power is None else f"{one.power:.2f}"
    return (visible(one.name), f"{one.effect:+.2f}", found, str(one.clusters), str(one.episodes))


def _print(
    console: Console, title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], words: Sequence[str]
) -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), title=title, title_justify="left")
    for place, column in enumerate(columns):
        table.add_column(column, overflow="fold", justify="left" if place == 0 else "right")
    for row in rows:
        table.add_row(*row)
    console.print()
    console.print(table)
    for line in words:
        console.print(Text(line))


def _cell(agent: str, environment: str) -> str:
    return visible(agent if environment in {"rules", agent} else f"{agent} in {environment}")


def _plain(rate: Rate) -> str:
    return NOTHING if rate.estimate is None else f"{rate.estimate:.2f}"


def _log_odds(effect: Effect | None) -> str:
    if effect is None:
        return NOTHING
    return effect.note if effect.estimate is None else signed(effect.estimate, effect.low, effect.high)


def _units(effects: Sequence[Effect]) -> str:
    """``12 cores``, or the range where effects rest on different numbers."""
    counts = sorted({effect.clusters for effect in effects})
    unit = effects[0].unit
    many = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return f"{many} {unit}{'' if counts == [1] else 's'}".replace("familys", "families")


def _notes(effects: Sequence[Effect]) -> list[str]:
    notes = [f"{effect.name}: {effect.note}." for effect in effects if effect.note]
    unmade = [f"{e.name}: {e.method}." for e in effects if e.estimate is not None and e.low is None]
    return [visible(line) for line in (*notes, *unmade)]


def _interval_words(rates: Sequence[Rate], what: str = "95 %") -> str:
    methods = dict.fromkeys(rate.method for rate in rates if rate.estimate is not None)
    return f"{what}: {'; '.join(methods)}." if methods else "No rate could be measured."
