"""The sheet: where a drawing lies on its axes.

The axes hold the whole picture: drawing, a border for labels, the legend at the right, a note below.
"""

from __future__ import annotations

import functools
import io
from dataclasses import dataclass
from typing import Any

import numpy as np

from nelayout.pictures.paper import WHITE, Paper
from nelayout.placing.dots import FLATTEST

__all__ = ["DIAGRAM", "RASTER_FROM", "SHEET", "Margins", "Sheet", "open_sheet"]

SHEET = 8.0  # inches, the longer side of a drawing
DIAGRAM = 1000  # nodes or edges up to which shapes of dots and arrows can be seen
RASTER_FROM = 20_000  # nodes and edges from which they are an image, also in a vector file
_FINEST = 6000  # pixels along the longer side of such an image
_TITLE = 0.4  # inches for a title
_BESIDE, _BORDER = 0.5, 0.12  # largest shares of the axes for a legend or note, and for a border


@dataclass(frozen=True, slots=True)
class Margins:
    """Inches beside the drawing.

    border  all around the drawing
    side    for a legend
    foot    for a note
    least   width and height of the whole, for long labels and high legends
    """

    border: float
    side: float = 0.0
    foot: float = 0.0
    least: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """The place of a drawing on its axes.

    ax      matplotlib axes with one scale for x and y
    points  points per unit of the positions
    inches  (2,) width and height of the drawing
    origin  (2,) lower left corner of the axes, in units of the positions
    room    x0, y0, x1, y1 in points from `origin`: where labels may lie
    dpi     dots per inch of what is painted as an image
    paper   what is behind the drawing
    """

    ax: Any
    points: float
    inches: np.ndarray
    origin: np.ndarray
    room: tuple[float, float, float, float]
    dpi: float
    paper: Paper = WHITE

    @property
    def image_dpi(self) -> float:
        """Dots per inch of an image within the picture, limited by memory."""
        return min(self.dpi, _FINEST / float(self.inches.max()))


def open_sheet(
    low: np.ndarray, high: np.ndarray, margins: Margins, ax: Any = None, figsize: tuple[float, float] | None = None,
    dpi: float = 150.0, title: str | None = None, paper: Paper = WHITE,
) -> Sheet:  # fmt: skip
    """A sheet for a drawing between the corners `low` and `high`, on `ax` or on a new figure of `figsize` inches."""
    extent = np.maximum(high - low, FLATTEST * float((high - low).max()))
    if extent.max() == 0:
        extent[:] = 1.0
    beside = np.array([margins.side, margins.foot])
    around = 2 * margins.border + beside
    if ax is None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        above = _TITLE if title else 0.0
        box = np.maximum(SHEET * extent / extent.max() + around, margins.least)
        if figsize is not None:
            box = np.array(figsize, dtype=np.float64) - [0.0, above]
        figure: Any = Figure(figsize=(box[0], box[1] + above), dpi=dpi, facecolor=paper.color or "none")
        FigureCanvasAgg(figure)
        ax = figure.add_axes((0.0, 0.0, 1.0, box[1] / (box[1] + above)), facecolor="none")
        figure._repr_png_ = functools.partial(_png, figure)
    else:
        from matplotlib.patches import Rectangle

        figure, window = ax.figure, ax.get_window_extent()
        box = np.array([window.width, window.height]) / figure.dpi
        dpi = max(dpi, figure.dpi)
        if paper.color is not None:  # without its frame axes do not paint their own background
            whole = {"transform": ax.transAxes, "color": paper.color, "linewidth": 0, "zorder": 0}
            ax.add_artist(Rectangle((0.0, 0.0), 1.0, 1.0, **whole))
    beside = np.minimum(beside, _BESIDE * box)  # something of the drawing is seen on the smallest axes
    border = min(margins.border, _BORDER * float(box.min()))
    free = box - beside - 2 * border
    inches = extent * float((free / extent).min())
    unit = float(inches.max() / extent.max())  # inches per unit of the positions
    below_left = border + (free - inches) / 2 + [0.0, beside[1]]
    origin = (low + high) / 2 - extent / 2 - below_left / unit
    corner = origin + box / unit
    ax.set_xlim(origin[0], corner[0])
    ax.set_ylim(origin[1], corner[1])
    ax.set_aspect("equal")
    ax.set_axis_off()
    if title:
        ax.set_title(title, fontsize=12, color=paper.ink)
    room = (1.0, 72 * beside[1] + 1.0, 72 * (box[0] - beside[0]) - 1.0, 72 * box[1] - 1.0)
    return Sheet(ax, 72 * unit, inches, origin, room, dpi, paper)


def _png(figure: Any) -> bytes:
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=figure.dpi)
    return content.getvalue()
