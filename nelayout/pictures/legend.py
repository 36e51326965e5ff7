"""Legends of classes, color bars and notes; and sizes of texts.

Letters follow `matplotlib.rcParams`: "legend.fontsize", "ytick.labelsize" beside a color bar, and 0.8 times "font.size"
for labels and notes.

>>> text_size("WWWW", 8)[0] > 2 * text_size("iiii", 8)[0], text_size("one\\ntwo", 8)[1] > text_size("one", 8)[1]
(True, True)
>>> wrapped("one two three", 8, text_size("one two", 8)[0])
'one two\\nthree'
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from nelayout.errors import warn
from nelayout.pictures.colors import Coloring, class_shape
from nelayout.pictures.paper import Paper
from nelayout.pictures.style import STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.transforms import Transform
    from matplotlib.typing import ColorType, RcKeyType

__all__ = ["LEGEND_STYLE", "MARKERS", "dots", "explain", "explained", "fitted", "letters", "text_size", "wrapped"]

LEGEND_STYLE = {"frameon": False, "handletextpad": 0.2, "borderaxespad": 0.0, "borderpad": 0.0}
MARKERS = "o^s"  # matplotlib's markers for the shapes of dots


def letters(name: RcKeyType) -> float:
    """Return the points of a font size in `matplotlib.rcParams`, such as "legend.fontsize"."""
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties

    return float(FontProperties(size=rcParams[name]).get_size_in_points())


def small_letters() -> float:
    """Return the points of the letters of labels and notes."""
    return STYLE.small * letters("font.size")


def text_size(text: str, size: float) -> tuple[float, float]:
    """Return width and height in points of a text of one or more lines in font size `size`."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    lines, style = str(text).split("\n"), FontProperties(size=size)
    with without_missing_letters():
        wide = max(text_to_path.get_text_width_height_descent(line, style, False)[0] for line in lines)
    return wide, 1.2 * size * len(lines)


@contextmanager
def without_missing_letters() -> Iterator[None]:
    """Suppress matplotlib's warnings of missing letters: `warn_of_missing_letters` warns."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def warn_of_missing_letters(texts: Iterable[str]) -> None:
    """Warn once if the font lacks letters of the texts."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    every = "".join(sorted(set().union(*texts) - {"\n"}))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        text_to_path.get_text_width_height_descent(every, FontProperties(size=1), False)
    lacking = {str(each.message) for each in caught if "missing from" in str(each.message)}
    if lacking:
        warn(
            f"the font lacks {len(lacking)} of the letters, which are drawn as boxes; set another in font.family of "
            'matplotlib\'s rcParams, such as "Noto Sans CJK JP"'
        )


def fitted(text: str, size: float, room: float) -> str:
    """Return the text; if it exceeds `room` points, an ellipsis replaces its middle.

    >>> fitted("ws-sne", 9, 100), text_size(fitted("a drawing " * 20, 9, 100), 9)[0] <= 100
    ('ws-sne', True)
    """
    count, whole = len(text), text
    while text_size(text, size)[0] > room and count > 1:
        count -= 1
        end = count // 2
        text = f"{whole[: count - end]}…{whole[len(whole) - end :]}"
    return text


def wrapped(text: str, size: float, room: float) -> str:
    """Return the text in lines of at most `room` points; longer words overflow."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_size(longer, size)[0] > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines)


def dots(
    classes: Sequence[tuple[str, ColorType]], paper: Paper, size: float, shaped: bool = False, of_edges: bool = False
) -> list[Line2D]:
    """Return matplotlib's entries of a legend; `shaped`: dots differ; `of_edges`: lines."""
    from matplotlib.lines import Line2D

    how = {"linestyle": "", "markersize": 0.75 * size, "markeredgecolor": paper.rgb, "markeredgewidth": 0.06 * size}
    how = {"linestyle": "-", "linewidth": 0.15 * size} if of_edges else how
    markers = ["" if of_edges else MARKERS[class_shape(k) if shaped else 0] for k in range(len(classes))]
    return [
        Line2D([], [], color=rgba, marker=marker, label=_entry(name), **how)
        for marker, (name, rgba) in zip(markers, classes, strict=True)
    ]


