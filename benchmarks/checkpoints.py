"""Seconds of runs with and without a checkpoint, in turns: `python -m benchmarks.checkpoints --repeats 5`.

The ratio is the median of the ratios of neighboring runs.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import networkx as nx

import nelayout as nl

# Name -> graph and method.
GRAPHS: dict[str, tuple[Any, str]] = {
    "mesh of 2,500": (nx.grid_2d_graph(50, 50), "auto"),
    "tree of 2,000": (nx.random_labeled_tree(2_000, seed=1), "ws-sne"),
    "100 trees": (nx.disjoint_union_all([nx.random_labeled_tree(40 + k, seed=k) for k in range(100)]), "ws-sne"),
    "geometric of 30,000": (nx.random_geometric_graph(30_000, 0.01, seed=1), "tsne"),
}


def _seconds(G: Any, method: str, **how: Any) -> float:
    began = time.perf_counter()
    nl.layout(G, method, seed=1, **how)
    return time.perf_counter() - began


def main() -> None:
    """Print a line for each graph."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    with tempfile.TemporaryDirectory() as folder:
        for name, (G, method) in GRAPHS.items():
            _seconds(G, method)  # compiles loops
            pairs = list[tuple[float, float]]()
            for _ in range(repeats):
                plain = _seconds(G, method)
                pairs.append((plain, _seconds(G, method, checkpoint=Path(folder) / "run")))
            ratio = median(kept / plain for plain, kept in pairs)
            print(f"{name}, {method}: {median(plain for plain, _ in pairs):.2f} s, with a checkpoint {ratio:.3f} times")


if __name__ == "__main__":
    main()
