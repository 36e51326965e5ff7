"""What `estimate` foretells: it orders sizes, bounds the memory, and refuses what `solve` refuses."""

import os
import subprocess
import sys
import tracemalloc
from functools import cache
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from tables import first

import nelayout as nl
from nelayout.core.catalogue import METHODS
from nelayout.core.objective import Objective
from nelayout.core.sums.nbody import backend
from nelayout.core.sums.nbody.auto import Auto
from nelayout.errors import InputError
from nelayout.graphs.files import read_graph
from nelayout.numerics.parallel import Threads


@cache
def hubs(n: int) -> nx.Graph:
    return nx.barabasi_albert_graph(n, 3, seed=1)


@pytest.fixture(autouse=True, scope="module")
def compiled():
    """Loops that most runs need, compiled and loaded."""
    nl.layout(hubs(20_000), seed=0, max_iter=1)


@pytest.mark.parametrize("method", first(["auto", *METHODS], 6))
def test_larger_graphs_take_longer_and_more(method):
    sizes = [nl.estimate(hubs(n), method) for n in (10, 100, 200, 400, 1000, 4000, 20000)]
    seconds, size = [e.seconds for e in sizes], [e.bytes for e in sizes]
    assert all(a > 0 for a in seconds)
    each = [e.seconds / e.evaluations for e in sizes]  # small graphs take more iterations
    for form in (slice(0, 3), slice(3, 7)):  # without and with compiled loops, which cost less once they are loaded
        assert each[form] == sorted(each[form])
        assert size[form] == sorted(size[form])
    assert [e.nodes for e in sizes] == [10, 100, 200, 400, 1000, 4000, 20000]
    assert all(e.evaluations > 20 for e in sizes)


def test_a_run_that_is_too_short_to_compare_starts_is_estimated_without_them():
    before, beyond = (nl.estimate(hubs(150), "ws-sne", max_iter=steps, n_jobs=1) for steps in (40, 41))
    assert before.seconds < 0.5 * beyond.seconds


PROGRAM = """
import networkx as nx, nelayout as nl
G = nx.barabasi_albert_graph(400, 3, seed=1)
print(nl.estimate(G, "ws-sne").seconds, nl.estimate(nx.path_graph(20), "ws-sne").seconds)
nl.layout(G, "ws-sne", seed=0, max_iter=1)
print(nl.estimate(G, "ws-sne").seconds)
print([each.why for each in nl.plan(G, "ws-sne").passes if "compile" in each.name])
"""


@pytest.mark.full
def test_compiling_is_estimated_where_loops_are_not_stored(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(Path(nl.__file__).parents[1])}
    fresh, stored = (
        subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
        .stdout.splitlines()
        for _ in range(2)
    )
    before, small = map(float, fresh[0].split())
    assert before > 4.0 + float(fresh[1])
    assert small < 1.0
    assert 0.3 < float(stored[0].split()[0]) - float(stored[1]) < 1.0  # loading
    assert fresh[2] == stored[2] == "[]"


def test_reading_and_writing_a_file_counts(tmp_path):
    nx.write_edgelist(hubs(4000), tmp_path / "hubs.csv", delimiter=",", data=False)
    file = read_graph(tmp_path / "hubs.csv")
    assert file.seconds > 0
    assert nl.estimate(file, "ws-sne").seconds > nl.estimate(file.graph, "ws-sne").seconds + file.seconds


def test_a_plan_takes_the_stability_of_a_sequence():
    G = nx.karate_club_graph()
    pos = nl.layout(G, "ws-sne", seed=0)
    held, free = (nl.plan(G, "ws-sne", pos, stability=s).passes for s in (0.8, None))
    assert "springs hold the size" in {each.why for each in held}
    assert "springs hold the size" not in {each.why for each in free}
    with pytest.raises(InputError, match=r"stability must be a number in \[0, 1\), given 1"):
        nl.plan(G, "ws-sne", pos, stability=1)


