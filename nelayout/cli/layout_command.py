"""`nelayout layout FILE -o OUT`: a picture of a graph, or the positions of its nodes in a file."""

from __future__ import annotations

import argparse
import importlib.util
import io
import sys
from typing import TYPE_CHECKING, Any

from nelayout.cli.report import say
from nelayout.errors import InputError, missing_extra, unknown

if TYPE_CHECKING:
    from nelayout.graphs.files import GraphFile

PICTURES = ("png", "svg", "pdf")
OWN_NAMES = ("id", "label", "name")
"""What `--label` takes for the nodes' own names where no attribute is called so."""


def declare(command: argparse.ArgumentParser) -> None:
    """The options; those that are keywords of the layout functions mean the same."""
    from nelayout.options import TEXTS

    def option(name: str, text: str = "", **how: Any) -> None:
        key = name.removeprefix("--").replace("-", "_")
        command.add_argument(name, help=(text or TEXTS[key]).replace("%", "%%"), **how)

    command.add_argument("file", metavar="FILE", help="graph file; - is standard input")
    command.add_argument("-m", "--method", default="auto", type=_method, help="see nelayout methods (auto)")
    command.add_argument(
        "-o", "--output", metavar="OUT", required=True, help="picture or positions; - is standard output"
    )
    option(
        "--weight",
        "edge attribute with the weights (weight); none: every edge weighs 1",
        default="weight",
        metavar="NAME",
    )
    option("--weight-kind", default="similarity", choices=("similarity", "distance", "log"))
    option(
        "--mass",
        "node masses: unit, degree, strength, ..., or a node attribute (the method's own)",
        metavar="NAME",
    )
    option("--smoothing", type=float, default=0.0, metavar="RHO")
    option("--dim", type=int, default=2, choices=(1, 2, 3))
    option(
        "--scale",
        "the drawing fits [-SCALE, SCALE] (1); none: the method's own units",
        type=_scale,
        default=1.0,
    )
    option("--seed", "same seed, same drawing (0)", type=_whole, default=0)
    option("--pos", "file with positions to start from", metavar="FILE")
    option("--fixed", "node that stays where --pos puts it; may be repeated", action="append", metavar="NODE")
    option("--max-iter", type=_whole, metavar="STEPS")
    option(
        "--label",
        "node attribute written beside the nodes of a picture; id: the nodes' own names",
        metavar="NAME",
    )
    option("--color", "node attribute, or colour, of the nodes of a picture", metavar="NAME")
    option(
        "--format",
        "format of OUT, or of FILE if the name of OUT says its own; IN:OUT names both",
        metavar="NAME",
    )
    option("--quiet", "no notes and no progress", action="store_true")


def run(given: argparse.Namespace) -> None:
    """Everything that can be wrong is looked for before the work starts."""
    from nelayout.graphs import files

    into, kind = _formats(given)
    files.check_output(given.output, given.file)
    if kind in PICTURES and importlib.util.find_spec("matplotlib") is None:
        raise missing_extra("matplotlib", "draw", "pictures")
    if given.output == "-" and kind in {*PICTURES, "npz"} and sys.stdout.isatty():
        raise InputError(f"{kind} is no text for a terminal; give -o FILE, or send it into a file or a pipe")
    file = files.read_graph(given.file, into)
    labels = _labels(given.label, file)
    color = _color(given.color, file) if kind in PICTURES else None
    start = None if given.pos is None else _start(given.pos, file)
    fixed = None if given.fixed is None else [_node(name, file) for name in given.fixed]

    from nelayout.pipeline import solve

    solution = solve(
        file.graph,
        given.method,
        start,
        fixed,
        weight=None if given.weight == "none" else given.weight,
        weight_kind=given.weight_kind,
        mass=_mass(given.mass, file),
        smoothing=given.smoothing,
        dim=given.dim,
        scale=given.scale,
        seed=given.seed,
        max_iter=given.max_iter,
        progress=not given.quiet and sys.stderr.isatty(),
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
    draw(
        file.graph,
        solution.positions,
        content if given.output == "-" else given.output,
        labels=labels,
        color=color,
        format=kind,
    )
    if given.output == "-":
        sys.stdout.buffer.write(content.getvalue())


def _formats(given: argparse.Namespace) -> tuple[str | None, str]:
    """The formats of FILE (None: as its name or content says) and OUT."""
    from nelayout.graphs import files

    allowed = (*PICTURES, *files.WRITERS)
    into, colon, out = (given.format or "").partition(":")
    if colon:
        return into or None, files.output_format(given.output, out or None, allowed)
    try:
        return given.format, files.output_format(given.output, None, allowed)
    except InputError:
        return None, files.output_format(given.output, given.format, allowed)


def _start(path: str, file: GraphFile) -> dict[Any, Any]:
    """Positions keyed by the graph's own nodes; those of other nodes are left out."""
    from nelayout.graphs import files

    found = {str(label): place for label, place in files.read_positions(path).items()}
    keys = _keys(file)
    start = {keys[name]: place for name, place in found.items() if name in keys}
    if not start:
        raise InputError(
            f"{path}: none of its {len(found)} nodes is a node of the graph, which has e.g. "
            f"{next(iter(keys), None)!r}; give positions of the graph's own nodes"
        )
    return start


def _keys(file: GraphFile) -> dict[str, Any]:
    """The name of every node in the file -> what the graph calls it (a matrix: its number)."""
    numbered = not hasattr(file.graph, "nodes")
    return {str(label): i if numbered else label for i, label in enumerate(file.labels)}


def _node(name: str, file: GraphFile) -> Any:
    keys = _keys(file)
    if name not in keys:
        raise unknown("node for --fixed", name, keys)
    return keys[name]


def _mass(name: str | None, file: GraphFile) -> Any:
    """A column of the file where the graph itself has no attributes."""
    if name is not None and name in file.node_data and not hasattr(file.graph, "nodes"):
        return file.node_data[name]
    return name


def _labels(name: str | None, file: GraphFile) -> Any:
    if name is None:
        return None
    if name in file.node_data:
        return file.node_data[name]
    if name in OWN_NAMES:
        return list(file.labels)
    raise unknown("node attribute for --label", name, ["id", *file.node_data])


def _color(name: str | None, file: GraphFile) -> Any:
    if name is None or name in file.node_data:
        return None if name is None else file.node_data[name]
    from matplotlib.colors import is_color_like

    if not is_color_like(name):
        raise unknown("node attribute or colour for --color", name, file.node_data)
    return name


def _method(name: str) -> str:
    from nelayout.catalogue import method_named

    try:
        method_named(name)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return name


def _scale(text: str) -> float | None:
    return None if text == "none" else float(text)


def _whole(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


_scale.__name__, _whole.__name__ = "number", "whole number of 0 or more"  # argparse says "invalid ... value"
