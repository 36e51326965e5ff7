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
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from nelayout.cli import arguments
from nelayout.cli.arguments import PICTURES, Command, Keywords, WrongUsage, painting, say_all, shows_progress
from nelayout.core.record.progress import LOG
from nelayout.errors import InputError, missing_extra, unknown
from nelayout.graphs import every_position, files, read
from nelayout.graphs.files import FORMATS, WRITERS, GraphFile, Look
from nelayout.graphs.files.writers import not_held
from nelayout.graphs.plain import is_missing, spelled

__all__ = ["ADD", "COMMAND", "DRAW", "declare"]

FILMS = ("html", "gif")
# Options of work that only one machine can do, by their names in the arguments.
ONE_MACHINE = (
    "time_limit", "pos", "fixed", "fixed_axis", "groups", "groups_shape", "anchors", "layers", "columns", "circle",
    "rings", "align", "direction", "stability", "nodes", "label", "color", "background", "edges", "edge_color",
    "edge_width", "node_size", "top", "font_size", "legend", "width_mm", "figsize", "more", "resume", "features",
)  # fmt: skip
# Options of a drawing on workers with the names and values of keywords.
ON_WORKERS = (
    "seed", "checkpoint", "dim", "mass", "max_iter", "affinity", "perplexity", "hops", "smoothing", "weight_kind",
    "device",
)  # fmt: skip
# Formats of positions from workers, and endings of OUT.
WORKER_FORMATS = ("parquet", "arrow", "csv")
# Format of positions -> what it does with node attributes; other formats keep every attribute they can.
LEFT = {**dict.fromkeys(("csv", "arrow", "parquet"), "holds positions only"), "pajek": "holds no attributes"}


def formats() -> dict[str, Iterable[str]]:
    """Return the formats that --help lists, by what they are for."""
    viewers = [name for name, entry in FORMATS.items() if entry.viewer is not None or name == "pajek"]
    return {
        "FILE": arguments.with_endings(FORMATS),
        "OUT, a picture": PICTURES,
        "OUT, a page to zoom and search in": ("html",),
        "OUT, for a viewer": arguments.with_endings(viewers),
        "OUT, positions": [name for name in WRITERS if name not in viewers],
        "OUT, a film of several FILEs": FILMS,
    }


def declare(option: Callable[..., None]) -> None:
    """Add the options; the names of keywords of the layout functions mean the same."""
    arguments.declare_output(option)
    arguments.declare(option)
    more = "further snapshots of a graph that changes; OUT is then a film, html or gif"
    option("more", text=more, metavar="FILE", nargs="*")
    stability = "of several FILEs: how firmly the old map is held, 0 to below 1; 0.8: it moves one fifth as far (0.8)"
    option("--stability", text=stability, type=float, metavar="S")
    scale = (
        "the drawing fits [-SCALE, SCALE] (1; in files for viewers, which count in pixels, 1000, in graphology's 400); "
        "none: the method's own units"
    )
    option("--scale", text=scale, type=arguments.number_or(float, none=None), default=argparse.SUPPRESS)
    option("--device", default="cpu", metavar="NAME")
    fixed = "node that stays where --pos puts it; may be repeated"
    option("--fixed", text=fixed, action="append", metavar="NODE")
    option("--fixed-axis", text="axis on which every node stays where --pos puts it", choices=("x", "y", "z"))
    arguments.declare_picture(option)
    text = "draw on the workers of a Dask cluster: local starts some here, or its address; FILE may be a folder"
    option("--scheduler", text=text, metavar="local|ADDRESS")
    more = "; with --scheduler a folder, and the same command goes on from there"
    arguments.declare_checkpoint(option, more)
    arguments.declare_messages(option)
    option("-v", "--verbose", text="say what each pass gains", action="store_true")


