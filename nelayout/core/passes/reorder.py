"""Reorder: the last descent of a layered drawing may exchange nodes, and edges cross.

The ordering of `nelayout.core.passes.ordering` goes on from the drawing.  If it finds an order with fewer crossings,
nodes move as little as this order lets them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nelayout.core.passes.costs import READ, Cost, CostModel
from nelayout.core.passes.drawing import Drawing, Run
from nelayout.core.passes.ordering import in_order, placed
from nelayout.core.passes.passes import Pass
from nelayout.core.passes.tidiness import crossings

__all__ = ["Reorder"]

# Least gap of neighbors in a layer that gets another order, in typical gaps.
LEAST_GAP = 0.5
# Times that each entry is touched while the order is looked for.
REORDERED = 200


@dataclass(frozen=True, kw_only=True)
class Reorder(Pass):
    """Take the order of a layered drawing's nodes with fewer crossings, if there is one.

    Nodes then move as little as this order lets them.
    """

    def cost(self, model: CostModel) -> Cost:
        return Cost(READ * REORDERED * model.entries)

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        part, P, Y = drawing.part, drawing.part.seen_edges, drawing.Y.copy()
        assert part.fixed is not None
        assert part.start is not None
        free = int(np.argmin(part.layers))
        before = 0.0 if part.fixed[:, free].any() else crossings(P, Y, math.inf)
        if not before:
            return drawing
        layer, x = np.unique(part.start[:, 1 - free], return_inverse=True)[1], Y[:, free]
        order = in_order(P, layer, x)
        rows = [np.flatnonzero(layer == k) for k in range(int(layer.max()) + 1)]
        gaps = np.concatenate([np.diff(np.sort(x[nodes])) for nodes in rows])
        gap = LEAST_GAP * float(np.median(gaps)) if len(gaps) else 0.0
        for nodes in rows:
            if gap > 0 and not np.array_equal(np.argsort(order[nodes]), np.argsort(x[nodes])):
                Y[nodes, free] = gap * placed(x[nodes] / gap, order[nodes])
        return drawing.at(Y) if crossings(P, Y, math.inf) < before else drawing
