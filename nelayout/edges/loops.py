"""Compiled loops over edges in which the scalar mathematics is written out: beta divergences, and powers of rows.

Everything else goes through arrays (see ``edges``, ``row_edges``).  Rows are taken in blocks that stay in cache:
lengths are gathered, then the formulas run over the block, several entries at a time, then the forces are added up.
"""

from __future__ import annotations

import numpy as np

from nelayout.numerics.compiling import compiled_loop, inlined
from nelayout.numerics.elementary import exponential, logarithm

__all__ = ["beta_sums", "pull", "pull_both", "row_power_sums", "row_sums", "squared_lengths"]

BLOCK = 2048  # entries, unless a single row has more


@compiled_loop
def squared_lengths(indptr, indices, Y, start, stop, out):
    """out[k] = |y_i - y_j|^2 of the entries of rows start..stop of a CSR matrix."""
    d = Y.shape[1]
    base = indptr[start]
    if d == 2:
        for i in range(start, stop):
            x, y = Y[i, 0], Y[i, 1]
            for k in range(indptr[i], indptr[i + 1]):
                j = indices[k]
                dx, dy = x - Y[j, 0], y - Y[j, 1]
                out[k - base] = dx * dx + dy * dy
        return
    for i in range(start, stop):
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            total = 0.0
            for c in range(d):
                diff = Y[i, c] - Y[j, c]
                total += diff * diff
            out[k - base] = total


@compiled_loop
def pull(indptr, indices, weights, offset, Y, start, stop, out):
    """out[i] = sum_j w_ij (y_i - y_j) over rows start..stop; w_ij = weights[k - offset]."""
    d = Y.shape[1]
    if d == 2:
        for i in range(start, stop):
            x, y = Y[i, 0], Y[i, 1]
            fx, fy = 0.0, 0.0
            for k in range(indptr[i], indptr[i + 1]):
                j = indices[k]
                w = weights[k - offset]
                fx += w * (x - Y[j, 0])
                fy += w * (y - Y[j, 1])
            out[i, 0] = fx
            out[i, 1] = fy
        return
    for i in range(start, stop):
        for c in range(d):
            total = 0.0
            for k in range(indptr[i], indptr[i + 1]):
                total += weights[k - offset] * (Y[i, c] - Y[indices[k], c])
            out[i, c] = total


@compiled_loop
def pull_both(indptr, indices, weights, other, Y, start, stop, out):
    """out[i] = sum_j (w_ij + w_ji) / 2 (y_i - y_j) over rows start..stop; ``other``: where the entry (j, i) stands."""
    d = Y.shape[1]
    if d == 2:
        for i in range(start, stop):
            x, y = Y[i, 0], Y[i, 1]
            fx, fy = 0.0, 0.0
            for k in range(indptr[i], indptr[i + 1]):
                j = indices[k]
                w = weights[k] + weights[other[k]]
                fx += w * (x - Y[j, 0])
                fy += w * (y - Y[j, 1])
            out[i, 0], out[i, 1] = 0.5 * fx, 0.5 * fy
        return
    for i in range(start, stop):
        for c in range(d):
            out[i, c] = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            w = 0.5 * (weights[k] + weights[other[k]])
            for c in range(d):
                out[i, c] += w * (Y[i, c] - Y[j, c])


@inlined
def _longest(indptr, start, stop):
    """The most entries that a block of the rows start..stop may have."""
    longest = BLOCK
    for i in range(start, stop):
        longest = max(longest, indptr[i + 1] - indptr[i])
    return longest


@inlined
def _end(indptr, row, stop):
    """Where the block that begins with a row ends: at ``stop``, or before it has too many entries."""
    last = row + 1
    while last < stop and indptr[last + 1] - indptr[row] <= BLOCK:
        last += 1
    return last


@inlined
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


@inlined
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


@inlined
def _gather_plane(indptr, indices, Y, row, last, base, apart, xi):
    """The same in two dimensions, a third faster."""
    for i in range(row, last):
        x, y = Y[i, 0], Y[i, 1]
        for k in range(indptr[i] - base, indptr[i + 1] - base):
            j = indices[base + k]
            dx, dy = x - Y[j, 0], y - Y[j, 1]
            apart[0, k], apart[1, k] = dx, dy
            xi[k] = dx * dx + dy * dy


@compiled_loop
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


@inlined
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


@compiled_loop
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


@compiled_loop
def row_sums(indptr, weights, start, stop, out):
    """out[i] = sum of the weights of row i, rows start..stop."""
    for i in range(start, stop):
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            total += weights[k]
        out[i] = total
