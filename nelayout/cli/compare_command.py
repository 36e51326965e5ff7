"""`nelayout compare FILE -m METHOD -m METHOD -o OUT`: drawings of one graph with measures."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nelayout.cli import arguments
from nelayout.cli.arguments import (
    PICTURES,
    Command,
    Keywords,
    WrongUsage,
    in_options,
    painting,
    say_all,
    shows_progress,
)
from nelayout.errors import InputError, near_matches
from nelayout.graphs import files
from nelayout.graphs.files import FORMATS, GraphFile
from nelayout.graphs.files.writers import encode_csv, encode_json
from nelayout.graphs.plain import Named

if TYPE_CHECKING:
    from nelayout.comparison import Comparison

__all__ = ["COMMAND", "WRITERS"]

OURS = ("affinity", "perplexity", "hops", "mass", "smoothing", "max_iter")  # options of nelayout's methods
# Names of node attributes in degrees of longitude and latitude.
LONGITUDE, LATITUDE = {"lon", "long", "lng", "longitude"}, {"lat", "latitude"}


class Requested(NamedTuple):
    """A drawing: its name, and a method, another package's layout or a file with positions."""

    name: str
    method: Any = None
    peer: str | None = None
    path: str | None = None


def _declare(option: Callable[..., None]) -> None:
    """Add the options; -m, --set and --pos fill one list, in the order of the command line."""
    method = (
        f"method that draws the graph, {arguments.METHOD_TEXT}; or a layout of another package, such as nx:spring, "
        "igraph:drl, graphviz:sfdp, opentsne, umap; may be repeated"
    )
    part = {"dest": "drawings", "action": "append"}
    option("-m", "--method", text=method, type=_by_method, metavar="METHOD", **part)
    set_text = "parameter of the last -m, see nelayout methods; once for each parameter"
    option("--set", text=set_text, type=arguments.setting, metavar="NAME=VALUE", **part)
    pos = "an existing drawing: its name, and the file with its positions; may be repeated"
    option("--pos", text=pos, type=_from_file, metavar="NAME=FILE", **part)
    out = "figure, table or page, by its ending; - is standard output; without it only the table is printed"
    option("-o", "--output", text=out, metavar="OUT")
    seeds = "drawings of each method, with the seeds SEED, SEED + 1, ...; their mean and spread are shown (1)"
    option("--seeds", text=seeds, type=arguments.whole, default=1, metavar="COUNT")
    measures = "measures of the table, such as stress,crossings; nelayout.measures() lists them (seven of them)"
    option("--measures", text=measures, metavar="NAME,NAME")
    arguments.declare(option, drawn=False)
    arguments.declare_look(option)
    classes = "node attribute with the classes of the nodes, for measures of classes and as default color"
    option("--classes", text=classes, metavar="NAME")
    coords = "node attributes with the true coordinates, such as lon,lat, for measures of maps"
    option("--coords", text=coords, metavar="NAME,NAME")
    arguments.declare_messages(option)


def _run(given: argparse.Namespace) -> None:
    """Check the arguments and the file, then do the work and write the output."""
    drawings = _requested(given)
    if given.output is None and given.quiet:
        raise WrongUsage("without -o OUT there is the table alone, and --quiet leaves it out; give one of the two")
    if given.seeds < 1:
        raise WrongUsage("--seeds 0 draws nothing; give 1 or more")
    paths = {drawing.name: drawing.path for drawing in drawings if drawing.path is not None}
    into, kind = (given.format, "") if given.output is None else arguments.choose_formats(given, WRITERS)
    if given.output is not None:
        arguments.check_writable(given.output, kind, given.file, *paths.values(), extra="compare")
    file = arguments.read_graph(given, given.file, into)
    classes = arguments.attribute(given.classes, file, "--classes")
    classes = None if classes is None else Named(classes, given.classes)
    look = arguments.look(given, file, kind, kind not in DATA)
    coords, notes = (None, ()) if given.coords is None else _true_coordinates(given.coords, file)
    ready = {name: arguments.known_positions(path, file) for name, path in paths.items()}

    from nelayout.comparison import compare
    from nelayout.layouts.solving import solve

    keywords = arguments.keywords(given, file) | {"progress": shows_progress(given)}
    entries = {d.name: d.peer or partial(solve, method=d.method, **keywords) for d in drawings} | ready
    how: Keywords = {"seeds": given.seeds, "seed": given.seed, **arguments.weights(given, file)}
    if given.measures is not None:
        how["measures"] = _words(given.measures)
    comparison = compare(file.graph, entries, classes, coords, **how)
    own = {d.name: comparison.notes.get(d.name, ()) for d in drawings if d.method is not None}
    others = (f"{name}: {note}" for name, said in comparison.notes.items() if name not in own for note in said)
    unused = [f"--label and --color are for pictures; {kind} holds measures only"]
    unused = unused if kind in DATA and (given.label or given.color) else []
    say_all((*file.notes, *notes, *_notes(own), *others, *unused), given)
    if given.output is not None:
        with nullcontext() if kind in DATA else painting(given):
            content = WRITERS[kind](comparison, look)
        files.deliver(given.output, content)
    if given.output != "-" and not given.quiet:
        verdict = "\n".join(in_options(sentence, given.parser) for sentence in comparison.verdict)
        sys.stdout.write(_printable(f"{comparison}\n\n{verdict}\n"))


