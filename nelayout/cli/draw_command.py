"""`nelayout draw FILE --pos POS -o OUT`: a picture or page of a graph at known positions."""

from __future__ import annotations

import argparse

from nelayout.cli import arguments, graph_input
from nelayout.cli.arguments import Command
from nelayout.cli.layout_command import FILMS, Output, formats

__all__ = ["COMMAND"]


def _declare(command: argparse.ArgumentParser) -> None:
    option = arguments.declarer(command)
    command.add_argument("file", metavar="FILE", help="graph file, may be gzipped; - is standard input")
    positions = "file with positions of all nodes; it may be FILE itself"
    option("--pos", text=positions, metavar="POS", required=True)
    out = "picture, page or positions, by its ending; - is standard output"
    option("-o", "--output", text=out, metavar="OUT", required=True)
    weight = "edge attribute with the weights (weight): edges of weight 0 are left out; none: every edge is drawn"
    option("--weight", text=weight, metavar="NAME")
    graph_input.declare_ends(option)
    graph_input.declare_look(option)
    graph_input.declare_picture(option)
    arguments.declare_messages(option)


def _run(given: argparse.Namespace) -> None:
    output = Output(given)
    notes: list[str] = []
    pos = graph_input.known_positions(given.pos, output.file, given.file, notes)
    output.write(pos, (*output.file.notes, *notes))


COMMAND = Command(
    "draw a graph at given positions: a picture, a page, or a file for a viewer",
    _declare,
    _run,
    (
        "nelayout draw graph.graphml --pos positions.csv -o drawing.png --label id --color kind",
        "nelayout draw drawn.gexf --pos drawn.gexf -o drawing.pdf --edges none",
    ),
    lambda: {title: names for title, names in formats().items() if list(names) != list(FILMS)},
)
