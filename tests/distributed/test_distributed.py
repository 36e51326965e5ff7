"""Drawings on several machines: the same bits for any workers, what is read, what is refused, and how a run goes on."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import uuid
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import mmwrite
from scipy.sparse import block_diag, csr_array, save_npz
from tables import thinned

import nelayout as nl
from nelayout.cli import main
from nelayout.core.objective import Affinity
from nelayout.core.passes.coarsen import match
from nelayout.core.record import progress
from nelayout.errors import InputError, MissingExtra, Unsupported

pytest.importorskip("distributed", reason="Dask, the extra [dask], is not installed")
pd = pytest.importorskip("pandas")
dd = pytest.importorskip("dask.dataframe", reason="dask[dataframe], of the extra [dask], is not installed")

from nelayout.distributed import worker_pool  # noqa: E402  it needs Dask
from nelayout.distributed.blocks import stored  # noqa: E402  likewise
from nelayout.distributed.drawing import Level, _clusters  # noqa: E402  likewise
from nelayout.distributed.reading import from_matrix  # noqa: E402  likewise
from nelayout.distributed.workers import HELD  # noqa: E402  likewise


def mesh(rows: int, columns: int) -> csr_array:
    """A lattice."""
    i = np.arange(rows * columns).reshape(rows, columns)
    ends = [np.concatenate([i[:-1].ravel(), i[:, :-1].ravel()]), np.concatenate([i[1:].ravel(), i[:, 1:].ravel()])]
    A = csr_array((np.ones(len(ends[0])), ends), shape=(i.size, i.size))
    return csr_array(A + A.T)


MESH = mesh(16, 20)
# Small runs of the real path: half the graph's nodes fit this machine.
SMALL: dict[str, Any] = {"method": "gamma-quadlog", "least": 200, "max_iter": 3}


def edges_of(P: csr_array, ids=str) -> Any:
    """Each edge once, in random order."""
    C = P.tocoo()
    once = C.row < C.col
    table = pd.DataFrame({"source": map(ids, C.row[once]), "target": map(ids, C.col[once]), "w": C.data[once]})
    return table.sample(frac=1.0, random_state=1)


def places(drawn) -> np.ndarray:
    """Positions in the order of whole numbers that ids are."""
    table = drawn.positions.compute()
    order = np.argsort(table["id"].astype(int).to_numpy())
    return table[["x", "y"]].to_numpy()[order]


@pytest.fixture(scope="session")
def solve(client):
    return partial(nl.distributed.solve, client=client)


TABLE = dd.from_pandas(edges_of(MESH), npartitions=3)


@pytest.fixture(scope="module")
def plain(solve):
    """A drawing of the mesh."""
    return solve(TABLE, **SMALL)


class Shown(progress.Bar):
    """A bar that shows every step."""

    def __init__(self, name):
        super().__init__(name)
        self.line.mininterval = self.line.miniters = 0


def test_a_mesh_is_drawn_about_as_well_as_on_one_machine(solve, plain, capsys, monkeypatch):
    monkeypatch.setattr(progress, "Bar", Shown)
    there = solve(TABLE, least=200, scale=None, progress=True)
    assert nl.evaluate(MESH, places(there), "ws-sne").value == pytest.approx(there.value, rel=1e-5)
    here = nl.solve(MESH, "ws-sne", seed=0)
    assert there.value < 1.02 * here.value
    stages = [dict.fromkeys(step.stage.partition(",")[0] for step in each.trace) for each in (there, here)]
    assert list(stages[0]) == list(stages[1])
    assert plain.components.tolist() == [320]
    assert list(plain.positions.columns) == ["id", "x", "y"]
    assert np.abs(places(plain)).max() == pytest.approx(1.0)
    shown = re.findall(r"ws-sne, ([^:]*): \d+ of at most \d+ steps [^\r]*, J (\S+)\]", capsys.readouterr().err)
    assert set(shown) <= {(step.stage, f"{step.value:.6g}") for step in there.trace}
    assert {stage for stage, _ in shown} == {step.stage for step in there.trace}


@pytest.mark.full
@pytest.mark.parametrize("least", [3_000, 6_000])
def test_the_first_tail_of_a_large_graph_moves_its_coarser_graph(solve, least):
    """The coarser graph has about 5,000 nodes: it is in blocks, or this machine draws it."""
    P, options = mesh(110, 100), {"method": "ws-sne", "seed": 0, "max_iter": 3, "scale": None}
    there, here = solve(P, least=least, **options), nl.solve(P, **options)
    stages = [dict.fromkeys(step.stage.partition(",")[0] for step in each.trace) for each in (there, here)]
    assert list(stages[0]) == list(stages[1])
    assert there.value < 1.03 * here.value


@pytest.mark.parametrize("workers", [1, 3])
def test_any_number_of_workers_gives_the_same_bits(plain, workers):
    from distributed import Client

    table = edges_of(MESH).iloc[::-1]  # in another order, and in other parts
    with Client(processes=False, n_workers=workers, threads_per_worker=1, dashboard_address=":0") as client:
        again = nl.distributed.solve(dd.from_pandas(table, npartitions=1 + workers), client=client, **SMALL)
    assert np.array_equal(places(again), places(plain))
    assert again.value == plain.value


EVERY_KIND = ("gamma-quadlog", "nerv", "auto")


@pytest.mark.parametrize("method", thinned([each["name"] for each in nl.methods()], plain=EVERY_KIND.__contains__))
def test_the_whole_catalogue(solve, method):
    if nl.method(method).perplexity is not None:
        with pytest.raises(nl.Unsupported, match=f"{method} takes path lengths, which need the whole graph"):
            solve(MESH, **{**SMALL, "method": method})
        return
    drawn = solve(MESH, **{**SMALL, "method": method})
    assert np.isfinite(drawn.value)
    assert np.isfinite(places(drawn)).all()
    if method in EVERY_KIND:
        neighbors = nl.measure(MESH, places(drawn), measures=["neighborhood"])["neighborhood"]
        assert float(neighbors) > 0.25


def test_clusters_are_those_of_one_machine(client, tmp_path):
    mass = np.random.default_rng(0).uniform(0.5, 2.0, 320)
    workers = worker_pool.WorkerPool(client, uuid.uuid4().hex)
    level = Level(from_matrix(MESH, tmp_path, blocks=5).cut, mass)
    there = _clusters(workers, level, np.random.default_rng(4))
    workers.leave()
    assert np.array_equal(there, match(Affinity(MESH, mass), np.random.default_rng(4)))


def test_components_loops_and_weights_of_zero(solve):
    """A mesh, a path, a pair and a node with nothing but a loop; the path hangs on the mesh by an edge of weight 0."""
    P = csr_array(block_diag([MESH, mesh(1, 9), mesh(1, 2)], format="csr"))
    more = pd.DataFrame({"source": ["0", "400"], "target": ["320", "400"], "w": [0.0, 1.0]})
    table = dd.from_pandas(pd.concat([edges_of(P), more]), npartitions=2)
    drawn = solve(table, weight="w", **SMALL)
    assert drawn.components.tolist() == [320, 9, 2, 1]
    assert "1 edges of weight 0 were left out: a weight of 0 is no edge" in drawn.notes
    assert "1 edges from a node to itself were left out" in drawn.notes
    found = drawn.positions.compute().set_index("id")
    assert len(found) == 332
    assert found.index.is_unique
    # components are packed: the boxes of mesh and path do not overlap
    ends = [found.loc[[str(k) for k in nodes], ["x", "y"]] for nodes in (range(320), range(320, 329))]
    (low, high), (low2, high2) = ((each.min().to_numpy(), each.max().to_numpy()) for each in ends)
    assert ((high < low2) | (high2 < low)).any()


def test_weights_parallel_edges_and_directions_add_up(solve, tmp_path):
    """A path of three nodes: two edges of weight 1 one way and one of weight 2 the other way make 4."""
    table = pd.DataFrame({"a": [7, 7, 8, 8], "b": [8, 8, 7, 9], "w": [1.0, 1.0, 2.0, 4.0]})
    table.to_parquet(tmp_path / "edges.parquet")
    drawn = solve(tmp_path, source="a", target="b", weight="w", least=1)
    assert drawn.entries == 4
    Y = drawn.positions.compute().set_index("id")
    near, far = (np.linalg.norm(Y.loc[8] - Y.loc[k]) for k in (7, 9))
    assert near == pytest.approx(far, rel=1e-3)


def test_all_formats_hold_the_same_graph(solve, tmp_path):
    table, found = edges_of(MESH, int), {}
    for kind in ("parquet", "csv", "npz", "mtx"):
        folder = tmp_path / kind
        folder.mkdir()
        for k in range(2):
            part = table.iloc[k::2]
            if kind == "parquet":
                part.to_parquet(folder / f"{k}.parquet")
            elif kind == "csv":
                part.to_csv(folder / f"{k}.csv", index=False)
            else:
                A = MESH.tocoo()
                half = csr_array((A.data[k::2], (A.row[k::2], A.col[k::2])), shape=MESH.shape)
                save_npz(folder / f"{k}.npz", half) if kind == "npz" else mmwrite(folder / f"{k}.mtx", half)
        found[kind] = solve(folder, **SMALL)
    assert np.array_equal(places(found["parquet"]), places(found["csv"]))
    assert np.array_equal(places(found["npz"]), places(found["mtx"]))
    assert {each.entries for each in found.values()} == {MESH.nnz}
    # numbers of nodes differ, and with them random numbers: J is nearly the same
    assert found["npz"].value == pytest.approx(found["csv"].value, rel=0.1)


@pytest.mark.parametrize("first", ["1001,1002\n", "01001,1001\n", "1.0,1\n"])
def test_codes_in_csv_files_stay_text_in_all_parts(solve, tmp_path, first):
    for k, rows in enumerate((first, "01001,1001\n1001,1002\n")):
        (tmp_path / f"{k}.csv").write_text(f"source,target\n{rows}")
    found = solve(tmp_path, **SMALL)
    assert set(found.positions.compute()["id"]) == {"01001", "1001", "1002", *first.strip().split(",")}


def test_a_symmetric_matrix_counts_once(solve, tmp_path):
    """With a fixed connection the size of the drawing depends on the weights: they must not be doubled."""
    save_npz(tmp_path / "a.npz", MESH)
    file, here = (
        solve(edges, "linlog", scale=None, weight="values", least=200, max_iter=30)
        for edges in (tmp_path, MESH)
    )
    assert file.value == pytest.approx(here.value, rel=1e-2)
    assert np.ptp(places(file)) == pytest.approx(np.ptp(places(here)), rel=0.2)


def test_small_graphs_are_drawn_here_and_say_so(solve):
    drawn = solve(MESH, "ws-sne")
    assert any("320 nodes fit one machine" in note for note in drawn.notes)
    assert drawn.value == pytest.approx(nl.solve(MESH, "ws-sne", seed=0).value, rel=0.02)


def test_a_column_that_is_not_read_is_noted(solve):
    drawn = solve(dd.from_pandas(edges_of(mesh(3, 3)), npartitions=1))
    assert any("the column 'w' is not read: weight='w' reads it" in note for note in drawn.notes)


@pytest.mark.parametrize("stage", ["tail x 0.8", "descend"])
def test_a_stopped_run_goes_on_with_the_same_bits(solve, tmp_path, stage):
    class Enough(Exception):
        pass

    steps = []

    def stop(state):
        steps.append((state.stage, len(state.positions)))
        if state.stage == stage and steps[-14:] == [(state.stage, 320)] * 14:
            raise Enough  # after ten steps of the whole graph the state is kept

    how = {"least": 200, "max_iter": 20}
    whole = solve(TABLE, **how)
    with pytest.raises(Enough):
        solve(TABLE, checkpoint=tmp_path, callback=stop, **how)
    assert list(tmp_path.glob("*.state"))
    assert not list(tmp_path.glob("*.part"))
    on = solve(TABLE, checkpoint=tmp_path, **how)
    assert np.array_equal(places(on), places(whole))
    assert on.trace[0].stage == stage
    assert len(on.trace) <= sum(step.stage in (stage, "descend") for step in whole.trace) - 10
    assert not list(tmp_path.glob("*.state"))
    with pytest.raises(InputError, match="checkpoint must be the folder of the same call"):
        solve(TABLE, "tsne", checkpoint=tmp_path, **how)


def test_workers_are_left_clean(client, plain):
    assert HELD == {}
    assert not client.futures


@pytest.mark.full
def test_a_lost_worker_changes_no_bit(plain):
    from distributed import Client, LocalCluster

    killed = []

    def kill(state):
        if len(state.positions) == 320 and not killed:
            killed.append(next(iter(dict(client.run(os.getpid)).values())))
            threading.Timer(0.01, os.kill, (killed[0], signal.SIGKILL)).start()

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as cluster,
        Client(cluster) as client,
    ):
        drawn = nl.distributed.solve(TABLE, client=client, callback=kill, **SMALL)
        assert killed
        assert np.array_equal(places(drawn), places(plain))


BAD_TABLES = {
    "a missing column": (lambda t: t.rename(columns={"source": "sourse"}), "got 'source'; did you mean 'sourse'"),
    "a missing id": (lambda t: t.assign(source=t["source"].where(t.index != t.index[4])), "got none in row"),
    "a negative weight": (lambda t: t.assign(w=np.where(np.arange(len(t)) == 5, -2.0, 1.0)), "got -2 in row 5 of"),
    "a weight that is NaN": (lambda t: t.assign(w=np.where(np.arange(len(t)) == 5, np.nan, 1.0)), "got nan in row 5"),
    "weights that are texts": (lambda t: t.assign(w="heavy"), "must hold numbers"),
    "ids of two types": (lambda t: t.assign(source=t["source"].astype(int)), "ids must be of one type"),
    "no row": (lambda t: t.iloc[:0], "edges must have a row"),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_bad_tables_are_refused_in_one_line(solve, tmp_path, case):
    spoil, said = BAD_TABLES[case]
    spoil(edges_of(mesh(4, 4))).to_parquet(tmp_path / "edges.parquet")
    with pytest.raises(InputError, match=said) as caught:
        solve(tmp_path, weight="w")
    assert "\n" not in str(caught.value)


def test_bad_folders_are_refused(solve, tmp_path):
    with pytest.raises(InputError, match=r"with the ending \.parquet, \.csv, \.npz, \.mtx; got none"):
        solve(tmp_path)
    with pytest.raises(InputError, match="that exists"):
        solve(tmp_path / "nowhere")
    edges_of(MESH).to_parquet(tmp_path / "good.parquet")
    whole = (tmp_path / "good.parquet").read_bytes()
    (tmp_path / "short.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"short\.parquet must be a whole parquet file"):
        solve(tmp_path)
    (tmp_path / "more.csv").write_text("source,target\n1,2\n")
    with pytest.raises(InputError, match="files of one format; got csv and parquet"):
        solve(tmp_path)


HEAD = "%%MatrixMarket matrix coordinate real general\n3 3 2\n"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("1 2 0,5\n2 3 1\n", r"bad\.mtx, line 3: cannot be read as mtx: expected 3 numbers in a row, got '1 2 0,5'"),
        ("1 2 1\n2 7 1\n", r"bad\.mtx, line 4: row and column must be whole numbers from 1 to 3; got 2 and 7"),
        (np.array([1, 7], dtype=np.int32), r"bad\.npz: cannot be read as a sparse matrix"),
        (MESH.indices, r"good\.npz must have the shape of .*bad\.npz; got 320 and 3 rows"),
    ],
)
def test_matrix_files_are_checked_as_on_one_machine(solve, tmp_path, rows, said):
    if isinstance(rows, str):
        (tmp_path / "bad.mtx").write_text(HEAD + rows)
    else:
        A = csr_array((np.ones(2), np.array([1, 2], dtype=np.int32), np.array([0, 1, 2, 2])), shape=(3, 3))
        A.indices = rows if len(rows) == 2 else A.indices
        save_npz(tmp_path / "bad.npz", A)
        save_npz(tmp_path / "good.npz", MESH)
    with pytest.raises(InputError, match=said):
        solve(tmp_path)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"smoothing": 0.5}, "smoothing=0.5 needs the whole graph"),
        ({"mass": "betweenness"}, "mass must be 'unit'"),
        ({"optimizer": "majorize"}, "optimizer='majorize' needs"),
        ({"method": nl.method("ftsne", variational=True)}, "variational"),
    ],
)
def test_what_needs_the_whole_graph_is_refused(client, options, said):
    with pytest.raises(Unsupported, match=said):
        nl.distributed.layout(MESH, client=client, **options)


def test_a_scheduler_that_does_not_answer(monkeypatch):
    monkeypatch.setattr(worker_pool, "TIMEOUT_SECONDS", 0.5)
    with pytest.raises(InputError, match=r"the scheduler must answer; got none at 'tcp://127.0.0.1:9'"):
        nl.distributed.layout(MESH, client="tcp://127.0.0.1:9")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("'0.0.9'", r"every worker must have nelayout .* has 0\.0\.9"),
        ("__import__('nothing_of_this_name')", r"has none \(No module named 'nothing_of_this_name'\). Install it"),
    ],
)
def test_workers_with_another_version(solve, monkeypatch, code, said):
    monkeypatch.setattr(worker_pool, "VERSION_CODE", code)
    with pytest.raises(InputError, match=said):
        solve(MESH)


def test_too_little_memory_or_room(client):
    with pytest.raises(InputError, match=r"must have about .* TB|must have about .* GB of memory"):
        worker_pool.check_memory(client, 10**16, 0, "to draw")
    with pytest.raises(InputError, match="this machine must have about"):
        worker_pool.check_memory(client, 0, 10**16, "to draw")
    with pytest.raises(InputError, match="the folder of the run must have about"):
        worker_pool.check_disk(Path.cwd(), 10**16)


def test_a_full_disk_is_said_in_one_line(client, tmp_path, monkeypatch):
    """The device /dev/full refuses every byte, as a full disk does."""
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full on this system")
    def half_written():
        with stored(tmp_path / "state") as file, Path("/dev/full").open("wb", buffering=0) as full:
            file.write(b"half")
            full.write(b"more")

    with pytest.raises(InputError, match="must have room for the files of a run; got No space left on device at state"):
        half_written()
    assert list(tmp_path.iterdir()) == []


def test_without_dask_the_error_names_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtra, match=r'pip install "nelayout\[dask\]"'):
        nl.distributed.layout(MESH)


@pytest.mark.full
def test_the_command_line_writes_a_file_or_nothing(tmp_path):
    edges_of(MESH, int).to_parquet(tmp_path / "edges.parquet")
    out = tmp_path / "positions.parquet"
    run = [sys.executable, "-m", "nelayout", "layout", str(tmp_path / "edges.parquet"), "-o", str(out)]
    subprocess.run([*run, "--scheduler", "local", "-m", "ws-sne"], check=True, capture_output=True)
    table = pd.read_parquet(out)
    assert list(table.columns) == ["id", "x", "y"]
    assert sorted(table["id"]) == list(range(320))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-o", "out.png", "--scheduler", "local"], "OUT must be a parquet, arrow or csv file"),
        (["-o", "out.parquet", "--scheduler", "local", "--pos", "p.csv"], "--pos must be left out with --scheduler"),
    ],
)
def test_wrong_usage_of_the_command_line(capsys, options, said):
    assert main(["layout", "edges", *options]) == 2
    assert said in capsys.readouterr().err


def test_the_command_line_names_a_folder_that_is_missing(capsys, tmp_path):
    missing, out = tmp_path / "missing", tmp_path / "out.csv"
    assert main(["layout", str(missing), "-o", str(out), "--scheduler", "local"]) == 1
    assert capsys.readouterr().err == f"nelayout: there is no file or folder {str(missing)!r}; check the name\n"
    assert list(tmp_path.iterdir()) == []
