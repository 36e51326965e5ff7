"""False gaps: planted tears are named, honest gaps are not."""

import networkx as nx
import numpy as np
import planted
import pytest
from scipy.sparse import csr_array

import nelayout as nl
from nelayout.trust.gaps import closed, torn
from nelayout.trust.groups import drawn_groups
from nelayout.trust.wording import gap_note, torn_sentence

METHODS = ["auto", "ws-sne", "spring", "kk"]


def drawing(name, method):
    if method in ("auto", "ws-sne"):
        return planted.drawing(name, method)
    G = nx.from_scipy_sparse_array(planted.matrix(name))
    pos = nx.spring_layout(G, seed=11, iterations=200) if method == "spring" else nx.kamada_kawai_layout(G)
    return np.array([pos[v] for v in G])


def parts(fault, A, B):
    """Most of one side belongs to A, and the other side has nodes of B."""
    return any(
        np.isin(one, first).mean() > 0.5 and np.isin(other, second).any()
        for one, other in (fault.nodes, fault.nodes[::-1])
        for first, second in ((A, B), (B, A))
    )


@pytest.mark.parametrize("name", list(planted.GRAPHS))
def test_honest_drawings_have_no_fault(name):
    """By the default method, from a seed that no reference has: no fault, and hardly a note."""
    faults, notes = torn(planted.matrix(name), planted.drawing(name), planted.references(name))
    assert faults == ()
    assert len(notes) <= 1


@pytest.mark.parametrize("name", ["grid", "triangles", "hexagons", "roads", "les miserables", "near in the plane"])
def test_drawings_torn_along_a_line_are_named(name):
    """All tears that open a gap are named, and nothing else is."""
    P, Y, found = planted.matrix(name), planted.drawing(name), []
    for seed in range(4):
        A, B, Z = planted.torn_along_a_line(Y, np.random.default_rng(seed))
        faults, _ = torn(P, Z, planted.references(name))
        found.append(any(parts(fault, A, B) for fault in faults))
        assert all(parts(fault, A, B) for fault in faults)
    assert np.mean(found) >= 0.75


@pytest.mark.parametrize("name", ["blocks", "uneven blocks", "les miserables", "grid"])
def test_a_community_in_two_places_is_named(name):
    P, Y = planted.matrix(name), planted.drawing(name)
    whole = drawn_groups(Y) if name.endswith("blocks") else np.asarray(Y[:, 0] > np.quantile(Y[:, 0], 0.6), dtype=int)
    community = np.flatnonzero(whole == whole.max())
    A, B, Z = planted.split_in_two(Y, community, np.random.default_rng(0))
    faults, _ = torn(P, Z, planted.references(name))
    assert any(parts(fault, A, B) for fault in faults)


def test_counts_expected_and_sides_of_a_torn_grid():
    """A grid of 10 by 16 torn between columns 5 and 6: ten edges cross; the middle of 10 x 6 is crossed by 6 to 11."""
    Y = np.indices((10, 16)).reshape(2, -1).T.astype(float)
    P = csr_array((np.abs(Y[:, None] - Y).sum(axis=2) == 1).astype(float))
    references = Y + np.random.default_rng(0).normal(0, 0.05, (5, 160, 2))
    (fault,), notes = torn(P, references[0] + np.outer(Y[:, 1] > 5, [0.0, 7.0]), references)
    assert notes == ()
    assert (len(fault.nodes[0]), len(fault.nodes[1]), fault.edges) == (60, 100, 10)
    assert set(fault.nodes[0]) == set(np.flatnonzero(Y[:, 1] <= 5).tolist())
    assert 6 <= fault.expected <= 11
    assert fault.score == pytest.approx(fault.edges / fault.expected)
    assert 0.05 < fault.p <= 1.0


