"""`nelayout audit FILE --pos POS -o OUT`: which claims of a drawing hold."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import asdict, astuple
from typing import TYPE_CHECKING, Any

import numpy as np

from nelayout.cli import arguments
from nelayout.cli.arguments import Command, Keywords, WrongUsage, say_all
from nelayout.cli.embed_command import table_of
from nelayout.errors import InputError
from nelayout.graphs import files
from nelayout.graphs.files import FORMATS
from nelayout.graphs.files.writers import encode_json
from nelayout.graphs.plain import Named
from nelayout.trust.audited import HEADINGS

if TYPE_CHECKING:
    from nelayout.trust import Audit

__all__ = ["COMMAND", "WRITERS"]


def _declare(option: Callable[..., None]) -> None:
    """Add the options."""
    option("--pos", text="file with the audited positions; it may be FILE itself", metavar="POS", required=True)
    out = "page or records, by its ending; - is standard output; without it the judgment is printed"
    option("-o", "--output", text=out, metavar="OUT")
    arguments.declare_ends(option, "none: every edge weighs 1")
    option("--weight-kind", default="auto", choices=("auto", "similarity", "distance", "log"))
    option("--nodes", text="table of nodes, csv or tsv: its columns become node attributes", metavar="TABLE")
    option("--label", text="node attribute written beside the nodes; id: the nodes' own names", metavar="NAME")
    classes = "node attribute with the classes of the nodes, for measures of classes"
    option("--classes", text=classes, metavar="NAME")
    option("--seed", text="seed of the drawings that the audit makes (0)", type=arguments.whole, default=0)
    arguments.declare_messages(option)


def _run(given: argparse.Namespace) -> None:
    """Check the arguments and the files, then judge and write the output."""
    if given.output is None and given.quiet:
        raise WrongUsage("without -o OUT there is the text alone, and --quiet leaves it out; give one of the two")
    into, kind = (given.format, "") if given.output is None else arguments.choose_formats(given, WRITERS)
    if given.output is not None:
        arguments.check_writable(given.output, kind, given.file, given.pos)
    found, labels = _audited(given, into)
    say_all(found.notes, given)
    if given.output is not None:
        files.deliver(given.output, WRITERS[kind](found, labels))
    if given.output != "-" and not given.quiet:
        text = f"{found!r}\n"
        coding = sys.stdout.encoding or "ascii"
        sys.stdout.write(text.encode(coding, "replace").decode(coding))


def _audited(given: argparse.Namespace, into: str | None) -> tuple[Audit, Any]:
    """Return the audit of a graph in a file, or of a table, and the labels of its page."""
    from nelayout.trust import audit

    try:
        file = arguments.read_graph(given, given.file, into)
    except InputError:
        table = table_of(given.file, into)
        if table is None:
            raise
        unused = dict.fromkeys(("classes", "label", "nodes", "weight", "source", "target"))
        for option, usual in (unused | {"weight_kind": "auto"}).items():
            if getattr(given, option) != usual:
                named = option.replace("_", "-")
                why = f"--{named} is for graphs, and {given.file} is a table of rows; leave it out"
                raise WrongUsage(why) from None
        return audit(table[0], _rows_of(given.pos, len(table[0])), seed=given.seed), None
    notes: list[str] = []
    pos = arguments.known_positions(given.pos, file, given.file, notes)
    classes = arguments.attribute(given.classes, file, "--classes")
    classes = None if classes is None else Named(classes, given.classes)
    labels = arguments.attribute(given.label, file, "--label", arguments.OWN_NAMES)
    say_all(notes, given)
    how: Keywords = {"seed": given.seed, **arguments.weights(given, file)}
    return audit(file.graph, pos, classes, **how), labels


def _rows_of(path: str, n: int) -> np.ndarray:
    """Return the positions (n, dim) of a table: by row numbers, else as in their file."""
    places = files.read_positions(path)
    if len(places) != n:
        raise InputError(f"{path} has {len(places)} positions, and the table has {n} rows; give one for each row")
    names = {str(name): place for name, place in places.items()}
    numbers = [str(row) for row in range(n)]
    return np.array([names[row] for row in numbers] if all(row in names for row in numbers) else list(names.values()))


def _records(found: Audit) -> dict[str, Any]:
    """Return the verdict, the measures and the faults as plain values."""

    def plain(value: Any) -> Any:
        return None if value != value else value  # noqa: PLR0124  JSON has no NaN

    kinds = ("misplaced", "torn", "false_neighbors", "clusters")
    return {
        "verdict": found.verdict,
        "measures": [dict(zip(HEADINGS, (plain(x) for x in row), strict=True)) for row in map(astuple, found.rows)],
        **{kind: [asdict(fault) for fault in getattr(found, kind)] for kind in kinds},
        "notes": list(found.notes),
    }


# Format -> (audit, labels of the nodes) -> content.
WRITERS: dict[str, Callable[[Audit, Any], bytes]] = {
    "html": lambda found, labels: found.page(labels=labels).html().encode("utf-8", "replace"),
    "json": lambda found, _: encode_json(_records(found), indent=1),
}

COMMAND = Command(
    "judge a drawing: which of its claims hold, and how good it is",
    _declare,
    _run,
    (
        "nelayout audit graph.graphml --pos positions.csv -o audit.html",
        "nelayout audit drawn.gexf --pos drawn.gexf -o audit.html --label id",
        "nelayout audit table.csv --pos positions.csv",
    ),
    lambda: {
        "FILE": arguments.with_endings(FORMATS),
        "OUT, the page": ("html",),
        "OUT, the faults": ("json",),
        "--pos": ["csv with the columns node, x and y", "what layout and embed write"],
    },
)
