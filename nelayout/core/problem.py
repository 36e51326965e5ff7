"""The problem to draw, as arrays, and how to draw it.

Nothing here knows a graph library, a file or a keyword.  Faces turn a caller's words into a `Problem` and `Settings`,
and a `Result` into the caller's types.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.core.catalogue.record import Method
from nelayout.core.optimizers import Optimizer
from nelayout.core.placing.components import component_labels
from nelayout.core.placing.rings import Rings
from nelayout.core.similarities.hops import hop_entries, path_lengths
from nelayout.core.terms import Term
from nelayout.numerics.distances import Distances

__all__ = ["FULL", "Effort", "Limit", "PreviousLayout", "Problem", "Settings"]


@dataclass(frozen=True, slots=True, eq=False)
class PreviousLayout:
    """A layout that stays itself while its graph changes.

    stability  part of its way that the layout forgoes, in [0, 1); None: nodes with a position are fixed
    same       (n,) mask of the nodes in components that have not changed: these are not drawn again
    """

    stability: float | None
    same: np.ndarray


@dataclass(frozen=True, eq=False)
class Problem:
    """A graph of n nodes, and what is known about it.

    P         (n, n) symmetric weights, a CSR matrix without a diagonal
    mass      (n,) masses, or a name of `nelayout.core.similarities.masses.NAMED`
    lengths   whether the weights are reciprocals of lengths
    joint     whether one objective spans several components
    start     (n, dim) initial positions, NaN rows where a node has none; None: no node has one
    fixed     (n, dim) mask of the coordinates that stay; None: all are free
    size      (n,) diameters or (n, dim) sides of the nodes in units of the result; None: points
    dots      whether nodes that would hide each other in a picture move apart
    rows      (nnz,) row-stochastic similarities on the pattern of P; connections by rows use these instead of P's
    features  (n, p) coordinates of the nodes, for variational methods
    init_hint (n, dim) an outline of the drawing, from which a coarse level is also drawn
    distances  between some of the nodes, which count beside neighbors in the first descent
    merged    where nodes stand for several: part of all weight that is within them, and (n,) for how many
    previous  a layout that stays itself while its graph changes; None: there is none
    tied      whether coordinates stay in layers or columns, so that the result is scaled as a whole
    groups    arrays of nodes that stay together
    rings     circles on which all nodes lie; None: none
    lines     (n, dim) number of each coordinate's line, -1 for none, see `nelayout.core.placing.lines`; None: no line
    shape     of the groups, which do not overlap: a name of `nelayout.core.placing.shapes.SHAPES`; None: no shape
    edges     (n, n) the edges of the graph, where P has more than these; None: P has them
    terms     wishes beside the edges, see `nelayout.core.terms`
    """

    P: csr_array
    mass: np.ndarray | str = "unit"
    lengths: bool = False
    joint: bool = False
    start: np.ndarray | None = None
    fixed: np.ndarray | None = None
    size: np.ndarray | None = None
    dots: bool = False
    rows: np.ndarray | None = None
    features: np.ndarray | None = None
    init_hint: np.ndarray | None = None
    distances: Distances | None = None
    merged: tuple[float, np.ndarray] | None = None
    previous: PreviousLayout | None = None
    tied: bool = False
    groups: tuple[np.ndarray, ...] = ()
    shape: str | None = None
    rings: Rings | None = None
    lines: np.ndarray | None = None
    terms: tuple[Term, ...] = ()
    edges: csr_array | None = None

    @property
    def n(self) -> int:
        """Number of nodes."""
        return self.P.shape[0]

    @cached_property
    def labels(self) -> np.ndarray:
        """(n,) component of each node, 0 the largest."""
        return component_labels(self.P)

    def near(self, method: Method) -> float | None:
        """Return the mean number of similar nodes by path lengths, about; None for weights."""
        if method.perplexity is None or not self.P.nnz:
            return None
        lengths = path_lengths(self.P, self.lengths)
        return hop_entries(lengths, np.flatnonzero(self.labels == 0), method.perplexity, method.hops)

    def sizes(self, method: Method) -> tuple[np.ndarray, np.ndarray]:
        """Return nodes and entries of each objective, largest first; of path lengths, estimates."""
        sizes, entries = np.bincount(self.labels), np.bincount(self.labels, np.diff(self.P.indptr)).astype(int)
        if (near := self.near(method)) is not None:
            entries = np.ceil(sizes * np.minimum(near, sizes - 1)).astype(int)
        return (np.array([sizes.sum()]), np.array([entries.sum()])) if self.joint else (sizes, entries)

    def of(self, nodes: np.ndarray) -> Problem:
        """Return what is known about some nodes, without P; of a part, outline and past."""
        init_hint = None if self.init_hint is None else self.init_hint[nodes]
        nothing = replace(self, rows=None, features=None, distances=None, merged=None, init_hint=init_hint)
        if len(nodes) < self.n:
            return nothing
        rows = self.rows
        if rows is not None and len(rows) == self.P.nnz:
            ordered = csr_array((rows, self.P.indices, self.P.indptr), shape=self.P.shape)[nodes][:, nodes]
            ordered.sort_indices()
            rows = ordered.data
        return replace(
            nothing, rows=rows, features=None if self.features is None else self.features[nodes],
            distances=None if self.distances is None else self.distances.at(nodes),
            merged=None if self.merged is None else (self.merged[0], self.merged[1][nodes]),
        )


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of time.

    seconds  of the whole call
    spent    forecast seconds of work before the drawing, such as a search for neighbors
    began    when the call began, by `time.perf_counter`
    """

    seconds: float
    spent: float = 0.0
    began: float = field(default_factory=time.perf_counter, compare=False)

    def earlier(self, seconds: float) -> Limit:
        """Return the limit of a call that began so many seconds earlier."""
        return replace(self, began=self.began - seconds)

    @property
    def end(self) -> float:
        """Time at which the call must end."""
        return self.began + self.seconds


