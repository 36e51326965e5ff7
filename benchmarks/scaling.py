"""How the time of one evaluation grows: `python -m benchmarks.scaling --figure docs/research/images/scaling.png`.

One evaluation is the value and the gradient of ws-SNE's J on a 10-nearest-neighbor graph of random points in a square,
on two threads, warmed, the median of several.  Asked are: more nodes, from 10,000 to a million; the same drawing spread
up to thirty times as wide; and smaller tolerances of the sums.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial import cKDTree

from nelayout.core.catalogue import METHODS
from nelayout.core.formula.kernels import KERNELS, Radial
from nelayout.core.passes.drawing import Summation
from nelayout.core.run.splitting import input_affinity
from nelayout.core.similarities.masses import node_mass
from nelayout.core.sums.nbody import NBody, backend
from nelayout.core.sums.nbody.mesh import Mesh
from nelayout.core.sums.nbody.tree import Tree
from nelayout.numerics.parallel import Threads

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
SPREADS = (1.0, 2.0, 5.0, 10.0, 30.0)
FINER = (1.0, 0.5, 0.25, 0.125)
"""Of the tolerance that each backend has by default."""
BACKENDS = {"auto": "auto", "mesh": "mesh", "tree": "tree"}
COLORS = {"auto": "#1b6ca8", "mesh": "#c1440e", "tree": "#3f7d20"}
LARGE = 100_000
THREADS, REPEATS = 2, 5


def cloud(n: int, clustered: bool = False) -> np.ndarray:
    """(n, 2): a node per unit of area, or fifty dense clusters on as much."""
    rng = np.random.default_rng(0)
    side = n**0.5
    if not clustered:
        return rng.uniform(0.0, side, (n, 2))
    return side * rng.uniform(size=(50, 2))[rng.integers(0, 50, n)] + 0.01 * side * rng.normal(size=(n, 2))


def neighbors(Y: np.ndarray, k: int = 10) -> csr_array:
    """Each point joined to its k nearest."""
    n = len(Y)
    _, near = cKDTree(Y).query(Y, k + 1, workers=THREADS)
    A = csr_array((np.ones(n * k), near[:, 1:].ravel().astype(np.int32), np.arange(0, n * k + 1, k, dtype=np.int32)))
    A = csr_array(A + A.T)
    A.data[:] = 1.0
    return A


def seconds(call) -> float:
    """Of a call that is warm; the median."""
    call()
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def by_size(sizes: tuple[int, ...]) -> dict[str, list[float]]:
    """Backend -> seconds of one evaluation at each size."""
    found: dict[str, list[float]] = {name: [] for name in BACKENDS}
    threads, method = Threads(THREADS), METHODS["ws-sne"]
    for n in sizes:
        Y = cloud(n)
        A = neighbors(Y)
        affinity, _ = input_affinity(A, node_mass(A, method.mass)[0], method, 0.0, threads)
        for name in BACKENDS:
            objective = Summation(name, threads).objective(method, affinity)
            found[name].append(seconds(lambda: objective.evaluate(Y)))  # noqa: B023  called at once
    return found


def by_spread(n: int, *, clustered: bool) -> dict[str, list[float]]:
    """Backend -> seconds of its sums for the same cloud, wider and wider."""
    threads, radial = Threads(THREADS), (Radial(KERNELS["cauchy"]),)
    Y, charges = cloud(n, clustered), np.ones(n)
    return {
        name: [seconds(lambda: backend(name, threads, True).fields(Y * k, charges, radial)) for k in SPREADS]  # noqa: B023
        for name in BACKENDS
    }


def by_tolerance(n: int) -> dict[str, list[float]]:
    """Backend -> seconds of its sums at smaller and smaller tolerances."""
    threads, radial = Threads(THREADS), (Radial(KERNELS["cauchy"]),)
    Y, charges = cloud(n), np.ones(n)
    found: dict[str, list[float]] = {}
    for kind in (Mesh, Tree):
        usual = kind(threads).tolerance
        parts: list[NBody] = [kind(threads, tolerance=usual * finer) for finer in FINER]
        found[parts[0].name] = [seconds(lambda: part.fields(Y, charges, radial)) for part in parts]  # noqa: B023
    return found


def power(sizes: tuple[int, ...], times: list[float]) -> float:
    """p of the line through ln times over ln sizes, times ~ size^p."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def table(head: list[str], rows: dict[str, list[str]]) -> str:
    """Markdown."""
    lines = [f"| {' | '.join(head)} |", "|---" + "|---:" * (len(head) - 1) + "|"]
    return "\n".join([*lines, *(f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items())]) + "\n"


