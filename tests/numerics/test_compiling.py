"""Compiled loops: all of them go by the decorators of one file, and stand in files that say so; none is ever stale."""

from __future__ import annotations

import ast
import hashlib
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import nelayout as nl
from nelayout.core.record.progress import observe
from nelayout.numerics import compiling, loop_store
from nelayout.numerics.notices import announce, listening

PACKAGE = Path(nl.__file__).parent
ONCE = "compiling new loops and keeping them"
# Two files of loops, of which one calls the other's.
INNER = "from nelayout.numerics.compiling import compiled_loop\n\n@compiled_loop\ndef inner(x):\n    return x + 1.0\n"
OUTER = (
    "from nelayout.numerics.compiling import compiled_loop\nfrom nelayout.numerics.inner_loops import inner\n\n"
    "@compiled_loop\ndef outer(x):\n    return 2.0 * inner(x)\n"
)
# Prints what the loop gives, the names of what was compiled for it, and the notices.
PROGRAM = """
from nelayout.numerics.notices import listening
from nelayout.numerics.outer_loops import outer
from nelayout.numerics.loop_store import missed
heard = []
with listening(heard.append):
    print(outer(1.0))
print(*sorted(name.split(".")[-1] for name in missed))
print(*dict.fromkeys(heard), sep="; ")
"""


def modules_imported(path: Path) -> set[str]:
    """Over all imports of a file, wherever in it they stand."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found


@pytest.mark.full
def test_numba_is_asked_in_one_file_and_loops_stand_in_files_that_say_so():
    imports = {path: modules_imported(path) for path in PACKAGE.rglob("*.py")}
    asking = [path.name for path, found in imports.items() if any(name.split(".")[0] == "numba" for name in found)]
    assert asking == ["compiling.py"]
    users = [path for path, found in imports.items() if "nelayout.numerics.compiling" in found]
    assert users
    assert [path.name for path in users if not path.stem.endswith("loops")] == []


def test_loops_are_made_of_loops():
    """Stored code is named by the source of these files: what another file puts into a loop could be stale."""
    own = {"nelayout.numerics.compiling"}
    for path in PACKAGE.rglob("*loops.py"):
        others = {module for module in modules_imported(path) if module.split(".")[0] == "nelayout"}
        assert {module for module in others - own if not module.endswith("loops")} == set(), path.name


def total(a):
    sum_ = 0.0
    for k in range(len(a)):
        sum_ += a[k] * a[k]
    return sum_


def test_an_exact_loop_rounds_as_python_does():
    a = np.random.default_rng(0).standard_normal(1000)
    assert compiling.exact_loop(total)(a) == total(a)
    assert np.isclose(compiling.compiled_loop(total)(a), total(a), rtol=1e-14)


def run(*command: str, cwd: Path | None = None, **variables: str) -> subprocess.CompletedProcess:
    """Run Python on a command, with variables of the environment besides or instead of those of this process."""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), **variables}
    given = {"env": environment, "cwd": cwd, "capture_output": True, "text": True}
    return subprocess.run([sys.executable, *command], check=True, **given)


@pytest.fixture
def copied(tmp_path) -> Path:
    """A copy of the package with the two files of loops in it, and nothing compiled."""
    copy = tmp_path / "site" / "nelayout"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "numerics" / "inner_loops.py").write_text(INNER)
    (copy / "numerics" / "outer_loops.py").write_text(OUTER)
    return copy


def run_copy(copy: Path, home: str = "") -> list[str]:
    """Run the program on a copy of the package, where no warning may come; its lines."""
    own = {"NUMBA_CACHE_DIR": "", "XDG_CACHE_HOME": "", "HOME": home or str(copy.parent / "home")}
    done = run("-W", "error", "-c", PROGRAM, cwd=copy.parent, PYTHONPATH=str(copy.parent), **own)
    assert done.stderr == ""
    return done.stdout.splitlines()


def blocked(copy: Path) -> None:
    """A file in the place of the folder beside the package, which stops root as well."""
    (copy / "__pycache__").mkdir()
    (copy / "__pycache__" / "loops").touch()


@pytest.mark.full
def test_a_loop_that_calls_a_changed_loop_of_another_file_is_compiled_anew(copied):
    folder = copied / "__pycache__" / "loops"
    assert run_copy(copied) == ["4.0", "inner outer", ONCE + "; "]
    stored = set(folder.iterdir())
    assert run_copy(copied) == ["4.0", "", ""]
    (copied / "numerics" / "inner_loops.py").write_text("\n" + INNER.replace("1.0", "5.0"))
    assert run_copy(copied) == ["12.0", "inner outer", ONCE + "; "]
    instead = set(folder.iterdir())
    assert len(stored) == len(instead) == len(instead - stored) == 2  # the old ones are gone


@pytest.mark.full
def test_where_the_package_may_not_be_written_the_cache_of_the_user_is(copied):
    blocked(copied)
    assert run_copy(copied)[1:] == ["inner outer", ONCE + "; "]
    assert len(list((copied.parent / "home" / ".cache" / "nelayout" / "loops").iterdir())) == 2
    assert run_copy(copied)[1:] == ["", ""]


@pytest.mark.full
def test_where_nothing_may_be_written_loops_are_compiled_in_memory(copied):
    blocked(copied)
    for _ in range(2):
        assert run_copy(copied, "/dev/null") == ["4.0", "inner outer", "compiling: no folder to keep it in; "]


@pytest.mark.full
def test_where_the_internals_of_numba_have_changed_its_own_cache_is_used(tmp_path):
    program = """
