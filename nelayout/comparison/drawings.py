"""Classes and true coordinates of nodes, as users give them, become arrays in node order."""

from __future__ import annotations

from typing import Any

import numpy as np

from nelayout.errors import InputError
from nelayout.graphs import Network, places

__all__ = ["class_names", "classes", "coordinates"]


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
    given = network.host.objects(coords if isinstance(coords, str) else places(coords).given, "coords")
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
