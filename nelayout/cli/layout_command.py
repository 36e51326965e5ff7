"""`nelayout layout FILE -o OUT`: positions, a picture or a page; a film of several FILEs.

`nelayout draw FILE --pos POS -o OUT` writes the same of a graph at known positions.
"""

from __future__ import annotations

import argparse
import importlib.util
import io
import logging
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from nelayout.cli import arguments
from nelayout.cli.arguments import PICTURES, Command, WrongUsage, painting, say_all, shows_progress
from nelayout.errors import InputError, missing_extra
from nelayout.graphs import every_position, files, read
from nelayout.graphs.files import FORMATS, WRITERS, GraphFile, Look
from nelayout.graphs.files.writers import not_held
from nelayout.graphs.host import Named
from nelayout.record.progress import LOG

__all__ = ["COMMAND", "DRAW", "declare"]

FILMS = ("html", "gif")
# Options of work that only one machine can do, by their names in the arguments.
ONE_MACHINE = ("pos", "fixed", "layers", "stability", "nodes", "label", "color", "background", "edges")
# Options of a drawing on workers with the names and values of keywords.
ON_WORKERS = (
    "seed", "checkpoint", "dim", "mass", "max_iter", "affinity", "perplexity", "hops", "smoothing", "weight_kind",
    "device",
)  # fmt: skip
# Formats of positions from workers, and endings of OUT.
WORKER_FORMATS = ("parquet", "arrow", "csv")
SUITABLE: Any = object()  # default of --scale: what suits the format of the output
# What other formats do with node attributes.
KEPT, LEFT = "keeps every node attribute it can", {
    **dict.fromkeys(("csv", "arrow", "parquet"), "holds positions only"),
    "pajek": "holds no attributes",
}


def formats() -> dict[str, Iterable[str]]:
    """Return the formats that --help lists, by what they are for."""
    viewers = [name for name, entry in FORMATS.items() if entry.viewer is not None or name == "pajek"]
    return {
        "FILE": arguments.graph_formats(),
        "OUT, a picture": PICTURES,
        "OUT, a page to zoom and search in": ("html",),
        "OUT, for a viewer": arguments.with_endings(viewers),
        "OUT, positions": [name for name in WRITERS if name not in viewers],
        "OUT, a film of several FILEs": FILMS,
    }


def declare(command: argparse.ArgumentParser) -> None:
    """Add the options; the names of keywords of the layout functions mean the same."""
    option = arguments.declarer(command)
    arguments.declare_method(option)
    out = "picture, page or positions, by its ending; - is standard output"
    option("-o", "--output", text=out, metavar="OUT", required=True)
    arguments.declare(command, option)
    more = "further snapshots of a graph that changes; OUT is then a film, html or gif"
    command.add_argument("more", metavar="FILE", nargs="*", help=more)
    stability = "of several FILEs: how firmly the old map is held, 0 to below 1; 0.8: it moves one fifth as far (0.8)"
    option("--stability", text=stability, type=float, metavar="S")
    scale = (
        "the drawing fits [-SCALE, SCALE] (1; in files for viewers, which count in pixels, 1000, in graphology's 400); "
        "none: the method's own units"
    )
    option("--scale", text=scale, type=_scale, default=SUITABLE)
    option("--device", default="cpu", metavar="NAME")
    fixed = "node that stays where --pos puts it; may be repeated"
    option("--fixed", text=fixed, action="append", metavar="NODE")
    option("--layers", text="axis on which every node stays where --pos puts it", choices=("x", "y", "z"))
    arguments.declare_look(option)
    arguments.declare_picture(option)
    text = "draw on the workers of a Dask cluster: local starts some here, or its address; FILE may be a folder"
    option("--scheduler", text=text, metavar="local|ADDRESS")
    folder = "with --scheduler: folder for the work on the way; the same command goes on from there"
    option("--checkpoint", text=folder, metavar="FOLDER")
    arguments.declare_messages(option)
    option("-v", "--verbose", text="say what each pass gains", action="store_true")


