"""Pictures as tests read them: their dots and lines, and the pixels of their files."""

import io
from typing import Any

import networkx as nx
import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import EllipseCollection
from matplotlib.figure import Figure
from matplotlib.image import imread

SQUARE = nx.cycle_graph(4)
CORNERS = {0: (0.0, 0.0), 1: (2.0, 0.0), 2: (2.0, 1.0), 3: (0.0, 1.0)}


def layer(drawn: Any, kind: type) -> Any:
    """The one collection of this type, on a figure's first axes or on axes."""
    ax = drawn.axes[0] if isinstance(drawn, Figure) else drawn
    (found,) = [c for c in ax.collections if type(c) is kind]
    return found


def dots_of(drawn: Any) -> Any:
    return layer(drawn, EllipseCollection)


def lengths(lines: Any) -> np.ndarray:
    return np.array([float(np.hypot(*(segment[-1] - segment[0]))) for segment in lines.get_segments()])


def panels(layout: str | None, rows: int = 1, columns: int = 3, size: Any = (7.0, 2.6), **given: Any) -> tuple:
    """A figure and its axes."""
    figure = Figure(figsize=size, layout=layout, **given)
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns)


def pixels(figure: Any, **given: Any) -> np.ndarray:
    """(rows, columns, 4) of the PNG of a figure."""
    content = io.BytesIO()
    figure.savefig(content, format="png", **given)
    return imread(io.BytesIO(content.getvalue()))


def inside(figure: Any, box: Any) -> bool:
    """Whether a box lies on the paper of a figure."""
    return figure.bbox.x0 <= box.x0 <= box.x1 <= figure.bbox.x1 and figure.bbox.y0 <= box.y0 <= box.y1 <= figure.bbox.y1
