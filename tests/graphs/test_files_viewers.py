"""Files for viewers: positions, sizes, colors and names as Gephi, Cytoscape, sigma.js and Pajek look for them.

Each is read back by another reader than ours: networkx's, or that of JSON.
"""

from __future__ import annotations

import io
import json
import re

import networkx as nx
import numpy as np
import pytest

from nelayout.cli import main
from nelayout.errors import InputError
from nelayout.graphs import read
from nelayout.graphs.files import FORMATS, Look, read_graph, read_positions, write_positions

POS = {"a": (0.5, -2.0), 'b "q"': (1 / 3, 4.0), "ü": (-3.0, 1.0)}
LOOK = Look(np.array([1.0, 2.0, 3.0]), ["#ff8000", "#0000ff", "#010203"], ["Ann", "Bob", "Übü"])
VIEWERS = [name for name, entry in FORMATS.items() if entry.viewer is not None]


def graph(kind=nx.Graph):
    G = kind()
    G.add_node("a", size="large", kind="x", label="own")
    G.add_nodes_from(['b "q"', "ü"])
    G.add_edge("a", 'b "q"', weight=2.5, color="red")
    G.add_edge('b "q"', "ü")
    return G


KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]


def written(tmp_path, ending, G=None, pos=POS, look=LOOK):
    path = tmp_path / f"drawn.{ending}"
    write_positions(path, graph() if G is None else G, pos, look=look)
    return path


def hexed(channels):
    return "#{:02x}{:02x}{:02x}".format(*(channels[c] for c in "rgb"))


def shown(path):
    """Place, size, color and name of each node of a file, and its other values, as its own reader finds them."""
    if path.suffix == ".gexf":
        found = [(node, own, own["viz"], own["viz"]["position"]) for node, own in nx.read_gexf(path).nodes(data=True)]
        assert all(viz["color"]["a"] == 1.0 for _, _, viz, _ in found)
        return {v: ((at["x"], at["y"]), z["size"], hexed(z["color"]), own["label"], own) for v, own, z, at in found}
    if path.suffix == ".graphml":
        nodes = nx.read_graphml(path).nodes(data=True)
        assert all(isinstance(own[channel], int) for _, own in nodes for channel in "rgb")
        return {node: ((own["x"], own["y"]), own["size"], hexed(own), own["label"], own) for node, own in nodes}
    data = json.loads(path.read_text())
    if path.suffix == ".cyjs":
        found = [(each["data"], each["position"]) for each in data["elements"]["nodes"]]
        return {own["id"]: ((at["x"], -at["y"]), own["size"], own["color"], own["name"], own) for own, at in found}
    nodes = {node["key"]: node["attributes"] for node in data["nodes"]}
    return {key: ((own["x"], own["y"]), 2 * own["size"], own["color"], own["label"], own) for key, own in nodes.items()}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", VIEWERS)
def test_a_file_has_what_its_viewer_draws(tmp_path, name, kind):
    found = shown(written(tmp_path, FORMATS[name].endings[0], graph(kind)))
    assert {node: place for node, (place, *_) in found.items()} == POS
    assert [size for _, size, *_ in found.values()] == [1, 2, 3]
    assert [color for _, _, color, *_ in found.values()] == list(LOOK.colors)
    assert [text for *_, text, _ in found.values()] == ["Ann", "Bob", "Übü"]
    own = found["a"][-1]
    assert "large" in (own.get("own_size"), own.get("size"))
    assert "own" in (own.get("own_label"), own.get("label"))


@pytest.mark.parametrize("kind", KINDS)
def test_edges_are_those_of_the_graph(tmp_path, kind):
    G = graph(kind)
    data = json.loads(written(tmp_path, "cyjs", G).read_text())
    H = nx.cytoscape_graph(data)
    assert (type(H), list(H)) == (kind, list(G))
    assert [w for *_, w in H.edges(data="weight")] == [2.5, None]
    assert data["layout"] == {"name": "preset"}
    fields = {re.fullmatch(r"data\((\w+)\)", value)[1] for value in data["style"][0]["style"].values()}
    assert fields == {"name", "size", "color"} <= set(data["elements"]["nodes"][0]["data"])
    data = json.loads(written(tmp_path, "graphology.json", G).read_text())
    assert data["options"]["type"] == ("directed" if G.is_directed() else "undirected")
    assert data["options"]["multi"] == G.is_multigraph()
    ends = [(edge["source"], edge["target"], edge["attributes"].get("weight")) for edge in data["edges"]]
    assert ends == [("a", 'b "q"', 2.5), ('b "q"', "ü", None)]
    assert all(edge.get("undirected", False) != G.is_directed() for edge in data["edges"])
    assert nx.read_gexf(written(tmp_path, "gexf", G)).is_directed() == G.is_directed()


