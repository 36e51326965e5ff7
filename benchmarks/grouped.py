"""Groups with areas of their own, beside fcose and cola: `python -m benchmarks.grouped --js FOLDER`.

``npm install cytoscape cytoscape-fcose cytoscape-cola`` in that folder comes first.  fcose (Balci & Dogrusoz 2022)
draws groups as compound nodes, and so does cola (Dwyer 2009).  Each graph has true groups.  A row has seconds of the
layout alone, pairs of groups with convex hulls that overlap, nodes within the hull of another group, and neighborhoods.
cola draws the small graphs alone: its time grows with the square of the nodes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import networkx as nx
import numpy as np

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import nelayout as nl

# Nodes up to which each of the others draws a graph, and seconds after which it is left out.
MOST_NODES, MOST_SECONDS = {"fcose": 6000, "cola": 300}, 300
PROGRAM = """
const fs = require("fs"), cytoscape = require("cytoscape");
const name = process.argv[1];
cytoscape.use(require("cytoscape-" + name));
const {n, links, group} = JSON.parse(fs.readFileSync(0));
const elements = [...new Set(group)].map((g) => ({data: {id: "g" + g}}));
for (let i = 0; i < n; i++) elements.push({data: {id: "n" + i, parent: "g" + group[i]}});
links.forEach(([u, v], k) => elements.push({data: {id: "e" + k, source: "n" + u, target: "n" + v}}));
const style = [{selector: "node", style: {width: 10, height: 10}}];
const cy = cytoscape({headless: true, styleEnabled: true, elements, style});
const how = {name, animate: false, randomize: true, fit: false, maxSimulationTime: 100000};
const began = performance.now();
const layout = cy.layout(how);
layout.one("layoutstop", () => {
  const seconds = (performance.now() - began) / 1000;
  const places = Array.from({length: n}, (_, i) => { const p = cy.$id("n" + i).position(); return [p.x, p.y]; });
  process.stdout.write(JSON.stringify({seconds, places}), () => process.exit(0));
});
layout.run();
"""


def graphs() -> dict[str, tuple[nx.Graph, np.ndarray]]:
    """Return graphs with consecutive nodes, and the group of each node."""
    found = {}
    lesmis = nx.convert_node_labels_to_integers(nx.les_miserables_graph())
    parts = nx.community.louvain_communities(lesmis, seed=0)
    found["les miserables"] = lesmis, np.array([next(k for k, part in enumerate(parts) if v in part) for v in lesmis])
    for count, size, within in ((5, 40, 0.2), (12, 40, 0.2), (70, 79, 0.08)):
        G = nx.random_partition_graph([size] * count, within, 0.4 / (count * size), seed=0)
        found[f"{count} x {size}"] = nx.Graph(G.edges), np.repeat(np.arange(count), size)
        found[f"{count} x {size}"][0].add_nodes_from(G)
    return found


def hulls(Y: np.ndarray, group: np.ndarray) -> list[np.ndarray]:
    """Return the corners of the convex hull of each group."""
    from scipy.spatial import ConvexHull

    found = [Y[group == g] for g in np.unique(group)]
    return [each[ConvexHull(each).vertices] for each in found]


def overlap(one: np.ndarray, two: np.ndarray) -> bool:
    """Return whether two convex polygons overlap: no side of either separates them."""
    for shape in (one, two):
        side = np.roll(shape, -1, axis=0) - shape
        normal = np.stack([side[:, 1], -side[:, 0]], axis=1)
        a, b = one @ normal.T, two @ normal.T
        if ((a.max(axis=0) <= b.min(axis=0)) | (b.max(axis=0) <= a.min(axis=0))).any():
            return False
    return True


def row(G: nx.Graph, group: np.ndarray, Y: np.ndarray, seconds: float) -> str:
    """Return the cells of one layout."""
    shapes = hulls(Y, group)
    pairs = sum(overlap(shapes[a], shapes[b]) for a in range(len(shapes)) for b in range(a))
    strangers = 0
    for number, shape in enumerate(shapes):
        side = np.roll(shape, -1, axis=0) - shape
        others = Y[group != np.unique(group)[number]]
        turn = side[:, 0] * (others[:, None, 1] - shape[:, 1]) - side[:, 1] * (others[:, None, 0] - shape[:, 0])
        strangers += int((turn > 0).all(axis=1).sum())
    pos = dict(zip(sorted(G), Y, strict=True))
    near = nl.measure(G, pos, measures="neighborhood")["neighborhood"].value
    return f"{seconds:.2f} | {pairs} | {strangers} | {near:.3f} |"


def by_node(folder: Path, name: str, G: nx.Graph, group: np.ndarray) -> tuple[np.ndarray, float] | None:
    """Return positions and seconds of a layout under Node.js; None where it does not end."""
    given = json.dumps({"n": len(G), "links": list(G.edges), "group": group.tolist()})
    command = ["node", "-e", PROGRAM, name]
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, text=True, cwd=folder, check=True, timeout=MOST_SECONDS
        )
    except subprocess.TimeoutExpired:
        return None
    found = json.loads(done.stdout)
    return np.array(found["places"]), found["seconds"]


def main(given: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--js", type=Path, help="folder with the packages of Node.js")
    parser.add_argument("--smoke", action="store_true", help="one small graph")
    asked = parser.parse_args(given)
    print("| graph | layout | seconds | hulls that overlap | nodes in another hull | neighborhoods |")
    print("|---|---|---:|---:|---:|---:|")
    for name, (G, group) in list(graphs().items())[: 1 if asked.smoke else None]:
        names = {v: int(group[v]) for v in G}
        for layout, keywords in {"free": {}, "hull": {"groups": names, "groups_shape": "hull"}}.items():
            nl.layout(G, seed=1, **keywords)  # loads loops
            began = time.perf_counter()
            pos = nl.layout(G, seed=0, **keywords)
            seconds = time.perf_counter() - began
            Y = np.array([pos[v] for v in sorted(G)])
            print(f"| {name} | nelayout, {layout} | {row(G, group, Y, seconds)}", flush=True)
        for other, most in MOST_NODES.items():
            if asked.js is None or len(G) > most:
                continue
            found = by_node(asked.js, other, G, group)
            cells = f"more than {MOST_SECONDS} | | | |" if found is None else row(G, group, *found)
            print(f"| {name} | {other} | {cells}", flush=True)


if __name__ == "__main__":
    main()
