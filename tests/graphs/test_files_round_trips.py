"""Graphs with all that names, values and edges can be: written in every format, and read by nelayout and by others."""

from __future__ import annotations

import json
import re
from datetime import datetime
from decimal import Decimal

import networkx as nx
import numpy as np
import pandas
import pyarrow
import pytest

from nelayout.cli import main
from nelayout.graphs import read
from nelayout.graphs.files import FORMATS, POSITIONS, WRITERS, Look, read_graph, read_positions, write_positions
from nelayout.graphs.files.writers import not_held, renamed
from nelayout.graphs.plain import plain_value


def triangle(*names, **weights):
    a, b, c = names or "abc"
    return nx.Graph([(a, b, {"weight": 2.5} | weights), (b, c, {"weight": 1.0} | weights)])


# The key of the edges: networkx 3.3 has another keyword for it.
EDGES = {"edges" if nx.__version__ >= "3.4" else "link": "edges"}


def with_attributes(nodes=(), edges=()):
    G = triangle()
    for node, name, value in nodes:
        G.nodes[node][name] = value
    for k, name, value in edges:
        G.edges[list(G.edges)[k]][name] = value
    return G


def parallel(kind, *keys):
    return kind([("a", "b", key, {"weight": w}) for w, key in zip((1.0, 2.0), keys or (0, 1), strict=True)])


def mixed():
    G = nx.Graph([("a", "b", {"type": "directed", "key": "K", "start": "s", "spells": 3, "weight": 2})])
    G.add_edges_from([("b", "c", {"f": True, "weight": 1.5}), ("c", "a", {"f": 3, "weight": np.float64(2)})])
    nx.set_node_attributes(G, {"a": {"age": 1, "size": "big", "own_size": "old"}, "b": {"age": "n/a"}})
    return G


GRAPHS = {
    "types and reserved names": mixed(),
    "edges with ids": nx.MultiGraph(
        [("a", "b", 0, {"weight": 1}), ("a", "b", "k", {"weight": 2.5, "id": "7"}), ("b", "c", 0, {"id": "7"})]
    ),
    "numbers and parallel arcs": nx.MultiDiGraph([(0, 1), (0, 1), (1, 2)]),
    "mixed types": with_attributes([("a", "v", 1), ("b", "v", "x"), ("c", "v", 2.5)], [(0, "w", True), (1, "w", "x")]),
    "missing values": with_attributes([("a", "v", 1), ("b", "v", None), ("c", "u", float("nan"))], [(0, "e", 3)]),
    "a missing weight": nx.Graph([("a", "b", {"weight": 2.5}), ("b", "c", {})]),
    "blanks": triangle(" lead", "in  ner", "trail "),
    "quotes": triangle('say "hi"', "O'Neil", '"'),
    "line breaks": triangle("two\nlines", "tab\tx", "c"),
    "umlauts": triangle("Müller", "Ångström", "中文"),
    "emoji": triangle("😀", "👩\u200d👧", "e\u0301"),
    "numbers as text": triangle("1", "007", "1e3"),
    "whole numbers": triangle(1, 2, 10),
    "names as of edges": triangle("e0", "e1", "ee2"),
    "pairs": triangle((0, 1), (0, 2), (1, 1)),
    "words for nothing": triangle("NA", "null", "nan"),
    "signs of tables": triangle("#a", "%b", "sep=;"),
    "markup": triangle("<b>&amp;</b>", "]]>", "\\u0041&#65;"),
    "parallel edges": parallel(nx.MultiGraph),
    "keys": parallel(nx.MultiGraph, "x", "y"),
    "parallel directed edges": nx.MultiDiGraph([("a", "b", {"weight": 1}), ("b", "a", {"weight": 3}), ("a", "b", {})]),
    "directed": nx.DiGraph([("a", "b", {"weight": 2.5}), ("c", "b", {"weight": 1.0})]),
    "loops": nx.Graph([("a", "b", {"weight": 2.5}), ("a", "a", {"weight": 4.0})]),
    "weights under another name": nx.Graph([("a", "b", {"strength": 2.5}), ("b", "c", {"strength": 1.0})]),
    "isolated nodes": nx.union(triangle(), nx.empty_graph(["alone", "solo"])),
    "groups": with_attributes([("a", "group", "red one"), ("b", "group", "blue"), ("c", "group", "red one")]),
    "names of formats": with_attributes(
        [("a", name, "own") for name in ("id", "label", "name", "size", "value", "key", "parent", "position")],
        [(k, name, "own") for k in (0, 1) for name in ("id", "source", "target", "type", "label", "key", "start")],
    ),
    "lists": with_attributes([("a", "v", [1, 2]), ("b", "v", {"k": 1})], [(0, "v", [1, "x"])]),
    "values of NumPy": triangle(weight=np.float32(2.5)),
    "huge numbers": with_attributes([("a", "v", 2**70), ("b", "v", 1)], [(0, "weight", 1e20), (1, "weight", 1e-300)]),
    "no edges": nx.empty_graph(["a", "b"]),
    "nothing": nx.Graph(),
}
# Names that Pajek's lines do not hold are written with other signs.
PAJEK = {"quotes", "line breaks"}


