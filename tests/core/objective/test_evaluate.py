"""Values belong to the positions given back, by the formulas of docs/explain; any positions can be evaluated."""

from __future__ import annotations

import math
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from scipy.spatial.distance import cdist
from tables import RECIPES, first, thinned

import nelayout as nl
from nelayout.core.catalogue import METHODS
from nelayout.core.record.solution import REASONS

KARATE, MISERABLES = nx.karate_club_graph(), nx.les_miserables_graph()
GRAPHS = {"karate": KARATE, "les miserables": MISERABLES}
REPULSION, TAIL, KAPPA, ALPHA, R = 1.0, 2.0, 0.5, 0.5, 3.0


def off_diagonal(n: int) -> np.ndarray:
    return ~np.eye(n, dtype=bool)


def squared(Y: np.ndarray) -> np.ndarray:
    return ((Y[:, None] - Y[None]) ** 2).sum(-1)


def xlogy(x, y):
    return np.where(x > 0, x * np.log(np.where(x > 0, y, 1.0)), 0.0)


def kl(p: np.ndarray, q: np.ndarray) -> float:
    """sum p ln(p/q) of entries of sum 1 each."""
    return float(np.sum(xlogy(p, p / q)))


def forceatlas2_energy(A: np.ndarray, m: np.ndarray, Y: np.ndarray) -> float:
    """Springs, logarithmic repulsion of strength 2, gravity of strength 1; each pair once."""
    d = np.sqrt(squared(Y))
    one, other = np.triu_indices(len(A), 1)
    A, M, d = A[one, other], m[one] * m[other], d[one, other]
    pairs = np.sum(A * d**2) / 2 - 2 * np.sum(M * np.log(d))
    return float(pairs + np.sum(m * np.linalg.norm(Y - Y.mean(axis=0), axis=1)))


def tfdp_energy(A: np.ndarray, Y: np.ndarray) -> float:
    """Springs, the pull of near neighbors of strength 8, repulsion of strength 10 and exponent 2; each pair once."""
    one, other = np.triu_indices(len(A), 1)
    A, xi = A[one, other], squared(Y)[one, other]
    return float(np.sum(A * (xi / 4 + 4 * np.log1p(xi))) + 5 * np.sum(1 / (1 + xi)))


def printed(name: str, G: nx.Graph, Y: np.ndarray) -> float:
    """J as docs/explain/one-formula.md prints it, of all pairs one by one."""
    A = nx.to_numpy_array(G)
    if name == "forceatlas2":
        return forceatlas2_energy(A, (A > 0).sum(axis=1) + 1, Y)
    if name == "tfdp":
        return tfdp_energy(A, Y)
    n, off = len(A), off_diagonal(len(A))
    strength = A.sum(axis=1)
    degree = np.count_nonzero(A, axis=1)
    m = degree / degree.mean() if METHODS[name].mass == "degree" else np.ones(n)
    xi, M, P = squared(Y)[off], np.outer(m, m)[off], A[off]
    cauchy, gauss = 1 / (1 + xi), np.exp(-xi)
    if name in ("ws-sne", "tsne", "ftsne", "ssne", "hssne"):
        q = {"ssne": gauss, "hssne": (1 + TAIL * xi) ** (-1 / TAIL)}.get(name, cauchy)
        return kl(P / P.sum(), M * q / (M * q).sum())
    powers = {"gamma-quadlog": 2.0, "gamma-linlog": 1.0, "linlog": 1.0, "quadlog": 2.0, "polylog": R}
    if name in powers:
        r = powers[name]
        pull, push = float(np.sum(P * xi ** (r / 2))), float(np.sum(M * np.log(xi))) * r / 2
        return math.log(pull / P.sum()) - push / M.sum() if name.startswith("gamma") else pull - push
    if name == "ee":
        constants = np.sum(xlogy(P, P / (REPULSION * M)) - P)
        return float(np.sum(P * xi) + REPULSION * np.sum(M * gauss) + constants)
    if name == "mds-ks":
        return -math.log(np.sum(P * gauss) / math.sqrt(np.sum(P**2 / M) * np.sum(M * gauss**2)))
    rows = (A / strength[:, None])[off].reshape(n, n - 1)
    q = gauss.reshape(n, n - 1)
    q = q / q.sum(axis=1)[:, None]
    if name == "sne":
        return kl(rows, q)
    if name == "alpha-sne":
        return float(np.sum(rows**ALPHA * q ** (1 - ALPHA)) - n) / (ALPHA * (ALPHA - 1))
    assert name == "jse"
    z = KAPPA * rows + (1 - KAPPA) * q
    return kl(rows, z) / (1 - KAPPA) + kl(q, z) / KAPPA


