"""Files as people bring them: every kind of mishap is read right, or said; each case is small and made here."""

from __future__ import annotations

import io
import json
import re

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import nelayout as nl
from nelayout.cli import main
from nelayout.errors import InputError
from nelayout.graphs import read
from nelayout.graphs.files import Look, read_graph, read_positions, write_positions
from nelayout.graphs.files.record import Limits, Source
from nelayout.vectors.tables import read_table


def edges(file, weight="weight"):
    """{(u, v): weight}, the ends sorted by their text; weights of parallel edges added up."""
    found = {}
    for u, v, w in file.graph.edges(data=weight, default=1):
        pair = tuple(sorted((u, v), key=str))
        found[pair] = found.get(pair, 0) + w
    return found


AB_BC = {("a", "b"): 1, ("b", "c"): 1}

# Contents of tables -> their edges.
TABLES = {
    # adjacency matrices
    ",A,B,C\nA,0,1,0\nB,1,0,1\nC,0,1,0\n": {("A", "B"): 1, ("B", "C"): 1},
    "name\tA\tB\nA\t0\t2\nB\t2\t0\n": {("A", "B"): 2},
    ",B,A\nA,1,0\nB,0,1\n": {("A", "B"): 1},
    '"A" "B" "C"\n"A" 0 1 0\n"B" 1 0 1\n"C" 0 1 0\n': {("A", "B"): 1, ("B", "C"): 1},
    "0,1,0\n1,0,1\n0,1,0\n": {(0, 1): 1, (1, 2): 1},
    "0 0.5 0 0 0\n0.5 0 0 0 0\n0 0 0 1 0\n0 0 1 0 0\n0 0 0 0 0\n": {(0, 1): 0.5, (2, 3): 1},
    "A;B;C\n0;0,5;\n0,5;0;1\n0;1;0\n": {("A", "B"): 0.5, ("B", "C"): 1},
    "1,2,5\n2,3,4\n3,1,7\n": {(1, 2): 5, (2, 3): 4, (1, 3): 7},
    "1,2,3\n0,1,0\n1,0,1\n0,1,0\n": {(1, 2): 1, (2, 3): 1},
    ",A,B,C\nA,-,1,0\nB,1,-,1\nC,0,1,-\n": {("A", "B"): 1, ("B", "C"): 1},
    ",A,B,C\nA,FALSE,TRUE,FALSE\nB,TRUE,FALSE,TRUE\nC,FALSE,TRUE,FALSE\n": {("A", "B"): 1, ("B", "C"): 1},
    ",A,B,C\nA\nB,2\nC,0,1\n": {("A", "B"): 2, ("B", "C"): 1},
    # separators, quotes, decimal commas
    "a;b;0,5\nb;c;1,5\n": {("a", "b"): 0.5, ("b", "c"): 1.5},
    "from;to;w\na;b;1.234,5\n": {("a", "b"): 1234.5},
    "a\tb\t0,5\nb\tc\t1,5\n": {("a", "b"): 0.5, ("b", "c"): 1.5},
    "a b 0,5\nb c 1,5\n": {("a", "b"): 0.5, ("b", "c"): 1.5},
    'a,b,"0,5"\nb,c,"1,5"\n': {("a", "b"): 0.5, ("b", "c"): 1.5},
    "a|b|2\nb|c|3\n": {("a", "b"): 2, ("b", "c"): 3},
    '"Doe, J";"Roe, R"\n': {("Doe, J", "Roe, R"): 1},
    "Doe, J\tRoe, R\nRoe, R\tPoe, E\n": {("Doe, J", "Roe, R"): 1, ("Poe, E", "Roe, R"): 1},
    "sep=;\na;b\nb;c\n": AB_BC,
    '"New York" "Boston" 3\n': {("Boston", "New York"): 3},
    '"source" "target"\n"1" "a" "b"\n"2" "b" "c"\n': AB_BC,
    "'x, y','b'\n'b','c'\n": {("b", "x, y"): 1, ("b", "c"): 1},
    '5" pipe,b\nb,6" pipe\n': {('5" pipe', "b"): 1, ('6" pipe', "b"): 1},
    'source,target,text\n1,2,"x\n7,8"\n': {(1, 2): 1},
    "source,target,weight,\na,b,3,\n": {("a", "b"): 3},
    ",source,target\n0,a,b\n1,b,c\n": AB_BC,
    "V1 V2 weight\n1 a b 3\n2 b c 4\n": {("a", "b"): 3, ("b", "c"): 4},
    '"","V1","V2"\n"1","a","b"\n"2","b","c"\n': AB_BC,
    ",x,y,z\n0,a,b,t\n1,b,c,t\n": AB_BC,
    # signs that begin comments
    "source,target\n#a,b\nb,c\n": {("#a", "b"): 1, ("b", "c"): 1},
    "#a,#b\n#b,%c\nx,%c\n": {("#a", "#b"): 1, ("#b", "%c"): 1, ("%c", "x"): 1},
    "# Nodes: 3, Edges: 2\n#source,target\na,b\nb,c\n# the end\n": AB_BC,
    # missing ends, line ends, encodings
    "source,target\na,b\nb,c\nC,\n": AB_BC,
    "5\t6\n7\t8\n1 2\t\n": {(5, 6): 1, (7, 8): 1},
    "a,b\n,\nNaN,NA\nb,c\n": AB_BC,
    "a,b\rb,c\r": AB_BC,
    "a b\r\nb c\r\n": AB_BC,
    "\ufeffa;b\nb;c\n": AB_BC,
    # triples
    "alice\tknows\tbob\nbob\tlikes\tcarol\n": {("alice", "bob"): 1, ("bob", "carol"): 1},
    "a,b,loves\nb,c,hates\n": AB_BC,
    "a,b,2015-01-01\nb,c,2016-01-01\n": AB_BC,
    "person,relation,friend,score\na,knows,b,3\nb,likes,c,4\n": {("a", "b"): 3, ("b", "c"): 4},
    "tf,confidence,target,mor\na,X,b,1\nb,Y,c,-1\n": AB_BC,
    "airport,destination,carrier,count\na,b,AA,3\nb,c,UA,4\n": {("a", "b"): 3, ("b", "c"): 4},
    # headers
    "Sender,Receiver\na,b\nb,c\n": AB_BC,
    "subject,predicate,object\na,knows,b\nb,knows,c\n": AB_BC,
    "protein1 protein2 combined_score\nA B 490\n": {("A", "B"): 490},
    "this that much\na b 2\nb c 3\n": {("a", "b"): 2, ("b", "c"): 3},
    "Interactor A\tInteractor B\tScore\nx\ty\t3\n": {("x", "y"): 3},
    "user1,user2\nuser2,user3\n": {("user1", "user2"): 1, ("user2", "user3"): 1},
    # types of labels, times
    '"1","2"\n"2","3"\n': {(1, 2): 1, (2, 3): 1},
    '"1","2"\n"2",\n"007","2"\n': {("1", "2"): 1, ("2", "007"): 1},
    "from_account,to_account,ts,amount\na,b,1699120095,3\nb,c,1699120099,1\n": AB_BC,
    "1 2 1082040961\n2 3 1082040999\n": {(1, 2): 1, (2, 3): 1},
    "a,b,2015\nb,c,2016\n": AB_BC,
    "a,b,20150102\nb,c,20161231\n": AB_BC,
    "a,b,0\nb,c,1699120099\n": AB_BC,
    "a,b,1699120099.5\nb,c,1699120199.25\n": AB_BC,
    "1353303380 1 2\n1353303400 2 3\n1353303400 1 2\n": {(1, 2): 1, (2, 3): 1},
    "x,y,when_time\na,b,3\nb,c,4\n": AB_BC,
}


