"""Communities that are drawn as one: planted mergers are named, honest drawings hide nothing."""

import networkx as nx
import numpy as np
import planted
import pytest
from scipy.sparse import csr_array

from nelayout.numerics.communities import communities
from nelayout.trust.mixing import false_neighbors
from nelayout.trust.wording import hidden_sentence

CLUSTERED = ["blocks", "uneven blocks", "cliques in a ring", "les miserables", "near in the plane"]


def found_communities(P):
    label = communities(P, np.random.default_rng(0))
    return [np.flatnonzero(label == each) for each in range(label.max() + 1)]


def is_pair(fault, A, B):
    return any(
        planted.jaccard(one, A) > 0.5 and planted.jaccard(other, B) > 0.5
        for one, other in (fault.nodes, fault.nodes[::-1])
    )


@pytest.mark.parametrize("name", list(planted.GRAPHS))
def test_honest_drawings_hide_nothing(name):
    found, _ = false_neighbors(planted.matrix(name), planted.drawing(name), planted.references(name), seed=0)
    assert found == ()


@pytest.mark.parametrize("method", ["auto", "ws-sne"])
def test_merged_communities_are_named_and_nothing_else(method):
    """Of three mergers in each of five graphs, 9 of 10 are named, and 9 of 10 names are right."""
    hits, right, named = [], 0, 0
    for name in CLUSTERED:
        P, Y = planted.matrix(name), planted.drawing(name, method)
        large = [each for each in found_communities(P) if len(each) >= 9]
        for seed in range(3):
            A, B = (large[k] for k in np.random.default_rng(seed).choice(len(large), 2, replace=False))
            found, _ = false_neighbors(P, planted.merged(Y, A, B), planted.references(name), seed=0)
            pairs = [is_pair(fault, A, B) for fault in found]
            hits.append(any(pairs))
            # A community that also lies where the two lie is mixed with the one that was moved.
            touched = [any(planted.jaccard(nodes, B) > 0.5 for nodes in fault.nodes) for fault in found]
            right, named = right + sum(touched), named + len(found)
    assert np.mean(hits) >= 0.9, hits
    assert right >= 0.9 * named, (right, named)


def test_mixed_drawings_are_all_named_worst_first():
    """Four communities, the drawing puts the first two over each other and the last two half over each other."""
    rng = np.random.default_rng(0)
    P = csr_array(nx.to_scipy_sparse_array(planted.blocks([40] * 4, 0.3, 0.01, 0), weight=None, dtype=float))
    far = np.array([[0, 0], [5, 0], [0, 5], [5, 5]])
    references = rng.random((5, 160, 2)) + np.repeat(far, 40, axis=0)
    far[1] = far[0]
    Y = rng.random((160, 2)) + np.repeat(far + np.array([[0, 0], [0, 0], [0, 0], [-4.9, 0.0]]), 40, axis=0)
    found, notes = false_neighbors(P, Y, references, seed=0)
    assert notes == ()
    assert [set().union(*fault.nodes) for fault in found] == [set(range(80)), set(range(80, 160))]
    assert found[0].score > found[1].score > 0.5
    assert all(0.0 <= fault.p <= 0.05 for fault in found)


def test_what_references_mix_as_well_is_no_fault():
    rng = np.random.default_rng(1)
    P = planted.matrix("blocks")
    drawings = rng.random((6, P.shape[0], 2))
    assert false_neighbors(P, drawings[0], drawings[1:], seed=0) == ((), ())


@pytest.mark.parametrize("seed", range(3))
def test_graphs_without_communities_have_none_to_hide(seed):
    P = csr_array(nx.to_scipy_sparse_array(nx.gnm_random_graph(200, 600, seed=seed), dtype=float))
    rng = np.random.default_rng(seed)
    label = communities(P, np.random.default_rng(0))
    apart = rng.random((5, 200, 2)) + np.stack([label * 3.0, label * 0.0], axis=1)
    found, (note,) = false_neighbors(P, rng.random((200, 2)), apart, seed=0)
    assert found == ()
    assert "no communities beyond chance" in note


def test_communities_follow_weights():
    """A complete graph with heavy edges within two halves: only the weights tell them."""
    rng, side = np.random.default_rng(0), np.repeat([0, 1], 30)
    P = np.where(side[:, None] == side, 5.0, 1.0) * (rng.random((60, 60)) < 0.5)
    P = csr_array(np.triu(P, 1) + np.triu(P, 1).T)
    apart = rng.random((5, 60, 2)) + np.outer(side, [3.0, 0.0])
    (found,), _ = false_neighbors(P, rng.random((60, 2)), apart, seed=0)
    assert {frozenset(nodes) for nodes in found.nodes} == {frozenset(range(30)), frozenset(range(30, 60))}
    even = csr_array((np.ones(P.nnz), P.indices, P.indptr), shape=P.shape)
    assert false_neighbors(even, rng.random((60, 2)), apart, seed=0)[0] == ()


def test_faults_do_not_depend_on_scale_and_turn():
    P, Y, references = planted.matrix("blocks"), planted.drawing("blocks"), planted.references("blocks")
    A, B, *_ = found_communities(P)
    Z = planted.merged(Y, A, B)
    expected, _ = false_neighbors(P, Z, references, seed=0)
    turned = Z @ np.array([[0.6, -0.8], [0.8, 0.6]]) * 50.0 + 3.0
    found, _ = false_neighbors(P, turned, references, seed=0)
    assert [fault.nodes for fault in found] == [fault.nodes for fault in expected]
    assert found[0].score == pytest.approx(expected[0].score)


def test_small_input_is_no_fault():
    for n in (0, 1, 6):
        P = csr_array((n, n))
        assert false_neighbors(P, np.zeros((n, 2)), [np.zeros((n, 2))] * 5, seed=0)[0] == ()


def test_sentence_names_both_communities():
    P, Y = planted.matrix("blocks"), planted.drawing("blocks")
    A, B, *_ = found_communities(P)
    (fault,), _ = false_neighbors(P, planted.merged(Y, A, B), planted.references("blocks"), seed=0)
    said = hidden_sentence(P, fault, [f"v{k}" for k in range(len(Y))])
    assert said.startswith("The 50 nodes around v")
    assert said.count("the 50 nodes around v") == 1


def test_a_few_heavy_edges_do_not_hide_communities():
    """Weights over six orders of magnitude, without regard to the communities: the edges alone tell them."""
    P = planted.matrix("blocks").copy()
    upper = csr_array(np.triu(P.toarray() * 10 ** np.random.default_rng(0).uniform(-3, 3, P.shape), 1))
    A, B, *_ = found_communities(P)
    Z = planted.merged(planted.drawing("blocks"), A, B)
    (found,), notes = false_neighbors(csr_array(upper + upper.T), Z, planted.references("blocks"), seed=0)
    assert is_pair(found, A, B)
    assert notes == ()
