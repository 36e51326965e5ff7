"""The speed of this commit beside a fixed one, in turns: `python -m benchmarks.track`.

Each case is drawn warm in a fresh process, on one thread, by the reference build and by this one, in turns.  A number
is processor seconds of this build over those of the reference, the median of all rounds.  So a slow or busy machine
changes it little.

``--write`` appends a row to benchmarks/track.csv.  ``--check`` compares with the last row, and fails if the median over
the cases is `SLOWER` or more.  The reference is taken from the history of the repository; without it there is nothing
to compare with, and the command says so.
"""

from __future__ import annotations

import argparse
import csv
import io
import math
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TABLE = Path(__file__).with_name("track.csv")
REFERENCE = "a5cbc0a0873fd0bcdd9a15281a04e3624748f996"
SLOWER = 1.15
CASES = {
    "karate, auto": ("nx.karate_club_graph()", "auto"),
    "karate, ws-sne": ("nx.karate_club_graph()", "ws-sne"),
    "les miserables, auto": ("nx.les_miserables_graph()", "auto"),
    "les miserables, gamma-quadlog": ("nx.les_miserables_graph()", "gamma-quadlog"),
    "grid 900, auto": ("nx.grid_2d_graph(30, 30)", "auto"),
    "grid 900, ws-sne": ("nx.grid_2d_graph(30, 30)", "ws-sne"),
    "preferential 4,000, auto": ("nx.barabasi_albert_graph(4000, 3, seed=1)", "auto"),
    "preferential 4,000, ws-sne": ("nx.barabasi_albert_graph(4000, 3, seed=1)", "ws-sne"),
    "1,000 trees, auto": ("many_components.forest(1000, 3, 7)", "auto"),
    "tree 300, auto": ("nx.random_labeled_tree(300, seed=1)", "auto"),
    "tree 1,000, auto": ("nx.random_labeled_tree(1000, seed=1)", "auto"),
    "tree 3,000, auto": ("nx.random_labeled_tree(3000, seed=1)", "auto"),
    "caterpillar 900, auto": ("kinds.caterpillar(300)", "auto"),
    "cactus 600, auto": ("kinds.cactus(600)", "auto"),
    "triangulation 600, auto": ("kinds.triangulation(600)", "auto"),
    "stars of stars 421, auto": ("nx.balanced_tree(20, 2)", "auto"),
    "ladder 400, auto": ("nx.ladder_graph(200)", "auto"),
    "blocks 400, auto": ("nx.planted_partition_graph(8, 50, 0.2, 0.005, seed=1)", "auto"),
    "small world 600, auto": ("nx.connected_watts_strogatz_graph(600, 6, 0.05, seed=1)", "auto"),
}
"""Name -> graph and method."""
SCRIPT = """
import sys, time
import networkx as nx
import nelayout as nl
sys.path.append(sys.argv[1])
from benchmarks import kinds, many_components
G = {graph}
nl.layout(G, {method!r}, seed=0, n_jobs=1)
began = time.process_time()
nl.layout(G, {method!r}, seed=0, n_jobs=1)
print(time.process_time() - began)
"""


def reference(repository: Path, folder: Path) -> Path | None:
    """Unpack the reference build; None if the repository does not have it."""
    packed = subprocess.run(
        ["git", "-c", f"safe.directory={repository}", "-C", repository, "archive", REFERENCE, "nelayout"],
        capture_output=True, check=False,
    )
    if packed.returncode:
        return None
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def seconds(build: Path, case: str) -> float:
    """Processor seconds of a warm drawing by a build."""
    graph, method = CASES[case]
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(graph=graph, method=method), ROOT],
        env={**os.environ, "PYTHONPATH": str(build)}, cwd=build, stdout=subprocess.PIPE, text=True, check=True,
    )
    return float(found.stdout.split()[-1])


def ratios(old: Path, cases: list[str], rounds: int) -> dict[str, float]:
    """Case -> seconds of this build over those of the reference."""
    found = {}
    for case in cases:
        pairs = [(seconds(old, case), seconds(ROOT, case)) for _ in range(rounds)]
        before, now = (statistics.median(each) for each in zip(*pairs, strict=True))
        found[case] = now / before
        print(f"{case:32} {before:8.3f} s, now {now:8.3f} s, {found[case]:.2f}", flush=True)
    return found


def last_row() -> dict[str, float]:
    """Case -> ratio in the last row of the table; empty without one."""
    if not TABLE.exists():
        return {}
    with TABLE.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {case: float(rows[-1][case]) for case in CASES if rows and rows[-1].get(case)}


def write(found: dict[str, float], repository: Path) -> None:
    """Append a row: date, commit, ratios."""
    commit = subprocess.run(
        ["git", "-C", repository, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    rows: list[dict[str, Any]] = []
    if TABLE.exists():
        with TABLE.open(newline="") as file:
            rows = list(csv.DictReader(file))
    rows.append({"date": datetime.now(UTC).date(), "commit": commit, **{case: f"{r:.3f}" for case, r in found.items()}})
    with TABLE.open("w", newline="") as file:  # cases may have come since the last row
        table = csv.DictWriter(file, ["date", "commit", *CASES], restval="", lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def main() -> None:
    """Print the ratios; with ``--check`` exit with 1 if this build is slower than the last row."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repository", type=Path, default=ROOT, help="repository with the reference (this one)")
    parser.add_argument("--cases", nargs="+", choices=list(CASES), default=list(CASES), metavar="CASE")
    parser.add_argument("--rounds", type=int, default=5, help="drawings by each build (5)")
    parser.add_argument("--write", action="store_true", help="append a row to benchmarks/track.csv")
    parser.add_argument("--check", action="store_true", help="fail if slower than the last row")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        old = reference(given.repository, Path(folder))
        if old is None:
            print(f"{given.repository} has no commit {REFERENCE[:7]}: fetch the whole history to compare")
            return
        found = ratios(old, given.cases, given.rounds)
    print(f"geometric mean {math.exp(statistics.fmean(map(math.log, found.values()))):.2f}")
    known = last_row()
    if given.write:
        write(found, given.repository)
    if given.check and known:
        change = statistics.median(found[case] / known[case] for case in found if case in known)
        print(f"median of the cases: {change:.2f} of the last row")
        if change >= SLOWER:
            raise SystemExit(f"slower by {change - 1:.0%}: find the cause, or write a new row and say why")


if __name__ == "__main__":
    main()
