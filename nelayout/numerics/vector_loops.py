"""Compiled sums and updates of (n, d) arrays taken as one long row: each passes over memory once."""

from __future__ import annotations

from nelayout.numerics.compiling import compiled_loop

__all__ = [
    "advance",
    "combine",
    "dot",
    "hinges",
    "iterate",
    "multiply",
    "scale_dot",
    "spread",
    "subtract_dot",
    "turn",
    "two_loops",
    "weighted_dot",
]


@compiled_loop
def dot(a, b, start, stop):
    """sum a b."""
    total = 0.0
    for k in range(start, stop):
        total += a[k] * b[k]
    return total


@compiled_loop
def subtract_dot(q, part, change, other, start, stop):
    """q -= part change, then sum q other."""
    total = 0.0
    for k in range(start, stop):
        q[k] -= part * change[k]
        total += q[k] * other[k]
    return total


@compiled_loop
def weighted_dot(a, b, weights, start, stop):
    """sum weights_i a_ij b_ij over rows start..stop."""
    total = 0.0
    for i in range(start, stop):
        own = 0.0
        for axis in range(a.shape[1]):
            own += a[i, axis] * b[i, axis]
        total += weights[i] * own
    return total


@compiled_loop
def scale_dot(q, factor, weights, other, start, stop):
    """q_ij *= factor weights_i over rows start..stop, then sum q other."""
    total = 0.0
    for i in range(start, stop):
        own = factor * weights[i]
        for axis in range(q.shape[1]):
            q[i, axis] *= own
            total += q[i, axis] * other[i, axis]
    return total


@compiled_loop
def two_loops(q, moves, changes, curvatures, inverse, start, parts):
    """q becomes H q (Nocedal & Wright 2006, alg. 7.4), for curvature pairs (k, n, d), oldest first.

    ``q`` and ``changes`` come twice, as they are and as (n d,) and (k, n d), which is the shape of ``moves``;
    ``start`` is 0, as a number that the compiler does not know: it would compile all sums anew for one that it does.
    ``parts``: scratch memory (k,).
    """
    (q, flat), (changes, steps), newest = q, changes, len(moves) - 1
    n, size = q.shape[0], flat.shape[0]
    seen = dot(moves[newest], flat, start, size)
    for k in range(newest, -1, -1):
        parts[k] = seen / curvatures[k]
        seen = subtract_dot(flat, parts[k], steps[k], moves[k - 1 if k > 0 else 0], start, size)
    factor = curvatures[newest] / weighted_dot(changes[newest], changes[newest], inverse, start, n)
    seen = scale_dot(q, factor, inverse, changes[0], start, n)
    for k in range(newest + 1):
        part = seen / curvatures[k] - parts[k]
        seen = subtract_dot(flat, part, moves[k], steps[k + 1 if k < newest else newest], start, size)


@compiled_loop
def combine(out, scale, force, factor, charges, start, stop):
    """out_ij = scale out_ij + factor charges_i force_ij over rows start..stop."""
    for i in range(start, stop):
        own = factor * charges[i]
        for axis in range(out.shape[1]):
            out[i, axis] = scale * out[i, axis] + own * force[i, axis]


@compiled_loop
def spread(Y, before, part, part_before, shift, start, stop, sums):
    """sum |D_i|^2 with D = part Y - part_before before - shift over rows start..stop, and sums[axis] = sum D."""
    total = 0.0
    for axis in range(Y.shape[1]):
        own = 0.0
        for i in range(start, stop):
            apart = part * Y[i, axis] - part_before * before[i, axis] - shift[axis]
            own += apart
            total += apart * apart
        sums[axis] = own
    return total


@compiled_loop
def multiply(indptr, indices, weights, scale, diagonal, free, X, start, stop, out, sums):
    """out = (scale L_w + diag(diagonal)) X over rows start..stop, and sums[axis] = sum X out; 0 where not free."""
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
    """X += length direction, residual -= length product; sums[0] = sum residual^2, sums[1] = sum residual^2 inverse."""
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
    """direction = inverse residual + factor direction."""
    d = direction.shape[1]
    for i in range(start, stop):
        for axis in range(d):
            direction[i, axis] = inverse[i] * residual[i, axis] + factor[axis] * direction[i, axis]


@compiled_loop
def iterate(
    indptr, indices, weights, scale, diagonal, free, inverse, goal, max_iter, start, stop, X, residual, direction, rho,
    product, room
):
    """`conjugate_gradients.laplacian_gradients` from its first direction to its end, on rows that are a graph alone.

    ``product`` (n, d) and ``room`` (4, d) are scratch memory.
    """
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


@compiled_loop
def hinges(inner, drawn, rate, last, score, slope):
    """score_k = sum_u last_u max(0, inner_ku + drawn_k rate_u), and its derivatives in drawn_k."""
    width = inner.shape[1]
    for k in range(inner.shape[0]):
        at = drawn[k]
        total, steep = 0.0, 0.0
        for u in range(width):
            value = inner[k, u] + at * rate[u]
            open_ = 1.0 if value > 0.0 else 0.0
            total += last[u] * value * open_
            steep += last[u] * rate[u] * open_
        score[k], slope[k] = total, steep