# NeRV's second half has a background: tests/core/formula/test_family.py.
# Similarities by paths: tests/core/similarities/test_hops.py.
# Methods whose leaves and twins coincide at a minimum, tried on the larger graph in a quick run.
SEEN = ("ws-sne", "jse", "sne")
PRINTED = [name for name, method in METHODS.items() if name != "nerv" and method.perplexity is None]


@pytest.mark.parametrize(
    ("graph", "name"), thinned(GRAPHS, PRINTED, plain=lambda graph, name: graph == "karate" and name not in SEEN)
)
def test_the_value_is_the_printed_j_of_the_positions(graph, name):
    G = GRAPHS[graph]
    plain = nl.solve(G, name, seed=0, scale=None, max_iter=30)
    Y = np.array([plain.positions[v] for v in G])
    assert plain.unit == 1.0
    assert plain.value == pytest.approx(printed(name, G, Y), rel=1e-8)
    fitted = nl.solve(G, name, seed=0, max_iter=30)
    Y = np.array([fitted.positions[v] for v in G])
    assert np.abs(Y).max() == pytest.approx(1.0)
    assert fitted.value == pytest.approx(printed(name, G, Y * fitted.unit), rel=1e-8)


@pytest.mark.parametrize("name", thinned(METHODS, plain=lambda name: name in SEEN))
def test_opening_coincident_nodes_hardly_changes_j(name):
    """At minima of the Gaussian and the bounded methods, leaves and twins coincide."""
    solution = nl.solve(MISERABLES, name, seed=0, scale=None)
    assert abs(solution.value - solution.trace[-1].value) < 1e-3 * abs(solution.value)
    Y = np.array([solution.positions[v] for v in MISERABLES])
    apart = squared(Y)[off_diagonal(len(Y))]
    assert apart.min() > 0


def test_a_note_says_what_opening_has_cost():
    """K(2, 60) by JSE draws sixty nodes on two points: next to them, a thousandth of the drawing is far."""
    G = nx.disjoint_union(nx.path_graph(0), nx.complete_bipartite_graph(2, 60))
    solution = nl.solve(G, "jse", seed=0, scale=None)
    told = [note for note in solution.notes if "opened" in note]
    change = abs(solution.value - solution.trace[-1].value)
    assert bool(told) == (change > 1e-3 * abs(solution.trace[-1].value))


@pytest.mark.parametrize("away", [2.0, 25.3, 25.9])
def test_a_node_far_from_all_others_has_a_value(away):
    """Minimizers go to 25.4, where its kernel values sum to 1e-280; a finished drawing may lie a little further."""
    pos = {0: (0.0, 0.0), 1: (1.0, 0.0), 2: (1.0, away)}
    d = np.array([[np.sum(np.subtract(pos[i], pos[j]) ** 2) for j in pos] for i in pos])
    np.fill_diagonal(d, np.inf)
    log_q = -d - np.logaddexp.reduce(-d, axis=1, keepdims=True)
    told = -log_q[0, 1] - log_q[2, 1] - 0.5 * (log_q[1, 0] + log_q[1, 2]) - math.log(2)
    found = nl.evaluate(nx.path_graph(3), pos, "sne", size="given")
    assert found.value == pytest.approx(told, rel=1e-10)
    assert found.node_cost.sum() == pytest.approx(told, rel=1e-10)