def _entry(name: str) -> str:
    """Return a shortened name that matplotlib shows: it hides names such as "_name"."""
    name = name if len(name) <= STYLE.max_name_letters else name[: STYLE.max_name_letters - 1] + "…"
    return " " + name if name.startswith("_") or not name else name


class Explained(NamedTuple):
    """Size of the legend or color bar beside or below a drawing."""

    side: float = 0.0  # inches beside the drawing, with the gap
    foot: float = 0.0  # inches below the drawing, with the gap
    high: float = 0.0  # inches
    columns: int = 1
    size: float = 0.0  # points of the letters


def explained(colors: Coloring, wide: float, high: float, below: bool = False, share: float = 1.0) -> Explained:
    """Return the legend or color bar with the largest letters for `wide` times `high` inches.

    `share` is the size of the letters relative to the usual size.
    """
    if colors.classes:
        size = share * letters("legend.fontsize")
        found = _legend(colors, wide, high, size, STYLE.max_columns if not below else len(colors.classes), below)
        return found._replace(side=0.0, foot=found.high + STYLE.legend_gap) if below else found
    if colors.bounds is None:
        return Explained()
    size = share * letters("ytick.labelsize")
    # Numbers of a bar are short: see `_decade`.
    longest, line = "0000-00-00" if colors.unit == "date" else "0.000", 1.2 * size / 72
    if below:
        high = _heading_height(colors, size) + STYLE.bar_width + STYLE.tick + line
        return Explained(foot=high + STYLE.legend_gap, high=high, size=size)
    numbers = STYLE.bar_width + STYLE.tick + text_size(longest, size)[0] / 72
    wide = max(numbers, text_size(_heading(colors), size)[0] / 72)
    return Explained(wide + 1.5 * STYLE.legend_gap, high=1.2, size=size)


