"""Graphs, weights and starts that a drawing must survive: finite, no two nodes in one place, no dot beside one node.

Warnings are errors in these tests, those of NumPy's arithmetic among them.
"""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from scipy.spatial import KDTree
from tables import RECIPES, thinned

import nelayout as nl
from nelayout.core.catalogue import tune
from nelayout.core.passes.placement import GAP, NEAR, pull_in_outliers
from nelayout.core.similarities.affinity import within_range

METHODS = ("auto", "ws-sne", "gamma-quadlog", "linlog", "ee", "tsne")
# The large ones of a product are drawn by the default and by the method that stretches drawings most.
ON_LARGE = ("auto", "linlog")


def graph(rows, cols, n: int, weights=None) -> sparse.csr_array:
    """The symmetric matrix of these edges; repeated edges and loops are left out, each weighs 1 without weights."""
    low, high = np.minimum(rows, cols), np.maximum(rows, cols)
    _, first = np.unique(low * n + high, return_index=True)
    keep = first[low[first] != high[first]]
    values = np.ones(len(keep)) if weights is None else weights[: len(keep)]
    half = sparse.coo_array((values, (low[keep], high[keep])), shape=(n, n))
    return sparse.csr_array(half + half.T)


def hub(leaves: int, extra: int) -> sparse.csr_array:
    """A node with so many neighbors, some of which are joined to each other."""
    more = np.random.default_rng(0).integers(1, leaves + 1, (2, extra))
    return graph(
        np.r_[np.zeros(leaves, dtype=int), more[0]], np.r_[np.arange(1, leaves + 1), more[1]], leaves + 1
    )


def star_and_path(leaves: int, length: int) -> sparse.csr_array:
    """A star; from its last leaf a path goes on."""
    n = 1 + leaves + length
    rows = np.r_[np.zeros(leaves, dtype=int), np.arange(leaves, n - 1)]
    return graph(rows, np.r_[np.arange(1, leaves + 1), np.arange(leaves + 1, n)], n)


def log_uniform(G: nx.Graph, orders: float = 12.0) -> sparse.csr_array:
    """The graph with weights over so many orders of magnitude, about 1."""
    edges = np.array(nx.convert_node_labels_to_integers(G).edges)
    weights = 10 ** np.random.default_rng(0).uniform(-orders / 2, orders / 2, len(edges))
    return graph(edges[:, 0], edges[:, 1], len(G), weights)


def distances(Y: np.ndarray) -> np.ndarray:
    """Sorted distances of the nodes from the middle of the drawing."""
    return np.sort(np.linalg.norm(Y - np.median(Y, axis=0), axis=1))


def spread(Y: np.ndarray) -> float:
    """How much farther out the farthest node is than half of all nodes."""
    away = distances(Y)
    return float(away[-1] / np.median(away))


def lonely(Y: np.ndarray) -> float:
    """How much farther out the farthest node is than the tenth farthest: 1 to 2 in a drawing, 1e6 beside a dot."""
    away = distances(Y)
    return float(away[-1] / away[-10])


def drawing(G, method, **options) -> np.ndarray:
    Y = nl.layout(G, method, **{"seed": 0, **options})
    assert np.isfinite(Y).all()
    assert len(np.unique(Y, axis=0)) == len(Y)
    return Y


