"""Components as graphs of their own, and the order in which large ones are held."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

import nelayout as nl
from nelayout.core.placing.components import MAX_CACHED_NODES, component_labels, side_by_side


def shuffled_path(n):
    order = np.random.default_rng(0).permutation(n)
    rows, cols = order[:-1], order[1:]
    P = csr_array((np.ones(2 * n - 2), (np.r_[rows, cols], np.r_[cols, rows])), shape=(n, n))
    P.sort_indices()
    return csr_array((P.data, P.indices.astype(np.int32), P.indptr.astype(np.int32)), shape=(n, n))


def test_neighbors_of_a_large_graph_lie_side_by_side():
    P = shuffled_path(MAX_CACHED_NODES + 1)
    P.data = np.random.default_rng(1).random(len(P.data))
    before = P.copy()
    nodes, graph = side_by_side(np.arange(MAX_CACHED_NODES + 1), P)
    assert (graph.indices.dtype, graph.indptr.dtype) == (np.int32, np.int32)
    assert graph.has_sorted_indices
    assert (P.data == before.data).all()
    rows = np.repeat(np.arange(len(nodes)), np.diff(graph.indptr))
    assert np.abs(rows - graph.indices).max() == 1
    back = csr_array((graph.data, (nodes[rows], nodes[graph.indices])), shape=P.shape)
    assert abs(back - P).max() == 0


def test_small_graphs_stay_as_they_are():
    P = shuffled_path(100)
    nodes, graph = side_by_side(np.arange(100), P)
    assert graph is P
    assert (nodes == np.arange(100)).all()


def test_places_come_back_to_the_nodes_of_a_large_graph():
    P = shuffled_path(MAX_CACHED_NODES + 1)
    start = np.random.default_rng(2).random((MAX_CACHED_NODES + 1, 2))
    assert np.abs(nl.layout(P, "gamma-quadlog", pos=start, max_iter=0) - start).max() < 1e-12
    along = np.empty(MAX_CACHED_NODES + 1)
    along[np.random.default_rng(0).permutation(MAX_CACHED_NODES + 1)] = np.linspace(-1, 1, MAX_CACHED_NODES + 1)
    moved = nl.layout(P, "gamma-quadlog", pos=np.stack([along, 0 * along], axis=1), max_iter=2)
    assert abs(np.corrcoef(moved[:, 0], along)[0, 1]) > 0.99


@pytest.mark.parametrize("seed", range(8))
def test_components_are_numbered_by_size_and_equal_ones_by_the_earliest_node(seed):
    rng = np.random.default_rng(seed)
    n, m = 200, 90 + 10 * seed
    rows, cols = rng.integers(0, n, m), rng.integers(0, n, m)
    P = csr_array((np.ones(2 * m), (np.r_[rows, cols], np.r_[cols, rows])), shape=(n, n))
    labels = component_labels(P)
    assert (labels[rows] == labels[cols]).all()
    sizes, first = np.bincount(labels), np.unique(labels, return_index=True)[1]
    assert len(sizes) == connected_components(P)[0] > 20
    assert list(zip(-sizes, first, strict=True)) == sorted(zip(-sizes, first, strict=True))
