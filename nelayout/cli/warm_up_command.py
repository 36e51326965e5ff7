"""`nelayout warm-up`: compile the inner loops of ordinary drawings, for images of containers."""

from __future__ import annotations

import argparse
import sys
import time

from nelayout.errors import InputError

__all__ = ["EXAMPLES", "declare", "run"]

EXAMPLES = ("nelayout warm-up", "nelayout warm-up --dim 3")


def declare(command: argparse.ArgumentParser) -> None:
    """The dimension alone: drawings in space have loops of their own, which take as long again."""
    command.add_argument("--dim", type=int, default=2, choices=(2, 3), help="3: those of drawings in space, too")


def run(given: argparse.Namespace) -> None:
    """Make drawings that between them need all these loops, and say how many were not stored yet."""
    from nelayout.numerics import loop_store

    folder = loop_store.place()
    if folder is None:
        tried = ", ".join(str(path) for path in loop_store.folders())
        raise InputError(
            f"compiled loops cannot be stored: no folder of {tried} can be written; NUMBA_CACHE_DIR names another"
        )
    began = time.perf_counter()
    compiled = _draw_all(given.dim)
    seconds = time.perf_counter() - began
    done = f"compiled {compiled} loops in {seconds:.1f} s" if compiled else "every loop was compiled already"
    sys.stdout.write(f"{done}: {folder}\n")


def _draw_all(dim: int) -> int:
    """Make the drawings; returns the number of loops that were compiled for them."""
    import networkx as nx

    from nelayout.layouts.by_name import layout
    from nelayout.numerics.loop_store import missed

    before = len(missed)
    hubs = nx.barabasi_albert_graph(3000, 3, seed=1)
    layout(hubs, seed=0)  # one pass through all that is chosen by size and shape
    layout(nx.barabasi_albert_graph(600, 3, seed=1), seed=0)  # all pairs
    layout(nx.grid_2d_graph(150, 140), seed=0, max_iter=1)  # coarsened by compiled loops
    layout(hubs, "nerv", seed=0, max_iter=1)  # row by row
    trees = [nx.random_labeled_tree(10 + k, seed=k) for k in range(60)]
    layout(nx.disjoint_union_all(trees), seed=0)  # many small graphs at a time
    if dim == 3:
        layout(hubs, seed=0, dim=3)
    return len(missed) - before
