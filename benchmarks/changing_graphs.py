"""A growing graph, held and drawn anew: `python benchmarks/changing_graphs.py`.

A graph of the data folder grows in equal steps by a seeded order of its nodes.  Each snapshot is drawn as the next of a
sequence and anew; the table says how far old nodes moved in each step, in parts of the radius (drawings made anew are
laid over the one before), and how much worse the held drawing is: its neighborhoods, its stress, its J.
"""

from __future__ import annotations

import argparse
import sys
from collections import deque
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import nelayout as nl
from benchmarks.problems import load

MEASURES = ("neighborhood", "stress")


def order_of(G: nx.Graph, order: str, seed: int) -> list:
    """All nodes: breadth-first from a random one, its neighbors in random order, or "random"."""
    rng = np.random.default_rng(seed)
    nodes = [list(G)[k] for k in rng.permutation(len(G))]
    if order == "random":
        return nodes
    found, seen = [], set()
    for root in nodes:
        queue = deque([root] if root not in seen else [])
        seen.add(root)
        while queue:
            node = queue.popleft()
            found.append(node)
            fresh = [other for other in G[node] if other not in seen]
            queue.extend(fresh[k] for k in rng.permutation(len(fresh)))
            seen.update(fresh)
    return found


def growing(name: str, order: str, steps: int, first: float, seed: int) -> list[nx.Graph]:
    """Snapshots of a graph: of ``first`` of its nodes up to all of them."""
    G = nx.from_scipy_sparse_array(load(name).adjacency, edge_attribute=None)
    nodes = order_of(G, order, seed)
    sizes = np.linspace(first * len(nodes), len(nodes), steps).round().astype(int)
    return [G.subgraph(nodes[:size]).copy() for size in sizes.tolist()]


def moves(before: dict, now: dict) -> tuple[float, float]:
    """Mean and largest move of the nodes of both, in parts of the radius of the drawing before."""
    common = [node for node in before if node in now]
    A, B, whole = (np.array([pos[v] for v in of]) for pos, of in ((before, common), (now, common), (before, before)))
    radius = np.sqrt(((whole - whole.mean(axis=0)) ** 2).sum(axis=1).mean())
    away = np.sqrt(((A - B) ** 2).sum(axis=1)) / radius
    return float(away.mean()), float(away.max())


def anew(snapshots: list[nx.Graph], method: str, seed: int) -> tuple[list[nl.Solution], list[dict]]:
    """Every snapshot drawn without the others, and each drawing laid over the one before."""
    solutions, laid = [], []
    for G in snapshots:
        solutions.append(nl.solve(G, method, seed=seed))
        pos = solutions[-1].positions
        laid.append(nl.align(pos, to=laid[-1]) if laid else pos)
    return solutions, laid


def quality(G: nx.Graph, pos: dict) -> list[float]:
    """The measures of a drawing."""
    found = nl.measure(G, pos, measures=list(MEASURES), seed=0)
    return [float(found[name].value) for name in MEASURES]


def main(arguments: list[str] | None = None) -> None:
    """Print a table for each method and stability."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graph", default="cora")
    parser.add_argument("--methods", nargs="+", default=["ws-sne", "gamma-quadlog", "tsne", "auto"])
    parser.add_argument("--stability", nargs="+", type=float, default=[0.0, 0.8, 0.9, 0.95])
    parser.add_argument("--order", choices=["breadth-first", "random"], default="breadth-first")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--first", type=float, default=0.8, help="part of the nodes that the first snapshot has")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", action="store_true", help="a line for each step as well")
    chosen = parser.parse_args(arguments)
    snapshots = growing(chosen.graph, chosen.order, chosen.steps, chosen.first, chosen.seed)
    sizes = f"{len(snapshots[0])} to {len(snapshots[-1])} nodes"
    print(f"{chosen.graph}, {chosen.order}: {sizes} in {chosen.steps} snapshots\n")
    print("| method | drawn | mean move | largest mean | largest of a node | neighborhood | stress | J, worse by | s |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for method in chosen.methods:
        cold, laid = anew(snapshots, method, chosen.seed)
        least = np.array([quality(G, s.positions) for G, s in zip(snapshots, cold, strict=True)])
        values = np.array([s.value for s in cold])
        each = np.array([moves(a, b) for a, b in pairwise(laid)])
        row(method, "anew", each[:, 0], each[:, 1], least[1:], np.zeros(1), sum(s.seconds for s in cold))
        for stability in chosen.stability:
            film = nl.layout_sequence(snapshots, method, stability, seed=chosen.seed, node_size=None)
            found = np.array([quality(G, pos) for G, pos in zip(snapshots, film.positions, strict=True)])
            worse = (film.values - values) / np.abs(values)
            seconds = float(film.seconds.sum())
            row(method, f"{stability:g}", film.mean_moves[1:], film.most_moves[1:], found[1:], worse[1:], seconds)
            if chosen.each:
                for t in range(len(film)):
                    ratio = found[t] / least[t]
                    print(f"  {t}: moved {film.mean_moves[t]:.4f}, ratios {ratio.round(3)}, J worse by {worse[t]:.4f}")


def row(method: str, drawn: str, mean, most, found, worse, seconds: float) -> None:
    """Print the means over the steps; of J the mean and the worst."""
    measures = " | ".join(f"{value:.4f}" for value in np.mean(found, axis=0))
    print(
        f"| {method} | {drawn} | {np.mean(mean):.2%} | {np.max(mean):.2%} | {np.max(most):.1%} | {measures} "
        f"| {np.mean(worse):+.2%} (worst {np.max(worse):+.2%}) | {seconds:.1f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