# The same under other endings, which say which separators are likely.
LISTS = [
    ("a.txt", "# Nodes: 3\n% too\n1 2\n2\t10\n\n", {(1, 2): 1, (2, 10): 1}),
    ("a.edges", "1 2 0.5\n2 1 2\n", {(1, 2): 2.5}),
    ("a.txt", "1 2\n2 1\n2 1\n", {(1, 2): 1}),
    ("a.txt", "1 2 # joined\n2 3\n", {(1, 2): 1, (2, 3): 1}),
    ("a.csv", "source,target,weight\nx,y,3\ny,z,4\n", {("x", "y"): 3, ("y", "z"): 4}),
    ("a.csv", "weight,from,to\n3,1,2\n", {(1, 2): 3}),
    ("a.csv", 'Source,Target\n"Smith, J","Doe, J"\n', {("Smith, J", "Doe, J"): 1}),
    ("a.csv", "id_1,id_2\n0,5\n5,7\n", {(0, 5): 1, (5, 7): 1}),
    ("a.csv", "here,there\n1,2\n", {(1, 2): 1}),
    ("a.csv", "x,y\nz,y\n", {("x", "y"): 1, ("z", "y"): 1}),
    ("a.csv", "1;2;7\n", {(1, 2): 7}),
    ("a.tsv", "New York\tRome\t2\nRome\tOslo\t1\n", {("New York", "Rome"): 2, ("Rome", "Oslo"): 1}),
    ("a.tsv", "source target weight\n1 2 3\n", {(1, 2): 3}),
    ("a.edgelist", "a b x y\nb c x y\n", {("a", "b"): 1, ("b", "c"): 1}),
    ("a.edgelist", "a b {'weight': 3}\nb c {}\n", {("a", "b"): 3, ("b", "c"): 1}),
    ("a.edgelist", "1 2 {}\n", {(1, 2): 1}),
    ("a.txt", "9007199254740993 1\n", {("9007199254740993", "1"): 1}),
    ("a.txt", "source target\n1.5 2\n", {("1.5", "2"): 1}),
    ("a.csv", "A,B,count\na,b,3\nb,c,4\n", {("a", "b"): 3, ("b", "c"): 4}),
    ("a.csv", "who,whom\nid,name\n", {("who", "whom"): 1, ("id", "name"): 1}),
    ("a.csv", "source,target,count\na,b,3\n", {("a", "b"): 3}),
    ("a.txt", "\ufeff1 2\r\n2 3\r\n", {(1, 2): 1, (2, 3): 1}),
    ("a.txt", "007 8\n", {("007", "8"): 1}),
    ("a.txt", "5 5\n5 6\n", {(5, 5): 1, (5, 6): 1}),
    ("e.csv", "year,from,to,kind,weight\n1999,a,b,x,3\n", {("a", "b"): 3}),
]


@pytest.mark.parametrize(("name", "content", "expected"), [*(("t.csv", *row) for row in TABLES.items()), *LISTS])
def test_tables(load, name, content, expected):
    assert edges(load(name, content)) == {tuple(sorted(pair, key=str)): weight for pair, weight in expected.items()}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252", "utf-8-sig"])
def test_encodings(load, encoding):
    file = load("t.csv", "Source;Target;Weight\nJäger;Müller;2,5\n".encode(encoding))
    assert edges(file) == {("Jäger", "Müller"): 2.5}
    assert any("is read as" in note for note in file.notes) == (encoding not in ("utf-16", "utf-8-sig"))


@pytest.mark.parametrize("content", ["from,to,ts,km\na,b,1699120095,3\n", "a,b,1699120095,3\n"])
def test_any_column_can_be_the_weight(load, content):
    name = "km" if "km" in content else "4"
    file = load("t.csv", content, weight=name)
    assert edges(file, name) == {("a", "b"): 3}
    assert read(file.graph, name).adjacency.data.tolist() == read(file).adjacency.data.tolist() == [3, 3]
    assert file.notes == (() if "km" in content else ("column 3 is not read",))
    assert set(file.notes) <= set(nl.solve(file, "linlog", max_iter=1).notes)
    with pytest.raises(InputError, match="unknown column for weight 'kn'"):
        load("t.csv", content, weight="kn")


FIVE = "date,who,whom,city,n\n2020,ann,bob,x,3\n2021,bob,eve,y,2\n"


@pytest.mark.parametrize(
    ("content", "ends"),
    [
        (FIVE, ("who", "whom")),
        (FIVE, ("Who", "WHOM")),
        (FIVE, ("2", "3")),
        (FIVE.partition("\n")[2], ("2", "3")),
        (FIVE.replace("who,whom", "source,x1").replace("city", "target"), ("source", "x1")),
    ],
)
def test_any_two_columns_can_be_the_ends(load, content, ends):
    source, target = ends
    assert edges(load("t.csv", content, source=source, target=target)) == {("ann", "bob"): 1, ("bob", "eve"): 1}
    number = "n" if content.startswith("date") else "5"
    assert edges(load("t.csv", content, weight=number, source=source, target=target), number) == {
        ("ann", "bob"): 3,
        ("bob", "eve"): 2,
    }


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        (("wo", "whom"), "unknown column for an end 'wo': did you mean 'who'"),
        (("who", "who"), "both ends are the column 'who'"),
        (("who", None), "source and target must both name columns"),
        (("9", "1"), "unknown column for an end '9'"),
    ],
)
def test_wrong_columns_of_ends_are_refused(load, ends, said):
    with pytest.raises(InputError, match=said):
        load("t.csv", FIVE, source=ends[0], target=ends[1])
    with pytest.raises(InputError, match=r"this is gml\. Leave them out"):
        load("t.gml", "graph [ node [ id 1 ] ]", source="who", target="whom")