def weight_of(name):
    return "strength" if "another" in name else "weight"


def edges(G, weight):
    """The ends as text and the weight of every edge, in one order."""
    ends = ((u, v, own.get(weight)) for u, v, own in G.edges(data=True))
    return sorted((*sorted(map(str, (u, v))), repr(None if w is None else float(w))) for u, v, w in ends)


def write(folder, name, kind):
    G = GRAPHS[name]
    path = folder / f"g.{FORMATS[kind].endings[0] if kind in FORMATS else kind}"
    far = 1e300 if kind != "pajek" else 1.0
    pos = {node: (0.1 + k * far, (-1e-17, 1 / 3, -k / 3)[k % 3]) for k, node in enumerate(G)}
    before = G.copy()
    write_positions(path, G, pos, kind, look=Look(weight=weight_of(name)))
    for changed, kept in ((G.nodes, before.nodes), (G.edges, before.edges)):
        assert str(changed(data=True)) == str(kept(data=True))
    return path, {str(node): place for node, place in pos.items()}


def content(folder, G, kind):
    """The bytes that nelayout writes for a graph."""
    write_positions(folder / "file", G, nx.circular_layout(G), format=kind)
    return (folder / "file").read_bytes()


# Missing values as NumPy, pandas and the standard library have them.
ABSENT = {
    "nan": float("nan"), "float32": np.float32("nan"), "decimal": Decimal("NaN"), "masked": np.ma.masked,
    "date": np.datetime64("NaT"), "duration": np.timedelta64("NaT", "s"), "NaT": pandas.NaT, "NA": pandas.NA,
    "arrow": pyarrow.scalar(None, pyarrow.int64()),
}  # fmt: skip


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("value", ABSENT)
def test_a_missing_value_of_any_package_is_written_like_none(tmp_path, value, kind):
    given, none = (
        with_attributes([("a", "v", x), ("b", "v", "y"), ("c", "u", x)], [(0, "e", x), (1, "e", 2.5), (0, "weight", x)])
        for x in (ABSENT[value], None)
    )
    assert content(tmp_path, given, kind) == content(tmp_path, none, kind)


@pytest.mark.parametrize("kind", WRITERS)
def test_names_and_values_of_numpy_are_written_as_plain_ones(tmp_path, kind):
    def graph(number, real, moment):
        names = [(number(0), number(1)), (number(0), (real(0.5), "x")), frozenset([number(7)]), number(3)]
        G = nx.path_graph(names[: 2 if kind == "json" else 4])  # JSON has no sets
        G.nodes[names[0]].update(when=moment, pair=(number(1), real(2.5)), size=real(0.25), count=number(4))
        return G

    plain = content(tmp_path, graph(int, float, datetime.fromisoformat("2024-05-01T12:00")), kind)
    for number, real, unit in ((np.int64, np.float64, "ns"), (np.uint8, np.float32, "s")):
        assert content(tmp_path, graph(number, real, np.datetime64("2024-05-01T12", unit)), kind) == plain


