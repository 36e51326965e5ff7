"""Runs side by side, after a fork and one after the other: each gives the bits that it gives alone, and leaves nothing.

The graphs are larger than what NumPy sums and what is summed pair by pair: compiled loops, meshes, their Fourier
transforms and the threads of a run are all at work.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import nelayout as nl
from nelayout.core.passes.drawing import NUMPY_PAIRS
from nelayout.core.sums.nbody import backend
from nelayout.core.sums.nbody.auto import Auto
from nelayout.numerics.parallel import Threads

SMALL_WORLD = nx.connected_watts_strogatz_graph(2000, 6, 0.05, seed=1)
GRID = nx.convert_node_labels_to_integers(nx.grid_2d_graph(45, 45))
# Name -> a run of a few steps in every stage.
RUNS: dict[str, Callable[[], nl.Solution]] = {
    "small world": lambda: nl.solve(SMALL_WORLD, "ws-sne", seed=3, max_iter=12, n_jobs=2),
    "grid": lambda: nl.solve(GRID, "gamma-quadlog", seed=4, max_iter=8, n_jobs=2),
    "auto": lambda: nl.solve(GRID, "auto", seed=5, max_iter=6, n_jobs=2),
    "small": lambda: nl.solve(nx.les_miserables_graph(), "ws-sne", seed=6, max_iter=20),
}


def bits(solution: nl.Solution) -> tuple[bytes, bytes, float]:
    """All that a run finds: the positions, each node's cost and the value."""
    return np.array(list(solution.positions.values())).tobytes(), solution.node_cost.tobytes(), solution.value


def side_by_side(names: list[str]) -> list[tuple[bytes, bytes, float]]:
    """The runs, each on a Python thread of its own, begun together."""
    together = threading.Barrier(len(names))

    def run(name: str) -> tuple[bytes, bytes, float]:
        together.wait()
        return bits(RUNS[name]())

    with ThreadPoolExecutor(len(names)) as pool:
        return list(pool.map(run, names))


@pytest.fixture(scope="module")
def alone() -> dict[str, tuple[bytes, bytes, float]]:
    return {name: bits(run()) for name, run in RUNS.items()}


def test_these_runs_meet_fast_sums_and_compiled_loops():
    """What the tests below are about: both sizes are compiled, and their sums are not over all pairs."""
    threads = Threads()
    auto = backend("auto", threads, compiled=True)
    assert isinstance(auto, Auto)
    for G in (SMALL_WORLD, GRID):
        assert len(G) ** 2 > NUMPY_PAIRS
        even = np.sqrt(len(G)) * np.random.default_rng(0).random((len(G), 2))
        assert auto.choose(even).name == "mesh"


@pytest.mark.full
@pytest.mark.parametrize(
    "names", [["small world", "grid", "grid"], ["auto", "small world", "small"]], ids=" and ".join
)
def test_graphs_drawn_at_once_come_out_as_alone(alone, names):
    assert side_by_side(names) == [alone[name] for name in names]


@pytest.mark.full
def test_a_layout_in_a_callback_of_another_comes_out_as_alone(alone):
    """Runs may be nested: a callback may draw another graph while its own run waits."""
    inner = []

    def callback(state) -> None:
        if state.iteration == 30:
            inner.append(bits(RUNS["small world"]()))

    outer = nl.solve(GRID, "gamma-quadlog", seed=4, max_iter=8, n_jobs=2, callback=callback)
    assert bits(outer) == alone["grid"]
    assert inner == [alone["small world"]]


class Odd(Exception):
    pass


@pytest.mark.parametrize("end", ["finished", "stopped", "error"])
def test_no_thread_outlives_its_run(end):
    before = set(threading.enumerate())
    seen: list[int] = []

    def callback(state):
        seen.append(len(set(threading.enumerate()) - before))
        if seen[-1] and end == "error":
            raise Odd
        return seen[-1] and end == "stopped"

    def draw() -> None:
        nl.solve(SMALL_WORLD, "ws-sne", seed=3, max_iter=12, n_jobs=3, callback=callback)

    if end == "error":
        with pytest.raises(Odd):
            draw()
    else:
        draw()
    assert 1 <= max(seen) <= 2  # the caller works too: three jobs take at most two more threads
    assert set(threading.enumerate()) == before


# A parent draws, which leaves Fourier transforms' and compiled loops' state behind, then forks. In a process of its
# own, so that pytest's is not forked.  Python warns of forks where threads are alive: an error in the first way.
FORKED = """
import hashlib, os, sys, threading
import networkx as nx, numpy as np
import nelayout as nl

G = nx.connected_watts_strogatz_graph(2000, 6, 0.05, seed=1)

def draw(seed=3, callback=None):
    pos = nl.layout(G, "ws-sne", seed=seed, max_iter=8, n_jobs=2, callback=callback)
    return hashlib.sha256(np.array(list(pos.values())).tobytes()).hexdigest()

if __name__ == "__main__":
    before = draw()
    if sys.argv[1] in ("os.fork", "os.fork within a run"):
        reader, writer = os.pipe()
        child, within = None, sys.argv[1] == "os.fork within a run"

        def fork(state):
            global child
            if child is None and threading.active_count() > 1:
                child = os.fork()

        if within:
            inside = draw(callback=fork)  # both go on with the run
        else:
            child = os.fork()
        if child == 0:
            os.write(writer, (inside if within else draw()).encode())
            os._exit(0)
        os.close(writer)
        inside = os.read(reader, 1000).decode()
        assert os.waitpid(child, 0)[1] == 0
    else:
        from multiprocessing import get_context
        with get_context(sys.argv[1]).Pool(2) as pool:
            inside, other = pool.map(draw, [3, 3], chunksize=1)
        assert inside == other
    assert before == draw()
    print(before, inside)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.full
@pytest.mark.parametrize("way", ["fork", "os.fork", "os.fork within a run", "forkserver"])
def test_forked_children_draw_as_their_parent(tmp_path, way):
    script = tmp_path / "forked.py"
    script.write_text(FORKED)
    path = os.pathsep.join([str(Path(nl.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    # The other ways have threads of their own; a plain fork is warned of only if a run has left some.
    strict = ["-W", "error"] if way == "os.fork" else []
    command, environment = [sys.executable, *strict, str(script), way], {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    parent, child = done.stdout.split()
    assert child == parent
