"""Gradient descent with momentum and gains, scaled node by node.

The usual step of neighbor embeddings, n/attraction for normalized P, is 1/(4 P_i attraction) for a node of average
weight P_i = 1/n: the inverse of the curvature of its own attraction.  Taken node by node, the same rule holds for
hubs, whose weight is thousands of times the average, and for objectives that are not normalized: node i moves by
gradient / (4 w_i), w_i = sum_j omega_ij at its largest so far (never below the mean).  Gains (Jacobs 1988) grow along
directions whose sign is steady.  A step may raise J; what leads well above the lowest J so far is taken back, and the
steps after it are shorter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from nelayout.objective.whole import Evaluation, Objective
from nelayout.optimizers.step import attraction_of

__all__ = ["Momentum"]

GAIN_UP, GAIN_DOWN, SMALLEST_GAIN = 0.2, 0.8, 0.01  # van der Maaten & Hinton 2008
SHORTER = 2.0
RISE = 0.1  # of 1 + |J|: how far above its lowest value J may swing


@dataclass(frozen=True, slots=True)
class MomentumState:
    evaluation: Evaluation
    curvature: np.ndarray  # (n,) largest w_i so far
    velocity: np.ndarray
    gains: np.ndarray
    lowest: float  # J so far
    rate: float = 1.0
    stuck: bool = False


@dataclass(frozen=True, slots=True)
class Momentum:
    """``momentum``: part of the last move that is kept; ``rate``: step length, 1 = the inverse curvature."""

    momentum: float = 0.9
    rate: float = 1.0
    name: str = "momentum"
    solves: bool = False

    def check(self, kernel, divergence) -> None:
        """Valid for every method."""

    def init(self, objective: Objective, Y: np.ndarray) -> MomentumState:
        evaluation = objective.evaluate(Y, weights=True)
        curvature = attraction_of(objective, evaluation)
        return MomentumState(
            evaluation, curvature, np.zeros_like(Y), np.ones_like(Y), evaluation.value, self.rate
        )

    def step(self, objective: Objective, Y: np.ndarray, state: MomentumState) -> tuple[np.ndarray, MomentumState]:
        now = state.evaluation
        gradient = now.gradient
        steady = gradient * state.velocity < 0.0
        gains = np.maximum(np.where(steady, state.gains + GAIN_UP, state.gains * GAIN_DOWN), SMALLEST_GAIN)
        length = state.rate / (4.0 * state.curvature)
        velocity = self.momentum * state.velocity - (length[:, None] * gains) * gradient
        candidate = Y + velocity
        then = objective.evaluate(candidate, weights=True)
        if not math.isfinite(then.value) or then.value > state.lowest + RISE * (1.0 + abs(state.lowest)):
            if state.rate < 1e-6 * self.rate:
                return Y, replace(state, stuck=True)
            still = np.zeros_like(Y)
            return Y, replace(state, velocity=still, gains=np.ones_like(Y), rate=state.rate / SHORTER)
        curvature = np.maximum(state.curvature, attraction_of(objective, then))
        lowest = min(state.lowest, then.value)
        return candidate, MomentumState(then, curvature, velocity, gains, lowest, state.rate)
