"""Small graphs: the compiled loop has the values, gradients and first steps of the interpreted objective."""

import copy
import pickle
import shutil
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

import nelayout as nl
from nelayout.core.catalogue import METHODS
from nelayout.core.formula.potentials import Springs
from nelayout.core.formula.potentials.gravity import Gravity
from nelayout.core.objective import Affinity, Objective, small_library
from nelayout.core.objective.small_library import loop
from nelayout.core.optimizers import LBFGS
from nelayout.core.optimizers.minimize import StoppingRule, minimize
from nelayout.core.sums.nbody import Exact
from nelayout.numerics.distances import Distances
from nelayout.numerics.parallel import Threads

NOT_BUILT = "the loop of small graphs is not built: python -m nelayout.core.objective.build_small_library"
RULE = StoppingRule(force=1e-6, stall=1e-5, point=1e-2)


@pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="no C compiler")
def test_the_loop_is_built_from_its_present_source():
    assert loop() is not None, NOT_BUILT


def test_a_library_that_cannot_be_loaded_is_said_and_small_graphs_are_still_drawn(monkeypatch):
    monkeypatch.setattr(small_library, "file_name", lambda: "small.py")
    loop.cache_clear()
    try:
        with pytest.warns(UserWarning, match="cannot be loaded .*: install nelayout again"):
            pos = nl.ws_sne_layout(nx.path_graph(5), seed=0)
        assert np.isfinite(list(pos.values())).all()
    finally:
        loop.cache_clear()


def objective(name, emphasis=0.0, merged=False):
    G = nx.karate_club_graph()
    A = csr_array(nx.to_scipy_sparse_array(G, dtype=float))
    P = csr_array((A.data / A.sum(), A.indices.astype(np.int32), A.indptr.astype(np.int32)), shape=A.shape)
    mass = np.linspace(0.5, 1.5, len(G))
    hops = np.array([[nx.shortest_path_length(G, i, j) for j in G] for i in G], dtype=float)
    affinity = Affinity(P, mass, distances=Distances.of(np.arange(len(G)), hops) if emphasis else None)
    if merged:
        affinity = replace(affinity, merged_weight=0.3, merged_pairs=2.0)
    if loop() is None:
        pytest.skip(NOT_BUILT)
    plain = Objective.of(replace(METHODS[name], emphasis=emphasis), affinity, Exact(), Threads(), False)
    return plain, replace(plain, in_one_loop=True)


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("name", [name for name in METHODS if name != "auto"])
def test_values_and_gradients_are_those_of_the_objective(name, dim):
    plain, looped = objective(name)
    Y = 2.0 * np.random.default_rng(dim).normal(size=(34, dim))
    here, there = plain.evaluate(Y), looped.evaluate(Y)
    assert there.value == pytest.approx(here.value, rel=1e-10)
    assert there.lam == pytest.approx(here.lam, rel=1e-10)
    np.testing.assert_allclose(there.gradient, here.gradient, atol=1e-9 * np.abs(here.gradient).max())


def test_objectives_of_one_graph_share_only_what_is_equal():
    plain, looped = objective("ws-sne")
    Y = np.random.default_rng(2).normal(size=(34, 2))
    looped.evaluate(Y)
    free, springs = np.ones((34, 2), dtype=bool), Springs(Y - 1.0, np.full(34, 0.1))
    free[3] = False
    changes = {"exaggeration": 3.0}, {"emphasis": 0.5}, {"free": free}, {"springs": springs}, {"gravity": Gravity(0.2)}
    hops = np.array(list(nx.floyd_warshall_numpy(nx.karate_club_graph(), weight=None)))
    affinity = replace(plain.affinity, distances=Distances.of(np.arange(34), hops))
    for each in changes:
        there = replace(looped, affinity=affinity, **each)
        for now in (there, replace(looped, affinity=affinity)):  # one after another on the same affinity
            here = replace(now, in_one_loop=False)
            assert now.evaluate(Y).value == pytest.approx(here.evaluate(Y).value, rel=1e-10), each
            np.testing.assert_allclose(now.evaluate(Y).gradient, here.evaluate(Y).gradient, atol=1e-9)


def test_similarities_pickle_and_copy_after_a_descent():
    _, looped = objective("tsne")
    Y = np.random.default_rng(2).normal(size=(34, 2))
    value = looped.evaluate(Y).value
    for other in (pickle.loads(pickle.dumps(looped.affinity)), copy.deepcopy(looped.affinity)):
        assert replace(looped, affinity=other).evaluate(Y).value == value


@pytest.mark.parametrize(("emphasis", "merged"), [(0.4, False), (0.0, True)])
@pytest.mark.parametrize("name", ["ws-sne", "tsne", "gamma-quadlog", "ee", "sne"])
def test_stress_and_merged_pairs_count(name, emphasis, merged):
    plain, looped = objective(name, emphasis, merged)
    assert looped.small(2) is not None
    Y = 2.0 * np.random.default_rng(1).normal(size=(34, 2))
    here, there = plain.evaluate(Y), looped.evaluate(Y)
    assert there.value == pytest.approx(here.value, rel=1e-10)
    assert there.strength == pytest.approx(here.strength, rel=1e-9)
    np.testing.assert_allclose(there.gradient, here.gradient, atol=1e-9 * np.abs(here.gradient).max())


@pytest.mark.parametrize("name", ["ws-sne", "sne", "ee"])
def test_small_moves_end_a_descent(name):
    plain, looped = objective(name)
    Y = np.random.default_rng(3).normal(size=(34, 2))
    steps = []
    for J in (plain, looped):
        seen = []
        found = minimize(J, Y, LBFGS(), 200, StoppingRule(move=0.05), lambda value, _, seen=seen: seen.append(value))
        steps.append(len(seen))
        assert found.reason == "converged"
    assert steps[0] == pytest.approx(steps[1], abs=1)
    assert steps[1] < 200


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("name", ["ws-sne", "gamma-quadlog", "linlog", "ee", "sne", "hssne", "mds-ks", "alpha-sne"])
def test_the_first_steps_are_those_of_lbfgs(name, fixed):
    plain, looped = objective(name)
    assert looped.small(2) is not None
    if fixed:
        free = np.ones((34, 2), dtype=bool)
        free[:5], free[7, 1] = False, False
        plain, looped = replace(plain, free=free), replace(looped, free=free)
    Y = np.random.default_rng(2).normal(size=(34, 2))
    here, there = (minimize(J, Y, LBFGS(), 12, RULE) for J in (plain, looped))
    assert there.reason == here.reason
    assert there.value == pytest.approx(here.value, rel=1e-8)
    np.testing.assert_allclose(there.Y, here.Y, atol=1e-6 * np.abs(here.Y).max())


def test_many_small_graphs_end_as_low_as_few():
    trees = [nx.random_labeled_tree(9, seed=k) for k in range(40)]
    together = nl.solve(nx.disjoint_union_all(trees), "tsne", seed=0, weight=None)
    alone = [nl.solve(tree, "tsne", seed=0, weight=None).value for tree in trees]
    assert together.value < 1.01 * sum(alone)
