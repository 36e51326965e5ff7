"""Nodes that would hide each other are parted: every one is seen, and keeps its neighbors."""

import networkx as nx
import numpy as np
import pytest
from tables import first, thinned

import nelayout as nl
from nelayout.core.passes.separation import Neighborhoods, separate_nodes
from nelayout.core.placing.final import dot_diameter, dot_size, part_dots
from nelayout.errors import InputError
from nelayout.graphs import read


def gaps(Y: np.ndarray) -> np.ndarray:
    """(n,) distance of each node from the nearest other one."""
    D = np.linalg.norm(Y[:, None] - Y[None], axis=2)
    np.fill_diagonal(D, np.inf)
    return D.min(axis=1)


CROWDED = {
    "les miserables": nx.les_miserables_graph(),
    "karate": nx.karate_club_graph(),
    "windmill": nx.windmill_graph(6, 5),
    "friends": nx.windmill_graph(8, 3),
    "caveman": nx.relaxed_caveman_graph(8, 8, 0.1, seed=1),
    "barbell": nx.barbell_graph(8, 4),
    "lollipop": nx.lollipop_graph(10, 10),
    "star": nx.star_graph(30),
    "bipartite": nx.complete_bipartite_graph(2, 12),
    "two components": nx.disjoint_union(nx.complete_graph(12), nx.star_graph(9)),
}


@pytest.mark.parametrize(
    ("name", "method"),
    thinned(
        CROWDED,
        ["auto", "ws-sne", "linlog", "tsne"],
        plain=lambda name, method: method == "auto" and name in list(CROWDED)[::3],
    ),
)
def test_no_node_hides_another_in_the_picture_of_a_layout(name, method):
    G = CROWDED[name]
    alone, parted = (np.array([*nl.layout(G, method, seed=0, node_size=size).values()]) for size in (None, "auto"))
    assert gaps(parted).min() >= 0.999 * dot_size(alone) > 0.02
    assert np.abs(parted).max() == pytest.approx(1.0)


@pytest.mark.full
def test_the_minimizer_hides_some():
    G = nx.windmill_graph(6, 5)
    Y = np.array([*nl.solve(G, "tsne", seed=0).positions.values()])
    assert (gaps(Y) < dot_size(Y)).sum() >= 10
    assert np.array_equal(Y, [*nl.tsne_layout(G, seed=0, node_size=None).values()])
    parted = nl.solve(G, "tsne", seed=0, node_size="auto").positions
    assert np.array_equal([*parted.values()], [*nl.tsne_layout(G, seed=0).values()])


@pytest.mark.parametrize("name", first(["les miserables", "caveman", "karate", "barbell"], 2))
def test_neighborhoods_and_stress_are_kept(name):
    G = CROWDED[name]
    before, after = (nl.measure(G, nl.layout(G, seed=0, node_size=size)) for size in (None, "auto"))
    assert float(after["neighborhood"]) > 0.95 * float(before["neighborhood"])
    assert float(after["stress"]) < 1.02 * float(before["stress"])


def test_a_pair_moves_as_little_as_it_must():
    Y = np.array([[-1.0, 0.0], [0.0, 0.0], [0.02, 0.0], [1.0, 0.0]])
    np.testing.assert_allclose(part_dots(Y, 0.06)[1:3], [[-0.02, 0.0], [0.04, 0.0]], atol=1e-3)


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_what_nobody_hides_stays_bit_for_bit(dim):
    Y = np.zeros((5, dim))
    Y[:, 0] = [-1.0, -0.5, 0.0, 0.5, 1.0]
    assert np.array_equal(separate_nodes(Y, Neighborhoods(read(nx.path_graph(5)).adjacency)), Y)


@pytest.mark.parametrize("G", [nx.cycle_graph(1000), nx.path_graph(1000)], ids=["ring", "path"])
def test_paths_stay_lines(G):
    """Their nodes are nearer to each other than a dot is wide, and there is no room for them but beside the line."""
    drawings = [np.array([*nl.gamma_quadlog_layout(G, seed=0, node_size=size).values()]) for size in (None, "auto")]
    assert gaps(drawings[0]).max() < dot_size(drawings[0])
    assert np.array_equal(*drawings)


def test_dots_are_halved_where_neighbors_would_be_lost():
    """A thick ring: parted by whole dots it would be a heap of them."""
    G = nx.watts_strogatz_graph(1000, 4, 0)
    angle = 2 * np.pi * np.arange(1000) / 1000
    Y = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    neighborhoods = Neighborhoods(read(G).adjacency)
    assert neighborhoods.kept(part_dots(Y, dot_size(Y))) < 0.8 * neighborhoods.kept(Y)
    parted = separate_nodes(Y, neighborhoods)
    assert neighborhoods.kept(parted) >= 0.8 * neighborhoods.kept(Y)


def test_fixed_nodes_stay_and_the_others_give_way():
    G = nx.star_graph(4)
    pos = {0: (0.0, 0.0), 1: (0.001, 0.0), 2: (1.0, 1.0), 3: (-1.0, 0.5), 4: (0.0, -1.0)}
    drawn = nl.ws_sne_layout(G, pos=pos, fixed=[0, 2, 3, 4], seed=0)
    assert all(tuple(drawn[node]) == pos[node] for node in (0, 2, 3, 4))
    assert np.linalg.norm(drawn[1]) > 0.03


def test_large_drawings_and_full_lines_have_specks():
    rng = np.random.default_rng(0)
    assert dot_size(rng.uniform(-1, 1, (18_000, 2))) > 0
    assert dot_size(rng.uniform(-1, 1, (20_000, 2))) == 0
    assert dot_size(rng.uniform(-1, 1, (40, 1))) == pytest.approx(dot_diameter(40, 0.0), rel=0.2)
    assert dot_size(rng.uniform(-1, 1, (400, 1))) == 0


def test_a_node_attribute_may_not_be_called_auto_in_vain():
    """The word wins over an attribute of that name, as the names of masses do."""
    G = nx.path_graph(4)
    nx.set_node_attributes(G, 5.0, "auto")
    assert np.abs([*nl.layout(G, seed=0, node_size="auto").values()]).max() == pytest.approx(1.0)


@pytest.mark.parametrize("G", [CROWDED["karate"], nx.to_scipy_sparse_array(nx.path_graph(4))], ids=["graph", "matrix"])
def test_a_misspelt_word_is_answered_with_the_one_there_is(G):
    with pytest.raises(InputError, match=r"unknown node_size 'atuo': did you mean 'auto'"):
        nl.layout(G, node_size="atuo")
    with pytest.raises(InputError, match=r"unknown node_size 'degre': did you mean 'degree'"):
        nl.draw(G, nl.layout(G, seed=0), node_size="degre")
