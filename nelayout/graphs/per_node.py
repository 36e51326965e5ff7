"""Convert positions, sizes, masses, classes and sets of nodes to arrays in node order.

A node has a label, and in igraph also a number.  `aliases` is a list of label sequences, each in node order;
messages use the first one::

    >>> positions({"b": (3, 4), "elsewhere": (0, 0)}, 2, [["a", "b"]])
    array([[nan, nan],
           [ 3.,  4.]])
    >>> values({"a": 1, "b": 2}, "size", [["a", "b"]])
    array([1., 2.])
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np

from nelayout.errors import InputError, InputTypeError, near_matches
from nelayout.graphs.to_floats import REAL, numbers, short_repr

__all__ = ["Named", "Places", "as_mapping", "held", "nodes", "objects", "positions", "values"]

MISSING: Any = object()
Aliases = Sequence[Sequence[Hashable]]
# Names of the axes, in the order of the coordinates.
AXES = "xyz"


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Opened positions of any type.

    given  a dict keyed by node, or one row of coordinates per node in node order
    close  convert rows of numbers, in the order of `rows`, to the type of the opened positions
    """

    given: Any
    close: Callable[[np.ndarray], Any]

    @property
    def keys(self) -> list[Hashable] | None:
        """Nodes that have a row; None if the rows are in node order."""
        return list(self.given) if isinstance(self.given, Mapping) else None

    @property
    def rows(self) -> Sequence:
        """Coordinates of each node, as the caller gave them."""
        return list(self.given.values()) if isinstance(self.given, Mapping) else self.given

    @property
    def dim(self) -> int:
        """Number of coordinates of the first position; 2 without positions."""
        rows = self.given.values() if isinstance(self.given, Mapping) else self.given
        return int(np.size(next(iter(rows)))) if len(rows) else 2


class Named(list):
    """Values of a node attribute, with its name for the heading of a legend."""

    def __init__(self, values: Iterable[Any], name: str):
        super().__init__(values)
        self.name = name


def positions(pos: Any, dim: int, aliases: Aliases, what: str = "pos") -> np.ndarray:
    """Return (n, dim) float64, NaN where a node has no position; `pos` None, dict or rows.

    Raises
    ------
    InputError
        if the number of rows is not n; naming the node if its position does not have `dim` finite numbers.
    """
    n = len(aliases[0])
    result = np.full((n, dim), np.nan)
    if pos is None:
        return result
    mapping = as_mapping(pos)
    if mapping is None:
        rows, where = _sequence(pos, n, what), np.arange(n)
    else:
        rows, where = _found(mapping, aliases)
    try:
        coordinates = np.array(rows, dtype=np.float64)
    except (ValueError, TypeError):
        coordinates = np.zeros(0)
    if len(where) and (coordinates.shape != (len(where), dim) or not np.isfinite(coordinates).all()):
        coordinates = np.array(
            [_position(row, dim, aliases[0][i], what) for row, i in zip(rows, where.tolist(), strict=True)]
        )
    if len(where):
        result[where] = coordinates
    return result


def values(x: Any, what: str, aliases: Aliases, *, nonnegative: bool = False) -> np.ndarray:
    """Return (n,) float64 from a scalar, a mapping of every node, or n values in node order.

    Raises `InputError` naming the node if its value is missing, not a finite number, or negative.
    """
    labels = aliases[0]
    n = len(labels)

    def name(k: int) -> str:
        return f"node {short_repr(labels[k])}"

    if isinstance(x, REAL) or (isinstance(x, np.ndarray) and x.ndim == 0):
        return np.full(n, numbers([x], what, lambda _: "every node", nonnegative))
    mapping = as_mapping(x)
    if mapping is None:
        return numbers(_sequence(x, n, what), what, name, nonnegative)
    given, where = _found(mapping, aliases)
    if len(where) < n:
        without = sorted(set(range(n)).difference(where))
        raise InputError(
            f"{name(without[0])} has no {what} ({len(without)} of {n} nodes have none); give every node one"
        )
    return numbers(given, what, name, nonnegative)


