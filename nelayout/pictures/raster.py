"""Edges and points by the hundred thousand, painted as an image.

The ink t of a pixel adds up, and is then shown as ln(1 + k t) / k. A single line keeps its strength, and the densest
pixels do not become black. A pixel has the mean color of its ink, in any order of drawing.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from nelayout.pictures.style import STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["paint", "paint_dots"]


def paint(
    ax: Axes, Y: np.ndarray, edges: tuple[np.ndarray, np.ndarray], pixel: float, ink: np.ndarray, rgb: np.ndarray
) -> None:
    """Put an image of lines between the rows `edges` of `Y` on `ax`.

    `pixel` is the side of a pixel in units of `Y`, `ink` (m,) opacity times width in pixels. `rgb` is (3,) or (m, 3).
    """
    from nelayout.pictures.line_loops import add_lines

    low = Y.min(axis=0) - 2 * pixel
    width, height = np.ceil((Y.max(axis=0) - low) / pixel).astype(int) + 2
    P = (Y - low) / pixel
    tint = np.ascontiguousarray(np.broadcast_to(np.asarray(rgb, dtype=np.float64), (len(ink), 3)))
    many = np.ndim(rgb) > 1
    canvas = np.zeros((height, width, 4 if many else 1), dtype=np.float32)
    add_lines(canvas, np.concatenate([P[edges[0]], P[edges[1]]], axis=1), ink, tint)
    _show(ax, canvas, tint[0], low, pixel, zorder=1)


def paint_dots(ax: Axes, Y: np.ndarray, pixel: float, diameter: float, rgba: np.ndarray) -> None:
    """Put an image of dots at rows of `Y` on `ax`; `diameter` in pixels, `rgba` (1 or n, 4)."""
    reach = 2 + int(np.ceil(diameter / 2))
    low = Y.min(axis=0) - reach * pixel
    width, height = np.ceil((Y.max(axis=0) - low) / pixel).astype(int) + reach
    rgb = rgba[:, :3]
    canvas = dot_ink((Y - low) / pixel, diameter, (height, width), rgb if len(rgb) == len(Y) > 1 else None)
    _show(ax, canvas * np.float32(rgba[0, 3]), rgb[0], low, pixel, zorder=2)


def dot_ink(P: np.ndarray, diameter: float, shape: tuple[int, int], rgb: np.ndarray | None = None) -> np.ndarray:
    """Return the ink (height, width, 1) of dots at `P` (n, 2), in pixels.

    `rgb` (n, 3) adds three channels, ink times color. The rim of a dot is one pixel wide.
    """
    height, width = shape
    canvas = np.zeros((1 if rgb is None else 4, height * width), dtype=np.float32)
    corner = np.floor(P).astype(np.int64)
    reach = int(np.ceil(diameter / 2 + 0.5))
    for dy, dx in itertools.product(range(-reach, reach + 1), repeat=2):
        x, y = corner[:, 0] + dx, corner[:, 1] + dy
        away = np.hypot(x + 0.5 - P[:, 0], y + 0.5 - P[:, 1])
        ink = STYLE.dot_ink * np.clip(diameter / 2 + 0.5 - away, 0.0, 1.0)
        near = np.flatnonzero((ink > 0) & (x >= 0) & (x < width) & (y >= 0) & (y < height))
        place = y[near] * width + x[near]
        for channel, sums in enumerate(canvas):
            amount = ink[near] if channel == 0 or rgb is None else ink[near] * rgb[near, channel - 1]
            np.add.at(sums, place, amount.astype(np.float32))
    return np.moveaxis(canvas.reshape(-1, height, width), 0, 2)


def _show(ax: Axes, canvas: np.ndarray, rgb: np.ndarray, low: np.ndarray, pixel: float, zorder: int) -> None:
    """Put ink (height, width, 1), or ink and ink times color (height, width, 4), on `ax`."""
    from matplotlib.image import AxesImage

    height, width, channels = canvas.shape
    t = canvas[:, :, 0].astype(np.float64)
    inked = t[t > 1e-3]
    densest = float(np.quantile(inked, 1 - STYLE.darker_share)) if len(inked) else 0.0
    picture = np.zeros((height, width, 4), dtype=np.uint8)
    picture[:, :, 3] = np.round(255 * -np.expm1(-developed(t, densest)))
    mixed = canvas[:, :, 1:] / np.maximum(t, 1e-12)[:, :, None] if channels > 1 else rgb
    picture[:, :, :3] = np.round(255 * np.clip(mixed, 0.0, 1.0))
    extent = (low[0], low[0] + width * pixel, low[1], low[1] + height * pixel)
    image = AxesImage(ax, extent=extent, origin="lower", zorder=zorder)
    image.set_data(picture)
    ax.add_image(image)


def developed(t: np.ndarray, densest: float) -> np.ndarray:
    """Return shown ink: `t` if small, else ln(1 + k t) / k, with k so that `densest` gives 2."""
    if densest <= STYLE.max_shown_ink:
        return t
    from scipy.optimize import brentq

    def excess(log_k: float) -> float:
        k = np.exp(log_k)
        return np.log1p(k * densest) / k - STYLE.max_shown_ink

    k = np.exp(float(brentq(excess, -20.0, 5.0)))  # pyright: ignore[reportArgumentType]  # full_output is off
    return np.log1p(k * t) / k
