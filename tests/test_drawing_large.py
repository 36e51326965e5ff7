"""nl.draw on large graphs: lines thin before they fade, dots give way to edges, bunched edges keep their colors."""

from typing import Any

import networkx as nx
import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.collections import EllipseCollection, LineCollection, PathCollection
from matplotlib.colors import to_hex

import nelayout as nl
from nelayout.drawing.colors import PALETTE

SQUARE = nx.cycle_graph(4)
CORNERS = {0: (0.0, 0.0), 1: (2.0, 0.0), 2: (2.0, 1.0), 3: (0.0, 1.0)}


def layer(figure: Any, kind: type) -> Any:
    (collection,) = [c for c in figure.axes[0].collections if type(c) is kind]
    return collection


def test_dots_of_one_color_give_way_to_the_edges_of_a_large_graph():
    n = 40_000
    A = nx.to_scipy_sparse_array(nx.disjoint_union(nx.path_graph(n - 1), nx.empty_graph(1)))
    Y = np.random.default_rng(0).normal(size=(n, 2))
    np.testing.assert_array_equal(layer(nl.draw(A, Y), EllipseCollection).get_offsets(), Y[-1:])  # the isolated node
    assert len(layer(nl.draw(A, Y, color=np.arange(n) % 3), EllipseCollection).get_offsets()) == n
    assert len(layer(nl.draw(A, Y, node_size=0.1), EllipseCollection).get_offsets()) == n


def test_nodes_of_size_zero_are_not_drawn():
    figure = nl.draw(SQUARE, CORNERS, node_size=[1.0, 0.0, 2.0, 0.0])
    np.testing.assert_allclose(layer(figure, EllipseCollection).get_offsets(), [CORNERS[0], CORNERS[2]])
    figure = nl.draw(SQUARE, CORNERS, node_size=0)
    assert all(type(c) is not EllipseCollection for c in figure.axes[0].collections)


def test_bunched_edges_keep_their_colors():
    """Above 20,000 edges several share a path: every edge once in its own color, whatever the bunch."""
    n = 20_003
    kind = np.random.default_rng(0).integers(0, 3, n)
    Y = np.stack([np.arange(n), kind], axis=1).astype(float)  # on three lines; edges go from x to x + 1
    A = nx.to_scipy_sparse_array(nx.path_graph(n))
    paths = layer(nl.draw(A, Y, color=kind), PathCollection)
    found = {}
    for path, rgba in zip(paths.get_paths(), paths.get_edgecolors(), strict=True):
        for x in path.vertices[:, 0].reshape(-1, 2).min(axis=1).astype(int):
            assert found.setdefault(int(x), to_hex(rgba)) == to_hex(rgba)
    want = {x: PALETTE[kind[x]] if kind[x] == kind[x + 1] else "#30343c" for x in range(n - 1)}
    assert found == want


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
