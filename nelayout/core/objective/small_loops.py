"""The descent of one small graph by L-BFGS in one compiled loop.

A step of a small graph takes far less time here than the Python calls of `minimize`.  The loop is compiled when the
package is built, see `nelayout.core.objective.small_library`.  `nelayout.core.objective.small` makes the arrays.  All
state is in them, so that the loop can end after any number of steps and go on.

iv    n, d, radial functions, terms, edges, form of the edges (0 power, 1 Box-Cox, 2 logarithm), rule of lambda
      (0 fixed, 1 optimal, 2 normalized, 3 by rows), divergence (0 beta, 1 alpha), pivots, whether coordinates are
      fixed, and the kernel's own radial function (-1: none)
fv    a, b, c of the kernel; order, times and constant of the edges; exaggeration, lambda, sum M, sum P, constant of J,
      order of the divergence; factor and squares of the stress; hidden and inside, see `Affinity`; power of the
      quotient of slopes that is the best lambda
rad   of each radial function: kind, a, b, c, order, value at 0, sum, derivative of J in the sum
term  of each term of phi(0, b): coefficient, order, form (0 power, 1 and 2 Box-Cox, 3 power times logarithm), and its
      radial functions
"""

from __future__ import annotations

import math

from nelayout.core.sums.nbody.combination_loops import COMBINATIONS
from nelayout.core.sums.nbody.pair_loops import node_sums
from nelayout.numerics.compiling import array_at, inlined
from nelayout.numerics.elementary_loops import exponential, logarithm

__all__ = ["run"]

ints, floats, rows_of, blocks = array_at(int, 1), array_at(float, 1), array_at(float, 2), array_at(float, 3)


def pairs_of(left):
    """Make the loop over all pairs for one of the combinations ``left``, by its code."""
    sums_of_node, last = node_sums(*left[0]), len(COMBINATIONS) - len(left)
    others = pairs_of(left[1:]) if left[1:] else None

    @inlined
    def pairs(code, n, X, charges, a, b, c, order, potential, force):
        if code == last:
            xs, ys, zs, charge = X[0, :n], X[1, :n], X[2, :n], charges[:n]
            for i in range(n):
                p, fx, fy, fz = sums_of_node(xs, ys, zs, charge, xs[i], ys[i], zs[i], a, b, c, order, i)
                potential[i] = p
                force[0, i] = 2.0 * fx
                force[1, i] = 2.0 * fy
                force[2, i] = 2.0 * fz
        elif others is not None:
            others(code, n, X, charges, a, b, c, order, potential, force)

    return pairs


pairs = pairs_of(COMBINATIONS)


@inlined
def law_of_edge(form, order, log_b):
    """form(b, order) and its slope in ln b."""
    if form == 2:
        return log_b, 1.0
    power = exponential(order * log_b)
    if form == 1:
        return (power - 1.0) / order, power
    return power, order * power


@inlined
def edges(
    E, rows, cols, factor, times, form, order, X, a, b, c, log_lam, by_rows, n, pull, slopes, att, room, want, out
):
    """Set out to the sums over edges and their slope, and the pull; attraction if wanted."""
    dxs, dys, dzs, xi, shift = room[0, :E], room[1, :E], room[2, :E], room[3, :E], room[4, :E]
    for k in range(E):
        i, j = rows[k], cols[k]
        dx, dy, dz = X[0, i] - X[0, j], X[1, i] - X[1, j], X[2, i] - X[2, j]
        dxs[k], dys[k], dzs[k] = dx, dy, dz
        xi[k] = dx * dx + dy * dy + dz * dz
        shift[k] = log_lam[i]
    value, slope = 0.0, 0.0
    for k in range(E):
        u = c + a * xi[k]
        u = 1e-140 if u < 1e-140 else u
        if a == 0.0:
            log_b, decay = shift[k] - b * xi[k], b
        else:
            log_b, decay = shift[k] - (b / a) * logarithm(u), b / u
        f = times * factor[k]
        v, s = law_of_edge(form, order, log_b)
        value += f * v
        slope += f * s
        shift[k] = f * s
        xi[k] = -decay * f * s
    for i in range(n):
        pull[0, i] = 0.0
        pull[1, i] = 0.0
        pull[2, i] = 0.0
    for k in range(E):
        i, j, w = rows[k], cols[k], xi[k]
        x, y, z = w * dxs[k], w * dys[k], w * dzs[k]
        pull[0, i] += x
        pull[0, j] -= x
        pull[1, i] += y
        pull[1, j] -= y
        pull[2, i] += z
        pull[2, j] -= z
    if by_rows:
        for i in range(n):
            slopes[i] = 0.0
        for k in range(E):
            slopes[rows[k]] += shift[k]
    if want:
        half = 0.5 if by_rows else 1.0
        for i in range(n):
            att[i] = 0.0
        for k in range(E):
            w = half * xi[k]
            w = w if w > 0.0 else 0.0
            att[rows[k]] += w
            att[cols[k]] += w
    twice = 1.0 if by_rows else 2.0
    out[0], out[1] = twice * value, twice * slope