def test_a_gap_that_references_show_is_no_fault():
    """Two cliques with many edges between, which all references draw apart."""
    rng = np.random.default_rng(0)
    side = np.repeat([0, 1], 25)
    P = (rng.random((50, 50)) < np.where(side[:, None] == side, 0.4, 0.3)).astype(float)
    P = csr_array(np.triu(P, 1) + np.triu(P, 1).T)
    apart = rng.random((5, 50, 2)) + side[:, None] * [3.0, 0.0]
    assert torn(P, apart[0], apart[1:]) == ((), ())
    together = rng.random((5, 50, 2))
    assert len(torn(P, apart[0], together)[0]) == 1
    assert torn(P, apart[0], [*apart[1:3], *together]) == ((), ())


def test_a_small_community_is_measured_by_the_nodes_beside_it():
    """A dense community of 20 has 60 edges to 400 others: more than cross its middle, but few to each part of them."""
    rng = np.random.default_rng(0)
    side = np.repeat([0, 1], [400, 20])
    P = rng.random((420, 420)) < np.where(side[:, None] == side, np.where(side == 1, 0.4, 0.05), 0.01)
    P = csr_array(np.triu(P, 1) + np.triu(P, 1).T, dtype=float)
    Y = rng.normal(size=(6, 420, 2)) * np.where(side == 1, 0.2, 1.0)[:, None] + np.outer(side, [1.5, 0.0])
    apart = Y[0] + np.outer(side, [6.0, 0.0])
    assert drawn_groups(apart).max() == 1
    assert torn(P, apart, Y[1:]) == ((), ())
    assert P[side == 0][:, side == 1].nnz > P[side == 1][:, side == 1].nnz / 4


def test_weights_do_not_count_and_an_entry_zero_is_no_edge():
    P, Y = planted.matrix("grid"), planted.drawing("grid")
    _, _, Z = planted.torn_along_a_line(Y, np.random.default_rng(0))
    plain = torn(P, Z, planted.references("grid"))
    heavy = P.copy()
    heavy.data[:] = np.random.default_rng(0).random(len(P.data)) + 0.1
    assert torn(heavy, Z, planted.references("grid")) == plain
    assert plain[0]
    nothing = P.copy()
    nothing.data[:] = 0.0
    assert torn(nothing, Z, planted.references("grid")) == ((), ())


def test_faults_do_not_depend_on_scale_turn_or_order():
    P, Y, references = planted.matrix("grid"), planted.drawing("grid"), planted.references("grid")
    _, _, Z = planted.torn_along_a_line(Y, np.random.default_rng(1))
    expected, _ = torn(P, Z, references)
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    assert torn(P, Z @ turn * 50.0 + 3.0, references)[0] == expected
    order = np.random.default_rng(2).permutation(len(Y))
    shuffled, _ = torn(csr_array(P[order][:, order]), Z[order], [each[order] for each in references])
    assert [(f.edges, f.expected, f.p) for f in shuffled] == [(f.edges, f.expected, f.p) for f in expected]
    assert [set(order[list(f.nodes[0])]) for f in shuffled] == [set(f.nodes[0]) for f in expected]


def test_a_minimizer_that_tears_a_grid_is_named():
    """The minimum of ws-SNE parts a grid of 20 by 20 into four pieces, each gap crossed by ten edges."""
    P = csr_array(nx.to_scipy_sparse_array(nx.grid_2d_graph(20, 20), weight=None, dtype=float))
    Y = np.asarray(nl.layout(P, "ws-sne", seed=11))
    assert drawn_groups(Y).max() == 3
    faults, notes = torn(P, Y, [np.asarray(nl.layout(P, "auto", seed=seed)) for seed in range(3, 8)])
    assert len(faults) == 3  # the fourth gap lies within a group again, when the three are joined
    assert notes == ()
    assert sorted(fault.edges for fault in faults) == [10, 10, 20]


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_a_tear_is_named_in_every_dimension(dim):
    """A lattice of 200 to 225 nodes, with edges of up to two steps, torn in the middle."""
    steps = {1: (200,), 2: (15, 14), 3: (7, 6, 5)}[dim]
    X = np.indices(steps).reshape(dim, -1).T.astype(float)
    apart = np.abs(X[:, None] - X).sum(axis=2)
    P = csr_array(((apart > 0) & (apart <= 2)).astype(float))
    references = X + np.random.default_rng(0).normal(0, 0.05, (5, len(X), dim))
    assert torn(P, references[0], references[1:]) == ((), ())
    right = X[:, 0] >= steps[0] // 2
    faults, notes = torn(P, references[0] + np.outer(right, [9.0, 0.0, 0.0][:dim]), references)
    (found,) = faults + notes
    assert {frozenset(nodes) for nodes in found.nodes} == {frozenset(np.flatnonzero(right == s)) for s in (True, False)}


