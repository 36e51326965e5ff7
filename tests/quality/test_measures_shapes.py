"""Shapes, angles, retrieval and clusters: by hand, against all triples and pairs, against scikit-learn, samples."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from scipy.spatial.distance import cdist
from tables import first

from nelayout.graphs import read
from nelayout.quality import crossings
from nelayout.quality.classes import adjusted_rand, class_ari, k_means
from nelayout.quality.distances import Hops
from nelayout.quality.neighborhoods import f_score, precision, recall, retrieval
from nelayout.quality.samples import Sweep
from nelayout.quality.shapes import gabriel_graph, relative_graph, shape_agreement

RNG = np.random.default_rng(0)
TURN = np.array([[0.6, 0.8], [-0.8, 0.6]])
LATTICE = np.array([(x, y) for x in range(5) for y in range(4)], float)
PLACES = {
    "normal": RNG.normal(size=(60, 2)),
    "space": RNG.normal(size=(40, 3)),
    "line": RNG.normal(size=(20, 1)),
    "lattice": LATTICE,
    "turned lattice": LATTICE @ TURN * 3.3,
    "coincident": RNG.integers(4, size=(20, 2)).astype(float),
    "on a line": np.outer(RNG.normal(size=15), [1.0, 2.0]),
    "circle": np.column_stack([np.cos(np.arange(12) * np.pi / 6), np.sin(np.arange(12) * np.pi / 6)]),
    "one place": np.ones((5, 2)),
    "two": np.array([[0.0, 0], [1, 0]]),
    "three": np.array([[0.0, 0], [1, 0], [0.4, 0.7]]),
    "one": np.zeros((1, 2)),
    "none": np.zeros((0, 2)),
}


def shape_by_definition(Y, *, relative):
    D = cdist(Y, Y) if len(Y) else np.zeros((0, 0))
    D[D < 1e-12] = 0
    shared = ((D == 0).sum(axis=1) > 1) if len(Y) else np.zeros(0, bool)
    found = set()
    for i, j in combinations(range(len(Y)), 2):
        if shared[i] or shared[j]:
            continue
        others = [k for k in range(len(Y)) if k not in (i, j)]
        if relative:
            blocked = any(max(D[i, k], D[j, k]) < D[i, j] * (1 - 1e-9) for k in others)
        else:
            blocked = any(np.linalg.norm(Y[k] - (Y[i] + Y[j]) / 2) <= D[i, j] / 2 * (1 + 1e-9) for k in others)
        if not blocked:
            found.add((i, j))
    return found


@pytest.mark.parametrize("places", PLACES)
@pytest.mark.parametrize("relative", [False, True])
def test_shape_graphs_equal_their_definition(places, relative):
    Y = PLACES[places]
    for scale in (1, 1e-120):
        i, j = (relative_graph if relative else gabriel_graph)(Y * scale)
        assert set(zip(i.tolist(), j.tolist(), strict=True)) == shape_by_definition(Y, relative=relative)


def test_a_grid_has_the_shape_of_a_grid():
    G = nx.grid_2d_graph(5, 4)
    A = read(G).adjacency
    for relative in (False, True):
        assert shape_agreement(A, np.array(list(G), float), relative=relative).value == 1
        assert shape_agreement(A, np.zeros((20, 2)), relative=relative).value == 0
    assert np.isnan(shape_agreement(read(nx.empty_graph(3)).adjacency, np.zeros((3, 2))).value)
    G = nx.gnm_random_graph(60, 120, seed=1)
    shape = nx.Graph(list(shape_by_definition(PLACES["normal"], relative=False)))
    index = [
        len(set(G[v]) & set(shape[v])) / len(set(G[v]) | set(shape[v])) for v in G if G.degree(v)
    ]
    assert shape_agreement(read(G).adjacency, PLACES["normal"]).value == pytest.approx(np.mean(index))


def test_angular_resolution_by_hand_and_by_definition():
    star = read(nx.star_graph(3)).adjacency
    Y = np.array([[0.0, 0], [1, 0], [0, 2], [-3, 0]])
    assert crossings.angular_resolution(star, Y).value == pytest.approx(3 / 4)
    assert crossings.angular_resolution(star, Y * [1, 0]).value == 0  # the second has length 0, others lie on each other
    assert np.isnan(crossings.angular_resolution(read(nx.path_graph(2)).adjacency, np.zeros((2, 2))).value)
    G = nx.gnm_random_graph(40, 90, seed=2)
    Y = RNG.normal(size=(40, 2))
    shares = []
    for v in G:
        if G.degree(v) > 1:
            turn = np.sort([np.degrees(np.arctan2(*(Y[u] - Y[v])[::-1])) for u in G[v]])
            shares.append(np.diff(np.r_[turn, turn[0] + 360]).min() * G.degree(v) / 360)
    assert crossings.angular_resolution(read(G).adjacency, Y).value == pytest.approx(np.mean(shares))


@pytest.mark.full
def test_crossing_angles_equal_their_definition(monkeypatch):
    G = nx.gnm_random_graph(16, 36, seed=7)
    for Y in (RNG.normal(size=(16, 2)), RNG.integers(4, size=(16, 2)).astype(float)):
        A = read(G).adjacency
        found = []
        for e, f in combinations(G.edges, 2):
            four = nx.Graph([e, f])
            if four.number_of_nodes() == 4:
                places = read(four).adjacency
                if crossings.edge_crossings(places, Y[list(four)]).value:
                    u, v = Y[e[1]] - Y[e[0]], Y[f[1]] - Y[f[0]]
                    size = np.linalg.norm(u) * np.linalg.norm(v)
                    angle = 0 if size == 0 else np.arccos(min(abs(u @ v) / size, 1))
                    found.append(angle / (np.pi / 2))
        for compiled in (False, True):
            monkeypatch.setattr(crossings, "PAIRS_NUMPY", 0 if compiled else 10**9)
            whole = crossings.crossing_angle(A, Y)
            assert whole.exact
            assert whole.value == pytest.approx(np.mean(found), abs=1e-7)
            assert crossings.edge_crossings(A, Y).value == len(found)
    assert np.isnan(crossings.crossing_angle(read(nx.path_graph(5)).adjacency, np.arange(10.0).reshape(5, 2)).value)


def test_sampled_crossing_angles_lie_within_their_error():
    A, Y = read(nx.gnm_random_graph(200, 500, seed=6)).adjacency, RNG.normal(size=(200, 2)) * [1, 3]
    exact = crossings.crossing_angle(A, Y, sample=None).value
    found = [crossings.crossing_angle(A, Y, sample=100, seed=seed) for seed in range(40)]
    z = np.array([(f.value - exact) / f.error for f in found])
    assert 0.6 < np.sqrt(np.mean(z**2)) < 1.6
    assert not any(f.exact for f in found)


def sweep_of(A, Y, sample=None, seed=0):
    return Sweep(Hops(A), Y, sample, seed)


def test_retrieval_equals_its_definition():
    G = nx.gnm_random_graph(50, 110, seed=3)
    A, Y = read(G).adjacency, RNG.normal(size=(50, 2))
    nodes = np.array([v for v in G if G.degree(v)])
    radii, each_p, each_r = retrieval(A, Y, nodes)
    D = cdist(Y, Y) / 2.0 ** np.frexp(abs(Y).max())[1]
    for at in (0, 20, 60, len(radii) - 1):
        for t, v in enumerate(nodes.tolist()):
            within = {u for u in G if u != v and D[u, v] <= radii[at]}
            shared = within & set(G[v])
            assert each_p[t, at] == pytest.approx(len(shared) / len(within) if within else 0)
            assert each_r[t, at] == pytest.approx(len(shared) / G.degree(v))
    p, r = each_p.mean(axis=0), each_r.mean(axis=0)
    best = np.argmax(2 * p * r / (p + r))
    found = [of(sweep_of(A, Y), A).value for of in (precision, recall, f_score)]
    assert found == pytest.approx([p[best], r[best], 2 * p[best] * r[best] / (p[best] + r[best])])


def test_retrieval_by_hand():
    path, Y = read(nx.path_graph(3)).adjacency, np.array([[0.0], [1], [3]])
    radii, p, r = retrieval(path, Y, np.arange(3))
    assert (p[:, 0].mean(), r[:, 0].mean()) == pytest.approx((2 / 3, 1 / 2))
    assert len(radii) == 2
    assert f_score(sweep_of(path, Y), path).value == 1
    empty = read(nx.empty_graph(3)).adjacency
    assert np.isnan(f_score(sweep_of(empty, Y), empty).value)
    # All in one place: everything is retrieved.
    star = read(nx.star_graph(4)).adjacency
    assert precision(sweep_of(star, np.zeros((5, 2))), star).value == pytest.approx((1 + 4 * 1 / 4) / 5)
    assert recall(sweep_of(star, np.zeros((5, 2))), star).value == 1


@pytest.mark.full
@pytest.mark.parametrize("of", first([precision, recall, f_score], 1))
def test_sampled_retrieval_lies_within_its_error(of):
    G = nx.random_geometric_graph(400, 0.09, seed=2)
    A, Y = read(G).adjacency, np.array([G.nodes[v]["pos"] for v in G]) + 0.05 * RNG.normal(size=(400, 2))
    exact = of(sweep_of(A, Y), A).value
    found = [of(sweep_of(A, Y, 150, seed), A) for seed in range(40)]
    z = np.array([(f.value - exact) / f.error for f in found])
    assert 0.6 < np.sqrt(np.mean(z**2)) < 1.6
    assert not any(f.exact for f in found)


def test_scikit_learn_finds_the_same_index():
    from sklearn.metrics import adjusted_rand_score

    for n, a, b in ((10, 2, 3), (60, 5, 4), (60, 1, 3), (200, 20, 20)):
        first, second = RNG.integers(a, size=n), RNG.integers(b, size=n)
        assert adjusted_rand(first, second) == pytest.approx(adjusted_rand_score(first, second))
        assert adjusted_rand(first, first) == 1


def test_scikit_learn_finds_no_better_clusters():
    from sklearn.cluster import KMeans

    Y = RNG.normal(size=(150, 2)) + 4 * RNG.integers(3, size=(150, 2))
    clusters = k_means(Y, 6, np.random.default_rng(0))
    cost = sum(((Y[clusters == c] - Y[clusters == c].mean(axis=0)) ** 2).sum() for c in set(clusters.tolist()))
    best = KMeans(6, n_init=10, random_state=0).fit(Y).inertia_
    assert best is not None
    assert cost <= best * 1.02


def test_classes_that_are_clusters():
    classes = np.repeat([0, 1, 2], 40)
    Y = 10 * classes[:, None] + RNG.normal(size=(120, 2))
    assert class_ari(Y, classes).value == 1
    assert abs(class_ari(Y, RNG.permutation(classes)).value) < 0.1
    unknown = classes.copy()
    unknown[::5] = -1
    assert class_ari(Y, unknown).value == 1
    for nothing in (np.full(120, -1), np.zeros(120, int), np.arange(120)):
        assert np.isnan(class_ari(Y, nothing).value)
    assert class_ari(np.zeros((120, 2)), classes).value == 0  # one cluster: agreement by chance
    near = Y / 4 + RNG.normal(size=(120, 2))
    exact, sampled = class_ari(near, classes), class_ari(near, classes, sample=60, seed=3)
    assert not sampled.exact
    assert 0 < sampled.error < 0.2
    assert abs(exact.value - sampled.value) < 4 * sampled.error
