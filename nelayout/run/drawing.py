"""The records of a run: connected graphs (`Part`), their `Drawing`, and the shared `Run`.

A `Drawing` is a frozen value.  It holds C >= 1 graphs one after another: a large graph alone, or many small graphs that
take the same passes.  A pass takes a drawing and returns another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, compress
from typing import Any

import numpy as np

from nelayout.catalogue.record import Method
from nelayout.formula.alpha_choice import AlphaChoice
from nelayout.formula.kernels import Radial
from nelayout.numerics.breadth_first import COMPILED_ABOVE
from nelayout.numerics.groups import Parts
from nelayout.numerics.parallel import Threads
from nelayout.objective import Affinity, Objective
from nelayout.objective.stacks import one_after_another, some_of, stacked
from nelayout.optimizers import Optimizer
from nelayout.optimizers.minimize import Keeper, Rest, minimize
from nelayout.optimizers.size import size_search
from nelayout.record.progress import Observer, Stopped
from nelayout.run.placement import centered, place_of_layers, radius
from nelayout.sums.device import Device
from nelayout.sums.nbody import NBody, backend

__all__ = ["Drawing", "Part", "Report", "Run", "Summation", "flattened", "joined", "uses_loops"]

# Nodes of a graph that is drawn once for all that are equal to it.
MAX_REPEATED_NODES = 30
# Pairs of nodes from which compiled loops are loaded.
NUMPY_PAIRS = COMPILED_ABOVE**2


def uses_loops(n: int, entries: int) -> bool:
    """Return whether compiled loops sum over n nodes and this number of entries."""
    return n**2 + 20 * entries > NUMPY_PAIRS


@dataclass(frozen=True, slots=True)
class Summation:
    """The N-body backend, threads and form of all objectives; the device is for large ones."""

    nbody: NBody
    threads: Threads
    compiled: bool
    device: Device | None = None
    on_device: NBody | None = None

    @classmethod
    def of(cls, nbody: str, threads: Threads, compiled: bool, device: Device | None = None) -> Summation:
        """Return the summation by the backend of that name."""
        there = None if device is None else device.nbody(nbody, threads)
        return cls(backend(nbody, threads, compiled), threads, compiled, device, there)

    @property
    def on_cpu(self) -> Summation:
        """Summation without the device."""
        return replace(self, device=None, on_device=None)

    def objective(self, method: Method, affinity: Affinity, free: np.ndarray | None = None) -> Objective:
        """Return the objective of a method on one graph; ``free`` masks what may change."""
        device = self.device if self.device is not None and len(affinity.mass) >= self.device.least else None
        nbody = self.nbody if device is None or self.on_device is None else self.on_device
        return Objective(
            affinity, method.kernel, method.divergence, method.connection, nbody, self.threads,
            self.compiled and device is None, free=free, gravity=method.gravity, emphasis=method.mu, device=device,
        )


@dataclass(frozen=True, eq=False, slots=True)
class Part:
    """A connected graph as it was given (or the whole graph, drawn jointly).

    nodes       (n,) indices of its nodes in the whole graph
    affinity    similarities and masses
    start       (n, dim) positions that the caller gave, NaN rows for missing nodes; None: no ``pos``
    fixed       (n, dim) mask of the coordinates that stay; None: all are free
    sketch      (n, dim) an outline of the drawing, from which a coarse level is also drawn; None: none
    own_start   whether ``start`` comes from this package: other initial positions may be tried beside it
    """

    nodes: np.ndarray
    affinity: Affinity
    start: np.ndarray | None = None
    fixed: np.ndarray | None = None
    sketch: np.ndarray | None = None
    own_start: bool = False

    @property
    def key(self) -> tuple[bytes, ...] | None:
        """Return the key that equal small graphs share; None if a graph has initial positions."""
        if len(self.nodes) > MAX_REPEATED_NODES or self.start is not None:
            return None
        P = self.affinity.P
        return tuple(a.tobytes() for a in (P.indptr, P.indices, P.data, self.affinity.mass))

    @property
    def known(self) -> np.ndarray:
        """(n,) mask of the nodes with an initial position."""
        return np.zeros(len(self.nodes), dtype=bool) if self.start is None else ~np.isnan(self.start[:, 0])

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
    """Positions of C >= 1 graphs, one after another.

    Y             (n, dim) in the units of the objective
    affinity      similarities and masses of all nodes
    segments      where each graph's nodes are
    parts         for each graph, what was given for it; empty for graphs of our own, such as coarse ones
    methods       for each graph, the method that Y minimizes; None: no objective yet
    exaggeration  (C,) factor on the edges in that objective
    reasons       for each graph, why its last descent ended
    place, size   (C, dim) a graph's initial positions are Y / size + place
    bound         the variational form's bound on the divergence; None: another form
    """

    Y: np.ndarray
    affinity: Affinity
    segments: Parts
    parts: tuple[Part, ...]
    methods: tuple[Method | None, ...]
    exaggeration: np.ndarray
    reasons: tuple[str, ...]
    place: np.ndarray
    size: np.ndarray
    bound: float | None = None

    @classmethod
    def on(cls, affinity: Affinity, segments: Parts, Y: np.ndarray, parts: Sequence[Part] = ()) -> Drawing:
        """Return positions Y of graphs one after another, which no objective has moved yet."""
        count, dim = segments.count, Y.shape[1]
        nothing = (None,) * count, np.ones(count), ("max_iter",) * count
        return cls(Y, affinity, segments, tuple(parts), *nothing, np.zeros((count, dim)), np.ones((count, dim)))

    @classmethod
    def of(cls, parts: Sequence[Part], dim: int) -> Drawing:
        """Return the drawing of some graphs with all nodes at the origin."""
        affinity, segments = one_after_another([part.affinity for part in parts])
        return cls.on(affinity, segments, np.zeros((len(affinity.mass), dim)), parts)

    @property
    def count(self) -> int:
        """Number of graphs."""
        return self.segments.count

    @property
    def part(self) -> Part:
        """Return the only graph of a drawing of one."""
        (part,) = self.parts
        return part

    @property
    def free(self) -> np.ndarray | None:
        """(n, dim) mask of the coordinates that may change; None: all."""
        masks = [part.free for part in self.parts]
        if all(mask is None for mask in masks):
            return None
        each = zip(masks, self.each, strict=True)
        return np.concatenate([np.ones(Y.shape, dtype=bool) if mask is None else mask for mask, Y in each])

    @property
    def each(self) -> list[np.ndarray]:
        """Return the positions of each graph."""
        return [self.Y] if self.count == 1 else np.split(self.Y, self.segments.starts[1:-1])

    @property
    def method(self) -> Method | None:
        """Return the method of the first graph."""
        return self.methods[0]

    @property
    def reason(self) -> str:
        """Why the last descent of the first graph ended."""
        return self.reasons[0]

    @property
    def in_place(self) -> np.ndarray:
        """Return Y of a drawing of one graph, at the size and position of its initial positions."""
        part, place, size = self.part, self.place[0], self.size[0]
        if part.start is not None and part.fixed is not None and part.layers.any():
            place, size = place_of_layers(self.Y, part.start, part.fixed, part.layers)
        with np.errstate(over="ignore"):  # initial positions near the end of the range of floats may have grown
            return self.Y / size + place

    def at(self, Y: np.ndarray) -> Drawing:
        """Return the drawing with other positions."""
        return replace(self, Y=Y)

    def radius(self) -> np.ndarray:
        """(C,) root mean squared distances to the centroids."""
        return np.array([radius(self.Y)]) if self.count == 1 else self.segments.radius(self.Y)

    def centers(self) -> np.ndarray:
        """(C, d) the centroid of each graph."""
        return np.sum(self.Y, axis=0)[None] / len(self.Y) if self.count == 1 else self.segments.mean(self.Y)

    def same(self, other: Drawing) -> np.ndarray:
        """Return a mask (C,): the graphs that are drawn as in another drawing, by the same method."""
        alike = [mine == others for mine, others in zip(self.methods, other.methods, strict=True)]
        return alike & np.logical_and.reduceat((self.Y == other.Y).all(axis=1), self.segments.starts[:-1])

    def take(self, kept: np.ndarray) -> Drawing:
        """Return the drawing of the graphs of a mask (C,)."""
        if kept.all():
            return self
        affinity, segments, rows = some_of(self.affinity, self.segments, kept)
        each = {name: _taken(getattr(self, name), kept) for name in OF_GRAPHS}
        return replace(self, Y=self.Y[rows], affinity=affinity, segments=segments, **each)

    def put(self, kept: np.ndarray, other: Drawing) -> Drawing:
        """Return the drawing with the graphs of a mask (C,) taken from another drawing."""
        if kept.all():
            return other
        if not kept.any():
            return self
        each = {name: _filled(getattr(self, name), getattr(other, name), kept) for name in OF_GRAPHS}
        return replace(self, Y=_filled(self.Y, other.Y, kept[self.segments.of]), **each)

    def split(self) -> list[Drawing]:
        """Return a drawing of each graph alone; of graphs that were given."""
        if self.count == 1:
            return [self]
        ends = self.segments.starts.tolist()
        found = list[Drawing]()
        for k, (part, low, high) in enumerate(zip(self.parts, ends[:-1], ends[1:], strict=True)):
            own, alone = {name: getattr(self, name)[k : k + 1] for name in OF_GRAPHS}, Parts(np.array([high - low]))
            found.append(replace(self, Y=self.Y[low:high], affinity=part.affinity, segments=alone, **own))
        return found

    def by_method(self) -> Iterator[tuple[np.ndarray, Drawing]]:
        """Yield a mask (C,) and the drawing of the graphs that share a method, for each method."""
        left = np.ones(self.count, dtype=bool)
        while left.any():  # parts of a method need not be hashable
            method = self.methods[int(np.argmax(left))]
            mask = left & np.array([own == method for own in self.methods])
            yield mask, self.take(mask)
            left &= ~mask


def joined(drawings: Sequence[Drawing]) -> Drawing:
    """Return one drawing of all the graphs of some drawings."""
    if len(drawings) == 1:
        return drawings[0]
    affinity = one_after_another([drawing.affinity for drawing in drawings])[0]
    segments = Parts(np.concatenate([drawing.segments.sizes for drawing in drawings]))
    each = {name: _chained([getattr(drawing, name) for drawing in drawings]) for name in OF_GRAPHS}
    return Drawing(np.concatenate([drawing.Y for drawing in drawings]), affinity, segments, **each)


# Fields of a drawing with an entry for each graph: arrays or tuples.
OF_GRAPHS = ("parts", "methods", "exaggeration", "reasons", "place", "size")


def _taken(values: Any, kept: np.ndarray) -> Any:
    return values[kept] if isinstance(values, np.ndarray) else tuple(compress(values, kept))


def _filled(mine: Any, others: Any, mask: np.ndarray) -> Any:
    """Values with others where a mask is true."""
    if not isinstance(mine, np.ndarray):
        new = iter(others)
        return tuple(next(new) if yes else old for old, yes in zip(mine, mask.tolist(), strict=True))
    answer = mine.copy()
    answer[mask] = others
    return answer


def _chained(values: Sequence[Any]) -> Any:
    return np.concatenate(values) if isinstance(values[0], np.ndarray) else tuple(chain(*values))


def flattened(Y: np.ndarray, drawing: Drawing, dim: int) -> np.ndarray:
    """Return each graph's positions Y (n, d) along its first principal axes, (n, dim)."""
    parts = []
    for each in np.split(Y, drawing.segments.starts[1:-1]):
        about = centered(each)
        axes = np.linalg.eigh(np.einsum("ia,ib->ab", about, about))[1][:, ::-1]
        parts.append(np.einsum("ia,ab->ib", about, axes[:, :dim]))
    return np.concatenate(parts)