def _scale(text: str) -> float | None:
    return None if text == "none" else float(text)


_scale.__name__ = "number"  # argparse writes "invalid ... value"


def _run(given: argparse.Namespace) -> None:
    """Check the arguments and the file, then do the work and write the output."""
    from nelayout.run.pipeline import solve

    method = arguments.tuned_method(given.method, given.set)
    if given.scheduler is not None:
        _draw_on_workers(given, method)
        return
    if given.checkpoint is not None:
        raise WrongUsage("--checkpoint is for drawings on workers: give --scheduler local or an address as well")
    if given.more:
        _film(given, method)
        return
    if given.layers is not None and given.layers not in "xyz"[: given.dim]:
        raise WrongUsage(f"--layers {given.layers}: a drawing of {given.dim} dimensions has no axis {given.layers}")
    if given.stability is not None:
        raise WrongUsage("--stability is for the snapshots of a changing graph: give two FILEs or more")
    output = Output(given)
    file = output.file
    start = None if given.pos is None else arguments.known_positions(given.pos, file, given.file)
    scale = (output.viewer or 1.0) if given.scale is SUITABLE else given.scale
    how = {"dim": given.dim, "device": given.device, "scale": scale, "progress": shows_progress(given)}
    with _passes_said(given):
        solution = solve(file.graph, method, start, _fixed(given, file), **how, **arguments.keywords(given, file))
    output.write(solution, (*file.notes, *solution.notes))


class Output:
    """The output of a drawing of one graph; arguments and file are checked when it is made.

    file    the graph
    viewer  half width of a drawing for the viewer of the format; None for other formats
    """

    def __init__(self, given: argparse.Namespace) -> None:
        into, self.kind = arguments.choose_formats(given, (*PICTURES, "html", *WRITERS))
        arguments.check_writable(given.output, self.kind, given.file, drawn=PICTURES, extra="draw")
        self.given, self.file = given, arguments.read_graph(given, given.file, into)
        self.labels = arguments.texts(given.label, self.file)
        self.weight = arguments.weight(given, self.file).get("weight", "weight")
        self.viewer = FORMATS[self.kind].viewer if self.kind in FORMATS else None
        self.page = arguments.page_look(given, self.file) if self.kind == "html" else {}
        self.picture = arguments.picture_look(given, self.kind, PICTURES, self.file)
        if self.viewer is not None and given.color is not None and importlib.util.find_spec("matplotlib") is None:
            raise missing_extra("matplotlib", "draw", "colors")
        colored = self.kind in PICTURES or self.viewer is not None
        self.color = arguments.color(given.color, self.file) if colored else None

    def write(self, drawing: Any, notes: Iterable[str]) -> None:
        """Print the notes, and write positions or a `Solution` in the format of the output."""
        given, file, kind = self.given, self.file, self.kind
        unused = kind in WRITERS and self.viewer is None and (given.label or given.color)
        lost = f"--label and --color are for pictures and viewers; {kind} {LEFT.get(kind, KEPT)}"
        say_all((*notes, *([lost] if unused else [])), given)
        if kind == "html":
            from nelayout.pictures.pages import solution_page

            page = solution_page(file.graph, drawing, **self.page)
            files.deliver(given.output, page.html().encode("utf-8", "replace"))
        elif kind in PICTURES:
            from nelayout.pictures import draw

            content, color = io.BytesIO(), self.color
            color = color if color is None or isinstance(color, str) else Named(color, str(given.color))
            look = {"labels": self.labels, "color": color, "weight": self.weight, **self.picture}
            with painting(given):
                draw(file.graph, drawing, content, format=kind, **look)
            files.deliver(given.output, content.getvalue())
        else:
            look = Look(weight=self.weight)
            if self.viewer is not None:
                look = _viewer_look(file, drawing, self.labels, self.color, self.weight)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                positions = getattr(drawing, "positions", drawing)
                files.write_positions(given.output, file, positions, kind, given.file, look)
            held = not_held(file.graph, kind, self.weight) if hasattr(file.graph, "edges") else []
            say_all((*(str(warning.message) for warning in caught), *held), given)