def _legend(colors: Coloring, wide: float, high: float, size: float, most: int, below: bool) -> Explained:
    """Return the legend with the largest letters; letters of 1 point may need more space.

    A legend beside a drawing has few columns, and a legend below has as many as fit.
    """
    ems = [text_size(_entry(name), 100.0)[0] / 100 + STYLE.entry_side for name, _ in colors.classes]
    heading = text_size(colors.name, 100.0)[0] / 100 if colors.name else 0.0

    def columns(count: int) -> Explained:
        """Return the legend of so many columns in letters of one inch."""
        rows = -(-len(ems) // count)
        each = [max(ems[k : k + rows]) for k in range(0, len(ems), rows)]
        width = max(sum(each) + STYLE.column_gap * (len(each) - 1), heading)
        return Explained(width, 0.0, (rows + bool(colors.name)) * STYLE.entry_height, len(each))

    gap = 1.5 * STYLE.legend_gap
    found: list[Explained] = []
    for each in map(columns, range(1, most + 1)):
        fit = 72 * min((wide - gap) / each.side, high / each.high)
        letter = max(1.0, min(size, fit))
        found.append(Explained(each.side * letter / 72 + gap, 0.0, each.high * letter / 72, each.columns, letter))
        if not below and fit >= STYLE.min_legend_font * size:  # fewer columns leave more width to the drawing
            break
    if below:  # more columns leave more height to the drawing
        least = STYLE.min_font_below * max(each.size for each in found)
        return min((each for each in found if each.size >= least), key=lambda each: (each.high, each.columns))
    return max(found, key=lambda each: (each.size, -each.high, -each.side))


def explain(ax: Axes, colors: Coloring, found: Explained, where: Transform, paper: Paper) -> None:
    """Draw the legend or color bar; `where` maps inches from its left or top to pixels."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.dates import AutoDateFormatter, AutoDateLocator
    from matplotlib.ticker import LogLocator, MaxNLocator
    from matplotlib.transforms import blended_transform_factory

    if colors.classes:
        how = {"loc": "center left", "bbox_to_anchor": (STYLE.legend_gap, 0.0), "bbox_transform": where}
        how |= {"loc": "upper center", "bbox_to_anchor": (0.0, -STYLE.legend_gap)} if found.foot else {}
        how |= {"alignment": "left", "ncols": found.columns, "columnspacing": STYLE.column_gap, "handlelength": 1.2}
        how |= {"title": colors.name or None, "fontsize": found.size, "title_fontsize": found.size, **LEGEND_STYLE}
        handles = dots(colors.classes, paper, found.size, colors.shapes is not None, colors.of_edges)
        legend = ax.legend(handles=handles, **how)
        for text in (*legend.get_texts(), legend.get_title()):
            text.set_parse_math(False)
            text.set_color(paper.ink)
    elif colors.bounds is not None:
        heading, start = _heading_height(colors, found.size), 0.5 - STYLE.bar_height / 2
        if found.foot:
            low = -STYLE.legend_gap - heading - STYLE.bar_width
            box, frame = (start, low, STYLE.bar_height, STYLE.bar_width), blended_transform_factory(ax.transAxes, where)
        else:
            tall = min(STYLE.bar_height, 1.0 - heading / (float(ax.get_window_extent().height) / ax.figure.dpi or 1.0))
            box = (STYLE.legend_gap, start, STYLE.bar_width, max(tall, 0.3))
            frame = blended_transform_factory(where, ax.transAxes)
        inset, along = ax.inset_axes(box, transform=frame), "horizontal" if found.foot else "vertical"
        how = {"cax": inset, "extend": colors.beyond, "orientation": along}
        bar = inset.figure.colorbar(ScalarMappable(colors.norm(), cmap=colors.cmap), **how)
        bar.outline.set_visible(False)
        axis, window = (bar.ax.xaxis if found.foot else bar.ax.yaxis), inset.get_window_extent()
        points = (window.width if found.foot else window.height) / inset.figure.dpi * 72
        # Numbers side by side need their width.
        most = max(2, int(points / ((6.0 if colors.unit == "date" else 4.0) if found.foot else 1.3) / found.size))
        if colors.unit == "date":
            locator = AutoDateLocator(minticks=2, maxticks=max(4, min(most, 9)))
            axis.set_major_locator(locator)
            axis.set_major_formatter(AutoDateFormatter(locator))
        elif colors.log:
            decades = math.log10(colors.bounds[1] / colors.bounds[0])
            subs = (1.0, 2.0, 5.0) if 3 * decades < most else (1.0,)
            axis.set_major_locator(LogLocator(subs=subs, numticks=most))
            axis.set_major_formatter("{x:g}")
            bar.ax.minorticks_off()
        elif colors.whole:
            axis.set_major_locator(MaxNLocator(nbins="auto", integer=True))
        elif unit := _decade(colors):
            axis.set_major_formatter(lambda x, _: f"{x / 10.0**unit:g}")
        inset.tick_params(which="both", labelsize=found.size, length=2, color=paper.soft, labelcolor=paper.ink)
        inset.set_title(_heading(colors), fontsize=found.size, color=paper.ink, loc="left", parse_math=False)


def _heading_height(colors: Coloring, size: float) -> float:
    """Return the inches of the heading of a color bar."""
    return STYLE.line * size / 72 if _heading(colors) else 0.0


def _decade(colors: Coloring) -> int:
    """Return the power of ten of a color bar's numbers; 0 for numbers such as 0.004 and 20000."""
    largest = max(map(abs, colors.bounds or (1.0,)))
    plain = colors.log or colors.whole or colors.unit == "date" or 0.01 <= largest < 1e5
    return 0 if plain else math.floor(math.log10(largest))


def _heading(colors: Coloring) -> str:
    decade = _decade(colors)
    unit = " ".join([f"1e{decade}"] * bool(decade) + [colors.unit] * (colors.unit not in ("", "date")))
    return f"{colors.name} ({unit})".strip() if unit else colors.name
