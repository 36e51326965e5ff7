"""Crossings and angles: by hand, against all pairs in exact arithmetic, by NumPy and by compiled code."""

from fractions import Fraction
from functools import cache
from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from nelayout.graphs import read
from nelayout.quality import crossings
from nelayout.quality.crossings import (
    Segments,
    angular_resolution,
    crossing_angle,
    edge_crossings,
    most_crossings,
)  # fmt: skip
from nelayout.quality.edges import edges

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
        for Y in (rng.normal(size=(n, 2)), rng.integers(5, size=(n, 2)), rng.integers(2, size=(n, 2)) * [1, 0]):
            expected = by_definition(G, Y)
            for compiled in (False, True):
                monkeypatch.setattr(crossings, "PAIRS_NUMPY", 1 if compiled else 10**9)
                assert edge_crossings(read(G).adjacency, Y.astype(float)).value == expected


@EVERY
def test_both_segments_of_a_pair_count_it(compiled, monkeypatch):
    monkeypatch.setattr(crossings, "PAIRS_NUMPY", 1 if compiled else 10**9)
    i, j = edges(read(GRAPH).adjacency)
    for name, Y in DRAWINGS.items():
        expected, drawn = crossings_by_definition(name), Segments(i, j, Y)
        assert drawn.count(np.arange(70), both=False)[0].sum() == expected
        assert drawn.count(np.arange(70), both=True)[0].sum() == 2 * expected


@EVERY
def test_by_hand(compiled, monkeypatch):
    monkeypatch.setattr(crossings, "PAIRS_NUMPY", 1 if compiled else 10**9)
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


def test_most_crossings_are_the_pairs_without_a_common_node():
    for G in (nx.path_graph(4), nx.star_graph(6), nx.gnm_random_graph(20, 60, seed=1), nx.empty_graph(2)):
        pairs = sum(not set(e) & set(f) for e, f in combinations(G.edges, 2))
        assert most_crossings(read(G).adjacency) == pairs


def test_angular_resolution_by_hand_and_by_definition():
    star = read(nx.star_graph(3)).adjacency
    Y = np.array([[0.0, 0], [1, 0], [0, 2], [-3, 0]])
    assert angular_resolution(star, Y).value == pytest.approx(3 / 4)
    assert angular_resolution(star, Y * [1, 0]).value == 0  # the second has length 0, others lie on each other
    assert np.isnan(angular_resolution(read(nx.path_graph(2)).adjacency, np.zeros((2, 2))).value)
    G, Y, shares = GRAPH, DRAWINGS["normal"], []
    for v in G:
        if G.degree(v) > 1:
            turn = np.sort([np.degrees(np.arctan2(*(Y[u] - Y[v])[::-1])) for u in G[v]])
            shares.append(np.diff(np.r_[turn, turn[0] + 360]).min() * G.degree(v) / 360)
    assert angular_resolution(read(G).adjacency, Y).value == pytest.approx(np.mean(shares))


@pytest.mark.full
@EVERY
@pytest.mark.parametrize("name", DRAWINGS)
def test_crossing_angles_equal_their_definition(name, compiled, monkeypatch):
    """Edges of length 0, which the lattice has, have no direction and do not enter."""
    monkeypatch.setattr(crossings, "PAIRS_NUMPY", 1 if compiled else 10**9)
    Y, found = DRAWINGS[name], []
    for e, f in combinations(GRAPH.edges, 2):
        four = nx.Graph([e, f])
        u, v = Y[e[1]] - Y[e[0]], Y[f[1]] - Y[f[0]]
        size = np.linalg.norm(u) * np.linalg.norm(v)
        if four.number_of_nodes() == 4 and size > 0 and by_definition(four, Y):
            found.append(np.arccos(min(abs(u @ v) / size, 1)) / (np.pi / 2))
    assert crossing_angle(read(GRAPH).adjacency, Y).value == pytest.approx(np.mean(found), abs=1e-7)


def test_without_crossings_there_is_no_angle():
    assert np.isnan(crossing_angle(read(nx.path_graph(5)).adjacency, np.arange(10.0).reshape(5, 2)).value)
    assert np.isnan(crossing_angle(read(GRAPH).adjacency, np.ones((25, 2))).value)
