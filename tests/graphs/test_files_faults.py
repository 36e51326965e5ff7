"""Bad files of every format: one line that names the file and what to do, exit status 1, nothing written."""

from __future__ import annotations

import gzip
import io
import pathlib
import re
import tempfile
import time
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from nelayout.cli import main
from nelayout.errors import InputError
from nelayout.graphs.files import (
    FORMATS,
    POSITIONS,
    WRITERS,
    atomic,
    matrices,
    opening,
    read_graph,
    read_positions,
    record,
)
from nelayout.graphs.files.arrow import encode_columns
from nelayout.numerics import notices

pytest.importorskip("pyarrow")
NAMES = [name for name in FORMATS if name != "sif"]  # in which any word is a node
GRAPH = nx.relabel_nodes(nx.karate_club_graph(), lambda k: f"person {k}")
POS = nx.circular_layout(GRAPH)


def filled(n, share):
    """An (n, n) array with a share of random entries, the others 0."""
    rng = np.random.default_rng(0)
    return np.where(rng.random((n, n)) < share, rng.random((n, n)), 0.0)


@pytest.fixture(scope="module")
def whole(tmp_path_factory, good_file):
    """Format -> bytes of a good file."""
    folder = tmp_path_factory.mktemp("whole")
    return {name: good_file(folder, name, GRAPH, POS).read_bytes() for name in NAMES}


# Changes that double a node, which networkx would take for one: text of the good file -> text in its place.
TWINS = {
    "graphml": ('<node id="person 1">', '<node id="person 0">'),
    "gexf": ('<node id="person 1"', '<node id="person 0"'),
    "gml": ("id 1\n", "id 0\n"),
    "pajek": ('2 "person 1"', '1 "person 1"'),
    "json": ('"id": "person 1"', '"id": "person 0"'),
    "cytoscape": ('"id": "person 1"', '"id": "person 0"'),
    "graphology": ('"key": "person 1"', '"key": "person 0"'),
}


def doubled(name, good):
    one, other = (text.encode() for text in TWINS[name])
    assert good.count(one) == 1
    twin = good.replace(one, other)
    return twin.replace(b'"value": "person 1"', b'"value": "person 0"')


