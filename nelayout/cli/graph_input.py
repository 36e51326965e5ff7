"""The graph of a command: its options, and the node attributes in its file."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import PurePath
from typing import Any

from nelayout.cli.arguments import whole
from nelayout.errors import InputError, unknown
from nelayout.graphs import files, read
from nelayout.graphs.files import FORMATS, GraphFile

__all__ = [
    "attribute", "color", "declare", "declare_ends", "declare_look", "declare_picture", "graph_formats", "keys",
    "keywords", "known_positions", "node", "page_look", "picture_look", "read_graph", "texts", "weight", "with_endings",
]  # fmt: skip

# Values of `--label` that mean the nodes' own names, unless an attribute has this name.
OWN_NAMES = ("id", "label", "name")
# Values of `--edges`, as in `nelayout.pictures.edges`: --help must not import that module.
EDGES = ("straight", "faded", "bundled", "none")


def declare(command: argparse.ArgumentParser, option: Callable[..., None]) -> None:
    """Add FILE and the options to read and draw a graph; they mean what the keywords mean."""
    command.add_argument("file", metavar="FILE", help="graph file, may be gzipped; - is standard input")
    option("--weight", text="edge attribute with the weights (weight); none: every edge weighs 1", metavar="NAME")
    declare_ends(option)
    option("--weight-kind", default="similarity", choices=("similarity", "distance", "log"))
    option("--affinity", text="similarities: weights of edges, or hops: path lengths", choices=("weights", "hops"))
    option("--perplexity", type=float, metavar="NUMBER")
    option("--hops", type=whole, metavar="NUMBER")
    mass = "node masses: unit, degree, strength, ..., or a node attribute (the method's own)"
    option("--mass", text=mass, metavar="NAME")
    option("--emphasis", type=float, metavar="E")
    option("--smoothing", type=float, default=0.0, metavar="RHO")
    option("--seed", text="same seed, same drawing (0)", type=whole, default=0)
    option("--max-iter", text="maximum iterations of the method's own stages", type=whole, metavar="STEPS")


def declare_ends(option: Callable[..., None]) -> None:
    """Add the options that name the columns of a table of edges."""
    option("--source", text="column of a table with the first end of an edge, by heading or number", metavar="NAME")
    option("--target", text="column of a table with the other end", metavar="NAME")


def declare_look(option: Callable[..., None]) -> None:
    """Add the options of pictures of all commands that draw the nodes of a graph."""
    option("--nodes", text="table of nodes, csv or tsv: its columns become node attributes", metavar="TABLE")
    option("--label", text="node attribute written beside the nodes; id: the nodes' own names", metavar="NAME")
    option("--color", text="node attribute that colors the nodes, or one color", metavar="NAME")


def declare_picture(option: Callable[..., None]) -> None:
    """Add the options of pictures of one graph; they mean what keywords of `draw` mean."""
    option("--background", text="white, dark, a color, or none for a transparent picture", metavar="COLOR")
    option("--edges", text="edge style of a picture (straight)", choices=EDGES)


def picture_look(given: argparse.Namespace, kind: str, pictures: Iterable[str], file: GraphFile) -> dict[str, Any]:
    """Return the options of `declare_picture` as keywords of `nelayout.draw`.

    Raises `InputError`, before the work starts, if the output is not a picture, and as `nelayout.draw` does.
    """
    asked = [name for name in ("background", "edges") if getattr(given, name) is not None]
    if asked and kind not in pictures:
        raise InputError(f"--{asked[0]} is for pictures ({', '.join(pictures)}); {kind} is not a picture: leave it out")
    look: dict[str, Any] = {name: getattr(given, name) for name in asked}
    if look.get("background") == "none":
        look["background"] = None
    if asked:
        from nelayout.pictures.edges import check_style
        from nelayout.pictures.paper import paper

        paper(look.get("background", "auto"))
        check_style(look.get("edges", "straight"), read(file.graph, weight=None).adjacency.nnz // 2)
    return look


def graph_formats() -> list[str]:
    """Return the formats of FILE, with their endings if these differ from the names."""
    return with_endings(FORMATS)


def with_endings(names: Iterable[str]) -> list[str]:
    """Return the formats of these names, with their endings if these differ from the names."""
    own = ((name, " ".join(FORMATS[name].endings)) for name in names)
    return [name if endings == name else f"{name} ({endings})" for name, endings in own]


def keywords(given: argparse.Namespace, file: GraphFile) -> dict[str, Any]:
    """Return the options of `declare` as keywords of `nelayout.solve`."""
    same = ("weight_kind", "affinity", "perplexity", "hops", "smoothing", "emphasis", "seed", "max_iter")
    own = {name: getattr(given, name) for name in same}
    return {**weight(given, file), **own, "mass": _mass(given.mass, file), "node_size": "auto"}


def read_graph(given: argparse.Namespace, path: str, form: str | None) -> GraphFile:
    """Read a graph with the columns of a table that the options name."""
    weight = None if given.weight == "none" else given.weight
    return files.read_graph(path, form, weight, getattr(given, "nodes", None), given.source, given.target)


def weight(given: argparse.Namespace, file: GraphFile) -> dict[str, str | None]:
    """Return the keyword `weight`, if given; `InputError` for an attribute that no edge has."""
    if given.weight is None:
        return {}
    if given.weight == "none":
        return {"weight": None}
    names = file.edge_attributes
    if given.weight not in names:
        if names:
            problem = str(unknown("edge attribute for --weight", given.weight, names))
        else:
            problem = f"--weight {given.weight}: the edges have no attributes; leave it out"
        raise InputError(f"{problem}; use --weight none to count every edge as 1")
    return {"weight": given.weight}


def known_positions(
    path: str, file: GraphFile, own: str | None = None, notes: list[str] | None = None
) -> dict[Any, Any]:
    """Return positions in a file by node; a note counts positions of other nodes.

    If `path` is `own`, the path of the graph's file (or standard input), it returns the positions in that file.
    """
    places = files.positions_of(file, path) if path == own else files.read_positions(path)
    found = {str(label): place for label, place in places.items()}
    names = keys(file)
    start = {names[name]: place for name, place in found.items() if name in names}
    if len(start) < min(len(found), len(names)):  # some formats drop blanks at the ends and double quotes
        spelled = {_spelled(name): node for name, node in names.items() if node not in start}
        start |= {
            spelled[_spelled(n)]: place for n, place in found.items() if n not in names and _spelled(n) in spelled
        }
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


def keys(file: GraphFile) -> dict[str, Any]:
    """Return {name in the file: node in the graph}; nodes of a matrix are numbers."""
    return {str(label): key for label, key in zip(file.labels, file.host.aliases[0], strict=True)}


def node(name: str, file: GraphFile, option: str) -> Any:
    """Return a node by its name in the file."""
    names = keys(file)
    if name not in names:
        raise unknown(f"node for {option}", name, names)
    return names[name]


def attribute(name: str | None, file: GraphFile, option: str, own_names: tuple[str, ...] = ()) -> Any:
    """Return one value per node: a column of the file, or the nodes' names for `own_names`."""
    if name is None:
        return None
    if name in file.node_data:
        return file.node_data[name]
    if name in own_names:
        return list(file.labels)
    raise unknown(f"node attribute for {option}", name, [*own_names[:1], *file.node_data])


