"""Majorization-minimization as a preconditioned step (Yang, Peltonen & Kaski 2015).

The update (2 L_{W+W^T} + rho I) Y_new = rho Y - Psi, with W the attraction of the edges, L its graph Laplacian and
Psi the gradient of the repulsion, is the same as

    Y_new = Y - (4 L_W + rho I)^-1 grad J            (symmetric W),

because grad J = 4 L_W Y + Psi.  rho I bounds the curvature of the repulsion.  A node is pushed in proportion to its
mass, so the bound here is rho diag(m), with m of mean 1: hubs are held back without holding back all others.

rho is found by backtracking.  It is doubled after an increase (from the fourth on, multiplied by 4), so J never rises,
whatever W >= 0 is, and halved after a decrease at the first trial; where it had to be raised it stays, because half of
it would most likely fail again.
W = max(omega, 0) therefore serves every method.

One system is solved per trial, loosely, by conjugate gradients; information crosses the whole graph in one step, which
is why this method unfolds large meshes that gradient descent leaves crumpled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nelayout.objective.whole import Evaluation, Objective
from nelayout.optimizers.step import attracting

__all__ = ["Majorize"]

# rho never falls below this fraction of the mean attraction of a node: below it, only rounding errors are solved for.
SMALLEST_RHO = 1e-7
MAX_TRIALS = 40


@dataclass(frozen=True, slots=True)
class MajorizeState:
    evaluation: Evaluation
    rho: float
    trials: int = 0
    stuck: bool = False


@dataclass(frozen=True, slots=True)
class Majorize:
    """MM with backtracking.  ``tolerance``, ``inner``: of the conjugate gradients of one trial."""

    tolerance: float = 0.05
    inner: int = 40
    name: str = "majorize"
    solves: bool = True

    def check(self, kernel, divergence) -> None:
        """Valid for every method; a true majorizer where the attraction is concave in the squared distance."""

    def init(self, objective: Objective, Y: np.ndarray) -> MajorizeState:
        evaluation = objective.evaluate(Y, weights=True)
        pull = objective.edges.row_sums(attracting(evaluation.weights))
        return MajorizeState(evaluation, 4.0 * (float(np.mean(pull)) or 1.0))

    def step(self, objective: Objective, Y: np.ndarray, state: MajorizeState) -> tuple[np.ndarray, MajorizeState]:
        now = state.evaluation
        weights = attracting(now.weights)
        mean = 4.0 * float(np.mean(objective.edges.row_sums(weights)))
        rho = max(state.rho, SMALLEST_RHO * mean)
        mass = objective.mass / float(np.mean(objective.mass))
        for trial in range(1, MAX_TRIALS + 1):
            move = objective.edges.solve(
                weights, 4.0, rho * mass + now.stiffness, -now.gradient, self.tolerance, self.inner, objective.free
            )
            candidate = Y + move
            then = objective.evaluate(candidate, weights=True)
            if math.isfinite(then.value) and then.value <= now.value:
                return candidate, MajorizeState(then, rho / 2 if trial == 1 else rho, state.trials + trial)
            rho *= 2.0 if trial < 4 else 4.0
        return Y, MajorizeState(now, state.rho, state.trials + MAX_TRIALS, stuck=True)
