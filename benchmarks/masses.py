"""Compare degrees and strengths as masses on weighted graphs: `python -m benchmarks.masses --graphs scotland karate`.

Weighted graphs of the shared data and five more are drawn with each mass.  `neighborhood` and `stress` look at hops.
`weighted` is the part of a node's strength that its nearest nodes hold, as many as it has neighbors.  `heavy` is the
mean length of the heaviest tenth of the edges, in mean lengths of all edges.  Then one edge at a time gets 100 times
its weight: `raised` is the median factor of its length, in radii of the drawing, and `longer` the part of these edges
that get longer.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

import networkx as nx
import numpy as np
from scipy.sparse import csr_array, triu

import nelayout as nl
from benchmarks.weights import LENGTHS, weighted

MASSES = ("degree", "strength")
RAISED = 100.0
SHARED = (
    "scotland", "worldtrade", "primary_school", "london_underground", "usair97", "netscience", "usairports2010"
)  # fmt: skip
SHOWN = ("neighborhood", "weighted", "stress", "heavy", "raised", "longer")
BETTER = {"neighborhood": 1, "weighted": 1, "stress": -1, "heavy": -1, "raised": -1}


def _communities() -> nx.Graph:
    """Return six groups with heavy-tailed weights inside and weights about 1 between."""
    rng = np.random.default_rng(0)
    G = nx.planted_partition_graph(6, 25, 0.3, 0.02, seed=1)
    for u, v in G.edges:
        G.edges[u, v]["weight"] = 1 + (rng.pareto(1.0) if u // 25 == v // 25 else rng.random())
    return G


def _roads() -> nx.Graph:
    """Return a grid with ten times the weight on every fourth row and column."""
    G = nx.grid_2d_graph(16, 16)
    for (a, b), (c, d) in G.edges:
        G.edges[(a, b), (c, d)]["weight"] = 10.0 if (a == c and a % 4 == 0) or (b == d and b % 4 == 0) else 1.0
    return G


def _near() -> nx.Graph:
    """Return random points in a square, with weights that fall with the distance."""
    G = nx.random_geometric_graph(250, 0.13, seed=2)
    places = nx.get_node_attributes(G, "pos")
    for u, v in G.edges:
        G.edges[u, v]["weight"] = math.exp(-20 * math.dist(places[u], places[v]))
    return G


OTHERS: dict[str, Callable[[], nx.Graph]] = {
    "karate": nx.karate_club_graph,
    "les_miserables": nx.les_miserables_graph,
    "communities": _communities,
    "roads": _roads,
    "near": _near,
}


def graph(name: str) -> tuple[csr_array, str]:
    """Return the weights of a graph's largest component, and what they mean."""
    if name not in OTHERS:
        return weighted(name)[0], "distance" if name in LENGTHS else "similarity"
    G = OTHERS[name]()
    return csr_array(nx.to_scipy_sparse_array(G.subgraph(max(nx.connected_components(G), key=len)))), "similarity"


def _lengths(A: csr_array, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the ends of the edges (2, m), their weights, and their lengths in radii of the drawing."""
    upper = triu(A).tocoo()
    ends = np.array([upper.row, upper.col])
    radius = math.sqrt(np.mean(np.sum((Y - np.mean(Y, axis=0)) ** 2, axis=1)))
    return ends, upper.data, np.linalg.norm(Y[ends[0]] - Y[ends[1]], axis=1) / radius


def _held(A: csr_array, Y: np.ndarray) -> float:
    """Return the mean part of a node's strength that its nearest nodes hold."""
    found = []
    for i in range(len(Y)):
        row = slice(A.indptr[i], A.indptr[i + 1])
        far = np.sum((Y - Y[i]) ** 2, axis=1)
        far[i] = np.inf
        nearest = np.argsort(far)[: A.indptr[i + 1] - A.indptr[i]]
        found.append(np.sum(A.data[row][np.isin(A.indices[row], nearest)]) / np.sum(A.data[row]))
    return float(np.mean(found))


def figures(name: str, method: str, mass: str, seeds: int, edges: int) -> dict[str, float]:
    """Return medians over seeds; one after another, so many edges are raised."""
    A, kind = graph(name)
    P = A if kind == "similarity" else csr_array((np.mean(A.data) / A.data, A.indices, A.indptr), shape=A.shape)
    rows = []
    for seed in range(seeds):
        Y = nl.layout(P, method, mass=mass, node_size=None, seed=seed)
        measured = nl.measure(P, Y, measures=["neighborhood", "stress"], weight=None)
        _, weights, lengths = _lengths(P, Y)
        heavy = np.argsort(-weights, kind="stable")[: max(len(weights) // 10, 1)]
        rows.append(
            {
                **{key: each.value for key, each in measured.items()},
                "weighted": _held(P, Y),
                "heavy": float(np.mean(lengths[heavy]) / np.mean(lengths)),
            }
        )
    Y = nl.layout(P, method, mass=mass, node_size=None, seed=0)
    ends, weights, before = _lengths(P, Y)
    factors = []
    for k in np.random.default_rng(0).permutation(len(weights))[:edges]:
        heavier = P.tolil()
        for i, j in (ends[:, k], ends[::-1, k]):
            heavier[i, j] = RAISED * weights[k]
        changed = csr_array(heavier)
        after = _lengths(changed, nl.layout(changed, method, mass=mass, node_size=None, seed=0))[2]
        factors.append(after[k] / before[k])
    found = {key: float(np.median([row[key] for row in rows])) for key in rows[0]}
    return {**found, "raised": float(np.median(factors)), "longer": float(np.mean(np.array(factors) > 1))}


def main() -> None:
    """Write a Markdown table for each method."""
    parser = argparse.ArgumentParser(description="Compare degrees and strengths as masses on weighted graphs.")
    parser.add_argument("--graphs", nargs="+", default=[*SHARED, *OTHERS])
    parser.add_argument("--methods", nargs="+", default=["ws-sne", "linlog", "gamma-linlog"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--edges", type=int, default=8)
    given = parser.parse_args()
    for method in given.methods:
        print(f"\n{method}\n\n| graph | mass | {' | '.join(SHOWN)} |")
        print("|---" * (len(SHOWN) + 2) + "|", flush=True)
        ratios: dict[str, list[float]] = {key: [] for key in BETTER}
        for name in given.graphs:
            rows = {mass: figures(name, method, mass, given.seeds, given.edges) for mass in MASSES}
            for mass, row in rows.items():
                print(f"| {name} | {mass} | {' | '.join(f'{row[key]:.3f}' for key in SHOWN)} |", flush=True)
            for key, sign in BETTER.items():
                ratios[key].append(sign * math.log(rows["degree"][key] / rows["strength"][key]))
        gains = ", ".join(f"{key} {math.exp(np.mean(each)):.3f}" for key, each in ratios.items())
        print(f"\ndegree is better than strength by the factor: {gains}", flush=True)


if __name__ == "__main__":
    main()
