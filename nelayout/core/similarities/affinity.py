"""The record of an objective's input: similarities of nodes, and their masses."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.core.similarities.random_walk import RandomWalk
from nelayout.core.terms import Term
from nelayout.numerics.distances import Distances

__all__ = ["Affinity", "within_range"]


@dataclass(frozen=True, slots=True)
class Affinity:
    """Input similarities and masses; on a merged graph also what its merging has hidden.

    P      (n, n) CSR, symmetric, non-negative, zero diagonal
    mass   (n,) positive
    merged_weight  of P that merged pairs hold: they still count in sum P
    merged_pairs   sum over clusters of m_C^2 - sum_{i in C} m_i^2: pairs at distance 0 that still count in sums over M
    rows   row-stochastic similarities on the pattern of P, for connections by rows; None: P's rows by their sums
    features (n, p) what is known of each node beside P, for variational methods; None: nothing
    distances  to which a drawing's are compared where stress is part of the objective; None: to none
    terms  wishes beside the edges, that objectives add to J
    walk   the random walk on P; its dense p replaces P in objectives that are quadratic in the drawing
    shared  what the objectives of a small graph have in common, by name
    """

    P: csr_array
    mass: np.ndarray
    merged_weight: float = 0.0
    merged_pairs: float = 0.0
    walk: RandomWalk | None = None
    rows: np.ndarray | None = None
    features: np.ndarray | None = None
    distances: Distances | None = None
    terms: tuple[Term, ...] = ()
    shared: dict[Any, Any] = field(init=False, default_factory=dict, compare=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy without the shared parts, which hold memory of compiled loops."""
        return Affinity, tuple(getattr(self, each.name) for each in fields(self) if each.init)

    def around(self, by_rows: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return sums (n,) over neighbors: of mass, 1, weight; ``by_rows``: only of the own row."""
        if not isinstance(self.P, csr_array):  # in blocks on other machines
            return self.P.around(self.mass)
        P, n = self.P, len(self.mass)
        own = np.ones(P.nnz) if self.rows is None or not by_rows else self.rows > 0
        of = np.repeat(np.arange(n), np.diff(P.indptr))
        near, count, weight = (np.bincount(of, each, minlength=n) for each in (own * self.mass[P.indices], own, P.data))
        return near, count, weight


def within_range(P: csr_array, bits: int) -> tuple[csr_array, tuple[str, ...]]:
    """Divide P by a power of two if its largest weight is outside 2^-bits .. 2^bits; note it."""
    exponent = math.frexp(float(P.data.max(initial=0.0)))[1]
    if abs(exponent) <= bits:
        return P, ()
    # A weight of 1e-308 of the largest pulls nothing, but its edge stays one.
    weights = np.maximum(np.ldexp(P.data, -exponent), np.finfo(np.float64).tiny)
    note = (
        f"edge weights near {float(P.data.max()):.0e} were divided by 2^{exponent} to stay in the range of floats: "
        "with scale=None, sizes and values are those of the divided weights"
    )
    return csr_array((weights, P.indices, P.indptr), shape=P.shape), (note,)