def test_the_record_of_a_file_has_ordered_numbers_and_is_shown_in_one_line(load):
    assert load("a.txt", "10 2 4\n2 3 5\n").labels == [2, 3, 10]
    file = load("t.csv", "a,b,3\nb,c,4\n")
    assert repr(file) == "<GraphFile edgelist: 3 nodes, 2 edges, 1 note>"


def test_weights_of_another_name_are_written(tmp_path, load):
    G = nx.Graph([("a", "b", {"Weight": 3}), ("b", "c", {"Weight": 4.5})])
    asked = load("t.csv", "source,target,km\na,b,3\nb,c,4.5\n", weight="km")
    for graph, weight in ((G, "Weight"), (asked, None)):
        for name in ("g.gexf", "g.net"):
            write_positions(tmp_path / name, graph, dict.fromkeys("abc", (0, 0)), weight=weight)
            assert edges(read_graph(tmp_path / name)) == {("a", "b"): 3, ("b", "c"): 4.5}
    assert read(G).notes == (
        "no edge has the attribute 'weight', all weigh 1; weight='Weight' would use the numbers there",
    )
    several = nx.Graph([("a", "b", {"Weight": 3, "length": 2})])
    assert "weight='Weight' would use" in read(several).notes[0]


def test_sif_is_read(load):
    file = load("t.sif", "a pp b c\nb pd c\nd\n")
    assert sorted(file.graph.edges(data="interaction")) == [("a", "b", "pp"), ("a", "c", "pp"), ("b", "c", "pd")]
    assert "d" in file.labels


# JSON

TWO = [{"id": "a"}, {"id": "b"}]
KEYS = [{"key": "a"}, {"key": "b"}]
DATA = [{"data": node} for node in TWO]
AB = {"source": "a", "target": "b"}
# Name of a form -> (content, the weight of its edge, whether something is said).
FORMS = {
    "parallel": ({"nodes": TWO, "links": [{**AB, "weight": 1}, {"source": "b", "target": "a", "weight": 5}]}, 6, True),
    "null": ({"nodes": TWO, "links": [{**AB, "weight": None}]}, 1, True),
    "text": ({"nodes": TWO, "links": [{**AB, "weight": "3.5"}]}, 3.5, True),
    "places": ({"nodes": [{"name": "a"}, {"name": "b"}], "links": [{"source": 0, "target": 1}]}, 1, False),
    "elements": ([*DATA, {"data": {"id": "e", **AB, "weight": 2}}], 2, False),
    "nodes of data": ({"nodes": DATA, "edges": [{"data": AB}] * 2}, 2, True),
    "JSON Graph": ({"graph": {"nodes": {"a": {}, "b": {}}, "edges": [{**AB, "metadata": {"weight": 3}}]}}, 3, False),
    "JSON Graphs": ({"graphs": [{"nodes": TWO, "edges": [AB]}, {}]}, 1, True),
    "edges alone": ([AB], 1, False),
    "no list of nodes": ({"noodes": TWO, "links": [AB]}, 1, True),
    "keys": ({"nodes": KEYS, "edges": [{**AB, "undirected": True, "attributes": {"weight": 2}}]}, 2, False),
    "one weight": ({"nodes": TWO, "links": [{**AB, "weight": 2}, {"source": "b", "target": "b"}]}, 2, True),
    "vis.js": ({"nodes": TWO, "edges": [{"from": "a", "to": "b"}]}, 1, False),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_json(load, form):
    data, weight, noted = FORMS[form]
    file = load("g.json", json.dumps(data))
    assert {pair: w for pair, w in edges(file).items() if pair != ("b", "b")} == {("a", "b"): weight}
    assert read(file.graph).adjacency.data.tolist() == [weight] * 2
    assert bool(file.notes) == noted


def test_ids_of_json_are_one_thing(load):
    """A number is a place only where no end is an id; 1 and "1" are one id."""
    nodes = [{"id": k} for k in (10, 20, 30)]
    links = [{"source": 10, "target": 20}, {"source": 20, "target": 1}]
    with pytest.raises(InputError, match="edge 1 names the node 1, which does not exist"):
        load("g.json", json.dumps({"nodes": nodes, "links": links}))
    nodes, links = [{"id": "1"}, {"id": "2"}], [{"source": 1, "target": 2}]
    file = load("g.json", json.dumps({"nodes": nodes, "links": links}))
    assert edges(file) == {("1", "2"): 1}
    assert "2 ids are numbers in one place and text in another" in file.notes[0]


# GML, GraphML, GEXF, Pajek, Matrix Market

MTX = "%%MatrixMarket matrix coordinate real "


@pytest.mark.parametrize(
    ("written", "weight"), [("1e-05", 1e-5), ("2e5", 2e5), ("-0.0e0", 0), ("1.5E+3", 1500), ("NaN", 1), ("-Inf", 1)]
)
def test_numbers_of_gml(load, written, weight):
    file = load(
        "g.gml",
        'graph [\n node [ id 0 label "a\nsecond line" ]\n node [ id 1 label "b" ]\n'
        f" edge [ source 0 target 1 weight {written} ]\n]",
    )
    assert edges(file) == {("a\nsecond line", "b"): weight}
    assert bool(file.notes) == (written in ("NaN", "-Inf"))


def graphml(keys, body, namespace="http://graphml.graphdrawing.org/xmlns"):
    return f'<graphml xmlns="{namespace}">{keys}<graph edgedefault="undirected">{body}</graph></graphml>'


NODES = '<node id="a"/><node id="b"/>'


@pytest.mark.parametrize(
    ("kind", "text", "value", "note"),
    [
        ("int", "3.0", 3, ""),
        ("int", "3.5", 3.5, "read as numbers"),
        ("long", " 7 ", 7, ""),
        ("double", "n/a", None, "count as missing"),
        ("double", "null", None, "count as missing"),
        ("double", "wide", "wide", "stay text"),
        ("boolean", "yes", True, ""),
        ("boolean", " true ", True, ""),
        ("boolean", "perhaps", "perhaps", "stay text"),
        ("string", " kept ", " kept ", ""),
    ],
)
def test_values_off_their_type(load, kind, text, value, note):
    key = f'<key id="k" for="node" attr.name="v" attr.type="{kind}"/>'
    file = load("g.graphml", graphml(key, f'<node id="a"><data key="k">{text}</data></node><node id="b"/>'))
    gexf = load(
        "g.gexf",
        f'<gexf><graph><attributes class="node"><attribute id="k" title="v" type="{kind}"/></attributes><nodes>'
        f'<node id="a"><attvalues><attvalue for="k" value="{text}"/></attvalues></node></nodes><edges/></graph></gexf>',
    )
    assert file.graph.nodes["a"].get("v") == gexf.graph.nodes["a"].get("v") == value
    assert all(note in said for said in (*file.notes, *gexf.notes))
    assert (len(file.notes), len(gexf.notes)) == (bool(note), bool(note))


def test_graphml_defaults_keys_within_and_directions(load):
    key = '<key id="w" for="edge" attr.name="weight" attr.type="double"><default>0.5</default></key>'
    body = NODES + '<edge source="a" target="b"/>'
    assert edges(load("g.graphml", graphml(key, body))) == {("a", "b"): 0.5}
    assert edges(load("g.graphml", graphml("", key + body, "https://elsewhere"))) == {("a", "b"): 0.5}
    text = key.replace("double", "string").replace("0.5", "3.5")
    assert edges(load("g.graphml", graphml(text, body))) == {("a", "b"): 3.5}
    mixed = load("g.graphml", graphml("", NODES + '<edge source="a" target="b" directed="true"/>' + body[len(NODES) :]))
    assert mixed.graph.is_directed()
    assert "1 undirected edge among directed ones" in mixed.notes[0]


@pytest.mark.parametrize(
    "namespace", ["", 'xmlns="https://gexf.net/1.3"', 'xmlns="urn:x" xmlns:viz="http:///www.gexf.net/1.1draft/viz"']
)
def test_gexf_of_any_namespace(load, namespace, tmp_path):
    mark = "viz:" if "viz" in namespace else ""
    file = load(
        "g.gexf",
        f'<gexf {namespace}><graph><nodes><node id="a"><{mark}position x="1" y="2" z="0"/></node><node id="b"/></nodes>'
        '<edges><edge source="a" target="b" weight="2"/><edge source="b" target="a" type="directed"/></edges></graph>'
        "</gexf>",
    )
    assert edges(file) == {("a", "b"): 3}
    assert read_positions(tmp_path / "g.gexf")["a"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("*Vertices 2\n*Matrix\n0 2\n3 0\n", {("1", "2"): 5}),
        ("*Vertices 5 2\n*Matrix\n1 0 1\n0 2 0\n", {("1", "3"): 1, ("1", "5"): 1, ("2", "4"): 2}),
        ('*Vertices 2\n1 "O\'Neil ""x"""\n2 b\n*Arcs :1 "y"\n1 2 1\n*Arcs:2 "x"\n1 2 3\n', {('O\'Neil "x"', "b"): 4}),
        ("A title\n*Vertices 2\n1 a\n2 b\n*Edges\n1 2\n", {("a", "b"): 1}),
    ],
)
def test_pajek(load, content, expected):
    assert edges(load("g.net", content)) == expected


