"""The same seed gives the same bits: for any number of threads, in any process, under any hash seed."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from tables import first

import nelayout as nl
from nelayout.core.passes.drawing import NUMPY_PAIRS
from nelayout.core.sums.edges import loops as edge_loops
from nelayout.core.sums.nbody import law_loops, near_loops, pair_loops
from nelayout.core.sums.nbody.field import COSTS
from nelayout.numerics import vector_loops

# One process draws all of these and prints a hash of each: n = 200 runs on NumPy, n = 1200 in compiled loops,
# string labels and sets of fixed nodes meet Python's hash seed.
PROGRAM = """
import hashlib, sys
import networkx as nx, numpy as np
import nelayout as nl

def say(name, pos):
    print(name, hashlib.sha256(np.array(list(pos.values())).tobytes()).hexdigest())

n_jobs = int(sys.argv[1])
small = nx.connected_watts_strogatz_graph(200, 4, 0.1, seed=1)
large = nx.connected_watts_strogatz_graph(1200, 6, 0.05, seed=1)
words = nx.relabel_nodes(nx.les_miserables_graph(), lambda name: ("who", name))
for n, G in (("small", small), ("large", large)):
    for method in ("ws-sne", "gamma-quadlog"):
        say(f"{n} {method}", nl.layout(G, method, seed=5, max_iter=40, n_jobs=n_jobs))
