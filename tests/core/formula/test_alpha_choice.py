"""Choosing alpha: score matching against its definition, orders recovered from samples, the walk over the orders."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nelayout.core.formula.alpha_choice import GRID, choose_order, score_matching
from nelayout.errors import InputError


def divergence(v, m, alpha):
    """D_alpha(v||m) as METHODS writes it, with its limits at 0 and 1."""
    if alpha == 1:
        return v * np.log(v / m) - v + m
    if alpha == 0:
        return m * np.log(m / v) - m + v
    return (v**alpha * m ** (1 - alpha) - alpha * v + (alpha - 1) * m) / (alpha * (alpha - 1))


def some_pairs(n=50, seed=0):
    rng = np.random.default_rng(seed)
    m = np.exp(rng.normal(size=n))
    return m * np.exp(0.6 * rng.normal(size=n)), m


def sample_eda(m, alpha, phi, rng, count):
    """(len(m), count) of v ~ p(v; m, alpha, phi): the inverse of the distribution function on a grid of ln(v/m)."""
    x = np.linspace(-40.0, 12.0, 4001)
    d = divergence(np.exp(x), 1.0, alpha)
    v = np.empty((len(m), count))
    for i, mass in enumerate(m):
        h = x / 2 - mass / phi * d
        p = np.exp(h - h.max())
        below = np.concatenate([[0.0], np.cumsum(p[1:] + p[:-1])])
        v[i] = mass * np.exp(np.interp(rng.random(count) * below[-1], below, x))
    return v


@pytest.fixture(scope="module")
def samples():
    """alpha -> (v, m), 100,000 pairs drawn at that order, phi = 1: 500 for each of 200 values of m.

    8,000 pairs leave score matching an error of 0.06; it shrinks as 1/sqrt(N).
    """
    drawn = {}
    for alpha in (0.3, 0.5, 1.0):
        rng = np.random.default_rng(7)
        m = np.exp(rng.normal(size=200))
        drawn[alpha] = (sample_eda(m, alpha, 1.0, rng, 500).ravel(), np.repeat(m, 500))
    return drawn


@pytest.mark.parametrize("alpha", [0.1, 0.5, 1.0, 1.0 + 1e-7, 1.7])
def test_score_matching_is_the_loss_of_its_definition(alpha):
    """2 v psi + v^2 psi' + (v psi)^2 / 2 with psi = d ln p/dv from differences = -3N/8 - B/phi + A/(2 phi^2)."""
    v, m = some_pairs()
    limit = 1.0 if abs(alpha - 1) < 1e-6 else alpha

    def loss(phi):
        h = 2e-3 * v  # five-point differences of ln p
        at = [v + k * h for k in (-2, -1, 0, 1, 2)]
        a, b, c, d, e = (-0.5 * np.log(x) - divergence(x, m, limit) / phi for x in at)
        psi = (a - 8 * b + 8 * d - e) / (12 * h)
        slope = (-a + 16 * b - 30 * c + 16 * d - e) / (12 * h * h)
        return float(np.sum(2 * v * psi + v * v * slope + (v * psi) ** 2 / 2))

    score, phi = score_matching(v, m, alpha)
    B = score * phi  # B^2/A times A/B
    A = B * phi
    for tried in (0.3, 1.0, phi, 5.0):
        assert loss(tried) == pytest.approx(-3 * len(v) / 8 - B / tried + A / (2 * tried**2), rel=1e-6)
    assert loss(phi) == pytest.approx(-3 * len(v) / 8 - score / 2, rel=1e-6)
    assert loss(phi) < min(loss(0.95 * phi), loss(1.05 * phi))
    for c in (1e-8, 3.0, 1e5):  # units do not matter
        assert score_matching(c * v, c * m, alpha) == pytest.approx((score, c * phi), rel=1e-12)


def test_score_matching_is_continuous_through_one():
    v, m = some_pairs()
    for e in (1e-15, -1e-12, 1e-9, -1e-9):
        assert score_matching(v, m, 1.0 + e) == pytest.approx(score_matching(v, m, 1.0), rel=1e-8)


@pytest.mark.full
@example(ln_r=[0.0, -257.0], ln_m=140.0, alpha=0.5)
@example(ln_r=[237.0], ln_m=236.0, alpha=2.0)
@given(
    ln_r=st.lists(st.floats(-300, 300), min_size=1, max_size=6),
    ln_m=st.floats(-300, 300),
    alpha=st.sampled_from([-1.0, 0.0, 0.1, 0.5, 1.0, 1.0001, 2.0]),
)
def test_score_matching_in_exact_arithmetic(ln_r, ln_m, alpha):
    """Ratios over 260 orders of magnitude, against 700 digits, in which every float is exact."""
    from decimal import Decimal, localcontext

    m = np.exp(np.full(len(ln_r), ln_m))
    v = m * np.exp(np.array(ln_r))
    score, phi = score_matching(v, m, alpha)
    with localcontext() as context:
        context.prec = 700
        context.Emax, context.Emin = 10**6, -(10**6)
        A = B = Decimal(0)
        for a, b in zip(v, m, strict=True):
            r, order = Decimal(float(a)) / Decimal(float(b)), Decimal(alpha)
            k = Decimal(float(a)) * (order - 1).__mul__(r.ln()).exp()
            g = Decimal(float(a)) * r.ln() if order == 1 else (k - Decimal(float(a))) / (order - 1)
            A, B = A + g * g, B + g * 3 / 2 + k
        decided = abs(B) > A.sqrt() / 1000  # else the terms of B cancel
        phi_then, score_then = float(A / B), float(B * B / A) if A > 0 else math.inf
    if (v == m).all():
        assert (score, phi) == (math.inf, 0.0)
    elif decided and B > 0:
        assert score == pytest.approx(score_then, rel=1e-9)
        assert phi == pytest.approx(phi_then, rel=1e-9)
    elif decided:
        assert score == -math.inf
        assert math.isnan(phi)


