"""Drawings in space: projected on flat axes, or on matplotlib's rotatable 3-D axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from nelayout.pictures.colors import Coloring
from nelayout.pictures.edges import Lines, curves, detours, strokes
from nelayout.pictures.legend import MARKERS, explain, explained
from nelayout.pictures.paper import Paper, paper
from nelayout.pictures.sizes import dot_points

__all__ = ["VIEW", "draw_in_space", "seen_from_aside"]

# The drawing is turned by 24 degrees about its second axis, then tilted by 28 degrees towards the viewer.
_C, _S = np.cos(np.deg2rad([28.0, 24.0])), np.sin(np.deg2rad([28.0, 24.0]))
# Rows: right, up and towards the viewer.
VIEW = np.array([[1, 0, 0], [0, _C[0], -_S[0]], [0, _S[0], _C[0]]]) @ [[_C[1], 0, _S[1]], [0, 1, 0], [-_S[1], 0, _C[1]]]


def seen_from_aside(Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the parallel projection (n, 2) of positions (n, 3); depths (n,), 0 front, 1 back."""
    x, y, z = (Y[:, 0] * a + Y[:, 1] * b + Y[:, 2] * c for a, b, c in VIEW)
    behind = float(z.max() - z.min()) if len(z) else 0.0
    depth = (z.max() - z) / behind if behind > 0 else np.zeros(len(z))
    return np.stack([x, y], axis=1), depth


def draw_in_space(
    ax: Any, Y: np.ndarray, lines: Lines, look: Coloring, shown: Coloring, legend: bool | str, size: np.ndarray | None,
    texts: list[str], style: str, ink: float, back: Paper, font_size: float,
) -> None:  # fmt: skip
    """Draw nodes of diameters `size` (n,) at `Y` (n, 3), edges, labels and a legend."""
    from mpl_toolkits.mplot3d.art3d import Line3DCollection

    from nelayout.pictures.sheet import beside

    # The legend is beside or below the axes, on the paper of the figure. So the axes become smaller, at most by half.
    box, window, below = ax.get_position(), ax.get_window_extent(), legend == "below"
    wide, high = window.width / ax.figure.dpi, window.height / ax.figure.dpi
    found = explained(shown, wide if below else wide / 2, high / 2 if below else high, below)
    side, foot = min(0.5, found.side / wide), min(0.5, found.foot / high)
    ax.set_position((box.x0, box.y0 + foot * box.height, (1.0 - side) * box.width, (1.0 - foot) * box.height))
    explain(ax, shown, found, beside(ax, 0.5, 0.0) if below else beside(ax), paper("auto", ax))

    n = len(Y)
    low, high = (Y.min(axis=0), Y.max(axis=0)) if n else (np.zeros(3), np.ones(3))
    if ax.has_data():
        view = np.sort([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()], axis=1).T
        low, high = np.minimum(low, view[0]), np.maximum(high, view[1])
    half = max(float((high - low).max()) / 2, 1e-12)
    for name, middle in zip("xyz", ((low + high) / 2).tolist(), strict=True):
        getattr(ax, f"set_{name}lim")(middle - half, middle + half)
    ax.set_box_aspect((1.0, 1.0, 1.0), zoom=1.3)
    ax.set_axis_off()
    if back.color is not None:
        ax.set_facecolor(back.color)
    window = ax.get_window_extent()
    inches = np.full(2, min(window.width, window.height) / ax.figure.dpi) * 0.75  # a cube seen from aside
    unit = 72 * float(inches[0]) / (2 * half)
    if len(lines.rows):
        ways = list(np.stack([lines.rows, lines.cols], axis=1))
        tracks = curves(Y, detours(Y, lines.rows, lines.cols) if style == "bundled" else ways)
        length = np.maximum(np.linalg.norm(Y[lines.rows] - Y[lines.cols], axis=1) * unit, 1e-6)
        width, colors = strokes(lines, length, n, inches, look.rgba if look.grouped else None, style, ink)
        ax.add_collection3d(Line3DCollection(tracks, colors=colors, linewidths=width), autolim=False)
    dot = dot_points(inches, n, len(look.rgba) == 1 and len(lines.rows) > 0)
    points = np.full(n, dot) if size is None else size * unit
    colors = np.broadcast_to(look.rgba, (n, 4))
    shapes = np.zeros(n, dtype=int) if look.shapes is None else look.shapes
    for shape in np.unique(shapes).tolist():
        of = shapes == shape
        how = {"marker": MARKERS[shape], "linewidths": 0.3, "edgecolors": back.rgb, "depthshade": True}
        ax.scatter(*Y[of].T, s=points[of] ** 2, c=colors[of], **how)
    how = {"fontsize": font_size, "color": back.ink, "va": "center", "parse_math": False, "zorder": 99}  # over the dots
    for i, text in enumerate(texts):
        if text:  # a space of half a letter separates it from its dot
            ax.text(*Y[i], f"\u2002{text}", **how)
