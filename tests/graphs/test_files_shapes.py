"""Other shapes of JSON: lines, CX and CX2, VOSviewer; each is read under any ending of JSON, and from a buffer."""

from __future__ import annotations

import io
import json

import pytest

from nelayout.errors import InputError
from nelayout.graphs import read
from nelayout.graphs.files import read_graph, read_positions

PAIRS = [("Ada", "Ben", 2), ("Ben", "Cy", 5), ("Ada", "Cy", 1)]
ID = {"Ada": 11, "Ben": 12, "Cy": 13}


def lines(*objects):
    return "".join(json.dumps(each) + "\n" for each in objects)


def cx2(**more):
    nodes = [{"id": ID[name], "x": ID[name], "y": 3.5, "v": {"n": name}} for name in ID]
    edges = [{"id": k, "s": ID[u], "t": ID[v], "v": {"weight": w}} for k, (u, v, w) in enumerate(PAIRS)]
    declared = {"nodes": {"name": {"a": "n", "d": "string"}, "sex": {"v": "?"}}}
    parts = [{"CXVersion": "2.0"}, {"attributeDeclarations": [declared]}, {"nodes": nodes[:1]}, {"nodes": nodes[1:]}]
    return json.dumps([*parts, {"edges": edges}, *({name: x} for name, x in more.items()), {"status": []}])


def cx():
    nodes = [{"@id": ID[name], "n": name} for name in ID]
    edges = [{"@id": k, "s": ID[u], "t": ID[v], "i": "knows"} for k, (u, v, _) in enumerate(PAIRS)]
    weights = [{"po": k, "n": "weight", "v": str(w), "d": "integer"} for k, (*_, w) in enumerate(PAIRS)]
    places = [{"node": ID[name], "x": ID[name], "y": 3.5} for name in ID]
    parts = {"nodes": nodes, "edges": edges, "edgeAttributes": weights, "cartesianLayout": places}
    return json.dumps([{"numberVerification": [{}]}, *({name: x} for name, x in parts.items())])


def vosviewer():
    items = [{"id": ID[name], "label": name, "x": ID[name], "y": -3.5, "weights": {"Links": 2}} for name in ID]
    links = [{"source_id": ID[u], "target_id": ID[v], "strength": w} for u, v, w in PAIRS]
    return json.dumps({"network": {"items": items, "links": links}, "config": {}})


def apoc():
    nodes = [{"type": "node", "id": str(k), "properties": {"name": name}} for name, k in ID.items()]
    known = [{"properties": {"weight": w}, "start": {"id": str(ID[u])}, "end": {"id": str(ID[v])}} for u, v, w in PAIRS]
    return lines(*nodes, *({"type": "relationship", "id": str(k), **each} for k, each in enumerate(known)))


NAMED = {"lines": lines(*({"source": u, "target": v, "weight": w} for u, v, w in PAIRS))}
NAMED |= {
    "lines of other headings": NAMED["lines"].replace("source", "citing").replace("target", "cited"),
    "lines of a pair of headings": NAMED["lines"].replace("source", "person1").replace("target", "person2"),
    "lines with blank ones": NAMED["lines"].replace("\n", "\n\n"),
    "objects over several lines": NAMED["lines"].replace(", ", ",\n "),
    "a list": json.dumps([json.loads(line) for line in NAMED["lines"].splitlines()]),
}
NUMBERED = {"apoc": apoc(), "CX2": cx2(), "CX": cx(), "VOSviewer": vosviewer()}


@pytest.mark.parametrize("ending", ["json", "jsonl", "ndjson", "cx2", None])
@pytest.mark.parametrize("name", [*NAMED, *NUMBERED])
def test_a_shape_of_json_is_the_graph_that_it_holds(tmp_path, name, ending):
    content = (NAMED | NUMBERED)[name]
    path = tmp_path / f"g.{ending}"
    path.write_text(content)
    file = read_graph(path if ending else io.StringIO(content))
    known = file.node_data.get("name", file.node_data.get("label", file.labels))
    called = dict(zip(file.labels, known, strict=True))
    found = {(*sorted((called[u], called[v])), w) for u, v, w in file.graph.edges(data="weight")}
    assert found == {(*sorted((u, v)), w) for u, v, w in PAIRS}
    assert not read(file).directed
    assert file.notes == (() if ending else ("the buffer is read as json",))


