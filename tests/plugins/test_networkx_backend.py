"""The networkx backend: found by its entry points, light while networkx is imported, with the energy of its forces."""

import math
import os
import subprocess
import sys
import textwrap
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import nelayout as nl
from nelayout.plugins import networkx_info

pytest.importorskip("networkx", "3.5", reason="networkx has forceatlas2_layout from 3.5 on")
backend = pytest.importorskip("nelayout.plugins.networkx")
REPOSITORY = Path(__file__).resolve().parents[2]
KARATE = nx.karate_club_graph()
LOOPS = nx.MultiGraph([("a", "b", {"w": 2.0}), ("a", "b"), ("b", "c", {"w": 0.5}), ("c", "c"), ("c", "d")])


@pytest.fixture
def run(tmp_path):
    """Python code in a fresh process in which networkx finds the backend, warnings being errors."""
    groups = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["entry-points"]
    if not entry_points(group="networkx.backends", name="nelayout"):  # this Python has it not installed as it is now
        facts = tmp_path / "nelayout_as_it_stands-0.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: nelayout-as-it-stands\nVersion: 0\n")
        lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in each.items()) for group, each in groups.items()]
        (facts / "entry_points.txt").write_text("\n".join(lines))
    path = os.pathsep.join([str(tmp_path), str(REPOSITORY)])

    def done(code: str, *options: str, **environment: str) -> str:
        command = [sys.executable, "-W", "error", *options, *(["-c", textwrap.dedent(code)] if code else [])]
        env = {**os.environ, "PYTHONPATH": path, **environment}
        found = subprocess.run(command, capture_output=True, text=True, env=env, cwd=tmp_path, check=False)
        assert found.returncode == 0, found.stdout[-3000:] + found.stderr[-3000:]
        return found.stdout

    return done


def test_import_networkx_loads_no_more_than_plain_facts(run):
    loaded = run(
        """
        import sys
        import networkx as nx
        assert "nelayout" in nx.utils.backends.backends, nx.utils.backends.backends
        assert "forceatlas2_layout" in nx.utils.backends.backend_info["nelayout"]["functions"]
        print(*sorted(m for m in sys.modules if m.split(".")[0] in ("nelayout", "numpy", "scipy", "numba", "tqdm")))
        """
    )
    assert loaded.split() == ["nelayout", "nelayout.plugins", "nelayout.plugins.networkx_info"]


def test_networkx_calls_the_backend(run):
    """By its name, again without a warning, by the order of priority, and not for what it refuses."""
    run(
        """
        import networkx as nx, numpy as np
        from nelayout.plugins import networkx as ours
        G = nx.karate_club_graph()
        first = nx.forceatlas2_layout(G, seed=0, backend="nelayout", store_pos_as="here")
        again = nx.forceatlas2_layout(G, seed=0, backend="nelayout")
        assert all((first[v] == again[v]).all() and (first[v] == G.nodes[v]["here"]).all() for v in G)
        assert all((first[v] == p).all() for v, p in ours.forceatlas2_layout(G, seed=0).items())
        try:
            nx.forceatlas2_layout(G, backend="nelayout", distributed_action=True)
        except NotImplementedError as error:  # networkx's own word for what a backend refuses
            assert "for the given arguments" in str(error)
        else:
            raise AssertionError("distributed_action was taken")
        theirs = nx.forceatlas2_layout(G, seed=0, distributed_action=True)
        with nx.config(backend_priority=["nelayout"]):
            by_priority = nx.forceatlas2_layout(G, seed=0)
            fallen_back = nx.forceatlas2_layout(G, seed=0, distributed_action=True)
        assert all((first[v] == by_priority[v]).all() and (theirs[v] == fallen_back[v]).all() for v in G)
        """
    )


@pytest.mark.full
def test_networkx_s_own_tests_of_drawing_pass_with_the_backend(run):
    """Every function of ours in the place of networkx's; what we do not have falls back to it."""
    pytest.importorskip("matplotlib", reason="networkx tests its pictures by matplotlib")
    program = """
        import functools, pytest, sys
        import nelayout.plugins.networkx as ours
        calls, plain = [], ours.forceatlas2_layout
        ours.forceatlas2_layout = functools.wraps(plain)(lambda *a, **k: calls.append(1) or plain(*a, **k))
        code = pytest.main(["-q", "-p", "no:cacheprovider", "--pyargs", "networkx.drawing"])
        print("calls", len(calls))
        sys.exit(code)
    """
    words = {"NETWORKX_TEST_BACKEND": "nelayout", "NETWORKX_FALLBACK_TO_NX": "True", "MPLBACKEND": "Agg"}
    said = run(program, "-W", "default", **words)
    assert int(said.split("calls ")[-1]) > 3


def energy(G, pos, weight=None, node_mass=None):
    """By networkx's own matrix and degrees, as its function reads them."""
    A, nodes = nx.to_numpy_array(G, weight=weight), list(G)
    Y = np.array([pos[v] for v in nodes])
    m = np.array([(node_mass or {}).get(v, G.degree(v) + 1) for v in nodes])
    d = np.linalg.norm(Y[:, None] - Y, axis=-1)
    one, other = np.triu_indices(len(nodes), 1)
    pairs = np.sum(A[one, other] * d[one, other] ** 2 / 2 - 2 * m[one] * m[other] * np.log(d[one, other]))
    return float(pairs + np.sum(m * np.linalg.norm(Y - Y.mean(axis=0), axis=1)))


