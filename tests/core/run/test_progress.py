"""The progress bar: what its line says, that its bound holds, and where there is no width to draw it in."""

import math
import os
import re
import sys
from itertools import groupby

import networkx as nx
import numpy as np
import pytest
from tables import thinned

import nelayout as nl
from nelayout.core.catalogue import METHODS
from nelayout.core.record import progress

GRAPHS = {
    "grid": nx.grid_2d_graph(7, 7),
    "sheet": nx.random_geometric_graph(900, 0.06, seed=0),
    "hubs": nx.barabasi_albert_graph(1200, 2, seed=0),
    "trees": nx.disjoint_union_all([nx.random_labeled_tree(8 + k % 50, seed=k) for k in range(40)]),
}


class Noted(progress.Bar):
    """A bar that keeps what it counts: (most, done) of each drawing."""

    made: list[list[int]] = []  # noqa: RUF012  # a fresh one for each test

    def __init__(self, name):
        super().__init__(name)
        self.line.mininterval = self.line.miniters = 0  # every step is shown
        Noted.made = []

    def begin(self, steps):
        super().begin(steps)
        self.made.append([steps, 0])

    def step(self, stage, value):
        super().step(stage, value)
        self.made[-1][1] += 1


@pytest.fixture
def counted(monkeypatch, capsys):
    """Draw with a progress bar: (most, done) of each drawing, and the lines that were shown."""
    monkeypatch.setattr(progress, "Bar", Noted)

    def draw(G, method, **how):
        nl.layout(G, method, seed=0, progress=True, **how)
        return Noted.made, capsys.readouterr().err.replace("\r", "\n").splitlines()

    return draw


@pytest.mark.parametrize(
    ("graph", "method"),
    [
        *thinned(GRAPHS, ["auto", "gamma-quadlog"], plain=lambda graph, _: graph == "grid"),
        *(pytest.param("grid", method, marks=pytest.mark.full) for method in METHODS),
        *(pytest.param("trees", method, marks=pytest.mark.full) for method in ("tsne", "linlog")),
    ],
)
def test_no_drawing_takes_more_steps_than_the_bar_says(counted, graph, method):
    for how in ({}, {"max_iter": 7}, {"optimizer": "momentum", "max_iter": 9}):
        made, _ = counted(GRAPHS[graph], method, **how)
        assert len(made) == 1
        most, done = made[0]
        assert 0 < done <= most < (3 * done + 200 if graph == "trees" and "optimizer" not in how else math.inf)


@pytest.mark.parametrize("G", [GRAPHS["grid"], nx.disjoint_union(nx.grid_2d_graph(8, 8), nx.path_graph(40))], ids=len)
def test_the_line_names_method_stage_most_steps_of_all_components_and_j(counted, G):
    trace = []
    ((most, done),), lines = counted(G, "gamma-quadlog", callback=lambda state: trace.append(f"J {state.value:.6g}]"))
    assert done <= most == nl.plan(G, "gamma-quadlog").steps
    assert any(line.startswith(f"gamma-quadlog, levels: 1 of at most {most} steps |") for line in lines)
    shown = [line.rstrip().rpartition(", ")[2] for line in lines if ", J " in line]
    assert list(dict.fromkeys(shown)) == list(dict.fromkeys(trace))
    assert lines[-1].startswith(f"gamma-quadlog: {done} steps [00:0")
    assert lines[-1].rstrip().endswith(" steps/s]")


def test_a_bound_that_was_wrong_is_taken_back(capsys):
    bar = progress.Bar("it")
    bar.begin(2)
    for _ in range(5):
        bar.step("goes on", 1.0)
    bar.close()
    said = capsys.readouterr().err.replace("\r", "\n").splitlines()
    assert said[-1].startswith("it: 5 steps [")
    assert not any("?" in line for line in said if "at most" in line)


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs pseudo-terminals")
@pytest.mark.parametrize("size", [(0, 0), (0, 80), (24, 0), (24, 60)])
def test_a_terminal_that_says_it_is_0_wide_shows_the_line(monkeypatch, size):
    import fcntl
    import struct
    import termios

    outer, inner = os.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    with os.fdopen(inner, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        nl.ws_sne_layout(nx.path_graph(9), seed=0, progress=True, max_iter=3)
        terminal.flush()
        said = ""
        while "\n" not in said:  # the bar leaves its line behind
            said += os.read(outer, 100_000).decode()
    os.close(outer)
    lines = [line for line in said.replace("\r", "\n").splitlines() if line.strip()]
    assert re.match(r"ws-sne: [1-9]\d* steps \[", lines[-1])
    assert all(len(line) <= 80 for line in lines)


@pytest.mark.full
def test_the_log_tells_stages_and_the_end(caplog):
    G = nx.les_miserables_graph()
    with caplog.at_level("DEBUG", logger="nelayout"):
        solution = nl.solve(G, "ws-sne", seed=0)
    lines = [record.getMessage() for record in caplog.records]
    assert all(record.name == "nelayout" for record in caplog.records)
    assert lines[0] == "ws-sne of 77 nodes, 254 edges, 1 components"
    told = [line.rsplit(": ", 1)[0] for line in lines if " steps, J " in line]
    assert told == [stage for stage, _ in groupby(step.stage for step in solution.trace)]
    steps = [int(line.rsplit(": ", 1)[1].split()[0]) for line in lines if " steps, J " in line]
    assert sum(steps) == len(solution.trace)
    assert f"ws-sne: {solution.reason}, J = {solution.value:.6g}" in lines[-1 - len(solution.notes)]
    caplog.clear()
    nl.solve(G, "ws-sne", seed=0)
    assert not caplog.records


@pytest.mark.parametrize(
    ("graph", "how"),
    [
        ("grid", {}), ("grid", {"method": "alpha-sne", "alpha": "auto"}),
        ("trees", {"method": "ws-sne"}), ("trees", {"method": "ws-sne", "time_limit": 60.0}),
    ],
)
def test_callbacks_see_the_planned_work_that_is_over(graph, how):
    seen = []
    few = nx.disjoint_union_all([nx.random_labeled_tree(8 + k, seed=k) for k in range(5)])
    nl.layout(few if graph == "trees" else GRAPHS[graph], seed=0, callback=seen.append, **how)
    done, total, left = np.array([(state.done, state.total, state.seconds_left) for state in seen]).T
    assert (np.diff(done) >= 0).all()
    assert (done <= total).all()
    assert total[0] > 0
    assert np.isfinite(left).all()
    assert (left >= 0).all()
    assert done[-1] == total[-1]
    assert left[-1] == 0
    if "alpha" not in how:
        assert len(set(total)) == 1
        assert len(set(np.round(10 * done / total))) > 3  # it grows within passes


def test_callbacks_of_a_table_see_all_its_runs():
    seen = []
    X = np.random.default_rng(0).normal(size=(300, 5))
    nl.embed(X, "tsne", perplexity=20, perplexity_annealing=True, random_state=0, callback=seen.append)
    share = np.array([state.done / state.total for state in seen])
    assert any(state.stage.startswith("perplexity") for state in seen)
    assert (np.diff(share) >= -1e-12).all()
    assert share[0] < 0.2
    assert share[-1] == 1
