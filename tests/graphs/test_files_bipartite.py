"""Tables of two kinds of nodes, and matrices that are filled on one side of the diagonal."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from nelayout.cli import main
from nelayout.errors import InputError
from nelayout.graphs import read
from nelayout.graphs.files.arrow import encode_columns
from nelayout.graphs.files.record import Limits

ROWS = [(1, 1, 5), (2, 1, 3), (2, 3, 1), (7, 2, 4)]


def contents(names=("user", "item"), rows=ROWS):
    heads = [*names, "stars"]
    text = "\n".join(",".join(map(str, row)) for row in rows) + "\n"
    yield "t.csv", f"{','.join(heads)}\n{text}", {}
    yield "t.txt", text.replace(",", " "), {"source": "1", "target": "2"}
    yield "t.parquet", encode_columns(dict(zip(heads, zip(*rows, strict=True), strict=True)), "parquet"), {
        "source": names[0],
        "target": names[1],
    }


def weights(file):
    """{(kind and name, kind and name): weight} in the order of the columns."""
    G, known = file.graph, file.node_data
    if not hasattr(G, "edges"):
        G = nx.relabel_nodes(nx.from_scipy_sparse_array(G), dict(enumerate(file.labels)))
    name = dict(zip(file.labels, zip(known["kind"], known["name"], strict=True), strict=True))
    first = known["kind"][0]
    return {tuple(sorted((name[u], name[v]), key=lambda x: x[0] != first)): w for u, v, w in G.edges(data="weight")}


@pytest.mark.parametrize("matrix", [False, True])
@pytest.mark.parametrize("k", range(3))
def test_equal_names_in_both_columns_are_two_nodes(load, monkeypatch, k, matrix):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr("nelayout.graphs.files.record.LIMITS", Limits(networkx_edges=0 if matrix else 9))
    name, content, how = list(contents())[k]
    weight = {} if name == "t.txt" else {"weight": "stars"}
    one = load(name, content, **how, **weight)
    assert len(one.labels) == 4
    if name != "t.txt":
        assert any("bipartite=True makes two nodes of them" in note for note in one.notes)
    file = load(name, content, bipartite=True, **how)
    u, v = ("column 1", "column 2") if name == "t.txt" else ("user", "item")
    assert file.labels == [f"{u} 1", f"{u} 2", f"{u} 7", f"{v} 1", f"{v} 2", f"{v} 3"]
    assert not any("equal names" in note for note in file.notes)
    if not matrix and name != "t.parquet":
        assert weights(file) == {((u, a), (v, b)): w for a, b, w in ROWS}
    assert nx.is_bipartite(nx.from_scipy_sparse_array(read(file).adjacency))


def test_distinct_names_stay_as_they_are_and_kinds_are_known(load):
    file = load("t.csv", "author,paper\nann,P1\nbob,P1\nbob,P2\n", source="author", target="paper", bipartite=True)
    assert file.labels == ["ann", "bob", "P1", "P2"]
    assert file.node_data["kind"] == ["author", "author", "paper", "paper"]


def test_a_heading_that_begins_with_the_other_one_keeps_nodes_apart(load):
    file = load("t.csv", "user,user group\ngroup 5,a\nb,5\n5,b\n", source="user", target="user group", bipartite=True)
    assert len(set(file.labels)) == 6
    assert len(file.graph.edges) == 3


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("person,town,years\nRome,Oslo,1\nann,Rome,2\nbob,Oslo,1\ncid,Bonn,3\ndan,Lima,1\n", "1 name, such as 'Rome'"),
        ("person,friend,years\nann,bob,1\nbob,ann,2\ncid,ann,3\n", ""),
        ("source,target\n1,1\n1,2\n", ""),
    ],
)
def test_few_equal_names_are_said_and_a_network_of_persons_is_not(load, content, said):
    notes = [note for note in load("t.csv", content).notes if "equal names are one node" in note]
    assert len(notes) == bool(said)
    assert all(said.replace("'", "") in note.replace("'", "") for note in notes)


@pytest.mark.parametrize("corner", ["", "guest"])
def test_a_table_of_rows_and_columns_is_a_bipartite_graph(load, corner):
    names = ["mon", "tue", "wed", "thu", "fri"]
    rows = {"ann": [1, 0, 1, 0, 0], "bob": [0, 1, "", 0, 0], "fri": [0, 0, 0, 1, 1]}
    text = f"{corner},{','.join(names)}\n" + "".join(f"{row},{','.join(map(str, x))}\n" for row, x in rows.items())
    file = load("t.csv", text, bipartite=True)
    known = dict(zip(file.labels, zip(file.node_data["kind"], file.node_data["name"], strict=True), strict=True))
    found = {tuple(known[end][1] for end in pair) for pair in file.graph.edges}
    assert found == {(row, names[k]) for row, x in rows.items() for k, value in enumerate(x) if value == 1}
    assert {kind for kind, _ in known.values()} == {corner or "row", "column"}
    assert any("1 cell without a number" in note for note in file.notes)


def test_bipartite_is_for_tables(load, tmp_path, monkeypatch, capsys):
    with pytest.raises(InputError, match="bipartite is for a table of edges; this is json"):
        load("g.json", '{"nodes": [{"id": 1}], "links": []}', bipartite=True)
    (tmp_path / "t.csv").write_text("user,item\n1,1\n2,1\n")
    monkeypatch.chdir(tmp_path)
    assert main(["layout", "t.csv", "--bipartite", "-o", "out.csv"]) == 0
    assert (tmp_path / "out.csv").read_text().count("user ") == 2
    assert main(["layout", "t.csv", "-o", "out.csv"]) == 0
    assert "equal names are one node; --bipartite makes two nodes of them" in capsys.readouterr().err


# matrices that are filled on one side


LOWER = np.array([[2.0, 0, 0, 0], [3, 0, 0, 0], [0, 1.5, 0, 0], [4, 0, 2, 1]])
NAMES = ["d", "c", "b", "a"]


def frame(A):
    return pd.DataFrame(A, index=NAMES, columns=NAMES)


@pytest.mark.parametrize("A", [LOWER, LOWER.T], ids=["lower", "upper"])
@pytest.mark.parametrize("kind", ["csv", "blank cells", "frame"])
def test_one_triangle_is_an_undirected_graph(load, A, kind):
    whole = LOWER + LOWER.T - np.diag(np.diag(LOWER))
    text = frame(A).to_csv() if kind == "csv" else frame(A).replace(0, np.nan).to_csv()
    network = read(frame(A) if kind == "frame" else load("t.csv", text))
    assert not network.directed
    assert any("on one side of the diagonal" in note for note in network.notes)
    expected = read(frame(whole) if kind == "frame" else load("w.csv", frame(whole).to_csv()))
    assert list(network.labels) == list(expected.labels)
    assert np.array_equal(network.adjacency.toarray(), expected.adjacency.toarray())
    assert not any("diagonal" in note for note in expected.notes)


def test_numbers_on_both_sides_have_a_direction(load):
    A = LOWER.copy()
    A[0, 3] = 9
    assert read(load("t.csv", frame(A).to_csv())).directed
    assert read(frame(A)).directed
