"""Packing: nothing overlaps, areas follow the numbers of nodes, isolated nodes stand in rows."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.distance import cdist

from nelayout.core.placing.packing import pack


def cloud(n, seed, stretch=1.0):
    rng = np.random.default_rng([n, seed])
    return rng.normal(size=(n, 2)) * [stretch, 1.0] * rng.uniform(0.01, 100.0)


def hull(Y):
    """Corners of the convex hull, counter-clockwise; the ends of a line."""
    if len(Y) < 3 or np.linalg.matrix_rank(Y - Y[0]) < 2:
        return Y[np.lexsort(Y.T[::-1])[[0, -1]]] if len(Y) > 1 else Y
    return Y[ConvexHull(Y).vertices]


def hull_distance(A, B):
    """Separation of two convex hulls along the best of their edge normals; <= 0 when they overlap."""
    best = -np.inf
    for P, Q in ((A, B), (B, A)):
        edges = np.roll(P, -1, axis=0) - P
        directions = np.stack([edges[:, 1], -edges[:, 0]], axis=1)
        if len(P) <= 2:
            directions = np.concatenate([directions, edges, -directions])
        for u in directions:
            if (length := np.hypot(*u)) > 0:
                u = u / length
                best = max(best, (Q * u).sum(1).min() - (P * u).sum(1).max())
    return best


def area(corners):
    x, y = corners.T
    return 0.5 * abs((x * np.roll(y, -1) - y * np.roll(x, -1)).sum())


def perimeter(corners):
    return np.hypot(*(np.roll(corners, -1, axis=0) - corners).T).sum()


MIXES = {
    "one giant": [300] + [2] * 30 + [3] * 10,
    "equal": [40] * 12,
    "mixed": [1000, 400, 300, 200, 100, 50, 20, 10, 5, 4, 3, 3, 2, 2],
    "two": [50, 50],
    "bulk": [200] + [2 + i % 9 for i in range(260)],
}


@pytest.mark.parametrize("mix", MIXES)
def test_convex_hulls_stay_apart(mix):
    placed = pack([cloud(n, i, stretch=1 + i % 3) for i, n in enumerate(MIXES[mix])])
    hulls = [hull(Y) for Y in placed]
    low, high = np.array([Y.min(0) for Y in placed]), np.array([Y.max(0) for Y in placed])
    for a, b in combinations(range(len(placed)), 2):
        if (low[a] < high[b]).all() and (low[b] < high[a]).all():  # only boxes that meet need the hulls
            assert hull_distance(hulls[a], hulls[b]) > 0


def test_gap_is_kept():
    placed = pack([cloud(n, 7) for n in (60, 40, 20, 3, 2, 2)])
    unit = np.sqrt((area(hull(placed[0]))) / 60)  # a little under the true unit: a margin belongs to the area
    assert min(cdist(A, B).min() for A, B in combinations(placed, 2)) > unit


@pytest.mark.parametrize("mix", ["one giant", "mixed", "bulk"])
def test_areas_follow_the_numbers_of_nodes(mix):
    sizes = MIXES[mix]
    placed = pack([cloud(n, i) for i, n in enumerate(sizes)])
    # in the unit u the outline grown by 1/2 covers n: area/u^2 + perimeter/(2 u) + pi/4 = n
    corners = hull(placed[0])
    a, p, rest = area(corners), perimeter(corners) / 2, sizes[0] - np.pi / 4
    unit = (p + np.sqrt(p * p + 4 * a * rest)) / (2 * rest)
    for n, Y in zip(sizes, placed, strict=True):
        corners = hull(Y) / unit
        covered = area(corners) + perimeter(corners) / 2 + np.pi / 4
        # the 32-gon stands for the hull (4%); small thin hulls count with a share of their diameter squared
        assert covered == pytest.approx(n, rel=0.04 if n >= 50 else 0.6)


def test_shapes_are_only_scaled_and_moved_and_inputs_stay():
    drawings = [cloud(n, i) for i, n in enumerate(MIXES["mixed"])]
    copies = [Y.copy() for Y in drawings]
    placed = pack(drawings)
    assert all((a == b).all() for a, b in zip(placed, pack(drawings), strict=True))
    for before, copy, after in zip(drawings, copies, placed, strict=True):
        assert (before == copy).all()
        factor = np.ptp(after[:, 0]) / np.ptp(before[:, 0])
        np.testing.assert_allclose(after - after[0], factor * (before - before[0]), atol=1e-9 * factor)


def test_largest_keeps_its_size_and_lies_in_the_middle():
    drawings = [cloud(2, 0)] * 20 + [cloud(500, 1)] + [cloud(3, 2)] * 20
    placed = pack(drawings)
    np.testing.assert_allclose(np.ptp(placed[20], axis=0), np.ptp(drawings[20], axis=0))
    middle = (placed[20].min(0) + placed[20].max(0)) / 2
    everything = np.concatenate(placed)
    assert (abs(middle) < 0.15 * np.ptp(everything, axis=0)).all()
    np.testing.assert_allclose(everything.max(0), -everything.min(0), rtol=1e-9)


@pytest.mark.parametrize("mix", MIXES)
def test_figure_is_compact(mix):
    everything = np.concatenate(pack([cloud(n, i) for i, n in enumerate(MIXES[mix])]))
    width, height = np.ptp(everything, axis=0)
    assert 0.9 < width / height < (2.8 if mix == "two" else 1.7)


def test_isolated_nodes_stand_in_rows_near_the_figure():
    placed = pack([cloud(400, 0)] + [np.array([[7.0, 7.0]])] * 45)
    figure, alone = placed[0], np.concatenate(placed[1:])
    rows = np.unique(alone[:, 1].round(9))
    columns = np.unique(alone[:, 0].round(9))
    assert len(rows) * len(columns) >= 45 > (len(rows) - 1) * len(columns)
    step = np.diff(columns)
    np.testing.assert_allclose(step, step[0])
    np.testing.assert_allclose(np.diff(rows), step[0])
    assert step[0] == pytest.approx(np.sqrt(area(hull(figure)) / 400), rel=0.1)
    assert step[0] < cdist(alone, figure).min() < 0.3 * np.ptp(figure, axis=0).max()


@pytest.mark.parametrize("k", [1, 2, 7, 100])
def test_isolated_nodes_alone_form_a_block(k):
    alone = np.concatenate(pack([np.zeros((1, 2))] * k))
    assert k == 1 or (cdist(alone, alone) + 9 * np.eye(k)).min() == 1.0
    assert np.ptp(alone, axis=0).max() < 1.2 * np.sqrt(1.25 * k) + 1


def test_degenerate_drawings():
    heap, path, pair = np.ones((9, 2)), np.stack([np.arange(30.0)] * 2, axis=1), np.array([[0.0, 0], [0, 0]])
    placed = pack([heap, path, pair, np.empty((0, 2)), np.zeros((1, 2))])
    assert [len(Y) for Y in placed] == [9, 30, 2, 0, 1]
    assert np.isfinite(np.concatenate(placed)).all()
    assert np.ptp(placed[0], axis=0).tolist() == [0.0, 0.0]
    hulls = [hull(placed[1]), placed[0][:1], placed[2][:1], placed[4]]
    assert all(hull_distance(A, B) > 0 for A, B in combinations(hulls, 2) if len(A) > 1)
    single = np.concatenate(hulls[1:])
    assert (cdist(single, single) + 9 * np.eye(3)).min() > 0.5
    assert pack([]) == []


def test_one_drawing_is_only_centered():
    Y = cloud(50, 3)
    (placed,) = pack([Y])
    np.testing.assert_allclose(placed, Y - (Y.max(0) + Y.min(0)) / 2, atol=1e-12 * abs(Y).max())


def test_on_a_line():
    placed = pack([np.random.default_rng(i).normal(size=(n, 1)) for i, n in enumerate([10, 50, 2, 30, 1, 1])])
    spans = sorted((Y.min(), Y.max(), len(Y)) for Y in placed)
    assert all(a[1] < b[0] for a, b in pairwise(spans))
    lengths = {n: high - low for low, high, n in spans if n > 1}
    unit = lengths[50] / 49
    for n, length in lengths.items():
        assert length == pytest.approx((n - 1) * unit)
    assert [n for *_, n in spans] == [50, 30, 10, 2, 1, 1]


def test_in_space():
    sizes = [200, 50, 50, 8, 2, 1, 1, 1]
    placed = pack([np.random.default_rng(i).normal(size=(n, 3)) * 3.0**i for i, n in enumerate(sizes)])
    for A, B in combinations(placed, 2):
        assert cdist(A, B).min() > 0
        assert len(A) == 1 or len(B) == 1 or hull_distance(hull(A[:, :2]), hull(B[:, :2])) > 0
    spread = [np.sqrt(((Y - Y.mean(0)) ** 2).sum(1).mean()) for Y in placed[:3]]
    assert (spread[0] / spread[1]) ** 3 == pytest.approx(200 / 50, rel=0.1)