say("auto", nl.layout(small, seed=5, n_jobs=n_jobs))
say("space", nl.tsne_layout(small, dim=3, seed=5, max_iter=10, n_jobs=n_jobs))
say("words", nl.linlog_layout(words, mass="betweenness", seed=5, node_size=0.02, n_jobs=n_jobs))
start = {v: (i % 9, i // 9) for i, v in enumerate(words)}
fixed = {("who", "Valjean"), ("who", "Javert"), ("who", "Cosette"), ("who", "Marius")}
say("fixed", nl.ee_layout(words, pos=start, fixed=fixed, seed=5, max_iter=30, n_jobs=n_jobs))
say("islands", nl.ssne_layout(nx.disjoint_union_all([nx.cycle_graph(k) for k in range(3, 20)]), seed=5, n_jobs=n_jobs))
"""

ENVIRONMENTS = {
    "one thread": (1, 1, 0),
    "two jobs, other hashes": (2, 1, 1),
    "five jobs, two threads of the libraries": (5, 2, 4294967295),
}  # name -> n_jobs, threads of the libraries, PYTHONHASHSEED
LIBRARIES = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@pytest.mark.full
def test_same_seed_same_bits_in_every_process():
    found = {}
    for name, (n_jobs, threads, hash_seed) in ENVIRONMENTS.items():
        variables = {**dict.fromkeys(LIBRARIES, str(threads)), "PYTHONHASHSEED": str(hash_seed)}
        command = [sys.executable, "-W", "error", "-c", PROGRAM, str(n_jobs)]
        path = os.pathsep.join([str(Path(nl.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(
            command, env={**os.environ, **variables, "PYTHONPATH": path}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        found[name] = dict(line.rsplit(" ", 1) for line in done.stdout.splitlines())  # drawing -> hash
    one, *others = found.values()
    assert len(one) == 9
    assert 200**2 < NUMPY_PAIRS < 1200**2  # drawn on NumPy and in compiled loops
    for other in others:
        assert other == one


SPATIAL = nx.random_geometric_graph(900, 0.06, seed=1)
TABLE = np.random.default_rng(0).standard_normal((700, 10))
# Name -> (a drawing by n_jobs, whether it is full): parts of the package that the program above leaves out.
ON_THREADS = {
    "crossings": (lambda k: drawing(nx.balanced_tree(3, 5), "auto", seed=0, n_jobs=k), False),
    "hops": (lambda k: drawing(nx.grid_2d_graph(20, 20), "tsnet", perplexity=10, seed=0, max_iter=5, n_jobs=k), False),
    "random walks": (lambda k: drawing(SPATIAL, "ws-sne", smoothing=0.9, seed=1, max_iter=10, n_jobs=k), True),
    "chosen alpha": (lambda k: drawing(SPATIAL, "alpha-sne", alpha="auto", seed=0, max_iter=5, n_jobs=k), True),
    "distances of rows": (lambda k: nl.embed(TABLE, random_state=0, n_jobs=k), True),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.full if full else ()) for name, (_, full) in ON_THREADS.items()]
)
def test_threads_change_no_bit(name):
    draw, before = ON_THREADS[name][0], TABLE.copy()
    assert np.array_equal(draw(1), draw(3))
    assert np.array_equal(TABLE, before)


def drawing(G, method="ws-sne", **options) -> np.ndarray:
    return np.array(list(nl.layout(G, method, **options).values()))


@pytest.mark.parametrize("method", ["ws-sne", "linlog", "auto"])
def test_different_seeds_differ(method):
    G = nx.les_miserables_graph()
    found = {hashlib.sha256(drawing(G, method, seed=seed, max_iter=10).tobytes()).hexdigest() for seed in range(3)}
    assert len(found) == 3


def test_no_seed_is_a_fresh_one():
    G = nx.les_miserables_graph()
    assert not np.array_equal(drawing(G, max_iter=5), drawing(G, max_iter=5))


def test_seeds_of_every_kind():
    G = nx.karate_club_graph()
    expected = drawing(G, seed=3, max_iter=5)
    assert np.array_equal(drawing(G, seed=np.int64(3), max_iter=5), expected)
    assert np.array_equal(drawing(G, seed=np.random.default_rng(3), max_iter=5), expected)
    one, two = (drawing(G, seed=np.random.RandomState(3), max_iter=5) for _ in range(2))
    assert np.array_equal(one, two)
    generator, state = np.random.default_rng(3), np.random.RandomState(3)
    for source in (generator, state):  # passed twice, they go on
        assert not np.array_equal(drawing(G, seed=source, max_iter=5), drawing(G, seed=source, max_iter=5))


def test_neither_global_random_state_nor_calls_before_count():
    G = nx.les_miserables_graph()
    np.random.seed(0)  # noqa: NPY002  the legacy state is what is tested
    before = np.random.rand(3)  # noqa: NPY002  see above
    np.random.seed(0)  # noqa: NPY002  see above
    first = drawing(G, seed=1, max_iter=5)
    assert np.array_equal(np.random.rand(3), before)  # noqa: NPY002  see above
    np.random.seed(99)  # noqa: NPY002  see above
    drawing(nx.star_graph(50), "tsne", seed=2)
    drawing(G, "gamma-quadlog", seed=1)
    assert np.array_equal(drawing(G, seed=1, max_iter=5), first)


@pytest.mark.parametrize("method", first(["ws-sne", "linlog", "gamma-quadlog", "ee"], 2))
def test_names_do_not_matter(method):
    """Node order decides, labels do not travel."""
    G = nx.karate_club_graph()
    named = nx.relabel_nodes(G, {v: f"member {97 - v}" for v in G})
    assert np.array_equal(drawing(named, method, seed=4), drawing(G, method, seed=4))


@pytest.mark.full
@pytest.mark.parametrize("method", ["ws-sne", "gamma-quadlog", "linlog", "ee", "tsne"])
def test_a_converged_drawing_does_not_depend_on_the_order_of_nodes(method):
    """Relabeling invariance of the objective: started from the same places, permuted nodes end at the same ones."""
    G = nx.les_miserables_graph()
    start = nl.layout(G, method, seed=0)
    order = list(G)
    np.random.default_rng(5).shuffle(order)
    H = nx.Graph()
    H.add_nodes_from(order)
    H.add_edges_from(reversed(list(G.edges(data=True))))
    kept = {"pos": start, "fixed": order[:3], "seed": 0, "max_iter": 3}
    one, two = nl.layout(G, method, **kept), nl.layout(H, method, **kept)
    assert max(np.abs(one[node] - two[node]).max() for node in G) < 1e-6


def test_value_does_not_depend_on_the_order_of_nodes():
    G = nx.les_miserables_graph()
    start = nl.ws_sne_layout(G, seed=0)
    H = nx.Graph()
    H.add_nodes_from(reversed(list(G)))
    H.add_edges_from(G.edges(data=True))
    values = [nl.solve(X, "ws-sne", pos=start, max_iter=0).value for X in (G, H)]
    assert values[0] == pytest.approx(values[1], rel=1e-12)


def side_by_side(arrays: list[np.ndarray], seed: int) -> list[np.ndarray]:
    """Copies of arrays in one piece of memory, in another order and with other gaps for each seed."""
    rng = np.random.default_rng(seed)
    memory = np.zeros(sum(a.nbytes + 64 for a in arrays) + 64, dtype=np.uint8)
    at = 8 * int(rng.integers(8))
    copies = {}
    for k in rng.permutation(len(arrays)):
        copies[k] = memory[at : at + arrays[k].nbytes].view(arrays[k].dtype).reshape(arrays[k].shape)
        copies[k][...] = arrays[k]
        at += 8 * (-(-arrays[k].nbytes // 8) + int(rng.integers(4)))
    return [copies[k] for k in range(len(arrays))]


def bits_in_every_place(arrays: list[np.ndarray], run) -> set[bytes]:
    """Bits that a loop leaves in its arrays and returns, wherever they lie."""
    found = set()
    for seed in range(12):
        placed = side_by_side(arrays, seed)
        answer = run(*placed)
        found.add(b"".join(a.tobytes() for a in placed) + repr(answer).encode())
    return found


GRAPH = nx.to_scipy_sparse_array(nx.barabasi_albert_graph(700, 5, seed=1), dtype=float)
PLACES = np.random.default_rng(0).standard_normal((700, 3))


# Loops that read and write look at run time whether their arrays overlap, and sum in another order if they seem to.
@pytest.mark.parametrize("form", edge_loops.FORMS)
@pytest.mark.parametrize("d", [2, 3])
def test_sums_over_edges_do_not_depend_on_where_arrays_lie(form, d):
    room = np.zeros((3 + d, 2048))
    Y, owner = PLACES[:, :d].copy(), np.arange(700)

    def run(indptr, indices, factor, Y, log_lam, owner, values, slopes, pull, weights, room):
        edge_loops.POWER_SUMS[form, d == 2](
            indptr, indices, factor, 1.0, Y, 1.0, 1.0, 0.5, log_lam, owner, 0.7, 0, 700, True, True, values, slopes,
            pull, weights, room
        )

    sums = [np.zeros(700), np.zeros(700), np.zeros_like(Y), np.zeros(GRAPH.nnz)]
    arrays = [GRAPH.indptr, GRAPH.indices, GRAPH.data, Y, PLACES[:, 0].copy(), owner, *sums, room]
    assert len(bits_in_every_place(arrays, run)) == 1


def test_sums_over_equal_edges_do_not_depend_on_where_arrays_lie():
    def run(indptr, indices, Y, pull, sums):
        return edge_loops.equal_logarithms(
            indptr, indices, Y, 1.0, 1.0, 0.5, 0.3, 0, 700, True, pull, True, sums
        )

    arrays = [GRAPH.indptr, GRAPH.indices, PLACES[:, :2].copy(), np.zeros((700, 2)), np.zeros(700)]
    assert len(bits_in_every_place(arrays, run)) == 1


def test_sums_over_rows_do_not_depend_on_where_arrays_lie():
    def run(stored, q, factors, Y, before, sums, moments, out):
        for k, (low, high) in enumerate([(0, 301), (301, 700)]):
            vector_loops.dots(stored, q, 3 * low, 3 * high, sums[k])
            vector_loops.add(out, stored, factors, 3 * low, 3 * high)
            vector_loops.spread(Y, before, 0.7, 1.3, low, high, moments[k])

    rng, flat = np.random.default_rng(1), PLACES.reshape(-1).copy()
    arrays = [
        rng.normal(size=(5, 2100)), flat, rng.normal(size=5), PLACES.copy(), PLACES[::-1].copy(), np.zeros((2, 5)),
        np.zeros((2, 4)), flat.copy(),
    ]
    assert len(bits_in_every_place(arrays, run)) == 1


@pytest.mark.parametrize(("kind", "form"), list(product(COSTS, law_loops.FORMS)))
def test_sums_over_pairs_do_not_depend_on_where_arrays_lie(kind, form):
    add = pair_loops.pair_sums(kind, form)

    def run(points, charges, at, own, potential, force):
        add(points, charges, 1.0, 1.0, 0.5, 1.0, at, own, 0, 700, potential, force)

    points = PLACES.T.copy()
    arrays = [points, np.ones(700), points, np.arange(700), np.zeros(700), np.zeros((3, 700))]
    assert len(bits_in_every_place(arrays, run)) == 1


@pytest.mark.parametrize("kind", COSTS)
def test_sums_over_near_pairs_do_not_depend_on_where_arrays_lie(kind):
    add = near_loops.near_sums(kind, "power", np.float32)

    def run(X, Y, charges, starts, smooth, potential, fx, fy, room):
        add(X, Y, charges, starts, 2, 1, 9.0, 1.0, 1.0, 0.5, 1.0, smooth, 0, 1, potential, fx, fy, room)

    starts, sums = np.array([0, 301, 700], dtype=np.int32), [np.zeros(700) for _ in range(3)]
    room = np.zeros((3, near_loops.most_near(starts, 2)), dtype=np.float32)
    arrays = [PLACES[:, 0].copy(), PLACES[:, 1].copy(), np.ones(700), starts, np.ones(4), *sums, room]
    assert len(bits_in_every_place(arrays, run)) == 1
