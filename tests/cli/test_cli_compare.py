"""`nelayout compare`: its numbers are those of `nl.compare`, its drawings those of the layouts."""

import csv
import io
import json
import math
from pathlib import Path

import igraph
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from pages import data_of

import nelayout as nl
from nelayout.cli.compare_command import _notes

KINDS = "xxxxxyyyy"


@pytest.fixture
def folder(tmp_path, nelayout):
    """A graph of two joined cliques and one tail, with classes, places and weights; run from its folder."""
    G = nx.barbell_graph(4, 1)
    for v in G:
        G.nodes[v].update(kind=KINDS[v], east=math.cos(v), north=float(v), lon=10.0 * v, lat=60.0)
    nx.set_edge_attributes(G, {edge: 1 + k % 3 for k, edge in enumerate(G.edges)}, "weight")
    nx.write_graphml(G, tmp_path / "graph.graphml")
    circle = nx.circular_layout(G)
    lines = [f"{v},{x!r},{y!r}\n" for v, (x, y) in ((v, circle[v].tolist()) for v in circle)]
    (tmp_path / "circle.csv").write_text("".join(["node,x,y\n", *lines, "elsewhere,0,0\n"]))
    return tmp_path


def compared(*drawings, **options):
    """What the library says of the same drawings."""
    G = nx.read_graphml("graph.graphml")
    positions = {}
    for name in drawings:
        circle = nx.circular_layout(G)
        positions[name] = circle if name == "circle" else nl.layout(G, name, seed=0)
    return nl.compare(G, positions, **options)


def values(comparison):
    return {name: {key: m.value for key, m in row.items()} for name, row in comparison.measured.items()}


@pytest.fixture
def compare(folder, nelayout):
    """Compare without a word, and read the table."""

    def run(options):
        assert nelayout(f"compare {options} -o out.csv --quiet") == (0, "", "")
        return read_table("out.csv")

    return run


def read_table(path):
    """The values, without the seconds, which no two runs share."""
    with Path(path).open(newline="") as file:
        rows = list(csv.DictReader(file))
    kept = [{key: value for key, value in row.items() if key != "seconds"} for row in rows]
    return {row.pop("drawing"): {key: float(value) for key, value in row.items()} for row in kept}


def test_the_table_is_that_of_the_library(folder, nelayout):
    code, _, said = nelayout("compare graph.graphml -m ws-sne -m GAMMA_QUADLOG -o out.csv --classes kind")
    assert (code, said) == (0, "")
    expected = compared("ws-sne", "gamma-quadlog", labels="kind")
    assert read_table("out.csv") == values(expected)
    pandas = pytest.importorskip("pandas")
    table = pandas.read_csv("out.csv", index_col=0, dtype=str).astype(float)  # the parser of old versions rounds
    assert (table.pop("seconds") > 0).all()
    assert table.to_dict("index") == expected.table.to_dict("index")


@pytest.mark.full
def test_records_hold_the_same_and_null_for_what_cannot_be_measured(folder, nelayout):
    (folder / "lonely.json").write_text('{"nodes": [{"id": "a"}, {"id": "b"}], "edges": []}')
    assert nelayout("compare lonely.json -m ws-sne -o out.json --quiet")[0] == 0
    (record,) = json.loads((folder / "out.json").read_text())
    assert (record["drawing"], record["neighborhood"], record["coincident"]) == ("ws-sne", None, 0.0)
    assert nelayout("compare graph.graphml -m tsne -o out.json --quiet")[0] == 0
    (record,) = json.loads((folder / "out.json").read_text())
    assert record.pop("seconds") > 0
    assert {"drawing": "tsne", **values(compared("tsne"))["tsne"]} == record


@pytest.mark.full
def test_a_method_with_several_settings(compare, fails):
    found = compare("graph.graphml -m nerv --set kappa=0.2 -m tsne -m nerv -m nerv:0.8")
    G = nx.read_graphml("graph.graphml")
    drawings = {
        "nerv kappa=0.2": nl.nerv_layout(G, kappa=0.2, seed=0), "tsne": nl.tsne_layout(G, seed=0),
        "nerv": nl.nerv_layout(G, seed=0), "nerv:0.8": nl.nerv_layout(G, kappa=0.8, seed=0),
    }
    assert found == values(nl.compare(G, drawings))
    for early in ("--set kappa=0.2 -m nerv", "-m nerv --pos circle=circle.csv --set kappa=0.2"):
        line = "--set kappa must follow the -m METHOD of the parameter"
        fails(f"compare graph.graphml -o out.csv {early}", line, 2)


