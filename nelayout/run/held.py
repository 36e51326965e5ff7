"""Held drawings: nodes with a start are tied to it by springs, and what comes out is laid back over it.

The stability s in [0, 1) says how strongly: a node whose neighbors stay goes the part 1 - s of the way that its edges
would take it.  So the spring is s / (1 - s) times as stiff as the curvature of the node's own edges, 4 sum_j omega_ij,
where the run begins; it means the same for every objective, in any units, and for graphs of any size.  What moves
together is held more firmly than what moves alone: a part of the map that drifts as a whole strains few edges, and all
of its springs.

J sees neither where a drawing lies nor how it is turned, and some objectives do not see its size: those are taken from
the start.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nelayout.anchors import Anchors, stiffness
from nelayout.objective import Objective
from nelayout.optimizers.step import attracting
from nelayout.run.state import Component, Drawing

__all__ = ["Kept", "hold"]

# Curvature of a node's edges, as a part of the mean, that its spring has at least: a node that hardly anything pulls
# would be pushed about by the others.
LEAST, MOST = 0.1, 1e3


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """A drawing that stays itself while its graph changes.

    stability  part of its way that a node with a start forgoes, in [0, 1)
    same       (n,) mask of the nodes whose component is as it was when the start was drawn: it is not drawn again
    """

    stability: float
    same: np.ndarray


def hold(objective: Objective, component: Component, drawing: Drawing, stability: float) -> Objective:
    """The objective with a spring from each node of the component to its start, in the units of the drawing."""
    if not stability or component.start is None:
        return objective
    known = ~np.isnan(component.start[:, 0])
    if not known.any():
        return objective
    places = np.where(known[:, None], (component.start - drawing.place) * drawing.size, 0.0)
    weights = objective.evaluate(drawing.Y, weights=True).weights
    pull = 4.0 * objective.edges.row_sums(attracting(weights))
    usual = float(np.median(pull)) or 1.0
    pull = np.where(np.isfinite(pull), np.clip(pull, LEAST * usual, MOST * usual), MOST * usual)
    return objective.anchored(Anchors(places, np.where(known, stiffness(stability, pull), 0.0)))
