"""Options, the graph in a file, methods, formats and messages that the commands share.

Messages of the library name keywords; the command line has options. `in_options` replaces keywords by the options of a
command's parser.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import shlex
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from nelayout.core.catalogue import OWNERS, method_named, own_keywords, tune
from nelayout.core.record.progress import ENDING
from nelayout.errors import InputError, missing_extra, unknown
from nelayout.graphs import files, read
from nelayout.graphs.files import FORMATS, JSON, GraphFile
from nelayout.graphs.files.opening import name_of
from nelayout.graphs.plain import Named, is_missing
from nelayout.keywords.options import TEXTS

__all__ = [
    "METHOD_TEXT", "OWN_NAMES", "PICTURES", "Command", "Keywords", "WrongUsage", "attribute", "check_writable",
    "choose_formats", "declare", "declare_ends", "declare_figure", "declare_limit", "declare_look", "declare_messages",
    "declare_output", "declare_picture", "declarer", "ending_early", "figure_look", "in_options", "keys", "keywords",
    "known_positions", "look", "method", "number_or", "painting", "picture_beside", "picture_look", "read_graph",
    "say", "say_all", "setting", "shows_progress", "structure", "tuned_method", "weight", "weights", "whole",
    "with_endings",
]  # fmt: skip

# Keywords of a function, with their values.
Keywords = dict[str, Any]
METHOD_TEXT = "see nelayout methods; nerv:0.3 sets the first parameter of the method"
PICTURES = ("png", "svg", "pdf")
TYPED = ("arrow", "parquet")
# Keyword of the library -> options for it, if no option has its name; the first one of a command applies.
SYNONYMS = {
    "n_components": ("--dim",),
    "random_state": ("--seed",),
    "labels": ("--classes", "--label"),
    "method_options": ("--set",),
}
# Keywords that are not English words. Other keywords become options only in front of = or "must", and in backticks.
NO_WORDS = re.compile(r"pos|dim|pca|\w+_\w+")
QUOTED = re.compile(r"('[^']*'|\"[^\"]*\")")  # text in quotes stays as it is
# Values of `--label` that mean the nodes' own names, unless an attribute has this name.
OWN_NAMES = ("id", "label", "name")


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the command line.

    text      its line in --help
    declare   adds its options by a function of `declarer`
    run       does the work: `InputError` if the input cannot be used, `WrongUsage` if arguments contradict each other
    examples  calls that --help shows
    formats   returns the formats that --help lists, by what they are for
    """

    text: str
    declare: Callable[[Callable[..., None]], None]
    run: Callable[[argparse.Namespace], None]
    examples: tuple[str, ...]
    formats: Callable[[], dict[str, Iterable[str]]] = dict


class WrongUsage(InputError):
    """Arguments that contradict each other: exit code 2, as for an unknown option."""


def declarer(command: argparse.ArgumentParser) -> Callable[..., None]:
    """Return a function that adds an option; the default text is the layout keyword's."""

    def option(*names: str, text: str = "", **how: Any) -> None:
        key = names[-1].removeprefix("--").replace("-", "_")
        command.add_argument(*names, help=(text or TEXTS[key]).replace("%", "%%"), **how)

    return option


def declare(option: Callable[..., None], *, drawn: bool = True) -> None:
    """Add FILE and the options to read a graph and draw it; ``drawn``: by one method."""
    if drawn:
        declare_method(option, "auto", default="auto")
        option("--dim", type=int, default=2, choices=(1, 2, 3))
        option("--pos", text="file with positions to start from; it may be FILE itself", metavar="FILE")
    declare_ends(option, "none: every edge weighs 1")
    option("--weight-kind", default="auto", choices=("auto", "similarity", "distance", "log"))
    option("--affinity", text="similarities: weights of edges, or hops: path lengths", choices=("weights", "hops"))
    option("--perplexity", type=float, metavar="NUMBER")
    option("--hops", type=whole, metavar="NUMBER")
    mass = "node masses: unit, degree, strength, ..., or a node attribute (the method's own)"
    option("--mass", text=mass, metavar="NAME")
    option("--emphasis", type=float, metavar="E")
    option("--smoothing", type=float, default=0.0, metavar="RHO")
    declare_structure(option)
    declare_steps(option, default=0)
    if drawn:
        declare_limit(option)


