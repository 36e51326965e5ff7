"""Stacks: several graphs one after another, evaluated and minimized together.

The matrix of a stack is block-diagonal, and pairs across graphs do not count.  So each graph has its own J and
gradient.  For example, two pairs of nodes drawn at distances 1 and 2 by Elastic Embedding have two values:

>>> from nelayout.catalogue import METHODS
>>> pair = Affinity(csr_array(np.array([[0.0, 1.0], [1.0, 0.0]])), np.ones(2))
>>> both = stacked(*one_after_another([pair] * 2), METHODS["ee"])
>>> both.evaluate(np.array([[0.0], [1.0], [0.0], [2.0]])).value.round(3)
array([0.736, 6.037])
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.catalogue.record import Method
from nelayout.formula.connections import CONNECTIONS, Optimal
from nelayout.formula.divergences.alpha import Alpha
from nelayout.formula.divergences.beta import Beta
from nelayout.numerics.groups import Parts
from nelayout.numerics.parallel import Threads
from nelayout.objective.formula import Objective
from nelayout.similarities.affinity import Affinity, some_of
from nelayout.sums.nbody import Exact

__all__ = ["MAX_STACKED_NODES", "one_after_another", "some_of", "stackable", "stacked"]

# Most nodes of a graph that is drawn together with others: the pairs of larger ones take longer than the calls.
MAX_STACKED_NODES = 800


def one_after_another(affinities: Sequence[Affinity]) -> tuple[Affinity, Parts]:
    """Return the graphs as one, and the position of each in it."""
    sizes = np.array([len(each.mass) for each in affinities])
    if len(affinities) == 1:
        return affinities[0], Parts(sizes)
    nodes = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    entries = np.cumsum([0, *(each.P.nnz for each in affinities)])
    indices = np.concatenate([each.P.indices + at for each, at in zip(affinities, nodes, strict=True)])
    indptr = [each.P.indptr[:-1] + at for each, at in zip(affinities, entries[:-1], strict=True)]
    data, n = np.concatenate([each.P.data for each in affinities]), int(sizes.sum())
    indptr = np.concatenate([*indptr, entries[-1:]]).astype(np.int32)
    given = any(each.rows is not None for each in affinities)
    rows = np.concatenate([_rows(each) for each in affinities]) if given else None
    P = csr_array((data, indices.astype(np.int32), indptr), shape=(n, n))
    mass = np.concatenate([each.mass for each in affinities])
    inside, hidden = (np.hstack([getattr(each, name) for each in affinities]) for name in ("inside", "hidden"))
    distances = tuple(chain.from_iterable(each.distances for each in affinities))
    return Affinity(P, mass, inside, hidden, rows=rows, distances=distances), Parts(sizes)


def _rows(affinity: Affinity) -> np.ndarray:
    """Row-stochastic similarities on the pattern of P."""
    if affinity.rows is not None:
        return affinity.rows
    counts = np.diff(affinity.P.indptr)
    of = np.repeat(np.arange(len(counts)), counts)
    sums = np.bincount(of, affinity.P.data, minlength=len(counts))
    return np.maximum(affinity.P.data / sums[of], np.finfo(float).tiny)


def stacked(
    affinity: Affinity, parts: Parts, method: Method, threads: Threads | None = None, compiled: bool = False, **own: Any
) -> Objective:
    """Return the objective of a method on a stack; ``own``: exaggeration, free, or anchors."""
    threads = threads or Threads()
    exact, rule = Exact(compiled, threads, parts), (method.kernel, method.divergence, method.connection)
    return Objective(
        affinity, *rule, exact, threads, compiled, gravity=method.gravity, emphasis=method.mu, parts=parts, **own
    )


def stackable(method: Method, affinity: Affinity) -> bool:
    """Return True if graphs of this method can be stacked: no walk, closed forms on arrays."""
    closed = not isinstance(method.connection, Optimal) or isinstance(method.divergence, (Beta, Alpha))
    return affinity.walk is None and closed and type(method.connection) in CONNECTIONS.values()
