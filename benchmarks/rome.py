"""Crossings against stress on Rome graphs: `python -m benchmarks.rome`.

The graphs have 30 to 100 nodes (Di Battista et al. 1997).  With each graph the shared data keep stress and crossings of
21 methods, which Wang et al. published for SmartGD.  "auto" draws the same graphs, by itself and at five emphases.

The share of a method is the geometric mean over graphs of best / value, where best is the least value of all stored
methods on that graph.  1 is added to crossings.  The product is the square root of both shares.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
from typing import Any

import networkx as nx
import numpy as np

import nelayout as nl
from benchmarks.problems import data_folder

EMPHASES = (None, 0.4, 0.5, 0.6, 0.7, 0.8)


def stored(every: int) -> list[dict[str, Any]]:
    """Return each graph of a regular sample: name, n, edges, planar, and stored values by method."""
    with gzip.open(data_folder() / "rome" / "rome.json.gz", "rt") as file:
        return json.load(file)[::every]


def drawn(row: dict[str, Any], emphasis: float | None) -> tuple[float, float, float]:
    """Return stress (a sum over ordered pairs), crossings and neighborhoods of a drawing."""
    G = nx.Graph()
    G.add_nodes_from(range(row["n"]))
    G.add_edges_from(row["edges"])
    pos = nl.layout(G, emphasis=emphasis, seed=0)
    found = nl.measure(G, pos, measures=["stress", "crossings", "neighborhood"])
    pairs = row["n"] * (row["n"] - 1)
    return pairs * found["stress"].value, found["crossings"].value, found["neighborhood"].value


def shares(rows: list[dict[str, Any]], values: np.ndarray) -> tuple[float, float, float]:
    """Return the shares of crossings and stress, and their product, of values (graphs, 2)."""
    kept = np.array([[value for value in row["stored"].values() if len(value) == 2] for row in rows])
    best, one = kept.min(axis=1), np.array([0.0, 1.0])
    stress, crossings = np.exp(np.mean(np.log((best + one) / (values + one)), axis=0)).tolist()
    return crossings, stress, math.sqrt(crossings * stress)


def table(rows: list[dict[str, Any]], found: dict[str, np.ndarray]) -> tuple[list[str], dict[str, list[str]]]:
    """Return the lines of the table, and the stored methods that each emphasis beats in both shares."""
    methods = [name for name in rows[0]["stored"] if all(name in row["stored"] for row in rows)]
    rows = [{**row, "stored": {name: row["stored"][name] for name in methods}} for row in rows]
    values = {**found, **{name: np.array([row["stored"][name] for row in rows]) for name in methods}}
    planar = np.array([row["planar"] for row in rows])
    every = {name: (*shares(rows, each[:, :2]), each) for name, each in values.items()}
    lines = [
        "| layout | crossings | stress | product | neighborhoods | planar graphs without a crossing |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, (crossings, stress, product, each) in sorted(every.items(), key=lambda item: -item[1][2]):
        near = f"{np.mean(each[:, 2]):.3f}" if name in found else ""
        none = f"{np.count_nonzero(each[planar, 1] == 0)} of {np.count_nonzero(planar)}"
        lines.append(f"| {name} | {crossings:.3f} | {stress:.3f} | {product:.3f} | {near} | {none} |")
    beaten = {
        name: [other for other in methods if every[other][0] < every[name][0] and every[other][1] < every[name][1]]
        for name in found
    }
    return lines, beaten


def main() -> None:
    """Draw, measure, print and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rome", description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="draw each k-th graph")
    given = parser.parse_args()
    rows, found = stored(given.every), dict[str, np.ndarray]()
    for emphasis in EMPHASES:
        name = "nelayout, auto" if emphasis is None else f"nelayout, emphasis {emphasis}"
        found[name] = np.array([drawn(row, emphasis) for row in rows])
    lines, beaten = table(rows, found)
    print("\n".join(lines))
    for name, others in beaten.items():
        print(f"{name}: more crossings and more stress have {', '.join(others) or 'none'}")


if __name__ == "__main__":
    main()