def test_sentences_name_both_sides_and_count():
    P, Y = planted.matrix("grid"), planted.drawing("grid")
    _, _, Z = planted.torn_along_a_line(Y, np.random.default_rng(1))
    names = [f"v{k}" for k in range(len(Y))]
    fault = torn(P, Z, planted.references("grid"))[0][0]
    for said in (torn_sentence(P, fault, names), gap_note(P, fault, names)):
        assert f"the {len(fault.nodes[0])} nodes around v" in said
        assert f"{fault.edges} edges cross it" in said


@pytest.mark.full
@pytest.mark.parametrize("method", METHODS)
def test_tears_are_found_whatever_drew_the_picture(method):
    """Over graphs that no number was chosen on: 9 of 10 tears named, 9 of 10 names right."""
    found, right, named = [], 0, 0
    for name in ("grid", "triangles", "hexagons", "roads", "blocks", "uneven blocks", "near in the plane", "random"):
        P, Y, references = planted.matrix(name), drawing(name, method), planted.references(name)
        before = {fault.nodes for fault in torn(P, Y, references)[0]}
        for seed in range(5):
            A, B, Z = planted.torn_along_a_line(Y, np.random.default_rng(seed))
            faults = [fault for fault in torn(P, Z, references)[0] if fault.nodes not in before]
            hits = [parts(fault, A, B) for fault in faults]
            found.append(any(hits))
            right, named = right + sum(hits), named + len(hits)
    assert np.mean(found) >= 0.9, np.mean(found)
    assert right / named >= 0.9, (right, named)


def test_a_gap_as_honest_drawings_have_is_a_note():
    """Each reference tears a grid between other columns.  A drawing torn between rows is like them, or far worse."""
    X = np.indices((14, 14)).reshape(2, -1).T.astype(float)
    P = csr_array((np.abs(X[:, None] - X).sum(axis=2) == 1).astype(float))
    noise = np.random.default_rng(0).normal(0, 0.05, (6, 196, 2))
    columns = [np.outer(X[:, 1] >= k, [0.0, 6.0]) for k in (4, 6, 8, 10)]
    references = [X + noise[0], *(X + shift + each for shift, each in zip(columns, noise[1:], strict=False))]
    row = np.outer(X[:, 0] >= 7, [6.0, 0.0])
    faults, notes = torn(P, X + row + noise[5], references)
    assert faults == ()
    assert [len(note.nodes[0]) for note in notes] == [98]
    assert [fault.edges for fault in torn(P, X + row + noise[5], [X + each for each in noise[:5]])[0]] == [14]
    assert [fault.edges for fault in torn(P, X + 5.0 * row + noise[5], references)[0]] == [14]


def test_closed_gaps_leave_the_shape_of_both_sides():
    """A grid torn along a line becomes the grid again, but for the width of the gap."""
    P, Y = planted.matrix("grid"), planted.drawing("grid")
    A, B, Z = planted.torn_along_a_line(Y, np.random.default_rng(1))
    gaps, _ = torn(P, Z, planted.references("grid"))
    before = Z.copy()
    again = closed(P, Z, gaps)
    assert np.array_equal(Z, before)
    for side in (A, B):
        assert np.allclose(again[side] - again[side[0]], Y[side] - Y[side[0]])
    assert np.abs((again - again[A[0]]) - (Y - Y[A[0]])).max() < 0.1 * np.ptp(Y)
    assert np.array_equal(closed(P, Z, ()), Z)
