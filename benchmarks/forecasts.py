"""What `nelayout.plan` says from sizes alone, beside whole processes: `python -m benchmarks.forecasts`.

Each process imports nelayout, reads a table of edges or of rows as text, and draws it on one thread.  Its processor
time and its largest memory stand beside the forecast.  A first run of each size loads what is compiled and does not
count; then the median of the repeats counts.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import nelayout as nl
from benchmarks.peers import THREAD_VARIABLES

GRAPHS = [(1_000, 3_000), (10_000, 30_000), (30_000, 150_000), (100_000, 500_000)]
TABLES = [(3_000, 50), (20_000, 100)]
GRAPH = """
import resource, sys, time
import nelayout as nl
from nelayout.graphs.files import read_graph
nl.layout(read_graph(sys.argv[1]), sys.argv[2], seed=0, n_jobs=1, node_size=None)
print(time.process_time(), 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
TABLE = """
import resource, sys, time
import nelayout as nl
from nelayout.graphs.files.opening import load
from nelayout.vectors.tables import read_table
nl.embed(read_table(load(sys.argv[1], "a table"), "csv").X, sys.argv[2], random_state=0, n_jobs=1)
print(time.process_time(), 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def write_graph(path: Path, n: int, m: int) -> None:
    """Write a ring with chords to near nodes, one in twenty rewired."""
    rng, k = np.random.default_rng(0), m // n
    i, step = np.repeat(np.arange(n), k), np.tile(np.arange(1, k + 1), n)
    j = np.where(rng.random(n * k) < 0.05, rng.integers(0, n, n * k), (i + step) % n)
    np.savetxt(path, np.column_stack([i, j])[i != j], "%d", ",", header="source,target", comments="")


def write_table(path: Path, n: int, d: int) -> None:
    """Write ten groups of rows."""
    rng = np.random.default_rng(0)
    X = 6 * rng.normal(size=(10, d))[rng.integers(0, 10, n)] + rng.normal(size=(n, d))
    np.savetxt(path, X, "%.4f", ",", header=",".join(f"column {k}" for k in range(d)), comments="")


def measured(program: str, path: Path, method: str, repeats: int) -> tuple[float, float]:
    """Processor seconds and bytes of the process, medians."""
    environment = {**os.environ, **dict.fromkeys(THREAD_VARIABLES, "1")}
    command = [sys.executable, "-W", "ignore", "-c", program, str(path), method]
    found = []
    for _ in range(repeats + 1):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        found.append([float(word) for word in done.stdout.split()])
    seconds, size = np.median(found[1:], axis=0).tolist()
    return seconds, size


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--methods", nargs="+", default=["ws-sne", "auto"])
    parser.add_argument("--most", type=int, default=10**9, help="largest number of nodes or rows")
    asked = parser.parse_args()
    print("| what | method | processor s | plan s | ratio | MB | plan MB | ratio |\n|---|---|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        cases = [("nodes", "edges", *sizes, GRAPH, write_graph, method) for sizes in GRAPHS for method in asked.methods]
        cases += [("rows", "columns", *sizes, TABLE, write_table, "ws-sne") for sizes in TABLES]
        for first, second, n, m, program, write, method in cases:
            if n > asked.most:
                continue
            path = Path(folder, f"{first}{n}.csv")
            if not path.exists():
                write(path, n, m)
            seconds, size = measured(program, path, method, asked.repeats)
            sizes: dict[str, Any] = {first: n, second: m}
            plan = nl.plan(method=method, n_jobs=1, **sizes)
            ratios = plan.seconds / seconds, plan.process_bytes / size
            print(
                f"| {n} {first}, {m} {second} | {method} | {seconds:.2f} | {plan.seconds:.2f} | {ratios[0]:.2f} "
                f"| {size / 1e6:.0f} | {plan.process_bytes / 1e6:.0f} | {ratios[1]:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
