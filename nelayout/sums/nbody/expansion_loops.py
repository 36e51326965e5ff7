"""Compiled loops of `tree_loops.walk`: the field of far cells and of near nodes around one point.

A radial function r and its derivatives come as w v^k (A_k l + B_k), k = 0..3, with w = q^order, l = ln q,
and v = 1/u, u = c + a xi (1 for the Gaussian).  ``law`` holds a, b, c, order, A_0..A_3, B_0..B_3 and what
is added to r itself.  Which of w and l are needed, and how they are found, is the ``way``; each has its own
copy of the loops.

A cell acts through its mass and its second moments around its center of mass.  Its field around another
center is held to third order: 20 numbers, the value and 3, 6 and 10 derivatives, in the order of xx xy xz ...
"""

from __future__ import annotations

import math

import numpy as np

from nelayout.numerics.compiling import compiled_loop, inlined
from nelayout.numerics.elementary_loops import exponential, logarithm

__all__ = ["at_one_place", "far_sums", "shift_field", "near_sums", "profile", "value_at", "with_room"]

# w = v; w a half power of v; w = 1, l; w = v, l; w = e^(order l), l; w = e^(-b order xi), l = -b xi.
RECIPROCAL, ROOT, LOG, RECIPROCAL_LOG, GENERAL, GAUSSIAN = 0, 1, 2, 3, 4, 5
# Columns of a cell: center of mass (0..2), radius, mass (4), second moments xx xy xz yy yz zz (5..10).
CELL = 11
# Rows of a list of far cells: the same, then w, v and l.
FAR = CELL + 3
# Numbers of a field.
FIELD = 20
# Nodes nearby are filled up to a multiple of this, so that the loop over them has no remainder.
LANES = 8


@inlined
def profile(way, law, xi):
    """Return w, v and l at xi, with zeros for those that the way does not need."""
    a, b, order = law[0], law[1], law[3]
    if way == GAUSSIAN:
        return exponential(-b * order * xi), 1.0, -b * xi
    u = max(law[2] + a * xi, 1e-140)
    v = 1.0 / u
    if way == RECIPROCAL:
        return v, v, 0.0
    if way == ROOT:
        root = math.sqrt(v)
        twice = 2.0 * b * order / a
        return (root if twice == 1.0 else root * v if twice == 3.0 else v * v), v, 0.0
    log_q = (-b / a) * logarithm(u)
    if way == LOG:
        return 1.0, v, log_q
    return (v if way == RECIPROCAL_LOG else exponential(order * log_q)), v, log_q


@compiled_loop
def at_one_place(way, law):
    """Return r(0) of kernels that are finite there; of others, r at the smallest distance told apart from 0."""
    w, _, log_q = profile(way, law, 0.0)
    return w * (law[4] * log_q + law[8]) + law[12]


@inlined
def _profiles(way, law, far, count, x, y, z):
    """Fill in the profile of each far cell at its distance from (x, y, z)."""
    for k in range(count):
        dx, dy, dz = x - far[0, k], y - far[1, k], z - far[2, k]
        far[CELL, k], far[CELL + 1, k], far[CELL + 2, k] = profile(way, law, dx * dx + dy * dy + dz * dz)


@compiled_loop
def far_sums(way, law, far, count, x, y, z, field):
    """Add to ``field``, around (x, y, z), the contributions of the cells in far[:, :count]."""
    if way == RECIPROCAL:
        _profiles(RECIPROCAL, law, far, count, x, y, z)
    elif way == ROOT:
        _profiles(ROOT, law, far, count, x, y, z)
    elif way == LOG:
        _profiles(LOG, law, far, count, x, y, z)
    elif way == RECIPROCAL_LOG:
        _profiles(RECIPROCAL_LOG, law, far, count, x, y, z)
    elif way == GENERAL:
        _profiles(GENERAL, law, far, count, x, y, z)
    else:
        _profiles(GAUSSIAN, law, far, count, x, y, z)
    a0, a1, a2, a3 = law[4], law[5], law[6], law[7]
    b0, b1, b2, b3, constant = law[8], law[9], law[10], law[11], law[12]
    p, px, py, pz = 0.0, 0.0, 0.0, 0.0
    qxx, qxy, qxz, qyy, qyz, qzz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    hxxx, hxxy, hxxz, hxyy, hxyz = 0.0, 0.0, 0.0, 0.0, 0.0
    hxzz, hyyy, hyyz, hyzz, hzzz = 0.0, 0.0, 0.0, 0.0, 0.0
    X, Y, Z, M, W, V, LOG_Q = far[0], far[1], far[2], far[4], far[CELL], far[CELL + 1], far[CELL + 2]
    SXX, SXY, SXZ, SYY, SYZ, SZZ = far[5], far[6], far[7], far[8], far[9], far[10]
    for k in range(count):
        dx, dy, dz = x - X[k], y - Y[k], z - Z[k]
        w, v, log_q, m = W[k], V[k], LOG_Q[k], M[k]
        # Derivatives in xi, times the powers of 2 that come with those in space.
        f0 = w * (a0 * log_q + b0) + constant
        w *= v
        f1 = 2.0 * w * (a1 * log_q + b1)
        w *= v
        f2 = 4.0 * w * (a2 * log_q + b2)
        w *= v
        f3 = 8.0 * w * (a3 * log_q + b3)
        # Second moments against the second and the third derivatives.
        sx = SXX[k] * dx + SXY[k] * dy + SXZ[k] * dz
        sy = SXY[k] * dx + SYY[k] * dy + SYZ[k] * dz
        sz = SXZ[k] * dx + SYZ[k] * dy + SZZ[k] * dz
        trace, square = SXX[k] + SYY[k] + SZZ[k], sx * dx + sy * dy + sz * dz
        p += m * f0 + 0.5 * (f1 * trace + f2 * square)
        along = m * f1 + 0.5 * (f2 * trace + f3 * square)
        px += along * dx + f2 * sx
        py += along * dy + f2 * sy
        pz += along * dz + f2 * sz
        f1 *= m
        f2 *= m
        f3 *= m
        qxx += f1 + f2 * dx * dx
        qxy += f2 * dx * dy
        qxz += f2 * dx * dz
        qyy += f1 + f2 * dy * dy
        qyz += f2 * dy * dz
        qzz += f1 + f2 * dz * dz
        xx, yy, zz = f3 * dx * dx, f3 * dy * dy, f3 * dz * dz
        hxxx += (3.0 * f2 + xx) * dx
        hxxy += (f2 + xx) * dy
        hxxz += (f2 + xx) * dz
        hxyy += (f2 + yy) * dx
        hxyz += f3 * dx * dy * dz
        hxzz += (f2 + zz) * dx
        hyyy += (3.0 * f2 + yy) * dy
        hyyz += (f2 + yy) * dz
        hyzz += (f2 + zz) * dy
        hzzz += (3.0 * f2 + zz) * dz
    sums = (p, px, py, pz, qxx, qxy, qxz, qyy, qyz, qzz)
    thirds = (hxxx, hxxy, hxxz, hxyy, hxyz, hxzz, hyyy, hyyz, hyzz, hzzz)
    for k in range(10):
        field[k] += sums[k]
        field[10 + k] += thirds[k]


