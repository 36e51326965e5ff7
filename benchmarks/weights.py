"""What weights and masses do to a drawing by ws-SNE: `python -m benchmarks.weights --graphs worldtrade`.

Weighted graphs are drawn with their weights left out, as they are, as log(1 + w) and, where the numbers are
lengths, as distances, each with the masses "unit", "degree" and "strength".  Neighborhoods and stress are
those of the graph without weights, so that all drawings answer the same questions; `heavy` asks what weights
are for: the Jaccard index of every node's five strongest neighbors (of lengths: the five nearest) and as
many nearest nodes in the drawing.  Medians over seeds; `all` is the geometric mean of neighborhood,
1 / stress, AUC and map R^2 (where known), relative to the drawing without weights with degree masses.
"""

from __future__ import annotations

import argparse
import math

import numpy as np
from scipy.sparse import csr_array

import nelayout as nl
from benchmarks import problems
from benchmarks.drawing_quality import quality

LENGTHS = {"usair97", "london_underground"}
"""Their numbers grow with the distance on the map (usair97: they are that distance): long is weak."""
DEFAULT = ["worldtrade", "primary_school", "usairports2010", "london_underground", "usair97"]
KINDS = {
    "none": {"weight": None},
    "as they are": {},
    "log": {"weight_kind": "log"},
    "distance": {"weight_kind": "distance"},
}
MASSES = ("unit", "degree", "strength")
HEAVY = 5
SHOWN = {"np1": "neighborhood", "sns": "stress", "knn_auc": "AUC", "geo_r2": "map R^2", "heavy": "heavy"}
COUNTS = {"np1": 1, "sns": -1, "knn_auc": 1, "geo_r2": 1}


def weighted(name: str) -> tuple[csr_array, np.ndarray | None, np.ndarray | None]:
    """The weights, classes and map of the largest component."""
    stored = np.load(problems.data_folder() / "graphs" / f"{name}.npz")
    n, rows, cols = int(stored["n"]), stored["rows"].astype(np.int32), stored["cols"].astype(np.int32)
    weights = stored["weights"].astype(np.float64)
    A = csr_array((np.r_[weights, weights], (np.r_[rows, cols], np.r_[cols, rows])), shape=(n, n))
    keep = problems.largest_component(A)
    A = A[keep][:, keep].tocsr()
    A.sort_indices()
    labels = stored["labels"][keep] if "labels" in stored else None
    return A, labels, problems.plane(stored["coords"])[keep] if "coords" in stored else None


def heavy_jaccard(A: csr_array, Y: np.ndarray, long_is_weak: bool, rng: np.random.Generator) -> float:
    """Mean Jaccard index of a node's `HEAVY` strongest neighbors and as many nearest; ties at random."""
    strength = -A.data if long_is_weak else A.data
    found = []
    for i in range(len(Y)):
        low, high = A.indptr[i], A.indptr[i + 1]
        k = min(HEAVY, high - low)
        strongest = A.indices[low:high][np.lexsort((rng.random(high - low), -strength[low:high]))[:k]]
        far = ((Y - Y[i]) ** 2).sum(axis=1)
        far[i] = np.inf
        nearest = np.lexsort((rng.random(len(Y)), far))[:k]
        both = len(np.intersect1d(strongest, nearest))
        found.append(both / (2 * k - both))
    return float(np.mean(found))


def figures(name: str, method: str, kind: str, mass: str, seeds: int) -> dict[str, float]:
    """Medians over seeds."""
    A, labels, coords = weighted(name)
    binary = csr_array((np.ones(A.nnz), A.indices, A.indptr), shape=A.shape)
    rows = []
    for seed in range(seeds):
        Y = nl.layout(A, method, mass=mass, seed=seed, **KINDS[kind])
        row = quality(binary, Y, labels, coords)
        row["heavy"] = heavy_jaccard(A, Y, name in LENGTHS, np.random.default_rng(seed))
        rows.append(row)
    return {key: float(np.median([row[key] for row in rows])) for key in SHOWN if key in rows[0]}


def together(row: dict[str, float], reference: dict[str, float]) -> float:
    """Geometric mean of the figures that count, relative to the reference."""
    ratios = [math.log(row[key] / reference[key]) * sign for key, sign in COUNTS.items() if key in row]
    return math.exp(sum(ratios) / len(ratios))


def main() -> None:
    """Write a Markdown table per graph."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", nargs="+", default=DEFAULT)
    parser.add_argument("--method", default="ws-sne")
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    for name in given.graphs:
        kinds = [kind for kind in KINDS if kind != "distance" or name in LENGTHS]
        table = {
            (kind, mass): figures(name, given.method, kind, mass, given.seeds)
            for kind in kinds
            for mass in MASSES
            if (kind, mass) != ("none", "strength")  # the degree again
        }
        shown = [key for key in SHOWN if key in table["none", "degree"]]
        print(f"\n{name}\n\n| weights | mass | {' | '.join(SHOWN[key] for key in shown)} | all |")
        print("|---" * (len(shown) + 3) + "|")
        for (kind, mass), row in table.items():
            cells = " | ".join(f"{row[key]:.3f}" for key in shown)
            print(f"| {kind} | {mass} | {cells} | {together(row, table['none', 'degree']):.2f} |")


if __name__ == "__main__":
    main()
