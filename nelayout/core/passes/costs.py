"""Costs of a pass, from sizes alone: seconds, bytes at the peak, evaluations.

The cost of a pass is its iterations times the cost of one, which sums over all pairs (or a mesh) and over the edges.
The costs hold for one core of a 2.5 GHz server with compiled loops on disk.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from nelayout.core.catalogue.record import Method
from nelayout.core.formula.kernels import Radial
from nelayout.core.objective.small_library import loop
from nelayout.core.passes.drawing import uses_loops
from nelayout.core.problem import Settings
from nelayout.core.similarities.random_walk import KEPT, WHOLE
from nelayout.core.sums.edges.walk import can_smooth_exactly
from nelayout.core.sums.nbody.field import exact_cost, tree_cost
from nelayout.numerics.distances import pivots_of

__all__ = [
    "CALL", "COMPILING", "Cost", "CostModel", "LOADING", "READ", "SHAPING", "finishing", "held_bytes", "radials_of",
]  # fmt: skip

# Seconds of an iteration: of any graph, because of its Python calls, with each sum over a mesh once more; for each node
# in a few arrays; for each entry by a compiled loop; for each entry or pair of nodes by NumPy, in arrays of pairs.
CALL, NODE, ENTRY, PAIR = 4e-4, 2.5e-7, 5e-9, 15e-9
# Factor of CALL where a small graph descends in one compiled loop.
IN_ONE_LOOP = 0.1
# Calls of an iteration that solves a linear system by compiled loops.
SYSTEM_CALLS = 4.0
# Seconds for each node and entry that is read, written, merged or made similar: Python or NumPy touches it a few times.
READ = 1e-6
# Seconds for each move that untangles: of any graph, and for each node, because crossings are counted among all edges;
# and for each node that moves away from overlaps.
MOVE, MOVE_NODE, PARTED_NODE = 2e-4, 2e-7, 1.5e-5
# Seconds for each group with a shape: its sides are compared with those around it, many times.
SHAPING = 3e-3
# Seconds for each entry that a walk keeps, mean degree, and 1 / (1 - rho).
PUSH = 0.3e-9
# Seconds of compiling the loops that most runs need, and of loading them in a process.
COMPILING, LOADING = 7.0, 0.5
# Part of a second core's time that is used.
SECOND_CORE = 0.6
# Bytes at the peak: of any run (or array of a mesh), for each node, entry, and pair of nodes (or of node and pivot).
BYTES_LEAST, BYTES_NODE, BYTES_ENTRY, BYTES_PAIR = 900_000, 380, 62, 22


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds, bytes at the peak, and evaluations; a sum is one cost after another."""

    seconds: float = 0.0
    bytes: int = 0
    evaluations: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.seconds + other.seconds, max(self.bytes, other.bytes), self.evaluations + other.evaluations)


class CostModel:
    """A connected graph of n nodes: passes forecast their cost."""

    def __init__(
        self, method: Method, settings: Settings, n: int, entries: int, threads: int = 1, wished: bool = False
    ) -> None:
        self.method, self.n, self.dim = method, n, settings.dim
        self.rho, self.backend = settings.smoothing, settings.nbody
        exact = method.affinity == "raw" and can_smooth_exactly(method.kernel, method.divergence, method.connection)
        self.given, self.operator = entries, bool(self.rho) and exact
        cut = self.rho and not exact
        self.entries = n * min(n - 1, max(KEPT, WHOLE**2 // n)) if cut else entries
        self.compiled = uses_loops(n, self.entries)
        self.tiny = CALL if wished or loop() is None else IN_ONE_LOOP * CALL  # of a small graph; terms have no loop
        self.call = CALL if self.compiled else self.tiny
        self.entry = ENTRY if self.compiled else PAIR
        self.speed = 1.0 + SECOND_CORE * (min(threads, 4) - 1) if self.compiled else 1.0

    def similarities(self) -> Cost:
        """Return the cost of similarities from path lengths, or of cutting a random walk short."""
        if self.method.perplexity is None and self.entries == self.given:
            return Cost()
        each = READ if self.method.perplexity is not None else PUSH * self.given / self.n / (1.0 - self.rho)
        return Cost(each * self.entries, BYTES_ENTRY * self.entries)

    def steps(
        self, method: Method, steps: float, calls: float, optimizer: str = "lbfgs", stress: bool = False
    ) -> Cost:
        """Return the cost of iterations on the whole graph, and of ``calls`` on any level."""
        radials, name, size = radials_of(method), self._backend(radials_of(method)), 0
        each = NODE * self.n + self.entry * self.entries
        if not self.compiled:
            each += len(radials) * PAIR * self.n**2
            size = 4 * BYTES_PAIR * self.n**2  # positions and functions of all pairs at once
        elif name == "exact":
            each += 1e-9 * exact_cost(self.n, radials)
        else:
            mesh = len(radials) * (CALL + NODE * self.n)
            each += 1e-9 * tree_cost(self.n, self.dim, radials) if name == "tree" else mesh
            size = int(1.8 * BYTES_LEAST)  # a mesh and its transform
        if method.connection.by_rows:
            each *= 2  # passes over all pairs
        if self.operator:  # the walk is solved for in each evaluation
            each += self.entry * self.entries / math.sqrt(1.0 - self.rho)
        if optimizer == "majorize":  # a linear system
            each += PAIR * self.entries
        if stress:
            pairs = self.n * len(pivots_of(self.n))
            each, size = each + self.entry * pairs, size + BYTES_PAIR * pairs
        calls *= SYSTEM_CALLS if optimizer == "majorize" and self.compiled else 1.0
        return Cost(steps * (each / self.speed + NODE * self.n) + calls * self.call, size, steps)

    def moves(self, count: float) -> Cost:
        """Return the cost of moves of nodes and pieces that are tried."""
        return Cost(count * (MOVE + MOVE_NODE * self.n))

    def small(self, steps: float) -> Cost:
        """Return the cost of iterations on a graph of few nodes."""
        return Cost(steps * self.tiny)

    def _backend(self, radials: tuple[Radial, ...]) -> str:
        """Return the backend of sums over all pairs of an even drawing."""
        if self.backend != "auto" or not self.compiled:
            return self.backend if self.compiled else "exact"
        from nelayout.core.sums.nbody.auto import EXACT_FREE  # not loaded for small graphs

        return "exact" if exact_cost(self.n, radials) <= EXACT_FREE else "mesh" if self.dim == 2 else "tree"

    @property
    def nbody(self) -> str:
        """Return the backend for the method's own sums."""
        return self._backend(radials_of(self.method))


def finishing(n: int, entries: int, count: int, apart: bool) -> tuple[float, float]:
    """Return the seconds in which components come together and, if asked, nodes move apart."""
    return 0.5 * READ * (n + entries) + CALL * count, PARTED_NODE * n if apart else 0.0


def radials_of(method: Method) -> tuple[Radial, ...]:
    """Return the radial functions that an evaluation sums."""
    found = {radial for term in method.divergence.pairs for radial in term.radials(method.kernel)}
    return tuple(found | ({Radial(method.kernel)} if method.connection.needs_normalizer else set()))


def held_bytes(n: int, entries: int) -> int:
    """Return the bytes of any run, and of all nodes and entries."""
    return BYTES_LEAST + BYTES_NODE * n + BYTES_ENTRY * entries
