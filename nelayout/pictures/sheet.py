"""The sheet: where a drawing is on its axes.

The limits of the axes are the limits of the drawing. Around the axes a sheet keeps space for labels, legend and note. A
sheet is the locator of its axes: matplotlib calls it for their box whenever it draws the figure. So a drawing fits axes
that a layout engine or `set_size_inches` has resized. Panels of one size have equal margins.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from matplotlib import rcParams
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.transforms import Affine2D, Bbox, ScaledTranslation, Transform

from nelayout.core.placing.final import FLATTEST, dot_diameter
from nelayout.pictures.colors import Coloring
from nelayout.pictures.legend import explain, explained, letters, small_letters, text_size, wrapped
from nelayout.pictures.paper import Paper
from nelayout.pictures.style import STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backend_bases import RendererBase
    from matplotlib.gridspec import SubplotSpec
    from matplotlib.text import Text

__all__ = ["Sheet", "beside", "open_sheet"]


class Margins(NamedTuple):
    """Inches around the drawing: border on all sides, more for a legend, a note and a title."""

    border: float = 0.0
    side: float = 0.0
    foot: float = 0.0
    head: float = 0.0


class Movable(Protocol):
    """Labels, which move with a drawing."""

    def place(self) -> None:
        """Take new positions."""

    def tell(self) -> None:
        """Warn of labels that are left out."""


class _Mark(Artist):
    """An artist without a picture; the labels of the drawing are final when it is drawn."""

    labels: Movable | None = None

    def draw(self, renderer: RendererBase) -> None:
        """Let the labels warn."""
        if self.labels is not None:
            self.labels.tell()


class Sheet:
    """The position of a drawing on its axes, which have one scale for x and y."""

    def __init__(self, ax: Axes, low: np.ndarray, high: np.ndarray, reach: float, dpi: float, paper: Paper) -> None:
        self.ax, self.paper, self.dpi = ax, paper, dpi
        found = ax.get_axes_locator()
        cleared = isinstance(found, Sheet) and found.mark.axes is not ax
        self.before = found if isinstance(found, Sheet) and not cleared else None  # an earlier drawing on the axes
        self.locator = found.locator if isinstance(found, Sheet) else found  # of inset axes and of axes in a grid
        self.view = _view(ax)  # what the axes show already
        self.margins = self.room = Margins()  # own margins, and margins of all panels of the row
        self.mark = _Mark()  # holds the labels, which follow when the drawing has moved
        self.mark.set_in_layout(False)
        self.seen: tuple = ()  # the latest position of the drawing
        self.low, self.high, self.reach = low, high, reach
        self.line = 0.0  # points for labels between drawing and title
        self.right, self.below, self.under = Affine2D(), Affine2D(), Affine2D()
        self.ground: Rectangle | None = None
        # Axes without a frame do not paint their background.
        if paper.color is not None and ax.figure.get_facecolor() != to_rgba(paper.color):
            how = {"transform": ax.figure.transSubfigure, "color": paper.color, "linewidth": 0, "zorder": 0}
            self.ground = Rectangle((0.0, 0.0), 1.0, 1.0, clip_on=False, **how)
            ax.add_artist(self.ground)
        ax.set_axis_off()
        ax.set_aspect("equal")
        ax.add_artist(self.mark)
        ax.set_axes_locator(self)
        groups = ax.get_shared_x_axes(), ax.get_shared_y_axes()
        row = self._row()
        shared = [each for each in row if any(group.joined(ax, each.ax) for group in groups)]
        for sheet in shared:  # with shared limits, each panel has room for all drawings
            sheet.low = np.min([each.low for each in shared], axis=0)
            sheet.high = np.max([each.high for each in shared], axis=0)
        views = np.array([each.view for each in shared or [self]])
        for sheet in shared:
            sheet.view = np.stack([np.fmin.reduce(views[:, 0]), np.fmax.reduce(views[:, 1])])
        same = [each for each in row if np.array_equal([each.low, each.high], [self.low, self.high])]
        most = max(each.reach for each in same)
        extent = _extent(self.low - most, self.high + most)
        corner = (self.low + self.high - extent) / 2
        for sheet in same:  # panels of one layout have one size
            low, high = np.fmin(corner, sheet.view[0]), np.fmax(corner + extent, sheet.view[1])
            x, y = zip(low.tolist(), high.tolist(), strict=True)
            sheet.ax.set_xlim(*(x[::-1] if sheet.ax.xaxis_inverted() else x))
            sheet.ax.set_ylim(*(y[::-1] if sheet.ax.yaxis_inverted() else y))

    def settle(self) -> None:
        """Move all drawings in this row to their positions; their labels follow when drawn."""
        row = self._row()
        for sheet in row:
            sheet._put(self._room(row))
        self._follow()

    def __call__(self, ax: Any, renderer: RendererBase | None = None) -> Bbox:
        """Return the box of the axes in shares of the figure; move what is beside the drawing."""
        if self.mark.axes is not ax:  # the axes were cleared
            return self._box(renderer)
        box = self._put(self._room(self._row()))
        self._follow()
        return box

    def _put(self, room: Margins) -> Bbox:
        ax, (wide, high) = self.ax, self._paper_size()
        cell, border, self.room = self._box(), room.border, room
        box = Bbox.from_extents(
            cell.x0 + border / wide,
            cell.y0 + (border + room.foot) / high,
            cell.x1 - (border + room.side) / wide,
            cell.y1 - (room.head or border) / high,
        )
        ax.apply_aspect(box)
        if self.ground is not None:
            right = max(cell.x1, box.x1 + (border + self.margins.side) / wide)  # behind the legend, too
            self.ground.set_bounds(cell.x0, cell.y0, right - cell.x0, cell.height)
        self.right.clear().translate(border, 0.0)
        self.under.clear().translate(0.0, -border)
        self.below.clear().translate(0.0, -border - room.foot)
        return box

    def _follow(self) -> None:
        """Place the labels again if the drawing has moved."""
        ax = self.ax
        titled = any(ax.get_title(where) for where in ("left", "center", "right"))
        corners = ax.transData.transform([(0, 0), (1, 1)]).ravel() / ax.figure.dpi
        given = (*self._box().extents, *self._paper_size(), self.room.border)
        place = (titled, *corners, *given)
        if len(self.seen) != len(place) or not np.allclose(place, self.seen, rtol=1e-9, atol=1e-9):
            self.seen = place
            if self.mark.labels is not None:
                self.mark.labels.place()
        if self.before is not None:
            self.before.room = self.room
            self.before._follow()

    def get_subplotspec(self) -> SubplotSpec | None:
        """Return the cell of the axes in a grid: tight layouts need it from the locator."""
        return getattr(self.locator, "get_subplotspec", self.ax.get_subplotspec)()

    def _paper_size(self) -> np.ndarray:
        return np.array(self.ax.figure.bbox.size) / self.ax.figure.dpi

    @property
    def cell(self) -> np.ndarray:
        """Return width and height in inches of the box that the figure gives to the axes."""
        return np.array(self._box().size) * self._paper_size()

    def _box(self, renderer: Any = None) -> Bbox:
        """Return the box that the figure or the locator gives, in shares of the figure."""
        return self.ax.get_position(original=True) if self.locator is None else self.locator(self.ax, renderer)

    def _row(self) -> list[Sheet]:
        """Return this sheet, and the sheets of this figure with boxes of the size of this box."""
        others, cell = (ax for ax in self.ax.figure.axes if ax is not self.ax), self.cell
        locators = (ax.get_axes_locator() for ax in (self.ax, *others))
        sheets = [each for each in locators if isinstance(each, Sheet) and each.mark.axes is each.ax]
        return [each for each in sheets if (abs(each.cell - cell) <= 0.01 * cell).all()]

    def _room(self, row: list[Sheet]) -> Margins:
        """Return the margins of all panels in the row, limited by the size of their box."""
        wide, high = self.cell
        outside = [each for each in row if each.margins.side and not each._is_laid_out()]
        side = max((each.margins.side - each._gap() for each in outside), default=0.0)
        border, _, foot, head = np.max([each.margins for each in row], axis=0).tolist()
        border_share, share = STYLE.max_border_share, STYLE.max_legend_share
        most = [border_share * min(wide, high), share * wide, STYLE.max_foot_share * high, share * high]
        return Margins(*np.minimum([border, max(0.0, side), foot, head], most).tolist())

    def _is_laid_out(self) -> bool:
        """Return True if the figure leaves space for legends beside its axes."""
        return self.ax.get_subplotspec() is not None and self.ax.figure.get_layout_engine() is not None

    def _gap(self) -> float:
        """Return inches from the box to the drawing at its right or the right end of the figure."""
        own, gap = self._box(), 1.0
        for ax in self.ax.figure.axes:
            box = ax.get_position(original=True)
            if ax is not self.ax and box.x0 >= own.x1 - 1e-9 and box.y0 < own.y1 and own.y0 < box.y1:
                gap = min(gap, box.x0 if isinstance(ax.get_axes_locator(), Sheet) else own.x1)
        return max(0.0, gap - own.x1) * float(self._paper_size()[0])

    @property
    def points(self) -> float:
        """Points per unit of the positions."""
        (x0, _), (x1, _) = self.ax.transData.transform([(0.0, 0.0), (1.0, 0.0)])
        return abs(float(x1 - x0)) / self.ax.figure.dpi * 72

    @property
    def inches(self) -> np.ndarray:
        """Width and height of the drawing, (2,)."""
        return np.array(self.ax.get_window_extent().size) / self.ax.figure.dpi

    @property
    def image_dpi(self) -> float:
        """Dots per inch of an image within the picture, limited by memory."""
        return min(self.dpi, STYLE.max_image_pixels / float(self.inches.max()))

    def label_room(self, note: float) -> np.ndarray:
        """Return the box x0, y0, x1, y1 for labels, in points, above a note of `note` points."""
        scale = 72 / self.ax.figure.dpi
        cell = self._box().transformed(self.ax.figure.transSubfigure)
        window, border = self.ax.get_window_extent(), 72 * self.room.border
        right = window.x1 * scale + border if self.margins.side else cell.x1 * scale
        top = window.y1 * scale + self.line + 4.0 if self.seen[0] else cell.y1 * scale  # titles are 6 points higher
        low = window.y0 * scale - border if self.margins.foot else cell.y0 * scale
        return np.array([cell.x0 * scale + 1.0, low + note + 1.0, right - 1.0, top - 1.0])

    def write_note(self, note: str, size: float, high: float | None = None) -> Text:
        """Write a note `high` inches above the foot; None: on another one, or at the end."""
        if high is None:
            cell = self._box().transformed(self.ax.figure.transSubfigure)
            free = (cell.y0 - self.ax.get_window_extent().y0) / self.ax.figure.dpi + self.room.border
            high = self.room.foot + (0.0 if self.margins.foot else free)
        how = {"ha": "center", "va": "bottom", "fontsize": size, "color": self.paper.soft, "parse_math": False}
        return self.ax.text(0.0, high, note, transform=self.below + beside(self.ax, 0.5, 0.0), **how)


def beside(ax: Axes, x: float = 1.0, y: float = 0.5) -> Transform:
    """Return the transform from inches, with origin at shares of axes: their right middle."""
    to_axes: Any = ax.transAxes  # any transform will do, not only matplotlib's affine ones
    return ax.figure.dpi_scale_trans + ScaledTranslation(x, y, to_axes)


def open_sheet(
    Y: np.ndarray, reach: float, colors: Coloring, legend: bool | str, label: float, points: float, title: str | None,
    ax: Axes | None, figsize: tuple[float, float | None] | None, dpi: float, paper: Paper,
) -> Sheet:  # fmt: skip
    """Return a sheet for dots at `Y` (n, 2), on `ax` or on a new figure of `figsize` inches.

    The largest radius of a dot is `reach` in units of `Y`. The widest label has `label` inches, 0 without labels.
    Letters of labels have `points`; smaller ones than usual make title, legend and note smaller.
    """
    low, high = (Y.min(axis=0), Y.max(axis=0)) if len(Y) else (np.zeros(2), np.ones(2))
    small = min(points, small_letters())
    share = small / small_letters()
    large = share * letters("axes.titlesize")
    new = ax is None
    # Points between drawing and title: titles of a row are level.
    line = STYLE.line * points if label or (title and not new) else 0.0
    border = STYLE.label_margin if label else STYLE.margin
    head = (line + 1.2 * large + rcParams["axes.titlepad"]) / 72 if title and new else 0.0
    if ax is None:
        free: Any = "none"  # no layout engine, for any rcParams
        size = _Size(_extent(low - reach, high + reach), border, head, label, small, figsize)
        below = size.is_below(colors, share) if legend is True else legend == "below"
        figure = Figure(figsize=size.of(colors, below, share), dpi=dpi, facecolor=paper.color or free, layout=free)
        FigureCanvasAgg(figure)  # the figure does not belong to pyplot
        ax = figure.add_axes((0.0, 0.0, 1.0, 1.0), facecolor=free)
    else:
        dpi, below = max(dpi, ax.figure.dpi), legend == "below"
    sheet = Sheet(ax, low, high, reach, dpi, paper)
    if not (new or label):  # panels have no margin of their own, but space for a dot
        border = dot_diameter(len(Y)) * float(sheet.cell.max()) / 2
    wide, tall = sheet.cell.tolist()
    beside_it = wide / 2 if sheet._is_laid_out() else STYLE.max_legend_share * wide + sheet._gap()
    if not below and new:  # the note is as wide as the drawing
        wide -= explained(colors, beside_it, tall - head, False, share).side
    note = wrapped(colors.note, small, 72 * wide)
    foot = STYLE.line * small / 72 * (1 + note.count("\n")) if note else 0.0
    if below:
        found = explained(colors, wide, STYLE.max_foot_share * tall - foot, True, share)
    else:
        found = explained(colors, beside_it, tall - foot - head, False, share)
    if title:
        ax.set_title(title, color=paper.ink, fontsize=large, y=1.0, pad=rcParams["axes.titlepad"] + line)
        sheet.line = line
        if not new:
            ax.set_anchor("N")
    sheet.margins = Margins(border, found.side, found.foot + foot, head)
    sheet.settle()
    where = sheet.under + beside(ax, 0.5, 0.0) if found.foot else sheet.right + beside(ax)
    explain(ax, colors, found, where, paper)
    if note:
        sheet.write_note(note, small, 0.0)
    return sheet


class _Size(NamedTuple):
    """The measures that decide the size of a new figure, in inches."""

    extent: np.ndarray  # (2,) of the drawing, in units of the positions
    border: float
    head: float
    label: float  # the widest label
    small: float  # points of the letters of a note
    given: tuple[float, float | None] | None  # width and perhaps height, or nothing

    def is_below(self, colors: Coloring, share: float) -> bool:
        """Return True if a drawing beside its legend would be much smaller than above it."""
        if self.given is None or not (colors.classes or colors.bounds):
            return False
        beside, above = (self._scale(colors, below, share) for below in (False, True))
        return beside < STYLE.narrow * above

    def _scale(self, colors: Coloring, below: bool, share: float) -> float:
        """Return the inches of a unit of the positions."""
        wide, high = self.of(colors, below, share)
        most = STYLE.max_foot_share * high if below else high
        found = explained(colors, wide if below else STYLE.max_legend_share * wide, most, below, share)
        border = min(self.border, STYLE.max_border_share * min(wide, high))
        room = wide - 2 * border - found.side, high - border - found.foot - (self.head or border)
        return min(max(inches, 0.0) / float(side) for inches, side in zip(room, self.extent, strict=True))

    def of(self, colors: Coloring, below: bool, share: float) -> tuple[float, float]:
        """Return width and height of the figure; those not given follow the drawing."""
        if self.given is not None and self.given[1] is not None:
            return self.given[0], self.given[1]
        foot = STYLE.line * self.small / 72 if colors.note else 0.0
        if self.given is None:
            width, most, border = STYLE.sheet * self.extent[0] / self.extent.max(), STYLE.sheet, self.border
            found = explained(colors, width if below else STYLE.sheet / 2, most, below, share)
            inner = STYLE.sheet * self.extent / self.extent.max()
            size = inner + 2 * border + [found.side, found.foot + foot]
            wide = found.side + max(self.label, text_size(colors.note, self.small)[0] / 72)
            size = np.maximum(size, [wide + 2 * STYLE.margin, found.high + foot + 2 * STYLE.margin])
            return float(size[0]), float(size[1]) + (self.head - border if self.head else 0.0)
        wide = self.given[0]
        found = explained(colors, wide if below else STYLE.max_legend_share * wide, math.inf, below, share)
        foot *= 1 + wrapped(colors.note, self.small, 72 * (wide - found.side)).count("\n")
        border = min(self.border, STYLE.max_border_share * wide)
        for _ in range(3):  # the border follows the shorter side
            inner = (wide - 2 * border - found.side) * float(self.extent[1] / self.extent[0])
            high = inner + border + (self.head or border) + found.foot + foot
            high = max(high, found.high + 2 * border, (found.foot + foot) / STYLE.max_foot_share)
            border = min(self.border, STYLE.max_border_share * min(wide, high))
        return wide, high


def _view(ax: Axes) -> np.ndarray:
    """Return low and high (2, 2) of what axes show; NaN for an axis that shows nothing."""
    view = np.sort(np.stack([ax.get_xlim(), ax.get_ylim()]), axis=1).T.astype(float)
    for k, group in enumerate((ax.get_shared_x_axes(), ax.get_shared_y_axes())):
        free = (each for each in group.get_siblings(ax) if each is ax or not isinstance(each.get_axes_locator(), Sheet))
        if not any(each.has_data() for each in free):
            view[:, k] = np.nan
    return view


def _extent(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return width and height of a drawing, not too flat."""
    extent = np.maximum(high - low, FLATTEST * float((high - low).max()))
    return extent if extent.max() > 0 else np.ones(2)
