"""Crossings: by hand, against all pairs in exact arithmetic, both code paths, and samples."""

from fractions import Fraction
from functools import cache
from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from nelayout.errors import Unsupported
from nelayout.graphs import read
from nelayout.quality import crossings
from nelayout.quality.crossings import edge_crossings, most_crossings

# One graph and two drawings of it, at random places and with nodes that coincide.
GRAPH = nx.gnm_random_graph(25, 70, seed=7)
DRAWINGS = {
    "normal": np.random.default_rng(3).normal(size=(25, 2)),
    "lattice": np.random.default_rng(3).integers(4, size=(25, 2)).astype(float),
}
EVERY = pytest.mark.parametrize("compiled", [False, True])


def by_definition(G, Y):
    """Pairs of edges without a common node with a common point, in rational numbers."""
    points = [(Fraction(float(x)), Fraction(float(y))) for x, y in Y]

    def side(p, q, r):
        value = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
        return (value > 0) - (value < 0)

    def on(p, q, r):
        return side(p, q, r) == 0 and all(min(p[a], q[a]) <= r[a] <= max(p[a], q[a]) for a in (0, 1))

    total = 0
    for (i, j), (k, m) in combinations(G.edges, 2):
        if {i, j} & {k, m}:
            continue
        a, b, c, d = points[i], points[j], points[k], points[m]
        proper = side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0
        total += proper or on(a, b, c) or on(a, b, d) or on(c, d, a) or on(c, d, b)
    return total


@cache
def crossings_by_definition(drawing: str) -> int:
    return by_definition(GRAPH, DRAWINGS[drawing])


@pytest.mark.full
def test_equals_its_definition(monkeypatch):
    rng = np.random.default_rng(0)
    for n, m in ((4, 6), (12, 30), (30, 90)):
        G = nx.gnm_random_graph(n, m, seed=n)
        for Y in (
            rng.normal(size=(n, 2)),
            rng.integers(5, size=(n, 2)),
            rng.integers(2, size=(n, 2)) * [1, 0],
        ):
            expected = by_definition(G, Y)
            for compiled in (False, True):
                monkeypatch.setattr(crossings, "PAIRS_NUMPY", 0 if compiled else 10**9)
                assert edge_crossings(read(G).adjacency, Y.astype(float)).value == expected


@EVERY
@pytest.mark.parametrize("bands", [(1,), (2,), (7,), (1024,), crossings.BANDS])
def test_bands_change_nothing(bands, compiled, monkeypatch):
    monkeypatch.setattr(crossings, "PAIRS_NUMPY", 0 if compiled else 10**9)
    monkeypatch.setattr(crossings, "BANDS", bands)
    monkeypatch.setattr(crossings, "ENTRIES_PER_EDGE", 10**9)
    A = read(GRAPH).adjacency
    for name, Y in DRAWINGS.items():
        expected = crossings_by_definition(name)
        assert edge_crossings(A, Y).value == expected
        crossed = edge_crossings(A, Y, sample=69, seed=1)
        assert abs(crossed.value - expected) < 6 * crossed.error


@EVERY
def test_by_hand(compiled, monkeypatch):
    monkeypatch.setattr(crossings, "PAIRS_NUMPY", 0 if compiled else 10**9)
    corners = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])

    def count(G, Y):
        return edge_crossings(read(G).adjacency, np.asarray(Y, float)).value

    assert count(nx.cycle_graph(4), corners) == 0
    assert count(nx.complete_graph(4), corners) == 1
    assert count(nx.complete_graph(4), [[0, 0], [4, 0], [2, 4], [2, 1]]) == 0
    two = nx.Graph([(0, 1), (2, 3)])
    assert count(two, [[0, 0], [2, 0], [1, 0], [1, 1]]) == 1  # touching
    assert count(two, [[0, 0], [2, 0], [1, 0], [3, 0]]) == 1  # overlapping
    assert count(two, [[0, 0], [1, 0], [2, 0], [3, 0]]) == 0  # in line, apart
    assert count(two, [[0, 0], [0, 1], [1, 0], [1, 1]]) == 0  # parallel
    assert count(nx.star_graph(5), np.zeros((6, 2))) == 0
    assert count(nx.empty_graph(3), np.zeros((3, 2))) == 0


@pytest.mark.parametrize("n", [4, 5, 6, 9])
def test_complete_graph_on_a_circle(n):
    """Every four points of a convex drawing give one crossing: n choose 4."""
    angle = 2 * np.pi * np.arange(n) / n + 0.1
    Y = np.column_stack([np.cos(angle), np.sin(angle)])
    # An even number of diameters meets in one point, which still counts once for each pair.
    assert (
        edge_crossings(read(nx.complete_graph(n)).adjacency, Y).value == n * (n - 1) * (n - 2) * (n - 3) / 24
    )


def test_invariances():
    rng = np.random.default_rng(2)
    A, Y = read(nx.gnm_random_graph(60, 150, seed=5)).adjacency, rng.normal(size=(60, 2))
    value = edge_crossings(A, Y).value
    turn = np.array([[0.6, 0.8], [-0.8, 0.6]])
    shear = np.array([[1.0, 0.4], [0.0, 2.0]])
    for changed in (Y @ turn + [5.0, -3.0], Y * [1, -1], Y @ shear, Y * 1e-200, Y * 1e200):
        assert edge_crossings(A, changed).value == value
    order = rng.permutation(60)
    assert edge_crossings(A[order][:, order].tocsr(), Y[order]).value == value


def test_samples_lie_within_their_error():
    rng = np.random.default_rng(1)
    A, Y = read(nx.gnm_random_graph(300, 900, seed=6)).adjacency, rng.normal(size=(300, 2))
    exact = edge_crossings(A, Y, sample=None).value
    z = []
    for seed in range(40):
        found = edge_crossings(A, Y, sample=150, seed=seed)
        assert not found.exact
        z.append((found.value - exact) / found.error)
    assert 0.6 < np.sqrt(np.mean(np.square(z))) < 1.6
    assert abs(np.mean(z)) < 4 / np.sqrt(40)


def test_most_crossings_are_the_pairs_without_a_common_node():
    for G in (nx.path_graph(4), nx.star_graph(6), nx.gnm_random_graph(20, 60, seed=1), nx.empty_graph(2)):
        pairs = sum(not set(e) & set(f) for e, f in combinations(G.edges, 2))
        assert most_crossings(read(G).adjacency) == pairs


def test_other_dimensions_are_refused():
    with pytest.raises(Unsupported, match="2 dimensions"):
        edge_crossings(read(nx.path_graph(3)).adjacency, np.zeros((3, 3)))