@pytest.mark.parametrize("directed", [False, True])
def test_pajek_has_the_drawing_in_its_unit_square(tmp_path, directed):
    G = graph(nx.DiGraph if directed else nx.Graph)
    G.add_node("alone")
    pos = {**POS, "alone": (7.0, 0.0)}
    path = written(tmp_path, "net", G, pos)
    H = nx.read_pajek(path, encoding="utf-8-sig")
    assert list(H) == ["a", "b 'q'", "ü", "alone"]
    assert H.is_directed() == directed
    assert sorted(H.edges(data="weight")) == [("a", "b 'q'", 2.5), ("b 'q'", "ü", None)]
    inside = np.array([[H.nodes[node][axis] for axis in "xy"] for node in H], dtype=float)
    drawn = np.array(list(pos.values()))
    assert inside.min() >= 0.05 - 1e-12
    assert inside.max() <= 0.95 + 1e-12
    assert np.ptp(inside, axis=0).max() == pytest.approx(0.9)
    up = inside * [1, -1]  # Pajek's y points down
    assert np.allclose(up - up.mean(axis=0), (drawn - drawn.mean(axis=0)) * 0.9 / np.ptp(drawn, axis=0).max())
    again = np.array(list(read_positions(path).values()))
    assert np.allclose(again - again.mean(axis=0), up - up.mean(axis=0))
    weights = read(read_graph(path).graph).adjacency.toarray()
    assert np.array_equal(weights, read(G).adjacency.toarray())


def test_pajek_in_space_and_without_nodes(tmp_path):
    path = written(tmp_path, "net", nx.path_graph(2), {0: (0, 0, 0), 1: (1, 2, 4)})
    assert np.allclose(np.diff(list(read_positions(path).values()), axis=0), [[0.225, 0.45, 0.9]])
    assert not path.read_bytes().startswith(b"\xef\xbb\xbf")
    assert len(read_graph(written(tmp_path, "net", nx.Graph(), {})).labels) == 0