def declare_structure(option: Callable[..., None]) -> None:
    """Add the options for groups, anchors, layers and directions, named as the keywords."""
    option("--groups", text="node attribute with groups of nodes that stay together", metavar="NAME")
    shape = "shape around each group that no other node enters, also in pictures"
    option("--groups-shape", text=shape, choices=("hull", "circle", "box"))
    option("--group-strength", type=float, default=1.0, metavar="S")
    anchors = "node attributes with places that pull nodes softly, such as lon,lat"
    option("--anchors", text=anchors, metavar="NAME,NAME")
    option("--anchor-strength", type=float, default=1.0, metavar="S")
    option("--layers", text="node attribute with rows, or auto: rows in which all edges point down", metavar="NAME")
    option("--columns", text="node attribute with columns, from left to right", metavar="NAME")
    option("--circle", action="store_true")
    rings = "node in the middle of circles, one for each number of hops; or node attribute with circles"
    option("--rings", text=rings, metavar="NAME")
    align = "nodes on a vertical (x) or horizontal (y) line, such as a,b,c:x; may be repeated"
    option("--align", text=align, action="append", metavar="NODES:AXIS")
    option("--direction", choices=("down", "up", "right", "left"))
    features = "numeric node attributes: nodes with near values count as similar, such as age,income"
    option("--features", text=features, metavar="NAME,NAME")
    option("--features-share", type=float, default=0.3, metavar="SHARE")
    option("--negative", default="error", choices=("error", "repel"))


def structure(given: argparse.Namespace, file: GraphFile) -> Keywords:
    """Return the options of `declare_structure` as keywords of `nelayout.solve`."""
    same = (
        "groups_shape", "group_strength", "anchor_strength", "circle", "direction", "negative", "features_share",
    )  # fmt: skip
    own: Keywords = {name: getattr(given, name) for name in same}
    for name in ("groups", "columns"):
        own[name] = attribute(getattr(given, name), file, f"--{name}")
    auto = given.layers == "auto" and "auto" not in file.node_data
    own["layers"] = "auto" if auto else attribute(given.layers, file, "--layers")
    names, rings = keys(file), given.rings
    own["align"] = [_line(text, names) for text in given.align or ()] or None
    if rings is not None and rings not in names and rings not in file.node_data:
        raise unknown("node or node attribute for --rings", rings, [*names, *file.node_data])
    own["rings"] = names[rings] if rings in names else attribute(rings, file, "--rings")
    if given.features is not None:
        columns = [attribute(name.strip(), file, "--features") for name in given.features.split(",")]
        own["features"] = list(zip(*columns, strict=True))
    if given.anchors is not None:
        columns = [attribute(name.strip(), file, "--anchors") for name in given.anchors.split(",")]
        rows = [None if any(map(is_missing, row)) else row for row in zip(*columns, strict=True)]
        own["anchors"] = {label: row for label, row in zip(file.host.aliases[0], rows, strict=True) if row is not None}
    return own


def _line(text: str, names: Mapping[str, Any]) -> tuple[list, str]:
    """Return the nodes and the axis of a line that is written as a,b,c:x."""
    given, colon, axis = text.rpartition(":")
    nodes = [given] if given in names else given.split(",")
    if not colon:
        raise WrongUsage(f"--align {text} is not NODES:AXIS, such as a,b,c:x")
    for name in nodes:
        if name not in names:
            raise unknown("node for --align", name, names)
    return [names[name] for name in nodes], axis


def declare_method(option: Callable[..., None], usual: str, **how: Any) -> None:
    """Add the options for one method and its parameters; ``usual``: the default method."""
    option("-m", "--method", text=f"{METHOD_TEXT} ({usual})", type=method, **how)
    text = "parameter of the method, see nelayout methods; once for each parameter"
    option("--set", text=text, type=setting, action="append", metavar="NAME=VALUE")


def declare_steps(option: Callable[..., None], **seed: Any) -> None:
    """Add the options for the random numbers and the steps of a run."""
    option("--seed", text="same seed, same drawing (0)", type=whole, **seed)
    option("--max-iter", text="maximum iterations of the method's own stages", type=whole, metavar="STEPS")


