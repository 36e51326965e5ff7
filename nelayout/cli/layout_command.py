"""`nelayout layout FILE -o OUT`: a picture or a page of a graph, or the positions of its nodes."""

from __future__ import annotations

import argparse
import io
import sys
import warnings
from collections.abc import Iterable
from typing import Any

from nelayout.cli import arguments, film_output, graph_input
from nelayout.cli.arguments import PICTURES
from nelayout.cli.report import WrongUsage, painting, say
from nelayout.cli.viewer_look import check_look, viewer_look

__all__ = ["EXAMPLES", "declare", "formats", "run"]

EXAMPLES = (
    "nelayout layout graph.graphml -o drawing.png --label id --color kind",
    "nelayout layout graph.graphml -o drawing.pdf --background dark --edges bundled",
    "nelayout layout graph.graphml -o drawing.html",
    "nelayout layout graph.mtx.gz -m nerv --set kappa=0.2 -o positions.csv",
    "nelayout layout edges.csv --weight none --dim 3 -o positions.json",
    "nelayout layout 2019.graphml 2020.graphml 2021.graphml -o film.html",
)


# Default of --scale: what suits the format of the output.
SUITABLE: Any = object()
# The fate of node attributes in files that show neither colors nor names.
KEPT, LEFT = "keeps every node attribute it can", {"csv": "holds positions only", "pajek": "has none of them"}


def formats() -> dict[str, Iterable[str]]:
    """Formats that the command reads and writes, for --help."""
    from nelayout.graphs.files import FORMATS, WRITERS

    viewers = [name for name, entry in FORMATS.items() if entry.viewer is not None or name == "pajek"]
    return {
        "FILE": graph_input.graph_formats(),
        "OUT, a picture": PICTURES,
        "OUT, a page to zoom and search in": ("html",),
        "OUT, for a viewer": graph_input.with_endings(viewers),
        "OUT, positions": [name for name in WRITERS if name not in viewers],
        "OUT, a film of several FILEs": film_output.FILMS,
    }


def declare(command: argparse.ArgumentParser) -> None:
    """The options; those that are keywords of the layout functions mean the same."""
    option = arguments.declarer(command)
    option("-m", "--method", text=f"{arguments.METHOD_TEXT} (auto)", default="auto", type=arguments.method)
    option("--set", text=arguments.SET_TEXT, type=arguments.setting, action="append", metavar="NAME=VALUE")
    option(
        "-o",
        "--output",
        text="picture, page or positions, by its ending; - is standard output",
        metavar="OUT",
        required=True,
    )
    graph_input.declare(command, option)
    film_output.declare(command, option)
    option("--dim", type=int, default=2, choices=(1, 2, 3))
    option(
        "--scale",
        text="the drawing fits [-SCALE, SCALE] (1; in files for viewers, which count in pixels, 1000, in graphology's "
        "400); none: the method's own units",
        type=_scale,
        default=SUITABLE,
    )
    option("--device", default="cpu", metavar="NAME")
    option("--pos", text="file with positions to start from; it may be FILE itself", metavar="FILE")
    option(
        "--fixed",
        text="node that stays where --pos puts it; may be repeated",
        action="append",
        metavar="NODE",
    )
    option("--layers", text="axis on which every node stays where --pos puts it", choices=("x", "y", "z"))
    graph_input.declare_look(option)
    graph_input.declare_picture(option)
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
    if given.more:
        given.scale = 1.0 if given.scale is SUITABLE else given.scale
        film_output.write_film(given, method)
        return
    if given.layers is not None and given.layers not in "xyz"[: given.dim]:
        raise WrongUsage(f"--layers {given.layers}: a drawing of {given.dim} dimensions has no axis {given.layers}")
    if given.stability is not None:
        raise WrongUsage("--stability is for the snapshots of a changing graph: give two FILEs or more")
    into, kind = arguments.choose_formats(given, (*PICTURES, "html", *files.WRITERS))
    arguments.check_writable(given.output, kind, given.file, drawn=PICTURES, extra="draw")
    file = files.read_graph(given.file, into, graph_input.column(given))
    labels = graph_input.texts(given.label, file)
    color = graph_input.color(given.color, file) if kind in PICTURES else None
    picture = graph_input.picture_look(given, kind, PICTURES, file)
    look = graph_input.page_look(given, file) if kind == "html" else {}
    viewer = files.FORMATS[kind].viewer if kind in files.FORMATS else None
    if viewer is not None:
        check_look(given, file)
    start = None if given.pos is None else graph_input.known_positions(given.pos, file, given.file)
    fixed = _fixed(given, file)

    from nelayout.run.pipeline import solve

    solution = solve(
        file.graph,
        method,
        start,
        fixed,
        dim=given.dim,
        device=given.device,
        scale=(viewer or 1.0) if given.scale is SUITABLE else given.scale,
        progress=not given.quiet and sys.stderr.isatty(),
        **graph_input.keywords(given, file),
    )
    if not given.quiet:
        for note in (*file.notes, *solution.notes):
            say(note, given.parser)
        if kind in files.WRITERS and viewer is None and (given.label or given.color):
            say(f"--label and --color are for pictures and viewers; {kind} {LEFT.get(kind, KEPT)}", given.parser)
    if kind == "html":
        from nelayout.pictures.pages import solution_page

        content = solution_page(file.graph, solution, **look).html()
        files.deliver(given.output, content.encode("utf-8", "replace"))
        return
    if kind not in PICTURES:
        weight = graph_input.weight(given, file).get("weight", "weight")
        look = files.Look(weight=weight) if viewer is None else viewer_look(given, file, solution.positions, weight)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            files.write_positions(given.output, file, solution.positions, kind, given.file, look)
        for warning in caught if not given.quiet else ():
            say(str(warning.message), given.parser)
        return
    from nelayout.pictures import draw

    content = io.BytesIO()
    with painting(given):
        weight = graph_input.weight(given, file).get("weight", "weight")
        how = {"labels": labels, "color": color, "weight": weight, "format": kind, **picture}
        draw(file.graph, solution.positions, content, **how)
    files.deliver(given.output, content.getvalue())


def _scale(text: str) -> float | None:
    """A number, or None for the method's own units."""
    return None if text == "none" else float(text)


_scale.__name__ = "number"  # argparse says "invalid ... value"


def _fixed(given: argparse.Namespace, file: Any) -> Any:
    """Read the nodes, or the axes of each node, that stay where --pos puts them."""
    nodes = [graph_input.node(name, file, "--fixed") for name in given.fixed or ()]
    if given.layers is None:
        return nodes or None
    every = dict.fromkeys(graph_input.keys(file).values(), given.layers)
    return {**every, **dict.fromkeys(nodes, "xyz"[: given.dim])}
