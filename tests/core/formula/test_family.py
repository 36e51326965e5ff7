"""The whole family: every divergence under every connection is what its definition says, and special cases agree."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from oracles import DELTA, NAMES, ORACLES, dense_value, differences, objective, part, random_case, xlogy
from scipy.sparse import csr_array

from nelayout.core.catalogue import tune
from nelayout.core.formula.connections import Fixed, Normalized, NormalizedRows, Optimal
from nelayout.core.formula.divergences import (
    DIVERGENCES,
    alpha,
    beta,
    divergence_named,
    f_divergence,
    jensen_shannon,
    jse_divergence,
    mix,
    nerv_divergence,
    reverse_kl,
)
from nelayout.core.formula.divergences.f_divergences import conjugate_name
from nelayout.core.formula.divergences.protocol import BackgroundShare, Similarity
from nelayout.core.formula.kernels import KERNELS, Kernel, heavy_tailed, inverse_power
from nelayout.core.objective import Affinity, Objective
from nelayout.core.sums.nbody import Exact
from nelayout.errors import InputError

KERNEL_TABLE = [*KERNELS.values(), heavy_tailed(0.5), heavy_tailed(2.0), inverse_power(3), Kernel(0.5, 2.0, 0.7)]
CONNECTIONS = [Fixed(0.7), Normalized(), NormalizedRows()]
HOMOGENEOUS = [name for name in NAMES if part(name).degree is not None]
SPACES = [("unit", 2), ("varied", 1), ("varied", 3)]  # masses and dimensions
# Every divergence with every connection: a quick run has one connection for each divergence, in turn, a full run the
# others.
PAIRS = [
    pytest.param(name, c, id=f"{name}-{c.name}", marks=pytest.mark.full if (k + turn) % 3 else ())
    for turn, name in enumerate(NAMES)
    for k, c in enumerate(CONNECTIONS)
]
BEST = [pytest.param(name, Optimal(), id=f"{name}-optimal") for name in HOMOGENEOUS]


def test_every_divergence_has_a_definition():
    assert set(ORACLES) == set(DIVERGENCES), "write a new divergence's definition into ORACLES of tests/oracles.py"


@pytest.mark.parametrize(("name", "connection"), PAIRS)
def test_value_and_gradient_are_the_definition(name, connection):
    """Values up to a constant of the input, gradients to 1e-6 by 4th-order differences of the definition."""
    for kernel, (mass, d) in itertools.product(KERNEL_TABLE, SPACES):
        P, m, Y = random_case(3, mass, n=5, d=d)
        J, dense = objective(P, m, kernel, part(name), connection), P.toarray()

        def defined(Y, dense=dense, m=m, kernel=kernel):
            return dense_value(dense, m, Y, kernel, name, connection)

        here = J.evaluate(Y)
        other = Y + 0.1 * np.random.default_rng(0).normal(size=Y.shape)
        scale = 1e-11 * max(1.0, abs(here.value))
        assert J.evaluate(other).value - here.value == pytest.approx(defined(other) - defined(Y), rel=1e-9, abs=scale)
        numeric = differences(defined, Y)
        error = np.abs(numeric - here.gradient).max() / np.abs(here.gradient).max()
        assert error < 1e-6, (kernel.name, mass, d, error)
        assert here.lam > 0


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.full if k % 3 else ()) for k, name in enumerate(HOMOGENEOUS)]
)
def test_the_optimal_connection_is_the_least_value_of_the_definition(name):
    """No other lambda makes J less; the gradient is that of J at this lambda, times what the values rise by."""
    for kernel, (mass, d) in itertools.product(KERNEL_TABLE, SPACES):
        P, m, Y = random_case(3, mass, n=7, d=d)
        J, dense = objective(P, m, kernel, part(name), Optimal()), P.toarray()
        here = J.evaluate(Y)

        def defined(Y, lam=here.lam, dense=dense, m=m, kernel=kernel):
            return dense_value(dense, m, Y, kernel, name, Optimal(), lam=lam)

        least = defined(Y)
        assert all(defined(Y, here.lam * f) > least - 1e-13 * abs(least) for f in (0.5, 0.99, 0.999, 1.001, 1.01, 2.0))
        numeric = differences(defined, Y)
        ratio = np.sum(numeric * here.gradient) / np.sum(here.gradient**2)
        assert ratio > 0
        error = np.abs(numeric - ratio * here.gradient).max() / np.abs(numeric).max()
        assert error < 1e-5, (kernel.name, mass, d, error)
        rise = differences(lambda Y, J=J: J.evaluate(Y, gradient=False).value, Y)
        assert np.abs(rise - here.gradient).max() < 1e-6 * np.abs(here.gradient).max(), (kernel.name, mass, d)


@pytest.mark.parametrize("name", ["js", "hellinger", "chi2", "jse:0.3", "own f", "reverse-kl", "nerv:0.3"])
@pytest.mark.parametrize("connection", [Normalized(), NormalizedRows()], ids=lambda c: c.name)
def test_normalized_values_are_the_divergence_itself(name, connection):
    """Not only up to a constant: where both sides sum to one, J is D(P || Q)."""
    P, m, Y = random_case(5, "varied", n=14, density=0.05)
    value = objective(P, m, KERNELS["cauchy"], part(name), connection).evaluate(Y).value
    assert value == pytest.approx(dense_value(P.toarray(), m, Y, KERNELS["cauchy"], name, connection), rel=1e-9)


@pytest.mark.parametrize(("name", "connection"), [*PAIRS, *BEST])
def test_compiled_is_numpy(name, connection):
    """Both forms of every loop give the same sums."""
    for kernel, (mass, d) in itertools.product(KERNEL_TABLE, SPACES):
        P, m, Y = random_case(9, mass, n=40, d=d, density=0.1)
        slow = objective(P, m, kernel, part(name), connection).evaluate(Y, weights=True)
        J = objective(P, m, kernel, part(name), connection, compiled=True)
        fast, lean = J.evaluate(Y, weights=True), J.evaluate(Y)
        assert fast.value == pytest.approx(slow.value, rel=1e-9)
        size = np.abs(slow.gradient).max()
        np.testing.assert_allclose(lean.gradient, slow.gradient, rtol=1e-7, atol=1e-9 * size)
        np.testing.assert_allclose(fast.gradient, slow.gradient, rtol=1e-7, atol=1e-9 * size)
        np.testing.assert_allclose(fast.weights, slow.weights, rtol=1e-8, atol=1e-12 * np.abs(slow.weights).max())


@pytest.mark.parametrize("name", NAMES)
def test_edges_that_are_one_power_say_so(name):
    """Other slopes are no power of b: doubled, b multiplies them by another factor each time."""
    p, xi = np.random.default_rng(0).random((2, 50))
    divergence = part(name).bound(BackgroundShare(0.01, True))
    if divergence.edge_powers(p) is None:
        at = (divergence.slope(p, Similarity(KERNELS["cauchy"], xi, lam)) for lam in (0.3, 0.6, 1.2))
        ratios = [after / before for before, after in itertools.pairwise(at)]
        assert np.ptp(ratios) > 1e-6, "it has one power of b: with `edge_powers` its sums are compiled"


def gradient(P, m, Y, divergence, connection):
    return objective(P, m, KERNELS["gaussian"], divergence, connection).evaluate(Y).gradient


@pytest.mark.parametrize(
    ("name", "own", "connections"),
    [
        ("js", lambda t: xlogy(t, t) - (t + 1) * np.log((t + 1) / 2), CONNECTIONS),
        ("hellinger", lambda t: (np.sqrt(t) - 1) ** 2, CONNECTIONS),
        ("chi2", lambda t: (t - 1) ** 2, CONNECTIONS),
        ("jse:0.3", lambda t: xlogy(t, t / (0.3 * t + 0.7)) / 0.7 - np.log(0.3 * t + 0.7) / 0.3, CONNECTIONS),
        *(("alpha:1", lambda t, c=c: xlogy(t, t) + c * (t - 1), CONNECTIONS[1:]) for c in (0.0, -1.0, 2.5)),
    ],
)
def test_own_functions_are_the_named_ones(name, own, connections):
    """f(t) + c (t - 1) is the same divergence of similarities of sum one; t ln t is Kullback-Leibler's."""
    P, m, Y = random_case(15, "varied")
    for connection in connections:
        named = gradient(P, m, Y, divergence_named(name), connection)
        np.testing.assert_allclose(gradient(P, m, Y, f_divergence(own), connection), named, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("name", ["js", "js: mine", "chi2:3"])
def test_a_function_of_the_user_has_no_known_conjugate_whatever_its_name(name):
    assert conjugate_name(f_divergence(lambda t: (t - 1) ** 2 / (t + 1), name=name)) is None
    assert conjugate_name(jensen_shannon()) == "js"


@pytest.mark.parametrize("name", ["jse:0.3", "alpha:0.3", "reverse-kl"])
def test_rows_of_their_own(name):
    """Row-stochastic similarities that are not symmetric: against the definition, entries of 0 in the pattern."""
    rng = np.random.default_rng(19)
    P, m, Y = random_case(19, "varied")
    rows = P.toarray() * rng.uniform(0.2, 1.0, P.shape)
    rows[0, np.flatnonzero(rows[0])[0]] = 0.0
    rows /= rows.sum(axis=1, keepdims=True)
    of_pattern = rows[np.repeat(np.arange(8), np.diff(P.indptr)), P.indices]
    for compiled in (False, True):
        J = objective(P, m, KERNELS["gaussian"], divergence_named(name), NormalizedRows(), of_pattern, compiled)
        other = 1.1 * Y
        rise = dense_value(rows, m, other, KERNELS["gaussian"], name, NormalizedRows())
        rise -= dense_value(rows, m, Y, KERNELS["gaussian"], name, NormalizedRows())
        assert J.evaluate(other).value - J.evaluate(Y).value == pytest.approx(rise, rel=1e-9)
        numeric = differences(lambda Z: dense_value(rows, m, Z, KERNELS["gaussian"], name, NormalizedRows()), Y)
        np.testing.assert_allclose(J.evaluate(Y).gradient, numeric, atol=1e-7)


@pytest.mark.full
def test_rows_on_fast_sums():
    """A node far from all others, whose sums are far below a mesh's error, is drawn by exact ones."""
    from nelayout.core.sums.nbody import backend
    from nelayout.numerics.parallel import Threads

    rng = np.random.default_rng(21)
    Y = rng.normal(size=(3000, 2)) * 12
    Y[0] = [70.0, 0.0]
    edges = np.array([[0, 1], *([k, k + 1] for k in range(1, 2999))])
    Y[1] = Y[0] + [3.5, 0.0]
    A = csr_array((np.ones(len(edges)), edges.T), shape=(3000, 3000))
    P, m = csr_array(A + A.T), np.ones(3000)
    for name in ("kl", "jse:0.5", "nerv:0.5"):
        both = []
        for nbody in (Exact(True), backend("mesh", Threads(), True)):
            kernel, divergence = KERNELS["gaussian"], divergence_named(name)
            J = Objective(Affinity(P, m), kernel, divergence, NormalizedRows(), nbody, compiled=True)
            both.append(J.evaluate(Y))
        exact, fast = both
        assert fast.value == pytest.approx(exact.value, rel=1e-3)
        error = np.linalg.norm(fast.gradient - exact.gradient) / np.linalg.norm(exact.gradient)
        assert error < 0.02, (name, error)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: f_divergence(lambda t: t), r"f\(1\) must be 0"),
        (lambda: f_divergence(lambda t: -((t - 1) ** 2)), "convex"),
        (lambda: f_divergence(lambda t: -np.log(t)), "background"),
        (lambda: f_divergence(lambda t: t * np.log(t)), r"NaN at t = 0.*limit at 0.*xlogy\(t, t\)"),
        (lambda: f_divergence(lambda t: np.where(t > 50, np.nan, (t - 1) ** 2)), "NaN at t = 54.6, not finite.* 41 of"),
        (lambda: f_divergence(lambda t: np.where(t > 50, np.inf, (t - 1) ** 2)), "inf at t = 54.6, not finite"),
        (lambda: f_divergence(np.log), "-inf at t = 0, not finite; so at 1 of"),
        (lambda: f_divergence(math.log), "called with a float array.*raised TypeError.*np.log"),
        (lambda: f_divergence(lambda t: "a"), "called with a float array.*a str of shape"),
        (lambda: f_divergence(lambda t: (t - 1) ** 2 + 0j), "called with a float array.*complex128"),
        (lambda: f_divergence(lambda t: t[:3]), r"array of its shape.*given shape \(122,\).*\(3,\)"),
        (lambda: f_divergence(lambda t: (t - 1) ** 2, math.log), "slope is called with a float array"),
        (lambda: f_divergence(lambda t: 0 * t), "0 everywhere: there is nothing to minimize"),
        (lambda: f_divergence(lambda t: 3 * (t - 1)), "straight line.*nothing to minimize"),
        (lambda: f_divergence(lambda t: abs(t - 1)), r"not smooth near t = 1:.*sqrt\(\(t - 1\)\*\*2 \+ e\*\*2\) - e"),
        (lambda: f_divergence(lambda t: abs(t - 1), np.sign), "not smooth near t = 1:.*slope= repairs no kink"),
        (lambda: f_divergence(lambda t: (t - 1) ** 2, slope=lambda t: t - 1), "slope must be"),
        (lambda: f_divergence(3), "functions"),
        (lambda: beta(True), "the order of a beta divergence must be a finite number; got True"),
        (lambda: divergence_named("nerv:1.5"), "kappa must be a number from 0 to 1"),
        (lambda: divergence_named("jse:-1"), "kappa"),
        (lambda: divergence_named("jse"), "jse:NUMBER"),
        (lambda: mix(2.0, "kl", "js"), "share"),
        (lambda: divergence_named("reverse"), "reverse-kl"),
    ],
)
def test_bad_parts_are_refused(make, message):
    with np.errstate(all="ignore"), pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize("e", [0.5, 0.1, 0.01])
