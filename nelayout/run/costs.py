"""Costs of passes, before any work: counts of iterations times measured costs.

A descent is a number of evaluations of the objective.  Each evaluation sums over all pairs (or over a mesh) and over
the edges.  Linear systems and the memory of the optimizer add to this.  The costs hold for one core of a 2.5 GHz server
with compiled loops on disk.  On such a machine an estimate is right within about a factor of two.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nelayout.catalogue.record import Method
from nelayout.catalogue.stages import FINEST
from nelayout.formula.kernels import Radial
from nelayout.numerics import loop_store
from nelayout.numerics.breadth_first import COMPILED_ABOVE
from nelayout.numerics.distances import pivots_of
from nelayout.numerics.memory import warn_if_short
from nelayout.optimizers.limited_memory import pairs_kept
from nelayout.run.facts import Facts
from nelayout.run.layers import Layers
from nelayout.run.levels import STARTS_NODES, Levels, Rough, polylog
from nelayout.run.passes import Descent, InSpace, Keep, Pass, passes_within
from nelayout.run.plan import Settings, plan
from nelayout.run.untangling import Redraw, Untangle
from nelayout.similarities.random_walk import KEPT, WHOLE
from nelayout.sums.edges.walk import can_smooth_exactly

__all__ = [
    "BYTES_ENTRY",
    "BYTES_LEAST",
    "BYTES_NODE",
    "BYTES_PAIR",
    "NUMPY_PAIRS",
    "WRITE",
    "Cost",
    "CostModel",
    "compiling_seconds",
    "loops_within",
    "packing_seconds",
    "uses_loops",
    "warn_of_memory",
]

# Pairs of nodes from which compiled loops are loaded.
NUMPY_PAIRS = COMPILED_ABOVE**2
# Seconds of a sum over pairs.  NumPy: for each pair.  Compiled: for each unit of cost.  Fast sums: at least.
NUMPY_PAIR, EXACT_UNIT, MIN_FAST_SUM = 15e-9, 1.1e-9, 3e-4
# Seconds of a fast sum for each node, in 1, 2 and 3 dimensions.
FAST_NODE = {"mesh": (230e-9,) * 3, "tree": (500e-9, 900e-9, 1500e-9)}
# Seconds of an edge sum for each entry, of the smallest evaluation, and of a linear system for each entry.
# A random walk as an operator also counts 1 / sqrt(1 - rho) for each entry.
ENTRY, CALL, SYSTEM_ENTRY = {"numpy": 60e-9, "compiled": 7e-9}, {"numpy": 9e-5, "compiled": 6e-5}, 130e-9
# Factor of both sums where there is one scale factor for each row.
ROWS_FACTOR = 2.5
# Seconds of an iteration of L-BFGS for each coordinate and curvature pair, and however small.
MEMORY_NODE, MEMORY_CALL = 8e-9, 1.5e-4
# Seconds of an evaluation and of an iteration for each node of graphs that are drawn together.
STACKED_NODE = 1.5e-7
# Seconds of an evaluation of stress for each pair of a node and a pivot.
STRESS_PAIR = {"numpy": 2e-8, "compiled": 3e-9}
# Seconds of taking out crossings for each node.
UNTANGLED_NODE = 1e-4
# Seconds of reading and writing for each node and entry, of a component, and of moving nodes apart for each node.
READ, COMPONENT, PARTED_NODE = 1.5e-6, 1.1e-4, 2e-5
# Seconds of cutting a random walk short, for each node, entry kept, mean degree and 1 / (1 - rho).
PUSH = 0.5e-9
# Seconds of similarities from path lengths, for each entry.
PATH_ENTRY = 0.5e-6
# Seconds of any run; of compiling the loops that most runs need, and of loading them in a process.
RUN, COMPILING, LOADING = 0.05, 7.0, 0.5
# Seconds of writing a file, for each node and entry.
WRITE = 1e-6
# Part of a second core's time that is used, and evaluations in an iteration.
SECOND_CORE, TRIALS = 0.6, 1.1
# Part of its most iterations that a descent usually takes: through the levels, and elsewhere.
USUAL_LEVELS, USUAL = 0.6, 0.9
# Bytes at the peak, for each entry and node.  L-BFGS: for each coordinate and curvature pair.  Mesh: for each node.
BYTES_ENTRY, BYTES_NODE, BYTES_MEMORY, BYTES_MESH = 50, 420, 14, 290
# Bytes of any run, and of any mesh.  NumPy and stress: for each pair.  Similarities from path lengths or a random
# walk: for each entry.
BYTES_LEAST, BYTES_LEAST_MESH, BYTES_PAIR, BYTES_STRESS, BYTES_SIMILAR = 500_000, 650_000, 45, 16, 80


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds, bytes at the peak, and evaluations of the objective."""

    seconds: float = 0.0
    bytes: int = 0
    evaluations: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.seconds + other.seconds, max(self.bytes, other.bytes), self.evaluations + other.evaluations)

    def times(self, count: float) -> Cost:
        """Return the cost of ``count`` such pieces of work."""
        return Cost(count * self.seconds, self.bytes, self.evaluations)


