"""`nelayout layout A B ... -o film.html`: snapshots of a graph that changes, as a film."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nelayout.cli import arguments, graph_input
from nelayout.cli.report import WrongUsage, say

__all__ = ["FILMS", "declare", "write_film"]

FILMS = ("html", "gif")


def declare(command: argparse.ArgumentParser, option: Callable[..., None]) -> None:
    """The further files, and how firmly the map is held."""
    text = "further snapshots of a graph that changes; OUT is then a film, html or gif"
    command.add_argument("more", metavar="FILE", nargs="*", help=text)
    option(
        "--stability",
        text="of several FILEs: part of its way that the map forgoes from one to the next, in [0, 1) (0.8)",
        type=float,
        metavar="S",
    )


def write_film(given: argparse.Namespace, method: Any) -> None:
    """Check everything that can be wrong, then draw the snapshots and write the film."""
    from nelayout.changing import layout_sequence
    from nelayout.changing.sequence import STABILITY, checked_stability
    from nelayout.graphs import files

    count = 1 + len(given.more)
    if given.fixed is not None or given.layers is not None:
        option = "--fixed" if given.fixed is not None else "--layers"
        raise WrongUsage(f"{option} is for one FILE, given {count}: --stability holds all nodes of a film")
    if given.output == "-":
        raise WrongUsage(f"a film of {count} FILEs is written to a file: give -o film.html or -o film.gif")
    into, _, out = (given.format or "").rpartition(":")
    kind = out or Path(given.output).suffix.lower().lstrip(".")
    if kind not in FILMS or Path(given.output).suffix.lower() != f".{kind}":
        raise WrongUsage(
            f"{count} FILEs are the snapshots of a film, which {given.output!r} is none: name it .html or .gif, or "
            "draw the files one by one"
        )
    stability = checked_stability(STABILITY if given.stability is None else given.stability)
    paths = [given.file, *given.more]
    arguments.check_writable(given.output, kind, *paths, drawn=("gif",), extra="draw")
    snapshots = [files.read_graph(path, into or None, graph_input.column(given)) for path in paths]
    start = None if given.pos is None else graph_input.known_positions(given.pos, snapshots[0])
    keywords = graph_input.keywords(given, snapshots[0])
    film = layout_sequence(
        [each.graph for each in snapshots],
        method,
        stability,
        start,
        dim=given.dim,
        device=given.device,
        scale=given.scale,
        progress=not given.quiet and sys.stderr.isatty(),
        **keywords,
    )
    if not given.quiet:
        for note in dict.fromkeys([note for each in snapshots for note in each.notes] + list(film.notes)):
            say(note, given.parser)
        if given.label or given.color:
            say("--label and --color are for pictures; a film is colored by when nodes came", given.parser)
    if kind == "gif":
        film.to_gif(given.output)
    else:
        film.to_html(given.output, title=f"{Path(given.file).stem} to {Path(given.more[-1]).stem}")
