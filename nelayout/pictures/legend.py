"""The meaning of colors: a legend of the classes, a color bar of a scale, or a note where classes are too many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from nelayout.pictures.colors import Coloring
from nelayout.pictures.lettering import text_size
from nelayout.pictures.palettes import class_shape
from nelayout.pictures.paper import WHITE, Paper

__all__ = ["LEGEND_STYLE", "MARKERS", "NOTE_POINTS", "dots", "explain", "legend_columns", "legend_size", "make_room"]

LEGEND_STYLE = {"frameon": False, "fontsize": 9, "handletextpad": 0.2, "borderaxespad": 0.0}
# Size of the letters of a legend of up to so many classes, and of one of more, in points.
_ROOMY, _LETTERS = 12, (9.0, 8.0)
_ROW = 1.5  # height of an entry of a legend, over the size of its letters
_ENTRY = 3.0  # width of dot and spaces beside the name, likewise
_LONGEST = 28  # letters of a name; of longer ones the rest is left out
_BAR = 0.16  # inches, the width of a color bar
_PLAIN = (0.01, 1e5)  # largest numbers of a color bar that are written out, as 0.004 and 20000 are
NOTE_POINTS = 8.0
MARKERS = "o^s"  # matplotlib's for the shapes of dots
_GAP = 0.12  # inches between drawing and legend


def dots(classes: Sequence[tuple[str, Any]], paper: Paper = WHITE, shaped: bool = False) -> list[Any]:
    """The entries of a legend: a dot in the color of each class, and its name; `shaped` if dots differ in shape."""
    from matplotlib.lines import Line2D

    how = {"linestyle": "", "markersize": 7, "markeredgecolor": paper.rgb}
    markers = [MARKERS[class_shape(k) if shaped else 0] for k in range(len(classes))]
    return [
        Line2D([], [], color=rgba, marker=marker, label=_entry(name), **how)
        for marker, (name, rgba) in zip(markers, classes, strict=True)
    ]


def _entry(name: str) -> str:
    """The name as a legend takes it: not too long, and without a meaning for matplotlib ("_", "$")."""
    name = name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
    return " " + name if name.startswith("_") or not name else name


def legend_columns(k: int, height: float) -> int:
    """Columns of a legend of k classes that should not be higher than `height` inches, if two of them can do that."""
    return 1 if k * _letters(k) * _ROW <= 72 * height or k <= 3 else 2


def _letters(k: int) -> float:
    return _LETTERS[0] if k <= _ROOMY else _LETTERS[1]


def legend_size(colors: Coloring, height: float) -> tuple[float, float]:
    """Width and height in inches of what `explain` draws beside a drawing that is `height` inches high."""
    if colors.classes:
        k = len(colors.classes)
        columns, letters = legend_columns(k, height), _letters(k)
        widest = max(text_size(_entry(name), letters)[0] for name, _ in colors.classes)
        heading = text_size(colors.name, letters) if colors.name else (0.0, 0.0)
        rows = -(-k // columns)
        width = max(columns * (widest + _ENTRY * letters), heading[0])
        return width / 72 + _GAP, (rows * _ROW * letters + heading[1] * _ROW) / 72
    if colors.bounds is not None:
        heading = text_size(_heading(colors), 8.0)[0] / 72
        return max(0.75, heading + 0.1) + _GAP, 1.2
    return 0.0, 0.0


def make_room(ax: Any, colors: Coloring) -> None:
    """Narrow axes of the user's own from the right by the width of a legend or color bar, at most to half of them."""
    box, window = ax.get_position(), ax.get_window_extent()
    share = min(0.5, legend_size(colors, window.height / ax.figure.dpi)[0] * ax.figure.dpi / window.width)
    ax.set_position((box.x0, box.y0, box.width * (1.0 - share), box.height))


def explain(ax: Any, colors: Coloring, side: float, foot: float, height: float, paper: Paper = WHITE) -> None:
    """Draw the legend or the color bar in the strip of `side` inches at the right of `ax`, a note in the one beneath.

    `height` is that of the drawing in inches.
    """
    window = ax.get_window_extent()
    wide, high = window.width / ax.figure.dpi, window.height / ax.figure.dpi
    middle = (foot + high) / 2 / high
    left = (wide - side + _GAP / 2) / wide
    if colors.classes:
        k = len(colors.classes)
        legend = ax.legend(
            handles=dots(colors.classes, paper, colors.shapes is not None),
            loc="center left",
            bbox_to_anchor=(left, middle),
            ncols=legend_columns(k, height),
            title=colors.name or None,
            columnspacing=0.8,
            handlelength=1.2,
            alignment="left",
            **{**LEGEND_STYLE, "fontsize": _letters(k), "title_fontsize": _letters(k)},
        )
        for text in (*legend.get_texts(), legend.get_title()):
            text.set_parse_math(False)
            text.set_color(paper.ink)
    elif colors.bounds is not None:
        _bar(ax, colors, left, _BAR / wide, middle, min(0.6 * (high - foot), height) / high, paper)
    if colors.note:
        ax.text(
            0.5,
            0.3 * foot / high,
            colors.note,
            transform=ax.transAxes,
            ha="center",
            va="bottom",
            fontsize=NOTE_POINTS,
            color=paper.soft,
            parse_math=False,
        )


def _decade(colors: Coloring) -> int:
    """The power of ten that the numbers beside a color bar are multiples of, where they would be long; else 0."""
    largest = max(map(abs, colors.bounds or (1.0,)))
    plain = colors.log or colors.whole or _PLAIN[0] <= largest < _PLAIN[1]
    return 0 if plain else math.floor(math.log10(largest))


def _heading(colors: Coloring) -> str:
    """The text over a color bar: what it shows, and in which power of ten."""
    unit = _decade(colors)
    return f"{colors.name} (1e{unit})".strip() if unit else colors.name


def _bar(
    ax: Any, colors: Coloring, left: float, width: float, middle: float, height: float, paper: Paper
) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

    inset = ax.inset_axes((left, middle - height / 2, width, height))
    extend = "both" if colors.beyond else "neither"
    bar = ax.figure.colorbar(ScalarMappable(colors.norm(), cmap=colors.scale()), cax=inset, extend=extend)
    bar.outline.set_visible(False)
    if colors.log:
        decades = colors.bounds[1] / colors.bounds[0] if colors.bounds else 1.0
        bar.ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if decades < 200 else (1.0,)))
        bar.ax.yaxis.set_major_formatter("{x:g}")
        bar.ax.yaxis.set_minor_formatter(NullFormatter())
    elif colors.whole:
        bar.ax.yaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    elif unit := _decade(colors):
        bar.ax.yaxis.set_major_formatter(lambda x, _: f"{x / 10.0**unit:g}")
    inset.tick_params(labelsize=8, length=2, color=paper.soft, labelcolor=paper.ink)
    if _heading(colors):
        inset.set_title(_heading(colors), fontsize=8, color=paper.ink, loc="left", parse_math=False)