def declare_limit(option: Callable[..., None]) -> None:
    """Add the option for the seconds of a run."""
    text = "a plan that fits is taken, and at the limit the best drawing so far; files take time of their own"
    option("--time-limit", text=f"seconds of the drawing: {text}", type=float, metavar="SECONDS")


def declare_checkpoint(option: Callable[..., None], more: str = "", **how: Any) -> None:
    """Add the options for the file of a run; ``more``: what else it may be."""
    text = f"file for the state of the run, from which --resume goes on after an interruption{more}"
    option("--checkpoint", text=text, metavar="FILE", **how)
    again = "go on from the file of --checkpoint; without that file the run starts anew"
    option("--resume", text=again, action="store_true", **how)


def declare_ends(option: Callable[..., None], unweighted: str) -> None:
    """Add FILE, and the options for the weights and the columns of its edges."""
    option("file", text="graph file, may be gzipped; - is standard input", metavar="FILE")
    option("--weight", text=f"edge attribute with the weights (weight); {unweighted}", metavar="NAME")
    option("--source", text="column of a table with the first end of an edge, by heading or number", metavar="NAME")
    option("--target", text="column of a table with the other end", metavar="NAME")
    option("--sheet", text="sheet of a workbook, by name or number (else the sheet with edges)", metavar="NAME")
    kinds = "both columns of a table name nodes of two kinds, as users and items: equal names stay apart"
    option("--bipartite", text=kinds, action="store_true")


def declare_output(option: Callable[..., None]) -> None:
    """Add the option for the output of one drawing of a graph."""
    out = "picture, page or positions, by its ending; - is standard output (a new picture FILE.png beside FILE)"
    option("-o", "--output", text=out, metavar="OUT")


def declare_look(option: Callable[..., None]) -> None:
    """Add the options of pictures of all commands that draw the nodes of a graph."""
    option("--nodes", text="table of nodes, csv or tsv: its columns become node attributes", metavar="TABLE")
    option("--label", text="node attribute written beside the nodes; id: the nodes' own names", metavar="NAME")
    option("--color", text="node attribute that colors the nodes, or one color", metavar="NAME")


def declare_picture(option: Callable[..., None]) -> None:
    """Add the options of pictures of one graph; they mean what keywords of `draw` mean."""
    declare_look(option)
    option("--background", text="white, dark, a color, or none for a transparent picture", metavar="COLOR")
    styles = ("straight", "faded", "bundled", "none")  # as in `nelayout.pictures.edges`, which --help must not import
    option("--edges", text="edge style of a picture (straight)", choices=styles)
    option("--edge-color", text="edge attribute that colors the edges, or one color", metavar="NAME")
    option("--edge-width", text="edge attribute that widths are in proportion to, or points", metavar="NAME")
    size = "node attribute, degree or strength that areas are in proportion to; or a diameter in units of the positions"
    option("--node-size", text=size, metavar="NAME")
    option("--top", text="labels of the N nodes with most neighbors only", type=whole, metavar="N")
    declare_figure(option)


def declare_figure(option: Callable[..., None]) -> None:
    """Add the options for letters, legend and size of a picture."""
    option("--font-size", text="points of the letters of labels", type=float, metavar="POINTS")
    option("--legend", text="position of the legend: right, below or none", choices=("right", "below", "none"))
    option("--width-mm", text="width of a picture in millimeters; the height follows", type=float, metavar="MM")
    option("--figsize", text="width and height of a picture in inches, such as 8x6", type=inches, metavar="WxH")


def inches(word: str) -> tuple[float, float]:
    """Return two numbers that are written as 8x6 or 8,6."""
    wide, high = map(float, re.split("[x,]", word))
    return wide, high


def declare_messages(option: Callable[..., None], default: str = "") -> None:
    """Add the options of all commands with an output: its format, and the amount of messages."""
    text = f"format of OUT, or of FILE if the name of OUT shows its own; IN:OUT names both{default}"
    option("--format", text=text, metavar="NAME")
    option("--quiet", text="no notes and no progress", action="store_true")


