"""A limit of time gives a cheaper plan, and at the limit a whole drawing."""

import math
import signal
import time
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest

import nelayout as nl
from nelayout.cli import main
from nelayout.core.record.progress import Observer
from nelayout.core.run.budget import PLANNED

MESH, TREE = nx.grid_2d_graph(20, 30), nx.random_labeled_tree(400, seed=3)
HUBS = nx.barabasi_albert_graph(700, 2, seed=1)
SEVERAL = nx.disjoint_union_all([nx.path_graph(n) for n in range(3, 30)])
GRAPHS = {"mesh": MESH, "tree": TREE, "hubs": HUBS, "several": SEVERAL}
METHODS = ("auto", "ws-sne", "nerv", "linlog", "mds-ks")


class Clock:
    """A clock on which every look takes the same time."""

    def __init__(self, tick: float) -> None:
        self.now, self.tick = 0.0, tick

    def __call__(self) -> float:
        self.now += self.tick
        return self.now


def drawing_seconds(plan) -> float:
    """Forecast seconds without loops, which only a new process loads."""
    return sum(each.seconds for each in plan.passes if "loops" not in each.name)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("graph", GRAPHS)
def test_a_larger_limit_never_plans_less_and_the_full_plan_comes_back(graph, method):
    full = nl.plan(GRAPHS[graph], method, n_jobs=1)
    most = drawing_seconds(full)
    plans = [nl.plan(GRAPHS[graph], method, n_jobs=1, time_limit=k * most) for k in (1e-3, 0.3, 0.6, 1.0, 2.0)]
    seconds = [drawing_seconds(plan) for plan in plans]
    assert seconds == sorted(seconds)
    assert plans[-1].passes == full.passes
    assert seconds[0] < 0.9 * most
    assert all(plan.steps > 0 for plan in plans)


def test_passes_leave_in_order_of_worth():
    def names(limit: float) -> set[str]:
        return {each.name for each in nl.plan(TREE, time_limit=limit).passes}

    full = nl.plan(TREE, n_jobs=1)
    untangled = sum(each.seconds for each in full.passes if "radial" in each.name or each.name == "untangle")
    assert "from a radial drawing" in names(10.0)
    without = names((drawing_seconds(full) - untangled / 2) / PLANNED)
    assert "from a radial drawing" not in without
    assert "emphasis" in without
    assert not {"emphasis", "tail x 0.5"} & names(0.01)


@pytest.mark.parametrize("G", [nx.barabasi_albert_graph(300, 3, seed=0), MESH])
def test_plans_without_comparison_end_with_the_whole_tail(G):
    """Lighter tails draw hubs as a blur. Where time allows, they lead to the last one."""
    plans = [[each.name for each in nl.plan(G, time_limit=t).passes] for t in np.geomspace(1e-3, 10.0, 60)]
    short = [names for names in plans if "best drawing" not in names]
    assert {tuple(name for name in names if name.startswith(("tail", "descend"))) for names in short} == {
        ("tail x 0", "descend"), ("tail x 0", "tail x 0.5", "tail x 0.8", "descend"),
    }  # fmt: skip


@pytest.mark.parametrize("graph", GRAPHS)
def test_the_same_limit_gives_the_same_bits_and_a_long_one_all_of_them(graph, monkeypatch):
    monkeypatch.setattr(time, "perf_counter", Clock(0.0))  # the clock never strikes
    G = GRAPHS[graph]
    one, other, full, most = (nl.solve(G, seed=1, time_limit=limit) for limit in (0.05, 0.05, 1e6, None))
    assert all((one.positions[v] == other.positions[v]).all() for v in G)
    assert all((full.positions[v] == most.positions[v]).all() for v in G)
    assert full.notes == most.notes
    assert len(one.trace) < len(full.trace)
    assert any("time_limit=0.05" in note for note in one.notes)
    assert one.reason != "time_limit"


@pytest.mark.parametrize("tick", [1e-4, 1e-2, 2.0])
@pytest.mark.parametrize("method", ["auto", "ws-sne", "linlog"])
def test_a_slow_machine_still_gives_a_place_to_every_node(method, tick, monkeypatch):
    for G in (MESH, TREE, SEVERAL):
        clock = Clock(tick)
        monkeypatch.setattr(time, "perf_counter", clock)
        solution = nl.solve(G, method, seed=0, time_limit=1.0, n_jobs=1)
        Y = np.array([solution.positions[v] for v in G])
        assert np.isfinite(Y).all()
        assert len(np.unique(Y, axis=0)) == len(Y)
        assert math.isfinite(solution.value)
        assert (solution.reason == "time_limit") or clock.now < 1.0
        assert tick < 1e-2 or solution.reason == "time_limit"


