"""Other initial positions of small graphs, which `Keep` compares with the drawing that came through the levels.

The way through coarse graphs finds the shape of the whole and ends in one valley of the objective.  Two kinds of random
positions find others:

rough      random positions, drawn by symmetric SNE (row by row where the method is): a Gaussian lets go of no edge, so
           that it finds the shape of a graph from random positions; the lowest of several
flattened  random positions in a space with one dimension more, where nodes can pass each other: after some iterations
           of the objective the drawing is laid flat on its principal axes
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from nelayout.catalogue import METHODS
from nelayout.run.drawing import Drawing, Run, flattened
from nelayout.run.levels import lowest_copies
from nelayout.run.passes import Descent, Pass
from nelayout.run.placement import random_positions

__all__ = ["COMPARED", "ROUGH_NODES", "Flattened", "Rough"]

# Nodes of all random positions of a rough drawing together.
ROUGH_NODES = 1_300
# Iterations before drawings are compared: other initial positions, rough drawings, and orders alpha.
COMPARED = 40


@dataclass(frozen=True, kw_only=True)
class Rough(Pass):
    """Draw each graph roughly by SNE from several random positions, and keep the lowest.

    copies  random positions at most
    """

    copies: int

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        method = METHODS["sne" if run.method.connection.by_rows else "ssne"]
        affinity, segments = drawing.affinity, drawing.segments
        Y = lowest_copies(affinity, segments, method, self.copies, ROUGH_NODES, COMPARED, run)
        return replace(drawing, Y=Y, methods=(None,) * drawing.count)


@dataclass(frozen=True, kw_only=True)
class Flattened(Pass):
    """Take iterations in a space with one dimension more, and lay the drawing flat on its principal axes."""

    descend: Descent

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        Y = random_positions(len(drawing.Y), min(run.dim + 1, 3), run.rng)
        space = Drawing.on(drawing.affinity, drawing.segments, Y, drawing.parts)
        Y = flattened(self.descend(space, run).Y, drawing, run.dim)
        return replace(drawing, Y=Y, methods=(None,) * drawing.count)
