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

from nelayout.core.placing.components import component_labels
from nelayout.errors import InputTypeError, unknown
from nelayout.numerics.blocks import rows_at_once

__all__ = ["FLOOR", "NAMED", "masses_given", "node_mass", "tempered"]

# The least mass, the mean being 1.
# see tuning: FLOOR
FLOOR = 1e-3
# Powers of the strengths in "auto": in crowded components, and in others.
# see tuning: CROWDED_POWER, POWER
CROWDED_POWER, POWER = 0.8, 0.25
# Mean degree, and mean degree as a part of all nodes, from which a component is crowded.
# see tuning: CROWDED_DEGREE, CROWDED_SHARE
CROWDED_DEGREE, CROWDED_SHARE = 8.0, 0.01
# Mean squared degree, in squares of the mean degree, from which a component of that mean degree is crowded.
# see tuning: CROWDED_BY_HUBS
CROWDED_BY_HUBS = 8.0
# Most steps of power iteration, and change of an entry in one step at which it ends, the mean being 1.
# see tuning: POWER_STEPS, POWER_TOLERANCE
POWER_STEPS, POWER_TOLERANCE = 2000, 1e-10
# Nodes times entries visited up to which every node is a source, and least number of sources in a component.
# see tuning: EXACT_WORK, FEWEST_SOURCES
EXACT_WORK, FEWEST_SOURCES = 3e8, 64

Notes = tuple[str, ...]


def _strength(adjacency: csr_array, _rng: np.random.Generator) -> tuple[np.ndarray, Notes]:
    """m_i = sum_j P_ij."""
    n = len(adjacency.indptr) - 1
    rows = np.repeat(np.arange(n), np.diff(adjacency.indptr))
    largest = adjacency.data.max(initial=1.0)
    relative = np.bincount(rows, weights=adjacency.data / largest, minlength=n)
    return relative * min(largest, np.finfo(np.float64).max / max(2 * adjacency.nnz, 1)), ()  # sums stay finite


def _auto(adjacency: csr_array, _rng: np.random.Generator) -> tuple[np.ndarray, Notes]:
    """Return powers of the strengths."""
    strength, degree = node_mass(adjacency, "strength", relative=False)[0], np.diff(adjacency.indptr)
    return tempered(np.where(degree > 0, strength, 0.0), degree, component_labels(adjacency)), ()