import numba.core.caching, numba.core.ccallback
del numba.core.caching.NullCache
from nelayout.numerics import compiling
from nelayout.numerics.breadth_first_loops import hops
import numpy as np
assert not compiling.KNOWN
out = np.zeros(3, dtype=np.int32)
hops(np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1]), 0, out, np.empty(3, dtype=np.int32))
print(out.tolist(), sum(hops.stats.cache_hits.values()))
"""
    for hits in (0, 1):
        assert run("-c", program, NUMBA_CACHE_DIR=str(tmp_path)).stdout.split("] ") == ["[0, 1, 2", f"{hits}\n"]


@pytest.fixture
def places(tmp_path, monkeypatch) -> list[Path]:
    """Two folders for stored loops."""
    found = [tmp_path / "package", tmp_path / "user"]
    monkeypatch.setattr(loop_store, "folders", lambda: found)
    return found


KEY = loop_store.Key("loop", "here", "for floats")


def test_what_root_has_stored_is_read_by_those_who_may_not_write_there(places, monkeypatch):
    loop_store.write(KEY, b"code")
    places[1].mkdir()
    monkeypatch.setattr(loop_store, "place", lambda: places[1])
    other = loop_store.Key("loop", "here", "for integers")
    assert (loop_store.read(KEY), loop_store.read(other)) == (b"code", None)
    loop_store.write(other, b"other code")
    assert [len(list(place.iterdir())) for place in places] == [1, 1]
    assert (loop_store.read(KEY), loop_store.read(other)) == (b"code", b"other code")


@pytest.mark.skipif(os.name == "nt", reason="rights to write are POSIX")
@pytest.mark.parametrize("what", ["folder", "file"])
def test_loops_that_anyone_may_have_written_are_not_run(tmp_path, monkeypatch, what):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    loop_store.write(KEY, b"code")
    assert loop_store.read(KEY) == b"code"
    (folder,) = loop_store.folders()
    open_to_all = folder if what == "folder" else folder / KEY.file
    open_to_all.chmod(0o777)
    with pytest.warns(UserWarning, match=r"are not used, as others may write there: chmod o-w"):
        assert loop_store.read(KEY) is None
    assert (loop_store.place() is None) == (what == "folder")


@pytest.mark.parametrize("data", [b"", b"no pickle", pickle.dumps(1), pickle.dumps((1, 2, 3)), b"cnumba\ngone\n."])
def test_a_whole_file_that_holds_no_loop_is_compiled_anew(places, monkeypatch, data):
    monkeypatch.setattr(total, "__module__", "nelayout.numerics.sums_loops")
    a, heard = np.arange(4.0), list[str]()
    assert compiling.compiled_loop(total)(a) == 14.0
    (file,) = places[0].glob("*.nbc")
    file.write_bytes(hashlib.sha256(data).hexdigest().encode() + b"\n" + data)
    with listening(heard.append):
        assert compiling.compiled_loop(total)(a) == 14.0
    assert ONCE in heard
    missed = len(loop_store.missed)
    assert compiling.compiled_loop(total)(a) == 14.0
    assert len(loop_store.missed) == missed


@pytest.mark.parametrize("kept", [0, 10, 66, None])
def test_a_file_cut_short_or_removed_is_compiled_anew(places, kept):
    loop_store.write(KEY, b"code")
    (file,) = places[0].iterdir()
    if kept is None:
        shutil.rmtree(places[0])
        loop_store.write(KEY, b"code")  # stops nothing
    else:
        file.write_bytes(file.read_bytes()[:kept])
    assert loop_store.read(KEY) is None
    places[0].mkdir(exist_ok=True)
    loop_store.write(KEY, b"code")
    assert loop_store.read(KEY) == b"code"


def test_the_folder_of_numba_is_the_only_one_where_it_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert loop_store.folders() == [tmp_path / "nelayout"]
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    assert loop_store.folders()[0] == PACKAGE / "__pycache__" / "loops"


def fresh_loop():
    """A loop as those of the package, which nobody has compiled."""

    def loop(a):
        return a + 1.0

    loop.__module__ = "nelayout.numerics.fresh_loops"
    return compiling.compiled_loop(loop)


def test_an_interrupt_waits_for_the_compiler(tmp_path, monkeypatch):
    """It comes, but when the loop is compiled and stored, and the next thread finds the compiler free."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    loop, answers = fresh_loop(), []

    def interrupt(notice: str) -> None:
        if notice:
            signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background ignores it
    try:
        with listening(interrupt), pytest.raises(KeyboardInterrupt):
            loop(1.0)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(loop.signatures) == 1
    assert len(list((tmp_path / "nelayout").iterdir())) == 1
    other = threading.Thread(target=lambda: answers.append(fresh_loop()(1)), daemon=True)
    other.start()
    other.join(60)
    assert answers == [2.0]


