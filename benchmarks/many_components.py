"""Many different small components: `python -m benchmarks.many_components`.

Each graph is drawn once to load what is compiled, then timed; the estimate stands beside the time, and so does
Graphviz sfdp, where it is installed, which draws and packs components as well.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import time

import networkx as nx
import numpy as np

import nelayout as nl

KINDS = {"1,000 pairs": (1000, 2, 2), "1,000 trees of 3 to 7": (1000, 3, 7), "1,000 trees of 8 to 14": (1000, 8, 14),
         "300 trees of 20 to 60": (300, 20, 60)}
METHODS = ("auto", "tsne", "gamma-quadlog")


def forest(count: int, low: int, high: int) -> nx.Graph:
    """Random trees of low to high nodes, with random weights."""
    rng = np.random.default_rng(0)
    trees = [nx.random_labeled_tree(int(rng.integers(low, high + 1)), seed=k) for k in range(count)]
    G = nx.disjoint_union_all(trees)
    nx.set_edge_attributes(G, {edge: 0.5 + rng.random() for edge in G.edges}, "weight")
    return G


def sfdp_seconds(G: nx.Graph) -> float | None:
    """Wall time of Graphviz sfdp; None where it is not installed."""
    if shutil.which("sfdp") is None:
        return None
    text = "graph {" + ";".join(f"{u}--{v}" for u, v in G.edges) + "}"
    began = time.perf_counter()
    subprocess.run(["sfdp", "-Tdot"], input=text, text=True, capture_output=True, check=True)
    return time.perf_counter() - began


def main() -> None:
    """Print a table."""
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    print("| graph | method | wall s | CPU s | estimate s |\n|---|---|---:|---:|---:|")
    for name, kind in KINDS.items():
        G = forest(*kind)
        for method in METHODS:
            nl.layout(G, method, seed=0, max_iter=2)
            wall, cpu = time.perf_counter(), time.process_time()
            nl.layout(G, method, seed=0)
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            print(f"| {name} | {method} | {wall:.2f} | {cpu:.2f} | {nl.estimate(G, method).seconds:.2f} |")
        if (seconds := sfdp_seconds(G)) is not None:
            print(f"| {name} | sfdp | {seconds:.2f} | | |")


if __name__ == "__main__":
    main()