def tempered(strength: np.ndarray, degree: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the power of the strengths (n,) that suits each component, of the same mean.

    labels  component of each node, (n,)

    With the power 0 hubs crowd the middle, with 1 they push the others into a ring around them.
    """
    sizes = np.bincount(labels)
    mean = np.bincount(labels, strength) / sizes
    power = np.where(_crowded(degree, labels), CROWDED_POWER, POWER)
    mass = (strength / np.where(mean > 0, mean, 1.0)[labels]) ** power[labels]
    now = np.bincount(labels, mass) / sizes
    return mass * (mean / np.where(now > 0, now, 1.0))[labels]


def _crowded(degree: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the components (C,) of many edges that are dense or have hubs."""
    sizes, degree = np.bincount(labels), degree.astype(np.float64)
    mean, squares = np.bincount(labels, degree) / sizes, np.bincount(labels, degree**2) / sizes
    dense = (mean >= CROWDED_SHARE * sizes) | (squares >= CROWDED_BY_HUBS * mean**2)
    return (mean >= CROWDED_DEGREE) & dense


def _components(adjacency: csr_array) -> tuple[np.ndarray, np.ndarray]:
    """Return the component of each node (n,), and the number of nodes of each component."""
    component = component_labels(adjacency)
    return component, np.bincount(component)


def _eigenvector(adjacency: csr_array, _rng: np.random.Generator) -> tuple[np.ndarray, Notes]:
    """Return the leading eigenvector of the 0/1 adjacency, of mean 1 in each component, or 0."""
    n = len(adjacency.indptr) - 1
    component, size = _components(adjacency)
    pattern = csr_array((np.ones(len(adjacency.indices)), adjacency.indices, adjacency.indptr), shape=(n, n))
    x, change = np.ones(n), np.inf
    for _ in range(POWER_STEPS):
        following = pattern @ x + x  # A + I has the same vectors, and converges for bipartite graphs as well
        following *= (size / np.bincount(component, weights=following))[component]
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


def _closeness(adjacency: csr_array, rng: np.random.Generator) -> tuple[np.ndarray, Notes]:
    """Return ((r-1) / (n-1)) (r-1) / sum of hops to the r-1 other nodes reached, or 0.

    Wasserman and Faust's form, as in `networkx.closeness_centrality`: comparable in components.
    """
    n = len(adjacency.indptr) - 1
    component, size, sources, hops, _, notes = _paths(adjacency, rng, "closeness")
    # The hops from a source to itself do not count: the sum over the others is scaled by the sources sampled.
    sampled = np.bincount(component[sources], minlength=len(size))[component].astype(np.float64)
    others = sampled - np.isin(np.arange(n), sources)
    reach = size[component] - 1.0
    step = size[component] / np.maximum(sampled, 1)
    total = np.where(others > 0, hops / step * reach / np.maximum(others, 1), 0)
    return np.where(total > 0, reach / max(n - 1, 1) * reach / np.where(total > 0, total, 1), 0), notes


def _betweenness(adjacency: csr_array, rng: np.random.Generator) -> tuple[np.ndarray, Notes]:
    """Return, summed over ordered pairs (s, t), the share of shortest paths through i.

    Ends do not count. Brandes, J. Math. Sociol. 25, 163, 2001.
    """
    *_, shares, notes = _paths(adjacency, rng, "betweenness")
    return shares, notes


def _paths(
    adjacency: csr_array, rng: np.random.Generator, mass: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, Notes]:
    """Return components, their sizes, sources, and by node: hops, shares of paths; a note.

    Hops and shares are sums over sources, each multiplied by the nodes that a source stands for. Distances are hops,
    because weights are similarities, not lengths.
    """
    from nelayout.core.similarities.loops import search_from

    n = len(adjacency.indptr) - 1
    component, size = _components(adjacency)
    work = size + np.bincount(component, weights=np.diff(adjacency.indptr))
    share = EXACT_WORK * size / max(n, 1)
    wanted = np.minimum(size, np.maximum(FEWEST_SOURCES, share // np.maximum(work, 1)).astype(np.int64))
    order, ends = np.argsort(component, kind="stable"), np.cumsum(size)
    chosen = [np.zeros(0, dtype=np.int64)]
    for k in np.flatnonzero(size > 1).tolist():
        nodes = order[ends[k] - size[k] : ends[k]]
        chosen.append(nodes if len(nodes) == wanted[k] else np.sort(rng.choice(nodes, wanted[k], replace=False)))
    sources = np.concatenate(chosen)
    scale = (size / np.maximum(wanted, 1))[component[sources]]
    hops, shares = np.zeros(n), np.zeros(n)
    at_once = rows_at_once(n + adjacency.nnz)
    for first in range(0, len(sources), at_once):  # between blocks an interrupt comes through
        block = slice(first, first + at_once)
        counted = mass == "betweenness"
        search_from(adjacency.indptr, adjacency.indices, sources[block], scale[block], hops, shares, counted)
    notes: Notes = ()
    if (wanted < size).any():
        note = f"{mass} is estimated from {len(sources)} of {n} nodes as sources; an exact one can be given as an array"
        notes = (note,)
    return component, size, sources, hops, shares, notes


# Name -> (adjacency, generator) -> (unscaled masses, notes). These names win over node attributes.
NAMED: dict[str, Callable[[csr_array, np.random.Generator], tuple[np.ndarray, Notes]]] = {
    "unit": lambda A, _: (np.ones(len(A.indptr) - 1), ()),
    "degree": lambda A, _: (np.diff(A.indptr).astype(np.float64), ()),
    "degree+1": lambda A, _: (np.diff(A.indptr) + 1.0, ()),
    "strength": _strength,
    "closeness": _closeness,
    "betweenness": _betweenness,
    "eigenvector": _eigenvector,
    "auto": _auto,
}


def node_mass(
    adjacency: csr_array,
    mass: object = "unit",
    host: object = None,
    rng: np.random.Generator | int | None = None,
    relative: bool = True,
) -> tuple[np.ndarray, Notes]:
    """Return masses (n,) of mean 1 before the floor, and notes on their errors.

    adjacency  (n, n) symmetric, without diagonal and explicit zeros
    mass       a name in `NAMED`, a node attribute, an array in node order, or a dict keyed by node; None: "unit"
    host       `Network.host`: reads attributes, arrays and dicts, and names nodes in errors; None: masses are an array
    rng        for sampled sources: a Generator, a seed, or None for seed 0
    relative   False leaves their mean as it is

    If all masses are 0 (the betweenness of a complete graph), all are 1. Raises `InputError` for a mass that is
    negative, NaN, infinite, missing or no number, an unknown name, and a key that is no node.
    """
    mass = "unit" if mass is None else mass
    if isinstance(mass, str) and mass in NAMED:
        values, notes = NAMED[mass](adjacency, np.random.default_rng(0 if rng is None else rng))
    else:
        values = np.asarray(mass, dtype=np.float64) if host is None else masses_given(mass, host)
        notes = () if values.any() or not len(values) else ("all masses given are 0: every node weighs the same",)
    largest = values.max(initial=0.0)
    if largest == 0:
        return np.ones(len(values)), notes
    # first, by a power of two, so that the mean of huge numbers stays finite and masses of mean 1 stay as they are
    largest = float(np.ldexp(1.0, min(int(np.frexp(largest)[1]), 1023)))
    parts = values / largest
    mean = parts.mean()
    return np.maximum(parts / mean, FLOOR) if relative else largest * np.maximum(parts, FLOOR * mean), notes


def masses_given(mass: Any, host: Any) -> np.ndarray:
    """Read masses (n,) that are not named: attribute, number, array, or dict by node."""
    mass = host.opened(mass)
    readable = hasattr(mass, "__len__") or hasattr(mass, "__float__")
    if callable(mass) or isinstance(mass, AbstractSet) or not readable:
        raise InputTypeError(
            f"mass is of type {type(mass).__name__}; allowed are {', '.join(map(repr, NAMED))}, the name of a node "
            "attribute, one number, an array in node order, or a dict keyed by node"
        )
    if not isinstance(mass, str) and hasattr(mass, "keys"):
        host.nodes(list(mass.keys()), "mass")  # a misspelt key is named before the node that lacks it
    if isinstance(mass, str) and mass not in host.attributes():
        raise unknown("mass", mass, [*NAMED, *host.attributes()])
    return host.values(mass, "mass", nonnegative=True)