def test_the_progress_bar_says_what_it_waits_for(capsys):
    with observe("name", None, progress=True):
        announce(ONCE)
        assert ONCE in capsys.readouterr().err
    capsys.readouterr()


WAITS = """
import sys, time
from contextlib import nullcontext
from nelayout.numerics.notices import announce, listening
with listening(str) if sys.argv[1:] else nullcontext():
    for wait in (0.9, 0.4, 1.0, 2.1):
        announce("compiling new loops and keeping them")
        time.sleep(wait)
        announce("")
        sys.stderr.write(f"{wait}\\n")
"""


@pytest.mark.full
@pytest.mark.parametrize("listener", [[], ["bar"]])
def test_a_long_wait_that_no_bar_shows_is_one_line_on_standard_error(listener):
    """Waits add up; the line comes as soon as they are long, once."""
    lines = ["0.9", "0.4", "1.0", "2.1"]
    expected = lines if listener else [*lines[:2], "nelayout: " + ONCE, *lines[2:]]
    assert run("-c", WAITS, *listener).stderr.splitlines() == expected


@pytest.mark.full
def test_a_machine_that_is_warmed_up_compiles_nothing(tmp_path):
    program = """
import networkx as nx
from numba.core import event
import nelayout as nl
heard = event.RecordingListener()
with event.install_listener("numba:compile", heard):
    trees = nx.disjoint_union_all([nx.random_labeled_tree(5 + k, seed=k) for k in range(40)])
    for G in (nx.barabasi_albert_graph(3000, 2, seed=5), nx.random_geometric_graph(2500, 0.05, seed=5), trees):
        nl.layout(G, seed=1)
        nl.ws_sne_layout(G, seed=1, max_iter=10)
        nl.gamma_quadlog_layout(G, seed=1, max_iter=10)
print([each.data["dispatcher"].__name__ for _, each in heard.buffer])
"""
    store, where = {"NUMBA_CACHE_DIR": str(tmp_path)}, f": {tmp_path / 'nelayout'}\n"
    assert re.fullmatch(rf"compiled .*{re.escape(where)}", run("-m", "nelayout", "warm-up", **store).stdout)
    assert run("-m", "nelayout", "warm-up", **store).stdout == "every loop was compiled already" + where
    assert run("-c", program, **store).stdout == "[]\n"


def test_warming_up_says_where_nothing_can_be_stored(tmp_path, monkeypatch, capsys):
    from nelayout.cli import main

    blocked = tmp_path / "file"
    blocked.touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(blocked))
    assert main(["warm-up"]) == 1
    assert "NUMBA_CACHE_DIR names another" in capsys.readouterr().err
