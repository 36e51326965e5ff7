"""What passes cost: iterations times the cost of one, which sums over all pairs (or a mesh) and over the edges.

The costs hold for one core of a 2.5 GHz server with compiled loops on disk.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from nelayout.catalogue.record import Method
from nelayout.catalogue.stages import FINEST
from nelayout.formula.kernels import Radial
from nelayout.numerics.distances import pivots_of
from nelayout.numerics.memory import warn_if_short
from nelayout.run.drawing import uses_loops
from nelayout.run.facts import Facts
from nelayout.run.layers import Layers
from nelayout.run.levels import STARTS_NODES, Levels, Rough, polylog
from nelayout.run.passes import Descent, InSpace, Keep, Pass, passes_within
from nelayout.run.plan import plan as passes_of
from nelayout.run.problem import Settings
from nelayout.run.untangling import MAX_MOVES, NODE_MOVES, Redraw, Untangle
from nelayout.similarities.random_walk import KEPT, WHOLE
from nelayout.sums.edges.walk import can_smooth_exactly
from nelayout.sums.nbody.field import exact_cost, tree_cost

__all__ = ["Cost", "CostModel", "held_bytes", "loops_within", "warn_of_memory"]

# Seconds of an iteration: however small, with each sum over a mesh once more; for each node likewise; for each pair of
# nodes by NumPy; and for each entry.
CALL, NODE, PAIR = 2.2e-4, 1.5e-7, 15e-9
ENTRY = {"numpy": 40e-9, "compiled": 5e-9}
# Seconds for each node and entry that is read, written or made similar, and for each entry that levels merge; for each
# node that moves by itself, and for each move that untangles.
READ, TIDY_NODE, MOVE = 1e-6, 5e-5, 1.2e-4
# Seconds for each entry that a walk keeps, mean degree, and 1 / (1 - rho).
PUSH = 0.3e-9
# Seconds of any run, of compiling the loops that most runs need, and of loading them in a process.
RUN, COMPILING, LOADING = 0.02, 7.0, 0.5
# Part of a second core's time that is used.
SECOND_CORE = 0.6
# Bytes at the peak: of any run (or array of a mesh), for each node, entry, and pair of nodes (or of node and pivot).
BYTES_LEAST, BYTES_NODE, BYTES_ENTRY, BYTES_PAIR = 620_000, 380, 62, 22


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds, bytes at the peak, and evaluations of the objective."""

    seconds: float = 0.0
    bytes: int = 0
    evaluations: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.seconds + other.seconds, max(self.bytes, other.bytes), self.evaluations + other.evaluations)


