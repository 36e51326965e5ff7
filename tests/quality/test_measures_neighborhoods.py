"""Neighborhood Jaccard: by hand, against its definition in sets, its invariances, and its samples."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from nelayout.quality import neighborhoods
from nelayout.quality.neighborhoods import neighborhood_jaccard


def graph(n, pairs):
    i, j = np.array(pairs, int).reshape(-1, 2).T
    A = csr_array((np.ones(2 * len(i)), (np.r_[i, j], np.r_[j, i])), shape=(n, n))
    A.data[:] = 1
    A.sort_indices()
    return A


def random_graph(n, m, rng):
    pairs = rng.integers(n, size=(m, 2))
    return graph(n, pairs[pairs[:, 0] != pairs[:, 1]])


def by_definition(A, Y, hops):
    reach = A.toarray() > 0
    if hops == 2:
        reach = reach | (reach.astype(int) @ reach.astype(int) > 0)
    np.fill_diagonal(reach, val=False)
    values = []
    for i in range(len(Y)):
        N = set(np.flatnonzero(reach[i]))
        if not N:
            continue
        distance = np.linalg.norm(Y - Y[i], axis=1)
        distance[i] = np.inf
        L = set(np.argsort(distance)[: len(N)])
        values.append(len(N & L) / len(N | L))
    return np.mean(values)


@pytest.mark.parametrize("hops", [1, 2])
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_equals_its_definition(hops, dim):
    rng = np.random.default_rng(dim)
    for n, m in ((2, 1), (7, 9), (40, 70), (150, 900), (90, 3000)):
        A, Y = random_graph(n, m, rng), rng.normal(size=(n, dim))
        if A.nnz:
            found = neighborhood_jaccard(A, Y, hops)
            assert found.exact
            assert found.error == 0
            assert found.value == pytest.approx(by_definition(A, Y, hops), abs=1e-12)


def test_tree_and_plain_distances_find_the_same(monkeypatch):
    rng = np.random.default_rng(5)
    A, Y = random_graph(400, 3000, rng), rng.normal(size=(400, 2))
    values = {neighborhood_jaccard(A, Y, 2).value}
    for share, least in ((1e9, 0), (1e-9, 1_000)):
        monkeypatch.setattr(neighborhoods, "BRUTE_SHARE", share)
        monkeypatch.setattr(neighborhoods, "BRUTE_LEAST", least)
        values.add(neighborhood_jaccard(A, Y, 2).value)
    monkeypatch.setattr(neighborhoods, "PAIRS_AT_ONCE", 500)
    values.add(neighborhood_jaccard(A, Y, 2).value)
    assert max(values) - min(values) < 1e-12


def test_by_hand():
    path = graph(3, [(0, 1), (1, 2)])
    assert neighborhood_jaccard(path, np.array([[0.0], [1], [3]])).value == 1
    # a at 0, b at 1, c at -0.5: b is whole; c's nearest is a, a's nearest is c.
    assert neighborhood_jaccard(path, np.array([[0.0], [1], [-0.5]])).value == pytest.approx(1 / 3)
    # Within two edges every node of the path is everyone's neighbor.
    assert neighborhood_jaccard(path, np.array([[0.0], [1], [-0.5]]), 2).value == 1


def test_isolated_nodes_take_up_room_and_are_not_asked():
    A = graph(4, [(0, 1)])
    assert neighborhood_jaccard(A, np.array([[0.0], [1], [5], [6]])).value == 1
    assert neighborhood_jaccard(A, np.array([[0.0], [1], [0.5], [6]])).value == 0
    assert np.isnan(neighborhood_jaccard(graph(3, []), np.zeros((3, 2))).value)


@pytest.mark.full
def test_ties_are_broken_at_random():
    """All in one place: which k of the others are nearest is a draw, and its mean is known."""
    n = 21
    rng = np.random.default_rng(0)
    ring = graph(n, [(i, (i + s) % n) for i in range(n) for s in (1, 2)] + [(0, 10)])
    draws = [neighborhood_jaccard(ring, np.ones((n, 2)), seed=seed).value for seed in range(200)]
    expected = []
    for _ in range(4000):
        degree = np.diff(ring.indptr)[rng.integers(n)]
        h = rng.hypergeometric(degree, n - 1 - degree, degree)
        expected.append(h / (2 * degree - h))
    assert np.mean(draws) == pytest.approx(np.mean(expected), abs=4 * np.std(expected) / np.sqrt(4000))
    assert len(set(draws)) > 20
    assert neighborhood_jaccard(ring, np.ones((n, 2)), seed=3) == neighborhood_jaccard(
        ring, np.ones((n, 2)), seed=3
    )


def test_ties_on_a_lattice():
    """A node of the square lattice is nearest to its neighbors, at distance 1; the next are sqrt 2 away."""
    side = 3
    index = np.arange(9).reshape(side, side)
    pairs = [*zip(index[:, :-1].ravel(), index[:, 1:].ravel(), strict=True)]
    pairs += [*zip(index[:-1].ravel(), index[1:].ravel(), strict=True)]
    Y = np.array([(x, y) for x in range(3) for y in range(3)], float)
    assert neighborhood_jaccard(graph(9, pairs), Y).value == 1
    # Without the middle's edges, corners (2 of 2) and sides (2 of 2, drawn from 3 at distance 1) remain.
    spokes = {4}
    A = graph(9, [pair for pair in pairs if not spokes & set(pair)])
    values = {round(neighborhood_jaccard(A, Y, seed=s).value * 8, 6) for s in range(60)}
    # A side has hits 2 with chance 1/3, else 1 (Jaccard 1/3): 4 corners at 1, 4 sides at 1 or 1/3.
    assert values <= {round(4 + whole + (4 - whole) / 3, 6) for whole in range(5)}
    assert len(values) >= 4


@pytest.mark.parametrize("hops", [1, 2])
def test_invariances(hops):
    rng = np.random.default_rng(7)
    A, Y = random_graph(120, 300, rng), rng.normal(size=(120, 2))
    value = neighborhood_jaccard(A, Y, hops).value
    turn = np.array([[0.6, 0.8], [-0.8, 0.6]])
    for changed in (Y @ turn + [5.0, -3.0], Y * [1, -1], Y * 1e-150, Y * 1e150):
        assert neighborhood_jaccard(A, changed, hops).value == pytest.approx(value, abs=1e-12)
    order = rng.permutation(120)
    assert neighborhood_jaccard(A[order][:, order].tocsr(), Y[order], hops).value == pytest.approx(
        value, abs=1e-12
    )
    assert 0 < value < 0.5


def test_samples_lie_within_their_error():
    rng = np.random.default_rng(1)
    Y = rng.normal(size=(3000, 2))
    i = np.arange(3000)
    near = np.argsort(np.linalg.norm(Y[:, None] - Y[None, :400], axis=2), axis=1)[:, :2]
    A = graph(3000, [(a, b) for a in i for b in near[a] if a != b])
    exact = neighborhood_jaccard(A, Y, sample=None)
    z = []
    for seed in range(40):
        found = neighborhood_jaccard(A, Y, sample=300, seed=seed)
        assert not found.exact
        z.append((found.value - exact.value) / found.error)
    assert 0.6 < np.sqrt(np.mean(np.square(z))) < 1.5
    assert abs(np.mean(z)) < 4 / np.sqrt(40)


def test_the_map_of_luxembourg(shared_data):
    """Even the true map keeps only two thirds of its street neighborhoods."""
    stored = np.load(shared_data / "graphs" / "luxembourg.npz")
    A = graph(int(stored["n"]), np.column_stack([stored["rows"], stored["cols"]]))
    found = neighborhood_jaccard(A, stored["coords"])
    assert abs(found.value - 0.6858) < 4 * found.error
    assert found.error < 0.006
