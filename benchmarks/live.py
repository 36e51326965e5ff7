"""Live drawings in pictures a second: `python -m benchmarks.live`.

A mesh, a tree and a graph of blocks are laid out and kept going.  A node is dragged through 60 pictures, then released.
The table has, for each graph: milliseconds of the first picture of the drag (the edit is part of it) and of the median
one, iterations in it, milliseconds of one iteration, pictures until all is at rest, milliseconds of an edit that adds
an edge with the picture after it, and J at rest in parts of J where `nelayout.solve` ends from the same positions.

``--d3 FOLDER`` adds the ticks of d3-force in Node.js beside them: `npm install d3-force` in that folder.  A tick is one
step of all nodes by d3's three usual forces.  Both take turns, and medians of the repeats count.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import nelayout as nl

# Pictures of a drag, and pictures after which a drawing that is not at rest is left.
DRAGGED, MOST = 60, 2000
# Program of Node.js: reads a graph, prints milliseconds of its first and its median tick.
D3 = """
const fs = require("fs");
import("d3-force").then((d3) => {
  const {forceSimulation, forceLink, forceManyBody, forceCenter} = d3.default ?? d3;
  const {n, links} = JSON.parse(fs.readFileSync(0));
  const nodes = Array.from({length: n}, (_, i) => ({index: i}));
  const all = forceSimulation(nodes).stop().force("center", forceCenter()).force("charge", forceManyBody())
    .force("link", forceLink(links.map(([source, target]) => ({source, target}))));
  const times = [];
  for (let k = 0; k < 60; ++k) {
    const begun = performance.now();
    all.tick();
    times.push(performance.now() - begun);
  }
  const first = times[0];
  console.log(JSON.stringify([first, times.sort((a, b) => a - b)[30]]));
});
"""


def mesh(n: int) -> nx.Graph:
    """Return a square grid of about n nodes."""
    side = round(n**0.5)
    return nx.convert_node_labels_to_integers(nx.grid_2d_graph(side, side))


def tree(n: int) -> nx.Graph:
    """Return a random tree."""
    return nx.random_labeled_tree(n, seed=1)


def blocks(n: int) -> nx.Graph:
    """Return blocks of 50 nodes with many edges within and few between."""
    G = nx.planted_partition_graph(max(n // 50, 2), 50, 0.2, 0.5 / n, seed=1)
    return nx.convert_node_labels_to_integers(G.subgraph(max(nx.connected_components(G), key=len)))


GRAPHS: dict[str, Callable[[int], nx.Graph]] = {"mesh": mesh, "tree": tree, "blocks": blocks}


def milliseconds(work: Callable[[], object]) -> float:
    """Return the milliseconds of a call."""
    begun = time.perf_counter()
    work()
    return 1e3 * (time.perf_counter() - begun)


def dragged(G: nx.Graph, method: str) -> dict[str, float]:
    """Drag a node, release it, and add an edge; return the row of the table."""
    live = nl.Live(G, method, weight=None)
    node = len(G) // 3
    home, unit = live.array[node].copy(), float(np.sqrt(live.array.var(axis=0).sum()))

    def picture(k: int) -> float:
        def work() -> None:
            live.move(node, home + 0.01 * k * unit)
            live.step(16, array=True)

        return milliseconds(work)

    times, iterations = list[float](), list[int]()
    for k in range(DRAGGED):
        times.append(picture(k))
        iterations.append(live.last.iterations)
    live.release(node)
    each, pictures = list[float](), 0
    while not live.at_rest and pictures < MOST:
        live.step(16, array=True)
        each.append(live.last.milliseconds / max(live.last.iterations, 1))
        pictures += 1
    pos = dict(zip(live.nodes, live.unit * live.array, strict=True))
    lower = nl.solve(G, method, pos=pos, weight=None, scale=None, node_size=None, seed=0).value
    value = live.value

    def edit() -> None:
        live.set_weight(0, len(G) // 2)
        live.step(16, array=True)

    return {
        "first": times[0], "median": statistics.median(times), "iterations": statistics.median(iterations),
        "each": statistics.median(each), "pictures": pictures, "edit": milliseconds(edit),
        "J": 1.0 + (value - lower) / abs(lower),
    }  # fmt: skip


def d3_ticks(G: nx.Graph, folder: Path) -> dict[str, float]:
    """Return milliseconds of the first and the median tick of d3-force."""
    given = json.dumps({"n": len(G), "links": [list(edge) for edge in G.edges]})
    found = subprocess.run(["node", "-e", D3], cwd=folder, input=given, capture_output=True, text=True, check=True)
    first, median = json.loads(found.stdout)
    return {"d3 first": first, "d3 median": median}


def main(arguments: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", nargs="+", default=list(GRAPHS), choices=list(GRAPHS))
    parser.add_argument("--nodes", nargs="+", type=int, default=[300, 5_000, 50_000])
    parser.add_argument("--method", default="ws-sne")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--d3", type=Path, help="folder with node_modules/d3-force")
    given = parser.parse_args(arguments)
    heads = ["first", "median", "iterations", "each", "pictures", "edit", "J"]
    heads += ["d3 first", "d3 median"] if given.d3 else []
    print("graph nodes", *heads, sep="\t")
    for n in given.nodes:
        for name in given.graphs:
            G = GRAPHS[name](n)
            rows = [
                {**dragged(G, given.method), **(d3_ticks(G, given.d3) if given.d3 else {})}
                for _ in range(given.repeats)
            ]
            shown = [statistics.median(row[head] for row in rows) for head in heads]
            print(f"{name} {len(G)}", *(f"{each:.4g}" for each in shown), sep="\t", flush=True)


if __name__ == "__main__":
    main()
