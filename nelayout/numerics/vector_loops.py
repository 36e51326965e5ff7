"""Compiled sums and updates of (n, d) arrays as one long row, in one pass over memory."""

from __future__ import annotations

from nelayout.numerics.compiling import compiled_loop

__all__ = ["add", "advance", "combine", "dots", "iterate", "multiply", "spread", "turn"]


@compiled_loop
def dots(stored, q, low, high, sums):
    """Set sums[k] = the product of stored_k and q over the entries low..high."""
    for k in range(stored.shape[0]):
        row, here, total = stored[k, low:high], q[low:high], 0.0
        for i in range(len(here)):
            total += row[i] * here[i]
        sums[k] = total


@compiled_loop
def add(out, stored, factors, low, high):
    """Add sum_k factors_k stored_k to out, over the entries low..high."""
    here = out[low:high]
    for k in range(stored.shape[0]):
        row, factor = stored[k, low:high], factors[k]
        if factor != 0.0:
            for i in range(len(here)):
                here[i] += factor * row[i]


@compiled_loop
def combine(out, scale, force, factors, start, stop):
    """Set out_ij = scale out_ij + factors_i force_ij over rows start..stop."""
    for i in range(start, stop):
        for axis in range(out.shape[1]):
            out[i, axis] = scale * out[i, axis] + factors[i] * force[i, axis]


@compiled_loop
def spread(Y, before, now, then, start, stop, sums):
    """Set sums = sum D over rows start..stop, by axes, and sum |D|^2.

    D_i = E_i - E_0 with E = now Y - then before.
    """
    d = Y.shape[1]
    squares = 0.0
    for axis in range(d):
        shift = now * Y[0, axis] - then * before[0, axis]
        own = 0.0
        for i in range(start, stop):
            apart = now * Y[i, axis] - then * before[i, axis] - shift
            own += apart
            squares += apart * apart
        sums[axis] = own
    sums[d] = squares


@compiled_loop
def multiply(indptr, indices, weights, scale, diagonal, free, X, start, stop, out, sums):
    """Set out = (scale L_w + diag(diagonal)) X, 0 where not free, and sums[axis] = sum X out."""
    d = X.shape[1]
    if d == 2:
        s0, s1 = 0.0, 0.0
        for i in range(start, stop):
            x, y = X[i, 0], X[i, 1]
            fx, fy = 0.0, 0.0
            for k in range(indptr[i], indptr[i + 1]):
                j = indices[k]
                w = weights[k]
                fx += w * (x - X[j, 0])
                fy += w * (y - X[j, 1])
            fx = free[i] * (scale * fx + diagonal[i] * x)
            fy = free[i] * (scale * fy + diagonal[i] * y)
            s0 += x * fx
            s1 += y * fy
            out[i, 0] = fx
            out[i, 1] = fy
        sums[0], sums[1] = s0, s1
        return
    for axis in range(d):
        sums[axis] = 0.0
    for i in range(start, stop):
        for axis in range(d):
            total = 0.0
            for k in range(indptr[i], indptr[i + 1]):
                total += weights[k] * (X[i, axis] - X[indices[k], axis])
            total = free[i] * (scale * total + diagonal[i] * X[i, axis])
            sums[axis] += X[i, axis] * total
            out[i, axis] = total


@compiled_loop
def advance(X, residual, direction, product, length, inverse, start, stop, sums):
    """Step X and residual; sums[0] = sum residual^2, sums[1] = sum residual^2 inverse."""
    d = X.shape[1]
    if d == 2:
        step0, step1 = length[0], length[1]
        squares0, squares1, scaled0, scaled1 = 0.0, 0.0, 0.0, 0.0
        for i in range(start, stop):
            X[i, 0] += step0 * direction[i, 0]
            X[i, 1] += step1 * direction[i, 1]
            r = residual[i, 0] - step0 * product[i, 0]
            t = residual[i, 1] - step1 * product[i, 1]
            residual[i, 0] = r
            residual[i, 1] = t
            r, t = r * r, t * t
            squares0 += r
            squares1 += t
            scaled0 += r * inverse[i]
            scaled1 += t * inverse[i]
        sums[0, 0], sums[0, 1], sums[1, 0], sums[1, 1] = squares0, squares1, scaled0, scaled1
        return
    for axis in range(d):
        squares, scaled = 0.0, 0.0
        for i in range(start, stop):
            X[i, axis] += length[axis] * direction[i, axis]
            r = residual[i, axis] - length[axis] * product[i, axis]
            residual[i, axis] = r
            squares += r * r
            scaled += r * r * inverse[i]
        sums[0, axis], sums[1, axis] = squares, scaled


@compiled_loop
def turn(direction, residual, inverse, factor, start, stop):
    """Set direction = inverse residual + factor direction."""
    d = direction.shape[1]
    for i in range(start, stop):
        for axis in range(d):
            direction[i, axis] = inverse[i] * residual[i, axis] + factor[axis] * direction[i, axis]


@compiled_loop
def iterate(
    indptr, indices, weights, scale, diagonal, free, inverse, goal, max_iter, start, stop, X, residual, direction, rho,
    product, room
):
    """Iterate as `laplacian_gradients` on one graph; scratch: product (n, d), room (4, d)."""
    d = X.shape[1]
    sums, length, factor = room[:2], room[2], room[3]
    for _ in range(max_iter):
        multiply(indptr, indices, weights, scale, diagonal, free, direction, start, stop, product, sums[0])
        going = False
        for axis in range(d):
            curved = sums[0, axis] > 0 and rho[axis] > 0
            length[axis] = rho[axis] / sums[0, axis] if curved else 0.0
            going = going or curved
        if not going:
            break
        advance(X, residual, direction, product, length, inverse, start, stop, sums)
        reached = True
        for axis in range(d):
            reached = reached and sums[0, axis] <= goal[axis]
        if reached:
            break
        for axis in range(d):
            factor[axis] = sums[1, axis] / rho[axis] if rho[axis] > 0 else 0.0
            rho[axis] = sums[1, axis]
        turn(direction, residual, inverse, factor, start, stop)

