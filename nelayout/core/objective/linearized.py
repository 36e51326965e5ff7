"""J of some nodes beside fixed ones, under one lambda, to first order.

A node that is added or moved changes the sums over edges and pairs.  J changes by the derivatives of J in these sums,
times the changes.  Constants are left out.
"""

from __future__ import annotations

from typing import Any

from nelayout.core.formula.kernels import Radial
from nelayout.core.objective.formula import Objective

__all__ = ["Linearized"]


class Linearized:
    """An objective at Y (n, d): lambda, derivatives, and radial functions of pairs."""

    def __init__(self, objective: Objective, Y: Any) -> None:
        self.objective = objective
        self.lam, self.coupling = objective.linearized(Y)
        plain = (Radial(objective.kernel),) if self.coupling.d_normalizer else ()
        self.radials = tuple(dict.fromkeys([*objective.radials, *plain]))

    def of_pairs(self, sums: dict[Radial, Any], total: Any) -> tuple[Any, dict[Radial, Any]]:
        """Return what pairs add to J, and its derivatives in their sums.

        ``sums``: of each radial function over pairs of mass ``total``.
        """
        coupling, plain = self.coupling, Radial(self.objective.kernel)
        pairs, _, slopes = self.objective.pair_terms(sums, total, self.lam)
        value = coupling.d_pairs * pairs
        factors = {radial: coupling.d_pairs * slope for radial, slope in slopes.items()}
        if coupling.d_normalizer:  # lambda moves with the sum of all q
            value = value + coupling.d_normalizer * sums[plain]
            factors[plain] = factors.get(plain, 0.0) + coupling.d_normalizer
        return value, factors
