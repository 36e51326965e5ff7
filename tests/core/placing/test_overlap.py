"""Overlaps: gone afterwards, by brute force over all pairs; what did not overlap stays where it was."""

from typing import Any

import networkx as nx
import numpy as np
import pytest
from scipy.spatial import KDTree
from tables import thinned

import nelayout as nl
from nelayout.core.placing.overlap import separate, split_coincident
from nelayout.errors import InputError


def least_gap(Y: np.ndarray, size: Any = 0.0, ignore: np.ndarray | None = None) -> float:
    """The least distance of the borders of two discs; of two boxes (n, d), in the axis where it is widest."""
    away, size = np.abs(Y[:, None] - Y[None]), np.broadcast_to(size, Y.shape if np.ndim(size) == 2 else len(Y))
    touch = (size[:, None] + size[None]) / 2
    gap = (away - touch).max(axis=2) if size.ndim == 2 else np.sqrt((away**2).sum(-1)) - touch
    np.fill_diagonal(gap, np.inf)
    if ignore is not None:
        gap[np.ix_(ignore, ignore)] = np.inf
    return gap.min()


def check_nothing_overlaps(d, fill, mixed, sides):
    rng = np.random.default_rng([d, mixed])
    Y = rng.normal(size=(300, d))
    size = (4.0**d * fill / 300) ** (1 / d) * sides * (np.exp(0.8 * rng.normal(size=sides.shape)) if mixed else 1.0)
    assert least_gap(Y, size) < 0
    Z = separate(Y, size)
    assert least_gap(Z, size) >= 0
    np.testing.assert_array_equal(Z, separate(Y, size))


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("fill", [0.05, 0.4, 3.0])
@pytest.mark.parametrize("mixed", [False, True])
def test_no_two_discs_overlap(d, fill, mixed):
    check_nothing_overlaps(d, fill, mixed, np.ones(300))


@pytest.mark.parametrize(
    ("d", "fill", "mixed"),
    thinned([1, 2, 3], [0.05, 0.4, 3.0], [False, True], plain=lambda d, fill, mixed: fill == 0.4),
)
def test_no_two_boxes_overlap(d, fill, mixed):
    check_nothing_overlaps(d, fill, mixed, np.tile(np.array([3.0, 0.5, 1.0])[:d], (300, 1)))


def test_a_pair_moves_as_little_as_it_must_and_the_smaller_disc_farther():
    Z = separate(np.array([[0.0, 0.0], [0.4, 0.0], [9.0, 9.0]]), 1.0)
    np.testing.assert_allclose(Z, [[-0.3, 0.0], [0.7, 0.0], [9.0, 9.0]], atol=1e-3)
    Z = separate(np.array([[0.0, 0.0], [0.5, 0.0]]), np.array([1.8, 0.2]))
    np.testing.assert_allclose(Z[:, 0], [-0.05, 0.95], atol=1e-3)


def test_discs_that_do_not_overlap_stay_bit_for_bit():
    Y = 1.0 * np.stack(np.meshgrid(range(9), range(9)), -1).reshape(-1, 2)
    assert (separate(Y, 1.0) == Y).all()
    close = np.concatenate([Y, [[0.0, 0.7]]])
    Z, far = separate(close, 0.5), (np.abs(close - [0.0, 1.0]) > 1).any(axis=1)
    assert least_gap(Z, 0.5) >= 0
    assert (Z[far] == close[far]).all()


def test_one_huge_disc_among_many_small_ones():
    rng = np.random.default_rng(2)
    Y = rng.uniform(-1, 1, size=(1500, 2))
    size = np.full(1500, 0.01)
    size[700] = 1.0
    Z = separate(Y, size)
    assert least_gap(Z, size) >= 0
    assert np.hypot(*(Z[700] - Y[700])) < 0.1  # a fifth of its radius