def _run(given: argparse.Namespace) -> None:
    """Check the arguments and the file, then do the work and write the output."""
    from nelayout.layouts.checkpoint import removed_later
    from nelayout.layouts.solving import solve

    method = arguments.tuned_method(given.method, given.set)
    if given.scheduler is not None:
        _draw_on_workers(given, method)
        return
    if given.resume and given.checkpoint is None:
        raise WrongUsage("--resume goes on from the file of --checkpoint: give --checkpoint FILE as well")
    if given.more:
        _film(given, method)
        return
    if given.fixed_axis is not None and given.fixed_axis not in "xyz"[: given.dim]:
        axis = given.fixed_axis
        raise WrongUsage(f"--fixed-axis {axis}: a drawing of {given.dim} dimensions has no axis {axis}")
    if given.stability is not None:
        raise WrongUsage("--stability is for the snapshots of a changing graph: give two FILEs or more")
    output = Output(given)
    file = output.file
    start = None if given.pos is None else arguments.known_positions(given.pos, file, given.file)
    how = _keywords(given, file, output.viewer or 1.0)
    how |= {"checkpoint": given.checkpoint, "resume": given.resume}
    with removed_later():
        with _passes_said(given), arguments.ending_early():
            solution = solve(file.graph, method, start, _fixed(given, file), **how)
        output.write(solution, (*file.notes, *solution.notes))


def _keywords(given: argparse.Namespace, file: GraphFile, half: float) -> Keywords:
    """Return the options as keywords of `nelayout.solve`; ``half``: the default of --scale."""
    own = {"dim": given.dim, "device": given.device, "scale": getattr(given, "scale", half)}
    return {**own, "progress": shows_progress(given), **arguments.keywords(given, file)}


class Output:
    """The output of a drawing of one graph; arguments and file are checked when it is made.

    file    the graph
    viewer  half width of a drawing for the viewer of the format; None for other formats
    """

    def __init__(self, given: argparse.Namespace) -> None:
        self.unnamed = given.output is None
        given.output = arguments.picture_beside(given.file) if self.unnamed else given.output
        into, self.kind = arguments.choose_formats(given, (*PICTURES, "html", *WRITERS))
        arguments.check_writable(given.output, self.kind, given.file)
        self.given, self.file = given, arguments.read_graph(given, given.file, into)
        self.viewer = FORMATS[self.kind].viewer if self.kind in FORMATS else None
        if self.viewer is not None and given.color is not None and importlib.util.find_spec("matplotlib") is None:
            raise missing_extra("matplotlib", "draw", "colors")
        self.look: Keywords = {"weight": arguments.weight(given, self.file).get("weight", "weight")}
        colored = self.kind in PICTURES or self.viewer is not None
        self.look |= arguments.look(given, self.file, self.kind, colored)
        self.look |= arguments.picture_look(given, self.kind, self.file)
        shape = getattr(given, "groups_shape", None)
        if shape is not None and self.kind in (*PICTURES, "html"):
            groups = arguments.attribute(given.groups, self.file, "--groups")
            self.look |= {"groups": groups, "groups_shape": shape}

    def write(self, drawing: object, notes: Iterable[str]) -> None:
        """Print the notes, and write positions or a `Solution` in the format of the output."""
        given, file, kind = self.given, self.file, self.kind
        if kind in WRITERS and self.viewer is None and (given.label or given.color):
            attributes = LEFT.get(kind, "keeps every node attribute it can")
            notes = (*notes, f"--label and --color are for pictures and viewers; {kind} {attributes}")
        say_all(notes, given)
        if kind == "html":
            from nelayout.pictures.pages import solution_page

            page = solution_page(file.graph, drawing, **self.look)
            files.deliver(given.output, page.html().encode("utf-8", "replace"))
        elif kind in PICTURES:
            from nelayout.pictures import draw

            content = io.BytesIO()
            with painting(given):
                draw(file.graph, drawing, content, format=kind, **self.look)
            files.deliver(given.output, content.getvalue())
        else:
            weight = self.look["weight"]
            look = Look(weight=weight) if self.viewer is None else _viewer_look(file, drawing, **self.look)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                positions = getattr(drawing, "positions", drawing)
                files.write_positions(given.output, file, positions, kind, given.file, look)
            held = not_held(file.graph, kind, weight) if hasattr(file.graph, "edges") else []
            say_all((*(str(warning.message) for warning in caught), *held), given)
        if self.unnamed:
            say_all([f"{given.output} is drawn; -o OUT names another file or format"], given)


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
    names = arguments.keys(file)
    for name in given.fixed or ():
        if name not in names:
            raise unknown("node for --fixed", name, names)
    nodes = [names[name] for name in given.fixed or ()]
    if given.fixed_axis is None:
        return nodes or None
    return {**dict.fromkeys(names.values(), given.fixed_axis), **dict.fromkeys(nodes, "xyz"[: given.dim])}


