"""Frames for callbacks: all positions at every step, in one scale and orientation.

Stages have their own units, and no objective depends on rotations.  A frame has the scale of the result, and each
component is turned and mirrored onto its previous frame.

>>> before, now = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[0.0, 10.0], [20.0, 0.0]])
>>> (turned_onto(now, before, np.ones(2), Parts(np.array([2]))) + 0.0).round(12).tolist()
[[10.0, 0.0], [0.0, 20.0]]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from nelayout.numerics.groups import Parts
from nelayout.placing.orient import canonical, fit
from nelayout.placing.packing import pack
from nelayout.run.drawing import Drawing, Part
from nelayout.run.placement import frame

__all__ = ["Frames", "turned_onto"]


@dataclass
class Frames:
    """Frames of the whole graph while its components are drawn.

    Without a start, a component has its area on the sheet from the first frame on, first as a dot in its middle.  With
    a start, ``kept``, frames are turned and moved onto it, and components without positions stand to its right.
    ``fixed``: some nodes stay.  Frames then have the units of the start, else they fit ``scale`` about ``center``.
    """

    components: Sequence[Part]
    n: int
    dim: int
    kept: bool = False
    fixed: bool = False
    scale: float | None = None
    center: np.ndarray | None = None

    def __post_init__(self) -> None:
        # For each node: its position, its latest frame about the middle of its component, and a mask of such nodes.
        # Also the middle and the radius of its component's area; radius 0 without an area.
        self.whole, self.before, self.middle = np.zeros((3, self.n, self.dim))
        self.seen, self.radius, self.furnished = np.zeros(self.n, dtype=bool), np.zeros(self.n), False

    def show(self, drawing: Drawing) -> np.ndarray:
        """Return a new array with all positions, a drawing's graphs as they are in it."""
        if not self.furnished:
            self.furnished = True
            if self.kept:
                self._stand_beside()
            elif len(self.components) > 1:
                self._stand_apart()
        self._lay(drawing.split())
        # Areas that components have from the first frame on have the right scale for every drawing.
        as_it_is = self.fixed or (len(self.components) > 1 and not self.kept)
        shown = self.whole.copy() if as_it_is else fit(self.whole, self.scale)
        return shown if self.center is None or self.fixed else shown + self.center

    def settle(self, drawing: Drawing) -> None:
        """Keep a drawing's latest frames if a callback watches."""
        if self.furnished:
            self._lay(drawing.split())

    def _lay(self, drawings: Sequence[Drawing]) -> None:
        """Turn components as in their previous frames; the first frame keeps its orientation."""
        there = [self.kept and not self.radius[c.part.nodes[0]] for c in drawings]
        for component in compress(drawings, there):
            self.whole[component.part.nodes] = component.in_place
        components = [c for c, kept in zip(drawings, there, strict=True) if not kept]
        if not components:
            return
        parts = Parts(np.array([len(c.part.nodes) for c in components]))
        nodes = np.concatenate([c.part.nodes for c in components])
        Y = np.concatenate([c.Y for c in components])
        mass = np.concatenate([c.affinity.mass for c in components])
        first = nodes[parts.starts[:-1]]
        Y = Y - parts.mean(Y)[parts.of]
        now = turned_onto(Y, self.before[nodes], mass, parts)
        for k in np.flatnonzero(~self.seen[first]).tolist():
            here = slice(parts.starts[k], parts.starts[k + 1])
            now[here] = canonical(Y[here], mass[here])
        self.before[nodes], self.seen[nodes] = now, True
        reach = np.sqrt(parts.max(np.einsum("ij,ij->i", now, now)))
        radius = self.radius[first]
        factor = np.where(radius > 0, radius, 1.0) / np.where((radius > 0) & (reach > 0), reach, 1.0)
        self.whole[nodes] = self.middle[nodes] + factor[parts.of][:, None] * now

    def _stand_apart(self) -> None:
        """Give components their areas, and all nodes a position before their component is drawn."""
        discs = fit(np.concatenate(pack([_disc(len(c.nodes), self.dim) for c in self.components])), self.scale)
        ends = np.cumsum([len(c.nodes) for c in self.components])
        for component, disc in zip(self.components, np.split(discs, ends[:-1]), strict=True):
            middle, sides = np.sum(disc, axis=0) / len(disc), len(disc)
            within = float(np.cos(np.pi / sides)) if sides > 2 else 1.0  # of a polygon, the circle inside it
            self.whole[component.nodes] = self.middle[component.nodes] = middle
            self.radius[component.nodes] = within * float(np.linalg.norm(disc[0] - middle))

    def _stand_beside(self) -> None:
        """Give components without positions their areas, to the right of the others."""
        placed = [c for c in self.components if c.placed]
        for component in placed:
            assert component.start is not None
            middle, _ = frame(component.start)
            self.whole[component.nodes] = np.where(np.isnan(component.start), middle, component.start)
        there = np.concatenate([c.nodes for c in placed]) if placed else np.array([], dtype=int)
        middle, extent = frame(self.whole[there]) if len(there) else (np.zeros(self.dim), 1.0)
        right = middle + extent * np.eye(self.dim)[0]
        for component in self.components:
            if not component.placed:
                radius = extent * (len(component.nodes) / max(len(there), 1)) ** (1 / self.dim)
                right[0] += 1.5 * radius
                self.whole[component.nodes] = self.middle[component.nodes] = right
                self.radius[component.nodes] = radius
                right[0] += radius


def turned_onto(Y: np.ndarray, before: np.ndarray, mass: np.ndarray, parts: Parts) -> np.ndarray:
    """Y (n, d) of centered parts, each turned and mirrored so that its masses move the least."""
    d = Y.shape[1]
    size = np.maximum(parts.max(np.abs(Y).max(axis=1)), 1e-300)[parts.of][:, None]
    weights = (mass / parts.max(mass)[parts.of])[:, None]
    moments = np.einsum("ij,ik->ijk", weights * (Y / size), before).reshape(-1, d * d)
    U, _, V = np.linalg.svd(parts.sum(moments).reshape(-1, d, d))
    return np.einsum("ij,ijk->ik", Y, np.einsum("ijk,ikl->ijl", U, V)[parts.of])


def _disc(n: int, dim: int) -> np.ndarray:
    """Stand-in (n, dim) for a drawing of n nodes: a regular polygon."""
    angles = 2.0 * np.pi * np.arange(n) / n
    ring = np.stack([np.cos(angles), np.sin(angles), np.zeros(n)], axis=1)[:, :dim]
    return ring if n > 1 else np.zeros((1, dim))
