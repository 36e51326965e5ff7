"""ForceAtlas2 by networkx and by nelayout as its backend, in one run: `python -m benchmarks.forceatlas2`.

Both minimize one energy, which is summed here pair by pair with none of either's code.  nelayout draws once before it
is timed, so that what is compiled is compiled.  Prints a line for each contender, and how many times as long networkx
took.
"""

from __future__ import annotations

import argparse
import time

import networkx as nx
import numpy as np

from nelayout.plugins.networkx import forceatlas2_layout

ROWS = 500
"""Rows of pairs that are summed at once."""


def energy(G: nx.Graph, pos: dict, scaling_ratio: float = 2.0, gravity: float = 1.0) -> float:
    """Springs of rest length 0, logarithmic repulsion by degree + 1, gravity to the mean; each pair once."""
    Y, index = np.array([pos[v] for v in G]), {v: k for k, v in enumerate(G)}
    m = np.array([G.degree(v) + 1.0 for v in G])
    total = sum(0.5 * float(np.sum((Y[index[u]] - Y[index[v]]) ** 2)) for u, v in G.edges)
    total += gravity * float(np.sum(m * np.linalg.norm(Y - Y.mean(axis=0), axis=1)))
    for start in range(0, len(Y), ROWS):
        here = Y[start : start + ROWS]
        squares = ((here[:, None] - Y) ** 2).sum(axis=-1)
        squares[np.arange(len(here)), start + np.arange(len(here))] = 1.0
        total -= 0.25 * scaling_ratio * float(np.sum(m[start : start + ROWS, None] * m * np.log(squares)))
    return total


def main() -> None:
    """Draw one graph by both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--links", type=int, default=2, help="edges of each new node (Barabasi & Albert)")
    parser.add_argument("--steps", type=int, default=100, help="networkx's iterations; 100 are its own")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    G = nx.barabasi_albert_graph(given.nodes, given.links, seed=given.seed)
    seconds = {}

    def ours() -> dict:
        return forceatlas2_layout(G, seed=given.seed)

    def theirs() -> dict:
        return nx.forceatlas2_layout(G, max_iter=given.steps, seed=given.seed, backend="networkx")

    ours()
    for name, draw in {"nelayout": ours, "networkx": theirs}.items():
        began = time.perf_counter()
        pos = draw()
        seconds[name] = time.perf_counter() - began
        print(f"{name}: {seconds[name]:.2f} s, energy {energy(G, pos):.6g}", flush=True)
    print(f"{G.number_of_nodes():,} nodes, {G.number_of_edges():,} edges: networkx took")
    print(f"{seconds['networkx'] / seconds['nelayout']:.0f} times as long")


if __name__ == "__main__":
    main()