class CostModel:
    """Costs of passes on graphs of n nodes, ``count`` of them drawn together."""

    def __init__(
        self, method: Method, o: dict[str, Any], n: int, entries: int, pairs: int, threads: int, count: int = 1
    ) -> None:
        self.method, self.n, self.dim, self.count = method, n, o["dim"], count
        self.rho, self.raw_entries = o["smoothing"], entries
        self.entries = self._smoothed_entries()
        self.compiled = pairs + 20 * self.entries > NUMPY_PAIRS
        self.backend = "exact" if count > 1 else o["nbody"]
        self.speed = 1.0 + SECOND_CORE * (min(threads, 4) - 1) if self.compiled else 1.0

    def __call__(self, each: Pass) -> Cost:
        """Return the cost of one pass on one graph; of `Keep`, of all its branches."""
        if isinstance(each, Keep):
            return sum((self(inner) for branch in each.branches for inner in branch.passes), Cost())
        if isinstance(each, Levels):
            stage = each.stage
            method = self.method if stage.power is None else polylog(stage.power)
            steps, finer = USUAL_LEVELS * stage.max_iter, 2.0 if each.finest else 2.0 * FINEST
            return self._steps(method, stage.optimizer, finer * steps, USUAL_LEVELS * each.steps)
        if isinstance(each, Descent):
            cost = self._steps(self.method.during(each), each.optimizer.name, USUAL * each.steps)
            if not each.emphasis and not self.method.mu:
                return cost
            pairs = self.n * len(pivots_of(self.n))
            seconds = STRESS_PAIR["compiled" if self.compiled else "numpy"] * pairs / self.speed
            return replace(cost + Cost(TRIALS * USUAL * each.steps * seconds), bytes=cost.bytes + BYTES_STRESS * pairs)
        if isinstance(each, Rough):
            copies = min(each.copies, self.n, max(1.0, STARTS_NODES / self.n))
            cost = self._steps(self.method, "lbfgs", copies * each.steps, float(each.steps))
            return replace(cost, bytes=int(copies * (cost.bytes + self.held())))
        if isinstance(each, Untangle):
            return Cost(UNTANGLED_NODE * self.n)
        if isinstance(each, (InSpace, Redraw)):
            return self(each.descend)
        own = self._steps(self.method, "lbfgs", USUAL * each.steps)
        return sum(map(self, (*each.free, *each.across)), own) if isinstance(each, Layers) else own

    def held(self) -> int:
        """Return the bytes that are held all the time."""
        return BYTES_ENTRY * self.entries + BYTES_NODE * self.n

    def similarities(self) -> Cost:
        """Return the cost of similarities from path lengths, or of cutting a random walk short."""
        if self.method.perplexity is not None:
            return Cost(PATH_ENTRY * self.entries, BYTES_SIMILAR * self.entries)
        if self.entries == self.raw_entries:
            return Cost()
        degree = self.raw_entries / self.n
        return Cost(PUSH * self.entries * degree / (1.0 - self.rho), BYTES_SIMILAR * self.entries)

    def _smoothed_entries(self) -> int:
        """Return the entries of the graph, or of a truncated walk instead."""
        method = self.method
        exact = method.affinity == "raw" and can_smooth_exactly(method.kernel, method.divergence, method.connection)
        if not self.rho or exact:
            return self.raw_entries
        return self.n * min(self.n - 1, max(KEPT, WHOLE**2 // self.n))

    def _steps(self, method: Method, optimizer: str, steps: float, calls: float | None = None) -> Cost:
        """Return the cost of iterations on the whole graph; ``calls``: iterations with overhead."""
        evaluations = TRIALS * steps
        calls = evaluations if calls is None else TRIALS * calls
        form = "compiled" if self.compiled else "numpy"
        carrier, each = self._sum(radials_of(method))
        each += ENTRY[form] * self.entries
        if self.rho and self.entries == self.raw_entries:  # the walk is an operator, solved for in each evaluation
            each += SYSTEM_ENTRY * self.entries / math.sqrt(1.0 - self.rho)
        if method.connection.by_rows:
            each *= ROWS_FACTOR
        call = min(STACKED_NODE * self.n, CALL[form]) if self.count > 1 else CALL[form]
        seconds = evaluations * each / self.speed + calls * call
        size, memory = 0, pairs_kept(self.n) * self.n * self.dim
        if optimizer == "majorize":
            seconds += steps * SYSTEM_ENTRY * self.entries / self.speed + calls * call
        else:
            seconds += MEMORY_NODE * steps * memory + calls * (call if self.count > 1 else MEMORY_CALL)
            size += BYTES_MEMORY * memory
        size += BYTES_LEAST_MESH + BYTES_MESH * self.n if carrier == "mesh" else 0
        return Cost(seconds, size, evaluations)

    def _sum(self, radials: tuple[Radial, ...]) -> tuple[str, float]:
        """Return the backend and the seconds of one sum over all pairs of an even drawing."""
        if not self.compiled:
            return "exact", len(radials) * NUMPY_PAIR * self.n**2
        from nelayout.sums.nbody.auto import EXACT_FREE, exact_cost  # not loaded for small graphs

        name, exact = self.backend, exact_cost(self.n, radials)
        if name == "auto":
            name = "exact" if exact <= EXACT_FREE else "mesh" if self.dim == 2 else "tree"
        if name == "exact":
            return name, EXACT_UNIT * exact
        return name, len(radials) * max(MIN_FAST_SUM, FAST_NODE[name][self.dim - 1] * self.n)

    @property
    def nbody(self) -> str:
        """Return the backend for the method's own sums."""
        return self._sum(radials_of(self.method))[0]


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


def packing_seconds(nodes: int, entries: int, components: int, apart: bool) -> float:
    """Return the seconds of reading, packing and writing; ``apart``: nodes are moved apart."""
    return RUN + READ * (nodes + entries) + COMPONENT * max(components - 1, 0) + (PARTED_NODE * nodes if apart else 0.0)


def compiling_seconds() -> float:
    """Return the seconds of compiling loops that are not stored, or of loading stored ones."""
    loading = 0.0 if "nelayout.numerics.compiling" in sys.modules else LOADING
    return loading if loop_store.compiled() else COMPILING + loading


def uses_loops(sizes: np.ndarray, entries: np.ndarray) -> bool:
    """Return whether components of these sizes are drawn by compiled loops."""
    return sizes.sum() ** 2 + 20 * entries.sum() > NUMPY_PAIRS


def warn_of_memory(method: Method, o: dict[str, Any], sizes: np.ndarray, entries: np.ndarray, held: int = 0) -> bool:
    """Warn if drawing these components takes too much memory; return True if it warned.

    entries  of each component's matrix, two an edge
    held     bytes that other work needs before, at its peak
    """
    if not uses_loops(sizes, entries):
        return False
    needed = max(_bytes(method, o, sizes, entries), held)
    remedies = ["Fewer edges (of vectors, a smaller n_neighbors) take less"]
    if o["smoothing"]:
        remedies.append("so does smoothing=0")
    if method.perplexity is not None:
        remedies.append("so does a smaller perplexity")
    return warn_if_short(needed, f"drawing {sizes.sum():,} nodes by {method.name}", "; ".join(remedies))


def _bytes(method: Method, o: dict[str, Any], sizes: np.ndarray, entries: np.ndarray) -> int:
    """Return the bytes at the peak: all components, plus the passes of the largest."""
    n, largest = int(sizes.sum()), int(sizes[0])
    model = CostModel(method, o, largest, int(entries[0]), n * n, 1)
    passes = plan(method, Facts(largest, int(entries[0])), Settings(o["dim"]))
    rest = BYTES_ENTRY * int(entries[1:].sum()) + BYTES_NODE * (n - largest)
    peak = max((model(each).bytes for each in passes), default=0)
    return model.held() + max(peak, model.similarities().bytes) + BYTES_LEAST + rest
