"""`nelayout embed FILE -o OUT`: the rows of a table as points, in a picture or in a file.

`--save MODEL` keeps the finished map, and `--model MODEL --transform NEW` places the rows of another table on it, as
`nelayout embed NEW --model MODEL` does.
"""

from __future__ import annotations

import argparse
import csv
import sys
import warnings
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from nelayout.cli import arguments
from nelayout.cli.arguments import PICTURES
from nelayout.cli.embed_output import WRITERS, picture
from nelayout.cli.model_file import encode_model, read_model
from nelayout.cli.report import WrongUsage, painting, say
from nelayout.errors import InputError
from nelayout.graphs.files.source import Source
from nelayout.vectors.tables import FORMATS, FittedColumns, Table, read_table

__all__ = ["EXAMPLES", "declare", "formats", "run"]

EXAMPLES = (
    "nelayout embed table.csv --color species -o map.png",
    "nelayout embed table.csv -m nerv:0.3 --color species --label name -o map.pdf",
    "nelayout embed table.csv --columns 1-64 -m tsne --perplexity 30 -o positions.npy",
    "nelayout embed table.csv --color species -o map.png --save model.pickle",
    "nelayout embed --model model.pickle --transform new.csv -o new-positions.csv",
)

# Option of the fit, by its name among the arguments -> keyword of `NeighborEmbedding`; those not given have no value.
FITTING = {
    "n_neighbors": "n_neighbors",
    "perplexity": "perplexity",
    "metric": "metric",
    "pca": "pca",
    "init": "init",
    "dim": "n_components",
    "seed": "random_state",
    "device": "device",
    "max_iter": "max_iter",
}


def formats() -> dict[str, Iterable[str]]:
    """Formats that the command reads and writes, for --help."""
    return {"FILE": FORMATS, "OUT, a picture": PICTURES, "OUT, positions": WRITERS}


def declare(command: argparse.ArgumentParser) -> None:
    """The options; those that are keywords of `nelayout.embed` mean the same."""
    from nelayout.vectors.input import STARTS

    option = arguments.declarer(command)

    def fitting(*names: str, **how: Any) -> None:
        option(*names, default=argparse.SUPPRESS, **how)

    command.add_argument("file", metavar="FILE", nargs="?", help="table with a row per sample; - is standard input")
    fitting("-m", "--method", text=f"{arguments.METHOD_TEXT} (ws-sne)", type=arguments.method)
    fitting("--set", text=arguments.SET_TEXT, type=arguments.setting, action="append", metavar="NAME=VALUE")
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
        "--save",
        text="also write the finished map into this file, for --model and for pickle.load in Python",
        metavar="MODEL",
    )
    option(
        "--model",
        text="place the rows of FILE, or of --transform, on the map in this file; reading it can run code that it "
        "holds: trust it like a program",
        metavar="MODEL",
    )
    option("--transform", text="the table whose rows --model places, in place of FILE", metavar="NEW")
    fitting(
        "--n-neighbors",
        text="neighbors of each row in the graph that is drawn (20 to 60 by the rows; 3 times a perplexity)",
        type=int,
        metavar="K",
    )
    fitting(
        "--perplexity",
        text="neighbors that each row is worth by its weights (10 to 30 by the rows; with K none: every edge weighs 1)",
        type=float,
        metavar="NUMBER",
    )
    fitting("--metric", text="distance of two rows: euclidean, cosine, manhattan, ... (euclidean)")
    fitting(
        "--pca",
        text="principal components in which rows are compared: a number, none or auto (auto)",
        type=_components,
        metavar="K",
    )
    fitting("--init", text="where the points start (auto)", choices=STARTS)
    fitting("--dim", type=int, choices=(1, 2, 3))
    fitting("--seed", text="same seed, same drawing (0)", type=arguments.whole)
    fitting("--device", metavar="NAME")
    fitting("--max-iter", text="most steps of the method's own stages", type=arguments.whole, metavar="STEPS")
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

    given.file = _table(given)
    if given.output == "-" and given.format is None:
        given.format = ":csv"
    parameters = _parameters(given)
    into, kind = arguments.choose_formats(given, (*PICTURES, *WRITERS))
    sources = [given.file] + [given.model] * (given.model is not None)
    arguments.check_writable(given.output, kind, *sources, drawn=PICTURES, extra="draw")
    if given.save is not None:
        files.check_output(given.save, given.file)
    if into is None and given.file == "-":
        into = "csv"
    form = file_format(into, given.file, table=FORMATS, kind="table format")
    columns: Any = None
    if given.columns is not None:
        columns = [word.strip() for words in given.columns for word in next(csv.reader([words])) if word.strip()]
    source = load(given.file, "a table")
    model = None if given.model is None else read_model(given.model)
    fitted = getattr(model, "feature_names_in_", None)
    if columns is None and fitted is not None:
        columns = FittedColumns(map(str, fitted))
    table, color = _read(source, form, columns, given.label, given.color)
    if model is None:
        Y, graph, notes, saved = _fit(given, table, parameters)
        under = None
    else:
        Y, graph, notes, saved = _place(given, table, model), None, (), b""
        under = model.embedding_
    if not given.quiet:
        for note in (*table.notes, *notes):
            say(note, given.parser)
        if kind == "npy" and table.beside:
            say("npy holds the positions alone; csv, json and npz keep the other columns as well", given.parser)
    if kind in PICTURES:
        with painting(given):
            content = picture(table, color, Y, kind, under)
    else:
        content = WRITERS[kind](table, Y, graph)
    if given.save is not None:
        files.deliver(given.save, saved)
    files.deliver(given.output, content)


