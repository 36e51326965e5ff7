"""A second process compiles loops for the first drawing: the bits stay, and nothing depends on that process."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import nelayout as nl
from nelayout.core.formula.kernels import KERNELS, Radial
from nelayout.core.run.ahead import PROGRAM

PACKAGE = Path(nl.__file__).parent
# A script without a guard, so it must not be imported by the second process.  It prints a hash of the drawing, and the
# number of loops that it compiled itself.
SCRIPT = """
import hashlib, os, sys
import networkx as nx
import numpy as np
import nelayout as nl
from nelayout.numerics.loop_store import missed

os.sched_getaffinity = lambda _: range(int(os.environ["CORES"]))
sys.executable = os.environ.get("PYTHON", sys.executable)
G = nx.connected_watts_strogatz_graph(int(os.environ["NODES"]), 6, 0.05, seed=1)
pos = nl.layout(G, "ws-sne", seed=5, max_iter=40)
print(hashlib.sha256(np.array(list(pos.values())).tobytes()).hexdigest(), len(missed))
"""


def draw(folder: Path, **variables: str) -> tuple[str, int, dict[str, int]]:
    """Draw in a new process; the hash, the number of loops that it compiled, and all stored files with their times."""
    script = folder / "script.py"
    script.write_text(SCRIPT)
    cache = folder / "loops"
    environment = {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(PACKAGE.parent), "CORES": "2", "NODES": "400"}
    command = [sys.executable, "-X", "dev", str(script)]
    done = subprocess.run(
        command, env={**os.environ, **environment, **variables}, cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stderr in ("", "nelayout: compiling new loops and keeping them\n")
    ((drawn, compiled),) = map(str.split, done.stdout.splitlines())
    return drawn, int(compiled), {path.name: path.stat().st_mtime_ns for path in cache.glob("nelayout/*.nbc")}


def ending(folder: Path, lines: str) -> str:
    """Write a program in the place of Python."""
    path = folder / "python"
    path.write_text(f"#!{sys.executable}\n{lines}")
    path.chmod(0o755)
    return str(path)


@pytest.fixture(scope="module")
def alone(tmp_path_factory) -> tuple[str, int, dict[str, int]]:
    """Drawn on one core, where no second process starts."""
    return draw(tmp_path_factory.mktemp("alone"), CORES="1")


@pytest.mark.full
def test_a_second_process_compiles_some_loops_and_the_bits_stay(tmp_path):
    for folder in ("alone", "both"):
        (tmp_path / folder).mkdir()
    alone = draw(tmp_path / "alone", NODES="1500", CORES="1")
    drawn, compiled, stored = draw(tmp_path / "both", NODES="1500")
    assert (drawn, alone[1]) == (alone[0], len(alone[2]))
    assert compiled < alone[1]
    assert stored.keys() >= alone[2].keys()
    again = draw(tmp_path / "both", NODES="1500")
    assert again == (drawn, 0, stored)  # each loop is written once


@pytest.mark.full
@pytest.mark.skipif(os.name == "nt", reason="a program is a script with a first line")
@pytest.mark.parametrize("program", ["", "/nowhere/python3", "raise SystemExit(1)", "import time\ntime.sleep(600)"])
def test_a_second_process_that_fails_or_hangs_or_is_missing_changes_nothing(alone, tmp_path, program):
    known = program in ("", "/nowhere/python3")
    drawn, compiled, stored = draw(tmp_path, PYTHON=program if known else ending(tmp_path, program))
    assert (drawn, compiled, stored.keys()) == (alone[0], alone[1], alone[2].keys())


@pytest.mark.full
def test_the_second_process_ends_with_the_first_one(tmp_path):
    """It reads its work from a pipe, which closes however the first process ends."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(PACKAGE.parent)}
    helper = subprocess.Popen([sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, env=environment)
    assert helper.stdin is not None
    work = tuple(Radial(KERNELS["cauchy"], order) for order in range(1, 200))
    helper.stdin.write(pickle.dumps(sys.path) + pickle.dumps((work, 2000, 2)))
    helper.stdin.close()
    assert helper.wait(60) == 0
    assert len(list(tmp_path.rglob("*.nbc"))) < 5