def test_options_are_those_of_the_layouts(compare):
    options = "--weight none --mass unit --seed 3 --max-iter 7 --smoothing 0.5"
    found = compare(f"graph.graphml -m gamma-quadlog {options}")
    G = nx.read_graphml("graph.graphml")
    pos = nl.gamma_quadlog_layout(G, weight=None, mass="unit", seed=3, max_iter=7, smoothing=0.5)
    assert found == values(nl.compare(G, {"gamma-quadlog": pos}, weight=None, seed=3))


@pytest.mark.parametrize("names", ["east,north", "lon,lat", "lat,lon"])
def test_true_coordinates(folder, nelayout, names):
    code, _, said = nelayout(f"compare graph.graphml -m ws-sne -o out.csv --coords {names}")
    note = "nelayout: lon and lat are degrees: the map is true to shape at latitude 60\n"
    assert (code, said) == (0, "" if "east" in names else note)
    G = nx.read_graphml("graph.graphml")
    data = G.nodes
    flat = {v: (data[v]["east"], data[v]["north"]) for v in G}
    globe = {v: (0.5 * data[v]["lon"], data[v]["lat"]) for v in G}  # cos 60 degrees is 1/2
    expected = nl.compare(G, {"ws-sne": nl.ws_sne_layout(G, seed=0)}, coords=flat if "east" in names else globe)
    assert read_table("out.csv")["ws-sne"] == pytest.approx(values(expected)["ws-sne"], rel=1e-12)


def test_true_coordinates_of_an_archive_and_a_drawing_of_a_matrix(folder, compare):
    places, rows = np.random.default_rng(0).random((6, 2)), np.arange(6)
    np.savez("ring.npz", rows=rows, cols=(rows + 1) % 6, n=6, coords=places)
    lines = [f"{i},{x!r},{y!r}\n" for i, (x, y) in enumerate((2 * places).tolist())]
    (folder / "there.csv").write_text("".join(["node,x,y\n", *lines]))
    found = compare("ring.npz --pos there=there.csv -m ws-sne --coords coords")
    assert found["there"]["map_r2"] == pytest.approx(1.0, abs=1e-12)  # twice as large is the same map
    ring = sp.csr_array((np.ones(6), (rows, (rows + 1) % 6)), shape=(6, 6))
    ring = ring + ring.T
    Y = nl.ws_sne_layout(ring, seed=0)
    assert found["ws-sne"] == values(nl.compare(ring, {"a": Y}, coords=places))["a"]


def test_standard_output_is_the_table_in_columns(folder, nelayout):
    table, verdict = nelayout("compare graph.graphml -m ws-sne --pos circle=circle.csv -o out.csv")[1].split("\n\n")
    lines = table.splitlines()
    assert lines.pop() == "edge_length_variation and resolution describe a drawing: no star"
    assert lines.pop() == "↑ higher is better, ↓ lower is better, * best, or not clearly worse"
    name, *seconds = lines.pop().split()
    assert (name, seconds[1]) == ("seconds", "–")  # of a file
    assert float(seconds[0]) > 0
    assert verdict.splitlines()[-1].startswith("ws-sne: one seed each")
    assert "(--seeds 10 draws ten)" in verdict
    assert lines[0].split() == ["ws-sne", "circle"]
    table = read_table("out.csv")
    assert [line.split()[0] for line in lines[1:]] == list(table["ws-sne"])
    ends, better = set(), {line["name"]: line["better"] for line in nl.measures()}
    for line in lines[1:]:
        name, arrow, *cells = line.split()
        assert arrow == {"higher": "↑", "lower": "↓"}[better[name]]
        for cell, drawing in zip(cells, ("ws-sne", "circle"), strict=True):
            assert float(cell.rstrip("*")) == pytest.approx(table[drawing][name], rel=1e-3)
        ends.add(line.index(cells[0]) + len(cells[0].rstrip("*")))
    assert len(ends) == 1  # one under the other
    stress = next(line for line in lines if line.startswith("stress"))
    best = min(table, key=lambda drawing: table[drawing]["stress"])
    assert [cell.endswith("*") for cell in stress.split()[2:]] == [best == "ws-sne", best == "circle"]
    assert "*" not in next(line for line in lines if line.startswith("coincident"))  # both have none


def test_plain_signs_where_standard_output_knows_no_others(folder, nelayout, monkeypatch):
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr("sys.stdout", out)
    assert nelayout("compare graph.graphml -m ws-sne --pos größe=circle.csv -o out.csv")[0] == 0
    said = out.buffer.getvalue().decode("ascii")
    assert "gr??e" in said
    assert "^ higher is better, v lower is better" in said


def test_quiet_says_nothing_and_a_dash_holds_the_file_alone(folder, nelayout, compare):
    table = compare("graph.graphml -m ws-sne")
    found = nelayout("compare graph.graphml -m ws-sne -o - --format csv")[1]
    (folder / "again.csv").write_text(found)
    assert read_table("again.csv") == table
    assert found.count("\n") == 2