def _table(given: argparse.Namespace) -> str:
    """The file of the table: FILE, or what --transform names."""
    if given.transform is None:
        if given.file is None:
            raise WrongUsage("the following arguments are required: FILE")
        return given.file
    if given.model is None:
        raise WrongUsage("--transform places rows on a finished map: name it by --model MODEL, as --save writes it")
    if given.file is not None:
        raise WrongUsage(f"--transform {given.transform} and FILE {given.file} both name the rows to place; give one")
    return given.transform


def _parameters(given: argparse.Namespace) -> dict[str, Any]:
    """The parameters of a fit; `WrongUsage` where there is a finished map, which has them already."""
    asked = {**vars(given), "save": given.save}
    named = [name for name in ("method", "set", *FITTING) if name in asked] + ["save"] * (given.save is not None)
    if given.model is not None:
        if named:
            option = f"--{named[0].replace('_', '-')}"
            raise WrongUsage(f"{option} is for a new map, and --model names a finished one; leave one of them out")
        return {}
    if given.save in ("-", given.output):
        raise WrongUsage(f"--save takes the name of a file of its own, not {given.save}")
    if given.save is not None:
        import_module("nelayout.vectors.estimator")  # without scikit-learn this says how to install it
    found = {keyword: asked[name] for name, keyword in FITTING.items() if name in asked}
    method = arguments.tuned_method(asked.get("method", arguments.Choice("ws-sne")), asked.get("set"))
    return {"method": method, "random_state": 0, **found}


def _fit(
    given: argparse.Namespace, table: Table, parameters: dict[str, Any]
) -> tuple[np.ndarray, Any, tuple[str, ...], bytes]:
    """Positions of a new map, its graph, the notes of the run, and the content of the model file."""
    from nelayout.vectors.fitting import fit_vectors

    fit = fit_vectors(table.X, progress=not given.quiet and sys.stderr.isatty(), **parameters)
    saved = b"" if given.save is None else encode_model(fit, table, parameters)
    return fit.solution.positions, fit.graph, fit.solution.notes, saved


def _place(given: argparse.Namespace, table: Table, model: Any) -> np.ndarray:
    """Positions of rows on the map of a model."""
    width = table.X.shape[1]
    if width != model.n_features_in_:
        names = getattr(model, "feature_names_in_", None)
        called = "" if names is None else f" ({', '.join(map(str, names[:8]))}{', ...' if len(names) > 8 else ''})"
        raise InputError(
            f"{given.file}: {width} columns are coordinates, and the map in {given.model} was fitted to "
            f"{model.n_features_in_}{called}; name the columns that stand for these with --columns"
        )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")  # they were compared above
        return model.transform(table.X)


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


