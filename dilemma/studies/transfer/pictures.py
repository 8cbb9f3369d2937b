"""Two pictures of a report as SVG, drawn by hand: no library, nothing that runs."""

from collections.abc import Sequence
from html import escape

from dilemma.studies.transfer.figures import Divergence, DivergenceBeside, Flow, TransferReport
from dilemma_kernel.records import Rate

WIDTH = 760
LEFT, RIGHT = 260, 40
"""Room for names, and for what an interval's end needs."""
ROW = 34
INK, GRID, PAPER = "#1b1b1b", "#dddddd", "#ffffff"
ARM_COLOURS = {"tool": "#0072b2", "stress": "#d55e00", "tool_chatwording": "#009e73"}
VERDICT_COLOURS = {
    "unsafe": "#d55e00",
    "error": "#999999",
    "cut_off": "#bbbbbb",
    "malformed": "#e69f00",
    "safe_call": "#009e73",
    "no_call": "#56b4e9",
}
"""Colours that colour-blind readers can tell apart (Okabe and Ito)."""
CHAT_COLOURS = {"refused": "#0072b2", "answered": "#cc79a7", "unknown": "#999999"}


def divergence_picture(report: TransferReport) -> str:
    """Δ of each model and tool arm with its interval, and the wording null beside it."""
    beside = {(one.model, one.arm): one for one in report.beside}
    rows = [one for one in report.divergence if (one.model, one.arm) in beside]
    height = 70 + ROW * max(1, len(rows))
    parts = [_text(12, 22, "Conditioned divergence: unsafe with tools, of what was refused in chat", size=15)]
    for tick in range(0, 11, 2):
        x = _x(tick / 10)
        parts.append(f'<line x1="{x:.1f}" y1="36" x2="{x:.1f}" y2="{height - 28}" stroke="{GRID}"/>')
        parts.append(_text(x, height - 12, f"{tick / 10:.1f}", anchor="middle", size=11))
    for index, one in enumerate(rows):
        parts += _divergence_row(one, beside[one.model, one.arm], 54 + ROW * index)
    parts.append(_text(12, height - 12, "● Δ, ◇ wording null, 95 % by intent", size=10))
    return _svg(height, "Conditioned divergence by model", parts)


def _divergence_row(one: Divergence, beside: DivergenceBeside, y: float) -> list[str]:
    colour = ARM_COLOURS.get(one.arm, INK)
    parts = [
        _text(LEFT - 12, y - 1, _short(one.model), anchor="end", size=11),
        _text(LEFT - 12, y + 12, one.arm, anchor="end", size=11),
    ]
    if one.delta.estimate is None:
        return [*parts, _text(_x(0) + 4, y + 4, _why(one.delta), size=11)]
    parts += _bar(one.delta, y - 3, colour, 3.0)
    parts.append(f'<circle cx="{_x(one.delta.estimate):.1f}" cy="{y - 3:.1f}" r="5" fill="{colour}"/>')
    if beside.null.estimate is not None:
        x, lower = _x(beside.null.estimate), y + 8
        parts += _bar(beside.null, lower, colour, 1.0)
        shape = f"M{x - 5:.1f} {lower:.1f}L{x:.1f} {lower - 5:.1f}L{x + 5:.1f} {lower:.1f}L{x:.1f} {lower + 5:.1f}Z"
        parts.append(f'<path d="{shape}" fill="{PAPER}" stroke="{colour}"/>')
    return parts


def _bar(rate: Rate, y: float, colour: str, width: float) -> list[str]:
    if rate.low is None or rate.high is None:
        return []
    ends = f'x1="{_x(rate.low):.1f}" x2="{_x(rate.high):.1f}"'
    return [f'<line {ends} y1="{y:.1f}" y2="{y:.1f}" stroke="{colour}" stroke-width="{width}"/>']


def _why(rate: Rate) -> str:
    return rate.note or rate.method


def _x(value: float) -> float:
    return LEFT + value * (WIDTH - LEFT - RIGHT)