# Called after each iteration with J (of all graphs together) and the positions.
Report = Callable[[float, np.ndarray], None]


@dataclass(frozen=True, slots=True)
class Run:
    """The settings, sums and records that all passes share.

    canvas  shows callbacks the whole graph, see `nelayout.run.canvas.Frames`
    optimizer, max_iter, tol  override the values of the stages; None: no override
    stability  how firmly drawings are tied to their initial positions, see `nelayout.run.springs`; None: not at all
    choice  how alpha was chosen; None: it was given
    notes   sentences for the reader, added to as they arise
    keeper  stores the state of a descent; None: nothing is stored
    above   from a drawing of a coarse graph to the drawing that callbacks see; None: there is no coarse graph
    compile_ahead  see `nelayout.run.ahead.second_compiler`
    """

    method: Method
    dim: int
    sums: Summation
    rng: np.random.Generator
    observer: Observer
    canvas: Any
    optimizer: Optimizer | None = None
    max_iter: int | None = None
    tol: float | None = None
    stability: float | None = None
    choice: AlphaChoice | None = None
    notes: list[str] = field(default_factory=list)
    keeper: Keeper | None = None
    above: Callable[[Drawing], Drawing] | None = None
    compile_ahead: Callable[[Iterable[Radial | str], int, int], None] = lambda *_: None

    def report(self, drawing: Drawing, name: str, whole: Callable[[np.ndarray], np.ndarray] | None = None) -> Report:
        """Return the function that each iteration calls; ``whole`` maps to its positions."""

        def latest(Y: np.ndarray) -> Drawing:
            positions = np.asarray(Y) if whole is None else whole(np.asarray(Y))
            now = drawing.at(positions if positions.shape[1] == self.dim else flattened(positions, drawing, self.dim))
            return now if self.above is None else self.above(now)

        def report(value: float, Y: np.ndarray) -> None:
            try:
                self.observer.record(name, value, lambda: self.canvas.show(latest(Y)))
            except Stopped as stopped:
                now = latest(Y)
                stopped.drawing = replace(now, reasons=("stopped",) * now.count)
                raise

        return report

    def objective(self, drawing: Drawing, method: Method, exaggeration: np.ndarray | float = 1.0) -> Objective:
        """Return the objective of a drawing's graphs; ``exaggeration`` (C,) scales their edges."""
        factors, affinity, sums = np.array(np.broadcast_to(exaggeration, drawing.count)), drawing.affinity, self.sums
        if drawing.count > 1:
            form = sums.threads, sums.compiled
            return stacked(affinity, drawing.segments, method, *form, exaggeration=factors, free=drawing.free)
        if np.ndim(affinity.inside):  # of a stack
            inside, hidden = float(np.sum(affinity.inside)), float(np.sum(affinity.hidden))
            affinity = replace(affinity, inside=inside, hidden=hidden)
        return replace(sums.objective(method, affinity, drawing.free), exaggeration=float(factors[0]))

    def values(self, drawing: Drawing) -> np.ndarray:
        """Return J of each graph's own objective, (C,); infinite if it overflows."""
        found = np.full(drawing.count, np.inf)
        for mask, some in drawing.by_method():
            objective = self.objective(some, some.methods[0] or self.method, some.exaggeration)
            found[mask] = objective.evaluate(some.Y, gradient=False).value
        return np.where(np.isfinite(found), found, np.inf)

    def sizes(self, objective: Objective, Y: np.ndarray, guess: Any = None, alone: bool = False) -> np.ndarray:
        """Return the factors (C,) of positions Y with the least J; see `size_search`."""
        start = float(guess[0]) if guess is not None and len(guess) == 1 else guess
        return np.atleast_1d(size_search(objective, Y, start, alone))

    def minimize(
        self, objective: Objective, drawing: Drawing, optimizer: Optimizer, max_iter: int, rest: Rest, report: Report
    ) -> Drawing:
        """Return the drawing after at most ``max_iter`` iterations, with each graph's reason."""
        Y, _, reason = minimize(objective, drawing.Y, optimizer, max_iter, rest, report, self.keeper)
        return replace(drawing, Y=Y, reasons=(reason,) if isinstance(reason, str) else tuple(reason))
