"""The quality score by which "auto" chooses among drawings, by its definition."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array
from tables import first

import nelayout as nl
from nelayout.core.passes.drawing import NUMPY_PAIRS
from nelayout.core.passes.score import Hops, Score
from nelayout.core.passes.separation import Neighborhoods
from nelayout.graphs import read
from nelayout.numerics.breadth_first import COMPILED_ABOVE
from nelayout.numerics.parallel import Threads


def matrix(G: nx.Graph) -> csr_array:
    return read(nx.convert_node_labels_to_integers(G, ordering="sorted")).adjacency


def by_definition(P: csr_array, Y: np.ndarray) -> float:
    """The score from its formula, node by node and pair by pair."""
    G, jaccards, terms = nx.from_scipy_sparse_array(P), [], []
    for i in Neighborhoods(P).sample.tolist():
        near = np.argsort(np.linalg.norm(Y - Y[i], axis=1), kind="stable")
        drawn, given = set(near[near != i][: G.degree[i]].tolist()), set(G[i])
        jaccards.append(len(drawn & given) / len(drawn | given))
    for i in Hops(P, Threads()).pivots.tolist():
        hops = nx.single_source_shortest_path_length(G, i)
        terms += [(np.linalg.norm(Y[i] - Y[j]), hops[j]) for j in G if j != i]
    d, h = np.array(terms).T
    scale = np.sum(d / h) / np.sum((d / h) ** 2)
    return float(np.mean(jaccards) / np.mean((scale * d / h - 1) ** 2) ** (2 / 3))


@pytest.mark.parametrize("side", first([12, 40], 1))
@pytest.mark.parametrize("threads", [1, 2])
def test_score(side, threads):
    """Of a grid drawn with noise; hops of the larger one are counted in compiled loops."""
    assert (side * side > COMPILED_ABOVE) == (side == 40)
    P = matrix(nx.grid_2d_graph(side, side))
    Y = np.stack(np.divmod(np.arange(side * side), side), axis=1).astype(float)
    Y += (0.1 if side == 12 else 1.0) * np.random.default_rng(0).normal(size=Y.shape)
    score = Score(P, Threads(threads))
    found = score(Y)
    assert found == pytest.approx(by_definition(P, Y), rel=1e-9)
    assert score(10.0 * Y + 3.0) == pytest.approx(found, rel=1e-9)
    assert score(np.full_like(Y, np.nan)) == 0.0
    assert 0 < score(np.zeros_like(Y)) < found
    assert score(Y * [1.0, 0.0]) < found


def test_ties_are_the_first_nodes():
    """On a lattice drawn as it is, of four nodes at one distance those with the least numbers count."""
    side = 17
    P = matrix(nx.grid_2d_graph(side, side, periodic=True))
    Y = np.stack(np.divmod(np.arange(side * side), side), axis=1).astype(float)
    assert side * side <= COMPILED_ABOVE
    assert Score(P, Threads())(Y) == pytest.approx(by_definition(P, Y), rel=1e-9)


def test_a_hub_beyond_what_is_compared():
    """A star of 1,999 leaves has 200 of its hub's neighbors looked at, and its leaves' only one."""
    Y = np.random.default_rng(0).normal(size=(2000, 2))
    neighborhoods = Neighborhoods(read(nx.star_graph(1999)).adjacency)
    near = [int(np.argsort(np.linalg.norm(Y - Y[i], axis=1))[1]) for i in neighborhoods.sample]
    leaves = [float(other == 0) for i, other in zip(neighborhoods.sample, near, strict=True) if i]
    hub = [200 / 1999] if 0 in neighborhoods.sample else []
    assert neighborhoods.kept(Y) == pytest.approx(sum(leaves + hub) / 1000)
    neighborhoods.sample = np.unique(np.r_[0, neighborhoods.sample])
    assert neighborhoods.kept(Y) == pytest.approx((sum(leaves) + 200 / 1999) / len(neighborhoods.sample))


def test_graphs_that_are_drawn_on_numpy_are_scored_on_numpy():
    assert COMPILED_ABOVE**2 >= NUMPY_PAIRS


@pytest.mark.parametrize("seed", range(3))
def test_the_better_of_two_masses_is_kept(seed):
    """By the score itself, the drawing is at least as good as the best that the first masses have."""
    P = read(nx.les_miserables_graph()).adjacency
    score, strength = Score(P, Threads()), P.sum(axis=1)
    alone = nl.solve(P, mass=strength**0.25, seed=seed, emphasis=0)
    both = nl.solve(P, seed=seed, emphasis=0)
    assert score(both.positions) >= (1 - 1e-6) * score(alone.positions)
