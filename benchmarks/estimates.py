"""What `nelayout.estimate` says beside the processor time of one thread: `python -m benchmarks.estimates`.

Each mesh is drawn a few steps to load what is compiled, then several times; the median counts.  The costs in
`core/passes/costs.py` hold for one class of machines: on another, all ratios are larger or smaller by one factor.  So
the last line gives their geometric mean, and the least and the largest as multiples of it.
"""

from __future__ import annotations

import argparse
import time

import networkx as nx
import numpy as np

import nelayout as nl

METHODS = ("ws-sne", "gamma-quadlog", "tsne", "ee", "linlog", "sne", "jse", "alpha-sne", "auto")


def mesh(n: int) -> nx.Graph:
    """The largest component of n points in the unit square, each joined to about eight."""
    G = nx.random_geometric_graph(n, float(np.sqrt(8 / np.pi / n)), seed=1)
    return G.subgraph(max(nx.connected_components(G), key=len))


def seconds_of(G: nx.Graph, method: str) -> float:
    """Processor time of one drawing."""
    began = time.process_time()
    nl.solve(G, method, seed=0, n_jobs=1)
    return time.process_time() - began


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, nargs="+", default=[300, 1000, 2000, 5000])
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    ratios = []
    print("| nodes | method | processor s | estimate s | ratio |\n|---:|---|---:|---:|---:|")
    for n in asked.nodes:
        G = mesh(n)
        for method in asked.methods:
            nl.solve(G, method, seed=0, max_iter=3, n_jobs=1)
            seconds = float(np.median([seconds_of(G, method) for _ in range(asked.repeats)]))
            estimate = nl.estimate(G, method, n_jobs=1).seconds
            ratios.append(seconds / estimate)
            print(f"| {n} | {method} | {seconds:.2f} | {estimate:.2f} | {ratios[-1]:.2f} |", flush=True)
    middle = float(np.exp(np.mean(np.log(ratios))))
    print(f"\ngeometric mean {middle:.2f}, from {min(ratios) / middle:.2f} to {max(ratios) / middle:.2f} times this")


if __name__ == "__main__":
    main()