def test_components_of_their_own_sizes_have_units_of_their_own():
    G = nx.disjoint_union(nx.grid_2d_graph(5, 5), nx.cycle_graph(9))
    solution = nl.solve(G, "tsne", seed=0)
    Y = np.array([solution.positions[v] for v in G]) * solution.unit
    parts = [np.flatnonzero(solution.components == k) for k in range(2)]
    values = [printed("tsne", G.subgraph(np.array(G)[part]), Y[part]) for part in parts]
    assert solution.value == pytest.approx(sum(values), rel=1e-8)
    assert np.shape(solution.unit) == (34, 1)


def test_ws_sne_of_unit_mass_has_the_value_of_tsne():
    pos = nx.spring_layout(KARATE, seed=1)
    ws, ts = (nl.evaluate(KARATE, pos, m, mass="unit") for m in ("ws-sne", "tsne"))
    assert ws.value == pytest.approx(ts.value, rel=1e-12)
    assert ws.value == pytest.approx(ws.node_cost.sum(), rel=1e-9)


def test_elastic_embeddings_of_two_strengths_can_be_compared():
    """Of all lambda, the best makes the I-divergence sum P times ws-SNE's value with a Gaussian kernel."""
    pos = nx.spring_layout(KARATE, seed=1, scale=2)
    best = nl.evaluate(KARATE, pos, nl.method("ws-sne", kernel="gaussian"), mass="unit")
    values = [nl.evaluate(KARATE, pos, "ee", repulsion=best.connection * f).value for f in (0.9, 1.0, 1.1)]
    weight = nx.to_numpy_array(KARATE).sum()
    assert values[1] == pytest.approx(weight * best.value, rel=1e-9)
    assert values[1] < min(values[0], values[2])


@pytest.mark.parametrize("name", thinned(METHODS, plain=lambda name: name in RECIPES))
def test_the_gradient_norm_is_that_of_differences(name):
    Y = np.random.default_rng(0).normal(size=(34, 2))
    found, h = nl.evaluate(KARATE, Y_of(Y), name), 1e-6
    slopes = []
    for k in (0, 7, 33, 50):
        step = np.zeros(68)
        step[k] = h
        up, down = (nl.evaluate(KARATE, Y_of(Y + s * step.reshape(34, 2)), name).value for s in (1, -1))
        slopes.append((up - down) / (2 * h))
    assert found.gradient_norm >= np.linalg.norm(slopes) * (1 - 1e-6)
    # along the gradient, J changes by its norm: tested where it is known, from a rotation-free direction
    radial = float(np.sum(Y * Y)) ** 0.5
    up, down = (nl.evaluate(KARATE, Y_of(Y * (1 + s * h)), name).value for s in (1, -1))
    assert abs(up - down) / (2 * h) <= found.gradient_norm * radial * (1 + 1e-6)


def Y_of(Y: np.ndarray) -> dict:
    return dict(zip(KARATE, Y, strict=True))


@pytest.mark.parametrize("name", ["tsne", "ee", "sne", "nerv", "jse", "linlog", "quadlog", "mds-ks"])
def test_the_best_size_is_exact(name):
    """About it, J rises both ways, and what it says does not depend on the size that was given."""
    pos = nl.solve(MISERABLES, name, seed=1, max_iter=40).positions
    best = nl.evaluate(MISERABLES, pos, name, size="best")
    many = {v: 7.0 * y for v, y in pos.items()}
    other = nl.evaluate(MISERABLES, many, name, size="best")
    assert other.unit * 7.0 == pytest.approx(best.unit, rel=1e-8)
    assert other.value == pytest.approx(best.value, rel=1e-12)
    for factor in (1 - 1e-3, 1 + 1e-3):
        near = {v: factor * best.unit * y for v, y in pos.items()}
        assert nl.evaluate(MISERABLES, near, name).value > best.value


