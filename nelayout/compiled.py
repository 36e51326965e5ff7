"""The compiled loops: everything that runs over pairs or edges when there are many.

Plain sequential loops over a range of rows, without the interpreter lock, compiled once and cached on disk.  They take
arrays, integers and floats, never functions, so no method and no process compiles anew.  ``nbody`` and ``edges`` call
them; each has a NumPy twin for small work, which needs no compiler at all.
"""

from __future__ import annotations

import math

import numba
import numpy as np

__all__ = ["hops", "laplacian_times", "pair_sums", "pull", "squared_lengths"]

_FAST = {"reassoc", "contract", "arcp", "nsz"}  # no nnan, ninf: a NaN must stay one
_compile = numba.njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")

# Forms of a radial function, see nbody.exact: (a + b xi) to a power, and what is made of the logarithm of the kernel.
POWER, BOXCOX, POWER_LOG, INVERSE, LOGARITHM, HALVES = 0, 1, 2, 3, 4, 5


@_compile
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


@_compile
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


@_compile
def laplacian_times(indptr, indices, weights, scale, diagonal, X, start, stop, out):
    """out = (scale L_w + diag(diagonal)) X over rows start..stop, L_w the Laplacian of symmetric weights."""
    d = X.shape[1]
    if d == 2:
        for i in range(start, stop):
            x, y = X[i, 0], X[i, 1]
            fx, fy = 0.0, 0.0
            for k in range(indptr[i], indptr[i + 1]):
                j = indices[k]
                w = weights[k]
                fx += w * (x - X[j, 0])
                fy += w * (y - X[j, 1])
            out[i, 0] = scale * fx + diagonal[i] * x
            out[i, 1] = scale * fy + diagonal[i] * y
        return
    for i in range(start, stop):
        for c in range(d):
            total = 0.0
            for k in range(indptr[i], indptr[i + 1]):
                total += weights[k] * (X[i, c] - X[indices[k], c])
            out[i, c] = scale * total + diagonal[i] * X[i, c]


@numba.njit(inline="always", fastmath=_FAST, error_model="numpy")
def _radial(form, a, b, c, order, xi):
    """r(xi) and dr/dxi of one radial function of the kernel (c + a xi)^(-b/a)."""
    if a == 0.0:
        log_q = -b * xi
        decay = b
    else:
        u = max(c + a * xi, 1e-140)
        log_q = -(b / a) * math.log(u)
        decay = b / u
    power = math.exp(order * log_q)
    if form == POWER:
        return power, -order * decay * power
    if form == BOXCOX:
        if order == 0.0:
            return log_q, -decay
        return math.expm1(order * log_q) / order, -decay * power
    return power * log_q, -decay * power * (1.0 + order * log_q)


@_compile
def pair_sums(points, charges, form, a, b, c, order, start, stop, potential, force):
    """potential[i] = sum_j c_j r(xi_ij), force[:, i] = 2 sum_j c_j r'(xi_ij) (y_i - y_j), j != i, i in start..stop.

    ``points`` is (3, n), padded with zeros.  Form INVERSE is r = 1/(c + a xi), LOGARITHM r = -(b/a) ln(c + a xi),
    HALVES r = (c + a xi)^(-k/2), k = 2 b order / a being 1, 3 or 4.
    """
    n = points.shape[1]
    k = round(2.0 * b * order / a) if form == HALVES else 0
    X, Y, Z = points[0], points[1], points[2]
    for i in range(start, stop):
        x, y, z = X[i], Y[i], Z[i]
        p, fx, fy, fz = 0.0, 0.0, 0.0, 0.0
        for part in range(2):
            low, high = (0, i) if part == 0 else (i + 1, n)
            if form == INVERSE:
                for j in range(low, high):
                    dx, dy, dz = x - X[j], y - Y[j], z - Z[j]
                    r = 1.0 / max(c + a * (dx * dx + dy * dy + dz * dz), 1e-140)
                    w = charges[j] * r
                    p += w
                    w *= r
                    fx += w * dx
                    fy += w * dy
                    fz += w * dz
            elif form == HALVES:
                for j in range(low, high):
                    dx, dy, dz = x - X[j], y - Y[j], z - Z[j]
                    root = 1.0 / math.sqrt(max(c + a * (dx * dx + dy * dy + dz * dz), 1e-140))
                    inverse = root * root
                    w = charges[j] * (root if k == 1 else root * inverse if k == 3 else inverse * inverse)
                    p += w
                    w *= inverse
                    fx += w * dx
                    fy += w * dy
                    fz += w * dz
            elif form == LOGARITHM:
                for j in range(low, high):
                    dx, dy, dz = x - X[j], y - Y[j], z - Z[j]
                    u = max(c + a * (dx * dx + dy * dy + dz * dz), 1e-140)
                    p += charges[j] * math.log(u)
                    w = charges[j] / u
                    fx += w * dx
                    fy += w * dy
                    fz += w * dz
            else:
                for j in range(low, high):
                    dx, dy, dz = x - X[j], y - Y[j], z - Z[j]
                    r, slope = _radial(form, a, b, c, order, dx * dx + dy * dy + dz * dz)
                    p += charges[j] * r
                    w = charges[j] * slope
                    fx += w * dx
                    fy += w * dy
                    fz += w * dz
        if form == INVERSE:
            scale = -2.0 * a
        elif form == HALVES:
            scale = -a * k
        elif form == LOGARITHM:
            p *= -b / a
            scale = -2.0 * b
        else:
            scale = 2.0
        potential[i] = p
        force[0, i] = scale * fx
        force[1, i] = scale * fy
        force[2, i] = scale * fz


@_compile
def hops(indptr, indices, source, out, queue):
    """out[i] = number of edges between source and i, by breadth-first search; ``out`` comes in as zeros."""
    queue[0] = source
    head, tail = 0, 1
    while head < tail:
        i = queue[head]
        head += 1
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            if out[j] == 0 and j != source:
                out[j] = out[i] + 1
                queue[tail] = j
                tail += 1


def as_points(Y: np.ndarray) -> np.ndarray:
    """(n, d) positions as three contiguous coordinate rows."""
    points = np.zeros((3, len(Y)))
    points[: Y.shape[1]] = Y.T
    return points
