"""Where the forms of ft-SNE end, ordinary and as the paper has it: `python -m benchmarks.variational`.

Two graphs: the 10 nearest neighbors of the first 6,000 digits of MNIST, and Les Miserables (77 characters), weighted.
Printed are medians over seeds of the divergence at the end (least and most), for the paper's form the bound that its
network came to, and processor seconds.  `one heap` is the divergence of a drawing in which all pairs are alike: a
method that ends above it has drawn nothing.  It needs torch.
"""

from __future__ import annotations

import argparse
import re
import time

import networkx as nx
import numpy as np
from scipy.sparse import csr_array

import nelayout as nl
from benchmarks import problems

DIGITS = 6000
FORMS: dict[str, bool] = {"ordinary": False, "the paper's": True}
DIVERGENCES = ("kl", "reverse-kl", "js", "hellinger", "chi2")
BOUND = re.compile(r"the network's bound reached (\S+) where")


def mnist() -> csr_array:
    """The neighbor graph of the first digits."""
    stored = np.load(problems.data_folder() / "vectors" / "mnist.npz")
    return problems.neighbor_graph(stored["X"][:DIGITS].astype(np.float32))


def les_miserables() -> csr_array:
    """Characters, joined by how often they meet."""
    return csr_array(nx.to_scipy_sparse_array(nx.les_miserables_graph(), dtype=float))


GRAPHS = {"mnist": mnist, "les-miserables": les_miserables}


def one_heap(A: csr_array, divergence: str) -> float:
    """The divergence of a drawing whose pairs are all equally near."""
    heap = np.random.default_rng(0).normal(size=(A.shape[0], 2))
    method = nl.method("ftsne", divergence=divergence)
    return nl.solve(A, method, pos=1e-3 * heap, max_iter=0).value


def ends(A: csr_array, divergence: str, form: bool, seeds: int) -> tuple[np.ndarray, float, float]:
    """The divergence for each seed; medians of the bound (NaN where there is none) and of processor seconds."""
    method, rows = nl.method("ftsne", divergence=divergence, variational=form), []
    for seed in range(seeds):
        began = time.process_time()
        solution = nl.solve(A, method, seed=seed)
        said = [found[1] for found in map(BOUND.match, solution.notes) if found]
        rows.append((solution.value, float(said[0]) if said else np.nan, time.process_time() - began))
    values, bounds, seconds = np.array(rows).T
    return values, float(np.median(bounds)), float(np.median(seconds))


def main(arguments: list[str] | None = None) -> None:
    """Draw with all forms, and print a table for each graph."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.variational", description=__doc__)
    parser.add_argument("--graphs", nargs="+", choices=list(GRAPHS), default=list(GRAPHS))
    parser.add_argument("--divergences", nargs="+", choices=list(DIVERGENCES), default=list(DIVERGENCES))
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args(arguments)
    for form in FORMS.values():  # compile, and import torch, outside the clock
        nl.solve(nx.path_graph(5), nl.method("ftsne", variational=form), seed=0, max_iter=20)
    for name in given.graphs:
        A = GRAPHS[name]()
        print(f"\n{name}: {A.shape[0]} nodes, {A.nnz // 2} edges, {given.seeds} seeds")
        print(f"| divergence | one heap | {' | '.join(FORMS)} | its bound | CPU s: {', '.join(FORMS)} |")
        print("|---" * (len(FORMS) + 4) + "|", flush=True)
        for divergence in given.divergences:
            cells, seconds, bound = [], [], np.nan
            for form in FORMS.values():
                values, bound, spent = ends(A, divergence, form, given.seeds)
                cells.append(f"{np.median(values):.3g} ({values.min():.3g} to {values.max():.3g})")
                seconds.append(f"{spent:.1f}")
            heap = f"{one_heap(A, divergence):.3g}"
            print(f"| {divergence} | {heap} | {' | '.join(cells)} | {bound:.2g} | {', '.join(seconds)} |", flush=True)


if __name__ == "__main__":
    main()
