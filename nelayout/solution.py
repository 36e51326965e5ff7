"""`Solution`: a drawing and all the evidence that its run leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .alpha_choice import AlphaChoice

__all__ = ["Progress", "Solution", "Step"]


class Step(NamedTuple):
    """One line of a trace; seconds since the run began."""

    iteration: int
    value: float
    seconds: float
    stage: str


@dataclass(frozen=True, slots=True)
class Progress:
    """What a callback is given: the step just done and where every node is, (n, dim) in node order, read-only."""

    iteration: int
    stage: str
    value: float
    positions: np.ndarray


@dataclass(frozen=True, slots=True)
class Solution:
    """What `nelayout.solve` gives back.

    positions  in the host's own type, as a layout function returns them
    value      J at the end: of the whole graph when it is connected, else the sum over its components
    trace      (iteration, value, seconds, stage) of every step; values of coarse levels and of the shape stage
               belong to their own objectives
    connection lambda at the end (of the largest component)
    reason     "converged", "max_iter" or "stopped" (by the callback)
    node_cost  (n,) what each node's pairs contribute to the separable form of J at the final lambda
    components (n,) component of each node, 0 the largest; isolated nodes are components of their own
    notes      sentences on what the reader may not expect
    seconds    of the whole run
    choice     for alpha="auto", how alpha was chosen; None otherwise, and where every alpha fits equally well
    """

    positions: Any
    value: float
    trace: tuple[Step, ...]
    connection: float
    reason: str
    node_cost: np.ndarray
    components: np.ndarray
    notes: tuple[str, ...]
    seconds: float
    choice: AlphaChoice | None = None
