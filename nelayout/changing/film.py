"""`LayoutSequence`: drawings of a changing graph in one frame, and films of them."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nelayout import graphs
from nelayout.core.placing.final import dot_diameter
from nelayout.errors import InputError, missing_extra
from nelayout.graphs.files import PathOrBuffer, atomic, check_output, is_buffer

if TYPE_CHECKING:
    from nelayout.pictures.pages import Page

__all__ = ["LayoutSequence", "Union", "film_page", "union_of"]

# Ink of all edges as a share of an animated picture: few lines are dark, many faint.
INK_SHARE = 0.13


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LayoutSequence:
    """Drawings of a changing graph in one frame: unchanged parts keep their positions.

    Attributes
    ----------
    positions
        one drawing for each snapshot, in the type of its graph's layouts
    values
        (T,) J of each drawing, without the anchors, see `Solution.value`
    mean_moves
        (T,) mean distance that nodes have moved since the drawing before, over the radius of that drawing (root mean
        squared distance to the centroid). The drawing before the first is ``pos``; 0 if it is missing
    most_moves
        (T,) the largest such distance
    arrived, left
        (T,) numbers of nodes that came and went since the drawing before
    seconds
        (T,) that each drawing took
    stability
        as it was given
    method
        the name of the method
    notes
        sentences on deviations from the request or from the usual run
    snapshots
        the graphs, as films need them

    Notes
    -----
    ``len(sequence)``, ``sequence[k]`` and iteration apply to ``positions``.
    """

    positions: tuple[Any, ...]
    values: np.ndarray
    mean_moves: np.ndarray
    most_moves: np.ndarray
    arrived: np.ndarray
    left: np.ndarray
    seconds: np.ndarray
    stability: float
    method: str
    notes: tuple[str, ...]
    snapshots: tuple[graphs.Network, ...]

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, k: int) -> Any:
        return self.positions[k]

    def to_gif(self, path: PathOrBuffer, *, seconds: float = 0.8, fps: int = 15, size: int = 640) -> None:
        """Write the drawings as an animated picture; needs matplotlib. No partial file remains.

        Parameters
        ----------
        path : a file that ends in .gif, or a buffer of bytes
        seconds : from each drawing to the next; nodes rest for half of the time
        fps : frames a second, 1 to 50
        size : width and height in pixels

        Raises
        ------
        InputError
            for another ending, a folder that does not exist, and numbers out of range
        ImportError
            without matplotlib, with the command that installs it
        """
        if not is_buffer(path) and Path(str(path)).suffix.lower() != ".gif":
            raise InputError(f"an animated picture must be a .gif; got {str(path)!r}. .to_html(path) makes a page")
        for name, value, low, high in (("seconds", seconds, 0.1, 60), ("fps", fps, 1, 50), ("size", size, 64, 4000)):
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
                raise InputError(f"{name} must be a number from {low:g} to {high:g}; got {value!r}")
        check_output(path)
        if importlib.util.find_spec("matplotlib") is None:
            raise missing_extra("matplotlib", "draw", "animated pictures")
        frame = _painter(union_of(self.snapshots, self.positions), int(size))
        # A rest is one long frame; between two rests, for half of the time, the frames are evenly spaced.
        moving = max(1, round(seconds * fps / 2))
        times = [t + k / moving for t in range(len(self) - 1) for k in range(moving)] + [len(self) - 1.0]
        rest, step = round(500 * seconds), round(500 * seconds / moving)
        shown = [rest if time == int(time) else step for time in times]
        palette = frame(times[-1]).quantize(method=1)  # one for all frames, which would flicker otherwise
        frames = (frame(time).quantize(palette=palette, dither=0) for time in times)
        with atomic(path) as temporary:
            next(frames).save(
                temporary, "GIF", save_all=True, append_images=frames, duration=shown, loop=0, optimize=False
            )

    def to_html(self, path: PathOrBuffer, *, title: str = "A changing graph") -> None:
        """Write the drawings as one page with a slider and a play button; it needs no network.

        Raises `InputError` if the folder does not exist, and if the page exceeds 100 MB.
        """
        film_page(union_of(self.snapshots, self.positions), self.method, title).write(path)

    def __repr__(self) -> str:
        moves, n = self.mean_moves[1:], len(self)
        moved = f", nodes moved {moves.mean():.2%} of the radius a step, at most {moves.max():.2%}" if n > 1 else ""
        return f"LayoutSequence by {self.method} of {n} snapshot{'s' * (n != 1)}{moved}"


@dataclass(frozen=True, slots=True, eq=False)
class Union:
    """All n nodes and m edges of the T snapshots.

    labels  (n) in the order of their first snapshot
    Y       (T, n, 2) positions, NaN for absent nodes; y = 0 for drawings on a line, a projection along z for drawings
            in space
    ends    (m, 2) the nodes of each edge
    edges   (T, m) whether each edge is present
    """

    labels: list[Hashable]
    Y: np.ndarray
    ends: np.ndarray
    edges: np.ndarray


def union_of(snapshots: Sequence[graphs.Network], positions: Sequence[Any]) -> Union:
    """Return the nodes and edges of all snapshots, with positions and presence at each time."""
    number: dict[Hashable, int] = {}
    rows = [np.array([number.setdefault(label, len(number)) for label in each.labels], int) for each in snapshots]
    n, keys = len(number), []
    Y = np.full((len(snapshots), n, 2), np.nan)
    for t, (each, pos) in enumerate(zip(snapshots, positions, strict=True)):
        opened = graphs.places(pos)
        here = each.host.positions(opened.given, opened.dim)[:, :2]
        Y[t, rows[t], 1] = 0.0
        Y[t, rows[t], : here.shape[1]] = here
        A = each.adjacency
        i, j = rows[t][np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))], rows[t][A.indices]
        keys.append((i * n + j)[i < j])
    every = np.unique(np.concatenate(keys))
    edges = np.stack([np.isin(every, key) for key in keys])
    return Union(list(number), Y, np.stack([every // max(n, 1), every % max(n, 1)], axis=1), edges)


def film_page(union: Union, method: str, title: str) -> Page:
    """Return the page of a sequence; with several snapshots, color shows a node's first one."""
    from nelayout.pictures.pages import Column, Drawn, Frames, Page, fitted, shortened

    T, n = len(union.Y), len(union.labels)
    there = ~np.isnan(union.Y[..., 0])
    came = there.argmax(axis=0)
    last = T - 1 - there[::-1].argmax(axis=0)
    frames = Frames([f"snapshot {t + 1}" for t in range(T)], union.Y, union.edges)
    known = [Column("degree at the end", np.bincount(union.ends[union.edges[-1]].ravel(), minlength=n), amount=True)]
    if T > 1:
        known.insert(0, Column("came with snapshot", came + 1, amount=True))
    drawn = Drawn(method, fitted(frames.Y)[last, np.arange(n)])
    labels, ends = [shortened(label) for label in union.labels], (union.ends[:, 0], union.ends[:, 1])
    return Page(labels, ends, None, [drawn], known, known[0].name, title, frames=frames)


