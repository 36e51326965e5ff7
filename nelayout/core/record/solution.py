"""`Solution`: a drawing and the record of its run; `Evaluated`: the value of a drawing."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from nelayout.core.formula.alpha_choice import AlphaChoice

__all__ = ["REASONS", "Evaluated", "Frame", "Progress", "Ran", "Solution", "Step"]

# Reason of the end of a run -> its sentence.
REASONS = {
    "converged": "the forces are in balance, up to the tolerance tol",
    "lull": "the last steps hardly changed J; set tol or max_iter to continue",
    "max_iter": "all steps were taken, the usual end, not a failure; a larger max_iter may lower the value",
    "stopped": "the callback has ended the run",
    "time_limit": "time_limit was over before all steps were taken; a larger one may lower the value",
    "collapsed": "the drawing shrank to a point, where this objective is lowest",
    "unbounded": "J decreases without end as the drawing grows, so there is no best size",
}


class Step(NamedTuple):
    """One line of a trace; seconds since the run began."""

    iteration: int
    value: float
    seconds: float
    stage: str


@dataclass(slots=True)
class Ran:
    """A pass that ran: name, depth, and steps and seconds with inner passes included."""

    name: str
    steps: int = 0
    seconds: float = 0.0
    depth: int = 0


class Frame:
    """All positions at one step, computed when they are first read.

    ``compute`` returns them, (n, dim).
    """

    __slots__ = ("__weakref__", "_compute", "_positions")

    def __init__(self, compute: Callable[[], np.ndarray]) -> None:
        self._compute: Callable[[], np.ndarray] | None = compute
        self._positions = np.zeros((0, 0))

    @property
    def positions(self) -> np.ndarray:
        """(n, dim), read-only."""
        if self._compute is not None:
            self._positions, self._compute = self._compute().view(), None
            self._positions.flags.writeable = False
        return self._positions


@dataclass(frozen=True, slots=True)
class Progress:
    """Argument of a callback: the latest step, and all positions, (n, dim), read-only.

    nelayout puts the ``positions`` of all components together when they are read, also after later steps. They are in
    node order and have the scale of the result. Each step is aligned to the step before, and turns from there to the
    orientation of the result. The last call, with stage "result", has the positions of the result.

    ``done`` of ``total`` is the planned work that is over; passes that end early count whole. ``seconds_left`` goes
    by the plan and the speed so far.
    """

    iteration: int
    stage: str
    value: float
    frame: Frame
    done: float = 0.0
    total: float = 0.0
    seconds_left: float = math.nan

    @property
    def positions(self) -> np.ndarray:
        """All positions, (n, dim), read-only."""
        return self.frame.positions


@dataclass(frozen=True, slots=True, repr=False)
class Solution:
    """Result of `nelayout.solve`: a drawing and the record of its run.

    Attributes
    ----------
    positions
        in the host's own type, as a layout function returns them
    value
        J of ``positions`` times ``unit``: of the whole graph when it is connected, else the sum over its
        components; the documentation (One formula) has the J of each method
    unit
        the factor from ``positions`` to the method's own units: a number, 1 for a connected graph with
        scale=None; an (n, 1) column if components have sizes of their own; (n, dim) with layers
    trace
        (iteration, value, seconds, stage) of every step; coarse levels, the shape stage and stages with
        stronger edges have values of their own objectives; steps "in space" have J with one dimension more; a stage
        of a later component has a number, "tail (2)"
    connection
        lambda of ``positions`` (of the largest component; the geometric mean if each node has its own)
    reason
        of the end of the largest component's run: "converged" (the forces are in balance), "lull" (the last ten steps
        hardly changed J), "max_iter" (all steps were taken: the usual end of a schedule, not a failure), "stopped" (by
        the callback), "time_limit" (the time was over first), "collapsed" (to a point) or "unbounded" (J has no best
        size)
    node_cost
        (n,) the cost of each node, see below
    components
        (n,) component of each node, 0 the largest; each isolated node is a component
    notes
        sentences on deviations from the request or from the usual run
    seconds
        of the whole run; for vectors including the neighbor search, before the first step of ``trace``
    choice
        for alpha="auto", how alpha was chosen; None otherwise, and if every alpha fits equally well
    method
        the name of the method
    passes
        the passes that ran, in order (name, steps, seconds, depth): those that `nelayout.plan` lists

    Notes
    -----
    ``repr`` has all of this in a paragraph, without the positions.

    ``node_cost`` shows the misleading parts of the drawing. Its meaning depends on the method. Costs of the first two
    kinds compare between components. Other costs compare within one component, and a note says so.

    - ws-SNE, t-SNE, s-SNE, HSSNE and ft-SNE's "kl" (the I-divergence with an optimal or normalized connection): the
      cost of a retrieval in two stages (Yang, Peltonen & Kaski 2014, sec. 5.1). Let p = P / sum P and q the drawn
      similarities, both of sum 1 over the pairs of a component. They have marginals p_i, q_i and conditionals p_j|i,
      q_j|i. Node i costs p_i ln(p_i / q_i) - p_i + q_i for the retrieval of i, and p_i KL(p_j|i || q_j|i) for the
      retrieval of its neighbors from i. Costs are >= 0, up to the error of fast sums. The costs of a component
      add up to its KL(p || q) times its share of all nodes with edges; KL(p || q) of a connected graph is ``value`` for
      normalized connections.
    - SNE, NeRV, JSE, alpha-SNE (connections by rows): the divergence of the node's own row; they add up to ``value``.
    - all others: sum_j M_ij phi(P_ij / M_ij, lambda q_ij), up to constants that depend on P alone. Costs may be
      negative. They compare drawings of one graph better than nodes of one drawing. They add up to ``value`` if lambda
      is fixed (Elastic Embedding, LinLog, ...) or normalized, also with smoothing by a random walk.

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> solution = nl.solve(nx.karate_club_graph(), "tsne", weight=None, seed=0)
    >>> bool((solution.node_cost >= 0).all()), bool(abs(solution.node_cost.sum() - solution.value) < 1e-12)
    (True, True)
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
    method: str = ""
    unit: float | np.ndarray = 1.0
    passes: tuple[Ran, ...] = ()

    def __repr__(self) -> str:
        by, parts = f" by {self.method}" if self.method else "", int(self.components.max(initial=-1)) + 1
        why = f"{self.reason}: {REASONS[self.reason]}" if self.reason in REASONS else self.reason
        drawn = f"{_counted(len(self.node_cost), 'node')} in {_counted(parts, 'component')}"
        found = f"value {self.value:.6g}, connection {self.connection:.6g}"
        said = f"Solution{by} of {drawn}: {found}, {_counted(len(self.trace), 'step')} in {self.seconds:.2g} s."
        notes = f" Notes: {'; '.join(self.notes)}." if self.notes else ""
        said = f"{said} Ended by {why}.{notes}"
        return textwrap.fill(said, 100, break_long_words=False, break_on_hyphens=False)


