"""The order in layers: trees are drawn without a crossing, and no order is worse than the one before."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

import nelayout as nl
from nelayout.core.passes.ordering import in_order
from nelayout.core.passes.tidiness import crossings


def arborescence(n, seed):
    T = nx.random_labeled_rooted_tree(n, seed=seed)
    return nx.bfs_tree(T, T.graph["root"])


@pytest.mark.parametrize("seed", range(5))
def test_layers_of_a_tree_have_no_crossing(seed):
    T = arborescence(60, seed)
    assert nl.measure(T, nl.layout(T, seed=0, layers="auto"), measures="crossings")["crossings"].value == 0


@pytest.mark.parametrize("seed", range(4))
def test_an_order_has_no_more_crossings_than_the_one_that_it_begins_with(seed):
    rng = np.random.default_rng(seed)
    layer = np.repeat(np.arange(4), 8)
    ends = [(a, b) for a in range(32) for b in range(32) if layer[b] == layer[a] + 1 and rng.random() < 0.25]
    rows, cols = np.array(ends).T
    P = csr_array((np.ones(len(rows)), (rows, cols)), shape=(32, 32))
    P = csr_array(P + P.T)
    before = np.argsort(np.argsort(rng.random(32) + 10 * layer)) % 8.0
    after = in_order(P, layer.astype(float), before)
    count = [crossings(P, np.stack([x, -layer], axis=1), np.inf) for x in (before, after)]
    assert count[1] < count[0]
    for k in range(4):
        places = np.sort(after[layer == k])
        assert np.diff(places).min() > 1 - 1e-9