@inlined
def power_mean(mean, order, powers):
    if order == 0.0:
        return mean
    if math.fabs(order) <= 0.1:
        return math.log1p(order * mean) / order if order * mean > -1.0 else math.inf
    return math.log(powers) / order if powers > 0.0 else math.inf


@inlined
def evaluate(
    iv, fv, rad, term, rows, cols, factor, mass, free, sw, su, pivots, X, want, G, att, pot, force, room, node, out
):
    """Set out[0..3] = J, strength, lambda, lost; G: gradient; att: attraction, if wanted."""
    n, d, K, T, E, form, rule, div = iv[0], iv[1], iv[2], iv[3], iv[4], iv[5], iv[6], iv[7]
    k_pivots, has_free = iv[8], iv[9]
    a, b, c, order, times, constant, ex, lam = fv[0], fv[1], fv[2], fv[3], fv[4], fv[5], fv[6], fv[7]
    total, weight, offset, t, mu, squares, hidden, inside = fv[8], fv[9], fv[10], fv[11], fv[12], fv[13], fv[14], fv[15]
    by_rows = rule == 3
    plain = iv[10]
    log_lam, slopes, charge, second = node[0], node[1], node[2], node[3]
    for k in range(K):
        pairs(int(rad[k, 0]), n, X, mass, rad[k, 1], rad[k, 2], rad[k, 3], rad[k, 4], pot[k], force[k])
    out[3], out[4] = 0.0, 0.0
    pull = force[K]
    if not by_rows:
        for k in range(K):
            s = 0.0
            for i in range(n):
                s += mass[i] * pot[k, i]
            rad[k, 6] = s + hidden * rad[k, 5]
            rad[k, 7] = 0.0
        norm = rad[plain, 6] if plain >= 0 else 0.0
        if rule == 2:
            if not norm > 0.0:
                out[0] = math.inf
                return
            lam = 1.0 / norm
        ln = math.log(lam)
        for i in range(n):
            log_lam[i] = ln
        p_value, p_slope = 0.0, 0.0
        for k in range(T):
            coef, o, f, r0, r1 = term[k, 0], term[k, 1], int(term[k, 2]), int(term[k, 3]), int(term[k, 4])
            scale = coef * lam**o
            product = scale * rad[r0, 6]
            if f == 0:
                p_value += product
                p_slope += o * product
                rad[r0, 7] += scale
            elif f == 3:
                v = product + scale * ln * rad[r1, 6]
                p_value += v
                p_slope += o * v + scale * rad[r1, 6]
                rad[r0, 7] += scale
                rad[r1, 7] += scale * ln
            elif f == 1:  # boxcox above small orders, from powers
                p_value += (product - coef * total) / o
                p_slope += product
                rad[r0, 7] += scale / o
            else:
                shift = coef * (ln if o == 0.0 else math.expm1(o * ln) / o)
                p_value += product + shift * total
                p_slope += scale * (o * rad[r0, 6] + total)
                rad[r0, 7] += scale
        edges(
            E, rows, cols, factor, times, form, order, X, a, b, c, log_lam, False, n, pull, slopes, att, room, want, out
        )
        e_value, e_slope = out[0] + constant, out[1]
        if inside != 0.0:
            v, s = law_of_edge(form, order, ln)
            e_value += times * inside * v
            e_slope += times * inside * s
        d_pairs, d_norm = 1.0, 0.0
        if rule == 1:
            if not (p_slope > 0.0 and e_slope < 0.0):
                out[0] = math.inf
                return
            if div == 0:
                down = -power_mean(-e_value / weight, t - 1.0, -e_slope / weight)
                up = power_mean(p_value / total, t, p_slope / total)
            else:
                down = power_mean(t * e_value / weight + 1.0, t - 1.0, -t * e_slope / weight)
                up = math.log(t * p_value) if p_value > 0.0 else math.inf
            value = ex * down + up
            d_edges, d_pairs, lam = -ex / e_slope, 1.0 / p_slope, (-e_slope / p_slope) ** fv[16]
        else:
            value, d_edges = ex * e_value + p_value, ex
            if rule == 2:
                d_norm = -(ex * e_slope + p_slope) * lam
        out[0], out[1], out[2] = value + offset, math.fabs(d_edges * e_slope), lam
        if want:
            for i in range(n):
                att[i] *= d_edges
        for axis in range(d):
            for i in range(n):
                G[axis, i] = 4.0 * d_edges * pull[axis, i]
            for k in range(K):
                q = 2.0 * (d_pairs * rad[k, 7] + (d_norm if k == plain else 0.0))
                f = force[k, axis]
                for i in range(n):
                    G[axis, i] += q * mass[i] * f[i]
    else:
        for i in range(n):
            s = pot[plain, i]
            if not (s > 1e-280 and s < math.inf):
                out[3] += 1.0
                node[4, i] = 1.0
            else:
                node[4, i] = 0.0
            log_lam[i] = -math.log(s)
        if out[3] > 0.0:
            out[0] = math.inf
            return
        edges(
            E, rows, cols, factor, times, form, order, X, a, b, c, log_lam, True, n, pull, slopes, att, room, want, out
        )
        value = ex * (out[0] + constant)
        out[1] = math.fabs(ex * out[1])
        whole = 0.0
        for i in range(n):
            whole += mass[i]
        for axis in range(d):
            for i in range(n):
                G[axis, i] = 2.0 * ex * pull[axis, i]
        # one term of powers: phi(0, b) = coef b^o (KL: b)
        for k in range(T):
            coef, o, f, r0 = term[k, 0], term[k, 1], int(term[k, 2]), int(term[k, 3])
            for i in range(n):
                scale = coef * math.exp(o * log_lam[i])
                product = scale * pot[r0, i]
                q = scale
                if f == 1:
                    value += (product - coef * (whole - mass[i])) / o
                    slopes[i] = -(ex * slopes[i] + product)
                    q = scale / o
                else:
                    value += product
                    slopes[i] = -(ex * slopes[i] + o * product)
                charge[i] = q + slopes[i] * math.exp(log_lam[i])
            pairs(int(rad[r0, 0]), n, X, charge, rad[r0, 1], rad[r0, 2], rad[r0, 3], rad[r0, 4], second, room[:3])
            for axis in range(d):
                for i in range(n):
                    G[axis, i] += charge[i] * force[r0, axis, i] + mass[i] * room[axis, i]
        mean = 0.0
        for i in range(n):
            mean += log_lam[i] / n
        out[0], out[2] = value + offset, math.exp(mean)
        if want:
            for i in range(n):
                att[i] *= ex
    if mu != 0.0:  # stress of distances to pivots
        px, qx = room[:3], room[3:6]
        for axis in range(3):
            for i in range(n):
                px[axis, i] = 0.0
                qx[axis, i] = 0.0
        sa, sb = 0.0, 0.0
        for k in range(k_pivots):
            at = pivots[k]
            x, y, z = X[0, at], X[1, at], X[2, at]
            w, u = sw[k], su[k]
            fx, fy, fz, gx, gy, gz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for j in range(n):
                dx, dy, dz = X[0, j] - x, X[1, j] - y, X[2, j] - z
                square = dx * dx + dy * dy + dz * dz + 1e-300
                f, g = w[j], u[j] / math.sqrt(square)
                sa += g * square
                sb += f * square
                px[0, j] += f * dx
                px[1, j] += f * dy
                px[2, j] += f * dz
                qx[0, j] += g * dx
                qx[1, j] += g * dy
                qx[2, j] += g * dz
                fx += f * dx
                fy += f * dy
                fz += f * dz
                gx += g * dx
                gy += g * dy
                gz += g * dz
            px[0, at] -= fx
            px[1, at] -= fy
            px[2, at] -= fz
            qx[0, at] -= gx
            qx[1, at] -= gy
            qx[2, at] -= gz
        scale = sa / sb if sb > 0.0 else 0.0
        cost = mu * (scale * (scale * sb - 2.0 * sa) + squares) / squares
        out[0] += cost
        out[1] += cost
        steep = 2.0 * mu / squares * scale
        for axis in range(d):
            for i in range(n):
                G[axis, i] += steep * (scale * px[axis, i] - qx[axis, i])
        out[4] = steep * scale
    if has_free:
        for axis in range(d):
            for i in range(n):
                G[axis, i] *= free[axis, i]