def test_a_text_that_is_no_format_gets_no_hint_that_fails(load):
    with pytest.raises(InputError, match='expected "\\*Vertices n"') as caught:
        load("g.net", "Some words about a network\nand more\n")
    assert "edgelist" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("g.net", "*Vertices 3\n*Matrix\n0 1 0\n1 0 1\n", "ends after 2 of the 3 rows of its matrix"),
        ("g.net", "*Vertices 2\n*Matrix\n0 x\n1 0\n", "line 3: 'x' in the matrix is not a number"),
        ("g.net", "*Vertices 2\n*Edges\n1 2 3x.5\n", "line 3: the weight '3x.5' is not a number"),
        ("g.net", "*Vertices 2\n*Edges\n1 2 3 1 2\n", "line 3: after the weight comes 1; begin a line"),
        ("g.net", "*Edges\n1 2\n", 'line 1: \\*Edges stands before "\\*Vertices n"'),
        ("g.net", "*Vertices 1000000000000\n*Edges\n1 2\n", "line 1: 1000000000000 vertices need about"),
        ("g.mtx", MTX + "general\n9000000000000 9000000000000 0\n", "rows need about"),
        ("g.mtx", MTX + "general\n2 2 1\n1 2 0,5\n", "line 3: .* got '1 2 0,5'"),
        ("g.mtx", MTX + "general\n2 2 1\n1 2 3 4\n", "line 3: .* got '1 2 3 4'"),
        ("g.mtx", MTX + "general\n2 2 1\n1 3 1\n", "line 3: .* from 1 to 2; got 1 and 3"),
        ("g.mtx", MTX + "general\n2 2 2\n1 2 1\n", "1 of the 2 entries that line 2"),
        ("g.gml", "graph [\n node [ id 0 ]\n edge [ source 0 target 7 ]\n]", "line 3: .*undefined target 7"),
        ("g.gml", "graph [\n node [ id 0 ]\n edge [ source 0 ]\n]", "line 3: an edge has no target; give it the id"),
        ("g.gml", "graph [\n node [ id 0 ]\n node [ id 0 ]\n]", "line 3: .*node id 0 is duplicated"),
        ("g.graphml", "<graphml><graph>\n<node id='a'/>\n<edge source='a'/></graph></graphml>", "line 3: .*no target"),
        ("a.gml", "graph [\n node ~\n]", r"a\.gml, line 2: cannot be read as gml"),
        ("a.gml", "nothing here", "cannot be read as gml"),
        ("a.graphml", "<graphml><graph>", r"a\.graphml, line 1: not well-formed XML"),
        ("a.graphml", "<other/>", "cannot be read as graphml"),
        ("a.gexf", "<gexf></gexf>", "cannot be read as gexf"),
        ("a.json", '{"nodes": [\n{]', r"a\.json, line 2: not valid JSON"),
        ("a.json", "[]", "expected {"),
        ("a.json", '{"nodes": [{"id": 1}]}', "expected {"),
        ("a.json", '{"nodes": [{"id": 1}, {"id": 1}], "links": []}', "id 1 of another node"),
        ("a.json", '{"nodes": [{"id": "a"}], "links": [{"source": "a", "target": "q"}]}', "edge 0 names the node 'q'"),
        ("a.json", '{"nodes": [{"id": "a"}], "links": [{"source": "a"}]}', 'edge 0 has no "target"'),
        ("a.net", "*Vertices 2\n1 a\n2 b\n*Edges\n1 3\n", r"a\.net, line 5: vertex 3 does not exist"),
        ("a.net", "*Vertices 2\n*Edges\n1 x\n", "line 3: 'x' is not a vertex number"),
        ("a.net", "*Vertices many\n", r"line 1: expected \"\*Vertices n\""),
        ("a.net", "1 2\n", r"line 1: .* expected \"\*Vertices n\""),
        ("a.net", "*Vertices 2\n*Matrix\n0 1 2\n", "line 3: the matrix must have 2 rows of 2"),
        ("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 x 1\n", "cannot be read as mtx"),
        ("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 3\n", r"shape \(2, 3\)"),
        ("a.npz", b"PK\x03\x04 truncated", "cannot be read as npz"),
        ("a.txt", "1 2\n3\n", r"a\.txt, line 2: 2 columns were expected and there are 1: '3'"),
        ("a.txt", "# only\n# comments\n", "comments but no edges"),
        ("a.txt", "lonely\n", "line 1: an edge needs two columns"),
        ("a.csv", "a,b,1\nb,c,heavy\n", r"a\.csv, line 2: the weight 'heavy' is not a number"),
        ("a.csv", "", r"a\.csv is empty"),
        ("a.gml.gz", b"\x1f\x8b\x08 broken", "gzip file is damaged"),
        ("g.json", '{"nodes": [{"id": null}], "links": []}', "node 0: a node has no id"),
        ("g.json", '{"nodes": [{"id": 1, "id": 2}], "links": []}', "an object has the field 'id' twice"),
        ("g.net", '*Vertices 2\n1 "a"\n', "the file ends after 1 of its 2 vertices; fetch or export it again"),
        ("g.net", '*Vertices 2\n1 "a"\n2 "b\n', "line 3: a double quote is not closed"),
        ("g.net", '*Vertices 2\n1 "a"\n2 "b"\n*Edg', r"line 4: '\*Edg' is not a section of Pajek; a network has"),
        ("g.cyjs", '{"elements": {"nodes": [{}], "edges": []}}', 'an element has no "data"'),
        ("g.cyjs", '{"elements": {"nodes": [{"data": {}}], "edges": []}}', 'node 0 has no "id"'),
        ("g.cyjs", '{"elements": {"edges": []}}', "cannot be read as cytoscape"),
        ("g.cyjs", '{"elements": {"nodes": [{"data": {"id": 1}}], "edges": [{"data": {"source": 1}}]}}', 'no "target"'),
        ("g.graphology.json", '{"nodes": [{"key": 1, "attributes": {}}, {}], "edges": []}', 'node 1 has no "key"'),
        ("g.graphology.json", '{"nodes": [{"key": 1, "attributes": {}}]}', "cannot be read as graphology"),
        ("g.graphology.json", '{"nodes": [{"key": 1, "attributes": {}}], "edges": [3]}', "edge 0 is not an object"),
        ("t.csv", ",X,Y\nA,1,0\nB,0,1\n", "rows and columns of numbers have different names, so this is not"),
        ("t.csv", "1,2,3,4,5\n6,7,8,9,1\n", r"nelayout\.embed \(an adjacency table has the same names"),
        ("t.csv", "alice\tknows\tbob\n", "unclear which two columns are the ends"),
        ("t.csv", "31000\t90000\t31001\n31001\t90001\t31002\n31002\t90002\t31000\n", 'say format="sif"'),
        ("t.csv", "1 101 2\n2 102 3\n3 103 1\n", "unclear which two columns are the ends"),
        ("t.csv", "a,b\nb,c,d\nf,a,g,h\n", "line 2: there are 3 fields, and 2 in other rows.*adjacency list"),
        ("t.csv", "a,b,c,d\nb,c\n", "line 2: 4 columns were expected and there are 2: 'b c'; .*adjacency list"),
        ("t.csv", "My network\na,b\nb,c\n", "line 1: this line has 1 field, and others have 2; leave it out"),
        ("t.csv", ",A,B,C\nA,0,1,0\nB,1,x,1\nC,0,1,0\n", "line 3: 'x' is not a number, in an adjacency table"),
        ("t.csv", "#a #b\n#b #c\n", "there are comments but no edges; between names that begin with # or %"),
        ("t.csv", 'source,target,weight\na,b,"1,234"\n', "the weight '1,234' is not a number; write numbers"),
        ("t.csv", "Country A,Country B,Trade\nUS,CN,1,234\n", "line 2: there are 4 fields, and 3 in other rows"),
        ("t.csv", "a;b;1.234,5\nb;c;1.000\n", "line 2: weights have decimal commas, and here points"),
        ("t.csv", "5,1;3,5\n4,9;3,0\n", "5,1 is not a node"),
        ("t.csv", "5.1,3.5,1.4,0.2,oak\n", r"line 1: there are 5 columns and no headings.*source=NAME"),
        ("t.csv", "length,width,depth,height,kind\n5.1,3.5,1.4,0.2,oak\n", r"line 1: there are 5 columns.*source=NAME"),
        ("t.csv", "5.1,3.5,1.4,0.2,1\n4.9,3.0,1.4,0.2,2\n", r"source=NAME.*is drawn by nelayout\.embed"),
        ("t.csv", "5.1,3.5\n", r"line 1: 5\.1 is not a node: .*nelayout\.embed .* the headings source and target"),
        ("t.csv", "length,width\n5.1,3.5\n", r"line 2: 5\.1 is not a node: .*nelayout\.embed"),
        ("t.csv", "length;width;depth\n5;3.5;1\n", r"line 2: 3\.5 is not a node: .*nelayout\.embed"),
        ("t.csv", "5 3.5 1\n", r"line 1: 3\.5 is not a node: .*nelayout\.embed"),
        *(
            ("t.csv", table, rf"line 1: the first heading is '{head}', so this is a table of nodes; .* nodes=TABLE")
            for head, table in [("id", "id,name\n1,A\n"), ("node", "node,x,y\na,1,2\n"), ("Label", "Label\tg\na\tx\n")]
        ),
    ],
)
def test_what_cannot_be_is_refused_with_its_line(load, name, content, said):
    with pytest.raises(InputError, match=said):
        load(name, content)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("g.net", "*Vertices 2\n1 New York\n2 b\n*Edges\n1 2\n", "1 vertex line with words after its name"),
        ("g.net", "*Vertices 2\n1 a\n*Edges\n1 2\n", "1 vertex line of 2 not listed: named by its number"),
        ("g.net", "*Vertices 2\n*Edges\n1 2\n*Network n\n*Vertices 3\n", "the first network of the file"),
        ("g.net", "*Vertices 2\n1 a\n2 b\n", "there is no section of edges"),
        ("g.mtx", MTX + "symmetric\n2 2 2\n1 2 3\n2 1 4\n", "1 repeated entry added up"),
        ("g.gml", "graph [\n node [ id 0 ]\n edgee [ source 0 target 0 ]\n]", "the list 'edgee' of the graph"),
        ("g.graphml", "<graphml><graph><node id='a'/><nod id='b'/></graph></graphml>", "1 element unknown, not read"),
        ("g.gexf", "<gexf><graph><nodes><node id='a'/>node id='b'</nodes></graph></gexf>", "1 text between elements"),
        ("g.sif", "a,b\nb,c\n", "there is no edge: tabs or blanks stand between"),
        ("t.csv", "source,target\nA,B\nC,\nD,\n", r"2 rows without a name at an end left out \(line 3, 4\)"),
        ("t.csv", "source,target\n#a,b\nb,c\n", "1 line beginning with # or % read as rows"),
        ("t.csv", "a b\n#b c\nc d\n", "1 comment after # or % left out"),
        ("t.csv", "# a,b\nb,c\nc,d\n", "1 comment after # or % left out"),
        ("t.csv", "source;target;w\na;b;1.234\nb;c;2.500\n", r"read as a decimal point \(line 2\), and not"),
        ("t.csv", "person,friend,town,n\na,b,x,1\nb,c,y,2\n", "the second column is read as an end, and the third"),
        ("t.csv", "0,1,0\n1,0,1\n0,1,0\n", "the table is read as the adjacency matrix of 3 nodes$"),
        ("t.csv", "0,1,1\n0,0,1\n1,0,0\n", "adjacency matrix of 3 nodes, directed as it is not symmetric"),
        ("t.csv", "0,1,1\n0,0,1\n0,0,0\n", "on one side of the diagonal, so edges are undirected; a GraphML"),
        ("t.csv", "source,target,w\na,b,\nb,c,NA\nc,d,3\n", "2 weights missing: such edges weigh 1"),
        ("t.csv", "a;b;0,5\nb;c;2\n", "1 weight read with a decimal comma"),
        ("t.csv", "person,friend\nann,bob\n", "the first row is read as an edge of 'person' and 'friend'"),
        ("t.csv", "1 2 1082040961\n", "the third column looks like times and is not read as weight"),
        ("t.csv", "x,y,seats\na,b,3\n", "the column 'seats' is read as weight"),
        ("t.csv", "from,to,h,h\na,b,3,4\n", "columns 'h' and 'h' are not read; weight=NAME reads"),
        ("t.csv", "from,to,km\na,b,3\nb,c,0\n", "the column 'km' is not read: lengths are > 0, and it has 0"),
        ("t.csv", "from,to,km\na,b,3\nb,a,2\n", "1 repeated edges keep the shortest length"),
        ("t.csv", ",source,target\n0,a,b\n", "the first column has no heading"),
        ("t.csv", "source,target,weight\n", "^there is a header and no row$"),
        ("b.txt", "1 2\n2 1\n", "^1 repeated edges count once"),
    ],
)
def test_what_was_guessed_or_is_not_read_is_said(load, name, content, said):
    assert re.search(said, "\n".join(load(name, content).notes))


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric"])
@pytest.mark.parametrize("form", ["coordinate", "array"])
def test_matrix_market_is_that_of_scipy(load, symmetry, form):
    A = np.random.default_rng(0).integers(-3, 4, (6, 6)) / 4
    A = A + A.T if symmetry == "symmetric" else A - A.T if symmetry == "skew-symmetric" else A
    buffer = io.BytesIO()
    scipy.io.mmwrite(buffer, sp.coo_array(A) if form == "coordinate" else A, symmetry=symmetry)
    assert load("g.mtx", buffer.getvalue()).graph.toarray().tolist() == A.tolist()
    if symmetry != "skew-symmetric":  # stored zeros stay
        assert load("g.mtx", MTX + f"{symmetry}\n2 2 1\n2 1 0\n").graph.nnz == (1 if symmetry == "general" else 2)