def test_attributes_give_way_to_names_that_are_taken_and_to_each_other():
    given = {"id": 1, "own_id": 2, "age": 3}
    assert renamed(given, {"id"}) == {"own_own_id": 1, "own_id": 2, "age": 3}


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("name", GRAPHS)
def test_nelayout_reads_what_it_writes(tmp_path, name, kind):
    G, weight = GRAPHS[name], weight_of(name)
    path, pos = write(tmp_path, name, kind)
    found = {str(node): tuple(place) for node, place in read_positions(path).items()}
    if kind == "pajek":  # in its unit square
        assert len(found) == len(pos)
    else:
        assert found == pos
    if kind in POSITIONS:
        return
    file = read_graph(path)
    weight = weight if kind in ("json", "graphml", "gexf", "cytoscape", "graphology") else "weight"
    has = any(weight in own for *_, own in file.graph.edges(data=True)) if hasattr(file.graph, "edges") else True
    weights = read(file.graph, weight if has else None).adjacency.toarray()
    original = read(G, weight_of(name) if edges(G, weight_of(name)) else None).adjacency.toarray()
    assert np.array_equal(weights, original)
    if (name, kind) not in {(each, "pajek") for each in PAJEK}:
        assert [str(label) for label in file.labels] == [str(node) for node in G]
    if hasattr(file.graph, "edges") and kind != "pajek":
        assert type(file.graph) is type(G)
        for before, after in ((G.nodes, file.graph.nodes), (G.edges, file.graph.edges)):
            kept = " ".join(str(value) for *_, own in after(data=True) for value in own.values())
            values = [str(value) for *_, own in before(data=True) for value in own.values() if value == value and value]
            assert [value for value in values if value not in kept] == []
    if name == "keys" and kind not in ("npz", "pajek"):
        assert sorted(key for *_, key in file.graph.edges(keys=True)) == ["x", "y"]


READERS = {
    ("json", "networkx"): lambda path: nx.node_link_graph(json.loads(path.read_text()), **EDGES),
    ("cytoscape", "networkx"): lambda path: nx.cytoscape_graph(json.loads(path.read_text())),
    ("graphml", "networkx"): nx.read_graphml,
    ("gexf", "networkx"): nx.read_gexf,
    ("pajek", "networkx"): lambda path: nx.read_pajek(path, encoding="utf-8-sig"),
    ("graphml", "igraph"): lambda path: of_igraph(path, "GraphML", "id"),
    ("pajek", "igraph"): lambda path: of_igraph(path, "Pajek", "name"),
}
# igraph takes an attribute "id" for the names of nodes and edges, and writes & as &#38; in them.
UNLIKE = {("graphml", "igraph", name) for name in ("names of formats", "markup", "edges with ids")}


