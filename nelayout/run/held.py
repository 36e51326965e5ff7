"""Held drawings: nodes with a start are tied to it by springs.

The stability s in [0, 1) says how strongly: a move of the map as a whole goes the part 1 - s of its way.  Springs are

    k_i = s / (1 - s) c_i q,    c_i = 4 sum_j omega_ij,    q = (edges' work on a stretch) / (work of springs c_i on it),

the curvature c_i of the node's own edges where a stage begins, times the one number q at which springs would resist a
stretch of the whole drawing just as hard as its edges do.  q is about the square of an edge's length over the drawing's
radius, so that a single node finds its place among its neighbors nearly as if it had no spring, and what is held is the
map.  Work against work is a pure number: s means the same for every objective, in any units, for graphs of any size.
"""

from __future__ import annotations

import numpy as np

from nelayout.formula.potentials.anchors import Anchors, stiffness
from nelayout.objective import Objective
from nelayout.optimizers.step import attracting
from nelayout.run.state import Component, Drawing

__all__ = ["hold"]

# Bounds of c_i, in parts of the median: a node that hardly anything pulls would be pushed about by the others, and one
# that lies on its neighbor, where kernels are singular, would be tied down for good.
LEAST, MOST = 0.1, 1e3


def hold(objective: Objective, component: Component, drawing: Drawing, stability: float | None) -> Objective:
    """The objective with a spring from each node of the component to its start, in the units of the drawing."""
    if not stability or component.start is None or component.free is not None:
        return objective
    known, Y = ~np.isnan(component.start[:, 0]), drawing.Y
    weights = attracting(objective.evaluate(Y, weights=True).weights)
    curvature = np.asarray(4.0 * objective.edges.row_sums(weights))
    usual = float(np.median(curvature)) or 1.0
    curvature = np.clip(np.nan_to_num(curvature, nan=usual), LEAST * usual, MOST * usual)
    about = Y - np.sum(Y, axis=0) / len(Y)
    work = float(np.sum(curvature * np.einsum("ij,ij->i", about, about)))
    part = 4.0 * objective.edges.stretch(weights, about) / work if work > 0 else 1.0
    places = np.where(known[:, None], (component.start - drawing.place) * drawing.size, 0.0)
    return objective.anchored(Anchors(places, np.where(known, stiffness(stability, part * curvature), 0.0)))
