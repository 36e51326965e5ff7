"""Weights of any magnitude, rescaled so that their sums and squares stay finite.

Weights near 1e300 draw like weights near 1: only their ratios count.

>>> P, notes = within_range(csr_array(np.array([[0.0, 2.0**900], [2.0**900, 0.0]])), 40)
>>> P.data.tolist(), len(notes)
([0.5, 0.5], 1)
"""

from __future__ import annotations

import math

import numpy as np
from scipy.sparse import csr_array

__all__ = ["within_range"]


def within_range(P: csr_array, bits: int) -> tuple[csr_array, tuple[str, ...]]:
    """Divide P by a power of two if its largest weight is outside 2^-bits .. 2^bits; note it.

    A power of two changes no digit, only the exponents.
    """
    exponent = math.frexp(float(P.data.max()))[1] if P.nnz else 0
    if abs(exponent) <= bits:
        return P, ()
    # A weight of 1e-308 of the largest pulls nothing, but its edge stays one.
    weights = np.maximum(np.ldexp(P.data, -exponent), np.finfo(np.float64).tiny)
    note = (
        f"edge weights near {float(P.data.max()):.0e} were divided by 2^{exponent} to stay in the range of floats: "
        "with scale=None, sizes and values are those of the divided weights"
    )
    return csr_array((weights, P.indices, P.indptr), shape=P.shape), (note,)
