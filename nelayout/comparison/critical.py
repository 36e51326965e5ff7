"""Critical-difference diagrams: mean ranks of layouts, and which ones chance explains.

Source: Demsar, JMLR 7, 2006 ("Statistical comparisons of classifiers over multiple data sets"), figure 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from nelayout.errors import missing_extra
from nelayout.pictures.legend import fitted, text_size

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Ranking", "diagrams", "groups"]


class Ranking(NamedTuple):
    """Mean ranks of the layouts in one measure, and their tests.

    graphs      number of graphs with all layouts
    statistic   Friedman's chi-squared, with its probability p
    difference  critical difference of two mean ranks
    differs     whether p is below the level
    """

    layouts: list[str]
    ranks: list[float]
    graphs: int
    statistic: float
    p: float
    difference: float
    differs: bool

    @property
    def best(self) -> set[str]:
        """The layouts that are not clearly worse than the best; empty if none is worse."""
        least = min(self.ranks, default=math.nan)
        near = {name for name, rank in zip(self.layouts, self.ranks, strict=True) if rank - least <= self.difference}
        return near if self.differs and len(near) < len(self.layouts) else set()


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes in a diagram, in inches and in points of letters."""

    axis: float = 3.6  # inches of the axis of ranks
    line: float = 0.24  # inches between two names
    bar: float = 0.11  # inches between two bars
    top: float = 0.95  # inches above the axis: title, critical difference, numbers
    name: float = 2.2  # most inches of a name
    letters: float = 9.0  # points


SIZES = Sizes()


def groups(ranks: list[float], difference: float) -> list[tuple[int, int]]:
    """Return the largest runs (first, last) of sorted ranks within the critical difference.

    >>> groups([1.0, 1.5, 2.0, 4.0], 1.2)
    [(0, 2)]
    >>> groups([1.0, 2.0, 3.0], 1.0)
    [(0, 1), (1, 2)]
    """
    found: list[tuple[int, int]] = []
    for first, rank in enumerate(ranks):
        last = max(k for k, other in enumerate(ranks) if other - rank <= difference)
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found


def diagrams(found: Mapping[str, Ranking], alpha: float) -> Figure:
    """Draw a diagram for each measure, one below the other."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise missing_extra("matplotlib", "compare", "figures") from None

    names = [name for each in found.values() for name in each.layouts]
    side = min(SIZES.name, max(text_size(f"{name}  9.99", SIZES.letters)[0] / 72 for name in names)) + 0.3
    high = [SIZES.top + SIZES.line * (math.ceil(len(each.layouts) / 2) + 0.5) + _bars(each) for each in found.values()]
    wide = SIZES.axis + 2 * side
    figure = Figure(figsize=(wide, sum(high)), dpi=100, facecolor="white")
    FigureCanvasAgg(figure)
    above = 0.0
    for (title, each), inches in zip(found.items(), high, strict=True):
        above += inches
        ax = figure.add_axes((0.0, 1.0 - above / sum(high), 1.0, inches / sum(high)))
        ax.set_xlim(0.0, wide)
        ax.set_ylim(inches - SIZES.top, -SIZES.top)
        ax.set_axis_off()
        _diagram(ax, title, each, alpha, side)
    return figure


def _bars(found: Ranking) -> float:
    """Return the inches that bars take below the axis."""
    return SIZES.bar * (len(_groups_of(found)) + 1)


def _groups_of(found: Ranking) -> list[tuple[int, int]]:
    ranks = sorted(found.ranks)
    return groups(ranks, found.difference) if found.differs else [(0, len(ranks) - 1)]


def _diagram(ax: Axes, title: str, found: Ranking, alpha: float, side: float) -> None:
    """Draw one diagram, in inches from the left and below the axis; the best is at the right."""
    k = len(found.layouts)
    order = sorted(zip(found.ranks, found.layouts, strict=True))

    def at(rank: float) -> float:
        return side + SIZES.axis * (k - rank) / (k - 1)

    text = {"fontsize": SIZES.letters, "parse_math": False, "color": "#202020"}
    line = {"color": "#202020", "linewidth": 1.0, "solid_capstyle": "butt"}
    ax.plot([at(k), at(1)], [0, 0], **line)
    for rank in range(1, k + 1):
        ax.plot([at(rank)] * 2, [-0.08, 0], **line)
        ax.text(at(rank), -0.11, str(rank), ha="center", va="bottom", **text)
    middle = side + SIZES.axis / 2
    p = "p < 0.001" if found.p < 0.001 else f"p = {found.p:.3f}"
    said = f"{title}   {found.graphs} graphs, Friedman {p}"
    ax.text(middle, -SIZES.top + 0.06, said, ha="center", va="top", **{**text, "fontsize": SIZES.letters + 1})
    long = at(1) - at(1 + min(found.difference, k - 1))
    ax.plot([at(k), at(k) + long], [-0.4, -0.4], **line)
    for x in (at(k), at(k) + long):
        ax.plot([x, x], [-0.44, -0.36], **line)
    beyond = "" if found.difference <= k - 1 else ", longer than the axis"
    cd = f"CD = {found.difference:.2f} (Nemenyi, level {alpha:g}{beyond})"
    ax.text(at(k), -0.47, cd, ha="left", va="bottom", **text)
    for number, (first, last) in enumerate(_groups_of(found), start=1):
        ends = [at(order[first][0]) + 0.04, at(order[last][0]) - 0.04]
        ax.plot(ends, [SIZES.bar * number] * 2, color="#202020", linewidth=3.5, solid_capstyle="butt")
    below, left = _bars(found) + SIZES.line / 2, k // 2
    for number, (rank, name) in enumerate(order):
        right = number < k - left
        y = below + SIZES.line * (number if right else k - 1 - number)
        end = at(1) + 0.15 if right else at(k) - 0.15
        ax.plot([at(rank), at(rank), end], [0, y, y], **line)
        short = fitted(name, SIZES.letters, 72 * (SIZES.name - 0.4))
        said = f"{rank:.2f}  {short}" if right else f"{short}  {rank:.2f}"
        ax.text(end + (0.05 if right else -0.05), y, said, ha="left" if right else "right", va="center", **text)
