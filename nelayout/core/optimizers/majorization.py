"""Majorization-minimization as a preconditioned step (Yang, Peltonen & Kaski 2015).

W is the attraction of the edges, L its graph Laplacian and Psi the gradient of the repulsion.  The update
(2 L_{W+W^T} + rho I) Y_new = rho Y - Psi is the same as

    Y_new = Y - (4 L_W + rho I)^-1 grad J            (symmetric W),

because grad J = 4 L_W Y + Psi.  rho I bounds the curvature of the repulsion.  A node is pushed in proportion to its
mass, so the bound here is rho diag(m), with m of mean 1: hubs are held back without holding back all others.

rho is doubled after an increase (from the fourth on, multiplied by 4), so J never rises for any W >= 0.  It is halved
after a decrease at the first trial.  So W = max(omega, 0) serves every method.  Each trial solves one system, loosely.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nelayout.core.optimizers.step import Minimizable
from nelayout.core.record.evaluation import Evaluation
from nelayout.core.sums.edges.matrix import attracting

__all__ = ["Majorize"]

# Least rho in parts of the mean attraction of a node: below it, only rounding errors are solved for.
SMALLEST_RHO = 1e-7
# Trials before a step is given up, and those after which rho is doubled, not quadrupled.
MAX_TRIALS, DOUBLED = 40, 3


class MajorizeState(NamedTuple):
    """See `nelayout.core.optimizers.step.State`; ``failed``: trials in a row without a step."""

    evaluation: Evaluation
    rho: float
    weights: Any
    pull: float
    failed: int = 0
    taken: bool = True
    stuck: bool = False


@dataclass(frozen=True, slots=True)
class Majorize:
    """MM with backtracking.  ``tolerance``, ``inner``: of one trial's conjugate gradients."""

    tolerance: float = 0.05
    inner: int = 40
    name: str = "majorize"

    def check(self, kernel, divergence) -> None:
        """Accept every method; a majorizer if the attraction is concave in the squared distance."""

    def init(self, objective: Minimizable, Y: Any) -> MajorizeState:
        now = objective.evaluate(Y, weights=True)
        weights = attracting(now.weights)
        pull = _mean(objective.edges.row_sums(weights))
        return MajorizeState(now, 4.0 * pull if pull > 0 else 4.0, weights, pull)

    def step(self, objective: Minimizable, Y: Any, state: MajorizeState) -> tuple[Any, MajorizeState]:
        now, mass, failed = state.evaluation, objective.mass, state.failed
        rho = max(state.rho, SMALLEST_RHO * 4.0 * state.pull)
        ridge = rho / _mean(mass) * mass + now.stiffness
        system = state.weights, 4.0, ridge, -now.gradient, self.tolerance, self.inner, objective.free
        candidate = Y + objective.edges.solve(*system)
        then = objective.evaluate(candidate, weights=True)
        if not (math.isfinite(then.value) and then.value <= now.value):
            rho, failed = (2.0 if failed < DOUBLED else 4.0) * rho, failed + 1
            return Y, state._replace(rho=rho, failed=failed, taken=False, stuck=failed >= MAX_TRIALS)
        weights = attracting(then.weights)
        pull = _mean(objective.edges.row_sums(weights))
        return candidate, MajorizeState(then, rho if failed else rho / 2.0, weights, pull)


def _mean(values: Any) -> float:
    return float(np.add.reduce(values, axis=0)) / max(len(values), 1)
