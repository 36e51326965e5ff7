"""`nelayout embed FILE -o OUT`: the rows of a table as points, in a picture or in a file."""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from nelayout.cli import arguments
from nelayout.cli.arguments import PICTURES
from nelayout.cli.report import painting, say
from nelayout.errors import InputError
from nelayout.graphs.files.source import Source
from nelayout.vectors.tables import FORMATS, Table, read_table

__all__ = ["EXAMPLES", "declare", "formats", "run"]

EXAMPLES = (
    "nelayout embed table.csv --color species -o map.png",
    "nelayout embed table.csv -m nerv:0.3 --color species --label name -o map.pdf",
    "nelayout embed table.csv --columns 1-64 -m tsne --perplexity 30 -o positions.npy",
)


def formats() -> dict[str, Iterable[str]]:
    """Formats that the command reads and writes, for --help."""
    return {"FILE": FORMATS, "OUT, a picture": PICTURES, "OUT, positions": WRITERS}


def declare(command: argparse.ArgumentParser) -> None:
    """The options; those that are keywords of `nelayout.embed` mean the same."""
    from nelayout.vectors.fitting import STARTS

    option = arguments.declarer(command)
    command.add_argument("file", metavar="FILE", help="table with a row per sample; - is standard input")
    option("-m", "--method", text=f"{arguments.METHOD_TEXT} (ws-sne)", default="ws-sne", type=arguments.method)
    option("--set", text=arguments.SET_TEXT, type=arguments.setting, action="append", metavar="NAME=VALUE")
    option(
        "-o",
        "--output",
        text="picture or positions, by its ending; - is standard output",
        metavar="OUT",
        required=True,
    )
    option(
        "--columns",
        text="columns that are coordinates, by name or by number from 1: height,width or 2-7 (all others)",
        action="append",
        metavar="NAMES",
    )
    option("--label", text="column written beside the points: no coordinate", metavar="COLUMN")
    option("--color", text="column that colors the points: no coordinate; or one color", metavar="COLUMN")
    option(
        "--n-neighbors",
        text="neighbors of each row in the graph that is drawn (15 to 90 by the rows; 3 times a perplexity)",
        type=int,
        metavar="K",
    )
    option(
        "--perplexity",
        text="neighbors that each row is worth by its weights (10 to 30 by the rows; with K none: every edge weighs 1)",
        type=float,
        metavar="NUMBER",
    )
    option("--metric", text="distance of two rows: euclidean, cosine, manhattan, ... (euclidean)", default="euclidean")
    option(
        "--pca",
        text="principal components in which rows are compared: a number, none or auto (auto)",
        type=_components,
        default="auto",
        metavar="K",
    )
    option("--init", text="where the points start (auto)", choices=STARTS, default="auto")
    option("--dim", type=int, default=2, choices=(1, 2, 3))
    option("--seed", text="same seed, same drawing (0)", type=arguments.whole, default=0)
    option("--max-iter", text="most steps of the method's own stages", type=arguments.whole, metavar="STEPS")
    option(
        "--format",
        text="format of OUT, or of FILE if the name of OUT says its own; IN:OUT names both (csv for -)",
        metavar="NAME",
    )
    option("--quiet", text="no notes and no progress", action="store_true")


def run(given: argparse.Namespace) -> None:
    """Check everything that can be wrong, then do the work and write the output."""
    from nelayout.graphs import files
    from nelayout.graphs.files.formats import file_format
    from nelayout.graphs.files.source import load

    if given.output == "-" and given.format is None:
        given.format = ":csv"
    method = arguments.tuned_method(given.method, given.set)
    into, kind = arguments.choose_formats(given, (*PICTURES, *WRITERS))
    arguments.check_writable(given.output, kind, given.file, drawn=PICTURES, extra="draw")
    if into is None and given.file == "-":
        into = "csv"
    form = file_format(into, given.file, table=FORMATS, kind="table format")
    columns = None
    if given.columns is not None:
        columns = [word.strip() for words in given.columns for word in next(csv.reader([words])) if word.strip()]
    source = load(given.file, "a table")
    table, color = _read(source, form, columns, given.label, given.color)

    from nelayout.vectors.embedding import solve_vectors

    solution = solve_vectors(
        table.X,
        given.dim,
        method=method,
        n_neighbors=given.n_neighbors,
        perplexity=given.perplexity,
        metric=given.metric,
        pca=given.pca,
        init=given.init,
        random_state=given.seed,
        max_iter=given.max_iter,
        progress=not given.quiet and sys.stderr.isatty(),
    )
    if not given.quiet:
        for note in (*table.notes, *solution.notes):
            say(note, given.parser)
        if kind == "npy" and table.beside:
            say("npy holds the positions alone; csv, json and npz keep the other columns as well", given.parser)
    if kind in PICTURES:
        with painting(given):
            content = _picture(table, color, solution.positions, kind)
    else:
        content = WRITERS[kind](table, solution.positions)
    files.deliver(given.output, content)


