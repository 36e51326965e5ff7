"""Compiled loops over edges, for divergences with one power of b as edge term.

All other divergences use arrays (see `matrix`).  Rows are processed in blocks that stay in cache.  The loops gather the
lengths, apply the formulas to several entries at a time, and add up the forces.  Equal similarities under ln b need no
logarithm of an entry: `equal_logarithms` multiplies all u = c + a xi, mantissas and exponents apart.
"""

from __future__ import annotations

import numpy as np

from nelayout.numerics.compiling import compiled_loop
from nelayout.numerics.elementary_loops import LN2, MANTISSA, ONE, exponential, logarithm

__all__ = ["POWER_SUMS", "equal_logarithms", "pull", "row_sums", "squared_lengths"]

# Number of entries in a block, so that it stays in cache; a single row may have more.
BLOCK_ENTRIES = 2048
# Forms of the sum: b^order, its Box-Cox form (b^order - 1)/order, or ln b.
FORMS = ("power", "boxcox", "log")
# Entries after which the exponent of a product of mantissas, each below 2, is split off.
PRODUCTS = 512


@compiled_loop
def squared_lengths(indptr, indices, Y, start, stop, out):
    """Set out[k] = |y_i - y_j|^2 for the entries of rows start..stop of a CSR matrix."""
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
    """Set out[i] = sum_j w_ij (y_i - y_j), rows start..stop; w_ij = weights[k - offset]."""
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


def _power_sums_by(form, plane):
    """Make the loop of one of FORMS, for two dimensions (``plane``) or others."""

    @compiled_loop
    def power_sums(
        indptr, indices, factor, times, Y, a, b, c, log_lam, owner, order, start, stop, keep, draw, values, slopes,
        pull, weights, room
    ):
        """Set values[i] = times sum_j factor_ij form(b_ij, order), and slopes[i] in ln b.

        b = lambda q with ln lambda of the row's owner.  ``draw``: pull[i] = sum_j omega_ij (y_i - y_j); ``keep``: write
        omega into weights, in the order of P's entries.  ``room``: scratch memory of 3 + d rows for a block, because
        allocating it takes longer to compile than the loop.
        """
        xi, omega, shift, apart = room[0], room[1], room[2], room[3:]
        row = start
        while row < stop:
            base = indptr[row]
            last = row + 1
            while last < stop and indptr[last + 1] - base <= BLOCK_ENTRIES:
                last += 1
            m = indptr[last] - base
            across, along = apart[0], apart[1 if plane else 0]
            for i in range(row, last):  # gather y_i - y_j, its squared length and ln lambda
                log = log_lam[owner[i]]
                if plane:  # faster than the loop over axes
                    x, y = Y[i, 0], Y[i, 1]
                    for k in range(indptr[i] - base, indptr[i + 1] - base):
                        j = indices[base + k]
                        dx, dy = x - Y[j, 0], y - Y[j, 1]
                        across[k], along[k], xi[k], shift[k] = dx, dy, dx * dx + dy * dy, log
                else:
                    for k in range(indptr[i] - base, indptr[i + 1] - base):
                        j = indices[base + k]
                        total = 0.0
                        for axis in range(Y.shape[1]):
                            diff = Y[i, axis] - Y[j, axis]
                            apart[axis, k] = diff
                            total += diff * diff
                        xi[k], shift[k] = total, log
            for k in range(m):
                u = c + a * xi[k]
                u = 1e-140 if u < 1e-140 else u
                if a == 0.0:
                    log_b, decay = shift[k] - b * xi[k], b
                else:
                    log_b, decay = shift[k] - (b / a) * logarithm(u), b / u
                f = times * factor[base + k]
                if form == "log":
                    xi[k], slope = f * log_b, f
                elif form == "boxcox":
                    power = exponential(order * log_b)
                    xi[k], slope = f * (power - 1.0) / order, f * power
                else:
                    xi[k] = f * exponential(order * log_b)
                    slope = order * xi[k]
                shift[k] = slope
                omega[k] = -decay * slope
            if keep:
                for k in range(m):
                    weights[base + k] = omega[k]
            for i in range(row, last):
                value, slope, x, y = 0.0, 0.0, 0.0, 0.0
                for k in range(indptr[i] - base, indptr[i + 1] - base):
                    value += xi[k]
                    slope += shift[k]
                    x += omega[k] * across[k]
                    y += omega[k] * along[k]
                values[i], slopes[i] = value, slope
                if draw and plane:
                    pull[i, 0], pull[i, 1] = x, y
            if draw and not plane:
                for i in range(row, last):
                    for axis in range(Y.shape[1]):
                        total = 0.0
                        for k in range(indptr[i] - base, indptr[i + 1] - base):
                            total += omega[k] * apart[axis, k]
                        pull[i, axis] = total
            row = last

    return power_sums


# (Name of a form, whether positions are in the plane) -> loop.
POWER_SUMS = {(form, plane): _power_sums_by(form, plane) for form in FORMS for plane in (True, False)}


@compiled_loop
def equal_logarithms(indptr, indices, Y, a, b, c, factor, start, stop, draw, pull, each, sums):
    """Return sum_k -ln q_k over the entries of rows start..stop, in the plane.

    ``draw``: pull[i] = factor sum_j decay_ij (y_i - y_j); ``each``: sums[i] = factor sum_j decay_ij.
    """
    product, exponents, lengths, longest, count = 1.0, 0, 0.0, 0.0, 0
    for i in range(start, stop):
        x, y = Y[i, 0], Y[i, 1]
        fx, fy, f = 0.0, 0.0, 0.0
        if a == 0.0:
            for k in range(indptr[i], indptr[i + 1]):
                j = indices[k]
                dx, dy = x - Y[j, 0], y - Y[j, 1]
                lengths += dx * dx + dy * dy
                fx += dx
                fy += dy
            f = np.float64(indptr[i + 1] - indptr[i])
        else:
            for k in range(indptr[i], indptr[i + 1]):
                j = indices[k]
                dx, dy = x - Y[j, 0], y - Y[j, 1]
                u = c + a * (dx * dx + dy * dy)
                u = 1e-140 if u < 1e-140 else u
                longest = max(longest, u)
                w = 1.0 / u
                fx += w * dx
                fy += w * dy
                f += w
                bits = np.float64(u).view(np.int64)
                exponents += bits >> 52
                product *= np.int64((bits & MANTISSA) | ONE).view(np.float64)
                count += 1
                if count % PRODUCTS == 0:
                    bits = np.float64(product).view(np.int64)
                    exponents += (bits >> 52) - 1023
                    product = np.int64((bits & MANTISSA) | ONE).view(np.float64)
        scale = factor * b
        if draw:
            pull[i, 0] = scale * fx
            pull[i, 1] = scale * fy
        if each:
            sums[i] = scale * f
    if a == 0.0 or longest == np.inf:  # an infinite u has no mantissa
        return b * (lengths if a == 0.0 else longest)
    return (b / a) * (logarithm(product) + LN2 * np.float64(exponents - 1023 * count))


@compiled_loop
def row_sums(indptr, weights, start, stop, out):
    """Set out[i - start] = sum of row i, rows start..stop; ``weights`` begins with row start."""
    base = indptr[start]
    for i in range(start, stop):
        total = 0.0
        for k in range(indptr[i] - base, indptr[i + 1] - base):
            total += weights[k]
        out[i - start] = total
