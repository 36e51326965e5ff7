"""Nodes that were thrown far out are brought home where their own objective is lower, and others stay."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from nelayout.run.strays import brought_home
from tables import EVERY_METHOD, first

import nelayout as nl
from nelayout.numerics.parallel import Threads
from nelayout.run.drawing import Summation
from nelayout.run.taking_apart import input_affinity
from nelayout.similarities.masses import node_mass
from nelayout.sums.nbody import Exact

ONE = Threads(1)
# A leaf of Myriel's, and a node with neighbors in two clusters.
THROWN = [2, 48]


def objective(name, G):
    A = nx.to_scipy_sparse_array(G, dtype=float, format="csr")
    method = EVERY_METHOD[name]
    affinity, _ = input_affinity(A, node_mass(A, method.mass)[0], method, 0.0, ONE)
    return Summation(Exact(False, ONE), ONE, False).objective(method, affinity)


def drawn(name, G):
    return np.asarray(nl.solve(nx.to_scipy_sparse_array(G), EVERY_METHOD[name], seed=0, scale=None).positions)


@pytest.mark.full
@pytest.mark.parametrize("name", first(["ws-sne", "nerv", "gamma-quadlog", "tsne", "jse", "ftsne js"], 2))
def test_nodes_thrown_out_come_back(name):
    G = nx.les_miserables_graph()
    J, Y = objective(name, G), drawn(name, G)
    unit = np.median(np.linalg.norm(Y - np.median(Y, axis=0), axis=1))
    thrown = Y.copy()
    thrown[THROWN] += 20 * unit * np.array([[0.6, 0.8], [-1.0, 0.0]])
    kept = thrown.copy()
    home = brought_home(J, thrown)
    np.testing.assert_array_equal(thrown, kept)
    assert np.linalg.norm(home[THROWN] - Y[THROWN], axis=1).max() < 1.5 * unit
    others = np.setdiff1d(np.arange(len(Y)), np.flatnonzero((home != thrown).any(axis=1)))
    assert len(others) >= len(Y) - 6
    low, high = J.evaluate(Y).value, J.evaluate(thrown).value
    assert J.evaluate(home).value < low + 0.05 * (high - low)


def test_a_path_that_leads_far_away_stays():
    """Its nodes are at rest; each but the first has neighbors far out alone."""
    G = nx.lollipop_graph(30, 12)
    J, Y = objective("gamma-quadlog", G), drawn("gamma-quadlog", G)
    away = np.linalg.norm(Y - np.median(Y, axis=0), axis=1)
    assert (away > 3 * np.median(away)).sum() > 5
    np.testing.assert_array_equal(brought_home(J, Y), Y)


def test_a_neighbor_of_one_that_comes_home_follows_it():
    """Of two nodes thrown out together, the second is joined to the first alone."""
    G = nx.complete_graph(20)
    G.add_edges_from([(i, 20) for i in range(10)] + [(20, 21)])
    J, Y = objective("ws-sne", G), drawn("ws-sne", G)
    unit = np.median(np.linalg.norm(Y - np.median(Y, axis=0), axis=1))
    thrown = Y.copy()
    thrown[20:] += np.array([30.0, 0.0]) * unit
    home = brought_home(J, thrown)
    assert np.linalg.norm(home[20:] - Y[20:], axis=1).max() < 2 * unit


@pytest.mark.full
def test_fixed_nodes_stay():
    G = nx.les_miserables_graph()
    free = np.repeat((np.arange(77) != THROWN[0])[:, None], 2, axis=1)
    J, Y = replace(objective("ws-sne", G), free=free), drawn("ws-sne", G)
    Y[THROWN] += 100.0
    home = brought_home(J, Y)
    assert (home[THROWN[0]] == Y[THROWN[0]]).all()
    assert (home[THROWN[1]] != Y[THROWN[1]]).all()
