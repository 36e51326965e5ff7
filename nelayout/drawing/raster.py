"""Edges by the hundred thousand as an image: ink that lines leave, developed so that dense places keep their shades.

Transparent lines on one another soon are black, whatever the graph.  Here the ink t that lies on a pixel is first added
up, and then darkened as t' = ln(1 + k t) / k: a single line keeps its strength (slope 1 at t = 0) and the densest
places come out just short of black.

>>> t = np.array([0.01, 1.0, 100.0])
>>> developed(t, 100.0).round(2).tolist()
[0.01, 0.48, 2.0]
>>> developed(t / 100, 1.0).tolist() == (t / 100).tolist()
True
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["developed", "paint"]

# Ink of the densest places after development: exp(-2) of the paper still shines through.
_DENSEST = 2.0
# Share of the inked pixels that may come out darker than that.
_DARKER = 0.002


def paint(
    ax: Any, Y: np.ndarray, edges: tuple[np.ndarray, np.ndarray], pixel: float, ink: np.ndarray, rgb: Any
) -> None:
    """Put an image of the lines between the rows `edges` of `Y` on `ax`.

    `pixel` is the side of a pixel in units of Y; `ink` (m,) is opacity times width in pixels, `rgb` (3,) or (m, 3).
    """
    from matplotlib.image import AxesImage

    from nelayout.drawing.line_loops import add_lines

    low = Y.min(axis=0) - 2 * pixel
    width, height = np.ceil((Y.max(axis=0) - low) / pixel).astype(int) + 2
    P = (Y - low) / pixel
    tint = np.ascontiguousarray(np.broadcast_to(np.asarray(rgb, dtype=np.float64), (len(ink), 3)))
    many = np.ndim(rgb) > 1
    canvas = np.zeros((height, width, 4 if many else 1), dtype=np.float32)
    add_lines(canvas, np.concatenate([P[edges[0]], P[edges[1]]], axis=1), ink, tint)
    t = canvas[:, :, 0].astype(np.float64)
    inked = t[t > 1e-3]
    densest = float(np.quantile(inked, 1 - _DARKER)) if len(inked) else 0.0
    picture = np.zeros((height, width, 4), dtype=np.uint8)
    picture[:, :, 3] = np.round(255 * -np.expm1(-developed(t, densest)))
    mixed = canvas[:, :, 1:] / np.maximum(t, 1e-12)[:, :, None] if many else tint[0]
    picture[:, :, :3] = np.round(255 * np.clip(mixed, 0.0, 1.0))
    extent = (low[0], low[0] + width * pixel, low[1], low[1] + height * pixel)
    image = AxesImage(ax, extent=extent, origin="lower", zorder=1)
    image.set_data(picture)
    ax.add_image(image)


def developed(t: np.ndarray, densest: float) -> np.ndarray:
    """Ink as it is shown: `t` itself where little lies on the sheet, else ln(1 + k t) / k with 2 for `densest`."""
    if densest <= _DENSEST:
        return t
    low, high = -20.0, 5.0  # of ln k; the darkening falls with k
    for _ in range(60):
        middle = (low + high) / 2
        k = np.exp(middle)
        if np.log1p(k * densest) / k > _DENSEST:
            low = middle
        else:
            high = middle
    k = np.exp(low)
    return np.log1p(k * t) / k