def _painter(union: Union, size: int) -> Callable[[float], Any]:
    """Return a function that paints the frame at a time as an image of `size` pixels."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure
    from PIL import Image

    there = ~np.isnan(union.Y[..., 0])
    T, n = there.shape
    rgb = mpl.colormaps["viridis"](there.argmax(axis=0) / max(T - 1, 1) * 0.9)[:, :3]
    # At 72 dots an inch, sizes in points are sizes in pixels.
    figure: Any = Figure(figsize=(size / 72, size / 72), dpi=72, facecolor="white")
    ax = figure.add_axes((0.04, 0.04, 0.92, 0.92))
    ax.set_axis_off()
    positions = union.Y[there] if there.any() else np.zeros((1, 2))
    low, high = positions.min(axis=0), positions.max(axis=0)
    half = float((high - low).max()) / 2 or 1.0
    for limit, middle in zip((ax.set_xlim, ax.set_ylim), (low + high) / 2, strict=True):
        limit(middle - half, middle + half)
    ends = union.Y[-1][union.ends[union.edges[-1]]]
    drawn = float(np.sqrt(np.sum((ends[:, 0] - ends[:, 1]) ** 2, axis=1)).sum()) / (2 * half)
    darkest = float(np.clip(INK_SHARE * size / max(drawn, 1e-9) / 0.8, 0.08, 0.7))
    dot = dot_diameter(n) * size / 2
    look = {"s": dot**2, "linewidths": 0.3 if dot > 4 else 0.0, "edgecolors": "white", "clip_on": False}
    lines = ax.add_collection(LineCollection([], linewidths=0.8, zorder=1, clip_on=False))
    dots = ax.scatter(np.zeros(n), np.zeros(n), zorder=2, **look)
    text = figure.text(0.02, 0.98, "", va="top", fontsize=max(9, size / 50), color="0.3")

    def frame(time: float) -> Any:
        before, after, part = int(np.floor(time)), int(np.ceil(time)), time - np.floor(time)
        part = part * part * (3 - 2 * part)
        A, B, here, then = union.Y[before], union.Y[after], there[before], there[after]
        # Nodes in both drawings move; others fade in and out.
        Y = np.where((here & then)[:, None], A + part * (B - A), np.where(here[:, None], A, B))
        share = (1 - part) * here + part * then
        dots.set_offsets(Y[share > 0])
        dots.set_facecolors(np.column_stack([rgb, share])[share > 0])
        opacity = (1 - part) * union.edges[before] + part * union.edges[after]
        shown = opacity > 0
        lines.set_segments(list(Y[union.ends[shown]]))
        lines.set_color([(0.3, 0.33, 0.39, darkest * each) for each in opacity[shown].tolist()])
        step = before if time - before < 0.5 else after
        text.set_text(f"{step + 1} of {T}: {there[step].sum():,} nodes, {union.edges[step].sum():,} edges")
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        return Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3].copy())

    return frame