@pytest.mark.parametrize(
    ("n", "d", "size"), [(400, 2, 0.004**0.5), (20, 1, 1.0), (20, 2, 0.9), (20, 2, 3.0), (20, 2, 300.0), (20, 3, 5.0)]
)
def test_within_keeps_the_box_where_there_is_room_and_no_overlap_wins(n, d, size):
    """Squares of 400 discs fill 40% of the box; others, which walls push into the corners, are parted all the same."""
    Y = (0.3 if n == 400 else 1.0) * np.random.default_rng(3).normal(size=(n, d)).clip(-3, 3)
    Z = separate(Y.clip(-1, 1), size, within=1.0)
    assert least_gap(Z, size) >= 0
    assert (abs(Z).max() <= 1.0) == (n == 400)


def test_large_nodes_make_the_drawing_larger_with_a_note():
    G = nx.les_miserables_graph()
    found = nl.solve(G, "ws-sne", seed=0, node_size=300)  # a size in networkx's units
    assert least_gap(np.array(list(found.positions.values())), 300.0) >= 0
    assert "the drawing is larger than scale" in found.notes[0]


def test_fixed_nodes_never_move():
    rng = np.random.default_rng(4)
    Y = rng.normal(size=(200, 2))
    fixed = rng.random(200) < 0.3
    Z = separate(Y, 0.3, fixed=fixed)
    assert (Z[fixed] == Y[fixed]).all()
    assert least_gap(Z, 0.3, ignore=fixed) >= 0
    assert abs(Z).max() < 5 * abs(Y).max()


def test_a_heap_opens():
    Z = separate(np.zeros((500, 2)), 1.0)
    assert least_gap(Z, 1.0) >= 0
    assert np.hypot(*Z.T).max() < 25  # 500 unit discs need a radius of 11 at least


def test_large_drawings_need_no_loop_over_pairs():
    n = 50_000
    Y = np.random.default_rng(5).normal(size=(n, 2))
    size = np.sqrt(16 * 0.05 / n)
    Z = separate(Y, size)
    assert KDTree(Z).query(Z, k=2)[0][:, 1].min() >= size


@pytest.mark.parametrize("size", [-1.0, np.nan, np.inf])
def test_bad_sizes(size):
    with pytest.raises(InputError, match=r"node_size must be finite and >= 0; got .* for node number 1"):
        separate(np.zeros((3, 2)), np.array([1.0, size, 1.0]))


