"""What memory there is, read from the system's own files, and the warning where work needs more."""

from __future__ import annotations

import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import nelayout as nl
from nelayout.numerics import memory
from nelayout.numerics.blocks import rows_at_once

MEMINFO = "MemTotal:       16000000 kB\nMemFree:         1000000 kB\nMemAvailable:    8000000 kB\n"
KIB, GIB = 1024, 1 << 30


def test_a_block_has_at_least_one_row():
    assert (rows_at_once(1 << 20), rows_at_once(1 << 40)) == (16, 1)


@pytest.fixture
def system(tmp_path, monkeypatch) -> Path:
    """A machine with 8,000,000 KiB available, and no control group."""
    monkeypatch.setattr(memory, "PROC", tmp_path / "proc")
    monkeypatch.setattr(memory, "CGROUPS", tmp_path / "cgroup")
    write(tmp_path / "proc" / "meminfo", MEMINFO)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def group(folder: Path, limit: str, used: int, files: int = 0, version: int = 2) -> None:
    names = memory.LIMITS[2 - version]
    write(folder / names[0], limit + "\n")
    write(folder / names[1], f"{used}\n")
    write(folder / "memory.stat", f"anon {used - files}\n{memory.RECLAIMABLE[2 - version]} {files}\n")


UNLIMITED = 9223372036854771712


@pytest.mark.parametrize(
    ("own", "groups", "expected"),
    [
        (None, [], 8_000_000 * KIB),
        # what is in use, but for files that are given back
        ("0::/box/inner\n", [("box/inner", "max", 5 * GIB), ("box", 4 * GIB, 3 * GIB, GIB // 2)], 3 * GIB // 2),
        ("0::/\n", [("", 400 * GIB, GIB)], 8_000_000 * KIB),
        ("0::/\n", [("", GIB, 2 * GIB)], 0),
        ("0::/host/slice/box\n", [("", 2 * GIB, GIB)], GIB),  # a container; its group has the host's name
        (
            "5:cpu,cpuacct:/box\n4:memory:/box\n1:name=systemd:/\n",
            [("memory/box", 3 * GIB, 2 * GIB, 0, 1), ("memory", UNLIMITED, 2 * GIB, 0, 1)],
            GIB,
        ),
    ],
)
def test_the_machine_and_its_control_groups(system, own, groups, expected):
    if own is not None:
        write(system / "proc/self/cgroup", own)
    for folder, limit, *rest in groups:
        group(system / "cgroup" / folder, str(limit), *rest)
    assert memory.available() == expected


def test_systems_that_say_less(system, monkeypatch):
    (system / "proc/meminfo").unlink()
    monkeypatch.setattr("os.sysconf", {"SC_AVPHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}.__getitem__, raising=False)
    assert memory.available() == 4096 * 1000

    monkeypatch.setattr("os.sysconf", int, raising=False)  # a ValueError for a name
    assert memory.available() is None
    assert not memory.warn_if_short(10**18, "this", "")


def chain(n: int) -> sparse.csr_array:
    ones = (np.ones(n - 1), (np.arange(n - 1), np.arange(1, n)))
    half = sparse.coo_array(ones, shape=(n, n))
    return sparse.csr_array(half + half.T)


def stop(state) -> bool:
    return True


def test_a_layout_warns_before_it_starts_with_the_numbers(monkeypatch):
    G, steps = chain(30_000), list[int]()
    needed = nl.estimate(G, "ws-sne").bytes
    monkeypatch.setattr(memory, "available", lambda: needed // 2)
    with pytest.warns(UserWarning, match="by the estimate") as caught:
        nl.ws_sne_layout(G, seed=0, callback=lambda state: bool(steps.append(1)) or len(caught) == 1)
    (warning,) = caught
    message, numbers = str(warning.message), (f"{needed / 1e6:.0f} MB", f"{needed // 2 / 1e6:.0f} MB are available")
    assert len(steps) == 1  # the callback of the first step has seen the warning
    assert all(part in message for part in ("30,000 nodes by ws-sne", *numbers, "n_neighbors"))
    assert "GB" not in message
    assert warning.category is UserWarning
    assert warning.filename == __file__  # the caller's own line


def test_what_helps_is_what_is_named(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: 0)
    with pytest.warns(UserWarning, match="30,000 nodes by gamma-quadlog") as caught:
        nl.gamma_quadlog_layout(chain(30_000), smoothing=0.5, seed=0, callback=stop)
    assert "smoothing=0" in str(caught[0].message)
    assert "method" not in str(caught[0].message)


def test_no_warning_where_there_is_enough_or_the_graph_is_small(monkeypatch):
    G = chain(30_000)
    monkeypatch.setattr(memory, "available", lambda: nl.estimate(G, "ws-sne").bytes)
    nl.ws_sne_layout(G, seed=0, callback=stop)
    asked: list[int] = []
    monkeypatch.setattr(memory, "available", lambda: asked.append(1) or 0)
    nl.ws_sne_layout(chain(250), seed=0, callback=stop)
    nl.embed(np.random.default_rng(0).random((50, 2)), callback=stop)
    assert asked == []


@pytest.mark.full
def test_dense_graphs_of_few_nodes_are_asked_about(monkeypatch):
    """Memory goes with the edges, too."""
    monkeypatch.setattr(memory, "available", lambda: 10**6)
    G = sparse.csr_array(nx.to_scipy_sparse_array(nx.complete_graph(700)))
    with pytest.warns(UserWarning, match="700 nodes"):
        nl.gamma_quadlog_layout(G, seed=0, callback=stop)


def test_embedding_warns_once_before_the_search(monkeypatch):
    given = {"X": np.random.default_rng(0).random((25_000, 2)), "method": "tsne", "n_neighbors": 3, "random_state": 0}
    monkeypatch.setattr(memory, "available", lambda: 10**6)
    with pytest.warns(UserWarning, match="25,000 nodes by tsne") as caught:
        nl.embed(**given, callback=stop)
    assert [warning.filename for warning in caught] == [__file__]
    monkeypatch.delattr("nelayout.vectors.neighbors.NeighborIndex.nearest")
    with pytest.warns(UserWarning, match="25,000 nodes by tsne"), pytest.raises(AttributeError, match="nearest"):
        nl.embed(**given)


def test_the_warning_may_be_an_error(monkeypatch):
    """Whoever makes errors of warnings loses no time."""
    monkeypatch.setattr(memory, "available", lambda: 10**6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="by the estimate"):
            nl.ws_sne_layout(chain(30_000), seed=0)


def test_estimates_of_vectors_hold_for_their_graphs():
    """The embedding foretells the size of its neighbor graph."""
    from nelayout.vectors.embedding import UNION

    rng = np.random.default_rng(0)
    for d in (1, 2, 10, 50):
        entries = nl.knn_graph(rng.standard_normal((3000, d)), 10).nnz / (10 * 3000)
        assert UNION / 1.5 < entries < UNION * 1.5