def test_decimal_commas_of_tables_of_vectors():
    for content in ("x;y\n1,5;2\n3;0,25\n", "sep=;\n1,5;2\n3;0,25\n", "1,5\t2\r3\t0,25\r", '"1,5",2\n3,"0,25"\n'):
        table = read_table(Source("t.csv", content.encode()), "csv")
        assert table.X.tolist() == [[1.5, 2], [3, 0.25]]
        assert "2 numbers read with a decimal comma" in table.notes
    with pytest.raises(InputError, match="the column '1' holds '1,500', not a number"):
        read_table(Source("t.csv", b'"1,500",2\n3,4\n'), "csv")


@pytest.mark.parametrize("ending", ["dot", "gv", "xgmml", "dl", "vna", "lgl", "gdf", "g6", "xls"])
def test_other_endings_name_what_converts_them(load, ending):
    with pytest.raises(InputError, match=rf"\.{ending} files are not read; .*(writes|exports|reads|saves)"):
        load(f"g.{ending}", "x")


# what is written is read again


def test_gexf_has_the_weight_that_was_asked_for(tmp_path):
    G = nx.Graph([("a", "b", {"Weight": 3, "weight": 9}), ("b", "c", {"Weight": 4.5})])
    write_positions(tmp_path / "g.gexf", G, dict.fromkeys(G, (0, 0)), look=Look(weight="Weight"))
    found = nx.read_gexf(tmp_path / "g.gexf")
    assert [(w["weight"], w["Weight"]) for *_, w in found.edges(data=True)] == [(3.0, 3.0), (4.5, 4.5)]
    assert found["a"]["b"]["own_weight"] == 9


