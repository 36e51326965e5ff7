"""Other starts of small graphs, which `Keep` compares with the drawing from the levels.

The way through coarse graphs finds the shape of the whole and ends in one valley of the objective.  Two kinds of random
positions find others:

rough      random positions, drawn by symmetric SNE (row by row where the method is): a Gaussian releases no edge, so
           that it finds the shape of a graph from random positions; the lowest of several
flattened  random positions in a space with one dimension more, where nodes can pass each other: after some iterations
           of the objective the drawing is laid flat on its principal axes

All of them take their iterations together, as a stack of graphs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from nelayout.catalogue import METHODS
from nelayout.objective.stacks import stackable
from nelayout.run.drawing import Drawing, Run, flattened, joined
from nelayout.run.levels import lowest_copies
from nelayout.run.passes import MEASURES, Descent, Pass
from nelayout.run.placement import random_positions

__all__ = ["COMPARED", "ROUGH_NODES", "OtherStarts"]

# Nodes of all random positions of a rough drawing together.
ROUGH_NODES = 1_300
# Iterations before drawings are compared: other initial positions, rough drawings, and orders alpha.
COMPARED = 40


@dataclass(frozen=True, kw_only=True)
class OtherStarts(Pass):
    """Draw each graph from other initial positions, all at once, and keep the lowest drawing.

    copies   random positions of the rough drawing at most
    flat     drawings that are laid flat
    descend  the iterations of each drawing, in space as well
    """

    copies: int
    flat: int
    descend: Descent

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        method = METHODS["sne" if run.method.connection.by_rows else "ssne"]
        affinity, segments = drawing.affinity, drawing.segments
        rough = lowest_copies(affinity, segments, method, self.copies, ROUGH_NODES, COMPARED, run)
        n, axes = len(drawing.Y), min(run.dim + 1, 3)
        places = [random_positions(n, axes, run.rng) for _ in range(self.flat)]
        space = [Drawing.on(affinity, segments, Y, drawing.parts) for Y in places]
        flat = [flattened(each.Y, drawing, run.dim) for each in self._descended(space, run)]
        new = replace(drawing, methods=(None,) * drawing.count)
        found = self._descended([new.at(Y) for Y in (rough, *flat)], run)
        measure, every = MEASURES["J"](drawing, run), np.ones(drawing.count, dtype=bool)
        best, answer = np.argmax([measure(each, every) for each in found], axis=0), found[0]
        for k, each in enumerate(found):
            answer = answer.put(best == k, each.take(best == k))
        return answer

    def _descended(self, drawings: Sequence[Drawing], run: Run) -> list[Drawing]:
        """Return drawings of the same graphs after the iterations."""
        if not stackable(run.method, drawings[0].affinity):
            return [self.descend(each, run) for each in drawings]
        done = self.descend(joined(drawings), run)
        copy = np.arange(done.count) // drawings[0].count
        return [
            replace(done.take(copy == k), affinity=each.affinity, segments=each.segments)
            for k, each in enumerate(drawings)
        ]
