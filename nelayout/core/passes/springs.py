"""Springs that tie nodes to their initial positions: a changing graph keeps its layout.

The stability s in [0, 1) sets the strength of the springs.  A move of the whole layout keeps the part 1 - s of its way.

    k_i = s / (1 - s) c_i q,    c_i = 4 sum_j omega_ij,    q = (edges' work on a stretch) / (work of springs c_i on it),

c_i is the curvature of the node's own edges where a descent begins.  For this q, springs resist a
stretch of the whole drawing as hard as its edges do.  q is about the squared length of an edge over the squared
radius of the drawing.  So a single node moves to its neighbors nearly as if it had no spring, and the
layout as a whole is held.  Work over work is a pure number: s means the same for every objective and every unit.
"""

from __future__ import annotations

import numpy as np

from nelayout.core.formula.potentials import Springs, stiffness
from nelayout.core.objective import Objective
from nelayout.core.passes.drawing import Drawing
from nelayout.core.passes.placement import centered
from nelayout.core.sums.edges.matrix import attracting

__all__ = ["springs"]

# Bounds of c_i, in parts of the median: a node with hardly any force, and a node on top of its neighbor.
# see tuning: MIN_CURVATURE, MAX_CURVATURE
MIN_CURVATURE, MAX_CURVATURE = 0.1, 1e3


def springs(objective: Objective, drawing: Drawing, stability: float) -> Objective:
    """Return the objective of one graph with a spring from each node to its initial position."""
    part = drawing.part
    if part.start is None or part.free is not None:
        return objective
    known, Y = ~np.isnan(part.start[:, 0]), drawing.Y
    weights = attracting(objective.evaluate(Y, weights=True).weights)
    curvature = np.asarray(4.0 * objective.edges.row_sums(weights))
    usual = float(np.median(curvature)) or 1.0
    curvature = np.clip(np.nan_to_num(curvature, nan=usual), MIN_CURVATURE * usual, MAX_CURVATURE * usual)
    about = centered(Y)
    work = float(np.sum(curvature * np.einsum("ij,ij->i", about, about)))
    factor = 4.0 * objective.edges.stretch(weights, about) / work if work > 0 else 1.0
    places = np.where(known[:, None], (part.start - drawing.place) * drawing.size, 0.0)
    return objective.sharing(springs=Springs(places, np.where(known, stiffness(stability, factor * curvature), 0.0)))