# Fault -> (format, good content) -> bad content.
FAULTS = {
    "empty": lambda name, good: b"",
    "blank": lambda name, good: b" \n\n\t",
    "truncated early": lambda name, good: good[: len(good) // 9],
    "truncated late": lambda name, good: good[: 8 * len(good) // 9],
    "truncated gzip": lambda name, good: gzip.compress(good)[:-6],
    "binary": lambda name, good: bytes(range(256)) * 4,
    "a picture": lambda name, good: b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)),
    "NUL within": lambda name, good: good[: len(good) // 2] + b"\0\0" + good[len(good) // 2 :],
    "UTF-16 cut short": lambda name, good: (b"\xff\xfe" + good.decode("latin-1").encode("utf-16-le"))[:-1],
    "one huge word": lambda name, good: b"x" * 2_000_000,
    "one huge number": lambda name, good: b"1" * 2_000_000,
    "a huge line at the end": lambda name, good: good + b"\n" + b"y" * 2_000_000,
    "brackets without end": lambda name, good: b'{"a":[' * 100_000,
    "a graph within a graph": lambda name, good: b"graph [" * 100_000,
    "another text": lambda name, good: b"Not found\n\nThe requested page is not on this server, sorry.\n",
    "a page of a server": lambda name, good: b"<!DOCTYPE html><html><head><title>404</title></head></html>",
    "a node twice": doubled,
}
# Contents that no reader can tell from good ones.
GOOD = {
    ("edgelist", "truncated early"): "the beginning of a list is a list",
    ("edgelist", "truncated late"): "the beginning of a list is a list",
    ("pajek", "truncated late"): "the beginning of a list of edges is one",
    ("npz", "NUL within"): "an archive is binary",
    ("arrow", "NUL within"): "a table is binary, without sums of its parts",
}
CASES = [
    (name, fault)
    for name in NAMES
    for fault in FAULTS
    if (name, fault) not in GOOD and (fault != "a node twice" or name in TWINS)
]


@pytest.mark.parametrize(("name", "fault"), CASES)
def test_a_bad_file_is_one_line_and_nothing_written(whole, tmp_path, monkeypatch, capsys, name, fault):
    monkeypatch.chdir(tmp_path)
    bad = f"bad.{FORMATS[name].endings[0]}"
    (tmp_path / bad).write_bytes(FAULTS[fault](name, whole[name]))
    assert main(["layout", bad, "-o", "out.csv", "-m", "linlog"]) == 1
    out, said = capsys.readouterr()
    assert out == ""
    assert said.startswith(f"nelayout: {bad}")
    assert said.count("\n") == 1
    assert len(said) < 500
    assert "mistake in nelayout" not in said
    assert [path.name for path in tmp_path.iterdir()] == [bad]


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_the_good_file_is_read_also_in_utf_16_with_its_mark(whole, tmp_path, name, wide):
    """Else all faults would be refused for another reason."""
    if wide and (FORMATS[name].binary or name == "mtx"):
        pytest.skip("binary, or ASCII by definition")
    path, content = tmp_path / f"good.{FORMATS[name].endings[0]}", whole[name]
    path.write_bytes(content.replace(b"g='utf-8'", b"g='utf-16'").decode().encode("utf-16") if wide else content)
    file = read_graph(path)
    assert (len(file.labels), file.format) == (34, name)
    assert name in ("mtx", "npz") or set(map(str, file.labels)) == set(GRAPH)
    if name in WRITERS and name not in POSITIONS:
        assert len(read_positions(path)) == 34


@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        ("graphml", 82, "the node 'person 0' is there twice, first in line 78; rename or remove one"),
        ("pajek", 3, "vertex 1 is there twice, first in line 2; number or remove one"),
        ("json", None, "node 1 has the id 'person 0' of another node; rename or remove one"),
    ],
)
def test_a_node_that_is_there_twice_is_named(whole, tmp_path, name, line, said):
    path = tmp_path / f"bad.{FORMATS[name].endings[0]}"
    content = doubled(name, whole[name])
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_graph(path)
    where = ""
    if line is not None:
        spots = [k for k, text in enumerate(content.decode().splitlines(), 1) if TWINS[name][1][:19] in text]
        where, said = f", line {spots[-1]}", said.replace("first in line 78", f"first in line {spots[0]}")
    assert str(caught.value) == f"{path}{where}: {said}"


def test_a_list_of_positions_that_is_broken_says_so(tmp_path):
    for content, said in [
        (b"node,x,y\na,1\n", "line 2: expected a node and 2 numbers"),
        (b"node,x,y\ra,1,2\rb\0,1,2\n", "this is not text"),
        (b"node,x,y\na,1," + b"9" * 200_000 + b"\n", "cannot be read as a table"),
    ]:
        (tmp_path / "pos.csv").write_bytes(content)
        with pytest.raises(InputError, match=said):
            read_positions(tmp_path / "pos.csv")


def test_a_bad_table_of_vectors_is_one_line_and_nothing_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    buffer = io.BytesIO()
    np.save(buffer, np.random.default_rng(0).random((40, 5)))
    good = buffer.getvalue()
    for name in ("bad.npy", "bad.npz"):
        for fault, make in FAULTS.items():
            if fault == "a node twice":
                continue
            (tmp_path / name).write_bytes(make(name, good))
            assert main(["embed", name, "-o", "out.csv"]) == 1, fault
            said = capsys.readouterr().err
            assert said.startswith(f"nelayout: {name}"), fault
            assert (said.count("\n"), "mistake" in said, "pickled" in said) == (1, False, False), said
            assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(("at", "byte", "said"), [(10, 39, "compression method"), (8, 1, "encrypted")])
