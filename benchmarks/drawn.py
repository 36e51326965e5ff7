"""One contender on one graph, in a process of its own: `python -m benchmarks.drawn CONTENDER GRAPH.npz
OUT.npz`.

Draws once to warm up (imports, compiled code, caches), then as often as asked, and writes positions and
costs.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import time
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from benchmarks.contenders import contender


def cpu_seconds() -> float:
    """Of this process and of the programs that it has run."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def peak_megabytes() -> float:
    """The largest resident size of this process so far, or of a program that it has run."""
    unit = 2**20 if sys.platform == "darwin" else 2**10
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    status = Path("/proc/self/status")
    if status.exists():
        # Linux hands a parent's ru_maxrss down to the programs it starts; this one begins anew.
        own = next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) / unit


def main() -> None:
    """Read the graph, draw, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("contender")
    parser.add_argument("graph")
    parser.add_argument("out")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cold", action="store_true", help="time the first run, without a warm-up")
    given = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        # The same cores for every contender, whatever it makes of the environment's thread counts.
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: given.threads])
    stored = np.load(given.graph)
    n = len(stored["indptr"]) - 1
    adjacency = csr_array((np.ones(len(stored["indices"])), stored["indices"], stored["indptr"]), shape=(n, n))
    before = peak_megabytes()
    draw = contender(given.contender).prepare(adjacency, given.seed, given.threads)
    if not given.cold:
        draw()
    wall, cpu, Y = [], [], np.empty((n, 2))
    for _ in range(given.repeats):
        began, used = time.perf_counter(), cpu_seconds()
        Y = np.asarray(draw(), np.float64)
        wall.append(time.perf_counter() - began)
        cpu.append(cpu_seconds() - used)
    if Y.shape[0] != n or not np.isfinite(Y).all():
        raise SystemExit(f"{given.contender} gave no finite position for every node")
    np.savez(given.out, Y=Y, wall=wall, cpu=cpu, peak=peak_megabytes(), before=before)


if __name__ == "__main__":
    main()