FLOW_HEIGHT, FLOW_TOP, NODE = 200, 44, 14
"""Height of the bands of one panel, its heading, and the width of a node."""


def flow_picture(report: TransferReport) -> str:
    """Harmful triples from chat verdict to tool verdict, a panel a model and tool arm."""
    panel = FLOW_HEIGHT + FLOW_TOP + 40
    parts: list[str] = []
    for index, flow in enumerate(report.flow):
        parts += _flow_panel(flow, 10 + index * panel)
    return _svg(20 + panel * max(1, len(report.flow)), "From chat verdict to tool verdict, harmful triples", parts)


def _flow_panel(flow: Flow, top: float) -> list[str]:
    total = sum(sum(row.values()) for row in flow.counts.values())
    parts = [_text(12, top + 20, f"{_short(flow.model)} · {flow.arm} · {total} harmful triples", size=14)]
    if not total:
        return parts
    scale = FLOW_HEIGHT / total
    verdicts = list(next(iter(flow.counts.values())))
    sums = {to: sum(row[to] for row in flow.counts.values()) for to in verdicts}
    right = _tops(sums, scale, top + FLOW_TOP)
    left = _tops({name: sum(row.values()) for name, row in flow.counts.items()}, scale, top + FLOW_TOP)
    taken = dict(right)
    for name, row in flow.counts.items():
        y = left[name]
        for to, count in row.items():
            if count:
                parts.append(_band(y, taken[to], count * scale, VERDICT_COLOURS[to]))
                y += count * scale
                taken[to] += count * scale
    x_left, x_right = 140.0, WIDTH - 170.0
    for name, row in flow.counts.items():
        parts += _node(x_left - NODE, left[name], sum(row.values()), scale, CHAT_COLOURS[name], name, "end")
    for to, count in sums.items():
        parts += _node(x_right, right[to], count, scale, VERDICT_COLOURS[to], to.replace("_", " "), "start")
    return parts


def _tops(sizes: dict[str, int], scale: float, top: float) -> dict[str, float]:
    """Where each node begins, the nodes one below the other with a gap between those that have a size."""
    tops, y = {}, top
    for name, size in sizes.items():
        tops[name] = y
        y += size * scale + (6 if size else 0)
    return tops


def _band(y_left: float, y_right: float, thick: float, colour: str) -> str:
    a, b = 140.0, WIDTH - 170.0
    middle = (a + b) / 2
    upper = f"M{a:.1f} {y_left:.1f}C{middle:.1f} {y_left:.1f} {middle:.1f} {y_right:.1f} {b:.1f} {y_right:.1f}"
    low_left, low_right = y_left + thick, y_right + thick
    lower = f"L{b:.1f} {low_right:.1f}C{middle:.1f} {low_right:.1f} {middle:.1f} {low_left:.1f} {a:.1f} {low_left:.1f}Z"
    return f'<path d="{upper}{lower}" fill="{colour}" fill-opacity="0.45"/>'


def _node(x: float, y: float, count: int, scale: float, colour: str, name: str, anchor: str) -> list[str]:
    if not count:
        return []
    height = max(1.0, count * scale)
    label_x = x - 6 if anchor == "end" else x + NODE + 6
    return [
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{NODE}" height="{height:.1f}" fill="{colour}"/>',
        _text(label_x, y + height / 2 + 4, f"{name} {count}", anchor=anchor, size=12),
    ]


def _short(name: str, most: int = 34) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _text(x: float, y: float, words: str, *, anchor: str = "start", size: int = 12) -> str:
    safe = escape("".join(char for char in words if char.isprintable()))
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{INK}">{safe}</text>'


def _svg(height: float, title: str, parts: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" '
        f'height="{height:.0f}" role="img" font-family="sans-serif">'
    )
    paper = f'<rect width="100%" height="100%" fill="{PAPER}"/>'
    return "\n".join([head, f"<title>{escape(title)}</title>", paper, *parts, "</svg>", ""])
