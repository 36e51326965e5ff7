"""Frames for callbacks: all positions at every step, in one scale and orientation.

Stages have their own units, and no objective depends on rotations.  A frame has the scale of the result.  Each
component is turned and mirrored onto its previous frame, and from there a little towards the orientation of the result,
so that the last frame lies as the result does.

>>> before, now = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[0.0, 10.0], [20.0, 0.0]])
>>> (now @ turn_onto(now, before, np.ones(2)) + 0.0).round(12).tolist()
[[10.0, 0.0], [0.0, 20.0]]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from weakref import ref

import numpy as np

from nelayout.core.passes.drawing import Drawing, Part
from nelayout.core.passes.placement import frame
from nelayout.core.placing.orient import canonical, fit
from nelayout.core.placing.packing import pack
from nelayout.core.record.solution import Frame

__all__ = ["Animation", "turn_onto"]

# Part of the way to the orientation of the result that a frame turns.
SHARE = 0.2
# Largest difference of two ways that count as one, and the number of frames that agree on a way before it is taken:
# drawings on their way change their orientation often, and symmetric ones have several.
ALIKE, AGREED = 0.3, 12


@dataclass
class Animation:
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
        self.latest: Callable[[], Frame | None] = lambda: None
        self.seen, self.radius, self.furnished = np.zeros(self.n, dtype=bool), np.zeros(self.n), False
        # Of each component, by its first node: the way that is left to the orientation of the result,
        # and the number of frames that agree on it.
        self.left: dict[int, tuple[np.ndarray, int]] = {}

    def show(self, drawing: Drawing) -> Frame:
        """Return a frame with all positions, a drawing's graph as it is in it."""
        self.settle(drawing)
        frame = Frame(self._fitted)
        self.latest = ref(frame)
        return frame

    def _fitted(self) -> np.ndarray:
        """Return a new array with all positions in the scale of the result."""
        # Areas that components have from the first frame on have the right scale for every drawing.
        as_it_is = self.fixed or (len(self.components) > 1 and not self.kept)
        shown = self.whole.copy() if as_it_is else fit(self.whole, self.scale)
        return shown if self.center is None or self.fixed else shown + self.center

    def settle(self, drawing: Drawing) -> None:
        """Lay a drawing's graph nearly as in its previous frame."""
        frame = self.latest()
        if frame is not None:  # somebody has it, and it shows the positions before these
            _ = frame.positions
        if not self.furnished:
            self.furnished = True
            if self.kept:
                self._stand_beside()
            elif len(self.components) > 1:
                self._stand_apart()
        self._lay(drawing)

    def _lay(self, drawing: Drawing) -> None:
        """Turn a component nearly as in its previous frame; the first lies as a result would."""
        nodes, mass = drawing.part.nodes, drawing.affinity.mass
        first = nodes[0]
        if self.kept and not self.radius[first]:
            self.whole[nodes] = drawing.in_place
            return
        Y = drawing.Y - np.sum(drawing.Y, axis=0) / len(nodes)
        upright = drawing.part.lines is not None or any(term.upright for term in drawing.part.affinity.terms)
        goal = Y if upright else canonical(Y, mass)
        now = self._towards(goal, Y, mass, nodes) if self.seen[first] else goal
        self.before[nodes], self.seen[nodes] = now, True
        reach, radius = float(np.sqrt(np.max(np.einsum("ij,ij->i", now, now)))), self.radius[first]
        factor = radius / reach if radius > 0 and reach > 0 else radius or 1.0
        self.whole[nodes] = self.middle[nodes] + factor * now

    def _towards(self, goal: np.ndarray, Y: np.ndarray, mass: np.ndarray, nodes: np.ndarray) -> np.ndarray:
        """Turn Y (n, d) onto its previous frame, and on to its goal if frames agree on it."""
        now = np.einsum("ij,jk->ik", Y, turn_onto(Y, self.before[nodes], mass))
        way, first = turn_onto(now, goal, mass), int(nodes[0])
        before, agreed = self.left.get(first, (way, 0))
        agreed = agreed + 1 if np.abs(way - before).max() < ALIKE else 0
        step = np.eye(self.dim)
        if agreed >= AGREED:
            step = way if np.linalg.det(way) < 0 else _part_of(way)
        self.left[first] = np.einsum("ji,jk->ik", step, way), agreed
        return np.einsum("ij,jk->ik", now, step)

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


def turn_onto(Y: np.ndarray, before: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Return the turn (d, d), or mirror, of centered Y (n, d) that moves masses the least."""
    size = max(float(np.max(np.abs(Y))), 1e-300)
    U, _, V = np.linalg.svd(np.einsum("i,ij,ik->jk", mass / np.max(mass), Y / size, before))
    return np.einsum("jk,kl->jl", U, V)


def _part_of(turn: np.ndarray) -> np.ndarray:
    """Return a rotation (d, d) by a share of the angle of another."""
    from scipy.spatial.transform import Rotation

    d = len(turn)
    whole = np.eye(3)
    whole[:d, :d] = turn
    return Rotation.from_rotvec(SHARE * Rotation.from_matrix(whole).as_rotvec()).as_matrix()[:d, :d]


def _disc(n: int, dim: int) -> np.ndarray:
    """Stand-in (n, dim) for a drawing of n nodes: a regular polygon."""
    angles = 2.0 * np.pi * np.arange(n) / n
    ring = np.stack([np.cos(angles), np.sin(angles), np.zeros(n)], axis=1)[:, :dim]
    return ring if n > 1 else np.zeros((1, dim))
