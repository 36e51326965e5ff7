"""The graph that a command was given: its options, and what its file says about nodes."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nelayout.cli.arguments import whole
from nelayout.errors import InputError, unknown

if TYPE_CHECKING:
    from nelayout.graphs.files import GraphFile

__all__ = ["attribute", "declare", "keys", "keywords", "known_positions", "node", "weight"]

# Values of `--label` that mean the nodes' own names, unless an attribute is called so.
OWN_NAMES = ("id", "label", "name")


def declare(command: argparse.ArgumentParser, option: Callable[..., None]) -> None:
    """FILE, and the options that say how the graph is read and drawn; they mean what the keywords mean."""
    from nelayout.graphs.files import FORMATS

    endings = ", ".join(ending for entry in FORMATS.values() for ending in entry.endings)
    command.add_argument("file", metavar="FILE", help=f"graph file ({endings}; gzip too); - is standard input")
    option(
        "--weight",
        text="edge attribute with the weights (weight); none: every edge weighs 1",
        default="weight",
        metavar="NAME",
    )
    option("--weight-kind", default="similarity", choices=("similarity", "distance", "log"))
    option(
        "--mass",
        text="node masses: unit, degree, strength, ..., or a node attribute (the method's own)",
        metavar="NAME",
    )
    option("--smoothing", type=float, default=0.0, metavar="RHO")
    option("--seed", text="same seed, same drawing (0)", type=whole, default=0)
    option("--max-iter", text="most steps of the method's own stages", type=whole, metavar="STEPS")


def keywords(given: argparse.Namespace, file: GraphFile) -> dict[str, Any]:
    """The options of `declare` as keywords of `nelayout.solve`."""
    return {
        "weight": weight(given),
        "weight_kind": given.weight_kind,
        "mass": _mass(given.mass, file),
        "smoothing": given.smoothing,
        "seed": given.seed,
        "max_iter": given.max_iter,
    }


def weight(given: argparse.Namespace) -> str | None:
    """The edge attribute with the weights."""
    return None if given.weight == "none" else given.weight


def known_positions(path: str, file: GraphFile) -> dict[Any, Any]:
    """Positions in a file, keyed by the graph's own nodes; those of other nodes are left out."""
    from nelayout.graphs import files

    found = {str(label): place for label, place in files.read_positions(path).items()}
    names = keys(file)
    start = {names[name]: place for name, place in found.items() if name in names}
    if not start:
        raise InputError(
            f"{path}: none of its {len(found)} nodes is a node of the graph, which has e.g. "
            f"{next(iter(names), None)!r}; give positions of the graph's own nodes"
        )
    return start


def keys(file: GraphFile) -> dict[str, Any]:
    """Name of every node in the file -> the node in the graph (of a matrix: its number)."""
    return {str(label): key for label, key in zip(file.labels, file.host.aliases[0], strict=True)}


def node(name: str, file: GraphFile, option: str) -> Any:
    """A node by its name in the file."""
    names = keys(file)
    if name not in names:
        raise unknown(f"node for {option}", name, names)
    return names[name]


def attribute(name: str | None, file: GraphFile, option: str, own_names: tuple[str, ...] = ()) -> Any:
    """One value per node: a column of the file, or the nodes' own names where one of `own_names` is asked for."""
    if name is None:
        return None
    if name in file.node_data:
        return file.node_data[name]
    if name in own_names:
        return list(file.labels)
    raise unknown(f"node attribute for {option}", name, [*own_names[:1], *file.node_data])


def _mass(name: str | None, file: GraphFile) -> Any:
    """A column of the file where the graph itself does not hold it."""
    if name is None or name not in file.node_data or name in file.host.attributes():
        return name
    return file.node_data[name]
