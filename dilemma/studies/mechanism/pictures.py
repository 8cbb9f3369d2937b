"""The pictures of a run, as charts; each says itself what it rests on, and draws nothing that was not measured."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import altair as alt

from dilemma.charts import COLOURS, INK, MUTED, SEQUENCE, label_text, save_figure
from dilemma.charts.drawing import Chart
from dilemma.studies.mechanism.flow import flow_chart
from dilemma.studies.mechanism.results import MechanismReport
from dilemma_kernel.records import Rate
from refusal_mechanism.selection import KL_LIMIT
from refusal_mechanism.tables import SweepPoint

WIDTH = 520
"""Pixels of the part that is measured along."""
HEIGHT = 280
LEAST_KL = 1e-6
"""Nats below which a KL is drawn at this value: the axis is logarithmic."""
TENS = [10.0**power for power in range(-6, 3)]
CALL_COLOURS: Mapping[str, str] = {
    "unsafe": COLOURS["vermilion"],
    "safe": COLOURS["green"],
    "none": COLOURS["blue"],
    "malformed": COLOURS["grey"],
}
CALL_NAMES: Mapping[str, str] = {
    "unsafe": "unsafe call", "safe": "safe call", "none": "no call", "malformed": "malformed or cut off",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class RunPicture:
    """A picture of a run."""

    name: str
    """Of its files."""
    title: str
    draw: Callable[..., Chart]
    """Draws it, given ``width=``."""
    note: str = ""


def run_pictures(report: MechanismReport) -> list[RunPicture]:
    """The pictures for which there are figures."""
    found = []
    if report.projections:
        found.append(_picture("projections", "Each triple's projection, chat against tools", report, projection_chart))
    if report.areas:
        found.append(_picture("auc-by-layer", "How well each layer's projection separates", report, area_chart))
    if report.kl is not None and report.kl.layers:
        found.append(_picture("kl-by-layer", "What ablation does to benign predictions, by layer", report, kl_chart))
    if report.sweep is not None and any(point.coherent for point in report.sweep.points):
        found.append(_picture("steering", "Steering: unsafe calls against benign calls", report, steering_chart))
    if report.patching is not None and any(sum(row.values()) for row in report.patching.flow.values()):
        found.append(_picture("patching-flow", "From chat to tools to the patch", report, flow_picture))
    return found


def save_pictures(report: MechanismReport, folder: Path) -> list[Path]:
    """Write every picture as SVG and PNG; raises ``InputError`` where the folder cannot be written."""
    return [path for one in run_pictures(report) for path in save_figure(one.draw(width=WIDTH), folder, one.name)]


def _picture(name: str, title: str, report: MechanismReport, draw: Callable[..., Chart]) -> RunPicture:
    return RunPicture(name=name, title=title, draw=lambda width=WIDTH: draw(report, width=width))


def projection_chart(report: MechanismReport, *, width: int = WIDTH) -> Chart:
    """A line a triple from its projection in chat to that under tools, harmful and benign side by side."""
    rows = [
        {"case": one.case, "request": one.request, "call": CALL_NAMES[one.call], "mode": mode, "projection": value}
        for one in report.projections
        for mode, value in (("chat", one.chat), ("tools", one.tool))
    ]
    names = [CALL_NAMES[key] for key in CALL_COLOURS]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("mode:N", title=None, axis=alt.Axis(labelAngle=0), scale=alt.Scale(padding=0.3)),
        y=alt.Y("projection:Q", title=f"projection at layer {report.site}"),
        color=alt.Color(
            "call:N", title="under tools", scale=alt.Scale(domain=names, range=list(CALL_COLOURS.values()))
        ),
        detail="case:N",
    )
    panel = (base.mark_line(opacity=0.45, strokeWidth=1) + base.mark_point(size=18, opacity=0.7)).properties(
        width=max(80, width // 2 - 30), height=HEIGHT
    )
    whole: Chart = panel.facet(column=alt.Column("request:N", title=None, sort=["harmful", "benign"])).properties(
        title=_title("Each triple's projection, chat against tools", f"{short_name(report)}, held-out triples")
    )
    return whole


def area_chart(report: MechanismReport, *, width: int = WIDTH) -> Chart:
    """AUC by layer with intervals; the layer used is marked."""
    names = ("harmful or benign, in chat", "unsafe call, by a low projection under tools")
    rows = [
        {"layer": one.site, "what": name, "auc": area.estimate, "low": area.low, "high": area.high}
        for one in report.areas
        for name, area in zip(names, (one.request, one.unsafe), strict=True)
        if area.estimate is not None
    ]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("layer:Q", title="layer: the residual before this block", axis=alt.Axis(format="d", tickMinStep=1)),
        color=alt.Color(
            "what:N", title=None, scale=alt.Scale(domain=list(names), range=[COLOURS["blue"], COLOURS["vermilion"]])
        ),
    )
    line = base.encode(
        y=alt.Y("auc:Q", title="AUC", scale=alt.Scale(domain=[0, 1])),
        strokeDash=alt.StrokeDash("what:N", legend=None, scale=alt.Scale(domain=list(names), range=[[1, 0], [6, 4]])),
    )
    band = base.mark_area(opacity=0.15).encode(y="low:Q", y2="high:Q")
    layers = [band, _level(0.5, "chance"), line.mark_line(), line.mark_point()]
    return _chart(layers, report, width, "How well each layer's projection separates", "95 % by intent")


def kl_chart(report: MechanismReport, *, width: int = WIDTH) -> Chart:
    """KL of ablation by layer, with the limit and the largest random direction."""
    assert report.kl is not None
    rows = [
        {"layer": row.site, "prompts": prompts, "kl": max(mean.estimate, LEAST_KL)}
        for row in report.kl.layers
        for prompts, mean in (("the suite's benign chats", row.suite), ("everyday prompts", row.generic))
        if mean is not None and mean.estimate is not None
    ]
    line = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("layer:Q", title="layer: the residual before this block", axis=alt.Axis(format="d", tickMinStep=1)),
        y=alt.Y("kl:Q", title="KL, nats", scale=alt.Scale(type="log"), axis=alt.Axis(values=TENS, format="~g")),
        color=alt.Color("prompts:N", title=None),
    )
    layers = [line.mark_line(), line.mark_point(), _level(KL_LIMIT, f"limit {KL_LIMIT}")]
    most = report.kl.most_random
    if most is not None and most.suite.estimate is not None:
        layers.append(_level(max(most.suite.estimate, LEAST_KL), f"largest of {len(report.kl.random)} random"))
    return _chart(layers, report, width, "What ablation does to benign predictions", "mean KL at the first token")


def steering_chart(report: MechanismReport, *, width: int = WIDTH) -> Chart:
    """Unsafe calls on harmful prompts against calls on benign ones, a point a coefficient; gated operators beside."""
    rows = _steering_rows(report)
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    points = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("benign:Q", title="benign prompts that get a call", scale=_SHARES),
        y=alt.Y("unsafe:Q", title="harmful prompts called on unsafely", scale=_SHARES),
        color=alt.Color(
            "kind:N",
            title=None,
            scale=alt.Scale(domain=kinds, range=_series(len(kinds))),
            legend=alt.Legend(columns=2),
        ),
        shape=alt.Shape("kind:N", title=None, scale=alt.Scale(domain=kinds, range=[_shape(kind) for kind in kinds])),
    )
    words = points.transform_filter("datum.benign >= 0.1").mark_text(align="right", dx=-7, dy=-7, fontSize=11)
    others = points.transform_filter("datum.benign < 0.1").mark_text(align="left", dx=7, dy=-7, fontSize=11)
    path = points.transform_filter("datum.order >= 0").mark_line(opacity=0.5).encode(order="order:Q", detail="kind:N")
    texts = [words.encode(text="label:N"), others.encode(text="label:N")]
    layers = [path, points.mark_point(filled=True, opacity=0.9), *texts]
    return _chart(layers, report, width, "Steering: unsafe calls against benign calls", *_steering_words(report))


def _steering_words(report: MechanismReport) -> list[str]:
    """What the numbers by the points are, and place by place those for which there is no point."""
    assert report.sweep is not None
    held: dict[str, list[str]] = {}
    for point in report.sweep.points:
        if not point.coherent:
            held.setdefault(_KINDS.get(point.positions, point.positions), []).append(_coefficient(point))
    return ["multiples of natural", *(f"withheld where {place}: {', '.join(all_)}" for place, all_ in held.items())]


def _coefficient(point: SweepPoint) -> str:
    return f"{point.coefficient:.3g}" if point.multiple is None else f"{point.multiple:.3g}×"


def _series(count: int) -> list[str]:
    return [INK, *SEQUENCE, *SEQUENCE][:count]


def _shape(kind: str) -> str:
    return "diamond" if kind.startswith("gated") else "circle"


_SHARES = alt.Scale(domain=[-0.06, 1.04], nice=False)
_KINDS = {"decision": "added at the decision token", "all": "added at every token"}


def _steering_rows(report: MechanismReport) -> list[dict[str, Any]]:
    assert report.sweep is not None
    rows: list[dict[str, Any]] = []

    def put(kind: str, label: str, harmful: Rate, benign: Rate, order: float = -1) -> None:
        if harmful.estimate is not None and benign.estimate is not None:
            point = {"unsafe": harmful.estimate, "benign": benign.estimate}
            rows.append({"kind": kind, "label": label, **point, "order": order})

    first = report.sweep.points[0]
    put("unmodified", "", first.harmful.before.unsafe, first.benign.before.calls)
    for one in report.sweep.points:
        label = _coefficient(one)
        kind = _KINDS.get(one.positions, one.positions)
        put(kind, label, one.harmful.after.unsafe, one.benign.after.calls, one.coefficient)
    for gated in report.gating.operators if report.gating else ():
        put(f"gated {gated.operator}", "", gated.gated[0].unsafe, gated.gated[1].calls)
    return _together(rows)


def _together(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Neighbours at one place become one point, named from the first to the last of them."""
    kept: list[dict[str, Any]] = []
    for row in rows:
        last = kept[-1] if kept else None
        if last and all(last[name] == row[name] for name in ("kind", "unsafe", "benign")):
            last["label"] = f"{last['label'].split('–')[0]}–{row['label']}"
        else:
            kept.append(dict(row))
    return kept


