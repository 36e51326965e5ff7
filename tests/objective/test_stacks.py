"""Graphs that lie one after another: values, gradients, costs, sizes and minima are those of each graph alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from tables import EVERY_METHOD, first

from nelayout.catalogue import AUTO, METHODS
from nelayout.formula.connections import Fixed
from nelayout.formula.kernels import KERNELS, Radial
from nelayout.formula.potentials import Anchors
from nelayout.numerics.groups import Parts
from nelayout.numerics.parallel import Threads
from nelayout.objective import Affinity, Objective
from nelayout.objective.stacks import one_after_another, some_of, stackable, stacked
from nelayout.optimizers import OPTIMIZERS, Majorize, optimizer_named
from nelayout.optimizers.minimize import Rest, minimize
from nelayout.optimizers.size import size_search
from nelayout.run.taking_apart import input_affinity
from nelayout.sums.nbody import Exact

ALL = {**METHODS, "auto": AUTO}
DIFFERENT = (
    nx.path_graph(2),
    nx.path_graph(9),
    nx.complete_graph(4),
    nx.star_graph(6),
    nx.random_labeled_tree(30, seed=1),
    nx.les_miserables_graph(),
)
EQUAL = tuple(nx.random_labeled_tree(12, seed=k) for k in range(5))


def affinity_of(G: nx.Graph, method) -> Affinity:
    P = sp.csr_array(nx.to_scipy_sparse_array(G, dtype=float))
    P = sp.csr_array((P.data, P.indices.astype(np.int32), P.indptr.astype(np.int32)), shape=P.shape)
    P.sort_indices()
    mass = np.ones(len(G)) if method.mass == "unit" else np.asarray(P.sum(axis=0))
    return input_affinity(P, mass, method, 0.0, Threads())[0]


def alone(method, affinity: Affinity, **options) -> Objective:
    return Objective(
        affinity, method.kernel, method.divergence, method.connection, Exact(), gravity=method.gravity, **options
    )


def assert_alike(J: Objective, singles: list[Objective], Y: np.ndarray) -> None:
    """The stack has the numbers of single graphs."""
    found, ends = J.evaluate(Y, weights=True), J.parts.starts
    entries = np.cumsum([0, *(single.affinity.P.nnz for single in singles)])
    costs = J.sharing(exaggeration=1.0).node_cost(Y, found.lam)
    for k, single in enumerate(singles):
        rows, those = slice(ends[k], ends[k + 1]), slice(entries[k], entries[k + 1])
        want = single.evaluate(Y[rows], weights=True)
        assert found.value[k] == pytest.approx(want.value, rel=1e-11, abs=1e-11)
        assert found.lam[k] == pytest.approx(want.lam, rel=1e-11)
        assert found.strength[k] == pytest.approx(want.strength, rel=1e-9)
        scale = np.abs(want.weights).max() * max(np.abs(Y[rows]).max(), 1.0)
        assert np.abs(found.gradient[rows] - want.gradient).max() <= 1e-10 * scale
        assert found.weights[those] == pytest.approx(want.weights, rel=1e-9, abs=1e-12 * np.abs(want.weights).max())
        cost = single.sharing(exaggeration=1.0).node_cost(Y[rows], want.lam)
        assert costs[rows] == pytest.approx(cost, rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("compiled", [False, True], ids=["numpy", "compiled"])
@pytest.mark.parametrize("graphs", [DIFFERENT, EQUAL], ids=["different sizes", "equal sizes"])
@pytest.mark.parametrize("name", ALL)
def test_every_graph_has_its_own_value_gradient_and_costs(name, graphs, compiled):
    method = ALL[name]
    parts = [affinity_of(G, method) for G in graphs]
    factors = np.linspace(1.0, 2.0, len(parts))
    J = stacked(*one_after_another(parts), method, compiled=compiled, exaggeration=factors)
    for dim in (1, 2, 3):
        Y = np.random.default_rng(1).standard_normal((len(J.affinity.mass), dim))
        assert_alike(J, [alone(method, part, exaggeration=f) for part, f in zip(parts, factors, strict=True)], Y)
        kept = np.arange(len(parts)) % 2 == 0
        some, rows = J.take(kept)
        assert some.evaluate(Y[rows]).value == pytest.approx(J.evaluate(Y).value[kept], rel=1e-12)


@pytest.mark.parametrize("compiled", [False, True], ids=["numpy", "compiled"])
@pytest.mark.parametrize("name", ["ssne", "tsne", "ee", "nerv", "gamma-quadlog"])
def test_merged_graphs_held_coordinates_and_springs(name, compiled):
    """What merging hides is each graph's own, and so are masks and anchors; the similarities of rows may be given."""
    method, rng = ALL[name], np.random.default_rng(4)
    parts = [affinity_of(G, method) for G in EQUAL[:3]]
    own = []
    for k, part in enumerate(parts):
        rows = None
        if method.connection.by_rows and k:
            counts = np.diff(part.P.indptr)
            rows = rng.uniform(0.2, 1.0, part.P.nnz)
            rows /= np.repeat(np.add.reduceat(rows, part.P.indptr[:-1]), counts)
        own.append(replace(part, inside=0.1 * k * part.P.sum(), hidden=0.3 * k, rows=rows))
    affinity, where = one_after_another(own)
    Y = rng.standard_normal((len(affinity.mass), 2))
    free = rng.random(Y.shape) < 0.7
    anchors = Anchors(rng.standard_normal(Y.shape), rng.random(len(Y)))
    J = stacked(affinity, where, method, compiled=compiled, free=free, anchors=anchors)
    singles = []
    for part, a, b in zip(own, where.starts, where.starts[1:], strict=False):
        springs = Anchors(anchors.places[a:b], anchors.stiffness[a:b])
        singles.append(alone(method, part, free=free[a:b], anchors=springs))
    assert_alike(J, singles, Y)
    for optimizer in OPTIMIZERS:
        if optimizer == "spectral-direction" and method.kernel.singular:
            continue
        end, value, _ = minimize(J, Y, optimizer_named(optimizer), 5, Rest())
        assert np.array_equal(end[~free], Y[~free])
        assert (value < J.evaluate(Y).value).all()