def shows_progress(given: argparse.Namespace) -> bool:
    """Return True if a command shows its progress: on a terminal, without --quiet."""
    return not given.quiet and sys.stderr.isatty()


def picture_beside(path: str) -> str:
    """Return the name of a new picture beside a file: its name, with the ending png."""
    if path == "-":
        raise WrongUsage("-o OUT must be given for standard input")
    pure = PurePath(path)
    pure = pure.with_suffix("") if pure.suffix.lower() == ".gz" else pure
    picture = pure.with_suffix(".png")
    if os.path.lexists(picture):
        raise InputError(f"{picture} exists, and it is not overwritten unasked. Give -o {picture}, or another name")
    return str(picture)


def choose_formats(given: argparse.Namespace, allowed: Iterable[str]) -> tuple[str | None, str]:
    """Return the formats of FILE (None: by its name or content) and of OUT.

    ``--format`` names the format of OUT, or of FILE if the name of OUT has a known ending; IN:OUT names both. A form of
    JSON is a format of OUT: the content of a FILE shows its form.
    """
    into, colon, out = (given.format or "").partition(":")
    if colon:
        return into or None, files.output_format(given.output, out or None, allowed)
    try:
        named = files.output_format(given.output, None, allowed)
    except InputError:
        return None, files.output_format(given.output, given.format, allowed)
    return (None, given.format) if {given.format, named} <= JSON else (given.format, named)


def check_writable(output: str, kind: str, *sources: str, extra: str = "draw") -> None:
    """Raise if the output cannot be written, or needs a missing package (`extra`, pyarrow)."""
    files.check_output(output, *sources)
    if kind in (*PICTURES, "gif") and importlib.util.find_spec("matplotlib") is None:
        raise missing_extra("matplotlib", extra, "pictures")
    if kind in TYPED and importlib.util.find_spec("pyarrow") is None:
        raise missing_extra("pyarrow", "parquet", f"{kind} files")
    if output == "-" and getattr(sys.stdout, "name", "") == os.devnull:
        raise InputError("standard output is closed; give -o FILE")
    if output == "-" and kind in (*PICTURES, *TYPED, "npz", "npy") and sys.stdout.isatty():
        raise InputError(f"{kind} is not text for a terminal; give -o FILE, or redirect it into a file or a pipe")


def method(text: str) -> str:
    """Read the name of a method, in any spelling, with or without a number behind it."""
    try:
        return method_named(text).name
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def setting(text: str) -> tuple[str, Any]:
    """Read NAME=VALUE: the name, and a number, a truth value or a text.

    >>> setting("kappa=0.2"), setting("variational=true"), setting("divergence=alpha:0.5")
    (('kappa', 0.2), ('variational', True), ('divergence', 'alpha:0.5'))
    """
    name, equals, value = (part.strip() for part in text.partition("="))
    if not (name and equals and value):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE, such as kappa=0.2")
    if value.lower() in ("true", "false"):
        return name, value.lower() == "true"
    try:
        return name, float(value)
    except ValueError:
        return name, value


def tuned_method(name: str, settings: Iterable[tuple[str, object]] | None) -> Any:
    """Return a method with its parameters set; `WrongUsage` for an unknown or wrong parameter."""
    own: Keywords = {}
    for parameter, value in settings or ():
        if parameter in own:
            raise WrongUsage(f"--set {parameter} is given twice, {own[parameter]} and {value}; give it once")
        if parameter not in OWNERS:
            if not own_keywords(name):
                raise WrongUsage(f"--set {parameter}: the method {name} has no keywords of its own; leave it out")
            raise WrongUsage(f"--set: {unknown(f'parameter of {name}', parameter, own_keywords(name))}")
        own[parameter] = value
    try:
        return tune(name, **own) if own else name
    except InputError as error:
        raise WrongUsage(f"--set: {error}") from None


def whole(text: str) -> int:
    """Read a whole number of 0 or more."""
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


whole.__name__ = "whole number of 0 or more"  # argparse writes "invalid ... value"


def number_or(kind: Callable[[str], object], **words: Any) -> Callable[[str], Any]:
    """Return a function that reads a number, or one of some words with their values."""

    def number(text: str) -> Any:
        return words[text] if text in words else kind(text)

    return number