@compiled_loop
def value_at(field, x, y, z):
    """Value and gradient of a field at (x, y, z) from its center."""
    gx = field[4] * x + field[5] * y + field[6] * z
    gy = field[5] * x + field[7] * y + field[8] * z
    gz = field[6] * x + field[8] * y + field[9] * z
    xx, xy, xz, yy, yz, zz = x * x, 2.0 * x * y, 2.0 * x * z, y * y, 2.0 * y * z, z * z
    hx = field[10] * xx + field[11] * xy + field[12] * xz + field[13] * yy + field[14] * yz + field[15] * zz
    hy = field[11] * xx + field[13] * xy + field[14] * xz + field[16] * yy + field[17] * yz + field[18] * zz
    hz = field[12] * xx + field[14] * xy + field[15] * xz + field[17] * yy + field[18] * yz + field[19] * zz
    value = field[0]
    value += x * (field[1] + 0.5 * gx + hx / 6.0)
    value += y * (field[2] + 0.5 * gy + hy / 6.0)
    value += z * (field[3] + 0.5 * gz + hz / 6.0)
    return value, field[1] + gx + 0.5 * hx, field[2] + gy + 0.5 * hy, field[3] + gz + 0.5 * hz


@compiled_loop
def shift_field(field, x, y, z, out):
    """Shift a field to a center that lies (x, y, z) from its own."""
    out[0], out[1], out[2], out[3] = value_at(field, x, y, z)
    out[4] = field[4] + field[10] * x + field[11] * y + field[12] * z
    out[5] = field[5] + field[11] * x + field[13] * y + field[14] * z
    out[6] = field[6] + field[12] * x + field[14] * y + field[15] * z
    out[7] = field[7] + field[13] * x + field[16] * y + field[17] * z
    out[8] = field[8] + field[14] * x + field[17] * y + field[18] * z
    out[9] = field[9] + field[15] * x + field[18] * y + field[19] * z
    for k in range(10, FIELD):
        out[k] = field[k]


@inlined
def _near(way, law, near, count, filled, own, x, y, z):
    a0, a1, b0, b1, constant = law[4], law[5], law[8], law[9], law[12]
    X, Y, Z, M = near[0], near[1], near[2], near[3]
    # A node does not act on itself: for a moment it has no charge, and lies where every function is finite.
    # So do those that fill up the rows.
    for k in range(count, filled):
        X[k], Y[k], Z[k], M[k] = x + 1.0, y, z, 0.0
    mine, place = M[own], X[own]
    M[own], X[own] = 0.0, x + 1.0
    p, fx, fy, fz = 0.0, 0.0, 0.0, 0.0
    for k in range(filled):
        dx, dy, dz = x - X[k], y - Y[k], z - Z[k]
        w, v, log_q = profile(way, law, dx * dx + dy * dy + dz * dz)
        m = M[k]
        p += m * (w * (a0 * log_q + b0) + constant)
        s = m * (w * v * (a1 * log_q + b1))
        fx += s * dx
        fy += s * dy
        fz += s * dz
    M[own], X[own] = mine, place
    return p, 2.0 * fx, 2.0 * fy, 2.0 * fz


@compiled_loop
def near_sums(way, law, near, count, own, x, y, z):
    """Potential and force at (x, y, z) of the nodes near[:, :count], rows x, y, z, charge, without ``own``."""
    filled = LANES * ((count + LANES - 1) // LANES)
    if way == RECIPROCAL:
        return _near(RECIPROCAL, law, near, count, filled, own, x, y, z)
    if way == ROOT:
        return _near(ROOT, law, near, count, filled, own, x, y, z)
    if way == LOG:
        return _near(LOG, law, near, count, filled, own, x, y, z)
    if way == RECIPROCAL_LOG:
        return _near(RECIPROCAL_LOG, law, near, count, filled, own, x, y, z)
    if way == GENERAL:
        return _near(GENERAL, law, near, count, filled, own, x, y, z)
    return _near(GAUSSIAN, law, near, count, filled, own, x, y, z)


@compiled_loop
def with_room(lists):
    """Copy rows to an array with twice the columns."""
    rows, columns = lists.shape
    wider = np.empty((rows, 2 * columns))
    for k in range(rows):
        for j in range(columns):
            wider[k, j] = lists[k, j]
    return wider