def test_what_is_asked_for_counts():
    G = hubs(3000)
    plain, exact = (nl.estimate(G, "ws-sne", n_jobs=1, nbody=nbody) for nbody in ("auto", "exact"))
    assert (plain.nodes, plain.edges) == (3000, G.number_of_edges())
    for less in ({"n_jobs": 2}, {"n_jobs": 1, "max_iter": 20}):
        assert nl.estimate(G, "ws-sne", **less).seconds < plain.seconds
    assert (exact.nbody, exact.seconds > 2 * plain.seconds) == ("exact", True)
    for method in ("ws-sne", "gamma-quadlog"):
        rhos = [nl.estimate(G, method, n_jobs=1, smoothing=rho).seconds for rho in (0.0, 0.9, 0.99)]
        assert rhos == sorted(set(rhos))


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("n", [900, 5000])
def test_backend_is_the_one_that_auto_takes_for_an_even_drawing(n, dim):
    even = n ** (1 / dim) * np.random.default_rng(0).random((n, dim))
    chosen = backend("auto", Threads(), compiled=True)
    assert isinstance(chosen, Auto)
    assert nl.estimate(hubs(n), "ws-sne", dim=dim).nbody == chosen.choose(even).name


@pytest.mark.parametrize("G", [nx.empty_graph(0), nx.empty_graph(1), nx.empty_graph(5), nx.path_graph(2)])
def test_graphs_of_next_to_nothing(G):
    e = nl.estimate(G)
    assert 0 <= e.seconds < 1
    assert 0 <= e.bytes < 1e7
    assert e.nodes == len(G)
    assert f"{len(G)} nodes" in str(e)


def test_moving_nodes_apart_counts():
    for G in (hubs(100), hubs(2000)):
        plain, parted, sized = (nl.estimate(G, "ws-sne", node_size=size).seconds for size in (None, "auto", 0.01))
        assert plain < parted == sized < 2 * plain


def test_vectors_have_their_graph_estimated():
    X = np.random.default_rng(0).random((200, 5))
    assert nl.estimate(X).method == "ws-sne"
    assert nl.estimate(X, "tsne").nodes == nl.estimate(nl.knn_graph(X), "tsne").nodes == 200


def test_every_host_and_no_change_to_the_graph():
    G = nx.les_miserables_graph()
    before = [(u, v, dict(d)) for u, v, d in G.edges(data=True)]
    A = nx.to_scipy_sparse_array(G)
    seconds = {nl.estimate(graph, "tsne").seconds for graph in (G, A, A.toarray())}
    assert len(seconds) == 1
    assert list(G.edges(data=True)) == before


@pytest.mark.parametrize(
    ("graph", "method", "options"),
    [
        ("not a graph", "auto", {}),
        (nx.path_graph(3), "ws-sme", {}),
        (nx.path_graph(3), "auto", {"dim": 4}),
        (nx.path_graph(3), "auto", {"nbody": "magic"}),
        (nx.path_graph(6), "ws-sne", {"mass": "degre"}),
        (nx.path_graph(6), "ws-sne", {"mass": [-1] * 6}),
        (nx.path_graph(6), "ws-sne", {"mass": {7: 1.0}}),
        (nx.empty_graph(2), "ws-sne", {"components": "joint"}),
        (nx.disjoint_union(nx.path_graph(3), nx.path_graph(3)), "ws-sne", {"components": "joint"}),
        (nx.path_graph(3), "linlog", {"optimizer": "spectral-direction"}),
        (nx.path_graph(3), "linlog", {"optimizer": "majorise"}),
        (nx.path_graph(3), "tsne", {"seed": -1}),
        (nx.path_graph(3), "tsne", {"n_jobs": 0}),
        (nx.path_graph(3), "tsne", {"node_size": -1}),
        (nx.to_scipy_sparse_array(nx.path_graph(3)), "tsne", {"store_pos_as": "pos"}),
    ],
)
def test_what_solve_refuses_is_refused(graph, method, options):
    with pytest.raises(ValueError) as own:  # noqa: PT011  the message is compared with that of solve
        nl.estimate(graph, method, **options)
    with pytest.raises(ValueError) as other:  # noqa: PT011  see above
        nl.solve(graph, method, **options)
    assert type(own.value) is type(other.value)
    assert str(own.value) == str(other.value)