def in_options(message: str, parser: argparse.ArgumentParser) -> str:
    """Return a message of the library with options instead of keywords."""
    own = [name for name in parser._option_string_actions if name.startswith("--")]
    options = {name.removeprefix("--").replace("-", "_"): name for name in own}
    for keyword, candidates in SYNONYMS.items():
        for name in candidates:
            if name in own:
                options.setdefault(keyword, name)
    names = "|".join(options)

    def assigned(found: re.Match[str]) -> str:
        value = (found[2] or "").strip("\"'")
        value = "none" if value == "None" else shlex.quote(value) if value not in ("", "True") else ""
        return f"{options[found[1]]} {value}".rstrip()

    def option(found: re.Match[str]) -> str:
        return options[found[1]]

    message = re.sub(rf"(?<![\w.'\"-])({names})=(?!=)(\"[^\"]*\"|'[^']*'|[\w.]*\w)?", assigned, message)
    message = re.sub(rf"`+({names})`+", option, message)
    message = re.sub(rf"^({names})(?= (?:must|needs|cannot|has|is)\b)", option, message)
    bare = "|".join(name for name in options if NO_WORDS.fullmatch(name)) or "(?!)"
    parts = QUOTED.split(message)
    for k in range(0, len(parts), 2):
        parts[k] = re.sub(rf"(?<![\w./'\"-])({bare})(?![\w'\"=/-]|\.\w)", option, parts[k])
        parts[k] = re.sub(r"\bNone\b", "none", parts[k])
        parts[k] = re.sub(r"\bnelayout\.(layout|embed|compare|methods)\b(?:\(\))?", r"nelayout \1", parts[k])
    return "".join(parts)


def say(message: str, parser: argparse.ArgumentParser) -> None:
    """Write a message as one line to standard error, with the options of the parser's command."""
    sys.stderr.write(f"nelayout: {' '.join(in_options(message, parser).split())}\n")


def say_all(notes: Iterable[str], given: argparse.Namespace) -> None:
    """Write each note once, unless --quiet is given."""
    for note in () if given.quiet else dict.fromkeys(notes):
        say(note, given.parser)


@contextmanager
def ending_early() -> Iterator[None]:
    """Let the first Ctrl-C end a run with its best drawing, and the second one end it at once."""
    def end(number: int, frame: object) -> None:
        if ENDING.asked or not ENDING.running:
            raise KeyboardInterrupt
        ENDING.asked = True
        sys.stderr.write("nelayout: the run ends with the drawing so far; Ctrl-C once more ends it without\n")

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def painting(given: argparse.Namespace) -> Iterator[None]:
    """Show on a terminal that the picture is drawn; print its warnings as notes, each once."""
    shown = "nelayout: drawing the picture" if shows_progress(given) else ""
    sys.stderr.write(shown)
    sys.stderr.flush()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        try:
            yield
        finally:
            if shown:
                sys.stderr.write(f"\r{' ' * len(shown)}\r")
                sys.stderr.flush()
    say_all((str(each.message) for each in caught), given)


def with_endings(names: Iterable[str]) -> list[str]:
    """Return the formats of these names, with their endings if these differ from the names."""
    own = ((name, " ".join(FORMATS[name].endings)) for name in names)
    return [name if endings == name else f"{name} ({endings})" for name, endings in own]


def keywords(given: argparse.Namespace, file: GraphFile) -> Keywords:
    """Return the options of `declare` as keywords of `nelayout.solve`."""
    from nelayout.core.similarities.masses import NAMED

    same = ("affinity", "perplexity", "hops", "smoothing", "emphasis", "mass", "seed", "max_iter", "time_limit")
    own: Keywords = {**weights(given, file), **{name: getattr(given, name, None) for name in same}, "node_size": "auto"}
    own |= structure(given, file)
    if given.mass not in NAMED and given.mass in file.node_data and given.mass not in file.host.attributes():
        own["mass"] = file.node_data[given.mass]  # a column of the file that the graph does not hold
    return own


