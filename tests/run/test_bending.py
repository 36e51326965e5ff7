"""The bend of a finished drawing: the least stress of all its polynomials, and what it leaves as it is."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

import nelayout as nl
from nelayout.numerics.parallel import Threads
from nelayout.run import bending
from nelayout.run.auto import bending as of_auto
from nelayout.run.auto import candidates
from nelayout.run.auto.bending import bend
from nelayout.run.bending import FEWEST


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


@pytest.mark.full
@pytest.mark.parametrize("d", [1, 2, 3])
def test_all_of_the_way_it_is_the_least_stress_of_all_polynomials(d, monkeypatch):
    """Against a general minimizer over the coefficients of the same monomials, from the definition of stress."""
    monkeypatch.setattr(of_auto, "PART", 1.0)
    monkeypatch.setattr(bending, "RIDGE", 0.0)
    monkeypatch.setattr(bending, "LITTLE", 1e-12)
    monkeypatch.setattr(bending, "STEPS", 2000)
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
    bent = bend(P, Y, Threads())
    assert stress(P, bent) == pytest.approx(least, rel=0.02)
    assert stress(P, bent) < stress(P, Y)


def test_half_of_the_way_keeps_place_size_and_most_of_the_gain():
    P, Y = squashed(9)
    before = Y.copy()
    bent = bend(P, Y + 7, Threads())
    assert np.array_equal(Y, before)
    assert bent.mean(axis=0) == pytest.approx(Y.mean(axis=0) + 7)
    assert np.mean((bent - bent.mean(axis=0)) ** 2) == pytest.approx(np.mean((Y - Y.mean(axis=0)) ** 2))
    assert stress(P, bent) < 0.6 * stress(P, Y)


def test_what_has_no_better_bend_stays():
    P = matrix(nx.path_graph(50))
    Y = np.stack([np.arange(50.0), np.zeros(50)], axis=1)
    np.testing.assert_allclose(bend(P, Y, Threads()), Y, atol=1e-6)
    np.testing.assert_array_equal(bend(P, np.zeros((50, 2)), Threads()), np.zeros((50, 2)))


def test_a_symmetric_drawing_stays_symmetric():
    """Of up to 316 nodes all pairs count."""
    G = nx.grid_graph([11, 11])
    Y = np.array(list(G), float) - 5
    Y *= 1 + 0.01 * np.sum(Y * Y, axis=1, keepdims=True)
    bent = bend(matrix(G), Y, Threads())
    assert not np.allclose(bent, Y, atol=0.1)
    where = {tuple(np.round(y).astype(int)): k for k, y in enumerate(np.array(list(G), float) - 5)}
    for turned, flipped in (((1, 0), (1, -1)), ((0, 1), (-1, 1)), ((1, 0), (-1, -1))):
        other = [where[tuple(np.array(place)[list(turned)] * flipped)] for place in where]
        np.testing.assert_allclose(bent[other], bent[:, list(turned)] * flipped, atol=1e-6)


def test_auto_says_so_in_its_trace_and_values_are_those_of_the_bent_drawing(monkeypatch):
    monkeypatch.setattr(candidates, "BENT", 0.0)  # the verdict always prefers the bent one
    G = nx.grid_2d_graph(8, 6)
    seen = []
    solution = nl.solve(G, seed=0, node_size=None, scale=None, callback=lambda step: seen.append(step.positions.copy()))
    last = solution.trace[-1]
    assert last.stage == "bend"
    assert [step.stage for step in solution.trace].count("bend") == 1
    assert last.value == pytest.approx(solution.value, rel=1e-9)
    assert len(seen) == len(solution.trace)
    np.testing.assert_allclose(nl.align(seen[-1], to=np.array(list(solution.positions.values())), scale=False),
                               list(solution.positions.values()), atol=1e-6 * np.ptp(seen[-1]))  # fmt: skip
    monkeypatch.setattr(candidates, "BENT", np.inf)
    plain = nl.solve(G, seed=0, node_size=None, scale=None)
    assert plain.value < solution.value
    assert [step.stage for step in plain.trace] == [step.stage for step in solution.trace[:-1]]


@pytest.mark.full
def test_small_graphs_fixed_nodes_and_other_methods_are_not_bent(monkeypatch):
    monkeypatch.setattr(candidates, "BENT", 0.0)

    def stages(G, *method, **options):
        return {step.stage for step in nl.solve(G, *method, seed=0, **options).trace}

    G = nx.grid_2d_graph(8, 6)
    start = nx.circular_layout(G)
    assert "bend" in stages(G)
    assert "bend" not in stages(G, "ws-sne")
    assert "bend" not in stages(G, pos=start)
    assert "bend" not in stages(G, pos=start, fixed=[(0, 0), (1, 0)])
    assert "bend" not in stages(nx.path_graph(FEWEST - 1))


def test_crowded_graphs_must_gain_more(monkeypatch):
    monkeypatch.setattr(candidates, "BENT", 0.0)
    crowded = nx.gnm_random_graph(60, 600, seed=0)
    monkeypatch.setattr(candidates, "BENT_CROWDED", np.inf)
    assert nl.solve(crowded, seed=0).trace[-1].stage != "bend"
    monkeypatch.setattr(candidates, "BENT_CROWDED", 0.0)
    assert nl.solve(crowded, seed=0).trace[-1].stage == "bend"
