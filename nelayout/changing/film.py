"""`LayoutSequence`: the drawings of a changing graph in one frame, and what it took to keep them together."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from nelayout.changing.union import Snapshot, union_of

__all__ = ["LayoutSequence"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LayoutSequence:
    """The drawings of a changing graph, all in one frame: what stays in place in the graph stays in place on paper.

    positions   one drawing for each snapshot, in the type that its graph's layouts have
    values      (T,) J of each drawing, without the anchors, see `Solution.value`
    mean_moves  (T,) mean distance that nodes have moved since the drawing before, in parts of that one's radius (root
                mean squared distance to the centroid); 0 for the first drawing
    most_moves  (T,) the largest such distance
    arrived, left  (T,) numbers of nodes that came and went since the drawing before
    seconds     (T,) that each drawing took
    stability   as it was given
    method      the name of the method
    notes       sentences on what was done otherwise than asked or usual
    snapshots   the graphs, as films need them

    ``len(sequence)``, ``sequence[k]`` and iteration are those of ``positions``.
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
    snapshots: tuple[Snapshot, ...]

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, k: int) -> Any:
        return self.positions[k]

    def to_gif(self, path: str | os.PathLike, *, seconds: float = 0.8, fps: int = 15, size: int = 640) -> None:
        """Write the drawings as an animated picture, whole or not at all; needs matplotlib.

        Parameters
        ----------
        path : a file that ends in .gif
        seconds : from each drawing to the next, of which half is a rest
        fps : frames a second, 1 to 50
        size : width and height in pixels

        Raises
        ------
        InputError
            for another ending, a folder that does not exist, and numbers out of range
        ImportError
            without matplotlib, with the command that installs it
        """
        from nelayout.changing.gif import write_gif

        write_gif(union_of(self.snapshots, self.positions), path, seconds, fps, size)

    def to_html(self, path: str | os.PathLike, *, title: str = "A changing graph") -> None:
        """Write the drawings as a page with a slider and a button to play them: one file that needs no network.

        Raises `InputError` for a folder that does not exist, and for a page of more than 100 MB.
        """
        from nelayout.changing.film_page import film_page

        film_page(union_of(self.snapshots, self.positions), self.method, title).write(path)

    def __repr__(self) -> str:
        moves, n = self.mean_moves[1:], len(self)
        moved = f", nodes moved {moves.mean():.2%} of the radius a step, at most {moves.max():.2%}" if n > 1 else ""
        return f"LayoutSequence by {self.method} of {n} snapshot{'s' * (n != 1)}{moved}"
