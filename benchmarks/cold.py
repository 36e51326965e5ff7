"""Seconds of the first drawing on a new machine: `python -m benchmarks.cold`.

Each drawing runs in a new process with an empty folder for compiled loops.  The process draws twice.  "above" is the
first drawing less the second: what compiling adds.  Karate's first call is in a process that has loaded networkx, NumPy
and scipy, and loads no compiler.  Wall time means something on two idle cores only; the load is printed.

    python -m benchmarks.cold --against /path/to/another/checkout   # both in turns
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parents[1]
PROGRAM = """
import json, sys, time
import networkx as nx, numpy, scipy.sparse
from nelayout.numerics import loop_store
import nelayout as nl

name, n = sys.argv[1], int(sys.argv[2])
G = {
    "karate": lambda: nx.karate_club_graph(),
    "geometric": lambda: nx.random_geometric_graph(n, 2 / n**0.5, seed=5),
    "hubs": lambda: nx.barabasi_albert_graph(n, 2, seed=1),
    "grid": lambda: nx.grid_2d_graph(int(n**0.5), int(n**0.5)),
}[name]()
found = []
for _ in range(2):
    wall, cpu = time.perf_counter(), time.process_time()
    nl.layout(G, seed=0)
    found.append((time.perf_counter() - wall, time.process_time() - cpu))
print(json.dumps([found, len(loop_store.missed), "numba" in sys.modules]))
"""
GRAPHS = ("karate", "geometric", "hubs", "grid")


def run(checkout: Path, name: str, n: int) -> dict[str, float]:
    """Draw a graph twice in a new process; wall and processor seconds of the drawing process."""
    with tempfile.TemporaryDirectory() as empty:
        environment = {**os.environ, "NUMBA_CACHE_DIR": empty, "PYTHONPATH": str(checkout)}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, "-c", PROGRAM, name, str(n)]
        done = subprocess.run(command, env=environment, cwd=empty, capture_output=True, text=True, check=True)
        ((first, cpu), (second, second_cpu)), compiled, numba = json.loads(done.stdout)
        stored = sum(1 for _ in Path(empty).rglob("*.nbc"))
    return {
        "first": first, "second": second, "above": first - second, "CPU above": cpu - second_cpu,
        "loops compiled here": compiled, "loops stored": stored, "numba": float(numba),
    }


def main() -> None:
    """Print a table of medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", nargs="+", default=list(GRAPHS), choices=GRAPHS)
    parser.add_argument("--nodes", type=int, default=3000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--against", type=Path, nargs="*", default=[], help="other checkouts, in turns with this one")
    given = parser.parse_args()
    rows = [(name, checkout) for name in given.graphs for checkout in (HERE, *given.against)]
    found = {row: [] for row in rows}
    run(HERE, "karate", 0)  # writes byte code
    for _ in range(given.repeats):
        for name, checkout in rows:
            found[name, checkout].append(run(checkout, name, given.nodes))
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores" if hasattr(os, "getloadavg") else ""
    print(f"{given.nodes:,} nodes, medians of {given.repeats}; {load}\n")
    columns = list(found[rows[0]][0])
    print("| graph | checkout | " + " | ".join(columns) + " |\n|---|---|" + "---:|" * len(columns))
    for (name, checkout), each in found.items():
        values = " | ".join(f"{median(run[column] for run in each):.3g}" for column in columns)
        print(f"| {name} | {checkout.name} | {values} |")


if __name__ == "__main__":
    main()
