"""`nelayout embed FILE -o OUT`: the rows of a table as points, in a picture or in a file.

`--save MODEL` stores the finished map, and `--model MODEL` adds the rows of another table to it. A model file is a
pickled `nelayout.NeighborEmbedding`. Reading it can run code, so it must be trusted like a program.
"""

from __future__ import annotations

import argparse
import csv
import io
import pickle
import time
import warnings
from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from nelayout.cli import arguments
from nelayout.cli.arguments import PICTURES, Command, Keywords, WrongUsage, painting, say_all, shows_progress
from nelayout.errors import InputError
from nelayout.graphs import files
from nelayout.graphs.files import file_format
from nelayout.graphs.files.arrow import encode_columns
from nelayout.graphs.files.opening import load, reading
from nelayout.graphs.files.record import Source
from nelayout.graphs.files.writers import axes, encode_csv, encode_json, encode_npz
from nelayout.graphs.plain import Named, is_missing, plain_text, spelled
from nelayout.vectors.tables import FORMATS, FittedColumns, Table, read_table

__all__ = ["COMMAND", "WRITTEN", "table_of"]

# Option of the fit -> keyword of `NeighborEmbedding`; options that were not given have no value.
FITTING = {"dim": "n_components", "seed": "random_state"} | {
    name: name
    for name in ("n_neighbors", "perplexity", "metric", "backend", "pca", "init", "device", "max_iter", "time_limit")
}
# Options of the run alone, with the names of keywords.
RUNNING = ("checkpoint", "resume")
# Formats of positions.
WRITTEN = ("csv", "json", "npz", "npy", "arrow", "parquet")
# Names of arrays in an archive; columns may not have these names.
ARCHIVED = ("positions", "names", "data", "indices", "indptr", "shape", "format")
# Errors of reading bytes that are not a pickle, or a pickle of another version.
UNREADABLE = (pickle.UnpicklingError, EOFError, AttributeError, ImportError, LookupError, TypeError, ValueError)


def _declare(option: Callable[..., None]) -> None:
    """Add the options; the names of keywords of `nelayout.embed` mean the same."""
    from nelayout.vectors.input import STARTS

    def fitting(*names: str, **how: Any) -> None:
        option(*names, default=argparse.SUPPRESS, **how)

    option("file", text="table with a row per sample; - is standard input", metavar="FILE", nargs="?")
    arguments.declare_method(fitting, "ws-sne")
    out = "picture or positions, by its ending; - is standard output"
    option("-o", "--output", text=out, metavar="OUT", required=True)
    columns = "columns that are coordinates, by name or by number from 1: height,width or 2-7 (all others)"
    option("--columns", text=columns, action="append", metavar="NAMES")
    option("--sheet", text="sheet of a workbook, by name or number (the first one)", metavar="NAME")
    option("--label", text="column with labels of the points; not a coordinate", metavar="COLUMN")
    option("--color", text="column that colors the points, not a coordinate; or one color", metavar="COLUMN")
    arguments.declare_figure(option)
    save = "also write the finished map into this file, for --model and for pickle.load in Python"
    option("--save", text=save, metavar="MODEL")
    model = (
        "place the rows of FILE, or of --transform, on the map in this file; reading it can run code that it holds: "
        "trust it like a program"
    )
    option("--model", text=model, metavar="MODEL")
    option("--transform", text="table with the rows for --model, instead of FILE", metavar="NEW")
    neighbors = "neighbors of each row in the graph that is drawn (15 to 60 by the rows; 3 times a perplexity)"
    fitting("--n-neighbors", text=neighbors, type=int, metavar="K")
    perplexity = "effective number of neighbors per row (10 to 30 by the rows; off with --n-neighbors)"
    fitting("--perplexity", text=perplexity, type=float, metavar="NUMBER")
    fitting("--metric", text="distance of two rows: euclidean, cosine, manhattan, ... (euclidean)")
    searches = ("exact", "faiss", "hnswlib", "pynndescent")  # as in `vectors.backends`, which --help must not import
    backend = "what searches for neighbors (exact; for many rows an installed package)"
    fitting("--backend", text=backend, choices=searches)
    pca = "principal components in which rows are compared: a number, none or auto (auto)"
    fitting("--pca", text=pca, type=arguments.number_or(int, none=None, auto="auto"), metavar="K")
    fitting("--init", text="initial positions (auto)", choices=STARTS)
    fitting("--dim", type=int, choices=(1, 2, 3))
    fitting("--device", metavar="NAME")
    arguments.declare_steps(fitting)
    arguments.declare_limit(fitting)
    arguments.declare_checkpoint(fitting)
    arguments.declare_messages(option, " (csv for -)")


def _run(given: argparse.Namespace) -> None:
    """Check the arguments and the table, then do the work and write the output."""
    from nelayout.layouts.checkpoint import removed_later

    parameters = _parameters(given)
    with removed_later():
        _embed(given, parameters)


