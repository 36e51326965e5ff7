"""A run that was interrupted goes on from its file, and ends with the bits of a run without an interruption."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import igraph
import networkx as nx
import numpy as np
import pytest
from tables import thinned

import nelayout as nl
from nelayout.cli import main
from nelayout.core.catalogue import METHODS
from nelayout.core.record.coding import decode, encode

GRAPHS = {
    "mesh": nx.grid_2d_graph(9, 14),
    "tree": nx.random_labeled_tree(110, seed=3),
    "planar": nx.triangular_lattice_graph(6, 6),
    "karate": nx.karate_club_graph(),
    "blocks": nx.stochastic_block_model([30, 30, 30], 0.25 * np.eye(3) + 0.02, seed=1),
    "several": nx.disjoint_union_all([nx.random_labeled_tree(12 + 7 * k, seed=k) for k in range(6)]),
}
KEPT = [name for name in METHODS if not METHODS[name].variational]


class Interruption(Exception):
    pass


def interrupting(at, count=1):
    """Return a callback that raises at a step, and a list of the steps that it has seen."""
    seen = []

    def callback(state):
        seen.append(state.iteration)
        if state.iteration >= at:
            raise Interruption

    return callback, seen


def interrupted(G, method, at, **how):
    """Draw a graph until a step."""
    callback, seen = interrupting(at)
    with pytest.raises(Interruption):
        nl.solve(G, method, callback=callback, **how)
    return seen


def record(solution):
    """Return all that two runs with the same bits share."""
    notes = [note for note in solution.notes if "the run went on" not in note]
    return (
        np.asarray(list(solution.positions.values())).tobytes(), solution.value, solution.reason, notes,
        [(step.iteration, step.value, step.stage) for step in solution.trace],
        [(ran.name, ran.steps, ran.depth) for ran in solution.passes],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("graph", "method"),
    thinned(GRAPHS, KEPT, plain=lambda graph, method: (graph, method) in (("several", "auto"), ("mesh", "sne"))),
)
def test_the_resumed_run_has_the_bits_of_the_whole_one(graph, method, tmp_path):
    G, file = GRAPHS[graph], tmp_path / "run"
    try:
        whole = nl.solve(G, method, seed=7)
    except nl.Unsupported:
        pytest.skip("the method cannot draw the graph")
    steps = len(whole.trace)
    for part in (0.2, 0.8):
        interrupted(G, method, int(part * steps), seed=7, checkpoint=file)
        interrupted(G, method, min(int(part * steps) + 9, steps - 1), seed=7, checkpoint=file, resume=True)
        assert record(nl.solve(G, method, seed=7, checkpoint=file, resume=True)) == record(whole)
        assert not file.exists()


@pytest.mark.parametrize("method", ["auto", "tsne"])
def test_no_step_is_taken_again(method, tmp_path):
    G, how = nx.grid_2d_graph(20, 20), {"seed": 1, "checkpoint": tmp_path / "run"}
    steps = len(nl.solve(G, method, seed=1).trace)
    for at in range(10, steps - 10, steps // 4):
        interrupted(G, method, at, **how, resume=True)
        assert interrupted(G, method, at + 1, **how, resume=True) in ([at, at + 1], [at + 1])


@pytest.mark.parametrize("optimizer", ["majorize", "momentum", "spectral-direction"])
def test_each_optimizer_goes_on(optimizer, tmp_path):
    G, how = nx.random_geometric_graph(600, 0.08, seed=1), {"seed": 1, "optimizer": optimizer, "max_iter": 30}
    G = G.subgraph(max(nx.connected_components(G), key=len))
    whole = nl.solve(G, "tsne", **how)
    interrupted(G, "tsne", len(whole.trace) - 9, checkpoint=tmp_path / "run", **how)
    assert record(nl.solve(G, "tsne", checkpoint=tmp_path / "run", resume=True, **how)) == record(whole)


@pytest.mark.parametrize(
    ("how", "at"),
    [
        ({"method": "alpha-sne", "alpha": "auto"}, 300),
        ({"method": "nerv", "components": "joint", "kappa": 0.5, "max_iter": 20}, 60),
        ({"method": "auto", "node_size": 0.02, "dim": 3}, 60),
        ({"method": "ftsne", "divergence": lambda t: (np.sqrt(t) - 1.0) ** 2}, 60),
    ],
)
def test_other_ways_through_a_run_go_on(how, at, tmp_path):
    how = {"seed": 2, **how}
    G, method = GRAPHS["several" if "components" in how else "mesh"], how.pop("method")
    whole = nl.solve(G, method, **how)
    interrupted(G, method, min(at, len(whole.trace) - 2), checkpoint=tmp_path / "run", **how)
    assert record(nl.solve(G, method, checkpoint=tmp_path / "run", resume=True, **how)) == record(whole)


def test_a_fresh_seed_is_kept_too(tmp_path):
    file, G = tmp_path / "run", GRAPHS["mesh"]
    interrupted(G, "ws-sne", 60, checkpoint=file)
    copy = file.read_bytes()
    first = nl.solve(G, "ws-sne", checkpoint=file, resume=True)
    file.write_bytes(copy)
    assert record(nl.solve(G, "ws-sne", checkpoint=file, resume=True)) == record(first)


def test_generators_end_in_the_same_state(tmp_path):
    whole, resumed = np.random.default_rng(5), np.random.default_rng(5)
    G = GRAPHS["tree"]
    first = nl.solve(G, "ws-sne", seed=whole)
    interrupted(G, "ws-sne", 90, seed=np.random.default_rng(5), checkpoint=tmp_path / "run")
    again = nl.solve(G, "ws-sne", seed=resumed, checkpoint=tmp_path / "run", resume=True)
    assert record(again) == record(first)
    assert whole.random() == resumed.random()


def test_layouts_of_igraph_and_matrices_take_the_file(tmp_path):
    G, file = GRAPHS["mesh"], tmp_path / "run"
    for given in (igraph.Graph.from_networkx(G), nx.to_scipy_sparse_array(G)):
        callback, _ = interrupting(50)
        with pytest.raises(Interruption):
            nl.tsne_layout(given, seed=1, checkpoint=file, callback=callback)
        resumed = nl.tsne_layout(given, seed=1, checkpoint=str(file), resume=True)
        assert np.array_equal(np.asarray(resumed), np.asarray(nl.tsne_layout(given, seed=1)))


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"method": "tsne", "perplexity": 15, "perplexity_annealing": True},
        {"method": "auto", "n_neighbors": 8},
        {"method": "nerv", "init": "random"},
    ],
)
def test_rows_of_a_table_go_on_without_a_second_search(how, tmp_path, monkeypatch):
    rng, file = np.random.default_rng(0), tmp_path / "map"
    X = np.concatenate([rng.standard_normal((90, 6)), 4 + rng.standard_normal((90, 6))])
    X[5] = X[6]
    whole = nl.solve_vectors(X, random_state=3, **how)
    callback, _ = interrupting(len(whole.trace) // 2)
    with pytest.raises(Interruption):
        nl.embed(X, random_state=3, checkpoint=file, callback=callback, **how)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["map", "map.neighbors"]
    monkeypatch.setattr("nelayout.vectors.neighbors.NeighborIndex.nearest", None)
    resumed = nl.solve_vectors(X, random_state=3, checkpoint=file, resume=True, **how)
    assert np.array_equal(resumed.positions, whole.positions)
    assert [step.value for step in resumed.trace] == [step.value for step in whole.trace]
    assert not list(tmp_path.iterdir())


def test_a_run_that_its_callback_stops_keeps_its_file(tmp_path):
    file, G = tmp_path / "run", GRAPHS["tree"]
    whole = nl.solve(G, "auto", seed=1)
    stopped = nl.solve(G, "auto", seed=1, checkpoint=file, callback=lambda state: state.iteration >= 70)
    assert stopped.reason == "stopped"
    assert "resume=True goes on" in stopped.notes[0]
    assert record(nl.solve(G, "auto", seed=1, checkpoint=file, resume=True)) == record(whole)


def test_without_a_file_the_run_starts_anew_and_says_so(tmp_path):
    solution = nl.solve(GRAPHS["karate"], "tsne", seed=1, checkpoint=tmp_path / "run", resume=True)
    assert "started anew" in solution.notes[0]
    assert record(solution)[0] == record(nl.solve(GRAPHS["karate"], "tsne", seed=1))[0]
    assert not list(tmp_path.iterdir())


def test_the_rest_of_a_file_that_a_kill_interrupted_goes_away(begun):
    rest = begun.parent / f".{begun.name}.0a1b2c3d"
    rest.write_bytes(b"half")
    other = begun.parent / f".{begun.name}.notes"
    other.touch()
    nl.layout(GRAPHS["mesh"], "tsne", node_size=None, seed=1, checkpoint=begun, resume=True)
    assert list(begun.parent.iterdir()) == [other]


def test_a_short_run_writes_no_file(tmp_path, monkeypatch):
    monkeypatch.setattr("nelayout.layouts.checkpoint.LEAST_SECONDS", 1e6)  # also on a slow machine
    monkeypatch.setattr(os, "fsync", None)
    nl.layout(GRAPHS["karate"], seed=1, checkpoint=tmp_path / "run")
    assert not list(tmp_path.iterdir())


@pytest.fixture
def begun(tmp_path):
    """Return the file of a run of the mesh by t-SNE that did not end."""
    interrupted(GRAPHS["mesh"], "tsne", 40, seed=1, checkpoint=tmp_path / "run")
    return tmp_path / "run"


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"G": GRAPHS["tree"]}, "graph"), ({"method": "sne"}, "method"), ({"seed": 2}, "seed (1 then, 2 now)"),
        ({"seed": None}, "seed"), ({"max_iter": 9}, "max_iter (None then, 9 now)"), ({"mass": "degree"}, "mass"),
        ({"pos": nx.random_layout(GRAPHS["mesh"])}, "pos"), ({"time_limit": 60}, "time_limit"), ({"dim": 3}, "dim"),
        ({"method": nl.method("tsne", stages=(nl.Descend("all", 50),))}, "method"),
    ],
)  # fmt: skip
def test_another_call_is_refused_by_what_differs(changed, named, begun):
    call = {"G": GRAPHS["mesh"], "method": "tsne", "seed": 1, **changed}
    before = begun.read_bytes()
    with pytest.raises(nl.InputError, match=r"another call") as error:
        nl.solve(call.pop("G"), checkpoint=begun, resume=True, **call)
    assert f"Different: {named}" in str(error.value).replace("`", "")
    assert begun.read_bytes() == before


def test_arguments_that_change_no_bit_may_differ(begun):
    G = GRAPHS["mesh"]
    solution = nl.solve(G, "tsne", seed=1, checkpoint=begun, resume=True, n_jobs=1, callback=lambda _: None)
    assert record(solution) == record(nl.solve(G, "tsne", seed=1))


def test_an_unfinished_run_is_not_overwritten(begun):
    with pytest.raises(nl.InputError, match=r"resume=True to go on with it, or delete"):
        nl.solve(GRAPHS["mesh"], "tsne", seed=1, checkpoint=begun)


def test_a_file_of_another_version_is_refused(begun, monkeypatch):
    monkeypatch.setattr("nelayout.layouts.checkpoint.__version__", "99.0")
    with pytest.raises(nl.InputError, match=r"of nelayout .*, and this is 99"):
        nl.solve(GRAPHS["mesh"], "tsne", seed=1, checkpoint=begun, resume=True)


@pytest.mark.parametrize("part", [0.0, 0.01, 0.5, 0.999])
def test_each_damage_is_found(part, begun):
    content = begun.read_bytes()
    at = int(part * len(content))
    flipped = content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :]
    for damaged in (content[:at], flipped):
        begun.write_bytes(damaged)
        with pytest.raises(nl.InputError, match="damaged"):
            nl.solve(GRAPHS["mesh"], "tsne", seed=1, checkpoint=begun, resume=True)


@pytest.mark.parametrize(
    ("how", "error", "said"),
    [
        ({"resume": True}, nl.InputError, "checkpoint='FILE'"),
        ({"resume": "yes", "checkpoint": "run"}, TypeError, "True or False"),
        ({"checkpoint": 3}, TypeError, "path of a file"),
        ({"checkpoint": ""}, TypeError, "path of a file"),
        ({"checkpoint": "."}, nl.InputError, "is a folder"),
        ({"checkpoint": "nowhere/run"}, nl.InputError, "there is no folder nowhere"),
        ({"checkpoint": "/proc/run"}, nl.InputError, "can be written"),
        ({"checkpoint": "run", "method": "ftsne", "variational": True}, nl.Unsupported, "leave out checkpoint"),
    ],
)
def test_bad_arguments_are_refused_before_the_work(how, error, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if "variational" in how:
        pytest.importorskip("torch")
    if how.get("checkpoint") == "/proc/run" and not Path("/proc").is_dir():
        pytest.skip("a system without /proc")
    with pytest.raises(error, match=said):
        nl.layout(GRAPHS["mesh"], callback=lambda _: pytest.fail("work has begun"), **how)
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_said_once_and_the_run_goes_on(tmp_path, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("nelayout.layouts.checkpoint.LEAST_SECONDS", 0.0)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.warns(UserWarning, match="cannot be written") as caught:
        solution = nl.solve(GRAPHS["mesh"], "tsne", seed=1, checkpoint=tmp_path / "run")
    assert len(caught) == 1
    assert record(solution) == record(nl.solve(GRAPHS["mesh"], "tsne", seed=1))
    assert not list(tmp_path.iterdir())


def test_functions_that_draw_several_graphs_have_no_file():
    G = GRAPHS["karate"]
    for call in (lambda how: nl.layout_sequence([G], **how), lambda how: nl.add_nodes(G, {}, **how)):
        with pytest.raises(TypeError, match=r"keyword .*'checkpoint'"):
            call({"checkpoint": "run"})


def test_reading_makes_only_records_of_this_package():
    for path in ("os:system", "subprocess:Popen", "nelayout.layouts.checkpoint:os", "nelayout.cli:main"):
        with pytest.raises(TypeError, match="no record"):
            decode({"record": [path, {}]}, [])
    with pytest.raises(TypeError, match="cannot be stored"):
        encode([print], [])


def test_values_come_back_with_their_types_and_orders():
    values = [
        1, 2**90, True, None, 1.5, float("inf"), "a", (1, [2.0, {"b": (3,)}]), np.float32(0.1), np.float64(0.1),
        np.int64(3), np.bool_(True), nl.Method("gaussian", "beta:0.5"),
    ]  # fmt: skip
    for value in values:
        arrays = []
        form = json.loads(json.dumps(encode(value, arrays)))
        found = decode(form, arrays)
        assert found == value
        assert type(found) is type(value)


def positions_in(file):
    with np.load(file) as stored:
        return stored["positions"].tobytes()


def command(*words):
    return subprocess.Popen([sys.executable, "-m", "nelayout", *map(str, words), "--quiet"])


def drawn_in(tmp_path, graph):
    path = tmp_path / "graph.graphml"
    nx.write_graphml(nx.convert_node_labels_to_integers(graph), path)
    return path


def test_the_shell_goes_on_after_ctrl_c(tmp_path, monkeypatch):
    file, out = drawn_in(tmp_path, GRAPHS["tree"]), tmp_path / "out.npz"
    words = ["layout", str(file), "-o", str(out), "--quiet"]
    assert main(words) == 0
    whole, kept = positions_in(out), tmp_path / "run"
    from nelayout.core.record import progress

    record_step, steps = progress.Observer.record, []

    def after_some(self, *step):
        steps.append(1)
        if len(steps) == 80:
            signal.raise_signal(signal.SIGINT)
        record_step(self, *step)

    monkeypatch.setattr(progress.Observer, "record", after_some)
    assert main([*words, "--checkpoint", str(kept)]) == 130
    assert kept.exists()
    assert positions_in(out) != whole
    assert main([*words, "--checkpoint", str(kept), "--resume"]) == 0
    assert positions_in(out) == whole
    assert not kept.exists()


def test_the_file_stays_until_the_output_is_written(tmp_path, monkeypatch):
    file, out, kept = drawn_in(tmp_path, GRAPHS["karate"]), tmp_path / "out.csv", tmp_path / "run"

    def full(*_):
        raise OSError(28, "No space left on device", str(out))

    with monkeypatch.context() as broken:
        broken.setattr("nelayout.graphs.files.write_positions", full)
        assert main(["layout", str(file), "-o", str(out), "--checkpoint", str(kept)]) == 1
    assert kept.exists()
    assert main(["layout", str(file), "-o", str(out), "--checkpoint", str(kept), "--resume"]) == 0
    assert out.exists()
    assert not kept.exists()


def test_tables_in_the_shell_take_the_file(tmp_path):
    table, out = tmp_path / "table.csv", tmp_path / "out.npy"
    np.savetxt(table, np.random.default_rng(0).standard_normal((40, 4)), delimiter=",", header="a,b,c,d", comments="")
    words = ["embed", str(table), "-o", str(out), "--checkpoint", str(tmp_path / "run")]
    assert main([*words, "--resume"]) == 0
    assert np.array_equal(np.load(out), nl.embed(np.loadtxt(table, delimiter=",", skiprows=1), random_state=0))
    assert not (tmp_path / "run").exists()


@pytest.mark.full
@pytest.mark.parametrize("method", ["ws-sne", "sne", "auto"])
@pytest.mark.parametrize(
    "graph",
    [
        nx.random_labeled_tree(1500, seed=1), nx.grid_2d_graph(50, 50),
        nx.stochastic_block_model([250] * 5, 0.03 * np.eye(5) + 0.001, seed=1),
        nx.disjoint_union_all([nx.random_labeled_tree(40 + k % 200, seed=k) for k in range(150)]),
    ],
    ids=["tree", "mesh", "blocks", "components"],
)  # fmt: skip
def test_a_killed_process_goes_on(graph, method, tmp_path):
    file, out, kept = drawn_in(tmp_path, graph), tmp_path / "out.npz", tmp_path / "run"
    words = ["layout", file, "-m", method, "-o", out]
    began = time.monotonic()
    assert command(*words).wait() == 0
    seconds, whole, found = time.monotonic() - began, positions_in(out), 0
    out.unlink()
    for moment in range(10):
        process = command(*words, "--checkpoint", kept)
        while process.poll() is None and not kept.exists():
            time.sleep(0.01)
        try:
            process.wait(seconds * moment / 20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        found += kept.exists()
        assert command(*words, "--checkpoint", kept, "--resume").wait() == 0
        assert positions_in(out) == whole
        assert not kept.exists()
        out.unlink()
    assert found > 0
