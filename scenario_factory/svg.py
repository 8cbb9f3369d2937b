"""A small SVG writer: boxes and words over lines. Every word is escaped."""

from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

FONT = "font-family='ui-sans-serif, system-ui, sans-serif'"
INK, PALE = "#1f2933", "#7b8794"
COLOURS = {"aligned": "#2b6cb0", "misaligned": "#c05621"}
SIGNS = {"aligned": "A+", "misaligned": "A−"}


def clean(text: str, longest: int = 200) -> str:
    """``text`` on one line, without characters that XML does not take, cut to ``longest``."""
    kept = "".join(c if c.isprintable() else " " for c in text)
    flat = " ".join(kept.split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"


@dataclass
class Picture:
    """What is drawn so far, and how far it reaches."""

    title: str
    width: float = 0.0
    height: float = 0.0
    _lines: list[str] = field(default_factory=list)
    _walked: list[str] = field(default_factory=list)
    _shapes: list[str] = field(default_factory=list)
    _badges: list[str] = field(default_factory=list)

    def box(self, x: float, y: float, width: float, height: float, stroke: str, fill: str = "#ffffff") -> None:
        """A rounded box; ``x`` and ``y`` are its upper left corner."""
        self._reach(x + width, y + height)
        self._shapes.append(
            f"<rect x='{x:g}' y='{y:g}' width='{width:g}' height='{height:g}' rx='6' "
            f"fill={quoteattr(fill)} stroke={quoteattr(stroke)} stroke-width='1.4'/>"
        )

    def words(self, x: float, y: float, text: str, *, size: float = 11, colour: str = INK, bold: bool = False) -> None:
        """One line of words whose baseline begins at ``x``, ``y``."""
        self._reach(x + 0.56 * size * len(text), y)
        weight = " font-weight='600'" if bold else ""
        self._shapes.append(
            f"<text x='{x:g}' y='{y:g}' font-size='{size:g}' fill={quoteattr(colour)}{weight}>"
            f"{escape(clean(text))}</text>"
        )

    def line(
        self,
        start: tuple[float, float],
        end: tuple[float, float],
        colour: str,
        *,
        title: str = "",
        faint: bool = False,
        wide: bool = False,
    ) -> None:
        """A curved line with an arrow at its end, on the left where it does not lead right; ``title`` shows when it is
        pointed at. ``wide`` ones lie over all others."""
        (x0, y0), (x1, y1) = start, end
        bend, back = (-26.0, 26.0) if x1 <= x0 else (max(24.0, (x1 - x0) / 2),) * 2
        shown = f"<title>{escape(clean(title))}</title>" if title else ""
        (self._walked if wide else self._lines).append(
            f"<path d='M{x0:g},{y0:g} C{x0 + bend:g},{y0:g} {x1 - back:g},{y1:g} {x1:g},{y1:g}' fill='none' "
            f"stroke={quoteattr(colour)} stroke-width='{3 if wide else 1.3}' "
            f"marker-end='url(#{'wide-arrow' if wide else 'arrow'})' "
            f"opacity='{0.35 if faint else 0.9}'>{shown}</path>"
        )

    def badge(self, x: float, y: float, text: str, fill: str) -> None:
        """A few letters in a filled disc about ``x``, ``y``."""
        wide = max(9.0, 5 + 3.2 * len(text))
        self._reach(x + wide, y + 9)
        self._badges.append(
            f"<rect x='{x - wide:g}' y='{y - 9:g}' width='{2 * wide:g}' height='18' rx='9' fill={quoteattr(fill)}/>"
            f"<text x='{x:g}' y='{y + 4:g}' font-size='11' font-weight='600' fill='#ffffff' text-anchor='middle'>"
            f"{escape(clean(text))}</text>"
        )

    def svg(self) -> str:
        """The whole picture."""
        width, height = self.width + 16, self.height + 16
        return (
            f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:g} {height:g}' width='{width:g}' "
            f"height='{height:g}' role='img' {FONT}>\n<title>{escape(clean(self.title))}</title>\n"
            f"<defs>{_marker('arrow', 6)}{_marker('wide-arrow', 3.6) if self._walked else ''}</defs>\n"
            f"<rect width='{width:g}' height='{height:g}' fill='#ffffff'/>\n"
            + "\n".join((*self._lines, *self._walked, *self._shapes, *self._badges))
            + "\n</svg>\n"
        )

    def _reach(self, x: float, y: float) -> None:
        self.width, self.height = max(self.width, x), max(self.height, y)


def _marker(name: str, size: float) -> str:
    """An arrow's head, ``size`` times as large as its line is wide."""
    return (
        f"<marker id='{name}' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='{size:g}' markerHeight='{size:g}' "
        "orient='auto'><path d='M0,0 L8,4 L0,8 z' fill='#52606d'/></marker>"
    )
