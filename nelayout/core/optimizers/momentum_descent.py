"""Gradient descent with momentum and gains, scaled node by node.

Node i moves by gradient / (4 w_i), the inverse curvature of its attraction.  w_i is the largest sum_j omega_ij so far
(never below the mean).  Gains (Jacobs 1988) grow along directions of steady sign.  A step may raise J.  If it leads
well above the lowest J so far it is refused, and the following steps are shorter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nelayout.core.optimizers.line_search import MAX_TRIALS
from nelayout.core.optimizers.step import Minimizable, attraction_of
from nelayout.core.record.evaluation import Evaluation

__all__ = ["Momentum"]

GAIN_UP, GAIN_DOWN, SMALLEST_GAIN = 0.2, 0.8, 0.01  # van der Maaten & Hinton 2008
# How far above its lowest value J may swing, in parts of 1 + |J|.
RISE = 0.1


class MomentumState(NamedTuple):
    """See `nelayout.core.optimizers.step.State`.

    ``curvature`` (n,): max w_i; ``lowest``: min J.
    """

    evaluation: Evaluation
    curvature: Any
    velocity: Any
    gains: Any
    lowest: float
    halved: int = 0
    taken: bool = True
    stuck: bool = False


@dataclass(frozen=True, slots=True)
class Momentum:
    """``momentum``: kept part of the last move; ``rate``: step length, 1 = inverse curvature."""

    momentum: float = 0.9
    rate: float = 1.0
    name: str = "momentum"

    def check(self, kernel, divergence) -> None:
        """Valid for every method."""

    def init(self, objective: Minimizable, Y: Any) -> MomentumState:
        now = objective.evaluate(Y, attraction=True)
        still = np.zeros_like(objective.to_device(Y))
        return MomentumState(now, attraction_of(now), still, still + 1.0, now.value)

    def step(self, objective: Minimizable, Y: Any, state: MomentumState) -> tuple[Any, MomentumState]:
        now = state.evaluation
        steady = now.gradient * state.velocity < 0.0
        gains = np.maximum(np.where(steady, state.gains + GAIN_UP, state.gains * GAIN_DOWN), SMALLEST_GAIN)
        length = self.rate * 0.5**state.halved / (4.0 * state.curvature)
        velocity = self.momentum * state.velocity - (length[:, None] * gains) * now.gradient
        candidate = Y + velocity
        then = objective.evaluate(candidate, attraction=True)
        if not (math.isfinite(then.value) and then.value <= state.lowest + RISE * (1.0 + abs(state.lowest))):
            halved, still = state.halved + 1, np.zeros_like(velocity)
            return Y, state._replace(
                velocity=still, gains=still + 1.0, halved=halved, taken=False, stuck=halved >= MAX_TRIALS
            )
        curvature = np.maximum(state.curvature, attraction_of(then))
        lowest = min(state.lowest, then.value)
        return candidate, MomentumState(then, curvature, velocity, gains, lowest, state.halved)
