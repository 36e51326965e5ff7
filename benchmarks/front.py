"""Neighborhoods against stress: `python -m benchmarks.front` writes docs/research/front.md and its figure.

Six graphs are drawn by ws-SNE with five values of `emphasis`, and by "auto".  tsNET favors neighborhoods.  s_gd2 and
Graphviz's sfdp favor stress, and are drawn if they are installed.  A point is a mean over seeds.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import nelayout as nl
from benchmarks.contenders import contender
from benchmarks.page import DATA, commit, largest, machine, streets

RESEARCH = Path(__file__).resolve().parents[1] / "docs" / "research"
SEEDS, EMPHASES = (0, 1, 2), (0.0, 0.2, 0.4, 0.6, 0.8)
PEERS = {"s_gd2": ("s_gd2", "s"), "graphviz:sfdp": ("sfdp", "D")}
OWN = {"auto": ("auto", "*"), "tsnet": ("tsNET", "^")}
GRAPHS: dict[str, Callable[[], nx.Graph]] = {
    "les miserables": nx.les_miserables_graph,
    "communities": lambda: nx.planted_partition_graph(8, 30, 0.3, 0.01, seed=0),
    "tree": lambda: nx.random_labeled_tree(300, seed=0),
    "small world": lambda: nx.watts_strogatz_graph(500, 4, 0.02, seed=0),
    "streets": streets,
    "airports": lambda: nx.Graph(nx.read_graphml(DATA / "usairports2010.graphml")),
}


def measured(G: nx.Graph, positions: Any) -> tuple[float, float]:
    """Return the neighborhood of one step, and the stress."""
    found = nl.measure(G, positions, measures=["neighborhood", "stress"])
    return found["neighborhood"].value, found["stress"].value


def front(G: nx.Graph) -> dict[str, np.ndarray]:
    """Return the mean neighborhood and stress (2,) of each layout by name."""
    A = nx.to_scipy_sparse_array(G, dtype=float, format="csr")
    found: dict[str, Any] = {
        f"emphasis {e:g}": [measured(G, nl.layout(G, "ws-sne", emphasis=e, seed=seed)) for seed in SEEDS]
        for e in EMPHASES
    }
    for method in OWN:
        found[method] = [measured(G, nl.layout(G, method, seed=seed)) for seed in SEEDS]
    for name in PEERS:
        peer = contender(name)
        if peer.available:
            drawn = [np.asarray(peer.prepare(A, seed, 1)()) for seed in SEEDS]
            found[name] = [measured(G, dict(zip(G, Y, strict=True))) for Y in drawn]
    return {name: np.mean(values, axis=0) for name, values in found.items()}


def figure(fronts: dict[str, dict[str, np.ndarray]], file: Path) -> None:
    """Write one panel for each graph."""
    fig, panels = plt.subplots(2, 3, figsize=(9, 6), layout="constrained")
    for panel, (title, found) in zip(panels.flat, fronts.items(), strict=True):
        line = np.array([found[f"emphasis {e:g}"] for e in EMPHASES])
        panel.plot(*line.T, "o-", color="C0", label="ws-SNE, emphasis 0 to 0.8")
        for (name, (label, mark)), color in zip((OWN | PEERS).items(), ("C3", "C2", "C1", "C4"), strict=True):
            if name in found:
                panel.plot(*found[name], mark, color=color, markersize=12 if mark == "*" else 7, label=label)
        panel.annotate("0", line[0], textcoords="offset points", xytext=(5, 3), color="C0")
        panel.annotate("0.8", line[-1], textcoords="offset points", xytext=(5, 3), color="C0")
        panel.set_title(title, fontsize=10)
        panel.margins(0.15)
        panel.invert_yaxis()
    fig.supxlabel("neighborhood of one step (right is better)", fontsize=10)
    fig.supylabel("stress (up is better)", fontsize=10)
    fig.legend(
        *panels.flat[0].get_legend_handles_labels(), loc="outside upper center", ncols=5, fontsize=9, frameon=False
    )
    fig.savefig(file, dpi=110)


def page(fronts: dict[str, dict[str, np.ndarray]]) -> str:
    """Return the note as Markdown."""
    names = list(dict.fromkeys(name for found in fronts.values() for name in found))
    head = "| layout |" + "".join(f" {title} |" for title in fronts) + "\n|---|" + "---:|" * len(fronts)
    rows = [
        f"| {name} |"
        + "".join(f" {f[name][0]:.2f}, {f[name][1]:.3f} |" if name in f else " |" for f in fronts.values())
        for name in names
    ]
    table = "\n".join([head, *rows])
    return f"""# Neighborhoods against stress

`python -m benchmarks.front` wrote this page on {datetime.now(UTC).date()} at commit {commit()}.
Machine: {machine()}.

`emphasis` moves a layout from near neighbors towards distances. Each graph has two measures: `neighborhood` of one
step (larger is better) and `stress` (smaller is better). Each value is a mean over {len(SEEDS)} seeds.

![Six panels: ws-SNE with five values of emphasis, auto, tsNET, s_gd2 and sfdp](images/front.png)

Each cell: neighborhood, stress.

{table}
"""


def main() -> None:
    """Measure, draw and write."""
    argparse.ArgumentParser(prog="python -m benchmarks.front", description=__doc__).parse_args()
    fronts = {}
    for name, graph in GRAPHS.items():
        fronts[name] = front(largest(graph()))
        print(name, {key: value.round(3).tolist() for key, value in fronts[name].items()}, flush=True)
    figure(fronts, RESEARCH / "images" / "front.png")
    (RESEARCH / "front.md").write_text(page(fronts))


if __name__ == "__main__":
    main()
