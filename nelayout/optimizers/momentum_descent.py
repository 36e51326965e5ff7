"""Gradient descent with momentum and gains, scaled node by node.

Node i moves by gradient / (4 w_i), the inverse curvature of its attraction.  w_i is the largest sum_j omega_ij so far
(never below the mean).  Gains (Jacobs 1988) grow along directions of steady sign.  A step may raise J.  If it leads
well above the lowest J so far it is refused, and the following steps are shorter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nelayout.objective import Evaluation, Objective
from nelayout.optimizers.line_search import MAX_TRIALS
from nelayout.optimizers.step import attraction_of
from nelayout.record.evaluation import OfRows, chosen

__all__ = ["Momentum"]

GAIN_UP, GAIN_DOWN, SMALLEST_GAIN = 0.2, 0.8, 0.01  # van der Maaten & Hinton 2008
# How far above its lowest value J may swing, in parts of 1 + |J|.
RISE = 0.1


class MomentumState(NamedTuple):
    """See `nelayout.optimizers.step.State`; ``curvature`` (n,): max w_i, ``lowest``: min J."""

    evaluation: Evaluation
    curvature: OfRows
    velocity: OfRows
    gains: OfRows
    lowest: Any
    halved: Any
    taken: Any = True
    stuck: Any = False


@dataclass(frozen=True, slots=True)
class Momentum:
    """``momentum``: kept part of the last move; ``rate``: step length, 1 = inverse curvature."""

    momentum: float = 0.9
    rate: float = 1.0
    name: str = "momentum"

    def check(self, kernel, divergence) -> None:
        """Valid for every method."""

    def init(self, objective: Objective, Y: Any) -> MomentumState:
        now, full = objective.evaluate(Y, attraction=True), objective.parts.full
        curvature, still = attraction_of(objective, now), np.zeros_like(objective.brought(Y))
        return MomentumState(now, curvature, still, still + 1.0, now.value, full(0), full(True), full(False))

    def step(self, objective: Objective, Y: Any, state: MomentumState) -> tuple[Any, MomentumState]:
        now, parts = state.evaluation, objective.parts
        steady = now.gradient * state.velocity < 0.0
        gains = np.maximum(np.where(steady, state.gains + GAIN_UP, state.gains * GAIN_DOWN), SMALLEST_GAIN)
        length = parts.spread(self.rate * 0.5**state.halved) / (4.0 * state.curvature)
        velocity = self.momentum * state.velocity - (length[:, None] * gains) * now.gradient
        candidate = Y + velocity
        then = objective.evaluate(candidate, attraction=True)
        taken = np.isfinite(then.value) & (then.value <= state.lowest + RISE * (1.0 + abs(state.lowest)))
        if parts.all(taken):
            Y, now = candidate, then
        else:
            now, columns = chosen(objective, taken, then, now), parts.columns(taken)
            Y = np.where(columns, candidate, Y) if parts.any(taken) else Y
            velocity, gains = np.where(columns, velocity, 0.0), np.where(columns, gains, 1.0)
        curvature = np.maximum(state.curvature, attraction_of(objective, now))
        lower = taken & (now.value < state.lowest)
        halved = state.halved + parts.where(taken, 0, 1)
        return Y, state._replace(
            evaluation=now, curvature=curvature, velocity=velocity, gains=gains,
            lowest=parts.where(lower, now.value, state.lowest), halved=halved, taken=taken, stuck=halved >= MAX_TRIALS,
        )
