"""Commands without an output file.

`nelayout plan` lists what a run will do, `nelayout methods` the catalogue, and `nelayout warm-up` compiles the loops.
"""

from __future__ import annotations

import argparse
import sys
import time

from nelayout.catalogue import methods, own_keywords
from nelayout.cli import arguments, graph_input, layout_command
from nelayout.cli.arguments import Command, in_options, say_all
from nelayout.errors import InputError

__all__ = ["METHODS", "PLAN", "WARM_UP"]


def _declare_plan(command: argparse.ArgumentParser) -> None:
    """Add the options of `nelayout layout` that a plan depends on."""
    option = arguments.declarer(command)
    arguments.declare_method(option)
    graph_input.declare(command, option)
    option("--format", text="format of FILE", metavar="NAME")
    option("--quiet", text="no notes", action="store_true")


def _plan(given: argparse.Namespace) -> None:
    """Print the passes that `nelayout layout` will run, with time and memory."""
    from nelayout.run.plan_table import plan

    method = arguments.tuned_method(given.method, given.set)
    file = graph_input.read_graph(given, given.file, given.format)
    start = None if given.pos is None else graph_input.known_positions(given.pos, file, given.file)
    found = plan(file, method, start, dim=given.dim, **graph_input.keywords(given, file))
    say_all(file.notes, given)
    sys.stdout.write(f"{found!r}\n")


def _list_methods(given: argparse.Namespace) -> None:
    """Print name and use of every method, and its own parameters with their defaults."""
    del given
    layout = argparse.ArgumentParser()
    layout_command.declare(layout)
    rows = methods()
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        sys.stdout.write(f"{row['name']:<{width}}  {in_options(row['summary'], layout)}\n")
        shown = {k: f"{v:g}" if isinstance(v, float) else str(v).lower() for k, v in own_keywords(row["name"]).items()}
        if shown:
            sys.stdout.write(f"{'':<{width}}  {' '.join(f'--set {name}={text}' for name, text in shown.items())}\n")


def _declare_warm_up(command: argparse.ArgumentParser) -> None:
    text = "3: also the loops of drawings in space"
    command.add_argument("--dim", type=int, default=2, choices=(2, 3), help=text)


def _warm_up(given: argparse.Namespace) -> None:
    """Draw graphs that need all loops; print how many loops were compiled."""
    from nelayout.numerics import loop_store

    folder = loop_store.place()
    if folder is None:
        tried = ", ".join(str(path) for path in loop_store.folders())
        raise InputError(
            f"compiled loops cannot be stored: no folder of {tried} can be written; NUMBA_CACHE_DIR names another"
        )
    began, before = time.perf_counter(), loop_store.stored()
    _draw_all(given.dim)
    compiled = loop_store.stored() - before
    seconds = time.perf_counter() - began
    done = f"compiled {compiled} loops in {seconds:.1f} s" if compiled else "every loop was compiled already"
    sys.stdout.write(f"{done}: {folder}\n")


def _draw_all(dim: int) -> None:
    import networkx as nx

    from nelayout.layouts import layout

    hubs = nx.barabasi_albert_graph(3000, 3, seed=1)
    layout(hubs, seed=0)  # the choices by size and shape
    layout(nx.barabasi_albert_graph(600, 3, seed=1), seed=0)  # all pairs
    layout(nx.grid_2d_graph(150, 140), seed=0, max_iter=1)  # coarsened by compiled loops
    layout(hubs, "nerv", seed=0, max_iter=1)  # row by row
    trees = [nx.random_labeled_tree(10 + k, seed=k) for k in range(60)]
    layout(nx.disjoint_union_all(trees), seed=0)  # many small graphs at once
    if dim == 3:
        layout(hubs, seed=0, dim=3)


PLAN = Command(
    "list the passes that drawing a graph will run, with time and memory",
    _declare_plan,
    _plan,
    ("nelayout plan graph.graphml", "nelayout plan roads.mtx.gz -m ws-sne"),
)
METHODS = Command(
    "list the methods and their own parameters",
    lambda _: None,
    _list_methods,
    (
        "nelayout methods",
        "nelayout layout graph.graphml -m nerv --set kappa=0.2 -o drawing.png",
        "nelayout layout graph.graphml -m nerv:0.2 -o drawing.png",
    ),
)
WARM_UP = Command(
    "compile the inner loops now, for example in a Dockerfile",
    _declare_warm_up,
    _warm_up,
    ("nelayout warm-up", "nelayout warm-up --dim 3"),
)
