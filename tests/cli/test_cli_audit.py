"""`nelayout audit`: it says what `nl.audit` says, and refuses what cannot be judged."""

import json
import re

import networkx as nx
import numpy as np
import pytest

import nelayout as nl


@pytest.fixture
def folder(tmp_path, nelayout):
    """A grid with a drawing in which two nodes are exchanged; run from its folder."""
    G = nx.convert_node_labels_to_integers(nx.grid_2d_graph(8, 8))
    for v in G:
        G.nodes[v]["half"] = "ab"[v // 32]
    nx.write_graphml(G, tmp_path / "graph.graphml")
    places = {v: (v // 8, v % 8) for v in G}
    places[10], places[53] = places[53], places[10]
    write(tmp_path / "pos.csv", places)
    return tmp_path


def write(path, places):
    path.write_text("".join(["node,x,y\n", *(f"{v},{x},{y}\n" for v, (x, y) in places.items())]))


def test_the_page_the_records_and_the_text_hold_the_faults(folder, nelayout):
    code, out, _ = nelayout("audit graph.graphml --pos pos.csv -o audit.html --classes half")
    assert code == 0
    page = (folder / "audit.html").read_text()
    assert not re.search(r"(src|href)=", page)
    assert nelayout("audit graph.graphml --pos pos.csv -o audit.json --quiet --classes half --seed 0") == (0, "", "")
    found = json.loads((folder / "audit.json").read_text())
    assert {fault["node"] for fault in found["misplaced"]} == {"10", "53"}
    assert {row["measure"] for row in found["measures"]} >= {"stress", "class_auc"}
    assert [row["share"] for row in found["measures"] if row["measure"] == "edge_length_variation"] == [None]
    for text in (out, page):
        assert found["verdict"] in text
        assert all(fault["sentence"] in text for fault in found["misplaced"])


def test_rows_of_a_table_are_audited_in_the_order_of_their_positions(folder, nelayout):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5)) + 8.0 * np.repeat(np.eye(3, 5), 20, axis=0)
    lines = [",".join(map(repr, row)) for row in X.tolist()]
    (folder / "table.csv").write_text("\n".join(["a,b,c,d,e", *lines]) + "\n")
    Y = np.asarray(nl.embed(X, random_state=0))
    write(folder / "rows.csv", dict(enumerate(Y.tolist())))
    code, out, _ = nelayout("audit table.csv --pos rows.csv")
    assert code == 0
    assert out.startswith("The drawing is")
    write(folder / "rows.csv", dict(enumerate(Y[:50].tolist())))
    code, _, said = nelayout("audit table.csv --pos rows.csv")
    assert code == 1
    assert "50 positions" in said


@pytest.mark.parametrize(
    ("command", "line", "code"),
    [
        ("audit graph.graphml --pos few.csv", "--pos has no position for node", 1),
        ("audit graph.graphml --pos missing.csv", "there is no file 'missing.csv", 1),
        ("audit missing.graphml --pos pos.csv", "there is no file 'missing.graphml", 1),
        ("audit graph.graphml --pos pos.csv -o audit.png", "", 1),
        ("audit graph.graphml --pos pos.csv --classes whole", "unknown node attribute for --classes", 1),
        ("audit graph.graphml --pos pos.csv -o graph.graphml", "", 1),
        ("audit graph.graphml --pos pos.csv --quiet", "without -o OUT", 2),
    ],
)
def test_wrong_input_is_refused(folder, fails, command, line, code):
    write(folder / "few.csv", {v: (v, v) for v in range(5)})
    fails(command, line, code)


def test_an_audit_needs_positions(folder, nelayout):
    assert nelayout("audit graph.graphml -o audit.html")[0] == 2
    assert not (folder / "audit.html").exists()


def test_row_numbers_lead_positions_to_their_rows(folder, nelayout):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(40, 4))
    (folder / "table.csv").write_text("\n".join(["a,b,c,d", *(",".join(map(repr, row)) for row in X.tolist())]) + "\n")
    places = dict(enumerate(X[:, :2].tolist()))
    write(folder / "rows.csv", places)
    write(folder / "backward.csv", dict(reversed(places.items())))
    one, two = (nelayout(f"audit table.csv --pos {name}.csv") for name in ("rows", "backward"))
    assert one[0] == 0
    assert one == two


def test_options_of_graphs_are_refused_with_a_table(folder, nelayout):
    rng = np.random.default_rng(4)
    (folder / "table.csv").write_text("\n".join(["a,b,c,d", *(",".join(map(str, row)) for row in rng.random((9, 4)))]))
    write(folder / "rows.csv", dict(enumerate(rng.random((9, 2)).tolist())))
    for option in ("--weight a", "--weight-kind log"):
        code, _, said = nelayout(f"audit table.csv --pos rows.csv {option}")
        assert code == 2
        assert f"{option.split()[0]} is for graphs, and table.csv is a table of rows" in said
