"""Films as animated pictures: nodes go from place to place, those that come fade in and those that leave fade out."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any

import numpy as np

from nelayout.changing.union import Union
from nelayout.errors import InputError, missing_extra
from nelayout.graphs.files import atomic, check_output
from nelayout.placing.dots import dot_diameter

__all__ = ["write_gif"]

# Pixels of an inch: sizes in points are then sizes in pixels.
DPI = 72
# Part of the picture's width that is left free on each side.
MARGIN = 0.04
# Colors of the picture: one palette for all frames, without which they would flicker.
COLORS = 128
# Part of the time from one drawing to the next in which nodes move.
MOVING = 0.5
# Gray of the edges, and the ink of all of them, as a part of the picture: few lines are dark, many faint.
GRAY, INK = (0.3, 0.33, 0.39), 0.13


def write_gif(union: Union, path: str | os.PathLike, seconds: float, fps: int, size: int) -> None:
    """See `LayoutSequence.to_gif`."""
    if Path(path).suffix.lower() != ".gif":
        raise InputError(f"an animated picture is a .gif, given {str(path)!r}; .to_html(path) makes a page")
    for name, value, low, high in (("seconds", seconds, 0.1, 60), ("fps", fps, 1, 50), ("size", size, 64, 4000)):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
            raise InputError(f"{name} must be a number from {low:g} to {high:g}, given {value!r}")
    check_output(path)
    if importlib.util.find_spec("matplotlib") is None:
        raise missing_extra("matplotlib", "draw", "animated pictures")
    scene = _Scene(union, int(size))
    # A rest is one frame that stays; between two of them the frames are evenly spaced.
    moving = max(1, round(MOVING * seconds * fps))
    times = [t + k / moving for t in range(len(union.Y) - 1) for k in range(moving)] + [len(union.Y) - 1.0]
    rest, step = round(1000 * (1 - MOVING) * seconds), round(1000 * MOVING * seconds / moving)
    lengths = [rest if time == int(time) else step for time in times]
    palette = scene.picture(times[-1]).quantize(COLORS, method=1)
    frames = (scene.picture(time).quantize(palette=palette, dither=0) for time in times)
    with atomic(path) as temporary:
        next(frames).save(temporary, save_all=True, append_images=frames, duration=lengths, loop=0, optimize=False)


class _Scene:
    """One figure whose dots and lines are moved from frame to frame."""

    def __init__(self, union: Union, size: int) -> None:
        import matplotlib as mpl
        from matplotlib.collections import LineCollection
        from matplotlib.figure import Figure

        self.union, T, n = union, len(union.Y), union.Y.shape[1]
        there = ~np.isnan(union.Y[..., 0])
        colors = mpl.colormaps["viridis"](there.argmax(axis=0) / max(T - 1, 1) * 0.9)
        self.rgb = colors[:, :3]
        self.figure: Any = Figure(figsize=(size / DPI, size / DPI), dpi=DPI, facecolor="white")
        ax = self.figure.add_axes((0, 0, 1, 1))
        ax.set_axis_off()
        ax.set_aspect("equal")
        places = union.Y[there] if there.any() else np.zeros((1, 2))
        low, high = places.min(axis=0), places.max(axis=0)
        half = float((high - low).max()) / 2 / (1 - 2 * MARGIN) or 1.0
        middle = (low + high) / 2
        ax.set_xlim(middle[0] - half, middle[0] + half)
        ax.set_ylim(middle[1] - half, middle[1] + half)
        dot = dot_diameter(n) * size / 2
        self.alpha = self._ink(half)
        self.lines = LineCollection([], linewidths=0.8, zorder=1)
        self.dots = ax.scatter(
            np.zeros(n), np.zeros(n), s=dot**2, linewidths=0.3 if dot > 4 else 0.0, edgecolors="white", zorder=2
        )
        ax.add_collection(self.lines)
        self.text = ax.text(0.02, 0.98, "", transform=ax.transAxes, va="top", fontsize=max(9, size / 50), color="0.3")

    def _ink(self, half: float) -> float:
        """Opacity of an edge, by the length of all edges of the last drawing in parts of the picture."""
        ends = self.union.ends[self.union.edges[-1]]
        Y = self.union.Y[-1]
        length = float(np.sqrt(np.sum((Y[ends[:, 0]] - Y[ends[:, 1]]) ** 2, axis=1)).sum()) / (2 * half)
        pixels = self.figure.get_size_inches()[0] * DPI
        return float(np.clip(INK * pixels / max(length, 1e-9) / 0.8, 0.08, 0.7))

    def picture(self, time: float) -> Any:
        """The frame at a time, as an image of Pillow, which comes with matplotlib."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from PIL import Image

        self._show(time)
        canvas = FigureCanvasAgg(self.figure)
        canvas.draw()
        return Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3].copy())

    def _show(self, time: float) -> None:
        """Put everything where it is at a time, which may lie between two drawings."""
        union = self.union
        before, after = int(np.floor(time)), int(np.ceil(time))
        part = time - before
        part = part * part * (3 - 2 * part)
        A, B = union.Y[before], union.Y[after]
        here, then = ~np.isnan(A[:, 0]), ~np.isnan(B[:, 0])
        Y = np.where(here[:, None], A, B)
        both = here & then
        Y[both] = A[both] + part * (B[both] - A[both])
        share = (1 - part) * here + part * then
        self.dots.set_offsets(Y[share > 0])
        self.dots.set_facecolors(np.column_stack([self.rgb, share])[share > 0])
        old, new = union.edges[before], union.edges[after]
        opacity = (1 - part) * old + part * new
        shown = opacity > 0
        ends = union.ends[shown]
        self.lines.set_segments(list(np.stack([Y[ends[:, 0]], Y[ends[:, 1]]], axis=1)))
        self.lines.set_color([(*GRAY, self.alpha * each) for each in opacity[shown].tolist()])
        step = before if time - before < 0.5 else after
        count = int(np.count_nonzero(~np.isnan(union.Y[step, :, 0])))
        self.text.set_text(f"{step + 1} of {len(union.Y)}: {count:,} nodes, {int(union.edges[step].sum()):,} edges")
