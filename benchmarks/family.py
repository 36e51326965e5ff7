"""Every method on one large graph, timed against t-SNE: `python -m benchmarks.family`.

The graph joins each of 20,000 points, drawn from ten Gaussian clusters in five dimensions, to its 10 nearest.  Each
method draws it in a process of its own, once to warm up on a small part and then timed.  Printed are processor seconds,
their ratio to t-SNE's, and the most memory that the process held.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time

import numpy as np

import nelayout as nl
from benchmarks.drawn import peak_megabytes
from benchmarks.scaling import neighbors

THREADS = 2
YARDSTICK = "tsne"
VARIANTS: dict[str, tuple[str, dict]] = {
    **{row["name"]: (row["name"], {}) for row in nl.methods() if row["name"] != "ftsne"},
    **{f"ftsne {d}": ("ftsne", {"divergence": d}) for d in ("reverse-kl", "js", "hellinger", "chi2")},
    "alpha-sne, alpha 0": ("alpha-sne", {"alpha": 0.0}),
    "auto": ("auto", {}),
}


def points(n: int) -> np.ndarray:
    """(n, 5): ten clusters."""
    rng = np.random.default_rng(0)
    return 3.0 * rng.normal(size=(10, 5))[rng.integers(0, 10, n)] + rng.normal(size=(n, 5))


def drawn(name: str, n: int) -> dict[str, float]:
    """Draw in this process; seconds and megabytes."""
    method, own = VARIANTS[name]
    if method == "auto":
        layout = nl.layout
    else:
        layout = getattr(nl, f"{method.replace('-', '_')}_layout")
    layout(neighbors(points(3000)), seed=0, n_jobs=THREADS, **own)
    A = neighbors(points(n))
    began, cpu = time.perf_counter(), time.process_time()
    layout(A, seed=0, n_jobs=THREADS, **own)
    return {"wall": time.perf_counter() - began, "cpu": time.process_time() - cpu, "megabytes": peak_megabytes()}


def main(arguments: list[str] | None = None) -> None:
    """Draw all, each in a process of its own, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.family", description=__doc__)
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--methods", nargs="+", default=list(VARIANTS), choices=list(VARIANTS), metavar="METHOD")
    parser.add_argument("--only", choices=list(VARIANTS), help="draw this one here and print its figures as JSON")
    given = parser.parse_args(arguments)
    if given.only:
        print(json.dumps(drawn(given.only, given.nodes)))
        return
    yardstick = None
    print("| method | wall s | CPU s | times t-SNE's | MB |\n|---|---:|---:|---:|---:|")
    for name in dict.fromkeys([YARDSTICK, *given.methods]):
        command = [sys.executable, "-m", "benchmarks.family", "--nodes", str(given.nodes), "--only", name]
        done = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        yardstick = yardstick or done["cpu"]
        seconds = [f"{done['wall']:.1f}", f"{done['cpu']:.1f}", f"{done['cpu'] / yardstick:.2f}"]
        cells = [*seconds, f"{done['megabytes']:.0f}"]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