def _embed(given: argparse.Namespace, parameters: Keywords) -> None:
    """Do the work after the checks of the arguments."""
    into, kind = arguments.choose_formats(given, (*PICTURES, *WRITTEN))
    arguments.check_writable(given.output, kind, *filter(None, (given.file, given.model)))
    look = arguments.figure_look(given, kind)
    if given.save is not None:
        files.check_output(given.save, given.file)
    into = "csv" if into is None and given.file == "-" else into
    form = file_format(into, given.file, table=FORMATS, kind="table format")
    columns: Any = None
    if given.columns is not None:
        columns = [word.strip() for words in given.columns for word in next(csv.reader([words])) if word.strip()]
    source = load(given.file, "a table")
    model = None if given.model is None else _read_model(given.model)
    fitted = getattr(model, "feature_names_in_", None)
    if columns is None and fitted is not None:
        columns = FittedColumns(map(str, fitted))
    with reading(given.file):
        table, color = _read(source, form, columns, given)
    saved, graph, notes, under = b"", None, list(table.notes), None
    if model is None:
        from nelayout.vectors.embedding import fit_vectors

        with arguments.ending_early():
            running = {name: getattr(given, name) for name in RUNNING if hasattr(given, name)}
            fit = fit_vectors(table.X, progress=shows_progress(given), **running, **parameters)
        Y, graph = fit.solution.positions, fit.graph
        notes += fit.solution.notes
        if given.save is not None:
            from nelayout.vectors.estimator import fitted_estimator

            saved = pickle.dumps(fitted_estimator(fit, table.columns, **parameters))
    else:
        Y, under = _place(given, table, model), model.embedding_
    if kind == "npy" and table.beside:
        notes.append("npy holds positions only; csv, json and npz keep the other columns as well")
    say_all(notes, given)
    if kind in PICTURES:
        with painting(given):
            content = _picture(table, color, Y, kind, under, look)
    else:
        content = _content(table, Y, kind, graph)
    if given.save is None:
        files.deliver(given.output, content)
        return
    with files.atomic(given.save) as temporary:  # both files appear, or none
        temporary.write_bytes(saved)
        files.deliver(given.output, content)


def _parameters(given: argparse.Namespace) -> Keywords:
    """Return the parameters of a fit, after checks of the options; --transform becomes FILE."""
    if given.transform is not None:
        if given.model is None:
            advice = "give its file, written by --save, as --model MODEL"
            raise WrongUsage(f"--transform adds rows to a finished map: {advice}")
        if given.file is not None:
            raise WrongUsage(f"--transform {given.transform} and FILE {given.file} both name the new rows; give one")
        given.file = given.transform
    if given.file is None:
        raise WrongUsage("the following arguments are required: FILE")
    if given.output == "-" and given.format is None:
        given.format = ":csv"
    if given.model is not None:
        asked = [name for name in ("method", "set", *FITTING, *RUNNING) if hasattr(given, name)] + ["save"] * (
            given.save is not None
        )
        if asked:
            option = f"--{asked[0].replace('_', '-')}"
            raise WrongUsage(f"{option} is for a new map, and --model names a finished one; leave one of them out")
        return {}
    if given.save in ("-", given.output):
        raise WrongUsage(f"--save takes the name of a file of its own, not {given.save}")
    if given.save is not None:
        import_module("nelayout.vectors.estimator")  # its error names the install command
    found = {keyword: getattr(given, name) for name, keyword in FITTING.items() if hasattr(given, name)}
    method = arguments.tuned_method(getattr(given, "method", "ws-sne"), getattr(given, "set", None))
    return {"method": method, "random_state": 0, **found}


def _read_model(path: str) -> Any:
    """Return the fitted estimator in a file; this runs the code that the file holds."""
    from nelayout.vectors.estimator import NeighborEmbedding

    source = load(path, "a model")
    remedy = "give a file that nelayout embed --save has written, in this version of nelayout"
    try:
        model = pickle.loads(source.data)  # noqa: S301  # --help warns that the file can run code
    except UNREADABLE as error:
        raise InputError(f"{source.name} cannot be read as a model ({type(error).__name__}): {remedy}") from None
    if not isinstance(model, NeighborEmbedding) or not hasattr(model, "embedding_"):
        held = "is not fitted" if isinstance(model, NeighborEmbedding) else f"holds a {type(model).__name__}"
        raise InputError(f"{source.name} {held}, not a fitted NeighborEmbedding: {remedy}")
    return model


def _place(given: argparse.Namespace, table: Table, model: Any) -> np.ndarray:
    """Return positions of the rows on the map of a model."""
    width = table.X.shape[1]
    if width != model.n_features_in_:
        names = getattr(model, "feature_names_in_", None)
        called = "" if names is None else f" ({', '.join(map(str, names[:8]))}{', ...' if len(names) > 8 else ''})"
        raise InputError(
            f"{given.file}: {width} columns are coordinates, and the map in {given.model} was fitted to "
            f"{model.n_features_in_}{called}; name the columns that stand for these with --columns"
        )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")  # names were compared above
        return model.transform(table.X)


