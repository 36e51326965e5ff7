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

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nelayout.objective import Evaluation, Objective
from nelayout.record.evaluation import OfEntries, chosen
from nelayout.sums.edges.matrix import attracting

__all__ = ["Majorize"]

# Least rho in parts of the mean attraction of a node: below it, only rounding errors are solved for.
SMALLEST_RHO = 1e-7
# Trials before a step is given up, and those after which rho is doubled, not quadrupled.
MAX_TRIALS, DOUBLED = 40, 3


class MajorizeState(NamedTuple):
    """See `nelayout.optimizers.step.State`; ``failed``: trials in a row without a step."""

    evaluation: Evaluation
    rho: Any
    weights: OfEntries
    pull: Any
    failed: Any
    taken: Any = True
    stuck: Any = False


@dataclass(frozen=True, slots=True)
class Majorize:
    """MM with backtracking.  ``tolerance``, ``inner``: of one trial's conjugate gradients."""

    tolerance: float = 0.05
    inner: int = 40
    name: str = "majorize"

    def check(self, kernel, divergence) -> None:
        """Accept every method; a majorizer if the attraction is concave in the squared distance."""

    def init(self, objective: Objective, Y: Any) -> MajorizeState:
        now, parts = objective.evaluate(Y, weights=True), objective.parts
        weights = attracting(now.weights)
        pull = parts.mean(objective.edges.row_sums(weights))
        rho = 4.0 * parts.where(pull > 0, pull, 1.0)
        return MajorizeState(now, rho, weights, pull, parts.full(0), parts.full(True), parts.full(False))

    def step(self, objective: Objective, Y: Any, state: MajorizeState) -> tuple[Any, MajorizeState]:
        now, parts, mass, failed = state.evaluation, objective.parts, objective.mass, state.failed
        least = SMALLEST_RHO * 4.0 * state.pull
        rho = parts.where(state.rho > least, state.rho, least)
        ridge = parts.spread(rho / parts.mean(mass)) * mass + now.stiffness
        system = state.weights, 4.0, ridge, -now.gradient, self.tolerance, self.inner, objective.free
        candidate = Y + objective.edges.solve(*system)
        then = objective.evaluate(candidate, weights=True)
        taken = np.isfinite(then.value) & (then.value <= now.value)
        larger = parts.where(failed < DOUBLED, 2.0, 4.0)
        rho = parts.where(taken, parts.where(failed == 0, rho / 2.0, rho), larger * rho)
        failed = parts.where(taken, 0, failed + 1)
        state = state._replace(rho=rho, failed=failed, taken=taken, stuck=failed >= MAX_TRIALS)
        if not parts.any(taken):
            return Y, state
        now = chosen(objective, taken, then, now)
        weights = attracting(now.weights)
        pull = parts.mean(objective.edges.row_sums(weights))
        Y = candidate if parts.all(taken) else np.where(parts.columns(taken), candidate, Y)
        return Y, state._replace(evaluation=now, weights=weights, pull=pull)
