"""Vectors from rows to points, beside openTSNE and UMAP: `python -m benchmarks.vector_sets mnist shuttle coil20`.

Every program embeds the rows by its own defaults, everything included, one after the other in one run, in a process of
its own on all cores; what it compiles is compiled by a small embedding before.  Printed are the seconds, the share of
rows whose 10 nearest in the plane mostly have their class, the area below precision and recall of the classes [Y14,
sec. 6], the most memory, and of nelayout the seconds until the first step: the search for neighbors, their weights and
coarser graphs.  A program that is not installed is left out with a line.

`--held-back`: 10,000 rows of MNIST are placed on a map of the others.  `--rows N`: N rows of 50 columns in 30 clusters.
`--areas`: the area of [A15] over 20 seeds, beside the numbers of its Table 1.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import problems
from benchmarks import rank_quality as rq
from nelayout.quality.classes import class_accuracy, class_auc

PROGRAMS = ("nelayout", "openTSNE", "umap")
WARM = 1500
"""Rows of the small embedding that compiles; as many as take every program into its usual course."""
HELD_BACK = 10_000
COLUMNS, CLUSTERS = 50, 30
SEEDS = 20
AREA_PERPLEXITY = 20.0
TABLE_1 = {"iris": 0.90, "wine": 0.72, "coil20": 0.80, "mnist": 0.35, "usps": 0.40}
"""[A15, Table 1]: the best alpha-SNE; of MNIST and USPS on a choice of rows of their own."""


def program(name: str) -> Callable[[np.ndarray], tuple[np.ndarray, float]]:
    """Rows -> points and the seconds before their first step, if known, by a program's defaults on all cores."""
    if name == "openTSNE":
        from openTSNE import TSNE  # pyright: ignore[reportMissingImports]  a peer, not a dependency

        return lambda X: (np.asarray(TSNE(n_jobs=-1, random_state=0).fit(X)), math.nan)
    if name == "umap":
        from umap import UMAP  # pyright: ignore[reportMissingImports]  a peer, not a dependency

        return lambda X: (np.asarray(UMAP(n_jobs=-1).fit_transform(X)), math.nan)
    import nelayout as nl

    def ours(X: np.ndarray) -> tuple[np.ndarray, float]:
        solution = nl.solve_vectors(X, random_state=0)
        return solution.positions, solution.trace[0].seconds

    return ours


