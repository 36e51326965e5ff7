"""The records of a run: a connected graph (`Part`), its `Drawing`, and the shared `Run`.

A `Drawing` is a frozen value.  A pass takes a drawing and returns another one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.core.catalogue.record import Method
from nelayout.core.formula.alpha_choice import AlphaChoice
from nelayout.core.formula.kernels import Radial
from nelayout.core.objective import Affinity, Objective
from nelayout.core.optimizers import Optimizer
from nelayout.core.optimizers.minimize import Keeper, Minimized, StoppingRule, minimize
from nelayout.core.optimizers.step import Minimizable
from nelayout.core.passes.journal import Journal, StateKeeper, Stored
from nelayout.core.passes.placement import centered, place_of_layers
from nelayout.core.placing.rings import Rings
from nelayout.core.problem import FULL, Effort
from nelayout.core.record.progress import Late, Observer, Stopped
from nelayout.core.sums.device import Device
from nelayout.core.sums.nbody import NBody, backend
from nelayout.numerics.breadth_first import COMPILED_ABOVE
from nelayout.numerics.parallel import Threads

__all__ = ["Drawing", "Part", "Report", "Run", "Summation", "flattened", "uses_loops"]

# What passes change of a drawing, beside its method.
CHANGED = ("Y", "exaggeration", "reason", "place", "size", "bound")
# Pairs of nodes from which compiled loops are loaded.
NUMPY_PAIRS = COMPILED_ABOVE**2


def uses_loops(n: int, entries: int) -> bool:
    """Return whether compiled loops sum over n nodes and this number of entries."""
    return n**2 + 20 * entries > NUMPY_PAIRS


@dataclass(frozen=True)
class Summation:
    """Threads and name of the N-body backend of all objectives; a device for large graphs.

    Small graphs descend in one loop (`nelayout.core.objective.small`) or are summed by NumPy, others are summed by
    compiled loops.  The size of a graph alone decides, so that a component has the same bits alone and beside others.
    """

    nbody: str
    threads: Threads
    device: Device | None = None

    @property
    def on_cpu(self) -> Summation:
        """Summation without the device."""
        return replace(self, device=None)

    @cached_property
    def _by_numpy(self) -> NBody:
        return backend(self.nbody, self.threads, compiled=False)

    @cached_property
    def _by_loops(self) -> NBody:
        return backend(self.nbody, self.threads, compiled=True)

    @cached_property
    def _on_device(self) -> NBody:
        assert self.device is not None
        return self.device.nbody(self.nbody, self.threads)

    def backend(self, n: int, entries: int) -> NBody:
        """Return the backend on this machine for a graph of n nodes and this number of entries."""
        return self._by_loops if uses_loops(n, entries) else self._by_numpy

    def objective(self, method: Method, affinity: Affinity, free: np.ndarray | None = None) -> Objective:
        """Return the objective of a method on one graph; ``free`` masks what may change."""
        n, entries = len(affinity.mass), affinity.P.nnz
        device = self.device if self.device is not None and n >= self.device.least else None
        nbody = self.backend(n, entries) if device is None else self._on_device
        compiled = device is None and uses_loops(n, entries)
        own: dict[str, Any] = {"free": free, "device": device, "in_one_loop": device is None and not compiled}
        return Objective.of(method, affinity, nbody, self.threads, compiled, **own)


@dataclass(frozen=True, eq=False, slots=True)
class Part:
    """A connected graph as it was given (or the whole graph, drawn jointly).

    nodes       (n,) indices of its nodes in the whole graph
    affinity    similarities and masses
    start       (n, dim) positions that the caller gave, NaN rows for missing nodes; None: no ``pos``
    fixed       (n, dim) mask of the coordinates that stay; None: all are free
    init_hint   (n, dim) an outline of the drawing, from which a coarse level is also drawn; None: none
    own_start   whether ``start`` comes from this package: other initial positions may be tried beside it
    edges       (n, n) edges of the graph, where the similarities are more than these; None: they are the edges
    rings       circles on which the nodes lie; None: none
    lines       (n, dim) number of the line of each coordinate, see `nelayout.core.placing.lines`; None: no lines
    """

    nodes: np.ndarray
    affinity: Affinity
    start: np.ndarray | None = None
    fixed: np.ndarray | None = None
    init_hint: np.ndarray | None = None
    own_start: bool = False
    edges: csr_array | None = None
    rings: Rings | None = None
    lines: np.ndarray | None = None

    @property
    def known(self) -> np.ndarray:
        """(n,) mask of the nodes with an initial position."""
        return np.zeros(len(self.nodes), dtype=bool) if self.start is None else ~np.isnan(self.start[:, 0])

    @property
    def seen_edges(self) -> csr_array:
        """(n, n) the edges that a reader sees, which cross or not."""
        return self.affinity.P if self.edges is None or not self.edges.nnz else self.edges

    @property
    def placed(self) -> bool:
        """Return True if some node has an initial position."""
        return bool(self.known.any())

    @property
    def rests(self) -> bool:
        """Return True if all nodes stay."""
        return self.fixed is not None and bool(self.fixed.all())

    @property
    def free(self) -> np.ndarray | None:
        """(n, dim) mask of the coordinates that may change; None: all."""
        return ~self.fixed if self.fixed is not None and self.fixed.any() else None

    @property
    def layers(self) -> np.ndarray:
        """Return the mask (d,) of the axes on which every node is fixed, if some node may move."""
        fixed = self.fixed
        return np.zeros(1, dtype=bool) if fixed is None or fixed.all() else np.asarray(fixed.all(axis=0))


@dataclass(frozen=True, eq=False)
class Drawing:
    """Positions of one graph.

    Y             (n, dim) in the units of the objective
    affinity      similarities and masses of the nodes
    part          what was given for the graph; None for a graph of our own, such as a coarse one
    method        the method that Y minimizes; None: no objective yet
    exaggeration  factor on the edges in that objective
    reason        why the last descent ended
    place, size   (dim,) the initial positions are Y / size + place
    bound         the variational form's bound on the divergence; None: another form
    """

    Y: np.ndarray
    affinity: Affinity
    given: Part | None = None
    method: Method | None = None
    exaggeration: float = 1.0
    reason: str = "max_iter"
    place: np.ndarray = field(default_factory=lambda: np.zeros(1))
    size: np.ndarray = field(default_factory=lambda: np.ones(1))
    bound: float | None = None

    @classmethod
    def of(cls, part: Part, dim: int) -> Drawing:
        """Return the drawing of a graph with all nodes at the origin."""
        return cls(np.zeros((len(part.nodes), dim)), part.affinity, part)

    @property
    def part(self) -> Part:
        """Return what was given for the graph."""
        assert self.given is not None
        return self.given

    @property
    def free(self) -> np.ndarray | None:
        """(n, dim) mask of the coordinates that may change; None: all."""
        return None if self.given is None else self.given.free

    @property
    def in_place(self) -> np.ndarray:
        """Return Y at the size and position of its initial positions."""
        part, place, size = self.part, self.place, self.size
        if part.start is not None and part.fixed is not None and part.layers.any():
            place, size = place_of_layers(self.Y, part.start, part.fixed, part.layers)
        with np.errstate(over="ignore"):  # initial positions near the end of the range of floats may have grown
            return self.Y / size + place

    def at(self, Y: np.ndarray) -> Drawing:
        """Return the drawing with other positions."""
        return replace(self, Y=Y)

    def changes(self, usual: Method) -> dict[str, Any]:
        """Return all that passes change; of the method, fields unlike the ``usual`` one's."""
        found = {name: getattr(self, name) for name in CHANGED}
        if self.method is None:
            return {**found, "method": None}
        own = {name: getattr(self.method, name) for name in usual.__slots__}
        return {**found, "method": {name: own[name] for name in own if own[name] is not getattr(usual, name)}}

    def changed(self, changes: dict[str, Any], usual: Method) -> Drawing:
        """Return the drawing with the `changes` of another one of the same graph."""
        own = changes["method"]
        return replace(self, **{**changes, "method": None if own is None else usual.with_checked(**own)})

    @property
    def center(self) -> np.ndarray:
        """(d,) the centroid."""
        return np.sum(self.Y, axis=0) / len(self.Y)

    def same(self, other: Drawing) -> bool:
        """Return True if another drawing has the same positions, by the same method."""
        return self.method == other.method and np.array_equal(self.Y, other.Y)


