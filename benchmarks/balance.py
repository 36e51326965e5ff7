"""How evenly good a method is over many graphs: `python -m benchmarks.balance --methods ws-sne auto`.

Neighborhood Jaccard, 1 / stress, class AUC and map R^2 (the last two where known) are each divided by the
best peer's on that graph; their geometric mean is the method's standing there, and the mean over graphs its
balance. 1 means as good as the best peer in everything at once, which no peer is. The peers' figures are
those stored in peers.json.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path

import numpy as np

from benchmarks import problems

BETTER = {"np1": 1, "sns": -1, "knn_auc": 1, "geo_r2": 1}
"""The figures that count, and whether larger (1) or smaller (-1) is better."""
LEAST = 1e-4
"""Figures below are taken as this: a geometric mean must not vanish over a map R^2 that is rounded to 0."""


def standing(figures: dict[str, float], peers: dict[str, dict[str, float]], graph: str) -> float:
    """Geometric mean of the figures that peers have here, each relative to the best peer; NaN without any."""
    ratios = []
    for name, sign in BETTER.items():
        if name == "geo_r2" and graph in problems.WITHOUT_MAP:
            continue
        theirs = [max(row[name], LEAST) for row in peers.values() if known(row, name)]
        if theirs and known(figures, name):
            best = max(theirs) if sign > 0 else min(theirs)
            ratios.append((max(figures[name], LEAST) / best) ** sign)
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def balance(ours: dict[str, dict[str, float]], stored: dict[str, dict[str, dict[str, float]]]) -> dict[str, float]:
    """{graph: standing} for {graph: figures}; the balance is the mean of the values."""
    return {graph: standing(figures, stored[graph], graph) for graph, figures in ours.items() if graph in stored}


def known(figures: dict[str, float], name: str) -> bool:
    """Whether there is a number."""
    return figures.get(name) is not None and not math.isnan(figures[name])


def draw_and_measure(method: str, problem: problems.Problem, seed: int, positions: Path | None) -> dict[str, float]:
    """The figures of one of our methods on one graph, drawn now or read from a folder of GRAPH.METHOD.npy."""
    from benchmarks.drawing_quality import quality

    began = time.perf_counter()
    stored = positions / f"{problem.name}.{method}.npy" if positions else None
    if stored is not None and stored.exists():
        Y = np.load(stored)
    else:
        import nelayout as nl

        Y = nl.layout(problem.adjacency, method=method, seed=seed)
    seconds = time.perf_counter() - began
    return {**quality(problem.adjacency, Y, problem.labels, problem.coords), "seconds": seconds}


def report(title: str, standings: dict[str, float]) -> str:
    """One line: the balance, and over how many graphs."""
    values = [value for value in standings.values() if not math.isnan(value)]
    mean = sum(values) / len(values) if values else math.nan
    return f"{title:<28} {mean:.4f}   ({len(values)} graphs)"


def main(arguments: list[str] | None = None) -> None:
    """Parse, draw, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.balance", description=__doc__)
    parser.add_argument(
        "--graphs", nargs="+", metavar="GRAPH", help="default: those in peers.json of at most --largest nodes"
    )
    parser.add_argument("--largest", type=int, default=10_000, help="nodes of the largest graph drawn by default")
    parser.add_argument("--methods", nargs="*", default=["auto", "ws-sne", "gamma-quadlog"], metavar="METHOD")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--positions", type=Path, help="folder with GRAPH.METHOD.npy to measure instead of drawing")
    parser.add_argument("--out", type=Path, help="file for the figures, JSON")
    given = parser.parse_args(arguments)
    stored = json.loads((problems.data_folder() / "peers.json").read_text())
    chosen = given.graphs or [name for name in problems.names() if name in stored and "_knn" not in name]
    figures: dict[str, dict] = {method: {} for method in given.methods}
    drawn = []
    for name in chosen:
        problem = problems.load(name)
        if not given.graphs and problem.n > given.largest:
            continue
        drawn.append(name)
        for method in given.methods:
            row = draw_and_measure(method, problem, given.seed, given.positions)
            figures[method][name] = row
            relative = standing(row, stored.get(name, {}), name)
            measured = "  ".join(f"{key} {row[key]:.4g}" for key in (*BETTER, "np2", "seconds") if key in row)
            print(f"{name:<20} {method:<20} {relative:.4f}   {measured}", flush=True)
    print()
    for method in given.methods:
        print(report(f"nelayout {method}", balance(figures[method], stored)))
    peers = sorted({peer for name in drawn if name in stored for peer in stored[name]})
    rows = []
    for peer in peers:
        theirs = balance({name: stored[name][peer] for name in drawn if peer in stored.get(name, {})}, stored)
        rows.append((sum(theirs.values()) / len(theirs), report(peer, theirs)))
    for _, text in sorted(rows, reverse=True):
        print(text)
    if given.out:
        given.out.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