@pytest.mark.parametrize(
    "function", [split_coincident, lambda Y: separate(Y, 0.5), lambda Y: separate(Y, 0.0)]
)
def test_inputs_stay_and_runs_agree(function):
    Y = np.random.default_rng(0).normal(size=(60, 2))[np.arange(120) // 2]
    copy = Y.copy()
    assert (function(Y) == function(Y)).all()
    assert np.array_equal(Y, copy)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("offset", [0.0, 1000.0])
def test_coincident_nodes_are_split_and_the_others_stay(d, offset):
    rng = np.random.default_rng(6)
    places = rng.normal(size=(50, d)) + offset
    which = np.concatenate([np.arange(50), rng.integers(0, 10, size=150)])
    Y = places[which]
    Z = split_coincident(Y)
    typical = np.ptp(Y, axis=0).max() / 200 ** (1 / d)
    assert least_gap(Z) >= 1e-4 * typical
    assert len(np.unique(Z.astype(np.float32), axis=0)) == 200
    if offset == 0:  # far from the origin float32 makes more nodes coincide
        alone = np.bincount(which, minlength=50)[which] == 1
        assert (Z[alone] == Y[alone]).all()
    assert abs(Z - Y).max() < 2 * typical


def test_fixed_nodes_keep_the_middle():
    Y = np.concatenate([np.zeros((3, 2)), np.ones((4, 2))])
    fixed = np.array([True, False, False, True, True, False, False])
    Z = split_coincident(Y, fixed)
    assert (Z[fixed] == Y[fixed]).all()
    assert least_gap(Z, ignore=fixed) > 1e-4


@pytest.mark.parametrize("at", [0.0, 3.0, -1e6])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_everything_on_one_point(at, d):
    Z = split_coincident(np.full((30, d), at))
    assert len(np.unique(Z.astype(np.float32), axis=0)) == 30
    np.testing.assert_allclose(Z.mean(axis=0), at, atol=1e-3 * max(abs(at), 1))


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_order_of_rows_does_not_decide_which_of_two_near_nodes_goes_where(d):
    rng = np.random.default_rng(d)
    Y = rng.random((60, d))
    Y[40:] = Y[:20] + 1e-7 * rng.standard_normal((20, d))
    order = rng.permutation(60)
    Z = split_coincident(Y)
    assert (np.abs(Z - Y).max(axis=1) > 1e-6).sum() >= 20
    assert np.allclose(split_coincident(Y[order]), Z[order], atol=1e-12)


def test_boxes_go_the_shortest_way_and_others_stay():
    size = np.array([[4.0, 1.0], [4.0, 1.0], [1.0, 1.0], [1.0, 4.0]])
    Y = np.array([[0.0, 0.0], [1.0, 0.4], [9.0, 0.0], [9.9, 0.0]])
    Z = separate(Y, size)
    np.testing.assert_allclose(Z[:2], [[0.0, -0.3], [1.0, 0.7]], atol=1e-3)
    assert Z[2, 1] == Z[3, 1] == 0.0
    assert Z[3, 0] - Z[2, 0] == pytest.approx(1.0, abs=1e-3)
    far = np.array([[0.0, 0.0], [0.0, 1.0], [4.0, 0.0]])
    np.testing.assert_array_equal(separate(far, np.tile([4.0, 1.0], (3, 1))), far)


def test_fixed_boxes_and_boxes_at_one_place():
    rng = np.random.default_rng(4)
    Y, fixed = rng.normal(size=(150, 2)), np.arange(150) < 3
    Y[:3] = [[0, 0], [3, 0], [0, 3]]
    size = np.tile([0.8, 0.2], (150, 1))
    Z = separate(Y, size, fixed=fixed)
    np.testing.assert_array_equal(Z[:3], Y[:3])
    assert least_gap(Z, size) >= 0
    assert least_gap(separate(np.zeros((80, 2)), size[:80]), size[:80]) >= 0


@pytest.mark.full
def test_layouts_take_boxes_by_node_and_in_node_order():
    G = nx.les_miserables_graph()
    box = {v: (0.02 * len(v), 0.05) for v in G}
    pos = nl.ws_sne_layout(G, node_size=box, seed=0)
    size = np.array([box[v] for v in G])
    assert least_gap(np.array([pos[v] for v in G]), size) >= 0
    again = nl.ws_sne_layout(G, node_size=size, seed=0)
    assert all((pos[v] == again[v]).all() for v in G)
    with pytest.raises(InputError, match="2 dimensions: give each node its diameter, or the 2 sides of its box"):
        nl.ws_sne_layout(G, node_size=np.ones((77, 3)), seed=0)
    with pytest.raises(InputError, match="height in node_size"):
        nl.ws_sne_layout(G, node_size={v: (0.1, -1.0 if v == "Javert" else 0.1) for v in G}, seed=0)


def test_labels_measured_on_paper_are_boxes():
    pytest.importorskip("matplotlib")
    G = nx.les_miserables_graph()
    size = nl.node_size_from_labels({v: v for v in G}, 6)
    rows = nl.node_size_from_labels(list(G), 6)
    np.testing.assert_array_equal(rows, [size[v] for v in G])
    np.testing.assert_allclose(nl.node_size_from_labels(list(G), 12), 2 * rows, rtol=0.15)  # letters have hints
    np.testing.assert_allclose(nl.node_size_from_labels(list(G), 6, scale=3), 3 * rows)
    for bad in ("Valjean", 7):
        with pytest.raises(InputError, match="one text per node"):
            nl.node_size_from_labels(bad)
    with pytest.raises(InputError, match="points must be"):
        nl.node_size_from_labels(["a"], -1)
