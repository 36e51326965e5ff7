"""The figure of a comparison: drawings above, their measures below."""

from __future__ import annotations

import math
from typing import Any

from nelayout.comparison.measuring import Measured
from nelayout.comparison.ranking import arrow, leaders, shade, shown
from nelayout.errors import missing_extra
from nelayout.pictures import draw
from nelayout.pictures.colors import Coloring
from nelayout.pictures.legend import LEGEND_STYLE, dots, fitted, text_size
from nelayout.pictures.paper import Paper, paper

__all__ = ["side_by_side"]

# Most drawings in a row: a fifth would make each smaller than a page can show well.
COLUMNS = 4
# Side of one drawing, in inches.
INCHES = 3.4
# Height of a table line, free space around, width of the last heading, in inches.
ROW, BORDER, SLANT = 0.3, 0.15, 0.6
# Width of the names beside the table, at least and at most, in inches; longer ones are cut.
NAMES = (1.6, 3.2)
# Letters of a drawing's name, above it and beside the table, in points.
TITLE, LINE = 12, 9
# Width of a letter in the legend, in inches.
LETTER = 0.075
# Darkness from which the cell is dark enough for white figures.
READABLE = 0.55


def side_by_side(
    G: Any,
    drawings: dict[str, Any],
    found: dict[str, dict[str, Measured]],
    color: Any,
    labels: Any = None,
    seconds: dict[str, float] | None = None,
    background: Any = "auto",
) -> Any:
    """A `matplotlib.figure.Figure` of drawings of `G`, over what was found of each; see `Comparison.plot`.

    ``color``: as in `nelayout.draw`, or a `Coloring`, whose classes stand in a legend below the drawings.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise missing_extra("matplotlib", "compare", "figures") from None

    back = paper(background)
    classes = color.classes if isinstance(color, Coloring) else ()
    rows = -(-len(drawings) // COLUMNS)
    columns = -(-len(drawings) // rows)
    measures = list(next(iter(found.values()), {}))
    table = ROW * (len(drawings) + 4) if measures else 0.0
    beside = _width_of_names(list(found))
    width = max(columns * INCHES, beside + SLANT + 0.62 * len(measures) if measures else 0.0) + 2 * BORDER
    entries = max(1, int(width / (0.4 + LETTER * max((len(name) for name, _ in classes), default=1))))
    legend = ROW * -(-len(classes) // entries)
    height = rows * (INCHES + ROW) + legend + table + 2 * BORDER
    figure = Figure(figsize=(width, height), dpi=100, facecolor=back.color or "none")
    FigureCanvasAgg(figure)
    left = (width - columns * INCHES) / 2
    for place, (name, pos) in enumerate(drawings.items()):
        row, column = divmod(place, columns)
        box = (left + column * INCHES, height - BORDER - ROW - INCHES - row * (INCHES + ROW))
        inside = INCHES - 0.2
        ax = figure.add_axes((box[0] / width, box[1] / height, inside / width, inside / height))
        draw(G, pos, ax=ax, color=color, labels=labels, legend=False, background=background)
        # On the figure: above a flat drawing the axes' own title would come down, out of line with the others.
        middle, top = (box[0] + inside / 2) / width, (box[1] + inside + 0.08) / height
        title = {"ha": "center", "va": "bottom", "fontsize": TITLE, "color": back.ink, "parse_math": False}
        figure.text(middle, top, fitted(name, TITLE, 72 * inside), **title)
    if classes:
        figure.legend(
            handles=dots(classes, back, color.shapes is not None),
            labelcolor=back.ink,
            loc="upper center",
            bbox_to_anchor=(0.5, (BORDER + table + legend) / height),
            ncols=min(entries, len(classes)),
            **LEGEND_STYLE,
        )
    if measures:
        ax = figure.add_axes(
            (BORDER / width, BORDER / height, 1 - 2 * BORDER / width, (table - ROW) / height)
        )
        _table(ax, found, measures, seconds or {}, (width - 2 * BORDER, table - ROW), beside, back)
    return figure


def _width_of_names(names: list[str]) -> float:
    """The inches that the names of the drawings take beside the table."""
    widest = max((text_size(name, LINE)[0] for name in names), default=0.0)
    return min(max(widest / 72 + 0.2, NAMES[0]), NAMES[1])


def _table(
    ax: Any,
    found: dict[str, dict[str, Measured]],
    measures: list[str],
    seconds: dict[str, float],
    size: tuple[float, float],
    beside: float,
    back: Paper,
) -> None:
    """One cell per drawing and measure, the darker the better; the best of each is bold; seconds stand behind.

    ``size`` of the table and ``beside``, the width of the names in it, are in inches.
    """
    from matplotlib import colormaps
    from matplotlib.patches import Rectangle

    width, height = size
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    ax.set_axis_off()
    cell = (width - beside - SLANT) / (len(measures) + bool(seconds))
    top = height - ROW * len(found)
    shades = colormaps["Blues"]
    first = leaders(found)
    for m, name in enumerate(measures):
        x = beside + (m + 0.5) * cell
        heading = f"{name.replace('_', ' ')} {arrow(name)}"
        ax.text(x, top - 0.06, heading, rotation=30, ha="left", va="bottom", fontsize=8, color=back.ink)
        values = [row[name].value for row in found.values()]
        for r, (drawing, row) in enumerate(found.items()):
            measured, y = row[name], top + r * ROW
            dark = shade(name, row, values)
            color = back.unknown if math.isnan(dark) else shades(0.85 * dark)
            ax.add_patch(Rectangle((beside + m * cell, y), cell, ROW, facecolor=color, edgecolor=back.rgb))
            ax.text(
                x,
                y + ROW / 2,
                shown(measured.value, 3),
                ha="center",
                va="center",
                fontsize=8,
                color="white" if dark > READABLE else "#202020",
                weight="bold" if drawing in first[name] else "normal",
            )
    if seconds:
        x = beside + (len(measures) + 0.5) * cell
        ax.text(x, top - 0.06, "seconds", rotation=30, ha="left", va="bottom", fontsize=8, color=back.ink)
        for r, name in enumerate(found):
            text = shown(seconds.get(name, math.nan), 2)
            ax.text(x, top + (r + 0.5) * ROW, text, ha="center", va="center", fontsize=8, color=back.ink)
    for r, name in enumerate(found):
        how = {"ha": "right", "va": "center", "fontsize": LINE, "color": back.ink, "parse_math": False}
        ax.text(beside - 0.1, top + (r + 0.5) * ROW, fitted(name, LINE, 72 * (beside - 0.1)), **how)
