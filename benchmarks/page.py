"""The benchmark page of the documentation: `python -m benchmarks.page` measures and writes docs/benchmarks.md.

nelayout and the other packages that are installed lay out graphs and tables that everyone has, each with its own
defaults, through `nelayout.compare` and `nelayout.compare_vectors`. The page says when, on which commit and
machine, and where other packages win.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import os
import platform
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from sklearn.datasets import load_digits, load_iris, load_wine, make_swiss_roll
from sklearn.preprocessing import scale

import nelayout as nl
from benchmarks.contenders import PEERS
from benchmarks.study_page import tables

ROOT = Path(__file__).resolve().parents[1]
PAGE, DATA = ROOT / "docs" / "benchmarks.md", ROOT / "examples" / "data"
METHODS = ("auto", "ws-sne", "tsne", "gamma-quadlog", "linlog")
TABLE_METHODS = ("ws-sne", "auto", "tsne")
TABLE_PEERS = ("opentsne", "umap", "sklearn:tsne", "sklearn:pca", "sklearn:spectral")
MEASURES = ["neighborhood", "neighborhood2", "stress", "spearman", "crossings"]
TABLE_MEASURES = ["trustworthiness", "continuity", "neighborhood", "stress", "class_accuracy"]
PACKAGES = ("numpy", "scipy", "networkx", "igraph", "openTSNE", "umap-learn", "s_gd2", "scikit-learn")
# Nodes up to which a graph is laid out from two seeds.
SEVERAL = 800
# Nodes up to which layouts of networkx take less than minutes.
NX = 800
CLOCK = "Seconds of the wall clock, without compiling. The machine was not idle. Factors below two mean nothing."


def largest(G: nx.Graph) -> nx.Graph:
    """Return the largest component, without weights."""
    H = nx.Graph(G.subgraph(max(nx.connected_components(G), key=len)).edges())
    return nx.convert_node_labels_to_integers(H)


def streets() -> nx.Graph:
    """Return a grid of streets without a quarter of its edges."""
    G, rng = nx.grid_2d_graph(25, 25), np.random.default_rng(0)
    G.remove_edges_from([edge for edge in list(G.edges) if rng.random() < 0.25])
    return G


GRAPHS: dict[str, Callable[[], Any]] = {
    "karate": nx.karate_club_graph,
    "les_miserables": nx.les_miserables_graph,
    "caveman": lambda: nx.relaxed_caveman_graph(12, 12, 0.15, seed=1),
    "planted": lambda: nx.planted_partition_graph(8, 30, 0.3, 0.01, seed=0),
    "tree": lambda: nx.balanced_tree(3, 5),
    "ring": lambda: nx.watts_strogatz_graph(500, 4, 0.02, seed=0),
    "streets": streets,
    "airports": lambda: nx.read_graphml(DATA / "usairports2010.graphml"),
    "preferential": lambda: nx.barabasi_albert_graph(1000, 2, seed=0),
    "geometric": lambda: nx.random_geometric_graph(1000, 0.06, seed=0),
    "internet": lambda: nx.random_internet_as_graph(1000, seed=0),
    "counties": lambda: nx.read_graphml(DATA / "us_counties.graphml.gz"),
    "geometric_5000": lambda: nx.random_geometric_graph(5000, 0.025, seed=0),
}
TABLES: dict[str, Callable[[], tuple[Any, Any]]] = {
    "iris": lambda: load_iris(return_X_y=True),
    "wine": lambda: (scale(load_wine().data), load_wine().target),
    "digits": lambda: load_digits(return_X_y=True),
    "swiss_roll": lambda: (make_swiss_roll(1500, random_state=0)[0], None),
}


def entry(comparison: nl.Comparison, nodes: int, edges: int, seeds: int) -> dict[str, Any]:
    """Return what the page needs of one comparison."""
    shown = dict(comparison.measured)
    return {
        "nodes": nodes, "edges": edges, "drawings": shown, "seconds": comparison.seconds,
        "seeds": dict.fromkeys(shown, seeds),
    }  # fmt: skip


def graphs(names: list[str]) -> dict[str, dict]:
    """Lay out and measure each graph."""
    found = {}
    for name in names:
        G = largest(GRAPHS[name]())
        seeds = 2 if len(G) <= SEVERAL else 1
        entries: dict[str, Any] = {f"nelayout {method}": method for method in METHODS}
        entries |= {p: p for p, most in PEERS.items() if len(G) <= (min(most, NX) if p.startswith("nx:") else most)}
        found[name] = entry(nl.compare(G, entries, measures=MEASURES, seeds=seeds), len(G), G.number_of_edges(), seeds)
        print(name, {k: round(s, 2) for k, s in found[name]["seconds"].items()}, flush=True)
    return found


def embeddings(names: list[str]) -> dict[str, dict]:
    """Embed and measure each table."""
    found = {}
    for name in names:
        X, labels = TABLES[name]()
        entries: dict[str, Any] = {f"nelayout {method}": method for method in TABLE_METHODS}
        entries |= {peer: peer for peer in TABLE_PEERS}
        measures = TABLE_MEASURES if labels is not None else TABLE_MEASURES[:-1]
        compared = nl.compare_vectors(X, entries, labels, measures=measures)
        found[name] = entry(compared, len(X), 0, 1)
        print(name, {k: round(s, 2) for k, s in found[name]["seconds"].items()}, flush=True)
    return found


def machine() -> str:
    """Return processor and number of cores."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.is_file() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{models[0] if models else platform.machine()}, {os.cpu_count()} cores"


def versions() -> str:
    """Return the versions of Python and of the packages that are installed."""
    found = [f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"{package} not installed")
    return ", ".join(found)


def commit() -> str:
    """Return the commit of the checkout."""
    git = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    return subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


def page(of_graphs: dict[str, dict], of_tables: dict[str, dict]) -> str:
    """Return the page as Markdown."""
    sizes = ", ".join(f"{name} ({e['nodes']:,})" for name, e in {**of_graphs, **of_tables}.items())

    def below(title: str, lines: list[str]) -> str:
        return f"## {title}\n\n" + "\n".join(f"#{line}" if line.startswith("#") else line for line in lines)

    parts = below("Graphs", tables(of_graphs, clock=CLOCK)) if of_graphs else ""
    parts += "\n" if parts and of_tables else ""
    parts += below("Tables", tables(of_tables, "nelayout ws-sne", CLOCK)) if of_tables else ""

    return f"""# Benchmarks

`python -m benchmarks.page` wrote this page on {datetime.datetime.now(datetime.UTC).date()} at commit {commit()}.
Machine: {machine()}. {versions()}.

Each package runs with its own defaults, on the largest component and without weights. A peer is another package. A
layout is ahead if it is better by three standard errors and by a hundredth of the scale from 0 to 1.
[Measures](reference/measures.md) defines the measures.

Data, with the number of nodes or rows: {sizes}.

{parts}"""


def main() -> None:
    """Measure; write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page", description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=[*GRAPHS, *TABLES], help="print the page of these data instead")
    only = parser.parse_args().only
    warnings.simplefilter("ignore")
    nl.layout(nx.random_geometric_graph(2000, 0.04, seed=1), seed=0)  # compiles
    chosen = only or [*GRAPHS, *TABLES]
    text = page(graphs([n for n in GRAPHS if n in chosen]), embeddings([n for n in TABLES if n in chosen]))
    if only:
        print(text)
    else:
        PAGE.write_text(text)


if __name__ == "__main__":
    main()
