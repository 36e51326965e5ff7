"""Edge lengths, coincident nodes, resolution and overlaps: by hand and against all pairs."""

import networkx as nx
import numpy as np
import pytest

from nelayout.graphs import read
from nelayout.quality.edges import coincident_nodes, edge_length_variation, node_resolution, overlapping_nodes


def test_edge_length_variation():
    path = read(nx.path_graph(3)).adjacency
    assert edge_length_variation(path, np.array([[0.0], [1], [3]])).value == pytest.approx(1 / 3)
    assert edge_length_variation(path, np.array([[0.0, 1], [0, 2], [0, 3]])).value == 0
    assert np.isnan(edge_length_variation(path, np.zeros((3, 2))).value)
    rng = np.random.default_rng(0)
    G = nx.gnm_random_graph(30, 80, seed=1)
    Y = rng.normal(size=(30, 3))
    length = np.array([np.linalg.norm(Y[i] - Y[j]) for i, j in G.edges])
    for scale in (1, 1e-180, 1e180):
        found = edge_length_variation(read(G).adjacency, Y * scale)
        assert found.value == pytest.approx(length.std() / length.mean(), rel=1e-12)


def test_coincident_nodes():
    assert coincident_nodes(np.array([[0.0, 0], [1, 1], [0, 0], [0, 0], [1, 1], [2, 2]])).value == 5
    assert coincident_nodes(np.array([[0.0, 0], [0, 1e-300]])).value == 0
    assert coincident_nodes(np.zeros((0, 2))).value == 0


def test_resolution():
    assert node_resolution(np.array([[0.0], [1], [3], [6]])).value == pytest.approx(1 / 1.5)
    assert node_resolution(np.array([[0.0], [1], [1], [6]])).value == 0
    assert np.isnan(node_resolution(np.zeros((1, 2))).value)
    Y = np.random.default_rng(1).normal(size=(60, 2))
    distance = np.linalg.norm(Y[:, None] - Y[None], axis=2) + np.diag(np.full(60, np.inf))
    assert node_resolution(7 * Y + 2).value == pytest.approx(distance.min() / np.median(distance.min(axis=1)))


def test_overlaps():
    assert overlapping_nodes(np.array([[0.0], [0.5], [3]]), np.ones(3)).value == 2
    assert overlapping_nodes(np.array([[0.0], [1], [2]]), np.ones(3)).value == 0  # touching
    assert overlapping_nodes(np.zeros((3, 2)), np.zeros(3)).value == 0
    assert overlapping_nodes(np.array([[0.0], [5], [9]]), np.array([10.0, 0, 0.1])).value == 0
    rng = np.random.default_rng(3)
    for spread in (1, 4, 20):
        Y, s = rng.normal(size=(80, 2)) * spread, rng.pareto(1.0, 80)
        apart = np.linalg.norm(Y[:, None] - Y[None], axis=2) + np.diag(np.full(80, np.inf))
        assert overlapping_nodes(Y, s).value == (apart < (s[:, None] + s[None]) / 2).any(axis=1).sum()