@pytest.mark.parametrize("name", ["gexf", "graphml"])
def test_control_characters_are_left_out_with_a_warning(tmp_path, name):
    G = nx.Graph([("a\x01", "b", {"t": "x\x0by"})])
    with pytest.warns(UserWarning, match="2 control characters"):
        write_positions(tmp_path / f"g.{name}", G, dict.fromkeys(G, (0, 0)))
    assert read_graph(tmp_path / f"g.{name}").graph.edges["a", "b"]["t"] == "xy"


# the command line

QUICK = ["-m", "linlog", "--max-iter", "2"]


def test_names_that_pajek_spells_in_another_way_are_found_again(tmp_path, monkeypatch):
    """Its lines hold neither double quotes nor blanks at the ends."""
    monkeypatch.chdir(tmp_path)
    nx.write_graphml(nx.Graph([(" lead", 'quo"te'), ('quo"te', "trail  ")]), "g.graphml")
    assert main(["layout", "g.graphml", *QUICK, "--quiet", "-o", "first.net"]) == 0
    kept = ["--max-iter", "0", "--scale", "none", "-m", "linlog", "--quiet"]
    assert main(["layout", "g.graphml", "--pos", "first.net", *kept, "-o", "again.csv"]) == 0
    before, after = (np.array(list(read_positions(path).values())) for path in ("first.net", "again.csv"))
    assert np.allclose(before - before.mean(axis=0), after - after.mean(axis=0))


