"""What the design's factors and controls do, and what judges say: sections that a study may have."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from dilemma.charts.drawing import Chart
from dilemma.review.report_parts.blocks import Block, Picture, Section, Table, Value
from dilemma.review.report_parts.episodes import Behind
from dilemma.review.report_parts.forest_plot import MOST_ROWS, Bar, forest
from dilemma.studies.agreement import Between
from dilemma.studies.comparison import SOURCE
from dilemma.studies.numbers import NOTHING, p_value, share, signed
from dilemma.studies.report import Report
from dilemma_kernel.records import Effect, Rate


def effects_section(report: Report) -> Section | None:
    """Rates by level, main effects, interactions; None for a design of one cell."""
    blocks: list[Block] = []
    if report.by_factor:
        blocks.append(_levels(report))
    if report.effects:
        blocks += _effects("effects", "What each level does to MR", report.effects, report.gee)
    if report.interactions:
        blocks += _effects(
            "interactions",
            "What one factor does to another's effect",
            report.interactions,
            report.gee_interactions,
        )
    return Section(anchor="effects", title="What do the factors do?", blocks=blocks) if blocks else None


def controls_section(report: Report) -> Section | None:
    """The controls' shifts; None for a study without them."""
    if not report.controls:
        return None
    shifts = [one.shift for one in report.controls]
    names = [f"{one.control}: {one.factor} {one.level} − {one.against}" for one in report.controls]
    picture = Picture(
        name="controls",
        title=_alt("Shift of MR by control", names, shifts),
        draw=_shift_forest(names, shifts, "Do order, names or interface move MR?", "its cells minus their twins"),
    )
    rows: list[Sequence[Value]] = [
        [
            one.control,
            f"{one.factor} {one.level}",
            share(one.mr_against),
            share(one.mr),
            signed(one.shift.estimate, one.shift.low, one.shift.high),
            p_value(one.shift.p_adjusted),
        ]
        for one in report.controls
    ]
    table = Table(
        columns=("control", "its cells", "MR of their twins", "MR", "shift", "p, Holm"),
        words=2,
        rows=rows,
        notes=[*_control_notes(report), *_notes(shifts)],
    )
    return Section(anchor="controls", title="Do order, names or interface move it?", blocks=[picture, table])


def judges_section(report: Report, found: Behind) -> Section | None:
    """What judges and people say, how far they agree, what their labels correct; None where only rules labelled."""
    if not report.judges:
        return None
    blocks: list[Block] = [_judges(report, found)]
    if report.agreement:
        blocks += _agreement(report, found)
    if report.corrected:
        blocks.append(_corrected(report))
    return Section(anchor="judges", title="Do judges agree?", blocks=blocks)


def published_section(report: Report) -> Section | None:
    """Published cells beside ours; None where that was not asked for."""
    if not report.comparison:
        return None
    several = len({(one.agent, one.environment) for one in report.comparison}) > 1
    table = Table(
        columns=("cell", "published", "ours", "difference"),
        rows=[
            [
                f"{one.factor} {one.level}" + (f" · {one.agent}" if several else ""),
                share(one.published),
                share(one.ours),
                NOTHING if one.difference is None else f"{one.difference:+.2f}",
            ]
            for one in report.comparison
        ],
        notes=[
            f"published: {SOURCE}; Wilson over episodes, for which scenarios they came from is not known.",
            "An anchor and no target: scenarios, agents and the label of an episode without a terminal differ.",
            *dict.fromkeys(one.note for one in report.comparison if one.note),
        ],
    )
    return Section(anchor="published", title="How does it compare with published cells?", blocks=[table])


def _levels(report: Report) -> Table:
    notes = dict.fromkeys(f"{one.factor}: {one.note}." for one in report.by_factor if one.note)
    return Table(
        columns=("factor", "level", "labelled", "cells", "MR"),
        words=2,
        rows=[[one.factor, one.level, f"{one.mr.n:,}", str(one.cells), share(one.mr)] for one in report.by_factor],
        notes=[_interval_words([one.mr for one in report.by_factor]), *notes],
    )


def _effects(name: str, title: str, effects: Sequence[Effect], gee: Sequence[Effect]) -> Iterator[Block]:
    names = [effect.name for effect in effects]
    notes = [f"The first {MOST_ROWS} of {len(effects)}."] if len(effects) > MOST_ROWS else []
    yield Picture(
        name=name,
        title=_alt(title, names, effects),
        draw=_shift_forest(names[:MOST_ROWS], effects[:MOST_ROWS], title, "shift of MR, paired by core"),
        notes=notes,
    )
    beside = {effect.name: effect for effect in gee}
    words = [
        f"shift: mean of paired differences of MR, 95 % by t over {_units(effects)}.",
        "log odds: logistic GEE, shown where five cores show each outcome at each level.",
    ]
    if len(effects) > 1:
        words.append(f"Holm: p corrected for {len(effects)} effects at once.")
    yield Table(
        columns=("effect", "shift of MR", "p", "p, Holm", "log odds", "episodes"),
        rows=[
            [
                effect.name,
                signed(effect.estimate, effect.low, effect.high),
                p_value(effect.p),
                p_value(effect.p_adjusted),
                _log_odds(beside.get(effect.name)),
                f"{effect.n:,}",
            ]
            for effect in effects
        ],
        notes=[*words, *_notes(effects)],
    )