def test_every_pass_gets_its_part_of_a_short_time(monkeypatch):
    """On a machine three times as slow as planned, the last stage is reached all the same."""
    clock, record = Clock(0.0), Observer.record

    def slow(self, *step):
        clock.now += 1.0
        record(self, *step)

    monkeypatch.setattr(time, "perf_counter", clock)
    monkeypatch.setattr(Observer, "record", slow)
    full = nl.solve(MESH, "ws-sne", seed=0, n_jobs=1)
    clock.now = 0.0
    cut = nl.solve(MESH, "ws-sne", seed=0, time_limit=len(full.trace) / 3, n_jobs=1)
    assert cut.reason == "time_limit"
    assert cut.trace[-1].stage == "descend"
    assert len(cut.trace) < len(full.trace) / 2
    assert nl.measure(MESH, cut.positions)["neighborhood"].value > 0.9


def test_the_limit_of_rows_and_cells_is_the_same(monkeypatch):
    monkeypatch.setattr(time, "perf_counter", Clock(0.0))
    X = np.random.default_rng(0).standard_normal((500, 6))
    short, full = (nl.solve_vectors(X, random_state=0, time_limit=limit) for limit in (0.05, None))
    assert len(short.trace) < len(full.trace) / 2
    assert np.isfinite(short.positions).all()
    graph = nl.knn_graph(X)
    cells = SimpleNamespace(obsp={"connectivities": graph}, obsm={}, uns={}, obs={})
    nl.embed_cells(cells, time_limit=0.05)
    assert "time_limit=0.05" in cells.uns["nelayout"]["notes"]


def test_snapshots_share_a_limit(monkeypatch):
    monkeypatch.setattr(time, "perf_counter", Clock(0.0))
    graphs = [MESH, nx.grid_2d_graph(20, 31)]
    film = nl.layout_sequence(graphs, "ws-sne", seed=0, time_limit=0.1)
    assert any("time_limit=0.05" in note for note in film.notes)


def test_ctrl_c_in_the_shell_writes_the_drawing_so_far(tmp_path, monkeypatch, capsys):
    nx.write_edgelist(nx.convert_node_labels_to_integers(MESH), tmp_path / "mesh.edges", data=False)
    record = Observer.record

    def interrupted(self, *step):
        record(self, *step)
        if len(self.trace) == 40:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Observer, "record", interrupted)
    monkeypatch.chdir(tmp_path)
    assert main(["layout", "mesh.edges", "-m", "ws-sne", "-o", "mesh.csv"]) == 130
    said = capsys.readouterr().err
    assert said.splitlines()[-1] == "nelayout: interrupted: mesh.csv holds the drawing so far"
    drawn = np.genfromtxt(tmp_path / "mesh.csv", delimiter=",", skip_header=1)[:, 1:]
    assert drawn.shape == (len(MESH), 2)
    assert len(np.unique(drawn, axis=0)) == len(MESH)
    monkeypatch.setattr(Observer, "record", record)
    assert main(["layout", "mesh.edges", "--time-limit", "0.05", "-o", "again.csv"]) == 0
    assert "a larger --time-limit takes more" in capsys.readouterr().err
    assert main(["layout", "mesh.edges", "--time-limit", "-1", "-o", "never.csv"]) == 1
    assert "--time-limit must be none or a number of seconds > 0" in capsys.readouterr().err


@pytest.mark.parametrize("limit", [0, -1.0, math.nan, math.inf, "2", True])
def test_a_limit_that_is_no_time_is_refused(limit):
    with pytest.raises(nl.InputError, match=r"time_limit must be None or a number of seconds > 0; got .*Leave it out"):
        nl.layout(MESH, time_limit=limit)
    with pytest.raises(nl.InputError, match="time_limit must be None or a number"):
        nl.embed(np.eye(5), time_limit=limit)


def test_positions_under_auto_get_a_whole_last_stage():
    pos = nx.spring_layout(HUBS, seed=1)
    assert len(nl.solve(HUBS, "auto", pos, seed=0, tol=0.0).trace) > 200


def test_a_note_names_the_stages_that_given_positions_leave_out():
    stages = (nl.Descend("early", 20, exaggeration=4.0), nl.Descend("middle", 20), nl.Descend("late", 20))
    own, pos = nl.method("tsne", stages=stages), nx.spring_layout(MESH, seed=1)
    solution = nl.solve(MESH, own, pos, seed=0)
    (note,) = (each for each in solution.notes if each.startswith("pos "))
    assert "'late': nelayout leaves out 'early', 'middle'" in note
    assert {step.stage for step in solution.trace} == {"late"}
    for method, start in ((own, None), ("tsne", pos), ("auto", pos), ("drgraph", pos)):
        assert not any("leaves out" in each for each in nl.solve(MESH, method, start, seed=0).notes)