def test_scores_when_nothing_strays_or_everything_does():
    m = np.array([1.0, 2.0])
    assert score_matching(m, m, 0.4) == (math.inf, 0.0)
    # alpha = 1: g = v ln r = -v ln 10, k = v: B = v (1 - 1.5 ln 10) < 0
    assert score_matching(m, 10 * m, 1.0) == pytest.approx((-math.inf, math.nan), nan_ok=True)


@pytest.mark.parametrize("alpha", [0.3, 0.5, 1.0])
def test_order_is_recovered(samples, alpha):
    v, m = samples[alpha]
    grid = alpha + 0.01 * np.arange(-8, 9)
    values = [score_matching(v, m, a)[0] for a in grid]
    assert grid[np.argmax(values)] == pytest.approx(alpha, abs=0.0501)
    assert score_matching(v, m, alpha)[1] == pytest.approx(1.0, abs=0.02)


def test_choose_order_recovers_the_order(samples):
    v, m = (part[::20] for part in samples[0.5])
    choice, drawing = choose_order(lambda alpha, start: (alpha, v, m), grid=[0.8, 0.6, 0.5, 0.4, 0.2])
    assert choice.alpha == drawing == pytest.approx(0.5, abs=0.1)
    assert max(choice.scores) == choice.scores[choice.alphas.index(choice.alpha)]
    assert choice.phi == score_matching(v, m, choice.alpha)[1]
    np.testing.assert_allclose(choice.scores, [score_matching(v, m, a)[0] for a in choice.alphas])
    assert len(choice.alphas) > 5
    assert np.all(np.diff(choice.alphas) > 0)


def test_each_drawing_starts_from_the_one_before():
    """Down from 1, then up from where the walk began, then from the nearest."""
    v, m = some_pairs(500)
    calls = []

    def fit(alpha, start):
        calls.append((alpha, start))
        return f"drawn at {alpha}", v, m

    choice, _ = choose_order(fit, grid=[1.5, 0.2, 2.0, 1.0, 0.6, 0.6], refine=False)
    starts = [None, "drawn at 1.0", "drawn at 0.6", "drawn at 1.0", "drawn at 1.5"]
    assert calls == list(zip([1.0, 0.6, 0.2, 1.5, 2.0], starts, strict=True))
    assert choice.alphas == (0.2, 0.6, 1.0, 1.5, 2.0)
    calls.clear()
    assert choose_order(fit, grid=[0.7])[0].alphas == (0.7,)
    assert calls == [(0.7, None)]
    calls.clear()
    choice, drawing = choose_order(fit, grid=[1.0, 0.6, 0.2])
    assert drawing == f"drawn at {choice.alpha}"
    assert GRID == (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1), "the paper's range"
    drawn = [1.0, 0.6, 0.2]
    for alpha, start in calls[3:]:
        assert start == f"drawn at {min(drawn, key=lambda a: abs(a - alpha))}"
        drawn.append(alpha)
    assert len(drawn) > 5


def test_the_profile_decides_and_not_one_drawing(samples):
    """Each order has pairs of its own; only those of 0.4 are of its density, all others stray beyond any phi."""
    v, m = (part[::100] for part in samples[0.3])
    choice, drawing = choose_order(
        lambda alpha, start: (alpha, v, m if alpha == 0.4 else 1e6 * m), grid=[1.0, 0.7, 0.4], refine=False
    )
    assert choice.alpha == drawing == 0.4


def test_notes_say_how_far_to_trust():
    rng = np.random.default_rng(0)
    m = np.exp(rng.normal(size=300))
    near = m * np.exp(0.01 * rng.normal(size=300))
    choice, _ = choose_order(lambda alpha, start: (0, near, m), grid=[1.0, 0.5], refine=False)
    assert any("barely identified" in note for note in choice.notes)
    assert any("end of the orders tried, 0.5 to 1" in note for note in choice.notes)
    v, m = some_pairs(500)
    assert choose_order(lambda alpha, start: (0, v, m), grid=[0.5], refine=False)[0].notes == ()


@pytest.mark.parametrize(
    ("ratio", "grid", "message"),
    [
        (1 + 1e-9 * np.array([1, 0, -1]), GRID, r"at alpha = 1 .* exactly.*give alpha as a number"),
        (1e-3, [1.0, 0.9], r"no alpha from 0\.9 to 1 fits.*no phi > 0"),
        (2.0, [], "grid of orders is empty"),
    ],
)
def test_exact_drawings_hopeless_ones_and_empty_grids_are_refused(ratio, grid, message):
    m = np.array([1.0, 2.0, 3.0])
    with pytest.raises(InputError, match=message):
        choose_order(lambda alpha, start: (0, ratio * m, m), grid=grid)


@pytest.mark.parametrize(
    ("v", "m", "alpha", "message"),
    [
        ([1.0, 0.0], [1.0, 1.0], 1.0, r"v\[1\] is 0\.0; pairs are positive"),
        ([1.0], [math.nan], 1.0, r"m\[0\] is nan"),
        ([1.0], [math.inf], 1.0, r"m\[0\] is inf"),
        ([1.0, 2.0], [1.0], 1.0, r"one length.*\(2,\) and \(1,\)"),
        ([], [], 1.0, "at least 1"),
        ([1.0], [1.0], math.nan, "alpha must be a finite number; got nan"),
        ([1.0], [1.0], "auto", "alpha must be a finite number; got 'auto'"),
    ],
)
def test_bad_pairs_are_refused_in_words(v, m, alpha, message):
    with pytest.raises(InputError, match=message):
        score_matching(v, m, alpha)
