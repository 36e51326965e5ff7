"""Class retrieval and clusters: by hand, against definitions and scikit-learn, ties, unknown labels."""

import numpy as np
import pytest
from measured import others
from scipy.integrate import trapezoid

from nelayout.quality.classes import adjusted_rand, class_accuracy, class_ari, class_auc, k_means

RNG = np.random.default_rng(0)


def auc_by_definition(Y, classes):
    relevant = (classes[:, None] == classes).sum(axis=1) - 1
    asked = relevant > 0
    hits = np.cumsum(classes[others(Y)] == classes[:, None], axis=1)[asked]
    precision, recall = (hits / np.arange(1, len(Y))).mean(axis=0), (hits / relevant[asked, None]).mean(axis=0)
    return trapezoid(np.r_[precision[0], precision], np.r_[0, recall])


@pytest.mark.parametrize(("n", "count"), [(6, 2), (60, 4), (150, 40)])
def test_auc_equals_its_definition(n, count):
    classes, Y = RNG.integers(count, size=n), RNG.normal(size=(n, 2))
    Y[:, 0] += classes % 5
    assert class_auc(Y, classes).value == pytest.approx(auc_by_definition(Y, classes), rel=1e-12)


def test_auc_by_hand():
    classes = np.array([0, 0, 1, 1])
    assert class_auc(np.array([[0.0], [1], [5], [6]]), classes).value == pytest.approx(1)
    # Mean hits for K = 1, 2, 3 are 0, 1/2, 1: precision 0, 1/4, 1/3 at recall 0, 1/2, 1.
    mixed = class_auc(np.array([[0.0], [5.1], [1], [6]]), classes)
    assert mixed.value == pytest.approx(1 / 16 + 7 / 48)
    assert np.isnan(class_auc(np.zeros((3, 2)), np.arange(3)).value)
    assert np.isnan(class_auc(np.zeros((3, 2)), np.full(3, -1)).value)


def test_auc_of_ties_is_the_mean_over_orders():
    """In one place precision is the share of the class at every K, recall K / (n - 1); jitter orders other ties."""
    assert class_auc(np.ones((10, 2)), np.repeat([0, 1], 5)).value == pytest.approx(4 / 9)
    Y, labels = RNG.integers(4, size=(40, 2)).astype(float), RNG.integers(3, size=40)
    tiny = [auc_by_definition(Y + 1e-9 * RNG.normal(size=Y.shape), labels) for _ in range(300)]
    assert class_auc(Y, labels).value == pytest.approx(np.mean(tiny), abs=0.004)  # the curve is nearly linear in ties


@pytest.mark.parametrize(("n", "k", "count"), [(4, 10, 2), (90, 10, 3), (90, 1, 30), (70, 4, 3)])
def test_accuracy_equals_its_definition(n, k, count):
    classes, Y = RNG.integers(count, size=n), RNG.normal(size=(n, 2))
    votes = classes[others(Y)[:, :k]].tolist()
    # Of equal counts the first, which is the nearest.
    right = [own == max(each, key=each.count) for own, each in zip(classes.tolist(), votes, strict=True)]
    assert class_accuracy(Y, classes, k).value == pytest.approx(np.mean(right))


def test_accuracy_by_hand():
    Y = np.array([[0.0], [1], [2], [10], [11], [12]])
    assert class_accuracy(Y, np.array([0, 0, 0, 1, 1, 1]), k=2).value == 1
    assert class_accuracy(Y, np.array([0, 1, 0, 1, 0, 1]), k=1).value == 0
    # One vote each: the nearer one decides, 0 and 1 for each other, 1 for 3.
    assert class_accuracy(np.array([[0.0], [1], [3]]), np.array([0, 0, 1]), k=2).value == pytest.approx(2 / 3)
    # The middle node has one vote each at one distance: half right. Its neighbors have 0 nearer, one is right.
    middle = np.array([[-1.0], [0], [1]]), np.array([0, 0, 1])
    assert class_accuracy(*middle, k=2).value == pytest.approx((1 + 1 / 2 + 0) / 3)
    # Seen from 0, the two at distance 1 share a vote, as much as the one at 0.5, which is nearer. 0.5 is half right.
    shared = np.array([[0.0], [0.5], [1], [-1]]), np.array([0, 0, 1, 1])
    assert class_accuracy(*shared, k=2).value == pytest.approx((1 + 1 / 2 + 0 + 0) / 4)


@pytest.mark.parametrize("measure", [class_auc, class_accuracy])
def test_nodes_of_unknown_class_take_no_part(measure):
    Y, classes = RNG.normal(size=(80, 2)), RNG.integers(3, size=80)
    classes[::4] = -1
    known = classes >= 0
    assert measure(Y, classes).value == pytest.approx(measure(Y[known], classes[known]).value)


def test_scikit_learn_finds_the_same_index_and_no_better_clusters():
    from sklearn.cluster import KMeans
    from sklearn.metrics import adjusted_rand_score

    for n, a, b in ((10, 2, 3), (60, 5, 4), (60, 1, 3), (200, 20, 20)):
        first, second = RNG.integers(a, size=n), RNG.integers(b, size=n)
        assert adjusted_rand(first, second) == pytest.approx(adjusted_rand_score(first, second))
        assert adjusted_rand(first, first) == 1
    Y = RNG.normal(size=(150, 2)) + 4 * RNG.integers(3, size=(150, 2))
    _, clusters, _ = min(k_means(Y, 6, np.random.default_rng(0)), key=lambda start: start[0])
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
