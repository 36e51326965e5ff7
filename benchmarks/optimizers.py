"""The objective against time, optimizer by optimizer: `python -m benchmarks.optimizers --figure FILE.png`.

All start from the same drawing: the shape that gamma-QuadLog finds through the coarsened graphs, brought to
the size that suits the method.  Each then has the same processor seconds on one thread, with exact sums over
all pairs.  What is compared is J minus the least J that any of them found: in nats for optimal connections,
relative to |J| for fixed ones (whose J depends on the unit of the weights).  Ends less than 0.001 apart count
as the same.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

import nelayout as nl
from benchmarks import problems
from nelayout.core.catalogue import METHODS
from nelayout.core.catalogue.record import Method
from nelayout.core.catalogue.stages import SHAPE
from nelayout.core.objective import Affinity, Objective
from nelayout.core.optimizers import OPTIMIZERS, Optimizer, optimizer_named
from nelayout.core.optimizers.size import size_search
from nelayout.core.similarities.masses import node_mass
from nelayout.core.sums.nbody import Exact

GRAPHS = {"usair97": 2.0, "dwt_1005": 4.0, "cora": 8.0}
"""Processor seconds of each run, by the size of the graph."""
SHOWN = ("ws-sne", "gamma-quadlog", "ee", "linlog")
SAME = 1e-3
SMALLEST = 1e-7  # where the logarithmic axis ends
COLORS = {
    "majorize": "#0072b2",
    "momentum": "#e69f00",
    "spectral-direction": "#009e73",
    "lbfgs": "#cc3311",
}


def objective_and_start(A: csr_array, method: Method, seed: int = 0) -> tuple[Objective, np.ndarray]:
    """The method's J of this graph, and the sized drawing from which all optimizers go."""
    shape = replace(method, stages=(SHAPE,))
    Y = nl.layout(A, shape, seed=seed, scale=None, n_jobs=1)
    P = A.copy()
    if method.affinity == "sum-1":
        P.data = P.data / P.data.sum()
    n = P.shape[0]
    compiled = n > 800
    mass = node_mass(A, method.mass)[0]
    J = Objective(
        Affinity(P, mass),
        method.kernel,
        method.divergence,
        method.connection,
        Exact(compiled),
        compiled=compiled,
    )
    Y = Y - Y.mean(axis=0)
    J.evaluate(Y)  # compiled loops are loaded before the clock runs
    return J, Y * size_search(J, Y)


def race(J: Objective, Y: np.ndarray, optimizer: Optimizer, seconds: float, also: tuple[str, ...] = ()) -> np.ndarray:
    """(1 + steps, 2 + len(also)): processor seconds and J before the first and after each step.

    ``also`` names "trials", all so far, or numbers in the optimizer's state; NaN where the state has no such number.
    """
    began, trials = time.process_time(), 0
    state = optimizer.init(J, Y)

    def row() -> tuple[float, ...]:
        numbers = (trials if name == "trials" else getattr(state, name, np.nan) for name in also)
        return time.process_time() - began, state.evaluation.value, *numbers

    rows = [row()]
    while rows[-1][0] < seconds and not state.stuck:
        Y, state = optimizer.step(J, Y, state)
        trials += 1
        if state.taken:
            rows.append(row())
    return np.array(rows)


def races(name: str, method: Method, seconds: float) -> dict[str, np.ndarray]:
    """One race per optimizer that is valid for the method."""
    J, Y = objective_and_start(problems.load(name).adjacency, method)
    found = {}
    for label in OPTIMIZERS:
        optimizer = optimizer_named(label)
        try:
            optimizer.check(J.kernel, J.divergence)
        except nl.Unsupported:
            continue
        found[label] = race(J, Y, optimizer, seconds)
    return found


def above_best(found: dict[str, np.ndarray], fixed: bool) -> dict[str, np.ndarray]:
    """J minus the best of all, by step; relative to |best| when the connection is fixed."""
    best = min(rows[:, 1].min() for rows in found.values())
    unit = abs(best) if fixed else 1.0
    return {label: (rows[:, 1] - best) / unit for label, rows in found.items()}


def table(results: dict[tuple[str, str], dict[str, np.ndarray]]) -> str:
    """Where each ends above the best of its row; bold when less than `SAME` above it."""
    head = ["method", "graph", "best J", *OPTIMIZERS]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for (method, name), found in results.items():
        gaps = above_best(found, METHODS[method].connection.name == "fixed")
        cells = []
        for label in OPTIMIZERS:
            if label not in gaps:
                cells.append("-")
                continue
            gap = gaps[label].min()
            cells.append(f"**{gap:.1e}**" if gap < SAME else f"{gap:.1e}")
        best = min(rows[:, 1].min() for rows in found.values())
        lines.append(f"| {method} | {name} | {best:.6g} | {' | '.join(cells)} |")
    return "\n".join(lines)


def picture(results: dict[tuple[str, str], dict[str, np.ndarray]], path: Path) -> None:
    """Small multiples: methods in rows, graphs in columns."""
    from matplotlib.figure import Figure

    methods = list(dict.fromkeys(method for method, _ in results))
    names = list(dict.fromkeys(name for _, name in results))
    figure = Figure(figsize=(9, 2.1 * len(methods) + 0.5), layout="constrained")
    axes = figure.subplots(len(methods), len(names), squeeze=False)
    for (method, name), found in results.items():
        ax = axes[methods.index(method), names.index(name)]
        fixed = METHODS[method].connection.name == "fixed"
        for label, gap in above_best(found, fixed).items():
            best_so_far = np.maximum(np.minimum.accumulate(gap), SMALLEST)
            ax.plot(found[label][:, 0], best_so_far, color=COLORS.get(label), label=label, lw=1.5)
        ax.axhline(SAME, color="#888888", lw=0.6, ls=":")
        ax.set_yscale("log")
        ax.set_ylim(SMALLEST, None)
        ax.set_xlim(0, GRAPHS[name])
        ax.tick_params(labelsize=8)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        if method == methods[0]:
            ax.set_title(name, fontsize=10)
        if method == methods[-1]:
            ax.set_xlabel("processor seconds", fontsize=9)
        if name == names[0]:
            unit = "relative" if fixed else "nats"
            ax.set_ylabel(f"{method}\nJ - best, {unit}", fontsize=9)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False, fontsize=9)
    figure.savefig(path, dpi=110)


def main() -> None:
    """Print the table, draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", nargs="+", default=list(GRAPHS), choices=list(GRAPHS))
    parser.add_argument("--methods", nargs="+", default=list(SHOWN), choices=list(METHODS))
    parser.add_argument("--figure", type=Path)
    given = parser.parse_args()
    results = {
        (method, name): races(name, METHODS[method], GRAPHS[name]) for method in given.methods for name in given.graphs
    }
    print(table(results))
    if given.figure is not None:
        picture(results, given.figure)


if __name__ == "__main__":
    main()