def _words(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _printable(text: str) -> str:
    """Return the text with ASCII signs if standard output has no others."""
    coding = sys.stdout.encoding or "ascii"
    try:
        text.encode(coding)
    except UnicodeEncodeError:
        plain = text.translate(str.maketrans({"↑": "^", "↓": "v", "–": "-", "±": "~"}))
        return plain.encode(coding, "replace").decode(coding)
    return text


def _requested(given: argparse.Namespace) -> list[Requested]:
    """Return the drawings in the order of the command line, each -m with its following --set."""
    drawings: list[Requested] = []
    settings: list[list[tuple[str, Any]]] = []
    for part in given.drawings or ():
        if isinstance(part, Requested):
            drawings.append(part)
            settings.append([])
        elif not drawings or drawings[-1].path is not None:
            raise WrongUsage(f"--set {part[0]} must follow the -m METHOD of the parameter")
        elif drawings[-1].peer is not None:
            raise WrongUsage(f"--set {part[0]}: {drawings[-1].peer} draws with its package's defaults")
        else:
            settings[-1].append(part)
    if not drawings:
        raise WrongUsage("there is nothing to compare: give at least one -m METHOD or --pos NAME=FILE")
    drawings = [_tuned(*each) for each in zip(drawings, settings, strict=True)]
    first: dict[str, Requested] = {}
    for drawing in drawings:
        if drawing is not first.setdefault(drawing.name, drawing):
            both = drawing.path is None and first[drawing.name].path is None
            hint = "each method once" if both else "choose another NAME for --pos NAME=FILE"
            raise WrongUsage(f"the drawing {drawing.name!r} is given twice; {hint}")
    for name in () if any(drawing.method is not None for drawing in drawings) else OURS:
        if getattr(given, name) != given.parser.get_default(name):
            option = f"--{name.replace('_', '-')} {getattr(given, name)}"
            raise WrongUsage(
                f"{option} is for nelayout's own methods, and this call has none: layouts of other packages have "
                "their own defaults; leave it out, or add a method such as -m ws-sne"
            )
    return drawings


def _tuned(drawing: Requested, settings: list[tuple[str, object]]) -> Requested:
    """Return the drawing by its method with the settings, which are part of its name."""
    if drawing.method is None:
        return drawing
    own = ", ".join(f"{name}={f'{x:g}' if isinstance(x, float) else x}" for name, x in settings)
    method = arguments.tuned_method(drawing.method, settings)
    return Requested(f"{drawing.name} {own}".strip(), method=method)


def _by_method(name: str) -> Requested:
    """Read the name of a method, or of another package's layout."""
    from nelayout.comparison.comparing import check_method
    from nelayout.comparison.peers import graph_peer, graph_peers

    peer = graph_peer(name)
    if peer is not None:
        return Requested(peer.name, peer=peer.name)
    try:
        check_method(name, graph_peers())
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    method = arguments.method(name)
    return Requested(method, method=method)


def _from_file(text: str) -> Requested:
    name, equals, path = text.partition("=")
    if not (name.strip() and equals and path):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=FILE, such as sfdp=sfdp.csv")
    return Requested(name.strip(), path=path)


def _notes(said: dict[str, tuple[str, ...]]) -> Iterable[str]:
    """Return every note once, with the names of its methods unless all methods have it."""
    for note in dict.fromkeys(note for notes in said.values() for note in notes):
        by = [name for name, notes in said.items() if note in notes]
        yield note if len(by) == len(said) else f"{', '.join(by)}: {note}"


def _true_coordinates(text: str, file: GraphFile) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return (n, d) coordinates from node attributes, NaN where unknown, and notes."""
    names, columns = _words(text), []
    for name in names:
        values = zip(arguments.attribute(name, file, "--coords"), file.labels, strict=True)
        columns.append([_place(value, name, label) for value, label in values])
    widths = {np.size(value) for column in columns for value in column if value is not None}
    if len(names) == 1 and len(widths) == 1 and widths != {1}:
        width = widths.pop()
        return np.array([np.full(width, np.nan) if value is None else value for value in columns[0]]), ()
    if len(names) < 2 or not widths <= {1}:
        near = near_matches(text, file.node_data)
        raise InputError(
            f"--coords {text}: give two node attributes with one number each, such as lon,lat, or one with all "
            f"coordinates of a node; the graph has {', '.join(map(repr, file.node_data)) or 'none'}"
            + (f" (did you mean {near[0]!r}?)" if near and near[0] != text else "")
        )
    Y = np.array([[np.nan if value is None else float(value) for value in row] for row in zip(*columns, strict=True)])
    words = [name.lower() for name in names]
    if len(words) != 2 or not (LONGITUDE & set(words) and LATITUDE & set(words)):
        return Y, ()
    x, y = (0, 1) if words[0] in LONGITUDE else (1, 0)
    middle = float(np.nanmedian(Y[:, y])) if np.isfinite(Y[:, y]).any() else 0.0
    flat = np.stack([Y[:, x] * math.cos(math.radians(middle)), Y[:, y]], axis=1)
    return flat, (f"{names[x]} and {names[y]} are degrees: the map is true to shape at latitude {middle:.4g}",)


def _place(value: object, name: str, label: object) -> Any:
    """Return one or more numbers, or None if they are unknown."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    try:
        place = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"node {label!r} has {name} {value!r}; --coords needs attributes that are numbers") from None
    return place if np.isfinite(place).all() else None