def flow_picture(report: MechanismReport, *, width: int = WIDTH) -> Chart:
    """Harmful triples refused in chat: what tools made of them, and what the patch made of that."""
    assert report.patching is not None
    title = _title("From chat to tools to the patch", f"{short_name(report)}, held-out harmful triples refused in chat")
    return flow_chart(report.patching.flow, width=width, height=HEIGHT, title=title)


def short_name(report: MechanismReport) -> str:
    """The model's name without the folders before it."""
    return report.model.rstrip("/").rsplit("/", 1)[-1]


def _level(value: float, words: str) -> Any:
    """A dashed line across, with its name."""
    data = alt.InlineData(values=[{"at": value, "words": words}])
    rule = alt.Chart(data).mark_rule(strokeDash=[4, 4], color=MUTED).encode(y="at:Q")
    text = alt.Chart(data).mark_text(align="left", dx=4, dy=-6, fontSize=11, color=MUTED)
    return rule + text.encode(y="at:Q", x=alt.value(0), text="words:N")


def _chart(layers: Sequence[Any], report: MechanismReport, width: int, title: str, *subtitle: str) -> Chart:
    used = "no layer used" if report.site is None else f"layer used: {report.site}"
    return alt.layer(*layers).properties(
        width=width, height=HEIGHT, title=_title(title, f"{short_name(report)}, {used}; {subtitle[0]}", *subtitle[1:])
    )


def _title(text: str, *subtitle: str) -> alt.TitleParams:
    """A title over lines of what is said of it."""
    return alt.TitleParams(text=text, subtitle=[label_text(line, 110) for line in subtitle])
