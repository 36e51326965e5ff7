"""Fewer edges cross: trees and cactuses have no crossing, and J, symmetry and given positions keep what they have."""

import math
from dataclasses import replace
from itertools import combinations
from unittest.mock import patch

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial import Delaunay

import nelayout as nl
from nelayout.core.catalogue import METHODS
from nelayout.core.objective import Affinity, Objective
from nelayout.core.passes.passes import BestOf
from nelayout.core.passes.tidiness import crossings, is_symmetric, step_between
from nelayout.core.run import draw
from nelayout.core.sums.nbody import Exact
from nelayout.core.untangling.cactus import is_cactus, radial_drawing
from nelayout.core.untangling.untangling import KAPPA, Estimate, pieces_of
from nelayout.numerics.distances import hop_distances_of_each
from nelayout.numerics.parallel import Threads
from nelayout.quality.crossings import edge_crossings
from nelayout.quality.edges import edges


def adjacency(G):
    return csr_array(nx.to_scipy_sparse_array(G, weight=None, dtype=float))


def crossed(G, pos):
    """Pairs of edges without a common node that share a point, one by one."""

    def side(a, b, p):
        return np.sign((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]))

    found = 0
    for (a, b), (c, d) in combinations(G.edges, 2):
        if len({a, b, c, d}) == 4:
            A, B, C, D = (pos[v] for v in (a, b, c, d))
            near = all(max(A[k], B[k]) >= min(C[k], D[k]) and max(C[k], D[k]) >= min(A[k], B[k]) for k in (0, 1))
            found += near and side(A, B, C) * side(A, B, D) <= 0 and side(C, D, A) * side(C, D, B) <= 0
    return int(found)


def spider(legs, length):
    G = nx.Graph()
    for k in range(legs):
        nx.add_path(G, [0, *range(1 + k * length, 1 + (k + 1) * length)])
    return G


def triangles(depth):
    """A cactus: triangles that hang at triangles."""
    G, ends, fresh = nx.Graph(), [0], 1
    for _ in range(depth):
        outer = []
        for v in ends:
            nx.add_cycle(G, [v, fresh, fresh + 1])
            outer += [fresh, fresh + 1]
            fresh += 2
        ends = outer
    return G


def grown(n, seed):
    """A cactus of at least n nodes: paths grow at random nodes, and most end where they begin."""
    rng, G = np.random.default_rng(seed), nx.empty_graph(1)
    while len(G) < n:
        v, length = int(rng.choice(list(G))), int(rng.integers(1, 7))
        new = list(range(len(G), len(G) + length))
        nx.add_path(G, [v, *new])
        if length > 1 and rng.random() < 0.7:
            G.add_edge(new[-1], v)
    return G


TREES = {
    "binary 63": nx.balanced_tree(2, 5),
    "binary 127": nx.balanced_tree(2, 6),
    "ternary 121": nx.balanced_tree(3, 4),
    "five 156": nx.balanced_tree(5, 3),
    "spider": spider(30, 5),
    "random": nx.random_labeled_tree(150, seed=200),
    "preferential": nx.barabasi_albert_graph(200, 1, seed=6),
}
CACTUSES = {
    "triangles": triangles(5),
    "ring of paths": nx.cycle_graph(30),
    "grown 139": grown(139, 103),
    "grown 286": grown(286, 8),
}
PLANAR = {
    "ladder 20": nx.circular_ladder_graph(20),
    "ladder 30": nx.circular_ladder_graph(30),
    "antiprism": nx.circulant_graph(40, [1, 2]),
    "tutte": nx.tutte_graph(),
    "cube": nx.cubical_graph(),
    "dodecahedron": nx.dodecahedral_graph(),
    "truncated cube": nx.truncated_cube_graph(),
}


def without_tidying(*given):
    """The plan of auto with all its crossings."""
    return tuple(each for each in OWN(*given) if getattr(each, "by", "") != "tidy")


OWN = draw.passes_for


def untangled(G, seed=0):
    """A drawing before and after the pass, with J of both."""
    kept = []

    class Seen(BestOf):
        def __call__(self, drawing, run):
            now = super().__call__(drawing, run)
            kept.append((drawing, now, *(run.value(each) for each in (drawing, now))))
            return now

    def seen(*given):
        *others, last = OWN(*given)
        assert isinstance(last, BestOf)
        return *others, Seen(name=last.name, by=last.by, branches=last.branches[:2])

    with patch.object(draw, "passes_for", seen):
        nl.layout(G, seed=seed)
    return kept[0]


@pytest.mark.parametrize("name", [*TREES, *CACTUSES, "ladder 20", "ladder 30", "antiprism"])
def test_trees_cactuses_and_ladders_have_no_crossing(name):
    G = {**TREES, **CACTUSES, **PLANAR}[name]
    assert crossed(G, nl.layout(G, seed=0)) == 0


@pytest.mark.parametrize("depth", [6, 7, pytest.param(9, marks=pytest.mark.full)])
def test_balanced_binary_trees_are_symmetric_without_crossings(depth):
    """Each half mirrors the other, as no half is folded to make room."""
    G = nx.balanced_tree(2, depth)
    pos = nl.layout(G, seed=0)
    assert crossed(G, pos) == 0
    assert is_symmetric(np.array([*pos.values()]))