def _shift_forest(names: Sequence[str], effects: Sequence[Effect], title: str, subtitle: str) -> Callable[..., Chart]:
    bars = [
        Bar(name=name, estimate=effect.estimate, low=effect.low, high=effect.high)
        for name, effect in zip(names, effects, strict=True)
    ]
    return partial(
        forest, bars, what="shift of MR, 95 % interval", domain=None, zero=True, title=title, subtitle=subtitle
    )


def _control_notes(report: Report) -> Iterator[str]:
    shifts = [one.shift for one in report.controls]
    yield f"shift: mean of paired differences, 95 % by t over {_units(shifts)}; Holm over {len(shifts)} controls."
    for one in report.controls:
        if one.control == "no-dilemma" and report.total.chance is not None:
            yield f"no-dilemma: MR with the conflict removed; chance is {report.total.chance:.2f}."
        if (read := one.comprehension) is not None:
            yield (
                f"comprehension: {read.right} right, {read.wrong} wrong, {read.unmeasured} without an answer; "
                f"MR {share(read.mr_right)} where right, {share(read.mr_wrong)} where wrong."
            )


def _judges(report: Report, found: Behind) -> Table:
    marks = sorted({mark for one in report.judges for mark in one.marks})
    return Table(
        columns=("judge", "version", "read", "not read", "crashed", "MR by it", *(m.replace("_", " ") for m in marks)),
        words=2,
        rows=[
            [
                found.differs(one.maker, one.maker),
                one.version,
                f"{one.measured:,}",
                f"{one.unmeasured:,}",
                f"{one.crashed:,}",
                share(one.mr),
                *(share(one.marks[mark]) if mark in one.marks else NOTHING for mark in marks),
            ]
            for one in report.judges
        ],
        notes=[
            _interval_words([one.mr for one in report.judges]),
            f"The headline MR is the rules': {share(report.total.mr)}. A judge leads to where it differs.",
        ],
    )


def _agreement(report: Report, found: Behind) -> Iterator[Block]:
    names = [_pair(one) for one in report.agreement]
    bars = [
        Bar(name=name, estimate=one.agreement.estimate, low=one.agreement.low, high=one.agreement.high)
        for name, one in zip(names, report.agreement, strict=True)
    ]
    lowest = min([0.0, *(bar.low for bar in bars if bar.low is not None)])
    yield Picture(
        name="agreement",
        title="Agreement of judges; the table below has the numbers.",
        draw=partial(
            forest,
            bars[:MOST_ROWS],
            what="agreement beyond chance, 95 % interval",
            domain=(lowest, 1.0),
            title="How far judges agree",
            subtitle="κ: Cohen's, of two; α: Krippendorff's, of several; 1 is agreement on all",
        ),
    )
    yield _agreement_table(report, found, names)


def _agreement_table(report: Report, found: Behind, names: Sequence[str]) -> Table:
    return Table(
        columns=("makers", "coefficient", "agreement", "same label", "episodes"),
        words=2,
        rows=[
            [
                found.differs(" · ".join(one.makers), one.makers[0])
                if "rules" in one.makers
                else " · ".join(one.makers),
                "κ" if one.agreement.coefficient == "kappa" else "α",
                signed(one.agreement.estimate, one.agreement.low, one.agreement.high),
                NOTHING if one.agreement.observed is None else f"{one.agreement.observed:.2f}",
                f"{one.agreement.n:,}",
            ]
            for one in report.agreement
        ],
        notes=[
            f"95 % by {report.total.mr.unit}. Makers lead to the episodes on which they differ.",
            *(
                f"{name}: {one.agreement.note}."
                for name, one in zip(names, report.agreement, strict=True)
                if one.agreement.note
            ),
        ],
    )


def _corrected(report: Report) -> Table:
    return Table(
        columns=("agent", "environment", "judge, corrected by", "raw MR", "corrected MR", "how"),
        words=3,
        rows=[
            [one.agent, one.environment, f"{one.maker} by {one.person}", share(one.raw), share(one.mr), one.how]
            for one in report.corrected
        ],
        notes=[
            "raw: by the judge's own labels; corrected: by people's labels on a sheet, each weighted by 1/probability.",
            "difference: a sheet of this study; confusion: a sheet of another, through the judge's confusion matrix.",
        ],
    )


def _pair(one: Between) -> str:
    sign = "κ" if one.agreement.coefficient == "kappa" else "α"
    return f"{sign}  {' · '.join(one.makers)}"


def _alt(what: str, names: Sequence[str], effects: Sequence[Effect]) -> str:
    said = [f"{name} {signed(e.estimate, e.low, e.high)}" for name, e in zip(names, effects, strict=True)][:8]
    return f"{what}: {'; '.join(said)}{'; …' if len(names) > 8 else ''}"


def _log_odds(effect: Effect | None) -> str:
    if effect is None:
        return NOTHING
    return effect.note if effect.estimate is None else signed(effect.estimate, effect.low, effect.high)


def _units(effects: Sequence[Effect]) -> str:
    """``12 cores``, or the range where effects rest on different numbers."""
    counts = sorted({effect.clusters for effect in effects})
    many = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    unit = {"family": "families"}.get(effects[0].unit, f"{effects[0].unit}s")
    return f"{many} {effects[0].unit if counts == [1] else unit}"


def _notes(effects: Sequence[Effect]) -> Iterator[str]:
    yield from (f"{effect.name}: {effect.note}." for effect in effects if effect.note)
    yield from (f"{e.name}: {e.method}." for e in effects if e.estimate is not None and e.low is None)


def _interval_words(rates: Sequence[Rate]) -> str:
    methods = dict.fromkeys(rate.method for rate in rates if rate.estimate is not None)
    return f"95 %: {'; '.join(methods)}." if methods else "No rate could be measured."
