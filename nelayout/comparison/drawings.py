"""Positions, classes and true coordinates of nodes, as users give them, become arrays in node order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import numpy as np

from nelayout.errors import InputError, InputTypeError
from nelayout.graphs import Network, places

__all__ = ["check_dimensions", "class_names", "classes", "coordinates", "every_place"]

Found = TypeVar("Found")

# Nodes that a message names before it only counts the others.
NAMED = 5


def check_dimensions(name: str, drawings: Iterable[Any]) -> None:
    """Raise `InputError` where the drawings of one row of a comparison have different numbers of dimensions."""
    found = sorted({_named(name, lambda pos=pos: places(pos).dim) for pos in drawings})
    if len(found) > 1:
        have = " and ".join(map(str, found))
        raise InputError(f"the drawings of {name!r} have {have} dimensions; give each number of them a name of its own")


def _named(name: str, find: Callable[[], Found]) -> Found:
    """Return what `find` finds in a drawing; an error in it names the drawing."""
    try:
        return find()
    except InputError as error:
        raise type(error)(f"the drawing {name!r}: {error}") from None
    except (TypeError, ValueError) as error:
        raise InputTypeError(
            f"the drawing {name!r} is no table of numbers ({error}); give positions: a dict keyed by node, or an array "
            "(n, dim) in node order"
        ) from None


def every_place(network: Network, pos: Any, name: str) -> np.ndarray:
    """(n, dim) float64 of the drawing `name`, in which every node has a finite place.

    Raises `InputError` that names the nodes without a place and those with one that is not finite, and says which keys
    of a dict are nodes of another graph where some are missing.
    """
    opened = _named(name, lambda: places(pos, network.host))
    rows = opened.given
    if isinstance(rows, Mapping):
        strange = [key for key, row in rows.items() if not _finite(row)]
    else:
        strange = [network.labels[i] for i, row in enumerate(rows) if i < len(network.labels) and not _finite(row)]
    if strange and len(rows) == len(network.labels):
        raise InputError(
            f"the drawing {name!r} has positions that are no finite numbers: of the nodes {_some(strange)}; "
            "give each of them a place, or compare drawings of a subgraph"
        )
    Y = _named(name, lambda: network.host.positions(rows, opened.dim))
    without = np.flatnonzero(np.isnan(Y).any(axis=1))
    if len(without):
        known = {label for labels in network.host.aliases for label in labels}
        others = [key for key in opened.keys or () if key not in known]
        also = f", and places {_some(others)}, which the graph does not have" if others else ""
        raise InputError(
            f"the drawing {name!r} has no position for {_some([network.labels[i] for i in without.tolist()])} "
            f"({len(without)} of {len(Y)} nodes have none){also}; drawings of one graph are compared: give every node "
            "of it a place, or compare drawings of a subgraph"
        )
    return Y


def _finite(row: Any) -> bool:
    try:
        return bool(np.isfinite(np.asarray(row, np.float64)).all())
    except (TypeError, ValueError):
        return True  # no number at all: the message of the host says so


def _some(labels: Iterable[Any]) -> str:
    """The first labels, and how many there are beyond."""
    listed = list(labels)
    rest = len(listed) - NAMED
    return ", ".join(map(repr, listed[:NAMED])) + (f" and {rest} more" if rest > 0 else "")


def class_names(network: Network, labels: Any) -> list[Any] | None:
    """One class per node, None where it is unknown, from a dict, an array or the name of a node attribute.

    None, NaN, -1, "" and a node that a dict lacks are unknown; everything else names a class.
    """
    if labels is None:
        return None
    names = network.host.objects(labels, "labels")
    for i, label in enumerate(names):
        try:
            if label is None or label in {"", -1} or label != label:  # noqa: PLR0124  NaN differs from itself
                names[i] = None
        except (TypeError, ValueError):
            raise InputError(
                f"the label of node {network.labels[i]!r} is {label!r}; "
                "a class is a number or a name: give one per node"
            ) from None
    return names


def classes(names: list[Any] | None) -> np.ndarray | None:
    """(n,) class numbers from 0 in order of appearance, -1 for None."""
    if names is None:
        return None
    numbers: dict[Any, int] = {}
    return np.array([-1 if name is None else numbers.setdefault(name, len(numbers)) for name in names], int)


def coordinates(network: Network, coords: Any) -> np.ndarray | None:
    """(n, d') float64 from a dict, an igraph.Layout or an array; NaN rows where a node has none."""
    if coords is None:
        return None
    given = network.host.objects(coords if isinstance(coords, str) else places(coords, network.host).given, "coords")
    width = next((np.size(row) for row in given if row is not None), 2)
    result = np.full((len(network.labels), width), np.nan)
    for i, row in enumerate(given):
        if row is None:
            continue
        try:
            result[i] = np.asarray(row, np.float64)
        except (TypeError, ValueError):
            raise InputError(
                f"the coordinates of node {network.labels[i]!r} are {row!r}; "
                f"give {width} numbers per node, or NaN where they are not known"
            ) from None
    result[~np.isfinite(result).all(axis=1)] = np.nan
    return result
