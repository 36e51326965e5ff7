"""`nelayout compare FILE -m METHOD -m METHOD -o OUT`: several drawings of one graph, measured side by side."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from nelayout.cli import arguments, graph_input
from nelayout.cli.arguments import PICTURES
from nelayout.cli.report import WrongUsage, say
from nelayout.errors import InputError, near_matches, unknown

if TYPE_CHECKING:
    from nelayout.comparison import Comparison, Measured
    from nelayout.graphs.files import GraphFile

__all__ = ["declare", "run"]

# The name of a drawing, and the file that holds it; None: the name is that of a method, which draws it.
Requested = tuple[str, str | None]

LONGITUDE = {"lon", "long", "lng", "longitude"}
LATITUDE = {"lat", "latitude"}


def declare(command: argparse.ArgumentParser) -> None:
    """The options; -m and --pos fill one list, so that the drawings keep the order of the command line."""
    option = arguments.declarer(command)
    command.add_argument("file", metavar="FILE", help="graph file; - is standard input")
    option(
        "-m",
        "--method",
        text="method that draws the graph, see nelayout methods; may be repeated",
        type=_by_method,
        dest="drawings",
        action="append",
        metavar="METHOD",
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
        text="figure (png, svg, pdf), table (csv, json) or page (html); - is standard output",
        metavar="OUT",
        required=True,
    )
    graph_input.declare(option)
    option(
        "--label",
        text="node attribute with the classes of the nodes: colors, and the measures of classes",
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
    """Everything that can be wrong is looked for before the work starts."""
    from nelayout.graphs import files

    drawings = _distinct(given.drawings)
    into, kind = arguments.planned(given, WRITERS)
    sources = [given.file, *(path for _, path in drawings if path is not None)]
    arguments.check_writable(given.output, kind, *sources, drawn=(*PICTURES, "html"), extra="compare")
    file = files.read_graph(given.file, into)
    labels = graph_input.attribute(given.label, file, "--label")
    coords, notes = (None, ()) if given.coords is None else _coords(given.coords, file)
    ready = {name: _every_position(path, file) for name, path in drawings if path is not None}

    from nelayout.comparison import compare
    from nelayout.run.pipeline import solve

    keywords = graph_input.keywords(given, file)
    keywords["progress"] = not given.quiet and sys.stderr.isatty()
    solved = {name: solve(file.graph, name, **keywords) for name, path in drawings if path is None}
    positions = {name: ready[name] if path else solved[name].positions for name, path in drawings}
    comparison = compare(file.graph, positions, labels, coords, weight=graph_input.weight(given), seed=given.seed)
    if not given.quiet:
        for note in (*file.notes, *notes, *_notes({name: found.notes for name, found in solved.items()})):
            say(note)
    files.deliver(given.output, WRITERS[kind](comparison))
    if given.output != "-" and not given.quiet:
        sys.stdout.writelines(f"{line}\n" for line in _lines(comparison))


def _by_method(name: str) -> Requested:
    return arguments.method(name), None


def _from_file(text: str) -> Requested:
    name, equals, path = text.partition("=")
    if not (name.strip() and equals and path):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=FILE, such as sfdp=sfdp.csv")
    return name.strip(), path


def _distinct(drawings: list[Requested] | None) -> list[Requested]:
    if not drawings:
        raise WrongUsage("there is nothing to compare: give at least one -m METHOD or --pos NAME=FILE")
    names = [name for name, _ in drawings]
    twice = next((name for k, name in enumerate(names) if name in names[:k]), None)
    if twice is not None:
        hint = "each method once" if drawings.count((twice, None)) > 1 else "choose another NAME for --pos NAME=FILE"
        raise WrongUsage(f"the drawing {twice!r} is given twice; {hint}")
    return drawings


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


def _coords(text: str, file: GraphFile) -> tuple[np.ndarray, tuple[str, ...]]:
    """(n, d) true coordinates out of node attributes, NaN where unknown; and what was done with them."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    columns = []
    for name in names:
        if name not in file.node_data:
            raise unknown("node attribute for --coords", name, file.node_data)
        columns.append(
            [_place(value, name, label) for value, label in zip(file.node_data[name], file.labels, strict=True)]
        )
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


def _place(value: Any, name: str, label: Any) -> Any:
    """A number or several, None where unknown."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    try:
        place = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"node {label!r} has {name} {value!r}; --coords needs attributes that are numbers") from None
    return place if np.isfinite(place).all() else None


def _notes(said: dict[str, tuple[str, ...]]) -> Iterable[str]:
    """Every note once; with the name of its method where others have nothing of the kind to say."""
    for note in dict.fromkeys(note for notes in said.values() for note in notes):
        by = [name for name, notes in said.items() if note in notes]
        yield note if len(by) == len(said) else f"{', '.join(by)}: {note}"


def _lines(comparison: Comparison) -> list[str]:
    """A line per measure and a column per drawing, which fits a terminal better than the other way round.

    A star stands behind the best, unless all are equally good.
    """
    rows = [["", *comparison.measured]]
    for name in next(iter(comparison.measured.values())):
        found = [row[name] for row in comparison.measured.values()]
        scores = {m.score for m in found if not math.isnan(m.score)}
        best = max(scores) if len(scores) > 1 else None
        rows.append([name, *(f"{_shown(m.value)}{'*' if m.score == best else ' '}" for m in found)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows[0][1:] = [f"{name} " for name in rows[0][1:]]
    return [
        (
            f"{row[0]:<{widths[0]}}"
            + "".join(f"  {cell:>{width + 1}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        ).rstrip()
        for row in rows
    ]


def _shown(value: float) -> str:
    """Four digits, and no power of ten where a whole number says it."""
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e9 else f"{value:.4g}"


def _to_csv(comparison: Comparison) -> bytes:
    from nelayout.graphs.files.encode import encode_csv

    header = ["drawing", *next(iter(comparison.measured.values()))]
    return encode_csv(header, ([name, *_values(row)] for name, row in comparison.measured.items()))


def _to_json(comparison: Comparison) -> bytes:
    """A list of records; null where a measure had nothing to look at."""
    from nelayout.graphs.files.encode import encode_json

    records = [
        {"drawing": name} | dict(zip(row, _values(row), strict=True)) for name, row in comparison.measured.items()
    ]
    return encode_json(records, indent=1)


def _values(row: Mapping[str, Measured]) -> list[float | None]:
    return [None if math.isnan(m.value) else m.value for m in row.values()]


def _to_html(comparison: Comparison) -> bytes:
    from nelayout.comparison.page import page

    return page(comparison.measured, comparison.plot()).encode()


def _to_picture(kind: str) -> Callable[[Comparison], bytes]:
    def content(comparison: Comparison) -> bytes:
        from nelayout.drawing import rendered

        return rendered(comparison.plot(), kind)

    return content


# Format -> comparison -> content.
WRITERS: dict[str, Callable[[Comparison], bytes]] = {
    **{kind: _to_picture(kind) for kind in PICTURES},
    "csv": _to_csv,
    "json": _to_json,
    "html": _to_html,
}
