"""Node masses m, the strengths with which nodes repel: M_ij = m_i m_j.

All are scaled to mean 1, so that they share out the repulsion without changing its sum, and floored at 1e-3::

    >>> star = csr_array(np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]]))
    >>> node_mass(star, "degree")[0]
    array([1.5 , 0.75, 0.75])
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.errors import InputError, InputTypeError, unknown
from nelayout.similarities.centrality import betweenness, closeness

__all__ = ["FLOOR", "NAMED", "node_mass"]

# The least mass, the mean being 1.
FLOOR = 1e-3

# Most steps of power iteration, and change of an entry in one step at which it ends, the mean being 1.
POWER_STEPS, POWER_TOLERANCE = 2000, 1e-10

Notes = tuple[str, ...]


def _strength(adjacency: csr_array, _rng: np.random.Generator) -> tuple[np.ndarray, Notes]:
    """m_i = sum_j P_ij."""
    n = len(adjacency.indptr) - 1
    rows = np.repeat(np.arange(n), np.diff(adjacency.indptr))
    largest = adjacency.data.max(initial=1.0)
    relative = np.bincount(rows, weights=adjacency.data / largest, minlength=n)
    return relative * min(largest, np.finfo(np.float64).max / max(2 * adjacency.nnz, 1)), ()  # sums stay finite


def _eigenvector(adjacency: csr_array, _rng: np.random.Generator) -> tuple[np.ndarray, Notes]:
    """Return the leading eigenvector of the 0/1 adjacency, in each component with mean 1.

    Isolated nodes get 0.  Power iteration on A + I: the vectors are equal, but a bipartite graph converges as well.
    """
    from scipy.sparse.csgraph import connected_components

    n = len(adjacency.indptr) - 1
    count, component = connected_components(adjacency, directed=False)
    size = np.bincount(component, minlength=count)
    pattern = csr_array((np.ones(len(adjacency.indices)), adjacency.indices, adjacency.indptr), shape=(n, n))
    x = np.ones(n)
    change = np.inf
    for _ in range(POWER_STEPS):
        following = pattern @ x + x
        following *= (size / np.bincount(component, weights=following, minlength=count))[component]
        change = np.abs(following - x).max(initial=0.0)
        x = following
        if change <= POWER_TOLERANCE:
            break
    x[size[component] == 1] = 0.0
    if change <= POWER_TOLERANCE:
        return x, ()
    note = (
        f"the eigenvector mass still changes by {change:.1g} of its mean after {POWER_STEPS} steps; "
        "a graph of long paths has no clear leading vector"
    )
    return x, (note,)


# Name -> (adjacency, generator) -> (unscaled masses, notes). These names win over node attributes.
NAMED: dict[str, Callable[[csr_array, np.random.Generator], tuple[np.ndarray, Notes]]] = {
    "unit": lambda A, _: (np.ones(len(A.indptr) - 1), ()),
    "degree": lambda A, _: (np.diff(A.indptr).astype(np.float64), ()),
    "degree+1": lambda A, _: (np.diff(A.indptr) + 1.0, ()),
    "strength": _strength,
    "closeness": closeness,
    "betweenness": betweenness,
    "eigenvector": _eigenvector,
}

ALLOWED = (
    f"allowed are {', '.join(map(repr, NAMED))}, the name of a node attribute, one number, an array in node order, or "
    "a dict keyed by node"
)


def node_mass(
    adjacency: csr_array,
    mass: Any = "unit",
    host: Any = None,
    rng: np.random.Generator | int | None = None,
    relative: bool = True,
) -> tuple[np.ndarray, Notes]:
    """Return masses (n,) of mean 1 before the floor, and notes on their errors.

    adjacency  (n, n) symmetric, without diagonal and explicit zeros
    mass       a name in `NAMED`, a node attribute, an array in node order, or a dict keyed by node; None: "unit"
    host       `Network.host`: reads attributes, arrays and dicts, and names nodes in errors
    rng        for sampled sources: a Generator, a seed, or None for seed 0
    relative   False leaves their mean as it is

    If all masses are 0 (the betweenness of a complete graph), all are 1. Raises `InputError` for a mass that is
    negative, NaN, infinite, missing or no number, an unknown name, and a key that is no node.
    """
    n = len(adjacency.indptr) - 1
    if mass is None:
        mass = "unit"
    if isinstance(mass, str) and mass in NAMED:
        generator = np.random.default_rng(0 if rng is None else rng)
        values, notes = NAMED[mass](adjacency, generator)
        return _scaled(values, relative), notes
    mass = mass if host is None else host.opened(mass)
    _check_kind(mass)
    if host is not None:
        if not isinstance(mass, str) and hasattr(mass, "keys"):
            host.nodes(list(mass.keys()), "mass")  # a misspelt key is named before the node that lacks it
        if isinstance(mass, str) and mass not in host.attributes():
            raise unknown("mass", mass, [*NAMED, *host.attributes()])
        values = host.values(mass, "mass", nonnegative=True)
    elif isinstance(mass, str):
        raise unknown("mass", mass, NAMED)
    else:
        values = _array(mass, n)
    notes = () if n == 0 or values.any() else ("all masses given are 0: every node weighs the same",)
    return _scaled(values, relative), notes


def _check_kind(mass: Any) -> None:
    ordered = hasattr(mass, "__len__") and not isinstance(mass, AbstractSet)
    if callable(mass) or not (ordered or hasattr(mass, "__float__")):
        raise InputTypeError(f"mass is of type {type(mass).__name__}; {ALLOWED}")


def _array(mass: Any, n: int) -> np.ndarray:
    """Check an array that comes without a host: nodes have numbers only."""
    values = np.asarray(mass)
    if values.dtype.kind not in "biuf" or values.shape not in ((), (n,)):
        kind = type(mass).__name__
        raise InputError(f"mass is {kind} of shape {values.shape} and dtype {values.dtype} for {n} nodes; {ALLOWED}")
    values = np.array(np.broadcast_to(values, (n,)), dtype=np.float64)
    wrong = ~(np.isfinite(values) & (values >= 0))
    if wrong.any():
        k = int(np.argmax(wrong))
        raise InputError(f"node {k} has mass {values[k]}; every mass must be a finite number >= 0")
    return values


def _scaled(values: np.ndarray, relative: bool) -> np.ndarray:
    """Floor the masses, and divide them by their mean if ``relative``."""
    largest = values.max(initial=0.0)
    if largest == 0:
        return np.ones(len(values))
    parts = values / largest  # first, so that the mean of huge numbers stays finite
    mean = parts.mean()
    return np.maximum(parts / mean, FLOOR) if relative else largest * np.maximum(parts, FLOOR * mean)