@pytest.mark.parametrize("method", thinned(METHODS, plain=lambda method: method in RECIPES))
@pytest.mark.parametrize(
    "leaves",
    [600, *(pytest.param(leaves, marks=pytest.mark.full) for leaves in (3000, 50_000))],
)
def test_a_hub(method, leaves):
    G = hub(leaves, leaves // 3)
    drawings = [drawing(G, method, seed=seed) for seed in range(3)]  # which leaf ends farthest out is chance
    assert np.median([lonely(Y) for Y in drawings]) < (1.1 if leaves <= 3000 else 3)
    Y = drawings[0]
    # The hub, which everything is joined to, lies in the middle of its leaves.
    central = np.linalg.norm(Y[0] - np.median(Y, axis=0)) < np.median(distances(Y)) * 0.15
    near = np.median([spread(Y) for Y in drawings]) < (7 if method in ("linlog", "ws-sne") else 3.5)
    if (method, leaves) == ("ws-sne", 50_000) and not (central and near):
        pytest.xfail("100 steps leave a hundredth of the leaves far out and the hub beside the middle")
    assert central
    assert near
    if method == "gamma-quadlog":
        # Squared attraction to the middle and logarithmic repulsion, the potential of charges in the plane, are at
        # rest in a disc of even density, half of which lies within 1/sqrt 2 of its radius.
        assert spread(Y) == pytest.approx(np.sqrt(2), rel=0.03)


@pytest.mark.full
def test_a_hub_of_so_many_leaves_that_levels_could_be_left_out():
    """Its steps would not bring back the leaves that LinLog's last coarse level leaves far out."""
    assert spread(drawing(hub(20_000, 6_666), "linlog")) < 20


@pytest.mark.parametrize(
    ("leaves", "length", "method"),
    [
        pytest.param(leaves, length, method, marks=() if leaves == 300 and method in ON_LARGE else pytest.mark.full)
        for leaves, length in [(300, 300), (1500, 40)]
        for method in [*METHODS, "gamma-linlog", "quadlog"]
    ],
)
def test_a_star_and_a_path(method, leaves, length):
    """Logarithmic repulsion takes the path far from the star; it leaves no node alone."""
    Y = drawing(star_and_path(leaves, length), method)
    assert lonely(Y) < 3
    steps = np.linalg.norm(np.diff(Y[leaves:], axis=0), axis=1)
    if "linlog" not in method:
        assert steps.max() < 30 * np.median(steps)
    elif length == 40:
        # LinLog's clusters lie at the product of their masses over the weight between them (Noack 2007, theorem 1):
        # 80 * 3000 for path and star, against 1500 for leaf and hub and half of 1500 for a leaf and all others.
        assert spread(Y) == pytest.approx(80 * 3000 / 2250, rel=0.2)
    if method == "auto":
        assert spread(Y) < 50


@pytest.mark.full
@pytest.mark.parametrize(
    ("side", "method"),
    thinned([12, 45], METHODS, plain=lambda side, method: side == 12 and method in ("ws-sne", "linlog")),
)
def test_weights_over_twelve_orders_of_magnitude(side, method):
    Y = drawing(log_uniform(nx.grid_2d_graph(side, side)), method)
    assert spread(Y) < ((40 if method == "gamma-quadlog" else 25) if side == 12 else 8)
    assert lonely(Y) < (3 if side == 12 else 1.5)


@pytest.mark.full
@pytest.mark.parametrize("n", [200, 1500])
@pytest.mark.parametrize("method", METHODS)
def test_weights_over_twelve_orders_on_a_tree_and_between_hubs(n, method):
    """A node that hangs on a weight of 1e-6 is far out, and it is not the only one, but where J is least so."""
    tree, hubs = (drawing(log_uniform(nx.barabasi_albert_graph(n, m, seed=0)), method) for m in (1, 3))
    assert lonely(tree) < 2
    assert lonely(hubs) < {"linlog": 10, "gamma-quadlog": 60}.get(method, 4)
    assert spread(tree) < (20 if method == "auto" else 50)
    assert spread(hubs) < (5 if method in ("auto", "ws-sne", "tsne") else 1000 if method == "gamma-quadlog" else 300)


ONE_PLACE = {
    "the origin": lambda n, rng: np.zeros((n, 2)),
    "far from the origin": lambda n, rng: np.full((n, 2), 1e9),
    "two places": lambda n, rng: np.where(rng.random(n) < 0.5, 0.0, 1.0)[:, None] * np.array([[1.0, 0.0]]),
    "half in one place": lambda n, rng: np.where(rng.random((n, 1)) < 0.5, 0.0, rng.random((n, 2))),
    "all but one": lambda n, rng: np.r_[np.zeros((n - 1, 2)), [[1.0, 0.0]]],
}
GRAPHS = {
    "grid": nx.to_scipy_sparse_array(nx.grid_2d_graph(10, 10), dtype=float),
    "compiled grid": nx.to_scipy_sparse_array(nx.grid_2d_graph(40, 40), dtype=float),
    "hub": hub(1200, 400),
}


@pytest.mark.parametrize(
    ("place", "name", "method"),
    thinned(ONE_PLACE, GRAPHS, METHODS, plain=lambda place, name, method: name == "grid" and method in ON_LARGE),
)
def test_coincident_starts_separate(place, name, method):
    """The drawing unfolds: not only different places, but of the size of the whole."""
    G = GRAPHS[name]
    start = ONE_PLACE[place](G.shape[0], np.random.default_rng(0))
    Y = drawing(G, method, pos=start)
    assert spread(Y) < 15
    assert lonely(Y) < 3
    # Nearest neighbors of an even drawing lie sqrt(1/n) of its size apart; of a crowd on two points, 1e-9.
    nearest = KDTree(Y).query(Y, 2)[0][:, 1]
    assert np.median(nearest) > 0.02 * np.median(distances(Y)) / np.sqrt(len(Y))


@pytest.mark.full
@pytest.mark.parametrize("far", [1e3, 1e8, 1e300])
@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("method", METHODS)
def test_one_far_node_of_the_start_is_brought_back(far, name, method):
    G = GRAPHS[name]
    n = G.shape[0]
    start = np.random.default_rng(1).random((n, 2))
    start[n // 2] = far, -far
    before = start.copy()
    solution = nl.solve(G, method, pos=start, seed=0)
    assert np.array_equal(start, before)
    assert spread(solution.positions) < 20
    assert lonely(solution.positions) < 3
    (note,) = (note for note in solution.notes if "in pos" in note)
    assert note.startswith("1 node lies more than 100 times as far out")


def test_where_nothing_moves_a_far_node_stays():
    start = np.random.default_rng(1).random((100, 2))
    start[7] = 1e9
    solution = nl.solve(GRAPHS["grid"], "ws-sne", pos=start, max_iter=0)
    assert np.array_equal(solution.positions, start)
    assert solution.notes == ()
    fixed = nl.solve(GRAPHS["grid"], "ws-sne", pos=start, fixed=[7], seed=0)
    assert np.array_equal(fixed.positions[7], start[7])
    assert np.isfinite(fixed.positions).all()


def test_only_what_lies_beyond_a_gap_is_drawn_in():
    line = np.arange(-10.0, 11.0)[:, None]  # about 0, the farthest at 10
    same, count = pull_in_outliers(np.r_[line, [[10.0 * GAP]]] - 0.5)  # about its median, 0
    assert count == 0
    assert np.array_equal(same, np.r_[line, [[10.0 * GAP]]] - 0.5)
    near, count = pull_in_outliers(np.r_[line, [[-1e5], [1e5], [np.nan], [2e5], [1e12]]])
    assert count == 4
    assert np.array_equal(near[:21], line)
    middle = 1.0  # the median of 25 known places
    inner = 11.0  # from there to -10, the farthest within
    assert np.isclose(near[22, 0], middle + NEAR * inner * (1e5 - middle) / (1e5 - middle), rtol=1e-3)
    assert np.isclose((near[24, 0] - middle) / (near[22, 0] - middle), 2.0, rtol=1e-3)  # no gap between these two
    assert np.isclose((near[25, 0] - middle) / (near[24, 0] - middle), NEAR, rtol=1e-3)
    assert np.isnan(near[23, 0])
    held = np.zeros((26, 1), dtype=bool)
    held[25] = True
    kept, count = pull_in_outliers(np.r_[line, [[-1e5], [1e5], [np.nan], [2e5], [1e12]]], held)
    assert (kept[25, 0], count) == (1e12, 3)


def test_drawn_in_does_not_depend_on_units():
    Y = np.r_[np.random.default_rng(0).random((50, 2)), [[1e4, 0.0]]]
    answer, _ = pull_in_outliers(Y)
    for unit in (2.0**-900, 2.0**900):
        assert np.array_equal(pull_in_outliers(unit * Y)[0], unit * answer)


def test_weights_near_the_ends_of_floats_are_divided_by_a_power_of_two():
    found = []
    for unit in (2.0**-900, 2.0**900):
        G = nx.Graph()
        G.add_weighted_edges_from((u, v, unit * (1 + u + v)) for u, v in nx.cycle_graph(9).edges)
        found.append(nl.solve(G, "ws-sne", seed=0, max_iter=5))
        assert any("edge weights near" in note and "divided by 2^" in note for note in found[-1].notes)
    assert all(np.array_equal(found[0].positions[v], found[1].positions[v]) for v in range(9))
    large = sparse.csr_array(2.0**900 * (1 - np.eye(2)))
    assert within_range(large, 40)[0].data.tolist() == [0.5, 0.5]
    assert within_range(large, 1000) == (large, ())


@pytest.mark.full
def test_an_even_drawing_is_its_own_start():
    """Nothing is brought nearer in what the methods themselves draw, whatever they stretch."""
    for method in ("auto", "ws-sne", "gamma-quadlog", "linlog"):
        for G in (star_and_path(200, 200), log_uniform(nx.barabasi_albert_graph(200, 3, seed=0))):
            Y = nl.layout(G, method, seed=0)
            assert pull_in_outliers(Y)[1] == 0


@pytest.mark.parametrize("name", ["tree of cells", "grid of points", "all pairs"])
def test_a_surprising_backend_is_noted(name):
    """An outlier that no mesh can resolve: the tree takes over, and the solution says so."""
    n = 800 if name == "all pairs" else 30_000
    G = graph(np.arange(n - 1), np.arange(1, n), n)
    start = np.random.default_rng(0).random((n, 2))
    if name == "tree of cells":
        start[0] = 1e7
    notes = nl.solve(G, "gamma-quadlog", pos=start, max_iter=0, scale=None).notes
    if name == "tree of cells":
        (note,) = notes
        assert "most of the 30,000 nodes lie in a small part of the drawing" in note
        assert "tree of cells" in note
    else:
        assert notes == ()


@pytest.mark.full
@pytest.mark.parametrize("seed", thinned(range(3), plain=lambda seed: seed == 0))
def test_a_size_beside_infinite_values(seed):
    """Rows of a Gaussian are infinite where a node is too far from all: alpha-SNE of a tree wants to be wide, and
    begins at a size that leaves it room.
    """
    solution = nl.solve(nx.random_labeled_tree(2500, seed=seed), tune("alpha-sne", alpha=0.5), seed=0)
    assert solution.value < 1000  # 2,600 where it is stuck, a third of what it begins with


@pytest.mark.full
@pytest.mark.parametrize("kernel", ["cauchy", "gaussian", "heavy-tailed:2"])
@pytest.mark.parametrize("divergence", ["itakura-saito", "beta:-1"])
@pytest.mark.parametrize("graph", [nx.karate_club_graph(), nx.star_graph(40)], ids=["karate", "star"])
def test_objectives_that_overflow_say_nothing(kernel, divergence, graph):
    """Their drawings grow without end on the way, until their gradients leave the range of floats."""
    for connection in ("optimal", "fixed"):
        method = nl.Method(kernel, divergence, connection)
        Y = np.array(list(nl.layout(graph, method, weight=None, seed=0).values()))
        assert np.isfinite(Y).all()


@pytest.mark.parametrize("method", ["auto", "ssne", "linlog"])
def test_a_component_whose_start_is_one_place_has_the_size_of_the_others(method):
    """Whatever the unit of the start; in units of 1e-5 a ring of 9 nodes was 9 times as large as a mesh of 36."""
    G = nx.disjoint_union(nx.grid_2d_graph(6, 6), nx.cycle_graph(9))
    start = np.r_[np.random.default_rng(0).standard_normal((36, 2)), np.zeros((9, 2))]
    sizes = []
    for unit in (1e-5, 1.0, 1e3):
        drawn = nl.solve(G, method, pos=unit * start, seed=0)
        assert np.isfinite(drawn.value)
        Y = np.array([drawn.positions[v] for v in G])
        sizes.append(np.ptp(Y[:36], axis=0).max() / np.ptp(Y[36:], axis=0).max())
    assert 1.5 < sizes[0] < 3.0  # the square root of 36 / 9 is 2
    assert sizes == pytest.approx([sizes[0]] * 3)


@pytest.mark.parametrize("spacing", [1e-200, 5.0, 12.0, 20.0, 40.0, 1e80, 1e150])
@pytest.mark.parametrize("divergence", ["beta:3", "beta:2", "beta:-1", "beta:0", "alpha:-1", "alpha:3"])
@pytest.mark.parametrize("connection", ["normalized", "optimal", "fixed"])
def test_drawings_of_any_size_have_a_value_or_a_note(spacing, divergence, connection):
    if (divergence, connection) == ("alpha:-1", "optimal"):
        pytest.skip("alpha:-1 has no degree")
    G = nx.path_graph(6)
    pos = {v: (spacing * v, 0.0) for v in G}
    for kernel in ("gaussian", "cauchy"):
        method = nl.Method(kernel=kernel, divergence=divergence, connection=connection)
        for size in ("given", "best"):
            found = nl.evaluate(G, pos, method, size=size)
            numbers = np.r_[found.value, found.gradient_norm, found.node_cost]
            assert not np.isnan(numbers).any()
            assert np.isfinite(numbers).all() or found.notes


def test_costs_where_a_power_of_the_scale_factor_is_beyond_floats():
    edges = "11 12,11 8,11 3,11 0,10 7,10 12,10 1,10 8,3 1,3 5,1 12,12 0,2 5,2 9,5 4,9 8,4 0"
    G = nx.parse_edgelist(edges.split(","), nodetype=int)
    G.add_edges_from([(10, 3), (6, 3), (1, 4), (4, 8)], weight=2.0)
    solution = nl.solve(G, "mds-ks", seed=0)
    assert solution.connection**0.5 > 1e70
    assert np.isfinite(solution.value)
    assert np.isfinite(solution.node_cost).all()
