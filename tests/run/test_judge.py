"""The quick verdict on candidates, against its definition."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from nelayout.run.auto.symmetry import Symmetry
from nelayout.run.auto.verdict import Judge
from tables import first

from nelayout.graphs import read
from nelayout.numerics.breadth_first import COMPILED_ABOVE
from nelayout.numerics.parallel import Threads
from nelayout.placing.dots import dot_diameter
from nelayout.run.costs import NUMPY_PAIRS
from nelayout.run.parting import Neighborhoods


def by_definition(G: nx.Graph, Y: np.ndarray, judge: Judge) -> float:
    jaccards, terms, seen = [], [], 1.0
    for i in judge.neighborhoods.sample:
        near = np.argsort(np.linalg.norm(Y - Y[i], axis=1), kind="stable")
        drawn, given = set(near[near != i][: G.degree[i]]), set(G[i])
        jaccards.append(len(drawn & given) / len(drawn | given))
    for i in judge.pivots:
        hops = nx.single_source_shortest_path_length(G, i)
        terms += [(np.linalg.norm(Y[i] - Y[j]), hops[j]) for j in G if j != i]
    d, h = np.array(terms).T
    scale = np.sum(d / h) / np.sum((d / h) ** 2)
    if len(G) > 1000:  # smaller ones are parted first; those of these tests need not be
        dot = dot_diameter(len(G)) * np.ptp(Y, axis=0).max() / 2
        gaps = [np.sort(np.linalg.norm(Y - Y[i], axis=1))[1] for i in judge.neighborhoods.sample]
        seen -= 0.1 * np.mean(np.array(gaps) < dot)
    broken = Symmetry(read(G).adjacency).broken(Y)
    return float(seen * np.mean(jaccards) / np.mean((scale * d / h - 1) ** 2) ** (2 / 3) / (1 + broken) ** 6)


@pytest.mark.parametrize("side", first([12, 40], 1))
@pytest.mark.parametrize("threads", [1, 2])
def test_score(side, threads):
    """Of a grid drawn with noise; the larger one takes the ways of large graphs."""
    G = nx.convert_node_labels_to_integers(nx.grid_2d_graph(side, side), ordering="sorted")
    assert (side * side > COMPILED_ABOVE) == (side == 40)
    Y = np.stack(np.divmod(np.arange(side * side), side), axis=1).astype(float)
    Y += (0.1 if side == 12 else 1.0) * np.random.default_rng(0).normal(size=Y.shape)
    judge = Judge(read(G).adjacency, Threads(threads))
    score = judge.score(Y)
    assert score == pytest.approx(by_definition(G, Y, judge), rel=1e-9)
    assert judge.score(10.0 * Y + 3.0) == pytest.approx(score, rel=1e-9)
    assert judge.score(np.full_like(Y, np.nan)) == 0.0
    assert judge.score(Y * [1.0, 0.0]) < score
    assert 0 < judge.score(np.zeros_like(Y)) < score


def test_a_hub_beyond_what_is_compared():
    """A star of 1,999 leaves has 200 of its hub's neighbors looked at, and its leaves' only one."""
    G = nx.star_graph(1999)
    Y = np.random.default_rng(0).normal(size=(2000, 2))
    neighborhoods = Neighborhoods(read(G).adjacency)
    near = [int(np.argsort(np.linalg.norm(Y - Y[i], axis=1))[1]) for i in neighborhoods.sample]
    leaves = [float(other == 0) for i, other in zip(neighborhoods.sample, near, strict=True) if i]
    hub = [200 / 1999] if 0 in neighborhoods.sample else []
    assert neighborhoods.kept(Y) == pytest.approx(sum(leaves + hub) / 1000)
    neighborhoods.sample = np.unique(np.r_[0, neighborhoods.sample])
    assert neighborhoods.kept(Y) == pytest.approx((sum(leaves) + 200 / 1999) / len(neighborhoods.sample))


def test_ties_are_the_first_nodes():
    """On a lattice drawn as it is, of four nodes at one distance those with the least numbers count."""
    side = 17
    G = nx.convert_node_labels_to_integers(nx.grid_2d_graph(side, side, periodic=True), ordering="sorted")
    Y = np.stack(np.divmod(np.arange(side * side), side), axis=1).astype(float)
    judge = Judge(read(G).adjacency, Threads())
    assert side * side <= COMPILED_ABOVE
    assert judge.score(Y) == pytest.approx(by_definition(G, Y, judge), rel=1e-9)


def test_graphs_that_are_drawn_on_numpy_are_judged_on_numpy():
    assert COMPILED_ABOVE**2 >= NUMPY_PAIRS