def test_where_there_is_no_best_size_a_note_says_so_and_scale_free_objectives_need_none():
    """t-SNE of a grid: far apart, the Cauchy kernel is a power of the distance."""
    grid, clique = nx.grid_2d_graph(8, 8), nx.complete_graph(6)
    for G, pos, word in ((grid, {v: v for v in grid}, "grows"), (clique, nx.circular_layout(clique), "shrinks")):
        assert any(word in note for note in nl.evaluate(G, pos, "tsne", size="best").notes)
    given, best = (nl.evaluate(clique, nx.circular_layout(clique), "gamma-quadlog", size) for size in ("given", "best"))
    assert (given.value, best.unit) == (best.value, 1.0)


@pytest.mark.parametrize("factor", [1e-160, 1e155, 1e300])
def test_the_best_size_does_not_depend_on_the_size_given(factor):
    pos = nx.spring_layout(KARATE, seed=0)
    usual, found = (nl.evaluate(KARATE, {v: f * y for v, y in pos.items()}, "tsne", size="best") for f in (1.0, factor))
    assert found.value == pytest.approx(usual.value, rel=1e-12)
    assert found.unit * factor == pytest.approx(usual.unit, rel=1e-7)


def test_other_libraries_drawings_and_hosts_are_evaluated():
    igraph = pytest.importorskip("igraph")
    g = igraph.Graph.Famous("Zachary")
    layout = g.layout("fr")
    H = nx.Graph(g.get_edgelist())
    theirs = nl.evaluate(g, layout, "ws-sne", size="best")
    ours = nl.evaluate(H, {v: layout[v] for v in H}, "ws-sne", size="best")
    assert theirs.value == pytest.approx(ours.value, rel=1e-9)


def test_compare_shows_the_objective():
    drawings = {"ours": nl.tsne_layout(KARATE, seed=0), "circle": nx.circular_layout(KARATE)}
    found = nl.compare(KARATE, drawings, measures="stress", objective="tsne")
    own = {name: nl.evaluate(KARATE, pos, "tsne", "best").value for name, pos in drawings.items()}
    assert found.table["J of tsne"].to_dict() == own
    scores = {name: measured["J of tsne"].score for name, measured in found.measured.items()}
    assert scores == pytest.approx({"ours": 1.0, "circle": own["ours"] / own["circle"]})
    assert "J of tsne ↓" in repr(found)
    assert "nelayout.evaluate" in found._repr_html_()


@pytest.mark.parametrize("apart", [0.0, 1e-20, 1e-100])
def test_nodes_that_floats_cannot_tell_apart_are_named_under_a_singular_kernel(apart):
    pos = {**nx.spring_layout(KARATE, seed=0), 3: (0.0, 0.0), 4: (apart, 0.0)}
    found = nl.evaluate(KARATE, pos, "linlog")
    assert found.value == math.inf
    assert np.flatnonzero(np.isinf(found.node_cost)).tolist() == [3, 4]
    assert any("J is infinite: nodes 3 and 4 lie at one place" in note for note in found.notes)
    assert math.isfinite(nl.evaluate(KARATE, pos, "tsne").value)


PAIR_OF_PATHS = nx.disjoint_union(nx.path_graph(7), nx.path_graph(5))
WIDE = {
    "sne, large nodes": (nx.path_graph(25), "sne", {"node_size": 2.0}),
    "nerv, large nodes": (nx.path_graph(9), "nerv", {"node_size": 9.0}),
    "ssne, two graphs": (PAIR_OF_PATHS, "ssne", {"node_size": 30.0}),
    "mds-ks, two graphs": (PAIR_OF_PATHS, "mds-ks", {"node_size": 1e4}),
    "quadlog, fixed at one place": (KARATE, "quadlog", {"pos": {3: (0, 0), 4: (0, 0)}, "fixed": [3, 4]}),
    "linlog, all fixed": (KARATE, "linlog", {"pos": dict.fromkeys(KARATE, (1.0, 1.0)), "fixed": list(KARATE)}),
}


