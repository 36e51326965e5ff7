"""The bend of a finished drawing: the least stress of all its polynomials, and what it leaves as it is."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

import nelayout as nl
from nelayout.run.bending import Goal, bent


def matrix(G):
    return sp.csr_array(nx.to_scipy_sparse_array(G, dtype=float))


def squashed(k, d=2):
    """A grid of k^d nodes, its drawing wider than high and pushed to one side."""
    G = nx.grid_graph([k] * d)
    Y = np.array(list(G), float).reshape(-1, d) - (k - 1) / 2
    Y[:, 0] += 0.1 * Y[:, 0] ** 2
    Y[:, -1] *= 0.5
    return matrix(G), Y


def stress(P, Y):
    return nl.measure(P, Y, measures="stress", sample=None)["stress"].value


def hops_goal(P):
    """The numbers of edges between all nodes."""
    hops, nodes = sp.csgraph.shortest_path(P, unweighted=True), np.arange(P.shape[0])
    return Goal(nodes, nodes, hops, np.where(hops > 0, 1.0 / np.maximum(hops, 1.0) ** 2, 0.0))


def half_bent(P, Y):
    return bent(Y, hops_goal(P), 0.5)


@pytest.mark.full
@pytest.mark.parametrize("d", [1, 2, 3])
def test_all_of_the_way_it_is_nearly_the_least_stress_of_all_polynomials(d):
    """Against a general minimizer over the coefficients of the same monomials, from the definition of stress."""
    P, Y = squashed({1: 45, 2: 8, 3: 4}[d], d)
    hops = sp.csgraph.shortest_path(P.toarray(), unweighted=True)
    i, j = np.nonzero(hops)
    powers = [each for each in np.ndindex(*(4,) * d) if 0 < sum(each) <= 3]
    terms = np.stack([np.prod((Y / 3) ** np.array(each), axis=1) for each in powers], axis=1)

    def relative(c):
        Z = terms @ c.reshape(len(powers), d)
        return np.mean((np.sqrt(np.sum((Z[i] - Z[j]) ** 2, axis=1) + 1e-12) / hops[i, j] - 1) ** 2)

    first = np.linalg.lstsq(terms, Y, rcond=None)[0]
    least = minimize(relative, first.ravel(), method="L-BFGS-B", options={"maxiter": 3000, "maxfun": 10**6}).fun
    whole = bent(Y, hops_goal(P), 1.0)
    assert least <= stress(P, whole) * (1 + 1e-3)
    # the ridge, and few iterations, leave a part of the gain
    assert stress(P, whole) < least + 0.1 * (stress(P, Y) - least)


def test_half_of_the_way_keeps_place_size_and_most_of_the_gain():
    P, Y = squashed(9)
    before = Y.copy()
    half = half_bent(P, Y + 7)
    assert np.array_equal(Y, before)
    assert half.mean(axis=0) == pytest.approx(Y.mean(axis=0) + 7)
    assert np.mean((half - half.mean(axis=0)) ** 2) == pytest.approx(np.mean((Y - Y.mean(axis=0)) ** 2))
    assert stress(P, half) < 0.6 * stress(P, Y)


def test_what_has_no_better_bend_stays():
    P = matrix(nx.path_graph(50))
    Y = np.stack([np.arange(50.0), np.zeros(50)], axis=1)
    np.testing.assert_allclose(half_bent(P, Y), Y, atol=1e-6)
    np.testing.assert_array_equal(half_bent(P, np.zeros((50, 2))), np.zeros((50, 2)))


def test_a_symmetric_drawing_stays_symmetric():
    """Of up to 316 nodes all pairs count."""
    G = nx.grid_graph([11, 11])
    Y = np.array(list(G), float) - 5
    Y *= 1 + 0.01 * np.sum(Y * Y, axis=1, keepdims=True)
    half = half_bent(matrix(G), Y)
    assert not np.allclose(half, Y, atol=0.1)
    where = {tuple(np.round(y).astype(int)): k for k, y in enumerate(np.array(list(G), float) - 5)}
    for turned, flipped in (((1, 0), (1, -1)), ((0, 1), (-1, 1)), ((1, 0), (-1, -1))):
        other = [where[tuple(np.array(place)[list(turned)] * flipped)] for place in where]
        np.testing.assert_allclose(half[other], half[:, list(turned)] * flipped, atol=1e-6)
