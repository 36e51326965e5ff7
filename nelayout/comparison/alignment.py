"""Lay one drawing over another by a similarity transform (Procrustes analysis)."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from nelayout.core.placing.orient import transform
from nelayout.errors import InputError
from nelayout.graphs import places
from nelayout.keywords.signatures import checks_keywords

__all__ = ["align"]

Positions = TypeVar("Positions")


@checks_keywords
def align(pos: Positions, to: object, *, scale: bool = True, reflect: bool = True) -> Positions:
    """Lay `pos` over `to` by the similarity transform of least ``sum |s R y_i + t - x_i|^2``.

    Parameters
    ----------
    pos : dict keyed by node, igraph.Layout, array (n, dim), or a `Solution`; dim 1, 2 or 3. Not changed.
    to : positions of the same kind and dim (a Layout and an array count as one kind). The transform is found from the
        nodes with a position in both (common keys; rows without NaN). It is applied to all of `pos`.
    scale : whether the size may change.
    reflect : whether the drawing may be mirrored.

    Returns
    -------
    positions of the type of `pos`, its keys in its order, float64.

    Raises
    ------
    InputError
        if the two have no node in common, differ in dim, are a dict and an array, or hold an infinite number.

    Examples
    --------
    >>> import numpy as np
    >>> from nelayout import align
    >>> square = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    >>> turned = 3 * square[:, ::-1] + 7
    >>> bool(np.allclose(align(turned, to=square), square))
    True
    """
    mine, theirs = places(pos), places(to)
    nodes, others = mine.keys, theirs.keys
    if (nodes is None) != (others is None):
        raise InputError(
            f"pos is a {type(pos).__name__} and to is a {type(to).__name__}; "
            "give two dicts keyed by node, or two arrays or layouts in the same node order"
        )
    Y, X = _array(mine.rows, "pos"), _array(theirs.rows, "to")
    own = other = np.arange(len(Y))
    if nodes is not None and others is not None:
        number = {node: i for i, node in enumerate(others)}
        common = [(i, number[node]) for i, node in enumerate(nodes) if node in number]
        own, other = np.array(common, np.int64).reshape(-1, 2).T
    elif len(X) != len(Y):
        raise InputError(f"pos has {len(Y)} rows and to has {len(X)}; give the same nodes in the same order")
    if not len(Y):
        return mine.close(Y)
    if len(own) and Y.shape[1] != X.shape[1]:
        raise InputError(f"pos has {Y.shape[1]} coordinates and to has {X.shape[1]}; only equal ones can be aligned")
    source, target = (Y[own], X[other]) if len(own) else (Y[:0], Y[:0])
    known = np.isfinite(source).all(axis=1) & np.isfinite(target).all(axis=1)
    if not known.any():
        raise InputError("align needs nodes that are in both pos and to; got none")
    return mine.close(transform(Y, source[known], target[known], scale=scale, reflect=reflect))


def _array(rows: object, what: str) -> np.ndarray:
    try:
        array = np.array(rows, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{what} is not a table of numbers; give every node the same number of coordinates") from None
    if array.ndim == 1 and len(array):
        raise InputError(f"{what} has shape {array.shape}; positions have one row of coordinates per node")
    strange = np.flatnonzero(np.isinf(array).any(axis=1)) if len(array) else []
    if len(strange):
        raise InputError(
            f"position {strange[0]} of {what} is {array[strange[0]].tolist()}; give finite numbers, or NaN for a node "
            "without a position"
        )
    return array