@pytest.mark.parametrize("case", WIDE)
def test_a_run_whose_value_floats_do_not_hold_says_why(case):
    G, method, how = WIDE[case]
    found = nl.solve(G, method, seed=0, **how)
    assert found.value == math.inf
    assert not np.isnan(found.node_cost).any()
    assert sum("J is infinite: node" in note for note in found.notes) == 1


@pytest.mark.parametrize("away", [1e4, 1e9])
@pytest.mark.parametrize("method", ["sne", "nerv", "jse", "alpha-sne"])
def test_a_node_that_no_kernel_value_reaches_is_named(method, away):
    """J is infinite as it is given, without a warning of NumPy; at the best size it is what the nodes nearby allow."""
    pos = {**nx.spring_layout(KARATE, seed=0), 7: np.array([away, 0.0])}
    found = nl.evaluate(KARATE, pos, method)
    assert math.isinf(found.value)
    assert math.isinf(found.gradient_norm)
    assert np.flatnonzero(np.isinf(found.node_cost)).tolist() == [7]
    assert any("node 7 lies so far" in note for note in found.notes)
    best = nl.evaluate(KARATE, pos, method, size="best")
    around = [nl.evaluate(KARATE, {v: s * best.unit * p for v, p in pos.items()}, method).value for s in (0.99, 1.01)]
    assert best.value < min(around)
    assert np.isfinite(best.node_cost).all()


@pytest.mark.parametrize(
    ("method", "apart"),
    [*((method, 1e160) for method in ("linlog", "gamma-quadlog", "forceatlas2", "polylog", "tsne")), ("ssne", 1e6),
     ("mds-ks", 1e6)],
)  # fmt: skip
def test_nodes_too_far_apart_make_j_infinite_and_a_note_says_so(method, apart):
    """Squares of distances are beyond floats, or a kernel reaches no node, so that all costs are infinite."""
    found = nl.evaluate(KARATE, {v: (apart * k, 0.0) for k, v in enumerate(KARATE)}, method)
    assert found.value == found.gradient_norm == math.inf
    assert any("so far apart" in note for note in found.notes)
    assert apart > 1e6 or np.isinf(found.node_cost).all()


BAD = [
    ({"size": "bets"}, "unknown size 'bets': did you mean 'best'"),
    ({"pos": {0: (0, 1)}}, "33 of 34 nodes have none"),
    ({"pos": dict.fromkeys(KARATE, (0.0, math.nan))}, "must be 2 finite numbers"),
    ({"method": "auto"}, "chooses among several objectives"),
    ({"method": "alpha-sne", "alpha": "auto"}, "give an alpha"),
    ({"scale": None}, "unknown keyword of evaluate 'scale'"),
]


@pytest.mark.parametrize(("changes", "said"), BAD)
def test_bad_input_is_told_in_words(changes, said):
    given = {"pos": nx.circular_layout(KARATE), "method": "tsne", **changes}
    with pytest.raises(TypeError if "scale" in changes else ValueError, match=said):
        nl.evaluate(KARATE, **given)


# Graph, method and keywords; the keyword that varies, and its settings, each to end no higher than the one before.
STARTS = (1, 20, 21, 39, 40, 41, 60, 99, 240)  # around the step at which initial positions are compared
FALLING = [
    (KARATE, "linlog", {}, "max_iter", STARTS),
    (KARATE, "tsne", {"pos": nx.circular_layout(KARATE), "fixed": [0, 33]}, "max_iter", (5, 30, 100, 400)),
    (KARATE, "linlog", {}, "tol", (1.0, 1e-2, 1e-4)),
    (KARATE, "sne", {}, "max_iter", STARTS),
    (KARATE, "jse", {}, "max_iter", STARTS),
    (KARATE, "gamma-quadlog", {}, "max_iter", STARTS),
    (KARATE, "ftsne", {"divergence": "hellinger"}, "max_iter", STARTS),
    (nx.grid_2d_graph(5, 5), "ftsne", {"divergence": "hellinger"}, "max_iter", STARTS),
    (nx.circulant_graph(12, [1, 3]), "polylog", {}, "max_iter", STARTS),
    *(
        (KARATE, name, {"scale": None}, keyword, settings)
        for name in ("ws-sne", "jse", "ee", "gamma-quadlog")
        for keyword, settings in (("max_iter", (0, 5, 30, 120, 500)), ("tol", (1e-1, 1e-2, 1e-3, 1e-5)))
    ),
]