class CostModel:
    """Costs of passes on a connected graph of n nodes."""

    def __init__(
        self, method: Method, settings: Settings, n: int, entries: int, threads: int = 1
    ) -> None:
        self.method, self.n, self.dim, self.rho = method, n, settings.dim, settings.smoothing
        exact = method.affinity == "raw" and can_smooth_exactly(method.kernel, method.divergence, method.connection)
        self.given, self.operator = entries, bool(self.rho) and exact
        cut = self.rho and not exact
        self.entries = n * min(n - 1, max(KEPT, WHOLE**2 // n)) if cut else entries
        self.compiled = uses_loops(n, self.entries)
        self.form = "compiled" if self.compiled else "numpy"
        self.backend = settings.nbody
        self.speed = 1.0 + SECOND_CORE * (min(threads, 4) - 1) if self.compiled else 1.0

    def __call__(self, each: Pass) -> Cost:
        """Return the cost of one pass on one graph; branches of `Keep` are passes of their own."""
        if isinstance(each, Keep):
            return Cost()
        if isinstance(each, Levels):
            stage = each.stage
            method = self.method if stage.power is None else polylog(stage.power)
            whole = stage.max_iter * (2.0 if each.finest else 2.0 * FINEST)  # each level has half of the nodes
            merging = Cost(READ * self.entries)
            return merging + self._steps(method, whole, each.steps, stage.optimizer)
        if isinstance(each, Rough):
            copies = min(each.copies, self.n, max(1.0, STARTS_NODES / self.n))
            cost = self._steps(self.method, copies * each.steps, each.steps)
            held = copies * (BYTES_NODE * self.n + BYTES_ENTRY * self.entries)
            return replace(cost, bytes=cost.bytes + int(held))
        if isinstance(each, Untangle):
            cycles = max(self.entries // 2 - self.n + 1, 0)  # a graph without cycles has hardly a crossing
            moves = (MAX_MOVES + NODE_MOVES * self.n) * min(1.0, cycles / self.n)
            return Cost(TIDY_NODE * self.n + MOVE * moves)
        if isinstance(each, InSpace):
            return self(each.descend)
        if isinstance(each, Redraw):
            return sum(map(self, (*each.descents, each.untangle)), Cost())
        if not isinstance(each, Descent):
            own = self._steps(self.method, each.steps, each.steps) if each.steps else Cost()
            inner = passes_within((*each.free, *each.across)) if isinstance(each, Layers) else ()
            return sum((self(one) for _, one in inner), own)
        whole = 0.5 * each.steps if each.coarser else each.steps  # the next coarser graph has half of the nodes
        cost = self._steps(self.method.during(each), whole, each.steps, each.optimizer.name)
        if not each.emphasis and not self.method.mu:
            return cost
        pairs = self.n * len(pivots_of(self.n))
        seconds = each.steps * ENTRY[self.form] * pairs / self.speed
        return Cost(cost.seconds + seconds, cost.bytes + BYTES_PAIR * pairs, cost.evaluations)

    def similarities(self) -> Cost:
        """Return the cost of similarities from path lengths, or of cutting a random walk short."""
        if self.method.perplexity is None and self.entries == self.given:
            return Cost()
        each = READ if self.method.perplexity is not None else PUSH * self.given / self.n / (1.0 - self.rho)
        return Cost(each * self.entries, BYTES_ENTRY * self.entries)

    def _steps(self, method: Method, steps: float, calls: float, optimizer: str = "lbfgs") -> Cost:
        """Return the cost of iterations on the whole graph, and of ``calls`` on any level."""
        radials, name, size = radials_of(method), self._backend(radials_of(method)), 0
        each = NODE * self.n + ENTRY[self.form] * self.entries
        if not self.compiled:
            each += len(radials) * PAIR * self.n**2
            size = BYTES_PAIR * self.n**2
        elif name == "exact":
            each += 1e-9 * exact_cost(self.n, radials)
        else:
            mesh = len(radials) * (CALL + NODE * self.n)
            each += 1e-9 * tree_cost(self.n, self.dim, radials) if name == "tree" else mesh
            size = int(1.8 * BYTES_LEAST)  # a mesh and its transform
        if method.connection.by_rows:
            each *= 2  # passes over all pairs
        if self.operator:  # the walk is solved for in each evaluation
            each += ENTRY[self.form] * self.entries / math.sqrt(1.0 - self.rho)
        if optimizer == "majorize":  # a linear system
            each += ENTRY["numpy"] * self.entries
        return Cost(steps * (each / self.speed + NODE * self.n) + calls * CALL, size, steps)

    def _backend(self, radials: tuple[Radial, ...]) -> str:
        """Return the backend of sums over all pairs of an even drawing."""
        if self.backend != "auto" or not self.compiled:
            return self.backend if self.compiled else "exact"
        from nelayout.sums.nbody.auto import EXACT_FREE  # not loaded for small graphs

        return "exact" if exact_cost(self.n, radials) <= EXACT_FREE else "mesh" if self.dim == 2 else "tree"

    @property
    def nbody(self) -> str:
        """Return the backend for the method's own sums."""
        return self._backend(radials_of(self.method))


def radials_of(method: Method) -> tuple[Radial, ...]:
    """Return the radial functions that an evaluation sums."""
    found = {radial for term in method.divergence.pairs for radial in term.radials(method.kernel)}
    return tuple(found | ({Radial(method.kernel)} if method.connection.needs_normalizer else set()))


def loops_within(passes: tuple[Pass, ...], method: Method) -> Iterator[Radial | str]:
    """Yield what a plan computes by compiled loops: radial functions, "stress", "crossings"."""
    for _, each in passes_within(passes):
        if isinstance(each, Levels):
            yield from radials_of(method if each.stage.power is None else polylog(each.stage.power))
        elif isinstance(each, Descent):
            yield from radials_of(method.during(each))
            if each.emphasis or method.mu:
                yield "stress"
        elif isinstance(each, Untangle):
            yield "crossings"


def held_bytes(n: int, entries: int) -> int:
    """Return the bytes of any run, and of all nodes and entries."""
    return BYTES_LEAST + BYTES_NODE * n + BYTES_ENTRY * entries


def warn_of_memory(
    method: Method, settings: Settings, sizes: np.ndarray, entries: np.ndarray, held: int = 0
) -> bool:
    """Warn if drawing these components takes too much memory; return True if it warned.

    entries  of each component's matrix, two an edge, the largest first
    held     bytes that other work needs before, at its peak
    """
    n, largest, own = int(sizes.sum()), int(sizes.max(initial=0)), int(entries.max(initial=0))
    if not uses_loops(largest, own):
        return False
    model = CostModel(method, settings, largest, own)
    costs = [model.similarities(), *map(model, passes_of(method, Facts(largest, own), settings))]
    needed = held_bytes(n, model.entries + int(entries.sum()) - own) + max(cost.bytes for cost in costs)
    remedies = ["Fewer edges (of vectors, a smaller n_neighbors) take less"]
    if settings.smoothing:
        remedies.append("so does smoothing=0")
    if method.perplexity is not None:
        remedies.append("so does a smaller perplexity")
    what = f"drawing {n:,} nodes by {method.name}"
    return warn_if_short(max(needed, held), what, "; ".join(remedies))
