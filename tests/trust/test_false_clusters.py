"""Clusters that a small neighborhood draws into noise are named, clusters of the data are not."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import nelayout as nl
from nelayout.trust.false_clusters import clumpiness, false_clusters
from nelayout.trust.groups import drawn_groups
from nelayout.trust.wording import cluster_sentence

ROWS = 400


def references(X):
    """Drawings at larger neighborhoods."""
    tsne = [nl.embed(X, method="tsne", perplexity=k, random_state=seed) for k, seed in ((30, 1), (30, 2), (15, 1))]
    return [*tsne, nl.embed(X, n_neighbors=15, random_state=0)]


@pytest.fixture(scope="module")
def noise():
    X = np.random.default_rng(1).normal(size=(ROWS, 5))
    return X, references(X)


def test_groups_in_noise_are_named(noise):
    """Noise in 5 dimensions at perplexity 5 falls into groups; nearly all are named."""
    X, larger = noise
    Y = nl.embed(X, method="tsne", perplexity=5, random_state=0)
    groups = drawn_groups(Y).max() + 1
    found, notes = false_clusters(Y, larger)
    assert groups >= 5
    assert len(found) >= 0.9 * groups
    assert all(fault.jaccard < 0.5 and fault.score == 1 - fault.jaccard for fault in found)
    assert [fault.jaccard for fault in found] == sorted(fault.jaccard for fault in found)
    assert len(notes) == 1
    assert false_clusters(larger[0], larger[1:]) == ((), ())


@pytest.mark.parametrize("count", [3, 8])
def test_groups_of_the_data_are_not_named(count):
    rng = np.random.default_rng(count)
    X = rng.normal(size=(ROWS, 8)) + 6 * rng.normal(size=(count, 8))[np.arange(ROWS) % count]
    larger = references(X)
    for perplexity in (5, 10, 30):
        Y = nl.embed(X, method="tsne", perplexity=perplexity, random_state=0)
        label = drawn_groups(Y)
        for fault in false_clusters(Y, larger)[0]:  # a part of a cluster, set apart
            nodes = np.array(fault.nodes)
            assert len(set(nodes % count)) == 1
            assert len(nodes) < 0.5 * ROWS / count
        assert label.max() + 1 >= count


def test_a_group_that_half_of_the_references_keep_is_believed():
    """A group of 40 beside one of 80: of the union of all it is a third, so that it dissolves; the other does not."""
    rng = np.random.default_rng(0)
    side = np.repeat([0, 1], [40, 80])
    apart, together = rng.random((4, 120, 2)) + np.outer(side, [3.0, 0.0]), rng.random((3, 120, 2))
    assert false_clusters(apart[0], [*apart[1:], together[0]])[0] == ()
    assert false_clusters(apart[0], [*apart[1:3], *together[:2]])[0] == ()
    (found,), _ = false_clusters(apart[0], [apart[1], *together])
    assert found.nodes == tuple(range(40))
    assert found.jaccard == pytest.approx(1 / 3)


def test_clumpiness_of_knots_and_of_chance():
    rng = np.random.default_rng(0)
    chance = [clumpiness(rng.random((300, 2))) for _ in range(20)]
    assert abs(np.mean(chance)) < 1.0
    assert 0.5 < np.std(chance) < 2.0
    knots = rng.random((75, 2)).repeat(4, axis=0) + rng.normal(0, 1e-3, (300, 2))
    assert clumpiness(knots) < -10
    assert clumpiness(knots * 1e-6) == pytest.approx(clumpiness(knots))
    assert clumpiness(np.zeros((50, 2))) == clumpiness(rng.random((8, 2))) == 0.0
    assert len(false_clusters(knots, rng.random((4, 300, 2)))[1]) == 1
    assert false_clusters(knots, [knots] * 4) == ((), ())


def test_small_input_is_no_fault():
    for n in (0, 1, 4):
        assert false_clusters(np.zeros((n, 2)), [np.zeros((n, 2))] * 4) == ((), ())
    assert false_clusters(np.random.default_rng(0).random((50, 2)), []) == ((), ())


def test_sentence_counts_rows():
    rng = np.random.default_rng(0)
    three = rng.random((90, 2)) + np.repeat([[0, 0], [2, 0], [0, 2]], 30, axis=0)
    fault = false_clusters(three, rng.random((4, 90, 2)))[0][0]
    said = cluster_sentence(csr_array(np.ones((90, 90))), fault, range(90))
    assert f"the 30 rows around {fault.nodes[0]} apart" in said