def test_what_is_advised_for_a_kink_is_accepted(e):
    def slope(t):
        return (t - 1) / np.sqrt((t - 1) ** 2 + e**2)

    for own in (None, slope):
        made = f_divergence(lambda t: np.sqrt((t - 1) ** 2 + e**2) - e, own)
        assert made.pairs[0].coefficient == pytest.approx(np.hypot(1, e) - e)


def test_f_may_write_into_what_it_is_given():
    def careless(t):
        t -= 1
        return t * t

    def slope(t):
        t -= 1
        return 2 * t

    P, m, Y = random_case(25, "varied")
    for given, same in (((careless, slope), lambda t: 2 * (t - 1)), ((careless,), None)):
        expected = gradient(P, m, Y, f_divergence(lambda t: (t - 1) ** 2, same), Normalized())
        assert np.array_equal(gradient(P, m, Y, f_divergence(*given), Normalized()), expected)


@pytest.mark.parametrize("wrong", [0.0, 1.0, -0.1, float("nan"), "x", None, True])
@pytest.mark.parametrize(
    "make",
    [
        reverse_kl,
        *(lambda b, order=order: alpha(order, b) for order in (-1, 0, 0.5)),
        *(lambda b, kappa=kappa: nerv_divergence(kappa, b) for kappa in (0, 0.5, 1)),
        *(lambda b, kappa=kappa: jse_divergence(kappa, b) for kappa in (0, 0.5, 1)),
        *(lambda b, order=order: tune("alpha-sne", alpha=order, background=b) for order in (-0.5, 0.5, "auto")),
        *(lambda b, f=f: tune("ftsne", divergence=f, background=b) for f in ("reverse-kl", "js", part("own f"))),
    ],
)
def test_backgrounds_are_between_0_and_1_used_or_not(make, wrong):
    with pytest.raises(InputError, match="background must be a number between 0 and 1"):
        make(wrong)


