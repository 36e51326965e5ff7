"""Class retrieval: by hand, against its definition, ties, unknown labels, samples."""

import numpy as np
import pytest
from scipy.integrate import trapezoid

from nelayout.quality.classes import class_accuracy, class_auc


def auc_by_definition(Y, classes):
    n, precision, recall = len(Y), [], []
    for i in range(n):
        relevant = (classes == classes[i]).sum() - 1
        if not relevant:
            continue
        distance = np.linalg.norm(Y - Y[i], axis=1)
        distance[i] = np.inf
        hits = np.cumsum(classes[np.argsort(distance)[: n - 1]] == classes[i])
        precision.append(hits / np.arange(1, n))
        recall.append(hits / relevant)
    precision, recall = np.mean(precision, axis=0), np.mean(recall, axis=0)
    return trapezoid(np.r_[precision[0], precision], np.r_[0, recall])


def test_auc_equals_its_definition():
    rng = np.random.default_rng(0)
    for n, count in ((6, 2), (60, 4), (150, 40)):
        classes, Y = rng.integers(count, size=n), rng.normal(size=(n, 2))
        Y[:, 0] += classes % 5
        found = class_auc(Y, classes)
        assert found.exact
        assert found.value == pytest.approx(auc_by_definition(Y, classes), rel=1e-12)
        for changed in (Y[:, ::-1] * -3 + 8, Y * 1e-200):
            assert class_auc(changed, classes).value == pytest.approx(found.value, rel=1e-12)
        order, name = rng.permutation(n), rng.permutation(count) + 7
        assert class_auc(Y[order], name[classes[order]]).value == pytest.approx(found.value, rel=1e-12)


def test_auc_by_hand():
    classes = np.array([0, 0, 1, 1])
    assert class_auc(np.array([[0.0], [1], [5], [6]]), classes).value == pytest.approx(1)
    # Mean hits for K = 1, 2, 3 are 0, 1/2, 1: precision 0, 1/4, 1/3 at recall 0, 1/2, 1.
    mixed = class_auc(np.array([[0.0], [5.1], [1], [6]]), classes)
    assert mixed.value == pytest.approx(1 / 16 + 7 / 48)
    assert np.isnan(class_auc(np.zeros((3, 2)), np.arange(3)).value)
    assert np.isnan(class_auc(np.zeros((3, 2)), np.full(3, -1)).value)


def test_auc_of_one_place_is_the_mean_over_orders():
    """Nothing can be told apart: precision is the share of the class at every K, recall K / (n - 1)."""
    classes = np.repeat([0, 1], 5)
    assert class_auc(np.ones((10, 2)), classes).value == pytest.approx(4 / 9)
    rng = np.random.default_rng(1)
    Y = rng.integers(4, size=(40, 2)).astype(float)
    labels = rng.integers(3, size=40)
    tiny = [auc_by_definition(Y + 1e-9 * rng.normal(size=Y.shape), labels) for _ in range(300)]
    # Jitter orders each node's ties at random; the measure is the mean without jitter (the curve is nearly
    # linear in it).
    assert class_auc(Y, labels).value == pytest.approx(np.mean(tiny), abs=0.004)


def test_accuracy_equals_its_definition():
    rng = np.random.default_rng(2)
    for n, k, count in ((4, 10, 2), (90, 10, 3), (90, 1, 30), (70, 4, 3)):
        classes, Y = rng.integers(count, size=n), rng.normal(size=(n, 2))
        right = []
        for i in range(n):
            distance = np.linalg.norm(Y - Y[i], axis=1)
            distance[i] = np.inf
            votes = classes[np.argsort(distance)[: min(k, n - 1)]].tolist()
            right.append(
                classes[i] == max(votes, key=votes.count)
            )  # of equal counts the first, which is the nearest
        assert class_accuracy(Y, classes, k).value == pytest.approx(np.mean(right))


def test_accuracy_by_hand():
    Y = np.array([[0.0], [1], [2], [10], [11], [12]])
    assert class_accuracy(Y, np.array([0, 0, 0, 1, 1, 1]), k=2).value == 1
    assert class_accuracy(Y, np.array([0, 1, 0, 1, 0, 1]), k=1).value == 0
    # One vote each: the nearer one decides, 0 and 1 for each other, 1 for 3.
    assert class_accuracy(np.array([[0.0], [1], [3]]), np.array([0, 0, 1]), k=2).value == pytest.approx(2 / 3)
    # Alike in distance too: either may decide.
    middle = np.array([[-1.0], [0], [1]]), np.array([0, 0, 1])
    assert {round(class_accuracy(*middle, k=2, seed=s).value * 3) for s in range(20)} == {1, 2}


@pytest.mark.parametrize("measure", [class_auc, class_accuracy])
def test_nodes_of_unknown_class_take_no_part(measure):
    rng = np.random.default_rng(3)
    Y, classes = rng.normal(size=(80, 2)), rng.integers(3, size=80)
    classes[::4] = -1
    known = classes >= 0
    assert measure(Y, classes).value == pytest.approx(measure(Y[known], classes[known]).value)


@pytest.mark.parametrize("measure", [class_auc, class_accuracy])
def test_samples_lie_within_their_error(measure):
    rng = np.random.default_rng(4)
    classes = rng.integers(3, size=900)
    Y = rng.normal(size=(900, 2))
    Y[:, 0] += 1.5 * classes
    exact = measure(Y, classes, sample=None).value
    found = [measure(Y, classes, sample=200, seed=seed) for seed in range(40)]
    z = np.array([(f.value - exact) / f.error for f in found])
    assert 0.6 < np.sqrt(np.mean(z**2)) < 1.6
    assert not any(f.exact for f in found)