@pytest.mark.parametrize("name", PLANAR)
def test_crossings_of_planar_graphs_do_not_rise(name):
    G = PLANAR[name]
    now = crossed(G, nl.layout(G, seed=0))
    with patch.object(draw, "passes_for", without_tidying):
        assert now <= crossed(G, nl.layout(G, seed=0))


def thinned_mesh(seed):
    """A planar graph: the largest part of a Delaunay triangulation after 45 % of its edges have gone."""
    rng = np.random.default_rng(seed)
    corners = Delaunay(rng.random((int(rng.integers(12, 60)), 2))).simplices
    edges = sorted({tuple(sorted(pair)) for each in corners.tolist() for pair in combinations(each, 2)})
    G = nx.Graph([edge for edge in edges if rng.random() > 0.45])
    return nx.Graph(G.subgraph(max(nx.connected_components(G), key=len)).edges)


@pytest.mark.parametrize("seed", [4, 21, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(5, 17))])
def test_planar_graphs_lose_crossings_and_do_not_fold(seed):
    """A drawing that has folded onto itself has no crossings either, but two of its nodes nearly coincide."""
    G = thinned_mesh(seed)
    now = nl.layout(G, seed=0)
    with patch.object(draw, "passes_for", without_tidying):
        before = nl.layout(G, seed=0)
    assert crossed(G, now) <= crossed(G, before)
    Y = np.array([*now.values()])
    apart = np.linalg.norm(Y[:, None] - Y, axis=2)[np.triu_indices(len(Y), 1)]
    assert apart.min() > 0.02 * np.sqrt(np.mean(apart**2)) / np.sqrt(len(Y))


SMALL_WORLD = nx.connected_watts_strogatz_graph(60, 4, 0.05, seed=1)


@pytest.mark.parametrize("G", [TREES["binary 127"], TREES["spider"], SMALL_WORLD], ids=len)
def test_a_drawing_loses_crossings_at_a_bounded_price(G):
    before, now, J, after = untangled(nx.Graph(G.edges))
    X, fewer = (edge_crossings(each.affinity.P, each.Y).value for each in (before, now))
    assert fewer < X
    assert after <= J + KAPPA * math.log((1 + X) / (1 + fewer)) + 1e-9 * abs(J)


@pytest.mark.parametrize("G", [nx.hypercube_graph(4), nx.grid_2d_graph(8, 8, periodic=True)], ids=len)
def test_symmetric_drawings_stay(G):
    now = nl.layout(G, seed=0)
    with patch.object(draw, "passes_for", without_tidying):
        before = nl.layout(G, seed=0)
    assert all(np.array_equal(now[v], before[v]) for v in G)
    assert is_symmetric(np.array(list(now.values())))


def test_given_and_fixed_positions_are_not_untangled():
    G = nx.path_graph(4)
    pos = {0: (0.0, 0.0), 1: (1.0, 1.0), 2: (1.0, 0.0), 3: (0.0, 1.0)}
    for options in ({}, {"fixed": [0]}, {"max_iter": 0}):
        names = [each.name for each in nl.plan(G, "auto", pos, **options).passes]
        assert "untangle" not in names
        assert "from a radial drawing" not in names
    still = nl.layout(G, pos=pos, fixed=list(G))
    assert all(np.array_equal(still[v], pos[v]) for v in G)
    assert crossed(G, still) == 1


def test_the_plan_says_what_is_tried():
    def why(G, **options):
        return {each.name: each for each in nl.plan(G, **options).passes}

    assert why(nx.path_graph(30))["from a radial drawing"].why.startswith("trees and cactuses")
    assert why(nx.random_labeled_tree(300, seed=0))["from a radial drawing"].seconds > 0
    assert "untangle" not in why(nx.path_graph(30))  # the radial drawing has no crossing to take out
    assert "from a radial drawing" not in why(nx.complete_graph(9))
    assert "untangle" in why(nx.grid_2d_graph(5, 5))
    assert "untangle" not in why(nx.grid_2d_graph(5, 5), dim=3)


@pytest.mark.parametrize("seed", range(2))
def test_components_lose_crossings_together_as_they_do_alone(seed):
    """Some of these graphs lose crossings and others do not."""
    parts = [nx.gnm_random_graph(8, 14, seed=100 * seed + k) for k in range(6)]
    pos = nl.layout(nx.disjoint_union_all(parts), seed=0)
    together = [crossed(H, [pos[v + 8 * k] for v in H]) for k, H in enumerate(parts)]
    alone = [crossed(H, nl.layout(H, seed=0)) for H in parts]
    assert sum(together) <= sum(alone) + 1