def table_of(path: str, form: str | None) -> tuple[np.ndarray, float] | None:
    """Return the rows of a file and the seconds of reading them; None if it is no table."""
    began = time.perf_counter()
    try:
        kind = file_format(form, path, table=FORMATS, kind="table format")
        with reading(path):
            table = read_table(load(path, "a table"), kind)
    except InputError:
        return None
    return table.X, time.perf_counter() - began


def _read(source: Source, form: str, columns: Any, given: argparse.Namespace) -> tuple[Table, str | None]:
    """Return the table, and the one color of all points if --color is not a column."""
    color, beside = given.color, {"--label": given.label, "--color": given.color}
    beside = {option: word for option, word in beside.items() if word is not None}
    try:
        return read_table(source, form, columns, beside, given.sheet), None
    except InputError:
        if color is None or color.isdecimal() or find_spec("matplotlib") is None:
            raise
        if not import_module("matplotlib.colors").is_color_like(color):
            raise
    del beside["--color"]
    return read_table(source, form, columns, beside, given.sheet), color


def _picture(
    table: Table, color: str | None, Y: np.ndarray, kind: str, under: np.ndarray | None, look: Keywords
) -> bytes:
    """Return a picture of the points, over the gray points `under` of a finished map."""
    from nelayout.pictures import draw
    from nelayout.pictures.colors import PLAIN, UNKNOWN, class_names

    texts, classes = table.beside.get("--label"), table.beside.get("--color")
    labels = None if texts is None else ["" if is_missing(text) else spelled(text) for text in texts.values]
    colors: Any = color if classes is None else class_names(classes.values)
    if under is not None:
        from matplotlib.colors import to_hex

        mapped = [UNKNOWN] if classes is None else [None]
        colors = mapped * len(under) + (list(colors) if classes else [to_hex(color or PLAIN)] * len(Y))
        labels = None if labels is None else [""] * len(under) + labels
        Y = np.concatenate([under, Y])
    content = io.BytesIO()
    named = Named(colors, classes.title) if classes is not None and classes.title else colors
    draw(None, Y, content, labels=labels, color=named, format=kind, **look)
    return content.getvalue()


def _content(table: Table, Y: np.ndarray, kind: str, graph: object) -> bytes:
    """Return a file with positions (n, dim), names and other columns; npz holds the graph too."""
    if kind == "npy":
        content = io.BytesIO()
        np.save(content, Y)
        return content.getvalue()
    if kind == "npz":
        return _to_npz(table, Y, graph)
    columns: dict[str, Any] = {"row": table.names or list(range(len(Y)))}
    columns |= zip(axes(Y.shape[1]), Y.T.tolist(), strict=True)
    columns |= _titled(table, columns)
    rows = zip(*columns.values(), strict=True)
    if kind == "csv":
        return encode_csv(list(columns), rows)
    if kind == "json":
        return encode_json([dict(zip(columns, row, strict=True)) for row in rows])
    return encode_columns(columns, kind)


def _titled(table: Table, taken: Iterable[str]) -> dict[str, list[Any]]:
    """Return columns by their names; a column without a free name is named after its option."""
    found = {}
    for option, column in table.beside.items():
        free = column.title and column.title not in taken
        found[column.title if free else option.removeprefix("--")] = column.values
    return found


def _to_npz(table: Table, Y: np.ndarray, graph: object) -> bytes:
    """Return arrays `positions` and `names`, other columns, and the graph for `load_npz`."""
    arrays: dict[str, Any] = {"positions": Y}
    if graph is not None:
        arrays |= {name: getattr(graph, name) for name in ("data", "indices", "indptr", "shape")}
        arrays["format"] = b"csr"
    if table.names is not None:
        arrays["names"] = np.array(table.names)
    for title, values in _titled(table, ARCHIVED).items():
        numeric = all(is_missing(value) or isinstance(value, (int, float)) for value in values)
        unknown = np.nan if numeric else ""
        arrays[title] = np.array([unknown if is_missing(x) else x if numeric else plain_text(x) for x in values])
    return encode_npz(arrays)


COMMAND = Command(
    "embed the rows of a table: a picture, or positions in a file",
    _declare,
    _run,
    (
        "nelayout embed table.csv --color species -o map.png",
        "nelayout embed table.csv -m nerv:0.3 --color species --label name -o map.pdf",
        "nelayout embed table.csv --columns 1-64 -m tsne --perplexity 30 -o positions.npy",
        "nelayout embed table.csv --color species -o map.png --save model.pickle",
        "nelayout embed --model model.pickle --transform new.csv -o new-positions.csv",
    ),
    lambda: {"FILE": FORMATS, "OUT, a picture": PICTURES, "OUT, positions": WRITTEN},
)