def test_an_archive_that_python_cannot_unpack_is_one_error(tmp_path, at, byte, said):
    np.savez(tmp_path / "g.npz", rows=[0], cols=[1], n=2)
    data = bytearray((tmp_path / "g.npz").read_bytes())
    data[data.index(b"PK\x01\x02") + at] = byte
    (tmp_path / "g.npz").write_bytes(data)
    with pytest.raises(InputError, match=f"cannot be read as npz: .*{said}"):
        read_graph(tmp_path / "g.npz")


def test_what_does_not_fit_in_memory_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    """Where memory is scarce, sizes within packed files count, not the sizes of the files."""
    (tmp_path / "g.csv.gz").write_bytes(gzip.compress(b"a,b\n" * 5_000))
    np.savez_compressed(tmp_path / "g.npz", rows=np.zeros(9_000, int), cols=np.ones(9_000, int), n=2)
    np.savez_compressed(tmp_path / "few.npz", rows=[0], cols=[1], n=1_000_000)
    mtx = "%%MatrixMarket matrix coordinate pattern general\n1000000 1000000 1\n1 2\n"
    (tmp_path / "few.mtx").write_text(mtx)
    zeros = np.zeros(10**6, np.int8)
    (tmp_path / "g.parquet").write_bytes(encode_columns({"source": zeros, "target": zeros}, "parquet"))
    assert [len(read_graph(tmp_path / name).labels) for name in ("g.csv.gz", "g.npz", "g.parquet")] == [2, 2, 1]
    for module in (record, opening):
        monkeypatch.setattr(module, "available", lambda: 20_000)
    for name, said in [
        ("g.csv.gz", "unpacked, the gzip file has more than .*; split it"),
        ("g.npz", "bytes of arrays need about"),
        ("few.npz", "1000000 nodes need about 300 MB of memory, and 0 MB are free; the file has .* bytes: correct"),
        ("few.mtx", "line 2: 1000000 rows need about 300 MB of memory"),
        ("g.parquet", "2000000 cells need about 16 MB of memory, and 0 MB are free"),
    ]:
        with pytest.raises(InputError, match=said):
            read_graph(tmp_path / name)


@pytest.mark.parametrize(
    ("row", "said"),
    [("3 4 x", "expected 3 numbers in a row, got '3 4 x'"), ("3 41 1", "must be whole numbers from 1 to 40")],
)
def test_blocks_of_rows_are_one_matrix_and_an_error_names_its_line(tmp_path, monkeypatch, row, said):
    A = sp.coo_array(filled(40, 0.3))
    rows = [f"{i + 1} {j + 1} {x!r}" for i, j, x in zip(A.row.tolist(), A.col.tolist(), A.data.tolist(), strict=True)]
    head, path = f"%%MatrixMarket matrix coordinate real general\n40 40 {A.nnz}", tmp_path / "g.mtx"
    monkeypatch.setattr(matrices, "LIMITS", record.Limits(block_letters=64))
    path.write_text("\n".join([head, *rows]))
    assert (read_graph(path).graph != A).nnz == 0
    path.write_text("\n".join([head, *rows[:200], row, *rows[201:]]))
    with pytest.raises(InputError, match=f"line 203: .*{said}"):
        read_graph(path)