@pytest.mark.parametrize("name", [*VIEWERS, "pajek"])
def test_names_that_would_be_one_are_refused(tmp_path, name):
    with pytest.raises(InputError, match=r"the nodes 1 and '1' are both called '1'"):
        write_positions(tmp_path / "out", nx.Graph([(1, "1")]), {1: (0, 0), "1": (1, 1)}, name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", [*VIEWERS, "pajek"])
def test_without_a_look_the_viewer_chooses(tmp_path, name):
    write_positions(tmp_path / "out", nx.path_graph(2), {0: (0, 0), 1: (1, 1)}, name)
    assert not re.search(r"size|color", (tmp_path / "out").read_text())


def test_what_others_write_is_read(tmp_path):
    (tmp_path / "nx.cyjs").write_text(json.dumps(nx.cytoscape_data(nx.path_graph(3))))
    assert list(read_graph(tmp_path / "nx.cyjs").graph.edges) == [(0, 1), (1, 2)]
    ends = {"data": {"source": "a", "target": "b"}}
    flat = [{"data": {"id": "a"}, "position": {"x": 1, "y": 2}}, {"data": {"id": "b"}}, ends]
    (tmp_path / "flat.cyjs").write_text(json.dumps({"elements": flat}))
    assert {node: tuple(place) for node, place in read_positions(tmp_path / "flat.cyjs").items()} == {"a": (1, -2)}
    mixed = {"nodes": [{"key": "a", "attributes": {}}, {"key": "b"}], "edges": [{"source": "a", "target": "b"}] * 2}
    (tmp_path / "g.graphology.json").write_text(json.dumps(mixed))
    file = read_graph(tmp_path / "g.graphology.json")
    assert (file.graph.is_directed(), file.graph.number_of_edges()) == (True, 2)


# the command

QUICK = ["-m", "linlog", "--max-iter", "2"]


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A graph file with a class for each node, in the working folder."""
    monkeypatch.chdir(tmp_path)
    G = nx.karate_club_graph()
    nx.write_graphml(G, "karate.graphml")
    return G


@pytest.mark.parametrize("name", VIEWERS)
def test_the_command_writes_what_the_picture_shows(source, tmp_path, name):
    from matplotlib.colors import to_hex

    from nelayout.pictures.colors import coloring

    path = tmp_path / f"out.{FORMATS[name].endings[0]}"
    wanted = ["layout", "karate.graphml", *QUICK, "--quiet", "--color", "club", "--label", "club"]
    assert main([*wanted, "-o", str(path)]) == 0
    nodes = shown(path)
    drawn = np.array([place for place, *_ in nodes.values()])
    assert np.abs(drawn).max() == pytest.approx(FORMATS[name].viewer)
    rgba = coloring(read(source), "club").rgba
    assert [color for _, _, color, *_ in nodes.values()] == [to_hex(each) for each in rgba]
    assert [text for *_, text, _ in nodes.values()] == [club for _, club in source.nodes(data="club")]
    sizes = {size for _, size, *_ in nodes.values()}
    assert len(sizes) == 1
    apart = np.linalg.norm(drawn[:, None] - drawn[None], axis=2)[np.triu_indices(len(drawn), 1)]
    assert apart.min() >= max(sizes) * (1 - 5e-3)  # no dot hides another, as far as placing.final parts them
    assert main([*wanted, "-o", "plain.json"]) == 0
    plain = np.array(list(read_positions("plain.json").values()))
    assert np.allclose(drawn / FORMATS[name].viewer, plain)
    assert main([*wanted, "-o", str(path), "--scale", "5"]) == 0
    assert np.abs([place for place, *_ in shown(path).values()]).max() == pytest.approx(5)


@pytest.mark.parametrize("ending", ["net", "gexf", "graphml", "cyjs", "graphology.json"])
def test_a_file_is_a_start_of_its_own(source, tmp_path, ending, monkeypatch):
    first, again = f"first.{ending}", "again.csv"
    assert main(["layout", "karate.graphml", *QUICK, "--quiet", "-o", first]) == 0
    kept = ["--max-iter", "0", "--scale", "none", "--quiet"]
    assert main(["layout", first, "-m", "linlog", "--pos", first, *kept, "-o", again]) == 0
    before, after = (np.array(list(read_positions(path).values())) for path in (first, again))
    assert np.allclose(before - before.mean(axis=0), after - after.mean(axis=0))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((tmp_path / first).read_bytes())))
    piped = ["layout", "-", "--format", f"{ending}:csv", "-m", "linlog", "--pos", "-", *kept, "-o", "piped.csv"]
    assert main(piped) == 0
    assert (tmp_path / "piped.csv").read_text() == (tmp_path / again).read_text()


def test_a_form_of_json_is_that_of_the_output(source, tmp_path):
    assert main(["layout", "karate.graphml", *QUICK, "-o", "out.json", "--format", "graphology"]) == 0
    assert read_graph("out.json").format == "graphology"
    assert main(["layout", "out.json", *QUICK, "-o", "again.json", "--format", "cytoscape"]) == 0
    assert read_graph("again.json").format == "cytoscape"
    assert main(["layout", "again.json", *QUICK, "-o", "plain.json"]) == 0
    assert read_graph("plain.json").format == "json"


def test_names_of_the_nodes_own_are_kept(tmp_path):
    G = nx.Graph()
    G.add_node("n0", name="Ann", label="Annie")
    write_positions(tmp_path / "g.cyjs", G, {"n0": (0, 0)})
    write_positions(tmp_path / "g.graphology.json", G, {"n0": (0, 0)})
    assert json.loads((tmp_path / "g.cyjs").read_text())["elements"]["nodes"][0]["data"]["name"] == "Ann"
    assert json.loads((tmp_path / "g.graphology.json").read_text())["nodes"][0]["attributes"]["label"] == "Annie"


def test_what_is_misspelt_is_said_before_the_work(source, tmp_path, capsys):
    assert main(["layout", "karate.graphml", "-o", "out.gexf", "--color", "clubb"]) == 1
    assert "did you mean 'club'" in capsys.readouterr().err
    assert main(["layout", "karate.graphml", "-o", "out.cyjs", "--label", "clubb"]) == 1
    assert main(["layout", "karate.graphml", *QUICK, "-o", "out.net", "--color", "club"]) == 0
    assert "pictures and viewers; pajek holds no attributes" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["karate.graphml", "out.net"]