def _read(
    source: Source, form: str, columns: list[str] | None, label: str | None, color: str | None
) -> tuple[Table, str | None]:
    """The table, and the one color of all points where `color` names that and no column."""
    beside = {option: word for option, word in (("--label", label), ("--color", color)) if word is not None}
    try:
        return read_table(source, form, columns, beside), None
    except InputError:
        if color is None or color.isdecimal():
            raise
        if find_spec("matplotlib") is None or not import_module("matplotlib.colors").is_color_like(color):
            raise
    del beside["--color"]
    return read_table(source, form, columns, beside), color


def _components(text: str) -> int | str | None:
    return {"none": None, "auto": "auto"}[text] if text in ("none", "auto") else int(text)


_components.__name__ = "number"  # argparse says "invalid ... value"


def _picture(table: Table, color: str | None, Y: np.ndarray, kind: str) -> bytes:
    """The points without any edges."""
    from nelayout.drawing import draw
    from nelayout.drawing.colors import class_names

    texts, classes = table.beside.get("--label"), table.beside.get("--color")
    content = io.BytesIO()
    draw(
        None,
        Y,
        content,
        labels=None if texts is None else ["" if text is None else str(text) for text in texts.values],
        color=color if classes is None else class_names(classes.values),
        format=kind,
    )
    return content.getvalue()


def _titled(table: Table, taken: Iterable[str]) -> dict[str, list[Any]]:
    """The columns beside the positions by their names; by its option one that has none, or one of `taken`."""
    found = {}
    for option, column in table.beside.items():
        free = column.title and column.title not in taken
        found[column.title if free else option.removeprefix("--")] = column.values
    return found


def _records(table: Table, Y: np.ndarray) -> tuple[list[str], list[list[Any]]]:
    """Header and rows: what a row is called or its number from 0, its coordinates, the columns beside them."""
    from nelayout.graphs.files.writers import axes

    header = ["row", *axes(Y.shape[1])]
    beside = _titled(table, header)
    names: Sequence[Any] = table.names or range(len(Y))
    columns = [names, *Y.T.tolist(), *beside.values()]
    return [*header, *beside], [list(row) for row in zip(*columns, strict=True)]


def _to_csv(table: Table, Y: np.ndarray) -> bytes:
    from nelayout.graphs.files.encode import encode_csv

    return encode_csv(*_records(table, Y))


def _to_json(table: Table, Y: np.ndarray) -> bytes:
    """A list of records."""
    from nelayout.graphs.files.encode import encode_json

    header, rows = _records(table, Y)
    return encode_json([dict(zip(header, row, strict=True)) for row in rows])


def _to_npz(table: Table, Y: np.ndarray) -> bytes:
    """Arrays `positions`, `names` where there are any, and the columns beside; text is text (no pickle)."""
    from nelayout.graphs.files.encode import encode_npz

    arrays: dict[str, Any] = {"positions": Y}
    if table.names is not None:
        arrays["names"] = np.array(table.names)
    for title, values in _titled(table, ("positions", "names")).items():
        numeric = all(value is None or isinstance(value, (int, float)) for value in values)
        unknown = np.nan if numeric else ""
        arrays[title] = np.array([unknown if x is None else x if numeric else str(x) for x in values])
    return encode_npz(arrays)


def _to_npy(table: Table, Y: np.ndarray) -> bytes:
    content = io.BytesIO()
    np.save(content, Y)
    return content.getvalue()


# Format -> (table, (n, dim) positions) -> content.
WRITERS: dict[str, Callable[[Table, np.ndarray], bytes]] = {
    "csv": _to_csv,
    "json": _to_json,
    "npz": _to_npz,
    "npy": _to_npy,
}
