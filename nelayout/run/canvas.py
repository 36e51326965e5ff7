"""Frames, as callbacks see them: all positions at every step, in one scale and turned alike, whatever the units.

Stages have units of their own, and no objective sees rotations.  A frame is brought to the scale of the result, and
each component is turned and mirrored onto its own frame before.  The result is turned as `placing.orient` says, which
may be another way: what its principal axes are is known at the end only.


>>> before, now = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[0.0, 10.0], [20.0, 0.0]])
>>> (turned_onto(now, before, np.ones(2)) + 0.0).round(12).tolist()
[[10.0, 0.0], [0.0, 20.0]]
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nelayout.placing.orient import canonical, fit
from nelayout.placing.packing import pack
from nelayout.run.start import frame
from nelayout.run.state import Component

__all__ = ["Frames", "turned_onto"]


class Frames:
    """Frames of the whole graph while its components are drawn one after another; nothing is done before the first.

    Without a start, a component has a room of its own on the sheet from the first frame on, whose area is in proportion
    to its nodes; one that is still to be drawn is a dot in the middle of it.  With a start, frames are turned and
    placed as the start is; components without a place stand to the right of it.

    dim     dimensions
    kept    whether the caller has given a start
    fixed   whether some nodes stay: frames then have the units of the start, else they fit ``scale`` about ``center``
    """

    def __init__(
        self,
        components: Sequence[Component],
        n: int,
        dim: int,
        kept: bool = False,
        fixed: bool = False,
        scale: float | None = None,
        center: np.ndarray | None = None,
    ) -> None:
        self.components, self.shape, self.kept, self.fixed = components, (n, dim), kept, fixed
        self.scale, self.center = scale, center
        self.whole: np.ndarray | None = None
        # first node of a component -> its latest frame, and (middle, radius) of its room
        self.before: dict[int, np.ndarray] = {}
        self.rooms: dict[int, tuple[np.ndarray, float]] = {}

    def show(self, component: Component) -> np.ndarray:
        """A new array with all positions, those of the component as it is now."""
        if self.whole is None:
            self.whole = np.zeros(self.shape)
            self._furnish()
        self._lay(component)
        # Where components have rooms from the first frame on, these have the right scale, whatever is drawn in them.
        as_it_is = self.fixed or (self.rooms and not self.kept)
        shown = self.whole.copy() if as_it_is else fit(self.whole, self.scale)
        return shown if self.center is None or self.fixed else shown + self.center

    def settle(self, component: Component) -> None:
        """Leave the component as it is, where somebody looks at all."""
        if self.whole is not None:
            self._lay(component)

    def _lay(self, component: Component) -> None:
        assert self.whole is not None
        key = int(component.nodes[0])
        if self.kept and key not in self.rooms:
            self.whole[component.nodes] = component.drawing.in_place
            return
        Y, mass = component.drawing.Y, component.affinity.mass
        Y = Y - np.sum(Y, axis=0) / len(Y)
        before = self.before.get(key)
        Y = canonical(Y, mass) if before is None else turned_onto(Y, before, mass)
        self.before[key] = Y
        if key in self.rooms:
            middle, radius = self.rooms[key]
            reach = float(np.sqrt(np.max(np.einsum("ij,ij->i", Y, Y))))
            Y = middle + (radius / reach if reach > 0 else 1.0) * Y
        self.whole[component.nodes] = Y

    def _furnish(self) -> None:
        """Give components their rooms, and all nodes a place before their component is drawn."""
        assert self.whole is not None
        if self.kept:
            self._stand_beside()
        elif len(self.components) > 1:
            discs = fit(np.concatenate(pack([_disc(len(c.nodes), self.shape[1]) for c in self.components])), self.scale)
            ends = np.cumsum([len(c.nodes) for c in self.components])
            for component, disc in zip(self.components, np.split(discs, ends[:-1]), strict=True):
                middle, sides = np.sum(disc, axis=0) / len(disc), len(disc)
                within = float(np.cos(np.pi / sides)) if sides > 2 else 1.0  # of a polygon, the circle inside it
                self.whole[component.nodes] = middle
                self.rooms[int(component.nodes[0])] = middle, within * float(np.linalg.norm(disc[0] - middle))

    def _stand_beside(self) -> None:
        assert self.whole is not None
        placed = [c for c in self.components if c.placed]
        for component in placed:
            assert component.start is not None
            middle, _ = frame(component.start)
            self.whole[component.nodes] = np.where(np.isnan(component.start), middle, component.start)
        there = np.concatenate([c.nodes for c in placed]) if placed else np.array([], dtype=int)
        middle, extent = frame(self.whole[there]) if len(there) else (np.zeros(self.shape[1]), 1.0)
        right = middle + extent * np.eye(self.shape[1])[0]
        for component in self.components:
            if not component.placed:
                radius = extent * (len(component.nodes) / max(len(there), 1)) ** (1 / self.shape[1])
                right[0] += 1.5 * radius
                self.whole[component.nodes] = right
                self.rooms[int(component.nodes[0])] = right.copy(), radius
                right[0] += radius


def turned_onto(Y: np.ndarray, before: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Y (n, d), centered, turned and mirrored so that the masses lie nearest to where they were before."""
    size = max(float(np.abs(Y).max()), 1e-300)
    U, _, V = np.linalg.svd(np.einsum("i,ij,ik->jk", mass / np.max(mass), Y / size, before))
    return np.einsum("ij,jk->ik", Y, U @ V)


def _disc(n: int, dim: int) -> np.ndarray:
    """Stand-in (n, dim) for a drawing of n nodes, of which only the outline counts: a regular polygon."""
    angles = 2.0 * np.pi * np.arange(n) / n
    ring = np.stack([np.cos(angles), np.sin(angles), np.zeros(n)], axis=1)[:, :dim]
    return ring if n > 1 else np.zeros((1, dim))
