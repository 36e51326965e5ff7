"""Neighborhoods and maps: by hand, against definitions in sets, against a search over transforms, ties."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from measured import others
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.spatial import KDTree

from nelayout.graphs import read
from nelayout.quality.distances import near_shares
from nelayout.quality.neighborhoods import map_neighbors, map_r2, neighborhood_jaccard, neighbors_kept


def random_graph(n, m, rng):
    return read(nx.gnm_random_graph(n, m, seed=int(rng.integers(1000)))).adjacency


def by_definition(A, Y, hops):
    reach = A.toarray() > 0
    if hops == 2:
        reach = reach | (reach.astype(int) @ reach.astype(int) > 0)
    np.fill_diagonal(reach, val=False)
    values = []
    for near, row in zip(others(Y).tolist(), reach, strict=True):
        N = set(np.flatnonzero(row))
        L = set(near[: len(N)])
        values += [len(N & L) / len(N | L)] if N else []
    return np.mean(values)


@pytest.mark.parametrize("hops", [1, 2])
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_equals_its_definition(hops, dim):
    rng = np.random.default_rng(dim)
    for n, m in ((2, 1), (7, 9), (40, 70), (150, 900), (90, 3000)):
        A, Y = random_graph(n, m, rng), rng.normal(size=(n, dim))
        found = neighborhood_jaccard(A, Y, hops)
        assert found.exact
        assert found.error == 0
        assert found.value == pytest.approx(by_definition(A, Y, hops), abs=1e-12)


def test_blocks_change_nothing(monkeypatch):
    rng = np.random.default_rng(5)
    A, Y = random_graph(400, 3000, rng), rng.normal(size=(400, 2))
    value = neighborhood_jaccard(A, Y, 2).value
    monkeypatch.setattr("nelayout.numerics.blocks.BLOCK_BYTES", 16_000)
    assert neighborhood_jaccard(A, Y, 2).value == pytest.approx(value, abs=1e-12)


def test_isolated_nodes_take_up_room_and_are_not_asked():
    A = read(nx.disjoint_union(nx.path_graph(2), nx.empty_graph(2))).adjacency
    assert neighborhood_jaccard(A, np.array([[0.0], [1], [5], [6]])).value == 1
    assert neighborhood_jaccard(A, np.array([[0.0], [1], [0.5], [6]])).value == 0
    assert np.isnan(neighborhood_jaccard(read(nx.empty_graph(3)).adjacency, np.zeros((3, 2))).value)


def mean_over_orders(A, Y, i):
    """The mean Jaccard index of node i over all choices among its tied neighbors, by listing them."""
    N = set(A.indices[A.indptr[i] : A.indptr[i + 1]].tolist())
    others = sorted((round(float(np.linalg.norm(Y[j] - Y[i])), 9), j) for j in range(len(Y)) if j != i)
    border = others[len(N) - 1][0]
    inside = {j for x, j in others if x < border}
    tied = [j for x, j in others if x == border]
    choices = [inside | set(some) for some in combinations(tied, len(N) - len(inside))]
    return np.mean([len(N & L) / len(N | L) for L in choices])


@pytest.mark.parametrize("width", [1, 2, 3])
def test_ties_count_as_the_mean_over_all_orders(width):
    rng = np.random.default_rng(width)
    A, Y = random_graph(14, 30, rng), rng.integers(width, size=(14, 2)).astype(float)
    asked = np.flatnonzero(np.diff(A.indptr))
    found = neighborhood_jaccard(A, Y)
    assert found.value == pytest.approx(np.mean([mean_over_orders(A, Y, i) for i in asked]), rel=1e-12)
    assert found.exact


def test_ties_on_a_lattice_and_a_star():
    """A node of the square lattice is nearest to its neighbors, at distance 1; the next are sqrt 2 away."""
    G = nx.grid_2d_graph(3, 3)
    Y = np.array(list(G), float)
    assert neighborhood_jaccard(read(G).adjacency, Y).value == 1
    # Without the middle's edges: corners have 2 of 2; sides have 2 of the 3 at distance 1, the right ones in 1 of 3.
    G.remove_edges_from(list(G.edges((1, 1))))
    assert neighborhood_jaccard(read(G).adjacency, Y).value == pytest.approx((4 + 4 * (1 / 3 + 2 / 3 / 3)) / 8)
    angle = 2 * np.pi * np.arange(6) / 6
    star, wheel = read(nx.star_graph(6)).adjacency, np.r_[[[0.0, 0.0]], np.c_[np.cos(angle), np.sin(angle)]]
    assert [neighborhood_jaccard(star, wheel, seed=seed).value for seed in range(9)] == pytest.approx([3 / 7] * 9)


def test_the_map_of_luxembourg(shared_data):
    """Even the true map keeps only two thirds of its street neighborhoods."""
    stored = np.load(shared_data / "graphs" / "luxembourg.npz")
    n, i, j = int(stored["n"]), stored["rows"], stored["cols"]
    A = read(csr_array((np.ones(2 * len(i)), (np.r_[i, j], np.r_[j, i])), shape=(n, n))).adjacency
    found = neighborhood_jaccard(A, stored["coords"])
    assert abs(found.value - 0.6858) < 4 * found.error
    assert found.error < 0.006


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


def test_map_neighbors_equal_their_definition():
    rng = np.random.default_rng(2)
    for n, k in ((5, 10), (60, 10), (60, 3)):
        X = rng.normal(size=(n, 2))
        Y = X + 0.3 * rng.normal(size=(n, 2))
        k = min(k, n - 1)
        lists = zip(others(X)[:, :k].tolist(), others(Y)[:, :k].tolist(), strict=True)
        shared = np.mean([len(set(a) & set(b)) for a, b in lists]) / k
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


def test_shares_of_the_nearest():
    """The nearest is sure; three at one distance share the second place."""
    X = np.array([[0.0, 0], [1, 0], [-1, 0], [0, 1], [0.5, 0], [3, 3]])
    shares = near_shares(KDTree(X), np.array([0]), 2).toarray()[0]
    assert shares == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3, 1, 0])
    heap = near_shares(KDTree(np.ones((6, 2))), np.array([2]), 2).toarray()[0]
    assert heap == pytest.approx([0.4, 0.4, 0, 0.4, 0.4, 0.4])
    # Places on a ring: both have two nearest of four at one distance, in each order with chance 1/2.
    ring = np.array([[1.0, 0], [0, 1], [-1, 0], [0, -1]])
    assert map_neighbors(ring, ring[[0, 1, 2, 3]], 1).value == pytest.approx(1 / 2)
    assert neighbors_kept([ring, 3 * ring]).value == 1