@pytest.mark.parametrize("name", ["CX2", "CX", "VOSviewer"])
def test_positions_point_upward(name):
    places = read_positions(io.StringIO(NUMBERED[name]))
    assert {node: place.tolist() for node, place in places.items()} == {k: [k, -3.5] for k in ID.values()}


def test_defaults_and_other_aspects_of_cx_are_kept_or_said():
    file = read_graph(io.StringIO(cx2(layers=[{"id": 1}], visualProperties=[{"default": {}}])))
    assert file.node_data["sex"] == ["?"] * 3
    assert "the list 'layers' is not read as nodes or edges" in file.notes
    assert not any("visual" in note for note in file.notes)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (lines({"source": "a", "target": "b"}) + '{"source": }\n', "line 2: not valid JSON"),
        (lines({"source": "a", "target": "b"}, {"source": "b", "aim": "c"}), 'edge 1 has no "target"'),
        (lines({"source": "a", "target": "b"}, {"note": 1}), 'edge 1 has no "source"'),
        (lines({"id": "a"}, {"source": "a", "target": "c"}), "edge 0 names the node 'c', which does not exist"),
        (lines({"height": 1}, {"height": 2}), "cannot be read as json; expected"),
        (cx2().replace('"s": 12', '"s": 99'), "edge 1 names the node 99"),
        (cx2().replace('"t"', '"u"'), 'edge 0 has no "target"'),
        (vosviewer().replace("target_id", "aim"), 'edge 0 has no "target"'),
        (vosviewer().replace('"links"', '"lines"'), "cannot be read as json; expected"),
    ],
)
def test_what_is_wrong_in_a_shape_of_json_is_named(content, said):
    with pytest.raises(InputError, match=said):
        read_graph(io.StringIO(content), "json")


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("g.graphml", '<graphml><graph edgedefault="directed"><node id="a"/>\n<edge source="a"/></graph></graphml>', 2),
        ("g.graphml", '<graphml><graph>\n<node id="a"/>\n<edge target="a" sorce="a"/></graph></graphml>', 3),
        ("g.gexf", '<gexf><graph><nodes><node id="a"/></nodes>\n<edges><edge source="a"/></edges></graph></gexf>', 2),
        ("g.gexf", '<gexf><graph><nodes><node id="a"/></nodes><edges>\n\n<edge/></edges></graph></gexf>', 3),
    ],
)
def test_an_edge_without_an_attribute_for_its_end_is_an_error_with_its_line(tmp_path, name, content, line):
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=f"{name}, line {line}: an edge has no source or no target"):
        read_graph(tmp_path / name)


def test_a_map_and_a_network_of_vosviewer_in_text_are_two_tables(tmp_path):
    items = "id\tlabel\tx\ty\tcluster\tweight<Links>\n" + "".join(f"{k}\t{v}\t0.5\t{k}\t1\t2\n" for v, k in ID.items())
    (tmp_path / "map.txt").write_text(items)
    (tmp_path / "network.txt").write_text("".join(f"{ID[u]}\t{ID[v]}\t{w}\n" for u, v, w in PAIRS))
    file = read_graph(tmp_path / "network.txt", nodes=tmp_path / "map.txt")
    assert file.node_data["label"] == list(ID)
    assert {(ID[u], ID[v], w) for u, v, w in PAIRS} == set(file.graph.edges(data="weight"))
    with pytest.raises(InputError, match=r"the first heading is 'id', so this is a table of nodes.* give nodes=TABLE"):
        read_graph(tmp_path / "map.txt")