@pytest.mark.parametrize("name", ["ws-sne", "tsne", "ee", "nerv", "linlog"])
def test_sizes_are_those_of_graphs_alone(name):
    method = ALL[name]
    parts = [affinity_of(G, method) for G in (*DIFFERENT[1:], nx.path_graph(400))]
    J = stacked(*one_after_another(parts), method)
    Y = np.random.default_rng(2).standard_normal((len(J.affinity.mass), 2))
    Y[-1] = 60.0  # so far from its graph that a Gaussian does not reach it at the size where the search begins
    guess = np.where(np.arange(len(parts)) % 2, np.nan, 0.7)
    for told in (None, guess):
        found = size_search(J, Y, told)
        for k, (part, start) in enumerate(zip(parts, J.parts.starts, strict=False)):
            here, single = Y[start : start + len(part.mass)], alone(method, part)
            given = None if told is None or np.isnan(told[k]) else told[k]
            assert found[k] == pytest.approx(size_search(single, here, given), rel=1e-6)
            assert np.isfinite(single.evaluate(found[k] * here).value)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("name", first(["ws-sne", "linlog", "sne"], 1))
@pytest.mark.parametrize("compiled", [False, True], ids=["numpy", "compiled"])
def test_steps_end_where_those_of_a_graph_alone_end(name, optimizer, compiled):
    """Of two nodes joined to three others: other graphs have several minima, and SNE draws a path ever larger."""
    method = ALL[name]
    if optimizer == "spectral-direction" and method.kernel.singular:
        return
    part = affinity_of(nx.complete_bipartite_graph(2, 3), method)
    Y = np.stack([np.arange(5.0), 0.1 * np.arange(5.0) ** 2], axis=1)
    steps, rest = 3000 if optimizer == "momentum" else 400, Rest(1e-6, lull=1e-9)
    _, want, reason = minimize(alone(method, part), Y, optimizer_named(optimizer), steps, rest)
    J, values = stacked(*one_after_another([part] * 3), method, compiled=compiled), []
    start = np.vstack([Y, Y + 1.0, Y])
    end = minimize(J, start, optimizer_named(optimizer), steps, rest, lambda value, Y: values.append(value))
    assert end.value == pytest.approx(np.full(3, want), rel=1e-5, abs=1e-8)
    assert set(end.reason) == {reason}
    assert J.evaluate(end.Y).value == pytest.approx(end.value)
    assert 1 <= len(values) <= steps
    if optimizer != "momentum":
        assert (np.diff(values) <= 1e-12 * np.abs(values[0])).all()  # no graph goes up


@pytest.mark.parametrize("compiled", [False, True], ids=["numpy", "compiled"])
def test_the_first_steps_are_those_of_a_graph_alone(compiled):
    """Majorization has no memory that refused trials of another graph could change."""
    method = ALL["ws-sne"]
    parts = [affinity_of(G, method) for G in DIFFERENT]
    J = stacked(*one_after_another(parts), method, compiled=compiled)
    Y = np.random.default_rng(3).standard_normal((len(J.affinity.mass), 2))
    end = minimize(J, Y, Majorize(), 8, Rest(lull=1e-3, lull_steps=3))
    for k, part in enumerate(parts):
        rows = slice(J.parts.starts[k], J.parts.starts[k + 1])
        single = minimize(alone(method, part), Y[rows], Majorize(), 8, Rest(lull=1e-3, lull_steps=3))
        assert end.value[k] == pytest.approx(single.value, rel=1e-9, abs=1e-12)
        np.testing.assert_allclose(end.Y[rows], single.Y, atol=1e-6 * np.abs(single.Y).max())
        assert end.reason[k] == single.reason