def objects(x: Any, what: str, aliases: Aliases) -> list:
    """Return one object per node or None; `x` is a mapping or n entries in node order."""
    n = len(aliases[0])
    mapping = as_mapping(x)
    if mapping is not None:
        given, where = _found(mapping, aliases)
        if n and not len(where):
            raise InputError(
                f"no key of {what} is a node of the graph; give a dict keyed by node, or one entry per node ({n})"
            )
        result: list[Any] = [None] * n
        for i, value in zip(where.tolist(), given, strict=True):
            result[i] = value
        return result
    if not hasattr(x, "__len__") or len(x) != n:
        size = f"has {len(x)} entries" if hasattr(x, "__len__") else f"is {short_repr(x)}"
        raise InputError(
            f"{what} {size} and the graph has {n} nodes; give one entry per node, a dict keyed by node, or the name "
            "of a node attribute"
        )
    return x.tolist() if isinstance(x, np.ndarray) else list(x)


def nodes(which: Iterable | None, what: str, aliases: Aliases) -> np.ndarray:
    """Return sorted, unique int64 indices of labels, of one label, or of a mask (n booleans).

    Raises `InputError` naming the label that is not in the graph, with near matches.
    """
    n = len(aliases[0])
    if which is None:
        return np.zeros(0, dtype=np.int64)
    mask = _mask(which, aliases[0])
    if mask is not None:
        if mask.shape != (n,):
            raise InputError(f"{what} is a mask of shape {mask.shape}; the graph has {n} nodes: make it ({n},)")
        return np.flatnonzero(mask)
    index: dict[Hashable, int] = {}
    for labels in reversed(aliases):
        index.update(zip(labels, range(n), strict=True))
    if _is_key(which, index):
        return np.array([index[which]], dtype=np.int64)
    if isinstance(which, str) or not isinstance(which, Iterable):
        raise _no_node(which, what, aliases[0])
    found_nodes = set()
    for label in which:
        if not _is_key(label, index):
            raise _no_node(label, what, aliases[0])
        found_nodes.add(index[label])
    return np.array(sorted(found_nodes), dtype=np.int64)


def held(which: Any, dim: int, what: str, aliases: Aliases) -> np.ndarray:
    """Return the (n, dim) mask of held coordinates: all axes of some nodes, or single axes.

    `which` holds nodes as for `nodes` (on every axis), a dict {node: axes} ("x", "y", "xy", ...) or a mask
    (n, dim).  Raises `InputError` naming an unknown node or axis.

    >>> held({"a": "x", "b": "xy"}, 2, "fixed", [["a", "b", "c"]]).astype(int).tolist()
    [[1, 0], [1, 1], [0, 0]]
    """
    n = len(aliases[0])
    if isinstance(which, np.ndarray) and which.dtype == bool and which.ndim == 2:
        if which.shape != (n, dim):
            raise InputError(
                f"{what} is a mask of shape {which.shape}, the graph has {n} nodes and the drawing {dim} dimensions: "
                f"make it ({n}, {dim}), or ({n},) to hold nodes on every axis"
            )
        return which.copy()
    mask, mapping = np.zeros((n, dim), dtype=bool), as_mapping(which)
    if mapping is None or not any(isinstance(axes, str) for axes in mapping.values()):
        mask[nodes(which, what, aliases)] = True
        return mask
    alike: dict[str, list[Hashable]] = {}
    for label, axes in mapping.items():
        there = [AXES[:dim].find(letter) for letter in axes] if isinstance(axes, str) else []
        if not there or -1 in there:
            allowed = ", ".join(repr(axis) for axis in AXES[:dim])
            joined = f" or several of them, as {AXES[:dim]!r}" if dim > 1 else ""
            raise InputError(
                f"{what} of node {short_repr(label)} is {short_repr(axes)}; in {dim} dimensions a node is held on "
                f"{allowed}{joined}; a list of nodes holds them on every axis"
            )
        alike.setdefault(axes, []).append(label)
    for axes, labels in alike.items():
        mask[nodes(labels, what, aliases)[:, None], [AXES.find(letter) for letter in axes]] = True
    return mask


