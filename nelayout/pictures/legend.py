"""The meaning of colors: a legend of classes, a color bar, or a note; and how much room texts take.

>>> text_size("WWWW", 8)[0] > 2 * text_size("iiii", 8)[0], text_size("one\\ntwo", 8)[1] > text_size("one", 8)[1]
(True, True)
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

from nelayout.pictures.colors import Coloring, class_shape
from nelayout.pictures.paper import WHITE, Paper

__all__ = [
    "LEGEND_STYLE", "MARKERS", "NOTE_POINTS", "dots", "explain", "fitted", "legend_size", "make_room", "text_size",
]  # fmt: skip

LEGEND_STYLE = {"frameon": False, "fontsize": 9, "handletextpad": 0.2, "borderaxespad": 0.0}
MARKERS = "o^s"  # matplotlib's markers for the shapes of dots
NOTE_POINTS = 8.0  # size of the letters of notes, color bars and legends of more than 12 classes
_ROW, _ENTRY = 1.5, 3.0  # height of an entry of a legend, and width beside its name, in sizes of its letters
_LONGEST = 28  # letters of a name in a legend
_GAP = 0.12  # inches between drawing and legend
_BAR = 0.16  # inches, the width of a color bar


@functools.cache
def _renderer() -> Any:
    from matplotlib.backends.backend_agg import RendererAgg

    return RendererAgg(1, 1, 72 * 4)


@functools.lru_cache(10_000)
def text_size(text: str, size: float) -> tuple[float, float]:
    """Return width and height in points of a text of one or more lines in letters of `size` points."""
    from matplotlib.font_manager import FontProperties

    font = FontProperties(size=size)
    lines = str(text).split("\n")
    widths = [_renderer().get_text_width_height_descent(line, font, False)[0] for line in lines]
    return max(widths) / 4, 1.2 * size * len(lines)


def fitted(text: str, size: float, room: float) -> str:
    """Return the text, or as many letters of its ends as `room` points hold, with an ellipsis between.

    >>> fitted("ws-sne", 9, 100), text_size(fitted("a drawing " * 20, 9, 100), 9)[0] <= 100
    ('ws-sne', True)
    """
    letters, whole = len(text), text
    while text_size(text, size)[0] > room and letters > 1:
        letters -= 1
        end = letters // 2
        text = f"{whole[: letters - end]}…{whole[len(whole) - end :]}"
    return text


def dots(classes: Sequence[tuple[str, Any]], paper: Paper = WHITE, shaped: bool = False) -> list[Any]:
    """Return matplotlib's entries of a legend; `shaped`: dots differ in shape as well as in color."""
    from matplotlib.lines import Line2D

    how = {"linestyle": "", "markersize": 7, "markeredgecolor": paper.rgb}
    markers = [MARKERS[class_shape(k) if shaped else 0] for k in range(len(classes))]
    return [
        Line2D([], [], color=rgba, marker=marker, label=_entry(name), **how)
        for marker, (name, rgba) in zip(markers, classes, strict=True)
    ]


def _entry(name: str) -> str:
    """Return a name that is not too long, and that matplotlib does not leave out as it does "_name"."""
    name = name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
    return " " + name if name.startswith("_") or not name else name


def _columns(k: int, height: float) -> int:
    """Return 2 columns for a legend of k classes if one column is higher than `height` inches."""
    return 1 if k * _letters(k) * _ROW <= 72 * height or k <= 3 else 2


def _letters(k: int) -> float:
    return 9.0 if k <= 12 else NOTE_POINTS


def legend_size(colors: Coloring, height: float) -> tuple[float, float]:
    """Return width and height in inches of what `explain` draws beside a drawing of `height` inches."""
    if colors.classes:
        k = len(colors.classes)
        columns, letters = _columns(k, height), _letters(k)
        widest = max(text_size(_entry(name), letters)[0] for name, _ in colors.classes)
        heading = text_size(colors.name, letters) if colors.name else (0.0, 0.0)
        width = max(columns * (widest + _ENTRY * letters), heading[0])
        return width / 72 + _GAP, (-(-k // columns) * letters + heading[1]) * _ROW / 72
    if colors.bounds is not None:
        heading = text_size(_heading(colors), NOTE_POINTS)[0] / 72
        return max(0.75, heading + 0.1) + _GAP, 1.2
    return 0.0, 0.0


def make_room(ax: Any, colors: Coloring) -> None:
    """Narrow axes from the right by the width of a legend or color bar, at most to half."""
    box, window = ax.get_position(), ax.get_window_extent()
    share = min(0.5, legend_size(colors, window.height / ax.figure.dpi)[0] * ax.figure.dpi / window.width)
    ax.set_position((box.x0, box.y0, box.width * (1.0 - share), box.height))


def explain(ax: Any, colors: Coloring, side: float, foot: float, height: float, paper: Paper = WHITE) -> None:
    """Draw the legend or color bar in the right `side` inches of `ax`, and a note in the lower `foot` inches.

    `height` is the height of the drawing in inches.
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
            ncols=_columns(k, height),
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
        tall = min(0.6 * (high - foot), height) / high
        _bar(ax, colors, (left, middle - tall / 2, _BAR / wide, tall), paper)
    if colors.note:
        how = {"ha": "center", "fontsize": NOTE_POINTS, "color": paper.soft, "parse_math": False}
        ax.text(0.5, 0.55 * foot / high, colors.note, transform=ax.transAxes, va="bottom", **how)


def _decade(colors: Coloring) -> int:
    """Return the power of ten of the numbers beside a color bar; 0 for numbers such as 0.004 and 20000."""
    largest = max(map(abs, colors.bounds or (1.0,)))
    return 0 if colors.log or colors.whole or 0.01 <= largest < 1e5 else math.floor(math.log10(largest))


def _heading(colors: Coloring) -> str:
    unit = _decade(colors)
    return f"{colors.name} (1e{unit})".strip() if unit else colors.name


def _bar(ax: Any, colors: Coloring, box: tuple[float, ...], paper: Paper) -> None:
    """Draw a color bar in `box`: left, lower, width and height as shares of the axes."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

    inset = ax.inset_axes(box)
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
    inset.tick_params(labelsize=NOTE_POINTS, length=2, color=paper.soft, labelcolor=paper.ink)
    inset.set_title(_heading(colors), fontsize=NOTE_POINTS, color=paper.ink, loc="left", parse_math=False)