def _viewer_look(file: GraphFile, drawing: object, *, labels: Any, color: object, weight: str | None) -> Look:
    """Return the dots, names and colors of a picture, for files of viewers."""
    from nelayout.core.placing.final import dot_diameter

    network = read(file.graph, weight)
    Y = every_position(network, drawing)
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
    names = None if labels is None else ["" if is_missing(name) else spelled(name) for name in labels]
    return Look(sizes, colors, names, weight)


def _film(given: argparse.Namespace, method: Any) -> None:
    """Draw the snapshots of a changing graph and write the film."""
    from nelayout.changing import layout_sequence
    from nelayout.changing.sequence import STABILITY
    from nelayout.layouts.call import checked_stability

    paths = [given.file, *given.more]
    if given.checkpoint is not None:
        raise WrongUsage(f"--checkpoint is for one FILE, got {len(paths)}: leave it out")
    for option in ("fixed", "fixed_axis"):
        if getattr(given, option) is not None:
            named = option.replace("_", "-")
            raise WrongUsage(f"--{named} is for one FILE, got {len(paths)}: --stability holds all nodes of a film")
    if given.output in (None, "-"):
        raise WrongUsage(f"a film of {len(paths)} FILEs is written to a file: give -o film.html or -o film.gif")
    into, _, out = (given.format or "").rpartition(":")
    ending = Path(given.output).suffix.lower().lstrip(".")
    if ending not in FILMS or out not in ("", ending):
        raise WrongUsage(
            f"{len(paths)} FILEs are the snapshots of a film; {given.output!r} is not a film: name it .html or .gif, "
            "or draw the files one by one. A table of nodes is given by --nodes"
        )
    stability = checked_stability(STABILITY if given.stability is None else given.stability)
    arguments.check_writable(given.output, ending, *paths)
    snapshots = [arguments.read_graph(given, path, into or None) for path in paths]
    start = None if given.pos is None else arguments.known_positions(given.pos, snapshots[0])
    how = _keywords(given, snapshots[0], 1.0)
    film = layout_sequence([each.graph for each in snapshots], method, stability, start, **how)
    notes = [*(note for each in snapshots for note in each.notes), *film.notes]
    if given.label or given.color:
        notes.append("--label and --color are for pictures; a film colors nodes by the time of their arrival")
    say_all(notes, given)
    if ending == "gif":
        film.to_gif(given.output)
    else:
        film.to_html(given.output, title=f"{Path(given.file).stem} to {Path(given.more[-1]).stem}")