def flattened(Y: np.ndarray, dim: int) -> np.ndarray:
    """Return positions Y (n, d) along their first principal axes, (n, dim)."""
    about = centered(Y)
    axes = np.linalg.eigh(np.einsum("ia,ib->ab", about, about))[1][:, ::-1]
    return np.einsum("ia,ab->ib", about, axes[:, :dim])


# Called after each iteration with J and the positions.
Report = Callable[[float, np.ndarray], None]


@dataclass(frozen=True, slots=True)
class Run:
    """The settings, sums and records that all passes share.

    animation  shows callbacks the whole graph, see `nelayout.core.run.animation.Animation`
    optimizer, max_iter, tol  override the values of the stages; None: no override
    stability  how firmly drawings are tied to their initial positions (`springs.py`); None: not at all
    effort  how much of the full plan is taken
    choice  how alpha was chosen; None: it was given
    notes   sentences for the reader, added to as they arise
    journal  what an earlier run has done, and what this one does; None: nothing is kept
    keeper  stores the state of descents in place of a journal; None: nothing is stored
    above   from a drawing of a coarse graph to the drawing that callbacks see; None: there is no coarse graph
    compile_ahead  see `nelayout.core.run.ahead.second_compiler`
    """

    method: Method
    dim: int
    sums: Summation
    rng: np.random.Generator
    observer: Observer
    animation: Any
    optimizer: Optimizer | None = None
    max_iter: int | None = None
    tol: float | None = None
    stability: float | None = None
    effort: Effort = FULL
    choice: AlphaChoice | None = None
    notes: list[str] = field(default_factory=list)
    journal: Journal | None = None
    keeper: Keeper | None = None
    above: Callable[[Drawing], Drawing] | None = None
    compile_ahead: Callable[[Iterable[Radial | str], int, int], None] = lambda *_: None

    def report(self, drawing: Drawing, name: str, whole: Callable[[np.ndarray], np.ndarray] | None = None) -> Report:
        """Return the function that each iteration calls; ``whole`` maps to its positions."""

        def latest(Y: np.ndarray) -> Drawing:
            positions = np.asarray(Y) if whole is None else whole(np.asarray(Y))
            now = drawing.at(positions if positions.shape[1] == self.dim else flattened(positions, self.dim))
            return now if self.above is None else self.above(now)

        def report(value: float, Y: np.ndarray) -> None:
            try:
                self.observer.record(name, value, lambda: self.animation.show(latest(Y)))
            except Stopped as stopped:
                stopped.drawing = replace(latest(Y), reason="stopped")
                raise

        return report

    def once(self, work: Callable[[Run], Drawing], before: Drawing) -> Drawing:
        """Return the drawing that work, or an earlier run, makes of another one."""
        if self.journal is None:
            return work(self)
        journal = self.journal.following()
        if journal.done is not None:
            changes, self.rng.bit_generator.state, past = Stored.of(journal.done).value()
            self.observer.take_over(past)
            return before.changed(changes, self.method)
        begun = self.observer.mark()
        found = work(replace(self, journal=journal))
        past = self.observer.between(begun, self.observer.mark())
        journal.finish((found.changes(self.method), self.rng.bit_generator.state, past))
        return found

    def objective(self, drawing: Drawing, method: Method, exaggeration: float = 1.0) -> Objective:
        """Return the objective of a drawing's graph; ``exaggeration`` scales its edges."""
        return replace(self.sums.objective(method, drawing.affinity, drawing.free), exaggeration=exaggeration)

    def value(self, drawing: Drawing) -> float:
        """Return J of the drawing's own objective; infinite if it overflows."""
        objective = self.objective(drawing, drawing.method or self.method, drawing.exaggeration)
        found = float(objective.evaluate(drawing.Y, gradient=False).value)
        return found if math.isfinite(found) else math.inf

    def minimize(
        self, objective: Objective, drawing: Drawing, optimizer: Optimizer, max_iter: int, rule: StoppingRule,
        report: Report,
    ) -> Drawing:
        """Return the drawing after at most ``max_iter`` iterations, with the reason of its end."""

        def work(own: Run) -> Drawing:
            keeper = own.keeper if own.journal is None else StateKeeper(own.journal, own.observer)
            Y, _, reason = own.minimized(objective, drawing.Y, optimizer, max_iter, rule, report, keeper)
            return replace(drawing, Y=Y, reason=reason)

        return self.once(work, drawing)

    def minimized(
        self, objective: Minimizable, Y: np.ndarray, optimizer: Optimizer, max_iter: int, rule: StoppingRule,
        report: Report, keeper: Keeper | None = None,
    ) -> Minimized:
        """Minimize from Y (n, dim) until a rule holds or the time is over.

        At least one iteration is taken.
        """
        latest: tuple[np.ndarray, float] = Y, math.inf

        def timed(value: float, at: np.ndarray) -> None:
            nonlocal latest
            report(value, at)
            if self.observer.late:
                latest = at, value
                raise Late

        try:
            return minimize(objective, Y, optimizer, max_iter, rule, timed, keeper)
        except Late:
            return Minimized(np.asarray(latest[0]), latest[1], "time_limit")
