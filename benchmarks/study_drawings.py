"""One contender on many graphs, in a process of its own: `python -m benchmarks.study_drawings CONTENDER FOLDER`.

Draws the first graph once more than it is counted, to load and compile what the others use, and writes
FOLDER/GRAPH.CONTENDER.SEED.npz with the positions `Y` and the seconds of wall clock and processor. What is there
already is not drawn again.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np

from benchmarks import problems
from benchmarks.contenders import contender
from benchmarks.drawn import cpu_seconds


def drawing_file(folder: Path, graph: str, who: str, seed: int) -> Path:
    """The file of one drawing."""
    return folder / f"{graph}.{who.replace(' ', '-').replace(':', '-')}.{seed}.npz"


def main() -> None:
    """Draw every graph of sensible size with every seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("contender")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--graphs", nargs="+", required=True)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--several", type=int, help="most nodes of a graph drawn from more than one seed")
    given = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    who, warm = contender(given.contender), False
    for graph in given.graphs:
        problem = problems.load(graph)
        if problem.n > who.largest:
            continue
        seeds = given.seeds if who.seeded and problem.n <= (given.several or problem.n) else given.seeds[:1]
        wanted = [(seed, drawing_file(given.folder, graph, who.name, seed)) for seed in seeds]
        wanted = [(seed, file) for seed, file in wanted if not file.exists()]
        for seed, file in wanted:
            draw = who.prepare(problem.adjacency, seed, 1)
            if not warm:
                draw()
                warm = True
            began, used = time.perf_counter(), cpu_seconds()
            try:
                Y = np.asarray(draw(), np.float64)
            except Exception as error:  # noqa: BLE001  a peer's own failure on this graph: named, and the next graph drawn
                print(f"{graph}: {who.name} failed: {error}", flush=True)
                continue
            wall, cpu = time.perf_counter() - began, cpu_seconds() - used
            if Y.shape != (problem.n, 2) or not np.isfinite(Y).all():
                print(f"{graph}: {who.name} gave no finite position for every node", flush=True)
                continue
            np.savez(file, Y=Y, wall=wall, cpu=cpu)
            print(f"{graph}: {who.name}, seed {seed}, {wall:.2f} s", flush=True)


if __name__ == "__main__":
    main()
