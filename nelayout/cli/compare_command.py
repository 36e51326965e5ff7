"""`nelayout compare FILE -m METHOD -m METHOD -o OUT`: several drawings of one graph, measured side by side."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nelayout.cli import arguments, graph_input
from nelayout.cli.arguments import PICTURES
from nelayout.cli.compare_output import DATA, WRITERS
from nelayout.cli.map_input import true_coordinates
from nelayout.cli.report import WrongUsage, in_options, painting, say
from nelayout.errors import InputError

if TYPE_CHECKING:
    from nelayout.graphs.files import GraphFile

__all__ = ["EXAMPLES", "declare", "formats", "run"]

# Options that say how our own methods draw, and nobody else.
OURS = ("mass", "smoothing", "max_iter")

EXAMPLES = (
    "nelayout compare graph.graphml -m ws-sne -m gamma-quadlog --classes kind -o compare.html",
    "nelayout compare graph.graphml -m nerv:0.2 -m nerv:0.8 -o kappa.png --color kind",
    "nelayout compare graph.graphml -m tsne --pos mine=mine.csv -o table.csv",
    "nelayout compare graph.graphml -m ws-sne -m nx:spring -m igraph:drl -m graphviz:sfdp --seeds 5",
)


def formats() -> dict[str, Iterable[str]]:
    """Formats that the command reads and writes, for --help."""
    return {
        "FILE": graph_input.graph_formats(),
        "OUT, the drawings over their measures": (*PICTURES, "html"),
        "OUT, the measures": [kind for kind in WRITERS if kind not in (*PICTURES, "html")],
        "--pos": ["csv with the columns node, x and y", "what layout writes"],
    }


@dataclass(frozen=True, slots=True, eq=False)
class Requested:
    """A drawing that is asked for: its name, and the method or peer that draws it or the file that holds it."""

    name: str
    method: Any = None
    peer: str | None = None
    path: str | None = None


def declare(command: argparse.ArgumentParser) -> None:
    """The options; -m, --set and --pos fill one list, so that the drawings keep the order of the command line."""
    option = arguments.declarer(command)
    option(
        "-m",
        "--method",
        text=f"method that draws the graph, {arguments.METHOD_TEXT}; or a layout of another package, such as "
        "nx:spring, igraph:drl, graphviz:sfdp, opentsne, umap; may be repeated",
        type=_by_method,
        dest="drawings",
        action="append",
        metavar="METHOD",
    )
    option(
        "--set",
        text="parameter of the last -m's own, see nelayout methods; once for each",
        type=_by_setting,
        dest="drawings",
        action="append",
        metavar="NAME=VALUE",
    )
    option(
        "--pos",
        text="a drawing that exists: its name, and the file with its positions; may be repeated",
        type=_from_file,
        dest="drawings",
        action="append",
        metavar="NAME=FILE",
    )
    option(
        "-o",
        "--output",
        text="figure, table or page, by its ending; - is standard output; without it the table is printed alone",
        metavar="OUT",
    )
    option(
        "--seeds",
        text="drawings of each method, with the seeds SEED, SEED + 1, ...; their mean and spread are shown (1)",
        type=arguments.whole,
        default=1,
        metavar="COUNT",
    )
    graph_input.declare(command, option)
    graph_input.declare_look(option)
    option(
        "--classes",
        text="node attribute with the classes of the nodes: the measures of classes, and colors without --color",
        metavar="NAME",
    )
    option(
        "--coords",
        text="node attributes with the true coordinates, such as lon,lat: the measures of maps",
        metavar="NAME,NAME",
    )
    option(
        "--format",
        text="format of OUT, or of FILE if the name of OUT says its own; IN:OUT names both",
        metavar="NAME",
    )
    option("--quiet", text="no table, no notes and no progress", action="store_true")


def run(given: argparse.Namespace) -> None:
    """Check everything that can be wrong, then do the work and write the output."""
    from nelayout.graphs import files

    drawings = _requested(given.drawings)
    if given.output is None and given.quiet:
        raise WrongUsage("without -o OUT there is the table alone, and --quiet leaves it out; give one of the two")
    if given.seeds < 1:
        raise WrongUsage("--seeds 0 draws nothing; give 1 or more")
    _check_ours(given, drawings)
    into, kind = (given.format, "") if given.output is None else arguments.choose_formats(given, WRITERS)
    if given.output is not None:
        sources = [given.file, *(drawing.path for drawing in drawings if drawing.path is not None)]
        arguments.check_writable(given.output, kind, *sources, drawn=PICTURES, extra="compare")
    file = files.read_graph(given.file, into, graph_input.column(given))
    classes = graph_input.attribute(given.classes, file, "--classes")
    look = {"labels": graph_input.texts(given.label, file)}
    if kind == "html":
        look = graph_input.page_look(given, file)
    elif kind not in DATA:
        look["color"] = graph_input.color(given.color, file)
    coords, notes = (None, ()) if given.coords is None else true_coordinates(given.coords, file)
    ready = {d.name: _every_position(d.path, file) for d in drawings if d.path is not None}

    from nelayout.comparison import compare

    keywords = graph_input.keywords(given, file)
    keywords["progress"] = not given.quiet and sys.stderr.isatty()
    entries = {d.name: d.peer or _drawing_by(d.method, keywords) for d in drawings} | ready
    weights = {**graph_input.weight(given, file), "weight_kind": given.weight_kind}
    comparison = compare(file.graph, entries, classes, coords, seeds=given.seeds, seed=given.seed, **weights)
    if not given.quiet:
        own = {d.name: comparison.notes.get(d.name, ()) for d in drawings if d.method is not None}
        others = (f"{name}: {note}" for name, said in comparison.notes.items() if name not in own for note in said)
        for note in (*file.notes, *notes, *_notes(own), *others):
            say(note, given.parser)
        if kind in DATA and (given.label or given.color):
            say(f"--label and --color are for pictures; {kind} holds the measures alone", given.parser)
    if given.output is not None:
        with nullcontext() if kind in DATA else painting(given):
            content = WRITERS[kind](comparison, look)
        files.deliver(given.output, content)
    if given.output != "-" and not given.quiet:
        verdict = "\n".join(in_options(sentence, given.parser) for sentence in comparison.verdict)
        sys.stdout.write(_printable(f"{comparison}\n\n{verdict}\n"))


def _check_ours(given: argparse.Namespace, drawings: list[Requested]) -> None:
    """Raise `WrongUsage` for an option of our methods where none of them draws."""
    if any(drawing.method is not None for drawing in drawings):
        return
    for name in OURS:
        if getattr(given, name) != given.parser.get_default(name):
            option = f"--{name.replace('_', '-')} {getattr(given, name)}"
            raise WrongUsage(
                f"{option} is for our own methods, and none of these draws: others draw with the defaults of their "
                "own packages; leave it out, or add one such as -m ws-sne"
            )


def _drawing_by(method: Any, keywords: dict[str, Any]) -> Callable[..., Any]:
    """A function that draws the graph by a method with the options that were given, whatever the seed."""
    from nelayout.run.pipeline import solve

    def draw(G: Any, seed: int) -> Any:
        options: Any = {**keywords, "seed": seed}
        return solve(G, method, **options)

    return draw


def _printable(text: str) -> str:
    """The text, with plain signs where standard output knows no others."""
    coding = sys.stdout.encoding or "ascii"
    try:
        text.encode(coding)
    except UnicodeEncodeError:
        plain = text.translate(str.maketrans({"↑": "^", "↓": "v", "–": "-", "±": "~"}))
        return plain.encode(coding, "replace").decode(coding)
    return text


def _requested(parts: list[tuple[str, Any]] | None) -> list[Requested]:
    """Collect the drawings in the order of the command line, each -m with the --set that follow it."""
    chosen: list[tuple[str, Any]] = []  # a file's name and path; a peer's name and None; or "" and (method, settings)
    for option, value in parts or ():
        if option == "pos":
            chosen.append(value)
        elif option == "peer":
            chosen.append((value, None))
        elif option == "method":
            chosen.append(("", (value, [])))
        elif chosen and chosen[-1][1] is None:
            raise WrongUsage(f"--set {value[0]}: {chosen[-1][0]} draws with the defaults of its own package")
        elif not chosen or chosen[-1][0]:
            raise WrongUsage(f"--set {value[0]} belongs behind the -m METHOD that it is for")
        else:
            chosen[-1][1][1].append(value)
    drawings = [_existing(name, value) if name else _drawn(*value) for name, value in chosen]
    if not drawings:
        raise WrongUsage("there is nothing to compare: give at least one -m METHOD or --pos NAME=FILE")
    names = [drawing.name for drawing in drawings]
    twice = next((k for k, name in enumerate(names) if name in names[:k]), None)
    if twice is not None:
        both = drawings[twice].path is None and drawings[names.index(names[twice])].path is None
        hint = "each method once" if both else "choose another NAME for --pos NAME=FILE"
        raise WrongUsage(f"the drawing {names[twice]!r} is given twice; {hint}")
    return drawings


def _drawn(choice: arguments.Choice, settings: list[tuple[str, Any]]) -> Requested:
    """A drawing called by its method and what was set."""
    values = [f"{name}={f'{x:g}' if isinstance(x, float) else x}" for name, x in (*choice.settings, *settings)]
    own = f" {', '.join(values)}" if values else ""
    return Requested(f"{choice.name}{own}", method=arguments.tuned_method(choice, settings))


def _existing(name: str, path: str | None) -> Requested:
    """A drawing of a file, or of another package."""
    return Requested(name, peer=name) if path is None else Requested(name, path=path)


def _by_method(name: str) -> tuple[str, Any]:
    """A method of ours, or the name of another package's layout."""
    from nelayout.comparison.comparing import check_method
    from nelayout.comparison.peers import graph_peer, graph_peers

    peer = graph_peer(name)
    if peer is not None:
        return "peer", peer.name
    try:
        check_method(name, graph_peers())
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return "method", arguments.method(name)


def _by_setting(text: str) -> tuple[str, Any]:
    return "set", arguments.setting(text)


def _from_file(text: str) -> tuple[str, Any]:
    name, equals, path = text.partition("=")
    if not (name.strip() and equals and path):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=FILE, such as sfdp=sfdp.csv")
    return "pos", (name.strip(), path)


def _every_position(path: str, file: GraphFile) -> Any:
    """Positions of all nodes: of the type that the layouts give for this graph, a dict or an array."""
    found = graph_input.known_positions(path, file)
    wanting = [name for name, key in graph_input.keys(file).items() if key not in found]
    if wanting:
        raise InputError(
            f"{path} has no position for node {wanting[0]!r} ({len(wanting)} of {len(file.labels)} nodes have "
            "none); a drawing can be compared when every node has a place"
        )
    return file.host.write(np.array([found[key] for key in graph_input.keys(file).values()]))


def _notes(said: dict[str, tuple[str, ...]]) -> Iterable[str]:
    """Every note once; with the name of its method where others have nothing of the kind to say."""
    for note in dict.fromkeys(note for notes in said.values() for note in notes):
        by = [name for name, notes in said.items() if note in notes]
        yield note if len(by) == len(said) else f"{', '.join(by)}: {note}"