def read_graph(given: argparse.Namespace, path: str, form: str | None) -> GraphFile:
    """Read a graph with the columns of a table that the options name."""
    weight = None if given.weight == "none" else given.weight
    how = {"sheet": given.sheet, "bipartite": given.bipartite, "source": given.source, "target": given.target}
    return files.read_graph(path, form, weight, getattr(given, "nodes", None), **how)


def weight(given: argparse.Namespace, file: GraphFile) -> dict[str, str | None]:
    """Return the keyword `weight`, if given; `InputError` for an attribute that no edge has."""
    if given.weight is None:
        return {}
    if given.weight == "none":
        return {"weight": None}
    names = file.edge_attributes
    if given.weight not in names:
        problem = f"--weight {given.weight}: the edges have no attributes; leave it out"
        if names:
            problem = unknown("edge attribute for --weight", given.weight, names)
        raise InputError(f"{problem}; use --weight none to count every edge as 1")
    return {"weight": given.weight}


def weights(given: argparse.Namespace, file: GraphFile) -> Keywords:
    """Return the keywords `weight` and `weight_kind`: the file's own unless given."""
    named = weight(given, file)
    if named or file.weight_kind != "distance":
        return {**named, "weight_kind": given.weight_kind}
    kind = file.weight_kind if given.weight_kind == "auto" else given.weight_kind
    return {"weight": file.weight, "weight_kind": kind}


def known_positions(
    path: str, file: GraphFile, own: str | None = None, notes: list[str] | None = None
) -> dict[Any, Any]:
    """Return positions in a file by node; a note counts positions of other nodes.

    If `path` is `own`, the path of the graph's file (or standard input), it returns the positions in that file.
    """
    places = files.positions_of(file, name_of(path)) if path == own else files.read_positions(path)
    found = {str(label): place for label, place in places.items()}
    names = keys(file)
    start = {names[name]: place for name, place in found.items() if name in names}
    if len(start) < min(len(found), len(names)):  # some formats drop blanks at the ends and double quotes
        spelled = {_spelled(name): node for name, node in names.items() if node not in start}
        others = {_spelled(name): place for name, place in found.items() if name not in names}
        start |= {spelled[name]: place for name, place in others.items() if name in spelled}
    if not start:
        raise InputError(
            f"{path}: all {len(found)} node names are unknown; the graph has e.g. {next(iter(names), None)!r}. Give "
            "positions of the graph's own nodes"
        )
    if notes is not None and len(start) < len(found):
        few = f"{len(found) - len(start)} of {len(found)}"
        notes.append(f"nodes in {path} that are not nodes of the graph: {few}. They are left out; give no others")
    return start


def _spelled(name: str) -> str:
    return " ".join(name.replace('"', "'").split())


def keys(file: GraphFile) -> Keywords:
    """Return {name in the file: node in the graph}; nodes of a matrix are numbers."""
    return {str(label): key for label, key in zip(file.labels, file.host.aliases[0], strict=True)}


def attribute(name: str | None, file: GraphFile, option: str, own_names: tuple[str, ...] = ()) -> Any:
    """Return one value per node: a column of the file, or the nodes' names for `own_names`."""
    if name is None:
        return None
    if name in file.node_data:
        return file.node_data[name]
    if name in own_names:
        return list(file.labels)
    raise unknown(f"node attribute for {option}", name, [*own_names[:1], *file.node_data])


def look(given: argparse.Namespace, file: GraphFile, kind: str, colored: bool = True) -> Keywords:
    """Return --label and --color (if ``colored``) as keywords of `page_of` or `draw`."""
    labels = attribute(given.label, file, "--label", OWN_NAMES)
    if kind == "html":
        return _page_look(given, file, labels)
    return {"labels": labels, "color": _color(given.color, file) if colored else None}


def _color(name: str | None, file: GraphFile) -> Any:
    """Return the colors for `--color`: one value per node, or one color for all."""
    from nelayout.pictures.colors import AMOUNTS

    if name is None or name in AMOUNTS:
        return name
    if name in file.node_data:
        return Named(file.node_data[name], name)
    return _one_color(name, "node attribute or color for --color", [*file.node_data, *AMOUNTS])