@pytest.mark.parametrize("kind", ["csv", "mtx", "parquet"])
def test_sums_of_large_whole_weights_are_exact(tmp_path, kind):
    ends, large = np.array([[1, 1, 2], [2, 2, 3]]), 2_000_000_000
    rows, path = [f"{i},{j},{w}" for (i, j), w in zip(ends.T, [large, large, 1], strict=True)], tmp_path / f"g.{kind}"
    if kind == "csv":
        path.write_text("\n".join(["source,target,weight", *rows]))
    elif kind == "mtx":
        head = "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3"
        path.write_text("\n".join([head, *(row.replace(",", " ") for row in rows)]))
    else:
        parquet, arrow = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
        weights = arrow.array([large, large, 1], arrow.int32())
        parquet.write_table(arrow.table({"source": ends[0], "target": ends[1], "weight": weights}), path)
    found = read_graph(path).graph
    A = nx.to_scipy_sparse_array(found, nodelist=[1, 2, 3]) if isinstance(found, nx.Graph) else found
    assert A.toarray().tolist() == [[0.0, 2.0 * large, 0.0], [2.0 * large, 0.0, 1.0], [0.0, 1.0, 0.0]]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_triangle_is_mirrored_and_its_diagonal_counts_once(sign):
    for n, m in [(1, 0), (1, 3), (5, 4), (40, 300)]:
        rng = np.random.default_rng(n + m)
        rows, cols, weights = rng.integers(0, n, m), rng.integers(0, n, m), rng.integers(0, 3, m).astype(float)
        upper = record.edge_matrix(n, rows, cols, weights, False)
        whole, dense = record.mirror(upper, sign), upper.toarray()
        assert np.array_equal(whole.toarray(), dense + sign * np.triu(dense, 1).T)
        assert (whole.has_canonical_format, whole.indices.dtype, whole.indptr.dtype) == (True, np.int32, np.int32)


@pytest.mark.parametrize("names", [[[3, -1], [3, 7]], [[2**62, -(2**62)], [5, 5]], [[], []]])
def test_whole_numbers_are_numbered_in_increasing_order(names):
    labels, places = record.numbered(np.array(names, dtype=np.int64))
    assert labels == sorted({x for row in names for x in row})
    assert np.array_equal(np.array(labels, dtype=np.int64)[places], np.array(names, dtype=np.int64))


def test_a_second_interrupt_leaves_no_temporary_file(tmp_path, monkeypatch):
    unlink, calls = pathlib.Path.unlink, []

    def interrupted(path, **how):
        calls.append(path)
        if len(calls) == 1:
            raise KeyboardInterrupt
        unlink(path, **how)

    def write():
        with atomic(tmp_path / "out.csv") as temporary:
            temporary.write_text("half")
            raise SystemExit(143)

    monkeypatch.setattr(pathlib.Path, "unlink", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write()
    assert list(tmp_path.iterdir()) == []


MATRIX = sp.csr_array(filled(50, 0.2))


def replaced(values, at, value):
    changed = values.copy()
    changed[at] = value
    return changed


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"indices": replaced(MATRIX.indices, 3, 50)}, "ind(ices|ex values) must be < 50"),
        ({"indices": replaced(MATRIX.indices, 3, -1)}, "ind(ices|ex values) must be >= 0"),
        ({"indptr": replaced(MATRIX.indptr, 5, 10**6)}, "non-decreasing sequence"),
        ({"indptr": replaced(MATRIX.indptr, 5, -4)}, "non-decreasing sequence"),
        ({"data": MATRIX.data[:5]}, "indices and data should have the same size"),
        ({"shape": np.array([40, 40])}, r"index pointer size \(?51\)? should be \(?41"),
        ({"format": np.array(b"csc"), "indptr": replaced(MATRIX.indptr, 5, 10**6)}, "non-decreasing"),
    ],
)
@pytest.mark.parametrize("command", ["layout", "embed"])
def test_a_stored_matrix_with_numbers_beyond_its_shape_is_refused(tmp_path, monkeypatch, capsys, change, said, command):
    monkeypatch.chdir(tmp_path)
    parts = {name: getattr(MATRIX, name) for name in ("data", "indices", "indptr")}
    np.savez("g.npz", **{**parts, "shape": np.array(MATRIX.shape), "format": np.array(b"csr"), **change})
    assert main([command, "g.npz", "-o", "out.csv"]) == 1
    # SciPy's own words differ between its versions
    assert re.search(f"nelayout: g.npz: cannot be read as a sparse matrix: .*{said}", capsys.readouterr().err)
    assert [path.name for path in tmp_path.iterdir()] == ["g.npz"]


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"rows": [0, 5], "cols": [1, 2], "n": 3}, r"rows and cols must be in 0 \.\. 2, as n is 3; got 5"),
        ({"rows": [0, -1], "cols": [1, 2], "n": 3}, r"rows and cols must be in 0 \.\. 2, as n is 3; got -1"),
        ({"rows": np.array([2], np.uint64), "cols": [-1], "n": 3}, r"0 \.\. 2, as n is 3; got -1"),
        ({"rows": np.array([2**63], np.uint64), "cols": [0]}, "9223372036854775809 nodes need about"),
        ({"rows": [0], "cols": [1], "n": -3}, "n must be the number of nodes, 0 or more; got -3"),
        ({"rows": [0], "cols": [1], "n": 2.5}, "n must be one whole number; got float64"),
        ({"rows": [0], "cols": [1], "n": "x"}, "n must be one whole number; got <U1"),
        ({"rows": [0], "cols": [1], "n": [3, 4]}, r"n must be one whole number; got int64 \(2,\)"),
        ({"rows": [0], "cols": [1], "directed": [1, 0]}, r"directed must be one whole number; got int64 \(2,\)"),
        ({"rows": [0], "cols": [5], "n": 2}, r"must be in 0 \.\. 1"),
        ({"rows": [0, 1], "cols": [1], "n": 2}, "one pair per edge"),
        ({"rows": [0.5], "cols": [1], "n": 2}, "must be integers"),
        ({"rows": [0], "cols": [1], "n": 2, "weights": [1, 2]}, "one per edge"),
        ({"X": np.zeros((3, 2))}, r"shape \(3, 2\)"),
        (np.eye(3), "holds a single array; expected rows, cols and n"),
        ({"X": np.zeros(3), "y": np.zeros(3)}, "holds X, y; expected rows, cols and n"),
        ({"rows": np.array([None]), "cols": [1]}, "cannot be read as npz"),
    ],
)
def test_arrays_of_an_archive_are_checked(tmp_path, arrays, said):
    with (tmp_path / "g.npz").open("wb") as sink:
        np.savez(sink, **arrays) if isinstance(arrays, dict) else np.save(sink, arrays)
    with pytest.raises(InputError, match=said):
        read_graph(tmp_path / "g.npz")