def of_igraph(path, form, label):
    igraph = pytest.importorskip("igraph")
    path.write_bytes(path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    g = getattr(igraph.Graph, f"Read_{form}")(str(path))
    names = g.vs[label] if g.vcount() and label in g.vs.attributes() else list(range(g.vcount()))
    G = nx.MultiGraph()
    G.add_nodes_from(names)
    for edge in g.es:
        present = {name: value for name, value in edge.attributes().items() if value == value}
        G.add_edge(names[edge.source], names[edge.target], **present)
    return G


@pytest.mark.parametrize(("kind", "reader"), READERS)
@pytest.mark.parametrize("name", GRAPHS)
def test_others_read_what_nelayout_writes(tmp_path, name, kind, reader):
    if (kind, reader, name) in UNLIKE:
        pytest.skip("igraph reads it in its own way")
    path, _ = write(tmp_path, name, kind)
    H = READERS[kind, reader](path)
    weight = "weight" if kind in ("gexf", "pajek") else weight_of(name)
    found, expected = edges(H, weight), edges(GRAPHS[name], weight_of(name))
    if kind == "pajek" and name in PAJEK:
        found, expected = sorted(w for *_, w in found), sorted(w for *_, w in expected)
    if kind == "pajek" and GRAPHS[name].is_multigraph():  # an edge without a weight counts once there
        found, expected = (sorted(str(each).replace("None", "1.0") for each in every) for every in (found, expected))
    assert found == expected
    assert len(H) == len(GRAPHS[name])


@pytest.mark.parametrize("kind", ["graphml", "gexf", "cytoscape"])
@pytest.mark.parametrize("name", GRAPHS)
def test_ids_of_edges_are_unique(tmp_path, name, kind):
    path, _ = write(tmp_path, name, kind)
    text = path.read_text(encoding="utf-8")
    if kind == "cytoscape":
        elements = json.loads(text)["elements"]
        ids = [each["data"]["id"] for each in (*elements["nodes"], *elements["edges"])]
    else:
        ids = re.findall(r'<edge [^>]*\bid="([^"]*)"', text)
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("pajek", ["pajek has no attributes of nodes: 'v' is left out", "'length' and 'w' are left out"]),
        ("npz", ["npz has no attributes of nodes: 'v' is left out", "'length' and 'w' are left out"]),
        ("graphml", ["one simple type for each attribute of nodes: 'v' is written as text", "edges: 'w' is written"]),
        ("cytoscape", ["attribute of edges: 'w' is written as text"]),
        ("json", []),
        ("csv", []),
    ],
)
def test_what_a_format_does_not_hold_is_said(tmp_path, monkeypatch, capsys, kind, said):
    G = with_attributes([("a", "v", 1), ("b", "v", "x")], [(0, "w", [1]), (1, "length", 3)])
    notes = not_held(G, kind)
    assert [words in note for words, note in zip(said, notes, strict=True)] == [True] * len(said)
    monkeypatch.chdir(tmp_path)
    write_positions("in.json", G, dict.fromkeys(G, (0, 0)))
    assert main(["layout", "in.json", "-m", "linlog", "--max-iter", "1", "-o", "out", "--format", kind]) == 0
    heard = capsys.readouterr().err
    assert [note for note in notes if note not in heard] == []


# times

MOMENT = np.datetime64("2024-05-01T12:00:00.000000123")


@pytest.mark.parametrize("kind", ["json", "graphml", "gexf", "cytoscape", "graphology"])
def test_nanoseconds_and_periods_are_written_whole(tmp_path, kind):
    G = nx.path_graph(3)
    when = [MOMENT, MOMENT + 1, np.datetime64("NaT")]
    for node, (moment, month) in enumerate(zip(when, ["2024-05", "2024-07", "NaT"], strict=True)):
        G.nodes[node].update(at=moment, month=pandas.Period(month, "M"), stamp=pandas.Timestamp(moment))
    path = tmp_path / f"g.{FORMATS[kind].endings[0]}"
    write_positions(path, G, {node: (node, 0) for node in G}, kind)
    found = read_graph(path).node_data
    texts = ["2024-05-01 12:00:00.000000123", "2024-05-01 12:00:00.000000124", None]
    assert found["at"] == found["stamp"] == texts
    assert found["month"] == ["2024-05", "2024-07", None]


def test_moments_a_nanosecond_apart_are_two_nodes(tmp_path):
    path = tmp_path / "p.csv"
    write_positions(path, nx.Graph([(MOMENT, MOMENT + 1)]), {MOMENT: (0, 0), MOMENT + 1: (1, 0)})
    assert len(path.read_text().splitlines()) == 3


def test_periods_are_dates_on_a_scale():
    assert plain_value(pandas.Period("2024-05", "M")) == datetime.fromisoformat("2024-05-01")
    assert plain_value(MOMENT) == datetime.fromisoformat("2024-05-01T12:00:00")
