"""Compiled loops over edges in which the scalar mathematics is written out: beta divergences, and powers of rows.

Everything else goes through arrays (see ``edges``, ``row_edges``).  Rows are taken in blocks that stay in cache:
lengths are gathered, then the formulas run over the block, several entries at a time, then the forces are added up.
"""

from __future__ import annotations

import numba
import numpy as np

from .compiled import _FAST, _compile
from .elementary import exponential, logarithm

__all__ = ["beta_sums", "row_power_sums", "row_sums"]

BLOCK = 2048  # entries, unless a single row has more

_inline = numba.njit(forceinline=True, fastmath=_FAST, error_model="numpy")


@_inline
def _longest(indptr, start, stop):
    """The most entries that a block of the rows start..stop may have."""
    longest = BLOCK
    for i in range(start, stop):
        longest = max(longest, indptr[i + 1] - indptr[i])
    return longest


@_inline
def _end(indptr, row, stop):
    """Where the block that begins with a row ends: at ``stop``, or before it has too many entries."""
    last = row + 1
    while last < stop and indptr[last + 1] - indptr[row] <= BLOCK:
        last += 1
    return last


@_inline
def _entries(form, P, xi, omega, m, a, b, c, log_connection, order):
    """Sums of edge and slope over m entries; xi is overwritten by omega.

    Box-Cox forms of b = lambda q: ``form`` 1 is order 1 (ln b), 0 any other (b^(order - 1)).
    """
    value, slope = 0.0, 0.0
    s = order - 1.0
    for k in range(m):
        u = max(c + a * xi[k], 1e-140)
        if a == 0.0:
            log_b, decay = log_connection - b * xi[k], b
        else:
            log_b, decay = log_connection - (b / a) * logarithm(u), b / u
        if form == 1:
            value -= P[k] * log_b
            slope -= P[k]
            omega[k] = P[k] * decay
        else:
            power = exponential(s * log_b)
            value -= P[k] * (power - 1.0) / s
            slope -= P[k] * power
            omega[k] = P[k] * power * decay
    return value, slope


@_inline
def _gather(indptr, indices, Y, row, last, base, apart, xi):
    """y_i - y_j and its squared length of the entries of some rows."""
    for i in range(row, last):
        for k in range(indptr[i] - base, indptr[i + 1] - base):
            j = indices[base + k]
            total = 0.0
            for axis in range(Y.shape[1]):
                diff = Y[i, axis] - Y[j, axis]
                apart[axis, k] = diff
                total += diff * diff
            xi[k] = total


@_inline
def _gather_plane(indptr, indices, Y, row, last, base, apart, xi):
    """The same in two dimensions, a third faster."""
    for i in range(row, last):
        x, y = Y[i, 0], Y[i, 1]
        for k in range(indptr[i] - base, indptr[i + 1] - base):
            j = indices[base + k]
            dx, dy = x - Y[j, 0], y - Y[j, 1]
            apart[0, k], apart[1, k] = dx, dy
            xi[k] = dx * dx + dy * dy


@_compile
def beta_sums(indptr, indices, P, Y, a, b, c, log_connection, order, start, stop, keep, pull, weights):
    """sum P edge and sum P slope over rows start..stop for a beta divergence, and pull[i] = sum_j omega_ij (y_i - y_j).

    ``keep``: write omega into weights, at the places of P.
    """
    d = Y.shape[1]
    longest = _longest(indptr, start, stop)
    xi, omega, apart = np.empty(longest), np.empty(longest), np.empty((d, longest))
    value, slope = 0.0, 0.0
    row = start
    while row < stop:
        base = indptr[row]
        last = _end(indptr, row, stop)
        m = indptr[last] - base
        if d == 2:
            _gather_plane(indptr, indices, Y, row, last, base, apart, xi)
        else:
            _gather(indptr, indices, Y, row, last, base, apart, xi)
        if order == 1.0:
            v, s = _entries(1, P[base : base + m], xi, omega, m, a, b, c, log_connection, order)
        else:
            v, s = _entries(0, P[base : base + m], xi, omega, m, a, b, c, log_connection, order)
        value += v
        slope += s
        if keep:
            weights[base : base + m] = omega[:m]
        if d == 2:
            for i in range(row, last):
                x, y = 0.0, 0.0
                for k in range(indptr[i] - base, indptr[i + 1] - base):
                    x += omega[k] * apart[0, k]
                    y += omega[k] * apart[1, k]
                pull[i, 0], pull[i, 1] = x, y
        else:
            for i in range(row, last):
                for axis in range(d):
                    total = 0.0
                    for k in range(indptr[i] - base, indptr[i + 1] - base):
                        total += omega[k] * apart[axis, k]
                    pull[i, axis] = total
        row = last
    return value, slope


@_inline
def _powers(plain, factor, xi, shift, omega, m, a, b, c, order):
    """factor b^order of m entries into xi, and -decay times its slope in ln b into omega; ``plain``: ln b instead."""
    for k in range(m):
        u = max(c + a * xi[k], 1e-140)
        if a == 0.0:
            log_b, decay = shift[k] - b * xi[k], b
        else:
            log_b, decay = shift[k] - (b / a) * logarithm(u), b / u
        if plain:
            xi[k] = factor[k] * log_b
            omega[k] = -decay * factor[k]
        else:
            term = factor[k] * exponential(order * log_b)
            xi[k] = term
            omega[k] = (-order * decay) * term


@_compile
def row_power_sums(indptr, indices, factor, Y, a, b, c, log_connection, order, start, stop, sums, omega):
    """sums[i] = sum_j factor_ij b_ij^order, where b_ij = lambda_i q_ij, and omega_ij = -decay_ij order factor_ij
    b_ij^order.

    At order 0 it is ln b_ij that is summed, and omega_ij = -decay_ij factor_ij.
    """
    longest = _longest(indptr, start, stop)
    xi, shift = np.empty(longest), np.empty(longest)
    row = start
    while row < stop:
        base = indptr[row]
        last = _end(indptr, row, stop)
        m = indptr[last] - base
        for i in range(row, last):
            for k in range(indptr[i] - base, indptr[i + 1] - base):
                j = indices[base + k]
                total = 0.0
                for axis in range(Y.shape[1]):
                    diff = Y[i, axis] - Y[j, axis]
                    total += diff * diff
                xi[k], shift[k] = total, log_connection[i]
        if order == 0.0:
            _powers(True, factor[base : base + m], xi, shift, omega[base : base + m], m, a, b, c, order)
        else:
            _powers(False, factor[base : base + m], xi, shift, omega[base : base + m], m, a, b, c, order)
        for i in range(row, last):
            total = 0.0
            for k in range(indptr[i] - base, indptr[i + 1] - base):
                total += xi[k]
            sums[i] = total
        row = last


@_compile
def row_sums(indptr, weights, start, stop, out):
    """out[i] = sum of the weights of row i, rows start..stop."""
    for i in range(start, stop):
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            total += weights[k]
        out[i] = total
