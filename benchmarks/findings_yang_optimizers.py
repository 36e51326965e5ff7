"""The optimizers of [Y15] on t-SNE from one start: trials per step (its table 2) and J over time (its figures).

The supplement does not say what its similarities are: here the 10-nearest-neighbor graph, as in [Y14], or the graph
itself.  All begin at the same points near the origin, so nothing of the schedules of
`nelayout.embed` takes part.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from benchmarks import problems
from benchmarks.findings_yang_drawings import VECTORS, given, told
from benchmarks.optimizers import race
from nelayout.core.catalogue import METHODS
from nelayout.core.objective import Affinity, Objective
from nelayout.core.optimizers import Optimizer, optimizer_named
from nelayout.core.optimizers.majorization import Majorize, MajorizeState
from nelayout.core.sums.nbody import backend
from nelayout.numerics.parallel import Threads

SETS = {
    "scotland": (0.3, 10),
    "coil20": (1.5, 3),
    "pendigits": (3.0, 1),
    "shuttle": (6.0, 1),
    "mnist": (6.0, 1),
}
"""Processor seconds of each run, and runs ([Y15] has 10).  The other sets of its table 1 are not at hand."""
SMALL_START = 1e-2
"""Nearer the origin, decreases of J are lost in the error of the sums, and optimizers that search along a line stop."""
EXACT_UP_TO = 2_000
"""Nodes up to which the sums over all pairs are exact; beyond they are those of the mesh."""
CURVE_POINTS = 200


@dataclass(frozen=True, slots=True)
class PaperMajorize(Majorize):
    """Majorization with rho as in [Y15]: halved after every step, also after one for which it had to be doubled."""

    name: str = "majorize as in the paper"

    def step(self, objective: Objective, Y: np.ndarray, state: MajorizeState) -> tuple[np.ndarray, MajorizeState]:
        """As `Majorize.step`."""
        Y, then = Majorize.step(self, objective, Y, state)
        return Y, then._replace(rho=then.rho / 2) if then.taken and state.failed else then


OPTIMIZERS: tuple[Optimizer, ...] = (
    PaperMajorize(),
    *(optimizer_named(name) for name in ("majorize", "spectral-direction", "momentum", "lbfgs")),
)


def neighbors_of(name: str) -> csr_array:
    """The graph of a set."""
    if name in VECTORS:
        return given(name, similarities=False).graph
    return problems.load(name if name == "scotland" else f"{name}_knn{problems.NEIGHBORS}").adjacency


def tsne(graph: csr_array) -> Objective:
    """t-SNE's J of a graph, on one thread."""
    n, compiled, threads, method = graph.shape[0], graph.shape[0] > 500, Threads(1), METHODS["tsne"]
    P = graph.copy()
    P.data = P.data / P.data.sum()
    sums = backend("exact" if n <= EXACT_UP_TO else "auto", threads, compiled)
    return Objective(
        Affinity(P, np.ones(n)), method.kernel, method.divergence, method.connection, sums, compiled=compiled
    )


def raced(J: Objective, Y: np.ndarray, optimizer: Optimizer, seconds: float) -> dict[str, Any]:
    """Summary and thinned curves of one race."""
    rows = race(J, Y, optimizer, seconds, ("trials", "rho"))
    steps, rho = len(rows) - 1, rows[:, 3]
    keep = np.unique(np.geomspace(1, len(rows), CURVE_POINTS).astype(int)) - 1
    return {
        "steps": steps,
        # An optimizer that tries nothing evaluates J once a step.
        "trials": float(rows[-1, 2] / steps) if np.isfinite(rows[-1, 2]) else 1.0,
        "value": float(rows[:, 1].min()),
        "rises": int(np.count_nonzero(np.diff(rows[:, 1]) > 0)),
        "seconds": float(rows[-1, 0]),
        "rho": [float(rho.min()), float(rho.max())] if np.isfinite(rho).all() else None,
        "step": keep.tolist(),
        "time": rows[keep, 0].tolist(),
        "J": rows[keep, 1].tolist(),
    }


def races(name: str, folder: Path) -> dict[str, Any]:
    """All optimizers on one set: {"n", "runs": {optimizer: [one race each]}}; a run of each in turn."""
    seconds, repeats = SETS[name]
    graph = neighbors_of(name)
    J, runs = tsne(graph), {optimizer.name: [] for optimizer in OPTIMIZERS}
    n = graph.shape[0]
    for seed in range(repeats):
        Y = SMALL_START * np.random.default_rng(seed).standard_normal((n, 2))
        for optimizer in OPTIMIZERS:
            optimizer.step(J, Y, optimizer.init(J, Y))  # compiled loops are loaded before the clock runs
            runs[optimizer.name].append(raced(J, Y, optimizer, seconds))
            last = runs[optimizer.name][-1]
            told(name, optimizer.name, *(f"{key}={last[key]}" for key in ("steps", "trials", "value", "rho", "rises")))
    return {"n": n, "m": graph.nnz // 2, "runs": runs}