@pytest.mark.parametrize("count", [1, 2], ids=["one thread", "two threads"])
def test_graphs_that_rest_leave_the_stack_and_reports_have_all_positions(count):
    method = ALL["tsne"]
    parts = [affinity_of(nx.random_labeled_tree(3 + k % 9, seed=k), method) for k in range(40)]
    J = stacked(*one_after_another(parts), method, Threads(count), True)
    Y, seen = np.random.default_rng(5).standard_normal((len(J.affinity.mass), 2)), []
    end = minimize(J, Y, optimizer_named("lbfgs"), 300, Rest(force=1e-4), lambda value, Y: seen.append((value, Y)))
    assert (end.reason == "converged").sum() > 30
    assert len(seen) <= 300
    assert all(at.shape == Y.shape for _, at in seen)
    assert seen[-1][0] == pytest.approx(end.value.sum())
    assert np.array_equal(seen[-1][1], end.Y)
    again = minimize(J, Y, optimizer_named("lbfgs"), 300, Rest(force=1e-4))
    assert np.array_equal(again.Y, end.Y)
    with pytest.raises(ZeroDivisionError):
        minimize(J, Y, optimizer_named("lbfgs"), 5, Rest(), lambda value, Y: 1 / 0)
    still = minimize(J, Y, optimizer_named("lbfgs"), 0, Rest())
    assert np.array_equal(still.Y, Y)
    assert set(still.reason) == {"max_iter"}


FORMS: tuple[Any, ...] = ((1.0, "power"), (0.0, "boxcox"))
RADIALS = [Radial(kernel, *form) for kernel in KERNELS.values() for form in FORMS]


@pytest.mark.parametrize("size", [1.0, 30.0, 1e5])
@pytest.mark.parametrize("sizes", [[7] * 9, [3, 1, 150, 3, 40]], ids=["equal", "different"])
def test_pairs_within_graphs(sizes, size):
    parts, rng = Parts(np.array(sizes)), np.random.default_rng(0)
    n = sum(sizes)
    Y, charges = size * rng.standard_normal((n, 2)) + 3 * size, rng.normal(size=n)
    Y[1] = Y[0] + 1e-3
    for form in (Exact(parts=parts), Exact(True, parts=parts)):
        for radial, found in zip(RADIALS, form.fields(Y, charges, tuple(RADIALS)), strict=True):
            for a, b in zip(parts.starts, parts.starts[1:], strict=False):
                (want,) = Exact().fields(Y[a:b], charges[a:b], (radial,))
                scale = np.abs(want.potential).max() + 1e-290
                assert np.abs(found.potential[a:b] - want.potential).max() <= 1e-9 * scale
                scale = np.abs(want.force).max() + 1e-290
                assert np.abs(found.force[a:b] - want.force).max() <= 1e-9 * scale


def test_some_of_a_stack_is_the_stack_of_some():
    method = ALL["jse"]
    parts = [replace(affinity_of(G, method), inside=float(k), hidden=float(-k)) for k, G in enumerate(DIFFERENT)]
    parts[2] = replace(parts[2], rows=np.full(parts[2].P.nnz, 1 / 3))
    kept = np.array([True, False, True, True, False, False])
    some, where, rows = some_of(*one_after_another(parts), kept)
    want, there = one_after_another([part for part, keep in zip(parts, kept, strict=True) if keep])
    assert np.array_equal(where.sizes, there.sizes)
    assert rows.sum() == where.sizes.sum()
    assert np.array_equal(some.P.toarray(), want.P.toarray())
    for name in ("mass", "inside", "hidden", "rows"):
        np.testing.assert_allclose(getattr(some, name), getattr(want, name), rtol=1e-15)


def test_what_can_be_stacked():
    plain = affinity_of(DIFFERENT[1], ALL["ws-sne"])
    assert all(stackable(method, plain) for method in EVERY_METHOD.values() if not method.variational)
    P = plain.P
    walked = input_affinity(P, np.ones(P.shape[0]), ALL["gamma-quadlog"], 0.5, Threads())[0]
    assert not stackable(ALL["gamma-quadlog"], walked)

    class Own(Fixed):
        """A rule of the caller's, which may not take arrays."""

    assert not stackable(replace(ALL["ee"], connection=Own()), plain)
