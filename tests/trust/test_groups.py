"""Groups that a drawing shows: planted gaps are found, chance and lattices have none."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from nelayout.trust.groups import drawn_groups, smallest_group, surroundings


def cloud(rng, n, dim=2):
    return rng.random((n, dim))


def turned(Y, angle):
    return Y @ np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("n", [40, 200])
def test_clouds_apart_are_groups_whatever_their_density(n, dim):
    """Three clouds, one of them five times as wide: a gap counts by the density beside it."""
    rng = np.random.default_rng(n)
    far = np.zeros((3, dim))
    far[:, 0] = [0.0, 3.0, 14.0]
    wide = np.array([1.0, 1.0, 5.0])[:, None, None]
    Y = (np.stack([cloud(rng, n, dim) for _ in range(3)]) * wide + far[:, None]).reshape(-1, dim)
    label = drawn_groups(Y)
    assert np.array_equal(np.bincount(label), [n, n, n])
    assert all(len(set(part)) == 1 for part in np.split(label, 3))


def test_groups_are_numbered_from_the_largest_on():
    rng = np.random.default_rng(0)
    Y = np.concatenate([cloud(rng, 20), cloud(rng, 50) + 3.0, cloud(rng, 35) - 3.0])
    label = drawn_groups(Y)
    assert [label[0], label[20], label[70]] == [2, 0, 1]


@pytest.mark.parametrize("points", [np.random.Generator.random, np.random.Generator.standard_normal])
def test_chance_has_no_groups(points):
    """In random points, even or dense in the middle, a group is found at most as often as the level says."""
    found = [drawn_groups(points(np.random.default_rng(seed), (120, 2))).max() > 0 for seed in range(100)]
    assert np.mean(found) <= 0.05


@pytest.mark.parametrize("angle", [0.0, 0.3])
@pytest.mark.parametrize("noise", [0.0, 0.02, 0.1])
@pytest.mark.parametrize("lattice", ["squares", "triangles", "stretched"])
def test_lattices_have_no_groups(lattice, noise, angle):
    i, j = np.indices((14, 14)).reshape(2, -1).astype(float)
    Y = {"squares": [i, j], "triangles": [i + j / 2, j * np.sqrt(3) / 2], "stretched": [i * 1.3, j]}[lattice]
    Y = turned(np.stack(Y, axis=1), angle) + np.random.default_rng(0).normal(0, noise, (196, 2))
    assert drawn_groups(Y).max() == 0
    assert drawn_groups(Y + np.outer(i > 6, [6.0, 0.0])).max() == 1


def test_small_parts_go_back_to_the_nearest_group():
    rng = np.random.default_rng(1)
    few = smallest_group(203) - 1
    far = np.repeat([[0, 0], [4, 0], [1.9, 0.5]], [100, 100, few], axis=0)
    Y = cloud(rng, 200 + few) * np.repeat([1.0, 0.1], [200, few])[:, None] + far
    label = drawn_groups(Y)
    assert label.max() == 1
    assert (label[200:] == label[0]).all()


def test_points_at_one_place_and_on_a_line():
    rng = np.random.default_rng(2)
    line = np.sort(np.concatenate([rng.random(60), rng.random(60) + 4.0]))
    across = np.array([1.0, -2.0, 0.5])
    assert np.array_equal(drawn_groups(np.outer(line, across)), drawn_groups(line[:, None]))
    assert np.array_equal(np.bincount(drawn_groups(line[:, None])), [60, 60])
    Y = np.concatenate([cloud(rng, 40), cloud(rng, 40) + 5.0])
    label = drawn_groups(np.repeat(Y, 3, axis=0))
    assert np.array_equal(label, np.repeat(drawn_groups(Y), 3))
    for few in (np.zeros((30, 2)), np.zeros((1, 3)), np.array([[0.0, 0.0], [1.0, 1.0]])):
        assert not drawn_groups(few).any()
    assert len(drawn_groups(np.zeros((0, 2)))) == 0


def test_groups_do_not_depend_on_scale_place_turn_or_order():
    rng = np.random.default_rng(3)
    Y = np.concatenate([cloud(rng, 60), cloud(rng, 40) + np.array([3, 0]), rng.normal(size=(50, 2)) * 0.3 + [1, 4]])
    label, order = drawn_groups(Y), rng.permutation(150)
    assert label.max() == 2
    for same in (Y * 1e-7, Y * 1e7, Y + 1e4, turned(Y, 1.0), Y * [-1, 1]):
        assert np.array_equal(drawn_groups(same), label)
    assert np.array_equal(drawn_groups(Y[order]), label[order])


def test_surroundings_join_neighbors_by_relative_lengths():
    """On a square lattice the 6th nearest of an inner node is at sqrt(2): sides have length 1 / sqrt(2)."""
    Y = np.indices((9, 9)).reshape(2, -1).T.astype(float)
    around = surroundings(Y)
    sides = np.isclose(np.hypot(*(around.places[around.i] - around.places[around.j]).T), step_of(around.places))
    assert sides.sum() == 2 * 9 * 8
    inner = sides & (np.abs(around.places).max(axis=1)[around.i] < 0.6 * np.abs(around.places).max())
    assert inner.any()
    assert np.allclose(around.x[inner], 1 / np.sqrt(2))


def step_of(places):
    """The side of a lattice of 9 by 9, from its area."""
    return np.sqrt(ConvexHull(places).volume) / 8
