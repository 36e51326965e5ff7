"""Masses: whether the method "auto" weighs nodes by their strengths or all alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

__all__ = ["mass_for"]

# Mean degree, and share of all nodes that it is, from which "auto" takes strengths: in dense graphs hubs crowd the
# middle unless they repel in proportion; in sparse ones equal masses keep neighbors and distances better.  (Decided on
# usairports2010, usair97, email_eu_core, polblogs, worldtrade against jazz, musae_facebook, lastfm_asia, cora.)
DENSE_DEGREE, DENSE_SHARE = 8.0, 0.01
# Graphs of that mean degree in which hubs have most of the edges count as dense as well: the mean of the squared
# degrees is at least this many times the square of the mean.  (soc_slashdot0902 has 12, and equal masses find a third
# of the neighbors there that strengths do; random graphs of power-law degrees with 8 and 9 gain a quarter and more.
# The graphs above have at most 4.2; ndwww has 42, but a mean degree below 7, and is drawn better without.)
HUBS = 8.0


def mass_for(P: csr_array, mass: Any) -> Any:
    """The mass that was asked for; for "auto", strengths where hubs are joined to a good part of a dense graph.

    >>> mass_for(csr_array((3, 3)), "auto"), mass_for(csr_array((3, 3)), "degree")
    ('unit', 'degree')
    """
    if not (isinstance(mass, str) and mass == "auto"):
        return mass
    n = max(P.shape[0], 1)
    mean_degree = P.nnz / n
    squares = float(np.sum(np.diff(P.indptr).astype(np.float64) ** 2)) / n
    crowded = mean_degree >= DENSE_SHARE * n or squares >= HUBS * mean_degree**2
    return "strength" if mean_degree >= DENSE_DEGREE and crowded else "unit"
