"""nl.draw on large graphs: lines thin before they fade, dots give way to edges, many edges become an image."""

from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("matplotlib")

from drawn import CORNERS, SQUARE, dots_of, layer
from matplotlib.collections import EllipseCollection, LineCollection
from matplotlib.colors import to_hex

import nelayout as nl
from nelayout.pictures.colors import PALETTE
from nelayout.pictures.line_loops import add_lines
from nelayout.pictures.raster import developed


@pytest.mark.full
def test_dots_of_one_color_give_way_to_the_edges_of_a_large_graph():
    n = 40_000
    A = nx.to_scipy_sparse_array(nx.disjoint_union(nx.path_graph(n - 1), nx.empty_graph(1)))
    Y = np.random.default_rng(0).normal(size=(n, 2))
    np.testing.assert_array_equal(dots_of(nl.draw(A, Y)).get_offsets(), Y[-1:])  # the isolated node
    for look in ({"color": np.arange(n) % 3}, {"node_size": 0.1}):
        assert len(dots_of(nl.draw(A, Y, **look)).get_offsets()) == n


def test_nodes_of_size_zero_are_not_drawn():
    figure = nl.draw(SQUARE, CORNERS, node_size=[1.0, 0.0, 2.0, 0.0])
    np.testing.assert_allclose(dots_of(figure).get_offsets(), [CORNERS[0], CORNERS[2]])
    figure = nl.draw(SQUARE, CORNERS, node_size=0)
    assert all(type(c) is not EllipseCollection for c in figure.axes[0].collections)


def image_of(figure: Any) -> Any:
    (image,) = figure.axes[0].images
    return image


def painted(segments, ink, size=(12, 12), tint=None):
    """The image of lines between points in pixels."""
    image = np.zeros((*size, 1 if tint is None else 4), dtype=np.float32)
    m = len(segments)
    tint = np.zeros((m, 3)) if tint is None else np.array(tint, dtype=float)
    add_lines(image, np.array(segments, dtype=float), np.array(ink, dtype=float), tint)
    return image


def test_a_line_leaves_its_ink_by_its_length_wherever_it_lies():
    """Sum of the ink = ink times length, for lines of every direction; and its center is theirs."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        ends = rng.uniform(1.5, 10.5, 4)
        image = painted([ends], [0.7])[:, :, 0]
        assert image.sum() == pytest.approx(0.7 * np.hypot(ends[2] - ends[0], ends[3] - ends[1]), rel=1e-5)
        y, x = (np.indices(image.shape).reshape(2, -1) + 0.5) @ image.ravel() / image.sum()
        assert (x, y) == pytest.approx(((ends[0] + ends[2]) / 2, (ends[1] + ends[3]) / 2), abs=0.5)
    assert not painted([[5.0, 5.0, 5.0, 5.0]], [1.0]).any()


def test_a_line_through_the_middle_of_its_pixels_touches_no_others_and_colors_mix_by_their_ink():
    red, blue = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    image = painted([[2.0, 4.5, 6.0, 4.5]] * 2, [3.0, 1.0], tint=[red, blue])
    assert image[4, 2:6].tolist() == [[4.0, 3.0, 0.0, 1.0]] * 4
    assert image[:, :, 0].sum() == 16.0


def test_dense_places_keep_their_shades():
    """The densest place stays short of black, twice the ink is darker everywhere, and thin ink is as it was."""
    t = np.geomspace(1e-4, 1e4, 200)
    shown = developed(t, 1e4)
    assert (np.diff(shown) > 0).all()
    assert shown[-1] == pytest.approx(2.0)
    assert shown[0] == pytest.approx(1e-4, rel=0.01)
    np.testing.assert_array_equal(developed(t[:100], 2.0), t[:100])


def test_painted_edges_lie_where_their_nodes_are_and_have_their_colors():
    """Above 20,000 edges: three lines of nodes, edges within a line in its color, the others gray."""
    n = 30_006
    line = np.arange(n) % 3
    Y = np.stack([np.arange(n) / 30_000, line / 4], axis=1)
    i = np.arange(n - 3)
    A = sp.coo_array((np.ones(n - 3), (i, i + 3)), shape=(n, n)).tocsr()
    image = image_of(nl.draw(A + A.T, Y, color=line, node_size=0))
    rgba, (x0, x1, y0, y1) = np.asarray(image.get_array()), image.get_extent()
    assert x0 < 0 < 1.0002 < x1
    assert y0 < 0 < 0.5 < y1
    for k in range(3):
        row = int((k / 4 - y0) / (y1 - y0) * len(rgba))
        near = rgba[row - 1 : row + 2, 100:-100]
        middle = near[near[:, :, 3].mean(axis=1).argmax()]
        assert middle[:, 3].min() > 20
        assert to_hex(np.median(middle, axis=0)[:3] / 255) == PALETTE[k]


def test_a_large_picture_is_the_same_twice():
    G = nx.barabasi_albert_graph(6000, 5, seed=0)
    Y = np.random.default_rng(0).normal(size=(6000, 2))
    A = nx.to_scipy_sparse_array(G)
    one, two = (np.asarray(image_of(nl.draw(A, Y)).get_array()) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    assert (one[:, :, 3] > 221).mean() < 0.002  # 255 (1 - exp(-2))


def test_lines_are_thinned_before_they_are_faded():
    """A mesh of 60 x 60 keeps dark lines, a random graph of as many edges has thin and faint ones."""
    n, rng = 3600, np.random.default_rng(0)
    mesh = nx.convert_node_labels_to_integers(nx.grid_2d_graph(60, 60))
    Y = np.stack(np.divmod(np.arange(n), 60), axis=1).astype(float)
    even = layer(nl.draw(mesh, Y), LineCollection)
    tangle = layer(nl.draw(mesh, rng.permutation(Y)), LineCollection)
    assert even.get_edgecolors()[:, 3].min() == pytest.approx(0.55)
    assert tangle.get_linewidths()[0] == 0.25 < even.get_linewidths()[0]
    assert tangle.get_edgecolors()[:, 3].max() < 0.2
