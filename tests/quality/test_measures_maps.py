"""Agreement with a map: by hand, against brute force, invariances, unknown rows, samples."""

import numpy as np
import pytest
from scipy.optimize import minimize

from nelayout.quality.distances import nearest
from nelayout.quality.neighborhoods import map_neighbors, map_r2


def test_r2_is_what_a_search_over_transforms_finds():
    rng = np.random.default_rng(0)
    for mirrored in (1, -1):
        X = rng.normal(size=(30, 2)) * [2, 1]
        Y = X * [1, mirrored] @ [[0, 3], [-3, 0]] + rng.normal(size=(30, 2)) + 5

        def left(t, X=X, Y=Y, m=mirrored):
            R = np.array([[t[0], t[1]], [-t[1] * m, t[0] * m]])
            return ((Y @ R + t[2:] - X) ** 2).sum()

        best = minimize(left, np.ones(4), tol=1e-14).fun
        r2 = 1 - best / ((X - X.mean(axis=0)) ** 2).sum()
        assert map_r2(Y, X).value == pytest.approx(r2, abs=1e-7)
        assert 0.5 < r2 < 0.999


def test_r2_by_hand():
    corners = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    assert map_r2(corners[[1, 0, 3, 2]], corners).value == pytest.approx(1)  # mirrored
    # Drawn on its diagonal, the square keeps half of its variance.
    assert map_r2(corners * [[1, 0]], corners).value == pytest.approx(0.5)
    assert map_r2(np.zeros((4, 2)), corners).value == 0
    assert np.isnan(map_r2(corners, np.zeros((4, 2))).value)
    assert np.isnan(map_r2(corners, np.full((4, 2), np.nan)).value)


def test_r2_is_the_same_both_ways_and_under_similarities():
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(50, 2)), rng.normal(size=(50, 3))
    Y[:, :2] += X
    value = map_r2(Y, X).value
    assert map_r2(X, Y).value == pytest.approx(value, rel=1e-12)
    assert map_r2(-3 * Y[:, ::-1] + 100, X * 7 - 1).value == pytest.approx(value, rel=1e-9)


def test_neighbors_equal_their_definition():
    rng = np.random.default_rng(2)
    for n, k in ((5, 10), (60, 10), (60, 3)):
        X = rng.normal(size=(n, 2))
        Y = X + 0.3 * rng.normal(size=(n, 2))

        k = min(k, n - 1)

        def first(Z, i, k=k):
            distance = np.linalg.norm(Z - Z[i], axis=1)
            distance[i] = np.inf
            return set(np.argsort(distance)[:k])

        shared = np.mean([len(first(X, i) & first(Y, i)) for i in range(n)]) / k
        assert map_neighbors(Y, X, k).value == pytest.approx(shared)
        assert map_neighbors(5 - 2 * Y, X * 1e-200, k).value == pytest.approx(shared)


def test_nodes_without_coordinates_take_no_part():
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(40, 2)), rng.normal(size=(40, 2))
    holes = X.copy()
    holes[::3, 1] = np.nan
    known = np.arange(40) % 3 > 0
    for measure in (map_r2, map_neighbors):
        assert measure(Y, holes).value == pytest.approx(measure(Y[known], X[known]).value)


def test_nearest_breaks_ties_at_random():
    rng = np.random.default_rng(4)
    X = np.array([[0.0, 0], [1, 0], [-1, 0], [0, 1], [0.5, 0]])
    rows = nearest(X, np.zeros(3000, int), 2, rng)
    assert (rows[:, 0] == 4).all()
    for tied in (1, 2, 3):
        assert np.mean((rows == tied).any(axis=1)) == pytest.approx(1 / 3, abs=0.04)
    together = nearest(np.ones((6, 2)), np.full(3000, 2), 2, rng)
    assert not (together == 2).any()
    for other in (0, 1, 3, 4, 5):
        assert np.mean((together == other).any(axis=1)) == pytest.approx(2 / 5, abs=0.04)


def test_samples_lie_within_their_error():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(2000, 2))
    Y = X + 0.2 * rng.normal(size=(2000, 2)) * (X[:, :1] > 0)
    exact = map_neighbors(Y, X, sample=None).value
    found = [map_neighbors(Y, X, sample=200, seed=seed) for seed in range(40)]
    z = np.array([(f.value - exact) / f.error for f in found])
    assert 0.6 < np.sqrt(np.mean(z**2)) < 1.5
    assert not any(f.exact for f in found)
