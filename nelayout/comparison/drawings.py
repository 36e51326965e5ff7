"""What the user hands over to compare becomes arrays in node order, all that the measures see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from nelayout.errors import InputError, unknown
from nelayout.graphs import Network
from nelayout.graphs.per_node import as_mapping, found

__all__ = ["class_names", "classes", "coordinates", "dimensions", "positions"]


def positions(network: Network, pos: Any, what: str = "pos") -> np.ndarray:
    """(n, dim) float64 of a drawing in which every node has a place; dim is that of the first position."""
    n = len(network.labels)
    Y = network.host.positions(pos, dimensions(pos))
    missing = np.flatnonzero(np.isnan(Y).any(axis=1))
    if len(missing):
        raise InputError(
            f"{what} has no position for node {network.labels[missing[0]]!r} "
            f"({len(missing)} of {n} nodes have none); "
            "a drawing can be measured when every node has a place: add them, or measure a subgraph"
        )
    return Y


def dimensions(pos: Any) -> int:
    """Coordinates of a position in a dict, an igraph.Layout or an array; 2 when there is none."""
    mapping = as_mapping(pos)
    if mapping is None and not hasattr(pos, "__len__"):
        raise InputError(
            f"positions are a {type(pos).__name__}; "
            "allowed are a dict keyed by node, an igraph.Layout and an array (n, dim) in node order"
        )
    if len(pos) == 0:
        return 2
    first = next(iter(mapping.values())) if mapping is not None else pos[0]
    return int(np.size(first))


def class_names(network: Network, labels: Any) -> list[Any] | None:
    """One class per node, None where it is unknown, from a dict, an array or the name of a node attribute.

    None, NaN, -1, "" and a node that a dict lacks are unknown; everything else names a class.
    """
    if labels is None:
        return None
    names = list(_of_nodes(network, labels, "labels"))
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
    given = _of_nodes(network, getattr(coords, "coords", coords), "coords")
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


def _of_nodes(network: Network, x: Any, what: str) -> Any:
    """One entry per node in node order, None where there is none."""
    n = len(network.labels)
    if isinstance(x, str):
        x = _attribute(network, x, what)
    mapping = as_mapping(x)
    if mapping is not None:
        values, where = found(mapping, network.host.aliases)
        if n and not len(where):
            raise InputError(
                f"no key of {what} is a node of the graph; give a dict keyed by node, or an array of {n}"
            )
        result: list[Any] = [None] * n
        for i, value in zip(where.tolist(), values, strict=True):
            result[i] = value
        return result
    if not hasattr(x, "__len__") or len(x) != n:
        size = f"has {len(x)} entries" if hasattr(x, "__len__") else f"is a {type(x).__name__}"
        raise InputError(
            f"{what} {size} and the graph has {n} nodes; give one entry per node, or a dict keyed by node"
        )
    return x.tolist() if isinstance(x, np.ndarray) and x.ndim == 1 else list(x)


def _attribute(network: Network, name: str, what: str) -> Mapping | list:
    """A node attribute of the host's graph, as it stands there."""
    host = network.host
    if name not in host.attributes():
        raise unknown(f"node attribute for {what}", name, host.attributes())
    G = host.G  # pyright: ignore[reportAttributeAccessIssue]  hosts with attributes have a graph that holds them
    return (
        list(G.vs[name]) if hasattr(G, "vs") else {node: data.get(name) for node, data in G.nodes(data=True)}
    )