WEIGHED_TWICE = nx.DiGraph([(0, 1, {"w": 3.0}), (1, 0, {"w": 3.0}), (1, 2, {"w": 0.1}), (2, 1, {"w": 0.1})])
CASES = {
    "plain": (KARATE, {}), "weights": (KARATE, {"weight": "weight"}),
    "masses": (KARATE, {"node_mass": {0: 3.0, 33: 40.0, "nobody": 1.0}}), "loops": (LOOPS, {}),
    "parallel": (LOOPS, {"weight": "w"}), "pieces": (nx.disjoint_union(nx.cycle_graph(5), nx.empty_graph(2)), {}),
    "no edges": (nx.empty_graph(4), {}), "both ways": (nx.cycle_graph(6).to_directed(), {}),
    "weights both ways": (WEIGHED_TWICE, {"weight": "w"}),
}  # fmt: skip


@pytest.mark.parametrize(("G", "keywords"), CASES.values(), ids=CASES)
def test_the_energy_is_networkx_s_and_no_higher(G, keywords):
    ours = backend.forceatlas2_layout(G, seed=0, **keywords)
    theirs = nx.forceatlas2_layout(G, seed=0, max_iter=500, backend="networkx", **keywords)
    assert list(ours) == list(G)
    value = energy(G, ours, **keywords)
    assert value <= energy(G, theirs, **keywords) + 1e-6 * abs(value)
    for v in ours:  # and in a minimum of that energy: a step of any node by itself raises it
        for step in ([1e-2, 0.0], [0.0, 1e-2], [-1e-2, 0.0], [0.0, -1e-2]):
            assert energy(G, {**ours, v: ours[v] + step}, **keywords) > value - 1e-5 * abs(value)


def test_positions_to_start_from_have_their_dimension():
    start = {v: np.array([math.cos(v), math.sin(v), 0.1 * v]) for v in KARATE}
    assert {len(p) for p in backend.forceatlas2_layout(KARATE, pos=start, seed=0).values()} == {3}
    few = {0: np.array([0.0, 0.0]), 33: np.array([5.0, 0.0])}
    assert len(backend.forceatlas2_layout(KARATE, pos=few, seed=0, max_iter=5)) == 34
    kept = backend.forceatlas2_layout(KARATE, pos=start, max_iter=0)
    assert all(np.allclose(kept[v], start[v]) for v in KARATE)


def test_seeds_are_networkx_s():
    def drawn(seed):
        np.random.seed(7)  # noqa: NPY002  networkx's None is NumPy's own RandomState
        return np.array(list(backend.forceatlas2_layout(KARATE, seed=seed).values()))

    for seed in (lambda: 7, lambda: np.random.RandomState(7), lambda: np.random.default_rng(7), lambda: None):
        assert np.array_equal(drawn(seed()), drawn(seed()))


def test_tiny_graphs():
    assert backend.forceatlas2_layout(nx.Graph()) == {}
    assert {v: len(p) for v, p in backend.forceatlas2_layout(nx.Graph([("a", "a")])).items()} == {"a": 2}


@pytest.mark.parametrize(
    ("G", "keywords", "why"),
    [
        (KARATE, {"distributed_action": True}, "no energy has these forces"),
        (KARATE, {"node_size": {0: 3}}, "node_size makes the repulsion of each pair another function"),
        (KARATE, {"dim": 4}, "dim must be 1, 2 or 3; got 4"),
        (KARATE, {"gravity": -1}, "gravity must be >= 0; got -1"),
        (KARATE, {"scaling_ratio": 0}, "scaling_ratio must be > 0; got 0"),
        (KARATE, {"node_mass": {0: 0.0}}, "node_mass must be > 0"),
        (nx.Graph([(0, 1, {"w": -1})]), {"weight": "w"}, "w must be >= 0"),
        (nx.path_graph(3, nx.DiGraph), {}, "edges directed one way"),
        (nx.DiGraph([(0, 1, {"w": 2}), (1, 0, {"w": 1})]), {"weight": "w"}, "edges directed one way"),
        (nx.empty_graph(3), {"gravity": 0}, "gravity must be > 0 if the graph is not connected"),
        (KARATE, {"gravty": 1}, "unexpected keyword argument 'gravty'"),
    ],
)
def test_what_has_no_energy_is_refused_in_a_sentence(G, keywords, why):
    said = backend.can_run("forceatlas2_layout", (G,), keywords)
    assert isinstance(said, str)
    assert why in said
    if "gravty" not in keywords:
        with pytest.raises(nx.NetworkXError) as caught:
            backend.forceatlas2_layout(G, **keywords)
        assert str(caught.value) == said


def test_what_it_can_run_it_says():
    assert backend.can_run("forceatlas2_layout", (KARATE,), {"linlog": True}) is True
    assert backend.can_run("spring_layout", (KARATE,), {}) == "nelayout has no spring_layout"
    functions = networkx_info.get_info()["functions"]
    assert all(callable(getattr(backend, name)) for name in functions)


def test_the_layout_of_one_objective_is_the_same_drawing_and_leaves_the_graph():
    """The backend draws as the public function does, where that is asked for networkx's manners."""
    G, networkx_way = KARATE.copy(), {"weight": None, "components": "joint", "scale": None, "node_size": None}
    expected = nl.forceatlas2_layout(KARATE, **networkx_way, seed=np.random.RandomState(3))
    found = backend.forceatlas2_layout(G, seed=3)
    assert all((found[v] == expected[v]).all() for v in KARATE)
    assert (nx.to_dict_of_dicts(G), dict(G.nodes(data=True))) == (
        nx.to_dict_of_dicts(KARATE), dict(KARATE.nodes(data=True))
    )  # fmt: skip