@contextmanager
def _passes_said(given: argparse.Namespace) -> Iterator[None]:
    """Write the log of the passes to standard error with --verbose."""
    if not given.verbose:
        yield
        return
    handler, level = logging.StreamHandler(sys.stderr), LOG.level
    handler.addFilter(lambda line: not line.getMessage().startswith("note:"))  # notes are printed below
    LOG.addHandler(handler)
    LOG.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        LOG.removeHandler(handler)
        LOG.setLevel(level)


def _fixed(given: argparse.Namespace, file: GraphFile) -> Any:
    """Return the nodes, or the axes of each node, that stay where --pos puts them."""
    nodes = [arguments.node(name, file, "--fixed") for name in given.fixed or ()]
    if given.layers is None:
        return nodes or None
    every = dict.fromkeys(arguments.keys(file).values(), given.layers)
    return {**every, **dict.fromkeys(nodes, "xyz"[: given.dim])}


def _viewer_look(file: GraphFile, solution: Any, labels: Any, color: Any, weight: str | None) -> Look:
    """Return the dots, names and colors of a picture, for files of viewers."""
    from nelayout.placing.final import dot_diameter

    network = read(file.graph, weight)
    Y = every_position(network, solution)
    sides = np.sort(np.ptp(Y, axis=0)) if len(Y) else np.ones(2)
    width = float(sides[-1])
    shape = float(sides[-2]) / width if len(sides) > 1 and width else 0.0
    sizes = np.full(len(Y), dot_diameter(len(Y), shape) * (width / 2 or 1.0))
    colors = None
    if color is not None:
        from matplotlib.colors import to_hex

        from nelayout.pictures.colors import coloring
        from nelayout.pictures.sizes import amounts

        rgba = coloring(network, color, amounts(file.graph, network, color, weight)).rgba
        colors = [to_hex(each) for each in np.broadcast_to(rgba, (len(Y), 4))]
    names = None if labels is None else ["" if name is None else str(name) for name in labels]
    return Look(sizes, colors, names, weight)


def _film(given: argparse.Namespace, method: Any) -> None:
    """Draw the snapshots of a changing graph and write the film."""
    from nelayout.changing import layout_sequence
    from nelayout.changing.sequence import STABILITY
    from nelayout.run.request import checked_stability

    count = 1 + len(given.more)
    if given.fixed is not None or given.layers is not None:
        option = "--fixed" if given.fixed is not None else "--layers"
        raise WrongUsage(f"{option} is for one FILE, got {count}: --stability holds all nodes of a film")
    if given.output == "-":
        raise WrongUsage(f"a film of {count} FILEs is written to a file: give -o film.html or -o film.gif")
    into, _, out = (given.format or "").rpartition(":")
    kind = out or Path(given.output).suffix.lower().lstrip(".")
    if kind not in FILMS or Path(given.output).suffix.lower() != f".{kind}":
        raise WrongUsage(
            f"{count} FILEs are the snapshots of a film; {given.output!r} is not a film: name it .html or .gif, or "
            "draw the files one by one. A table of nodes is given by --nodes"
        )
    stability = checked_stability(STABILITY if given.stability is None else given.stability)
    paths = [given.file, *given.more]
    arguments.check_writable(given.output, kind, *paths, drawn=("gif",), extra="draw")
    snapshots = [arguments.read_graph(given, path, into or None) for path in paths]
    start = None if given.pos is None else arguments.known_positions(given.pos, snapshots[0])
    scale = 1.0 if given.scale is SUITABLE else given.scale
    how = {"dim": given.dim, "device": given.device, "scale": scale, "progress": shows_progress(given)}
    how |= arguments.keywords(given, snapshots[0])
    film = layout_sequence([each.graph for each in snapshots], method, stability, start, **how)
    lost = "--label and --color are for pictures; a film colors nodes by the time of their arrival"
    notes = (*(note for each in snapshots for note in each.notes), *film.notes)
    say_all((*notes, *([lost] if given.label or given.color else [])), given)
    if kind == "gif":
        film.to_gif(given.output)
    else:
        film.to_html(given.output, title=f"{Path(given.file).stem} to {Path(given.more[-1]).stem}")