def test_the_command_reads_any_column_and_says_its_options(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("from,to,seats\na,b,120\nb,c,10\nc,a,95\n")
    assert main(["layout", "t.csv", *QUICK, "-o", "o.gexf"]) == 0
    assert "all weigh 1; --weight seats would use the numbers there" in capsys.readouterr().err
    assert main(["layout", "t.csv", *QUICK, "--weight", "seats", "--weight-kind", "log", "-o", "o.gexf"]) == 0
    assert sorted(w for *_, w in nx.read_gexf("o.gexf").edges(data="weight")) == [10, 95, 120]
    (tmp_path / "m.mtx").write_text(MTX + "symmetric\n2 2 1\n2 1 -3\n")
    assert main(["layout", "m.mtx", *QUICK, "-o", "o.csv"]) == 1
    assert "--weight none takes every edge as 1" in capsys.readouterr().err
    nx.write_graphml(nx.Graph([("a", "b", {"weight": "x"})]), "w.graphml")
    assert main(["layout", "w.graphml", *QUICK, "-o", "o.csv"]) == 1
    assert "text to numbers first, or --weight none takes every edge as 1" in capsys.readouterr().err


@pytest.mark.parametrize("title", ["Friends\n", "Friends, 2020\n", "Friends,\nof the town,\n", '"Friends, 2020",\n'])
@pytest.mark.parametrize("head", ["source,target", "From,To", "sender,receiver"])
def test_a_title_above_the_headings_is_left_out(load, title, head):
    file = load("t.csv", f"{title}{head}\na,b\nb,c\n")
    assert edges(file) == AB_BC
    assert f"{title.count(chr(10))} line{'s' * (title.count(chr(10)) > 1)} above the headings left out" in file.notes


def test_a_title_with_blanks_or_beside_weights_is_left_out(load):
    assert edges(load("t.txt", "Friends of Ulm\nsource target\na b\nb c\n")) == AB_BC
    weighted = load("t.csv", "Friends,,\nsource,target,weight\na,b,2\nb,c,3\n")
    assert edges(weighted) == {("a", "b"): 2, ("b", "c"): 3}


@pytest.mark.parametrize("content", ["to,go\nfrom,to\ngo,come\n", "a,b\nu,v\nb,c\n", "a,b\nsource,target\n"])
def test_words_that_are_nodes_are_no_headings(load, content):
    assert len(edges(load("t.csv", content))) == content.count("\n")


@pytest.mark.parametrize(
    ("head", "rows"),
    [
        (":START_ID,role,:END_ID,:TYPE", "a,x,b,KNOWS\nb,y,c,LIKES\n"),
        ("role,:END_ID(Town),:START_ID(Town),weight:double", "x,a,b,1\ny,b,c,1\n"),
        (":TYPE;since:int;:START_ID;:END_ID", "KNOWS;1999;a;b\nLIKES;2001;b;c\n"),
    ],
)
def test_headings_of_neo4j_are_known_in_any_column(load, head, rows):
    file = load("t.csv", f"{head}\n{rows}")
    assert edges(file) == AB_BC
    assert ("weight" in file.edge_attributes) == ("weight" in head)


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        (["Q1 partOf Q2", "Q3 partOf Q2", "Q4 instanceOf Q2"], {("Q1", "Q2"), ("Q2", "Q3"), ("Q2", "Q4")}),
        (["Ann knows Bob", "Cy knows Bob", "Dan likes Bob"], {("Ann", "Bob"), ("Bob", "Cy"), ("Bob", "Dan")}),
        (["u1 m1 likes", "u2 m1 likes", "u3 m2 hates"], {("m1", "u1"), ("m1", "u2"), ("m2", "u3")}),
    ],
)
def test_a_relation_between_names_of_one_form_is_no_node(load, rows, found):
    assert set(edges(load("t.tsv", "\n".join(rows).replace(" ", "\t") + "\n"))) == found


def test_four_columns_are_not_called_three(load):
    with pytest.raises(InputError, match="unclear which two columns are the ends"):
        load("t.tsv", "ann\tknows\tbob\tx\ncy\tlikes\tdan\ty\n")


# Two near towns and two that are far away, both far apart.
ROADS = [("Ulm", "Bonn", 10), ("Bonn", "Kiel", 400), ("Kiel", "Ulm", 500), ("Kiel", "Celle", 20)]
LENGTHS = ("distance", "Dist", "length_m", "km", "cost", "p-value", "pValue", "rank", "Distance (km)", "trip duration")


def weights_of(network):
    return {
        frozenset((network.labels[i], network.labels[j])): network.adjacency[i, j]
        for i, j in zip(*network.adjacency.nonzero(), strict=True)
    }


def similar(values):
    return {frozenset(road[:2]): value for road, value in zip(ROADS, values, strict=True)}


FAR, MEAN = [10, 400, 500, 20], 232.5