def picture(sizes, sized, spread, clustered, finer, path: Path) -> None:
    """Three panels: nodes, spread, tolerance."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 3.2), layout="constrained")
    axes = figure.subplots(1, 3)
    for name, times in sized.items():
        label = f"{name}, n^{power(sizes, times):.2f}"
        axes[0].loglog(sizes, times, "o-", ms=3, lw=1.3, color=COLORS[name], label=label)
    axes[0].set(xlabel="nodes", ylabel="seconds of one evaluation")
    for name, times in spread.items():
        axes[1].semilogx(SPREADS, np.array(times) / times[0], "o-", ms=3, lw=1.3, color=COLORS[name], label=name)
        wide = np.array(clustered[name]) / clustered[name][0]
        axes[1].semilogx(SPREADS, wide, "o--", ms=3, lw=1.0, color=COLORS[name], label=f"{name}, clusters")
    axes[1].set(xlabel="times as wide", ylabel="seconds, times those at 1")
    for name, times in finer.items():
        axes[2].semilogx(FINER, np.array(times) / times[0], "o-", ms=3, lw=1.3, color=COLORS[name], label=name)
    axes[2].set(xlabel="tolerance, times the usual one", ylabel="seconds, times those at 1")
    axes[1].set_xticks(SPREADS, [f"{k:g}" for k in SPREADS])
    axes[2].set_xticks(FINER, [f"1/{1 / k:g}" if k < 1 else "1" for k in FINER])
    axes[2].invert_xaxis()
    for ax in axes[1:]:
        ax.minorticks_off()
    for ax in axes:
        ax.set_ylim(0 if ax is not axes[0] else None)
        ax.legend(frameon=False, fontsize=7)
        ax.tick_params(labelsize=8)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    figure.savefig(path, dpi=110)


def main(arguments: list[str] | None = None) -> None:
    """Measure, print the tables, draw the figure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling", description=__doc__)
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES))
    parser.add_argument("--large", type=int, default=LARGE, help="nodes of the clouds that are spread")
    parser.add_argument("--figure", type=Path)
    given = parser.parse_args(arguments)
    sizes = tuple(given.sizes)
    sized = by_size(sizes)
    rows = {name: [*(f"{t:.3g}" for t in times), f"{power(sizes, times):.2f}"] for name, times in sized.items()}
    print(table(["seconds", *(f"{n:,}" for n in sizes), "power of n"], rows))
    spread, clustered = (by_spread(given.large, clustered=kind) for kind in (False, True))
    rows = {name: [f"{t / times[0]:.2f}" for t in times] for name, times in spread.items()}
    rows |= {f"{name}, clusters": [f"{t / times[0]:.2f}" for t in times] for name, times in clustered.items()}
    print(table(["times as wide", *(f"{k:g}" for k in SPREADS)], rows))
    finer = by_tolerance(given.large)
    rows = {name: [f"{t / times[0]:.2f}" for t in times] for name, times in finer.items()}
    print(table(["tolerance", *(f"x {k:g}" for k in FINER)], rows))
    if given.figure is not None:
        picture(sizes, sized, spread, clustered, finer, given.figure)


if __name__ == "__main__":
    main()