@pytest.mark.parametrize("emphasis", [0.0, 5.0])
@pytest.mark.parametrize("name", ["ws-sne", "gamma-linlog", "linlog", "ee", "tsne"])
@pytest.mark.parametrize("nodes", [[3], [0, 8, 30]])
def test_an_estimate_changes_as_j_does_when_nodes_move_a_little(nodes, name, emphasis):
    """Also if another node has moved a little since the estimate was made."""
    P, threads, method = adjacency(nx.karate_club_graph()), Threads(), METHODS[name]
    affinity = Affinity(P / P.sum(), np.ones(34), distances=hop_distances_of_each([P], threads)[0])
    J = replace(Objective.of(method, affinity, Exact(False, threads), threads, False), emphasis=emphasis)
    rng, toward = np.random.default_rng(0), np.zeros((34, 2))
    Y, h = rng.normal(size=(34, 2)), 1e-5
    toward[nodes] = rng.normal(size=(len(nodes), 2))
    estimate, other = Estimate(J, Y, threads), Y.copy()
    other[20] += 1e-7
    for at in (Y, other):
        found = estimate(at, np.array(nodes), np.stack([(Y + k * h * toward)[nodes] for k in (1, -1)]))
        assert (found[0] - found[1]) / (2 * h) == pytest.approx(np.sum(J.evaluate(Y).gradient * toward), rel=1e-5)


def test_pieces_hang_at_their_cut_vertex():
    """On a triangle with a path at one corner, what hangs at each cut vertex are the ends of the path."""
    G = nx.cycle_graph(3)
    nx.add_path(G, [2, 3, 4, 5])
    found = {(vertex, tuple(sorted(nodes.tolist()))) for vertex, nodes in pieces_of(adjacency(G))}
    assert {(4, (5,)), (3, (4, 5))} <= found
    for vertex, nodes in found:
        rest = G.subgraph(set(G) - {vertex})
        assert set(nodes) in list(nx.connected_components(rest))


@pytest.mark.parametrize("name", [*TREES, *CACTUSES])
def test_radial_drawings_have_no_crossing(name):
    G = {**TREES, **CACTUSES}[name]
    Y = radial_drawing(adjacency(G))
    assert crossed(nx.convert_node_labels_to_integers(G), Y) == crossings(adjacency(G), Y) == 0


def test_which_graphs_are_cactuses():
    assert all(is_cactus(adjacency(G)) for G in (*TREES.values(), *CACTUSES.values()))
    bow = nx.Graph([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)])
    assert is_cactus(adjacency(bow))
    assert not is_cactus(adjacency(nx.Graph([*bow.edges, (1, 3)])))


@pytest.mark.parametrize("seed", range(3))
def test_both_forms_count_the_same_crossings(seed):
    from nelayout.core.untangling.untangling import _met_by_numpy
    from nelayout.core.untangling.untangling_loops import count_met

    rng = np.random.default_rng(seed)
    G = nx.gnm_random_graph(20, 45, seed=seed)
    i, j = edges(adjacency(G))
    Y, nodes, Z = rng.standard_normal((20, 2)), np.array([3, 7, 11]), rng.standard_normal((5, 3, 2))
    where = np.full(20, -1)
    where[nodes] = np.arange(3)
    own = np.isin(i, nodes) | np.isin(j, nodes)
    given = i[own], j[own], where, Z, Y, i[~own], j[~own]
    found = np.zeros(5, dtype=np.int64)
    count_met(*given, found)
    assert _met_by_numpy(*given).tolist() == found.tolist()
    still, moved = nx.Graph(list(zip(i[~own], j[~own], strict=True))), nx.Graph(list(zip(i[own], j[own], strict=True)))
    for at, count in zip(Z, found, strict=True):
        now = Y.copy()
        now[nodes] = at
        assert crossed(nx.Graph([*still.edges, *moved.edges]), now) - crossed(still, now) - crossed(moved, now) == count


def test_a_step_ends_where_edges_would_cross():
    """Of two parallel edges one would step across the other; it stops before, and a free node arrives."""
    i, j = np.array([0, 2]), np.array([1, 3])
    Y = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [5.0, 5.0]])
    Z = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, -1.0], [6.0, 5.0]])
    step = step_between(i, j, Y, Z, np.zeros(2))
    assert step is not None
    now, found = step
    assert not found.any()
    assert 0.0 < now[3, 1] < 1.0
    assert now[4].tolist() == [6.0, 5.0]


def test_a_method_with_judged_stages_alone_takes_out_crossings_too():
    auto = nl.method("auto")
    judged = [stage for stage in auto.stages if getattr(stage, "candidate", False)]
    G = nx.balanced_tree(2, 5)
    pos = nl.layout(G, nl.method(auto, stages=[auto.stages[0], *judged]), seed=0)
    assert float(nl.measure(G, pos, measures=["crossings"])["crossings"]) == 0


@pytest.mark.parametrize("name", ["sne", "jse"])
def test_a_method_by_rows_takes_judged_stages(name):
    G = nx.watts_strogatz_graph(60, 4, 0.1, seed=1)
    method = nl.method(name, stages=nl.method("auto").stages)
    pos = nl.layout(G, method, seed=0)
    assert crossed(G, pos) > 0, "moves would be tried"
    assert "untangle" not in {step.name for step in nl.plan(G, method).passes}