@pytest.mark.parametrize("kind", [*WRITERS, "png", "html"])
def test_a_full_device_is_one_line(tmp_path, monkeypatch, capsys, kind):
    full = pathlib.Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no device that is always full")
    monkeypatch.chdir(tmp_path)
    pathlib.Path("g.csv").write_text("a,b\nb,c\n")
    before = set(pathlib.Path(tempfile.gettempdir()).glob(".full.*"))
    assert main(["layout", "g.csv", "-o", str(full), "--format", f":{kind}", "--max-iter", "1", "--quiet"]) == 1
    said = "cannot be written: No space left on device; free some space or choose another folder"
    assert capsys.readouterr().err == f"nelayout: /dev/full: {said}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["g.csv"]
    assert set(pathlib.Path(tempfile.gettempdir()).glob(".full.*")) <= before


def test_a_long_wait_for_a_file_is_said_once_and_a_short_one_is_not(tmp_path, monkeypatch, capsys):
    path = tmp_path / "g.csv"
    path.write_text("a,b\nb,c\n")
    read_graph(path)
    assert capsys.readouterr().err == ""
    slow = FORMATS["edgelist"]
    waiting = replace(slow, read=lambda *given: (time.sleep(0.3), slow.read(*given))[1])
    monkeypatch.setitem(FORMATS, "edgelist", waiting)
    monkeypatch.setattr(notices, "NOTICE_AFTER_SECONDS", 0.05)
    assert len(read_graph(path).labels) == 3
    assert capsys.readouterr().err == f"nelayout: reading {path}, 0 MB\n"
    with notices.listening(lambda _: None):  # as --quiet does
        read_graph(path)
    assert capsys.readouterr().err == ""