def texts(name: str | None, file: GraphFile) -> Any:
    """Return the texts that `--label` writes beside the nodes."""
    return attribute(name, file, "--label", OWN_NAMES)


def color(name: str | None, file: GraphFile) -> Any:
    """Return the colors for `--color`: one value per node, or one color for all."""
    from nelayout.pictures.colors import AMOUNTS

    if name is None or name in AMOUNTS:
        return name
    if name in file.node_data:
        return file.node_data[name]
    from matplotlib.colors import is_color_like

    if not is_color_like(name):
        raise unknown("node attribute or color for --color", name, [*file.node_data, *AMOUNTS])
    return name


def page_look(given: argparse.Namespace, file: GraphFile) -> dict[str, Any]:
    """Return the options of `declare_look` as keywords of `page_of`, with title and columns.

    Columns are attributes that the graph object itself does not hold, such as a matrix's.
    """
    from nelayout.pictures.colors import AMOUNTS
    from nelayout.pictures.pages import Column, hex_color

    flat = {name: values for name, values in file.node_data.items() if getattr(values, "ndim", 1) == 1}
    columns = [Column(name, values) for name, values in flat.items()]
    known = [*(column.name for column in columns if column.kind != "texts"), *AMOUNTS]
    if given.color is not None and given.color not in known and hex_color(given.color) is None:
        raise unknown("node attribute or color for --color", given.color, known)
    labels = texts(given.label, file)
    if labels is None and list(file.labels) != list(file.host.aliases[0]):
        labels = list(file.labels)
    title = None if given.file == "-" else PurePath(given.file).name
    return {
        "labels": labels,
        "color": given.color,
        "weight": weight(given, file).get("weight", "weight"),
        "columns": [column for column in columns if column.name not in file.host.attributes()],
        "title": title,
    }


def _mass(name: str | None, file: GraphFile) -> Any:
    """Return a column of the file if the graph lacks it and it is not a word for masses."""
    from nelayout.similarities.masses import NAMED

    if name is None or name in NAMED or name not in file.node_data or name in file.host.attributes():
        return name
    return file.node_data[name]