@dataclass(frozen=True, slots=True)
class Evaluated:
    """Value of a drawing under the objective of a method: the result of `nelayout.evaluate`.

    Attributes
    ----------
    value
        J of the positions times ``unit``: the sum over the components of the graph; infinite, with a note, if
        coincident nodes repel each other without bound
    gradient_norm
        sqrt(sum over all coordinates of (dJ/dy)^2), at the positions times ``unit``
    connection
        lambda (of the largest component)
    node_cost
        (n,) the cost of each node, see `nelayout.Solution`
    unit
        the factor of the positions: 1 for size="given", the best factor for size="best"
    components
        (n,) component of each node, 0 the largest
    notes
        sentences on how to read the value
    method
        the name of the method
    terms
        what each keyword of the structure ("groups", "anchors", "direction", "negative") adds to J, by its name
    """

    value: float
    gradient_norm: float
    connection: float
    node_cost: np.ndarray
    unit: float
    components: np.ndarray
    notes: tuple[str, ...] = ()
    method: str = ""
    terms: dict[str, float] = field(default_factory=dict)

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        notes = f" Notes: {'; '.join(self.notes)}." if self.notes else ""
        found = f"value {self.value:.6g}, gradient norm {self.gradient_norm:.3g}, connection {self.connection:.6g}"
        parts = "".join(f", of it {name} {value:.6g}" for name, value in self.terms.items())
        return f"Evaluated by {self.method} at {self.unit:.6g} times its size: {found}{parts}.{notes}"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
