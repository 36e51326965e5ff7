"""Which method wins what, over many graphs, our main methods, the installed peers, all measures.

    python -m benchmarks.study --folder drawings        # draws what is not in the folder yet, measures, writes
    python -m benchmarks.study --page                   # writes the page from the stored table alone

Each contender draws all graphs in one process of its own on one core, the binary adjacency of the largest component,
after one drawing that is not counted; peers have their own defaults. Every drawing is measured by `nelayout.measure`
with the same samples. The means over seeds go into docs/research/study.csv, from which docs/research/study.md is made.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from benchmarks import problems
from benchmarks.contenders import PEERS, contender
from benchmarks.peers import THREAD_VARIABLES
from benchmarks.study_drawings import drawing_file
from benchmarks.study_page import page
from nelayout.comparison.measuring import Measured
from nelayout.comparison.ranking import mean_of

DOCS = Path(__file__).resolve().parents[1] / "docs" / "research"
TABLE, PAGE = DOCS / "study.csv", DOCS / "study.md"
# All of the catalogue but ftsne, whose default is t-SNE.
METHODS = [
    "auto", "ws-sne", "gamma-quadlog", "gamma-linlog", "linlog", "quadlog", "polylog", "ee", "forceatlas2",
    "tsne", "ssne", "hssne", "mds-ks", "sne", "nerv", "jse", "alpha-sne",
]
# Nodes up to which a graph is drawn from several seeds.
SEVERAL = 1_500
ABOUT = ("graph", "nodes", "edges", "drawing", "seeds", "seconds")
DIGITS = 5

Found = dict[str, dict]
"""By graph: its nodes and edges, and by contender the measures (drawings), the median seconds, the number of seeds."""


def by_size() -> list[str]:
    """All shared graphs, the smallest first, so that a limit of time leaves out the largest."""
    graphs = [name for name in problems.names() if not name.endswith(f"_knn{problems.NEIGHBORS}")]
    return sorted(graphs, key=lambda name: problems.load(name).n)


def draw(who: str, graphs: list[str], folder: Path, seeds: int, limit: float) -> None:
    """Let one contender draw in a process of its own, which is ended after so many seconds."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.study_drawings", who, str(folder), "--graphs", *graphs]
    command += ["--seeds", *map(str, range(seeds)), "--several", str(SEVERAL)]
    environment = {**os.environ, **dict.fromkeys(THREAD_VARIABLES, "1")}
    try:
        subprocess.run(command, env=environment, cwd=DOCS.parent, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        print(f"{who}: ended after {limit:g} s; what it has drawn is counted")


def measured(folder: Path, graphs: list[str], names: list[str], seeds: int) -> Found:
    """The measures of all drawings in the folder, means over seeds."""
    found: Found = {}
    for graph in graphs:
        problem = problems.load(graph)
        entry = {"nodes": problem.n, "edges": problem.m, "drawings": {}, "seconds": {}, "seeds": {}}
        for name in names:
            files = [drawing_file(folder, graph, name, seed) for seed in range(seeds)]
            files = [file for file in files if file.exists()]
            if files:
                runs = [measures_of(file, problem) for file in files]
                entry["drawings"][name] = mean_of(runs)
                entry["seconds"][name] = float(np.median([np.load(file)["cpu"] for file in files]))
                entry["seeds"][name] = len(runs)
        print(f"{graph}: measured", flush=True)
        found[graph] = entry
    return found


def measures_of(file: Path, problem: problems.Problem) -> dict[str, Measured]:
    """All measures of a drawing; kept beside it, and read from there while the drawing is the older file."""
    import nelayout as nl

    kept = file.with_suffix(".json")
    if kept.exists() and kept.stat().st_mtime > file.stat().st_mtime:
        return {name: Measured(*row) for name, row in json.loads(kept.read_text()).items()}
    Y = np.load(file)["Y"]
    found = nl.measure(problem.adjacency, Y, problem.labels, problem.coords, measures="all")
    kept.write_text(json.dumps({name: [m.value, m.score, m.error, m.exact] for name, m in found.items()}))
    return found


def write_table(found: Found, path: Path) -> None:
    """A row per graph and drawing; three columns per measure: value, score, error."""
    measures = list(dict.fromkeys(m for g in found.values() for row in g["drawings"].values() for m in row))
    with path.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow([*ABOUT, *(f"{m}{part}" for m in measures for part in ("", " score", " error"))])
        for graph, entry in found.items():
            for name, row in entry["drawings"].items():
                numbers = [x for m in measures for x in _cells(row.get(m))]
                about = [graph, entry["nodes"], entry["edges"], name, entry["seeds"][name]]
                table.writerow([*about, f"{entry['seconds'][name]:.3g}", *numbers])


def _cells(m: Measured | None) -> list[str]:
    if m is None or math.isnan(m.value):
        return ["", "", ""]
    return [f"{m.value:.{DIGITS}g}", f"{m.score:.{DIGITS}g}", f"{m.error:.2g}"]


def read_table(path: Path) -> Found:
    """The table as `measured` gave it, in the digits that are stored."""
    found: Found = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            empty = {"nodes": int(row["nodes"]), "edges": int(row["edges"]), "drawings": {}, "seconds": {}, "seeds": {}}
            entry = found.setdefault(row["graph"], empty)
            names = [name.removesuffix(" score") for name in row if name.endswith(" score")]
            entry["drawings"][row["drawing"]] = {
                m: Measured(float(row[m]), float(row[f"{m} score"]), float(row[f"{m} error"]), row[f"{m} error"] == "0")
                for m in names
                if row[m]
            }
            entry["seconds"][row["drawing"]] = float(row["seconds"])
            entry["seeds"][row["drawing"]] = int(row["seeds"])
    return found


def main(arguments: list[str] | None = None) -> None:
    """Draw, measure, write the table and the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.study", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent / "results" / "study", help="of drawings")
    parser.add_argument("--graphs", nargs="+", metavar="GRAPH", help="default: all shared ones")
    parser.add_argument("--methods", nargs="*", default=METHODS, metavar="METHOD")
    parser.add_argument("--peers", nargs="*", default=list(PEERS), metavar="PEER")
    parser.add_argument(
        "--seeds", type=int, default=1, help=f"drawings of a graph of at most {SEVERAL:,} nodes; larger ones get one"
    )
    parser.add_argument("--limit", type=float, default=1800, help="seconds of one contender for all graphs")
    parser.add_argument("--no-drawing", action="store_true", help="measure what is in the folder")
    parser.add_argument("--page", action="store_true", help="write the page from the stored table")
    given = parser.parse_args(arguments)
    if not given.page:
        graphs = given.graphs or by_size()
        names = [f"nelayout {method}" for method in given.methods] + given.peers
        given.folder.mkdir(parents=True, exist_ok=True)
        for name in [] if given.no_drawing else names:
            if not contender(name).available:
                print(f"{name} is not installed, left out")
                continue
            draw(name, graphs, given.folder, given.seeds, given.limit)
        write_table(measured(given.folder, graphs, names, given.seeds), TABLE)
    PAGE.write_text(page(read_table(TABLE)))
    print(f"written: {PAGE}")


if __name__ == "__main__":
    main()