def _one_color(name: str, what: str, others: list[str]) -> str:
    """Return the name of a color, or raise `InputError` with the `others` that exist."""
    from matplotlib.colors import is_color_like

    if not is_color_like(name):
        raise unknown(what, name, others)
    return name


def _page_look(given: argparse.Namespace, file: GraphFile, labels: object) -> Keywords:
    """Return labels and color, with weight, title, and columns that the graph does not hold."""
    from nelayout.pictures.colors import AMOUNTS
    from nelayout.pictures.pages import Column, hex_color

    flat = {name: values for name, values in file.node_data.items() if getattr(values, "ndim", 1) == 1}
    columns = [Column(name, values) for name, values in flat.items()]
    known = [*(column.name for column in columns if column.kind != "texts"), *AMOUNTS]
    if given.color is not None and given.color not in known and hex_color(given.color) is None:
        raise unknown("node attribute or color for --color", given.color, known)
    if labels is None and list(file.labels) != list(file.host.aliases[0]):
        labels = list(file.labels)
    return {
        "labels": labels,
        "color": given.color,
        "weight": weight(given, file).get("weight", "weight"),
        "columns": [column for column in columns if column.name not in file.host.attributes()],
        "title": None if given.file == "-" else PurePath(given.file).name,
    }


def picture_look(given: argparse.Namespace, kind: str, file: GraphFile) -> Keywords:
    """Return the options of `declare_picture` as keywords of `nelayout.draw`.

    Raises `InputError`, before the work starts, if the output is not a picture, and as `nelayout.draw` does.
    """
    asked = figure_look(given, kind, ("background", "edges", "edge_color", "edge_width", "node_size", "top"))
    if not asked:
        return {}
    if asked.get("background") == "none":
        asked["background"] = None
    from nelayout.pictures.edges import check_style
    from nelayout.pictures.paper import paper

    paper(asked.get("background", "auto"))
    network = read(file.graph, weight=None)
    check_style(asked.get("edges", "straight"), network.adjacency.nnz // 2)
    if "node_size" in asked:
        asked["node_size"] = _node_size(asked["node_size"], file)
    if "edge_color" in asked and asked["edge_color"] not in file.edge_attributes:
        _one_color(asked["edge_color"], "edge attribute or color for --edge-color", file.edge_attributes)
    if "edge_width" in asked and asked["edge_width"] not in file.edge_attributes:
        asked["edge_width"] = _number(asked["edge_width"], "edge attribute or number for --edge-width", file)
    if "top" in asked:
        from nelayout.pictures.picture import named_most_central

        texts = attribute(given.label, file, "--label", OWN_NAMES)
        asked["labels"] = named_most_central(network, file.labels if texts is None else texts, asked.pop("top"))
    return asked


def figure_look(given: argparse.Namespace, kind: str, more: Iterable[str] = ()) -> Keywords:
    """Return the options of `declare_figure`, and those named, as keywords of `nelayout.draw`."""
    names = (*more, "font_size", "legend", "width_mm", "figsize")
    asked = {name: getattr(given, name) for name in names if getattr(given, name) is not None}
    if asked and kind not in PICTURES:
        option = f"--{next(iter(asked)).replace('_', '-')}"
        raise InputError(f"{option} is for pictures ({', '.join(PICTURES)}); {kind} is not a picture: leave it out")
    if asked:
        from nelayout.pictures.picture import figure_size

        figure_size(asked.get("figsize"), asked.get("width_mm"), None)
    if asked.get("legend") == "none":
        asked["legend"] = False
    return asked


def _node_size(word: str, file: GraphFile) -> Any:
    """Return the sizes for `--node-size`: one value per node, a word, or a diameter."""
    from nelayout.pictures.colors import AMOUNTS

    if word in (*AMOUNTS, "auto"):
        return word
    if word in file.node_data:
        return Named(file.node_data[word], word)
    return _number(word, "node attribute or number for --node-size", file)


def _number(word: str, what: str, file: GraphFile) -> float:
    """Return a number, or raise `InputError` with the attributes that exist."""
    try:
        return float(word)
    except ValueError:
        raise unknown(what, word, file.edge_attributes if "edge" in what else list(file.node_data)) from None