@pytest.mark.parametrize(("ending", "head"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_figures(folder, nelayout, ending, head):
    pytest.importorskip("matplotlib")
    before = set(folder.iterdir())
    assert nelayout(f"compare graph.graphml -m ws-sne -m ee --classes kind -o out.{ending} --quiet")[0] == 0
    assert (folder / f"out.{ending}").read_bytes().startswith(head)
    assert set(folder.iterdir()) - before == {folder / f"out.{ending}"}


def test_the_page_is_that_of_the_library(folder, nelayout):
    command = "compare graph.graphml -m ws-sne --pos circle=circle.csv --color kind --label kind -o out.html --quiet"
    assert nelayout(command)[0] == 0
    theirs = data_of(compared("ws-sne", "circle").page(color="kind", labels="kind", title="graph.graphml").html())
    ours = data_of((folder / "out.html").read_text())
    for drawing in (*ours["drawings"], *theirs["drawings"]):
        drawing.pop("facts")  # the seconds
    assert repr(ours) == repr(theirs)
    assert ours["color"] == "kind"


@pytest.mark.skipif(not hasattr(igraph.Graph, "layout_drl"), reason="this igraph has no DrL")
@pytest.mark.full
def test_peers_by_name_and_several_seeds(folder, nelayout):
    drawings = "-m nx:spring --pos circle=circle.csv -m igraph:drl -m networkx:kamada-kawai"
    code, out, _ = nelayout(f"compare graph.graphml {drawings} --seeds 3 -o out.json")
    assert (code, "± the standard deviation over seeds" in out) == (0, True)
    G = nx.read_graphml("graph.graphml")
    numbered = nx.convert_node_labels_to_integers(G)
    expected = [
        nl.compare(G, [dict(zip(G, nx.spring_layout(numbered, seed=seed).values(), strict=True))]) for seed in range(3)
    ]
    records = {record["drawing"]: record for record in json.loads((folder / "out.json").read_text())}
    assert list(records) == ["nx:spring", "circle", "igraph:drl", "nx:kamada_kawai"]
    stress = [one.measured["given"]["stress"].value for one in expected]
    assert records["nx:spring"]["stress"] == pytest.approx(np.mean(stress), rel=1e-9)
    assert records["nx:spring"]["spread"]["stress"] == pytest.approx(np.std(stress, ddof=1), rel=1e-9)
    assert "spread" not in records["circle"]
    assert "spread" not in records["nx:kamada_kawai"]  # it is the same with every seed


def test_the_measures_of_the_table_are_chosen(compare, fails):
    assert list(compare("graph.graphml -m ws-sne --measures stress,crossings")["ws-sne"]) == ["stress", "crossings"]
    assert "did you mean 'stress'" in fails("compare graph.graphml -m ws-sne --measures stess", "unknown measure")


def test_without_an_output_the_table_is_printed(folder, nelayout):
    before = set(folder.iterdir())
    table, verdict = nelayout("compare graph.graphml --pos a=circle.csv --pos b=circle.csv")[1].split("\n\n")
    assert table.startswith(" ")
    assert verdict == "a and b cannot be told apart by these measures.\n"
    assert set(folder.iterdir()) == before


def test_a_peer_that_is_not_there_is_named_and_left_out(folder, nelayout, monkeypatch):
    monkeypatch.setenv("PATH", "")
    line = "left out: there is no program sfdp (it comes with Graphviz, such as apt install graphviz)\n"
    code, _, said = nelayout("compare graph.graphml -m graphviz:sfdp --pos a=circle.csv -o out.csv")
    assert (code, said) == (0, f"nelayout: graphviz:sfdp: {line}")
    assert list(read_table("out.csv")) == ["a"]
    code, _, said = nelayout("compare graph.graphml -m graphviz:sfdp")
    assert (code, "no drawing is left to compare" in said) == (1, True)


def test_a_note_names_its_method_unless_all_say_it(folder, nelayout):
    assert list(_notes({"a": ("one", "two"), "b": ("one",), "c": ("one", "three")})) == ["one", "a: two", "c: three"]
    G = nx.read_graphml("graph.graphml")
    for *_, data in G.edges(data=True):
        data["strength"] = data.pop("weight")
    nx.write_graphml(G, "other.graphml")
    note = "no edge has the attribute 'weight', all weigh 1; --weight strength would use the numbers there\n"
    assert nelayout("compare other.graphml -m ws-sne -m linlog -o out.csv")[::2] == (0, f"nelayout: {note}")


@pytest.mark.parametrize(("ending", "write"), [("tex", nl.Comparison.to_latex), ("md", nl.Comparison.to_markdown)])
def test_tables_for_papers(ending, write, folder, nelayout):
    assert nelayout(f"compare graph.graphml --pos circle=circle.csv -o table.{ending} --quiet")[0] == 0
    assert Path(f"table.{ending}").read_text() == write(compared("circle"))