def _records(comparison: Comparison) -> list[dict[str, Any]]:
    """Return name, values, seconds and deviations of each drawing; None for unknown ones."""

    def known(values: Mapping[str, float]) -> dict[str, float | None]:
        return {name: None if value is None or math.isnan(value) else value for name, value in values.items()}

    records, spreads = [], comparison.spreads
    for name, row in comparison.measured.items():
        records.append({"drawing": name, **known({key: each.value for key, each in row.items()})})
        if name in comparison.seconds:
            records[-1]["seconds"] = comparison.seconds[name]
        if name in spreads:
            records[-1]["spread"] = known(spreads[name])
    return records


def _to_csv(comparison: Comparison, look: Keywords) -> bytes:
    """Return a row for each drawing: the values, the seconds, the deviations over seeds."""
    names = list(next(iter(comparison.measured.values())))
    header = ["drawing", *names, *["seconds"] * bool(comparison.seconds)]
    spreads = names if comparison.spreads else []
    rows = (
        [record.get(name) for name in header] + [record.get("spread", {}).get(name) for name in spreads]
        for record in _records(comparison)
    )
    return encode_csv([*header, *(f"{name} spread" for name in spreads)], rows)


def _to_picture(comparison: Comparison, look: Keywords, *, kind: str) -> bytes:
    from nelayout.pictures import render

    return render(comparison.plot(**look), kind)


# Format -> (comparison, keywords of its plot or page) -> content.
WRITERS: dict[str, Callable[[Comparison, Keywords], bytes]] = {
    **{kind: partial(_to_picture, kind=kind) for kind in PICTURES},
    "csv": _to_csv,
    "json": lambda comparison, _: encode_json(_records(comparison), indent=1),
    "tex": lambda comparison, _: comparison.to_latex().encode(),
    "md": lambda comparison, _: comparison.to_markdown().encode(),
    "html": lambda comparison, look: comparison.page(**look).html().encode("utf-8", "replace"),
}
DATA = ("csv", "json", "tex", "md")  # formats with measures only

COMMAND = Command(
    "draw a graph by several methods and measure the drawings",
    _declare,
    _run,
    (
        "nelayout compare graph.graphml -m ws-sne -m gamma-quadlog --classes kind -o compare.html",
        "nelayout compare graph.graphml -m nerv:0.2 -m nerv:0.8 -o kappa.png --color kind",
        "nelayout compare graph.graphml -m tsne --pos mine=mine.csv -o table.csv",
        "nelayout compare graph.graphml -m tsne -m nx:spring --seeds 10 -o table.tex",
        "nelayout compare graph.graphml -m ws-sne -m nx:spring -m igraph:drl -m graphviz:sfdp --seeds 5",
    ),
    lambda: {
        "FILE": arguments.with_endings(FORMATS),
        "OUT, the drawings over their measures": (*PICTURES, "html"),
        "OUT, the measures": DATA,
        "--pos": ["csv with the columns node, x and y", "what layout writes"],
    },
)
