"""`nelayout layout FILE -o OUT`: a picture of a graph, or the positions of its nodes in a file."""

from __future__ import annotations

import argparse
import io
import sys
from typing import TYPE_CHECKING, Any

from nelayout.cli import arguments, graph_input
from nelayout.cli.arguments import PICTURES
from nelayout.cli.report import say
from nelayout.errors import unknown

if TYPE_CHECKING:
    from nelayout.graphs.files import GraphFile

__all__ = ["EXAMPLES", "declare", "run"]

EXAMPLES = (
    "nelayout layout graph.graphml -o drawing.png --label id --color kind",
    "nelayout layout graph.mtx.gz -m nerv --set kappa=0.2 -o positions.csv",
)


def declare(command: argparse.ArgumentParser) -> None:
    """The options; those that are keywords of the layout functions mean the same."""
    option = arguments.declarer(command)
    option("-m", "--method", text="see nelayout methods (auto)", default="auto", type=arguments.method)
    option("--set", text=arguments.SET_TEXT, type=arguments.setting, action="append", metavar="NAME=VALUE")
    option(
        "-o",
        "--output",
        text="picture (png, svg, pdf) or positions (csv, json, npz, graphml, gexf); - is standard output",
        metavar="OUT",
        required=True,
    )
    graph_input.declare(command, option)
    option("--dim", type=int, default=2, choices=(1, 2, 3))
    option(
        "--scale",
        text="the drawing fits [-SCALE, SCALE] (1); none: the method's own units",
        type=_scale,
        default=1.0,
    )
    option("--pos", text="file with positions to start from", metavar="FILE")
    option(
        "--fixed",
        text="node that stays where --pos puts it; may be repeated",
        action="append",
        metavar="NODE",
    )
    option(
        "--label",
        text="node attribute written beside the nodes of a picture; id: the nodes' own names",
        metavar="NAME",
    )
    option("--color", text="node attribute, degree, strength, or color, of the nodes of a picture", metavar="NAME")
    option(
        "--format",
        text="format of OUT, or of FILE if the name of OUT says its own; IN:OUT names both",
        metavar="NAME",
    )
    option("--quiet", text="no notes and no progress", action="store_true")


def run(given: argparse.Namespace) -> None:
    """Check everything that can be wrong, then do the work and write the output."""
    from nelayout.graphs import files

    method = arguments.tuned_method(given.method, given.set)
    into, kind = arguments.choose_formats(given, (*PICTURES, *files.WRITERS))
    arguments.check_writable(given.output, kind, given.file, drawn=PICTURES, extra="draw")
    file = files.read_graph(given.file, into)
    labels = graph_input.attribute(given.label, file, "--label", graph_input.OWN_NAMES)
    color = _color(given.color, file) if kind in PICTURES else None
    start = None if given.pos is None else graph_input.known_positions(given.pos, file)
    fixed = None if given.fixed is None else [graph_input.node(name, file, "--fixed") for name in given.fixed]

    from nelayout.run.pipeline import solve

    solution = solve(
        file.graph,
        method,
        start,
        fixed,
        dim=given.dim,
        scale=given.scale,
        progress=not given.quiet and sys.stderr.isatty(),
        **graph_input.keywords(given, file),
    )
    if not given.quiet:
        for note in (*file.notes, *solution.notes):
            say(note)
        if kind not in PICTURES and (given.label or given.color):
            say(f"--label and --color are for pictures; {kind} keeps every node attribute it can")
    if kind not in PICTURES:
        files.write_positions(given.output, file, solution.positions, kind, source=given.file)
        return
    from nelayout.drawing import draw

    content = io.BytesIO()
    weight = graph_input.weight(given)
    draw(file.graph, solution.positions, content, labels=labels, color=color, weight=weight, format=kind)
    files.deliver(given.output, content.getvalue())


def _color(name: str | None, file: GraphFile) -> Any:
    if name is None or name in file.node_data:
        return None if name is None else file.node_data[name]
    from matplotlib.colors import is_color_like

    from nelayout.drawing.colors import AMOUNTS

    if not is_color_like(name) and name not in AMOUNTS:
        raise unknown("node attribute or color for --color", name, [*file.node_data, *AMOUNTS])
    return name


def _scale(text: str) -> float | None:
    return None if text == "none" else float(text)


_scale.__name__ = "number"  # argparse says "invalid ... value"