@dataclass(frozen=True, slots=True)
class Effort:
    """How much of its full plan a drawing takes.

    untangle  whether crossings are undone
    starts    whether other initial positions are compared
    compare   whether several candidates are compared by the quality score
    through   whether the last candidate is drawn from the others, if none are compared
    share     part of the iterations of each stage, in (0, 1]
    """

    untangle: bool = True
    starts: bool = True
    compare: bool = True
    through: bool = True
    share: float = 1.0

    def steps(self, most: int) -> int:
        """Return the iterations that are left of so many."""
        return most if self.share == 1.0 else min(most, max(2, round(self.share * most)))


FULL = Effort()


@dataclass(frozen=True, slots=True)
class Settings:
    """How a problem is drawn.

    dim         dimensions
    optimizer   overrides the optimizer of the stages; None: no override
    max_iter    most iterations of the last stage; None: the stage's own
    tol         tolerance of the last stage; None: the stage's own
    stability   how firmly drawings are tied to their initial positions; None: not at all
    smoothing   probability of the random walk that smooths similarities
    nbody       name of the backend of sums over all pairs
    device      where large graphs are summed: a name, "cpu" for this machine
    scale       the result fits [-scale, scale]; None keeps the method's units
    center      (dim,) the middle of the result; None: the origin
    n_jobs      threads; None: all cores
    limit       of time; None: none
    effort      how much of the full plan is taken
    journal     what an earlier run has done, and what this one does; None: nothing is kept
    rng         the one source of randomness
    """

    dim: int = 2
    optimizer: Optimizer | None = None
    max_iter: int | None = None
    tol: float | None = None
    stability: float | None = None
    smoothing: float = 0.0
    nbody: str = "auto"
    device: str = "cpu"
    scale: float | None = 1.0
    center: np.ndarray | None = None
    n_jobs: int | None = None
    limit: Limit | None = None
    effort: Effort = FULL
    journal: Any = field(default=None, compare=False)
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0), compare=False)