def _draw_on_workers(given: argparse.Namespace, method: Any) -> None:
    """Draw the graph on workers and write the positions."""
    asked = next((name for name in ONE_MACHINE if getattr(given, name)), "more" if given.more else None)
    if asked is not None:
        what = "several FILEs" if asked == "more" else f"--{asked}"
        raise WrongUsage(f"{what} must be left out with --scheduler: a drawing on workers cannot take it")
    out = Path(given.output)
    try:
        kind = files.output_format(given.output, given.format, WORKER_FORMATS)
    except InputError:
        kind = None
    if kind is None or given.output == "-":
        listed = f"{', '.join(WORKER_FORMATS[:-1])} or {WORKER_FORMATS[-1]}"
        raise WrongUsage(f"OUT must be a {listed} file with --scheduler; got {given.output}. Name another one")
    if not Path(given.file).exists():
        raise InputError(f"there is no file or folder {given.file!r}; check the name")
    if out.resolve() == Path(given.file).resolve():
        raise InputError(f"{out} is the input: give another OUT")
    if not out.resolve().parent.is_dir():
        raise InputError(f"{out} cannot be written: there is no folder {out.parent}")

    from nelayout.distributed import solve
    from nelayout.distributed.layout import write

    how: dict[str, Any] = {name: getattr(given, name) for name in ON_WORKERS}
    how["scale"] = 1.0 if given.scale is SUITABLE else given.scale
    how |= {"source": given.source or "source", "target": given.target or "target"}
    how["weight"] = None if given.weight == "none" else given.weight
    drawn = solve(given.file, method, client=given.scheduler, progress=shows_progress(given), **how)
    say_all(drawn.notes, given)
    write(drawn, out, kind)


COMMAND = Command(
    "lay out a graph: a picture, or positions in a file",
    declare,
    _run,
    (
        "nelayout layout graph.graphml -o drawing.png --label id --color kind",
        "nelayout layout graph.graphml -o drawing.pdf --background dark --edges bundled",
        "nelayout layout graph.graphml -o drawing.html",
        "nelayout layout graph.mtx.gz -m nerv --set kappa=0.2 -o positions.csv",
        "nelayout layout edges.csv --weight none --dim 3 -o positions.json",
        "nelayout layout edges/ -o positions.parquet --scheduler local --checkpoint work/",
        "nelayout layout 2019.graphml 2020.graphml 2021.graphml -o film.html",
    ),
    formats,
)


def _declare_draw(command: argparse.ArgumentParser) -> None:
    option = arguments.declarer(command)
    command.add_argument("file", metavar="FILE", help="graph file, may be gzipped; - is standard input")
    positions = "file with positions of all nodes; it may be FILE itself"
    option("--pos", text=positions, metavar="POS", required=True)
    out = "picture, page or positions, by its ending; - is standard output"
    option("-o", "--output", text=out, metavar="OUT", required=True)
    weight = "edge attribute with the weights (weight): edges of weight 0 are left out; none: every edge is drawn"
    option("--weight", text=weight, metavar="NAME")
    arguments.declare_ends(option)
    arguments.declare_look(option)
    arguments.declare_picture(option)
    arguments.declare_messages(option)


def _draw(given: argparse.Namespace) -> None:
    output = Output(given)
    notes: list[str] = []
    pos = arguments.known_positions(given.pos, output.file, given.file, notes)
    output.write(pos, (*output.file.notes, *notes))


DRAW = Command(
    "draw a graph at given positions: a picture, a page, or a file for a viewer",
    _declare_draw,
    _draw,
    (
        "nelayout draw graph.graphml --pos positions.csv -o drawing.png --label id --color kind",
        "nelayout draw drawn.gexf --pos drawn.gexf -o drawing.pdf --edges none",
    ),
    lambda: {title: names for title, names in formats().items() if list(names) != list(FILMS)},
)