def as_mapping(x: Any) -> Mapping | None:
    """Return `x` if it is a mapping, a pandas Series as a dict by its index, else None."""
    if isinstance(x, Mapping):
        return x
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(x, pandas.Series):
        return x.to_dict()
    return None


def _found(mapping: Mapping, aliases: Aliases) -> tuple[list, np.ndarray]:
    """Return values and indices of the nodes that are keys of `mapping`."""
    given = [mapping.get(label, MISSING) for label in aliases[0]]
    for labels in aliases[1:]:
        given = [
            mapping.get(label, MISSING) if v is MISSING else v for v, label in zip(given, labels, strict=True)
        ]
    where = [i for i, value in enumerate(given) if value is not MISSING]
    return [given[i] for i in where], np.array(where, dtype=np.int64)


def _sequence(x: Any, n: int, what: str) -> Sequence | np.ndarray:
    if isinstance(x, np.ma.MaskedArray):
        x = np.ma.filled(x.astype(float), np.nan)  # the check for numbers then names the masked entry
    if isinstance(x, (str, bytes, AbstractSet)) or not hasattr(x, "__len__"):  # a set has no order
        raise InputTypeError(
            f"{what} is {short_repr(x)} ({type(x).__name__}); "
            "allowed are a dict keyed by node and an array in node order"
        )
    if len(x) != n:
        raise InputError(
            f"{what} has {len(x)} rows and the graph has {n} nodes; give one row per node in node order, "
            "or a dict keyed by node"
        )
    return x if isinstance(x, np.ndarray) else list(x)


def _position(row: Any, dim: int, label: Hashable, what: str) -> np.ndarray:
    """Return one node's position; raise the error that names the node."""
    try:
        array = np.asarray(row, dtype=np.float64)
    except (ValueError, TypeError):
        raise InputError(
            f"{what} of node {short_repr(label)} is {short_repr(row)}; it must be {dim} finite numbers"
        ) from None
    if array.ndim != 1:
        raise InputError(f"{what} of node {short_repr(label)} is {short_repr(row)}; it must be a list of {dim} numbers")
    if len(array) != dim:
        raise InputError(
            f"{what} of node {short_repr(label)} has {len(array)} coordinates and dim={dim}; "
            f"pass dim={len(array)}, or positions with {dim} coordinates"
        )
    if not np.isfinite(array).all():
        raise InputError(
            f"{what} of node {short_repr(label)} is {short_repr(array.tolist())}; it must be {dim} finite numbers: "
            "leave a node without position out of a dict"
        )
    return array


def _mask(which: Any, labels: Sequence[Hashable]) -> np.ndarray | None:
    """Return a mask if `which` holds only booleans and labels are not booleans; else None."""
    if isinstance(which, np.ndarray):
        return which if which.dtype == bool else None
    listed = isinstance(which, (list, tuple)) and len(which) > 0 and all(isinstance(x, (bool, np.bool_)) for x in which)
    return np.array(which) if listed and not any(isinstance(label, bool) for label in labels) else None


def _is_key(label: Any, index: Mapping) -> bool:
    try:
        return label in index
    except TypeError:  # not hashable, for example a list of labels
        return False


def _no_node(label: Any, what: str, labels: Sequence[Hashable]) -> InputError:
    near = near_matches(label, [name for name in labels if isinstance(name, str)])
    hint = f"did you mean {near[0]!r}?" if near else f"give labels of the graph's {len(labels)} nodes"
    return InputError(f"{what} holds {short_repr(label)}, which is not a node of the graph; {hint}")