def test_a_joint_drawing_counts_its_components_alone_and_then_together():
    """Components are drawn alone first, and the whole graph goes on from there; so say the plan and the trace."""
    G = nx.disjoint_union(nx.path_graph(30), nx.grid_2d_graph(5, 5))  # together still without compiled loops
    apart, joint = (nl.plan(G, "nerv", components=how, n_jobs=1) for how in ("pack", "joint"))
    assert joint.components == apart.components == 2
    assert [(each.name, each.nodes) for each in joint.passes[: len(apart.passes) - 1]] == [
        (each.name, each.nodes) for each in apart.passes[:-1]
    ]
    after = joint.passes[len(apart.passes) - 1 :]
    assert [each.name for each in after[:3]] == ["start all together", "similarities", "given positions"]
    assert {each.nodes for each in after} == {55}
    assert joint.seconds > 1.5 * apart.seconds
    assert joint.evaluations > 100
    stages = {step.stage.partition(" (")[0] for step in nl.solve(G, "nerv", components="joint", seed=0).trace}
    assert stages <= {each.name for each in joint.passes}
    pos = {v: (float(k % 7), float(k // 7)) for k, v in enumerate(G)}
    placed = nl.plan(G, "nerv", pos, components="joint", n_jobs=1)
    assert {each.nodes for each in placed.passes} == {55}
    packed, joint = (nl.estimate(nx.grid_2d_graph(9, 9), "nerv", components=how) for how in ("pack", "joint"))
    assert packed == joint


@pytest.mark.full
@pytest.mark.parametrize(
    ("G", "method", "options"),
    [
        (hubs(150), "ws-sne", {}),
        (hubs(500), "ws-sne", {}),
        (hubs(800), "auto", {}),
        (hubs(800), "ws-sne", {}),
        (nx.grid_2d_graph(45, 45), "ws-sne", {}),
        (nx.grid_2d_graph(45, 45), "gamma-quadlog", {"smoothing": 0.9}),
        (hubs(2000), "linlog", {}),
        (hubs(2000), "ws-sne", {"smoothing": 0.5}),
    ],
)
def test_memory_is_right_within_a_factor_of_two(G, method, options):
    nl.solve(G, method, seed=0, max_iter=3, n_jobs=2, **options)  # loads the loops
    peaks = []
    for seed in range(3):  # now and then a node thrown out on the way makes a mesh four times as large
        tracemalloc.start()
        nl.solve(G, method, seed=seed, max_iter=41, n_jobs=2, **options)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    peak = np.median(peaks)
    assert peak <= nl.estimate(G, method, **options).bytes < 2 * peak


@pytest.mark.full
@pytest.mark.parametrize("n", [300, 1000, 2000])
@pytest.mark.parametrize(
    "method", ["ws-sne", "gamma-quadlog", "tsne", "ee", "linlog", "sne", "jse", "alpha-sne", "auto"]
)
def test_evaluations_are_right_within_a_factor(method, n, monkeypatch):
    """Of the whole graph's objective; what each costs is a matter of the machine: `python -m benchmarks.estimates`."""
    G = nx.random_geometric_graph(n, float(np.sqrt(8 / np.pi / n)), seed=1)
    G = G.subgraph(max(nx.connected_components(G), key=len))
    found = []

    def evaluate(self, Y, *, own=Objective.evaluate, **keywords):
        found.append(len(Y) == len(G))
        return own(self, Y, **keywords)

    monkeypatch.setattr(Objective, "evaluate", evaluate)
    nl.solve(G, method, seed=0, n_jobs=1)
    assert sum(found) / 2.5 < nl.estimate(G, method, n_jobs=1).evaluations < 2.5 * sum(found)