def rows_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows and classes of a stored set, or of so many generated rows."""
    if name.isdigit():
        rng = np.random.default_rng(0)
        classes = rng.integers(0, CLUSTERS, int(name))
        centers = 2.0 * rng.standard_normal((CLUSTERS, COLUMNS))
        return (centers[classes] + rng.standard_normal((int(name), COLUMNS))).astype(np.float32), classes
    stored = np.load(problems.data_folder() / "vectors" / f"{name}.npz")
    return stored["X"].astype(np.float32), stored["y"]


def child(name: str, by: str, out: str) -> None:
    """Embed a set by one program: points, seconds and memory go to a file."""
    X, _ = rows_of(name)
    embed = program(by)
    embed(X[np.random.default_rng(0).permutation(len(X))[:WARM]])
    began = time.perf_counter()
    Y, before = embed(X)
    seconds = time.perf_counter() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    np.savez(out, Y=Y, said=json.dumps({"seconds": seconds, "before": before, "memory": memory}))


def measured(name: str, programs: list[str]) -> None:
    """Print the table of one set."""
    _, classes = rows_of(name)
    heads = f"{name}, {len(classes):,} rows | s | until the first step | accuracy | AUC | GB"
    print(f"\n| {heads} |\n|---{'|---:' * heads.count('|')}|", flush=True)
    for by in programs:
        with tempfile.TemporaryDirectory() as folder:
            out = str(Path(folder) / "points.npz")
            subprocess.run([sys.executable, "-m", "benchmarks.vector_sets", "--child", name, by, out], check=True)
            with np.load(out) as stored:
                Y, said = stored["Y"].astype(float), json.loads(str(stored["said"]))
        accuracy, auc = class_accuracy(Y, classes, 10).value, class_auc(Y, classes, seed=0).value
        before = "" if math.isnan(said["before"]) else f"{said['before']:.1f}"
        row = f"{said['seconds']:.1f} | {before} | {accuracy:.4f} | {auc:.4f} | {said['memory'] / 1e9:.1f}"
        print(f"| {by} | {row} |", flush=True)


def held_back() -> None:
    """Print what placing new rows costs, and their accuracy beside that of a drawing of all."""
    import nelayout as nl

    X, classes = rows_of("mnist")
    order = np.random.default_rng(0).permutation(len(X))
    new, fitted = order[:HELD_BACK], order[HELD_BACK:]
    estimator = nl.NeighborEmbedding(random_state=0, n_jobs=-1).fit(X[fitted])
    estimator.transform(X[new[:100]])
    began = time.perf_counter()
    Z = estimator.transform(X[new])
    seconds = time.perf_counter() - began
    together = nl.embed(X, random_state=0)
    votes = [_votes(estimator.embedding_, Z, classes[fitted]), _votes(together[fitted], together[new], classes[fitted])]
    placed, joint = (float(np.mean(vote == classes[new])) for vote in votes)
    print(f"\n{HELD_BACK:,} new rows in {seconds:.1f} s: accuracy {placed:.4f}, drawn with the others {joint:.4f}")


def _votes(Y: np.ndarray, at: np.ndarray, classes: np.ndarray, k: int = 10) -> np.ndarray:
    """The class of most of the k points nearest to each place."""
    from scipy.spatial import KDTree

    near = classes[np.asarray(KDTree(Y).query(at, k)[1])]
    return np.array([np.bincount(row).argmax() for row in near])


def areas(seeds: int) -> None:
    """Print the area below precision and recall of [A15], of the best alpha-SNE and of openTSNE."""
    from sklearn.datasets import load_iris, load_wine

    import nelayout as nl

    wine, iris = (np.asarray(load(return_X_y=True)[0]) for load in (load_wine, load_iris))
    sets = {"iris": iris, "wine": (wine - wine.mean(0)) / wine.std(0)}
    rng = np.random.default_rng(0)
    for name, count in (("coil20", 1440), ("mnist", 6000), ("usps", 1000)):
        X = rows_of(name)[0]
        sets[name] = X[np.sort(rng.choice(len(X), min(count, len(X)), replace=False))]
    heads = ("area", "rows", "best alpha", "alpha-SNE", 'alpha="auto"', "openTSNE", "Table 1")
    print(f"\n| {' | '.join(heads)} |\n|---{'|---:' * (len(heads) - 1)}|")
    for name, X in sets.items():
        many = seeds if len(X) < 2000 else max(1, seeds // 10)

        def area(alpha: Any, X: np.ndarray = X, many: int = many) -> float:
            keywords: dict[str, Any] = {"method": "alpha-sne", "perplexity": AREA_PERPLEXITY, "alpha": alpha}
            drawn = (nl.embed(X, random_state=seed, **keywords) for seed in range(many))
            return float(np.mean([rq.measured(X, Y, "retrieval_auc") for Y in drawn]))

        tried = {alpha: area(alpha) for alpha in (0.1, 0.3, 0.5, 0.7, 0.9)}
        best = max(tried, key=lambda alpha: tried[alpha])
        theirs = float("nan")
        if find_spec("openTSNE"):
            theirs = rq.measured(X, program("openTSNE")(X)[0], "retrieval_auc")
        row = f"{best} | {tried[best]:.3f} | {area('auto'):.3f} | {theirs:.3f} | {TABLE_1[name]:.2f}"
        print(f"| {name} | {len(X):,} | {row} |", flush=True)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sets", nargs="*", default=[], help="names of stored sets")
    parser.add_argument("--rows", type=int, help="so many generated rows, by nelayout alone")
    parser.add_argument("--held-back", action="store_true", help="place new rows of MNIST")
    parser.add_argument("--areas", action="store_true", help="the areas of [A15]")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="of --areas")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        child(*given.child)
        return
    there = [name for name in PROGRAMS if find_spec(name)]
    for name in set(PROGRAMS) - set(there):
        print(f"{name} is not installed and is left out")
    for name in given.sets:
        measured(name, there)
    if given.rows:
        measured(str(given.rows), ["nelayout"])
    if given.held_back:
        held_back()
    if given.areas:
        areas(given.seeds)


if __name__ == "__main__":
    main()
