"""Whether audits find planted faults and fooled measures: `python -m benchmarks.audited`.

The first table has drawings with exchanged nodes.  Precision is the share of the accused nodes that were exchanged,
recall the share of the exchanged nodes that are accused.  "honest" counts accusations in the drawing before.

The second table has drawings that were pushed towards a shape, a circle, a cross or a square grid, while some measures
stayed as good as they were (at most 1 % worse).  Each node moves towards its place on the shape, a step at a time.  A
step is taken back if a held measure becomes worse.  "way" is how far the nodes came, from 0 to 1.  Then come the shares
of what is reachable in each measure, their median, whether the verdict names a measure that lags, and the faults.  The
rows "honest" are drawings by a method; the one by auto is the drawing before.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import numpy as np
from scipy.optimize import linear_sum_assignment

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import nelayout as nl
from benchmarks.problems import load

# Held measures may become worse by this part; steps of each node towards its place; part of the way of a step.
TOLERANCE, STEPS, PART = 0.01, 30, 0.2
# Most nodes of a graph that is pushed towards shapes: each step is measured.
MAX_FOOLED = 200
SHAPES = ("circle", "cross", "square")
HELD = (("stress",), ("crossings",), ("stress", "crossings"), ("stress", "crossings", "neighborhood"))
GRAPHS = ("zoo_kdl", "football", "scotland", "can_96", "jazz", "netscience")


def subjects(only: list[str] | None) -> Iterator[tuple[str, object]]:
    """Give graphs by name, all or some; made ones come first."""
    made = {
        "les miserables": nx.les_miserables_graph(),
        "blocks": nx.planted_partition_graph(4, 30, 0.3, 0.01, seed=1),
        "grid": nx.grid_2d_graph(10, 10),
    }
    for name in (*made, *GRAPHS) if only is None else only:
        G = made.get(name)
        yield name, load(name).adjacency if G is None else nx.to_scipy_sparse_array(G, weight=None, dtype=float)


def exchanged(Y: np.ndarray, pairs: int, rng: np.random.Generator) -> tuple[np.ndarray, set[int]]:
    """Exchange nodes with nodes of the farther half; return the positions and the nodes."""
    Y, moved = Y.copy(), list[int]()
    for _ in range(pairs):
        u = int(rng.choice(np.setdiff1d(np.arange(len(Y)), moved)))
        far = np.argsort(np.sum((Y - Y[u]) ** 2, axis=1))[len(Y) // 2 :]
        w = int(rng.choice(np.setdiff1d(far, moved)))
        Y[[u, w]] = Y[[w, u]]
        moved += [u, w]
    return Y, set(moved)


def shape(name: str, n: int) -> np.ndarray:
    """Return n places (n, 2) of a shape, evenly spread."""
    t = np.arange(n) / n
    if name == "circle":
        return np.stack([np.cos(2 * np.pi * t), np.sin(2 * np.pi * t)], axis=1)
    if name == "cross":
        half = (n + 1) // 2
        along, zero = np.linspace(-1, 1, half), np.zeros(half)
        both = np.concatenate([np.stack([along, zero], 1), np.stack([zero, along], 1)[: n - half]])
        return both @ np.array([[1.0, 1.0], [-1.0, 1.0]]) / np.sqrt(2)
    side = int(np.ceil(np.sqrt(n)))
    return np.stack(np.divmod(np.arange(n), side), axis=1) * (2.0 / side) - 1.0


class Fooled:
    """Positions that move towards a shape while measures stay as good."""

    def __init__(self, P: object, Y: np.ndarray, target: np.ndarray, held: tuple[str, ...]) -> None:
        self.P, self.held = P, held
        spread = np.sqrt(np.mean(np.sum((Y - Y.mean(axis=0)) ** 2, axis=1)))
        own = np.sqrt(np.mean(np.sum((target - target.mean(axis=0)) ** 2, axis=1)))
        target = (target - target.mean(axis=0)) * (spread / own) + Y.mean(axis=0)
        apart = np.sum((Y[:, None] - target) ** 2, axis=2)
        self.Y, self.goal = Y.copy(), target[linear_sum_assignment(apart)[1]]
        self.begun = Y.copy()
        self.limits = {name: self.cost(name) * (1.0 + TOLERANCE) + 1e-9 for name in held}

    def cost(self, name: str) -> float:
        """Return a measure, so that lower is better."""
        value = float(nl.measure(self.P, self.Y, measures=name)[name])
        return 1.0 - value if name == "neighborhood" else value

    def run(self, steps: int, rng: np.random.Generator) -> None:
        """Move the nodes, in blocks that shrink to one node where a block would make a measure worse."""
        n = len(self.Y)
        for _ in range(steps):
            queue = np.array_split(rng.permutation(n), max(1, n // 8))
            while queue:
                nodes = queue.pop()
                before = self.Y[nodes].copy()
                self.Y[nodes] += PART * (self.goal[nodes] - before)
                if all(self.cost(name) <= limit for name, limit in self.limits.items()):
                    continue
                self.Y[nodes] = before
                if len(nodes) > 1:
                    queue += np.array_split(nodes, 2)

    @property
    def way(self) -> float:
        """How far the nodes came, 0 to 1."""
        left = np.sum((self.Y - self.goal) ** 2)
        return 1.0 - float(np.sqrt(left / max(float(np.sum((self.begun - self.goal) ** 2)), 1e-300)))


def planted(name: str, P: object, trials: int) -> None:
    """Print the rows of a graph with exchanged nodes."""
    for method in ("auto", "ws-sne"):
        Y = np.asarray(nl.layout(P, method, seed=11))
        honest, precision, recall = nl.audit(P, Y), [], []
        for trial in range(trials):
            moved_to, moved = exchanged(Y, max(1, len(Y) // 40), np.random.default_rng(trial))
            accused = {fault.node for fault in nl.audit(P, moved_to).misplaced}
            precision.append(len(accused & moved) / max(1, len(accused)))
            recall.append(len(accused & moved) / len(moved))
        groups = len(honest.findings) - len(honest.misplaced)
        found = f"{len(honest.misplaced)} + {groups} | {np.mean(precision):.2f} | {np.mean(recall):.2f}"
        print(f"| {name} ({len(Y)}) | {method} | {found} |", flush=True)


def fooled(name: str, P: object, steps: int, shapes: tuple[str, ...]) -> None:
    """Print the rows of a graph with fooled measures."""
    Y = np.asarray(nl.layout(P, seed=11))
    for method in ("auto", "ws-sne", "gamma-quadlog"):
        print(_row(name, len(Y), "honest", method, 0.0, nl.audit(P, nl.layout(P, method, seed=11))), flush=True)
    for held in HELD:
        for each in shapes:
            work = Fooled(P, Y, shape(each, len(Y)), held)
            work.run(steps, np.random.default_rng(0))
            print(_row(name, len(Y), each, " + ".join(held), work.way, nl.audit(P, work.Y)), flush=True)


def _row(name: str, n: int, what: str, held: str, way: float, found: nl.Audit) -> str:
    share = {row.measure: row.share for row in found.rows}
    cells = [f"{share[each]:.2f}" for each in ("neighborhood", "stress", "crossings", "J of ws-sne")]
    faults = f"{len(found.misplaced)}, {len(found.torn)}, {len(found.false_neighbors)}"
    lags = "lags" if "lags" in found.verdict else ""
    shares = f"{' | '.join(cells)} | {found.share:.2f}"
    return f"| {name} ({n}) | {what} | {held} | {way:.2f} | {shares} | {lags} | {faults} |"


def main(given: list[str] | None = None) -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", metavar="NAME")
    parser.add_argument("--smoke", action="store_true", help="one small graph, few steps")
    asked = parser.parse_args(given)
    chosen = list(subjects(["les miserables"] if asked.smoke else asked.only))
    print("| graph (n) | drawing | honest: nodes + groups accused | precision | recall |\n|---|---|---|---|---|")
    for name, P in chosen:
        planted(name, P, 1 if asked.smoke else 4)
    measures = "neighborhood | stress | crossings | J"
    print(f"\n| graph (n) | shape | held | way | {measures} | share | lags | nodes, gaps, hidden |")
    print("|" + "---|" * 11)
    for name, P in chosen:
        if P.shape[0] > MAX_FOOLED:
            continue
        fooled(name, P, 3 if asked.smoke else STEPS, SHAPES[:1] if asked.smoke else SHAPES)


if __name__ == "__main__":
    main()