@pytest.mark.parametrize(
    ("method", "own"),
    [
        *(("alpha-sne", {"alpha": order}) for order in (0.5, 1, "auto")),
        *(
            ("ftsne", {"divergence": given})
            for given in ("kl", "js", lambda t: (t - 1) ** 2, mix(0.5, "kl", reverse_kl(0.2)), reverse_kl(0.2))
        ),
        *(("jse", {"kappa": kappa}) for kappa in (0.5, 0)),
    ],
)
def test_a_background_that_would_be_without_effect_is_refused(method, own):
    name = tune(method, **own).divergence.name
    with pytest.raises(InputError, match=f"background 0.05 was given, but divergence '{name}' has "):
        tune(method, **own, background=0.05)
    assert tune(method, **own, background=DELTA).divergence.name == name  # what would be taken anyway


@pytest.mark.parametrize(
    ("method", "own", "name"),
    [
        ("alpha-sne", {"alpha": -1}, "alpha:-1"),
        ("alpha-sne", {"alpha": 0}, "alpha:0"),
        ("ftsne", {"divergence": "reverse-kl"}, "reverse-kl"),
        ("ftsne", {"divergence": "alpha:-1"}, "alpha:-1"),
        ("jse", {"kappa": 1}, "jse:1"),
        ("nerv", {"kappa": 0.3}, "nerv:0.3"),
    ],
)
@pytest.mark.parametrize("delta", [DELTA, 0.03])
def test_objectives_have_the_background_that_was_given(method, own, name, delta):
    P, m, Y = random_case(27, "varied")
    made = tune(method, **own, background=delta)
    J, other = objective(P, m, made.kernel, made.divergence, made.connection), Y * 1.2

    def defined(Y):
        return dense_value(P.toarray(), m, Y, made.kernel, name, made.connection, delta=delta)

    rise = J.evaluate(other).value - J.evaluate(Y).value
    assert rise == pytest.approx(defined(other) - defined(Y), rel=1e-9, abs=1e-11)