def _draw_on_workers(given: argparse.Namespace, method: Any) -> None:
    """Draw the graph on workers and write the positions."""
    for name in ONE_MACHINE:
        if getattr(given, name):
            what = "several FILEs" if name == "more" else f"--{name.replace('_', '-')}"
            raise WrongUsage(f"{what} must be left out with --scheduler: a drawing on workers cannot take it")
    try:
        kind = files.output_format(given.output or "-", given.format, WORKER_FORMATS)
    except InputError:
        kind = None
    if kind is None or given.output in (None, "-"):
        listed = f"{', '.join(WORKER_FORMATS[:-1])} or {WORKER_FORMATS[-1]}"
        raise WrongUsage(f"OUT must be a {listed} file with --scheduler; got {given.output or 'none'}. Name one")
    if not Path(given.file).exists():
        raise InputError(f"there is no file or folder {given.file!r}; check the name")
    files.check_output(given.output, given.file)

    from nelayout.distributed import solve
    from nelayout.distributed.layout import write

    how: Keywords = {name: getattr(given, name) for name in ON_WORKERS}
    how |= {"scale": getattr(given, "scale", 1.0), "weight": None if given.weight == "none" else given.weight}
    how |= {"source": given.source or "source", "target": given.target or "target"}
    drawn = solve(given.file, method, client=given.scheduler, progress=shows_progress(given), **how)
    say_all(drawn.notes, given)
    write(drawn, Path(given.output), kind)


COMMAND = Command(
    "lay out a graph: a picture, or positions in a file",
    declare,
    _run,
    (
        "nelayout graph.graphml",
        "nelayout layout graph.graphml -o drawing.png --label id --color kind",
        "nelayout layout graph.graphml -o drawing.pdf --background dark --edges bundled",
        "nelayout layout graph.graphml -o figure.pdf --width-mm 89 --font-size 6 --top 15 --color kind",
        "nelayout layout graph.graphml -o drawing.html",
        "nelayout layout graph.mtx.gz -m nerv --set kappa=0.2 -o positions.csv",
        "nelayout layout edges.csv --weight none --dim 3 -o positions.json",
        "nelayout layout edges/ -o positions.parquet --scheduler local --checkpoint work/",
        "nelayout layout 2019.graphml 2020.graphml 2021.graphml -o film.html",
    ),
    formats,
)


def _declare_draw(option: Callable[..., None]) -> None:
    option("--pos", text="file with positions of all nodes; it may be FILE itself", metavar="POS", required=True)
    arguments.declare_output(option)
    arguments.declare_ends(option, "edges of weight 0 are left out; none: every edge is drawn")
    arguments.declare_picture(option)
    arguments.declare_messages(option)


def _draw(given: argparse.Namespace) -> None:
    output = Output(given)
    notes = list(output.file.notes)
    pos = arguments.known_positions(given.pos, output.file, given.file, notes)
    output.write(pos, notes)


DRAW = Command(
    "draw a graph at given positions: a picture, a page, or a file for a viewer",
    _declare_draw,
    _draw,
    (
        "nelayout draw graph.graphml --pos positions.csv -o drawing.png --label id --color kind",
        "nelayout draw drawn.gexf --pos drawn.gexf -o drawing.pdf --edges none",
    ),
    lambda: {title: names for title, names in formats().items() if names != FILMS},
)


def _declare_add(option: Callable[..., None]) -> None:
    old = "file with the positions of the old nodes, which stay where they are; it may be FILE itself"
    option("--pos", text=old, metavar="POS", required=True)
    arguments.declare_output(option)
    arguments.declare_method(option, "auto", default="auto")
    arguments.declare(option, drawn=False)
    arguments.declare_picture(option)
    arguments.declare_messages(option)


def _add(given: argparse.Namespace) -> None:
    from nelayout.changing import add_nodes

    output, method = Output(given), arguments.tuned_method(given.method, given.set)
    file, notes = output.file, list(output.file.notes)
    old = arguments.known_positions(given.pos, file, given.file, notes)
    how = arguments.keywords(given, file)
    del how["node_size"]
    placed = add_nodes(file.graph, old, method, progress=shows_progress(given), **how)
    new = len(file.labels) - len(old)
    notes.append(f"{new} of {len(file.labels)} nodes are new; the others stay where {given.pos} puts them")
    output.write(placed, notes)


ADD = Command(
    "place new nodes of a graph beside the positions of the old ones",
    _declare_add,
    _add,
    (
        "nelayout add next.graphml --pos positions.csv -o drawing.png",
        "nelayout add next.graphml --pos positions.csv -o next.csv",
    ),
    DRAW.formats,
)