@inlined
def dot(m, a, b):
    s = 0.0
    for i in range(m):
        s += a[i] * b[i]
    return s


@inlined
def radius_of(n, d, X):
    s = 0.0
    for axis in range(d):
        mean = 0.0
        for i in range(n):
            mean += X[axis, i]
        mean /= n
        for i in range(n):
            s += (X[axis, i] - mean) ** 2
    return math.sqrt(s / n)


@inlined
def inverse_of(n, att, stiff, times, inverse):
    """Set inverse to 1 / (4 w_i): attraction, at least its mean, and stiffness / 4."""
    mean = 0.0
    for i in range(n):
        mean += att[i]
    mean /= n
    least = mean if mean > 0.0 else 1.0
    for i in range(n):
        inverse[i] = 1.0 / (4.0 * ((att[i] if att[i] > least else least) + 0.25 * times * stiff[i]))


@inlined
def descend(
    iv, fv, rad, term, rows, cols, factor, mass, free, sw, su, pivots, stiff, X, G, Xn, Gn, D, x, g, xn, gn, q, inverse,
    att, pot, force, room, node, S, Z, curv, past, rest, sf, si, out, trace, most
):
    """Take at most ``most`` steps; return the reason of the end, 0: none yet.

    x, g, xn, gn and q are the first n d numbers of X, G, Xn, Gn and D.  Without a step Gn is the gradient at X.
    """
    n, d = iv[0], iv[1]
    m, pairs_kept, lull_steps = n * d, S.shape[0], past.shape[0] - 1
    force_tol, lull, point, window, move = rest[0], rest[1], rest[2], int(rest[3]), rest[4]
    # si: begun, made, count, slot, age, failed, calm, stuck, evaluations, still
    # sf: J, strength, scale of the diagonal, J at first, slope, length, radius
    made_now = 0
    while made_now < most or most == 0:
        begin = si[0] == 0
        value, strength = sf[0], sf[1]
        if si[5] >= 30:
            if si[2] == 0:
                si[7] = 1
            si[2], si[5] = 0, 0
            sf[2] = 1.0
        if si[5] == 0 and not begin:
            for i in range(m):
                q[i] = -g[i]
            newest = si[3]
            for r in range(si[2]):
                k = (newest - 1 - r) % pairs_kept
                curv[1, k] = dot(m, S[k], q) / curv[0, k]
                f, z = curv[1, k], Z[k]
                for i in range(m):
                    q[i] -= f * z[i]
            for axis in range(d):
                for i in range(n):
                    D[axis, i] *= sf[2] * inverse[i]
            for r in range(si[2]):
                k = (newest - si[2] + r) % pairs_kept
                f, s = curv[1, k] - dot(m, Z[k], q) / curv[0, k], S[k]
                for i in range(m):
                    q[i] += f * s[i]
            slope = dot(m, q, g)
            if not slope < 0.0:
                for axis in range(d):
                    for i in range(n):
                        D[axis, i] = -inverse[i] * G[axis, i]
                si[2] = 0
                sf[2] = 1.0
                slope = dot(m, q, g)
            sf[4], sf[5] = slope, 1.0
        slope, length = sf[4], sf[5]
        promised = -length * slope
        if not begin and (promised <= 1e-13 * math.fabs(value) or promised <= 1e-13 * strength):
            si[7] = 1
        if si[7] != 0:
            return 1 if si[6] > 0 or force_tol == 0.0 else 2
        renew = begin or si[4] + 1 >= 10
        if begin:
            length, slope = 0.0, 0.0
            for i in range(m):
                q[i] = 0.0
        for i in range(m):
            xn[i] = x[i] + length * q[i]
        evaluate(
            iv, fv, rad, term, rows, cols, factor, mass, free, sw, su, pivots, Xn, renew, Gn, att, pot, force, room,
            node, out
        )
        if most == 0:
            return 0
        si[8] += 1
        then = out[0]
        if begin:
            si[0] = 1
            sf[0], sf[1], sf[2], sf[3] = out[0], out[1], 1.0, out[0]
            inverse_of(n, att, stiff, 2.0 * out[4], inverse)
            for i in range(m):
                g[i] = gn[i]
            sf[6] = radius_of(n, d, X)
            for k in range(lull_steps + 1):
                past[k] = math.nan
            past[lull_steps] = out[0]
            if not math.fabs(out[0]) < math.inf:
                return 9
            continue
        finite = math.fabs(then) < math.inf
        low = finite and then <= value + 1e-4 * length * slope
        taken = low and dot(m, gn, gn) < 1e300
        if not taken:
            rise = then - value if finite else 0.0
            bottom = 2.0 * (rise + promised)
            shorter = promised / bottom if bottom > 0.0 else math.inf
            shorter = 0.1 if low else min(max(shorter, 0.05), 0.5)
            sf[5] = length * shorter
            si[5] += 1
            if not finite:
                largest, flying = 0.0, out[3] > 0.0
                for i in range(n):
                    s = 0.0
                    for axis in range(d):
                        s += D[axis, i] * D[axis, i]
                    largest = max(largest, s)
                largest = 0.1 * math.sqrt(largest)
                for i in range(n):
                    s = 0.0
                    for axis in range(d):
                        s += D[axis, i] * D[axis, i]
                    s = math.sqrt(s)
                    f = (0.0 if node[4, i] > 0.0 else 1.0) if flying else largest / max(s, largest, 1e-300)
                    for axis in range(d):
                        Xn[axis, i] = f * D[axis, i]
                held = dot(m, xn, g)
                if held < 0.0:
                    for i in range(m):
                        q[i] = xn[i]
                    sf[4], sf[5] = held, length
                else:
                    sf[5] = 0.1 * length
            continue
        if renew:
            inverse_of(n, att, stiff, 2.0 * out[4], inverse)
            si[4] = 0
        else:
            si[4] += 1
        p = si[3]
        s, z = S[p], Z[p]
        weighted, curvature = 0.0, 0.0
        for axis in range(d):
            for i in range(n):
                e, change = axis * n + i, Gn[axis, i] - G[axis, i]
                s[e], z[e] = length * D[axis, i], change
                weighted += change * inverse[i] * change
                curvature += s[e] * change
        if weighted > 0.0 and curvature > 1e-10 * weighted and curvature > 2.3e-308:
            curv[0, p] = curvature
            si[3] = (p + 1) % pairs_kept
            si[2] = min(si[2] + 1, pairs_kept - 1)
            sf[2] = curvature / weighted
        moved = 0.0
        if move > 0.0:
            radius = radius_of(n, d, Xn)
            if radius > 0.0 and sf[6] > 0.0:
                for i in range(m):
                    x[i] = xn[i] / radius - x[i] / sf[6]
                moved = radius_of(n, d, X)
            sf[6] = radius
        for i in range(m):
            x[i] = xn[i]
            g[i] = gn[i]
        sf[0], sf[1] = then, out[1]
        si[5] = 0
        si[1] += 1
        sf[5] = 1.0
        trace[made_now] = then
        made_now += 1
        reason = 0
        if force_tol > 0.0 or point > 0.0:
            radius = radius_of(n, d, X)
        if force_tol > 0.0:
            least = min(math.fabs(then), out[1])
            steep = math.sqrt(n * dot(m, g, g)) * radius / n ** (1.0 / d)
            si[6] = si[6] + 1 if steep <= force_tol * least else 0
            if si[6] >= window:
                reason = 1
        if lull >= 0.0:
            for k in range(lull_steps):
                past[k] = past[k + 1]
            past[lull_steps] = then
            if math.fabs(past[0] - then) <= lull * (sf[3] - then):
                reason = 2
        if move > 0.0:
            si[9] = si[9] + 1 if moved * n ** (1.0 / d) < move else 0
            if si[9] >= window:
                reason = 1
        if point > 0.0 and radius < point:
            reason = 3
        if reason != 0:
            return reason
    return 0


def run(table):
    """Descend as `descend` does, with the arrays at the rows of a table."""
    return descend(
        ints(table, 0), floats(table, 1), rows_of(table, 2), rows_of(table, 3), ints(table, 4), ints(table, 5),
        floats(table, 6), floats(table, 7), rows_of(table, 8), rows_of(table, 9), rows_of(table, 10), ints(table, 11),
        floats(table, 12), rows_of(table, 13), rows_of(table, 14), rows_of(table, 15), rows_of(table, 16),
        rows_of(table, 17), floats(table, 18), floats(table, 19), floats(table, 20), floats(table, 21),
        floats(table, 22), floats(table, 23), floats(table, 24), rows_of(table, 25), blocks(table, 26),
        rows_of(table, 27), rows_of(table, 28), rows_of(table, 29), rows_of(table, 30), rows_of(table, 31),
        floats(table, 32), floats(table, 33), floats(table, 34), ints(table, 35), floats(table, 36), floats(table, 37),
        table[4 * 38],
    )