@pytest.mark.parametrize("ends", ["source,target", "town1,town2", "x,y"])
@pytest.mark.parametrize("heading", LENGTHS)
def test_a_column_with_the_heading_of_a_length_holds_distances(load, ends, heading):
    rows = "".join(f"{u},{v},{d}\n" for u, v, d in ROADS)
    file = load("roads.csv", f"{ends},{heading}\n{rows}")
    assert weights_of(read(file)) == pytest.approx(similar([MEAN / d for d in FAR]))
    assert any(f"the column {heading!r} is read as distances" in note for note in file.notes)
    assert not any("is read as weight" in note for note in file.notes)
    assert weights_of(read(file, weight_kind="similarity")) == similar(FAR)
    assert weights_of(read(file, weight=None)) == similar([1] * 4)
    asked = load("roads.csv", f"{ends},{heading}\n{rows}", weight=heading)
    assert weights_of(read(asked)) == similar(FAR)
    assert any("are read as similarities" in note for note in read(asked).notes)
    assert weights_of(read(asked, weight_kind="distance")) == pytest.approx(similar([MEAN / d for d in FAR]))


@pytest.mark.parametrize("heading", ["weight", "inverse_distance", "len_score", "distance_count", "m", "distances_of"])
def test_other_headings_are_no_lengths(load, heading):
    file = load("roads.csv", f"x,y,{heading}\n" + "".join(f"{u},{v},{d}\n" for u, v, d in ROADS))
    assert weights_of(read(file)) == similar(FAR)


def test_a_length_leaves_room_for_a_weight_and_for_missing_numbers(load):
    both = load("roads.csv", "source,target,km,weight\na,b,10,3\nb,c,500,1\n")
    assert sorted(edges(both).values()) == [1, 3]
    gaps = load("roads.csv", "source,target,km\na,b,10\nb,c,30\nc,d,\nd,d,0\n")
    assert edges(gaps, "km")[("c", "d")] == 20
    zero = load("roads.csv", "source,target,pvalue\na,b,0.01\nb,c,0\n")
    assert (edges(zero), zero.weight_kind) == (AB_BC, "auto")
    twice = load("roads.csv", "source,target,km\na,b,10\nb,a,12\nb,c,12\n")
    assert edges(twice, "km") == {("a", "b"): 10, ("b", "c"): 12}


def test_the_command_draws_near_towns_near_unless_asked(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("source,target,km\n" + "".join(f"{u},{v},{d}\n" for u, v, d in ROADS))

    def ratio(*given):
        assert main(["layout", "t.csv", "-o", "o.csv", *given]) == 0
        pos = read_positions("o.csv")
        return np.linalg.norm(pos["Ulm"] - pos["Bonn"]) / np.linalg.norm(pos["Kiel"] - pos["Ulm"])

    assert ratio() == ratio("--weight", "km", "--weight-kind", "distance") < 1
    assert "the column 'km' is read as distances" in capsys.readouterr().err
    assert ratio("--weight-kind", "similarity") == ratio("--weight", "km") > 1
    assert main(["layout", "t.csv", *QUICK, "-o", "o.gexf"]) == 0
    assert [own.get("weight") for *_, own in nx.read_gexf("o.gexf").edges(data=True)] == [None] * 4
    assert sorted(km for *_, km in nx.read_gexf("o.gexf").edges(data="km")) == [10, 20, 400, 500]


NODES = "Label;Id;Abteilung;Alter\nMüller;a;Ost;3,5\nJäger;b;;4\nÖ;c;Ost;\n"


@pytest.mark.parametrize("matrix", [False, True])
def test_a_table_of_nodes_gives_attributes_and_nodes_without_edges(tmp_path, monkeypatch, matrix):
    monkeypatch.setattr("nelayout.graphs.files.record.LIMITS", Limits(networkx_edges=0 if matrix else 9))
    (tmp_path / "edges.csv").write_text("Source;Target;Weight\nb;a;2,5\n")
    (tmp_path / "nodes.csv").write_text(NODES, "latin-1")
    file = read_graph(tmp_path / "edges.csv", nodes=tmp_path / "nodes.csv")
    assert list(file.labels) == ["b", "a", "c"]
    columns = {"Label": ["Jäger", "Müller", "Ö"], "Abteilung": [None, "Ost", "Ost"], "Alter": [4.0, 3.5, None]}
    assert file.node_data == columns
    assert any(re.fullmatch("1 node named by .*nodes.csv alone", note) for note in file.notes)
    assert len(nl.layout(file, seed=0)) == 3
    if not matrix:
        assert file.graph.nodes["a"] == {"Label": "Müller", "Abteilung": "Ost", "Alter": 3.5}


def test_the_command_draws_a_table_of_nodes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edges.csv").write_text("1,2\n2,3\n")
    (tmp_path / "nodes.tsv").write_text("id\tname\tkind\n1\tann\tx\n2\tbob\ty\n3\tcy\tx\n4\tdi\ty\n")
    look = ["--nodes", "nodes.tsv", "--color", "kind", "--label", "name"]
    assert main(["layout", "edges.csv", *QUICK, *look, "--quiet", "-o", "o.gexf"]) == 0
    shown = nx.read_gexf("o.gexf").nodes(data=True)
    assert [own["label"] for _, own in shown] == ["ann", "bob", "cy", "di"]
    assert len({tuple(own["viz"]["color"].items()) for _, own in shown}) == 2


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ("id,kind\na,x\na,y\n", "n.csv, line 3: the node 'a' is there twice; a table of nodes has one row per"),
        ("id,kind\n,x\n", "n.csv, line 2: a node has no name"),
        ("id,kind\nx,1\n", "n.csv: all 1 node names are unknown; the graph has e.g. 'a'"),
        ("", "n.csv is empty; a table of nodes was expected"),
    ],
)
def test_a_table_of_other_nodes_is_refused(tmp_path, nodes, said):
    (tmp_path / "e.csv").write_text("a,b\nb,c\n")
    (tmp_path / "n.csv").write_text(nodes)
    with pytest.raises(InputError, match=said):
        read_graph(tmp_path / "e.csv", nodes=tmp_path / "n.csv")


def test_letters_that_the_font_lacks_are_one_note(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    nx.write_graphml(nx.Graph([("\u4e2d\u6587", "\u6587\u5b57")]), "g.graphml")
    for quiet in ([], ["--quiet"]):
        assert main(["layout", "g.graphml", *QUICK, "--label", "id", *quiet, "-o", "o.png"]) == 0
        said = capsys.readouterr().err
        assert said.count("\n") == (0 if quiet else 1), said
        assert quiet or "the font lacks 3 of the letters" in said
