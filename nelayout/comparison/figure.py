"""The figure of a comparison: drawings above, their measures below."""

from __future__ import annotations

import math
from typing import Any

from nelayout.comparison.measuring import Measured
from nelayout.comparison.ranking import Cell, arrow, shown, table_rows
from nelayout.errors import missing_extra
from nelayout.pictures import draw
from nelayout.pictures.colors import Coloring
from nelayout.pictures.legend import LEGEND_STYLE, dots, explained, fitted, text_size
from nelayout.pictures.paper import Paper, paper

__all__ = ["side_by_side"]

# Largest number of drawings in a row.
COLUMNS = 4
# In inches: side of one drawing, height of a table line, margin, width of the last heading, largest width of names.
INCHES, ROW, BORDER, SLANT, NAMES = 3.4, 0.3, 0.15, 0.6, 3.2
# Font sizes in points: a drawing's name above it and beside the table, and text in the table.
TITLE, LINE, SMALL = 12, 9, 8


def side_by_side(
    G: Any,
    drawings: dict[str, Any],
    found: dict[str, dict[str, Measured]],
    color: Coloring,
    labels: Any = None,
    seconds: dict[str, float] | None = None,
    background: Any = "auto",
) -> Any:
    """Return a matplotlib figure of drawings over their measures; see `Comparison.plot`.

    A legend of classes stands below the drawings, a color bar beside the first row.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise missing_extra("matplotlib", "compare", "figures") from None

    back = paper(background)
    classes, bar = color.classes, explained(color, INCHES, INCHES).side if color.bounds else 0.0
    rows = -(-len(drawings) // COLUMNS)
    columns = -(-len(drawings) // rows)
    measures = len(next(iter(found.values()), {}))
    table = ROW * (len(drawings) + 4) if measures else 0.0
    beside = min(max((text_size(name, LINE)[0] for name in found), default=0.0) / 72 + 0.2, NAMES)
    width = max(columns * INCHES, beside + SLANT + 0.62 * measures if measures else 0.0) + 2 * BORDER + bar
    widest = max((text_size(name, LINE)[0] for name, _ in classes), default=0.0) / 72
    entries = max(1, int(width / (0.5 + widest)))
    legend = ROW * (-(-len(classes) // entries) + bool(classes and color.name))
    height = rows * (INCHES + ROW) + legend + table + 2 * BORDER
    figure = Figure(figsize=(width, height), dpi=100, facecolor=back.color or "none")
    FigureCanvasAgg(figure)
    left, inside = (width - bar - columns * INCHES) / 2, INCHES - 0.2
    for number, (name, pos) in enumerate(drawings.items()):
        row, column = divmod(number, columns)
        x, y = left + column * INCHES, height - BORDER - ROW - INCHES - row * (INCHES + ROW)
        ax = figure.add_axes((x / width, y / height, inside / width, inside / height))
        draw(G, pos, ax=ax, color=color, labels=labels, legend=number == columns - 1 and bar > 0, background=background)
        ax.set_anchor("N")  # the title is directly above the drawing
        # The title belongs to the figure: a title of the axes would be lower above a flat drawing than above others.
        middle, top = (x + inside / 2) / width, (y + inside + 0.08) / height
        title = {"ha": "center", "va": "bottom", "fontsize": TITLE, "color": back.ink, "parse_math": False}
        figure.text(middle, top, fitted(name, TITLE, 72 * inside), **title)
    if classes:
        figure.legend(
            handles=dots(classes, back, LINE, color.shapes is not None),
            labelcolor=back.ink,
            title=color.name or None,
            fontsize=LINE,
            title_fontsize=LINE,
            loc="upper center",
            bbox_to_anchor=(0.5, (BORDER + table + legend) / height),
            ncols=min(entries, len(classes)),
            **LEGEND_STYLE,
        )
    if measures:
        size = (width - bar - 2 * BORDER, table - ROW)
        ax = figure.add_axes((BORDER / width, BORDER / height, size[0] / width, size[1] / height))
        _table(ax, found, seconds or {}, size, beside, back)
    return figure


def _table(
    ax: Any,
    found: dict[str, dict[str, Measured]],
    seconds: dict[str, float],
    size: tuple[float, float],
    beside: float,
    back: Paper,
) -> None:
    """Draw one cell per drawing and measure, the darker the better; the best of each is bold.

    ``size`` of the table and ``beside``, the width of the names in it, are in inches.
    """
    from matplotlib import colormaps
    from matplotlib.patches import Rectangle

    width, height = size
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    ax.set_axis_off()
    columns = {f"{name.replace('_', ' ')} {arrow(name)}": cells for name, cells in table_rows(found, digits=3).items()}
    if seconds:
        columns["seconds"] = [Cell(shown(seconds.get(name, math.nan), 2), False, math.nan) for name in found]
    cell = (width - beside - SLANT) / len(columns)
    top = height - ROW * len(found)
    for m, (heading, cells) in enumerate(columns.items()):
        x = beside + (m + 0.5) * cell
        ax.text(x, top - 0.06, heading, rotation=30, ha="left", va="bottom", fontsize=SMALL, color=back.ink)
        for r, each in enumerate(cells):
            y, ink = top + r * ROW, back.ink
            if heading != "seconds":
                color = back.unknown if math.isnan(each.dark) else colormaps["Blues"](0.85 * each.dark)
                ax.add_patch(Rectangle((beside + m * cell, y), cell, ROW, facecolor=color, edgecolor=back.rgb))
                ink = "white" if each.dark > 0.55 else "#202020"
            text, weight = each.text.partition(" ±")[0], "bold" if each.best else "normal"
            ax.text(x, y + ROW / 2, text, ha="center", va="center", fontsize=SMALL, color=ink, weight=weight)
    for r, name in enumerate(found):
        how = {"ha": "right", "va": "center", "fontsize": LINE, "color": back.ink, "parse_math": False}
        ax.text(beside - 0.1, top + (r + 0.5) * ROW, fitted(name, LINE, 72 * (beside - 0.1)), **how)