@pytest.mark.parametrize("case", first(FALLING, 3), ids=lambda case: f"{case[1]}-{len(case[0])}-{case[3]}")
def test_more_steps_or_a_smaller_tol_never_end_higher(case):
    graph, name, given, keyword, settings = case
    values = [nl.solve(graph, name, seed=0, **given, **{keyword: each}).value for each in settings]
    assert all(b <= a + 1e-9 * abs(values[-1]) for a, b in pairwise(values)), values


def test_a_run_that_rests_has_converged_however_few_steps_are_left():
    for steps in (40, 41, 42, 43, 60):
        assert nl.solve(KARATE, "ee", seed=0, max_iter=steps).reason == "converged"


def test_a_wide_drawing_keeps_its_digits():
    """The gamma form of far larger drawings is that of dense sums, of a grid that of t-SNE: ws-SNE with unit masses."""
    grid = nx.grid_2d_graph(8, 8)
    Y = np.array(list(grid))
    A = nx.to_numpy_array(grid)
    P, D2 = A / A.sum(), cdist(Y, Y, "sqeuclidean") + np.diag(np.full(64, np.inf))
    for factor in (1.0, 1e4, 1e8):
        q = 1.0 / (1.0 + factor**2 * D2)
        dense = float(np.sum(P[A > 0] * np.log((P * q.sum() / q.clip(1e-300))[A > 0])))
        for name, own in (("ws-sne", {"mass": "unit"}), ("tsne", {})):
            found = nl.evaluate(grid, dict(zip(grid, factor * Y, strict=True)), name, **own)
            assert found.value == pytest.approx(dense, rel=1e-9), (factor, name)


@pytest.mark.full
def test_converged_means_that_further_steps_bring_little():
    """Nor do they after a lull: NeRV draws a grid nearly without loss, and forces rest later than rounding."""
    grid, caves = nx.grid_2d_graph(8, 8), nx.connected_caveman_graph(5, 6)
    ends = {grid: {"nerv:1": "lull", "nerv:0.5": "lull", "ee": "converged", "linlog": "converged"},
            caves: {"nerv:1": "converged", "nerv:0.5": "converged"}}  # fmt: skip
    for G, name in ((G, name) for G, names in ends.items() for name in names):
        long = nl.solve(G, name, seed=0, scale=None, max_iter=3000)
        further = nl.solve(G, name, seed=0, scale=None, max_iter=3000, tol=1e-7)
        assert long.reason == ends[G][name]
        assert long.value - further.value < 1e-3 * abs(further.value)


@pytest.mark.full
def test_reasons():
    grid = nx.grid_2d_graph(8, 8)
    runs = [
        (grid, "tsne", {}, "unbounded"), (grid, "ws-sne", {}, "unbounded"),
        (nx.complete_graph(6), "tsne", {}, "collapsed"), (KARATE, "jse", {"max_iter": 3}, "max_iter"),
        (KARATE, "linlog", {"max_iter": 1000}, "converged"), (nx.grid_2d_graph(20, 20), "ssne", {}, "lull"),
        (KARATE, "ee", {"callback": lambda state: True}, "stopped"),
    ]  # fmt: skip
    for G, name, options, reason in runs:
        assert nl.solve(G, name, seed=0, **options).reason == reason
    assert set(REASONS) == {reason for *_, reason in runs}
