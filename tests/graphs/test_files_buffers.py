"""Open files and buffers of bytes and text stand wherever a path does."""

from __future__ import annotations

import gzip
import io
import json

import networkx as nx
import numpy as np
import pytest

import nelayout as nl
from nelayout.errors import InputError
from nelayout.graphs.files import WRITERS, read_graph, read_positions, write_positions

GRAPH = nx.relabel_nodes(nx.path_graph(5), dict(enumerate("vwxyz")))
GRAPH.add_edge("v", "z", weight=2.5)
POS = {node: (k / 3, -k * 1.5) for k, node in enumerate(GRAPH)}
BYTES = {"npz", "arrow", "parquet"}


def held(buffer):
    content = buffer.getvalue()
    return content.encode() if isinstance(content, str) else content


@pytest.mark.parametrize("kind", [io.BytesIO, io.StringIO])
@pytest.mark.parametrize("name", WRITERS)
def test_a_buffer_holds_what_a_file_would_and_is_read_back(tmp_path, name, kind):
    path, buffer = tmp_path / "g", kind()
    write_positions(path, GRAPH, POS, name)
    if kind is io.StringIO and name in BYTES:
        with pytest.raises(InputError, match=r"not text; give a buffer of bytes: io\.BytesIO\(\)"):
            write_positions(buffer, GRAPH, POS, name)
        assert buffer.getvalue() == ""
        return
    write_positions(buffer, GRAPH, POS, name)
    if name != "npz":  # an archive holds the time
        assert held(buffer) == path.read_bytes()
    buffer.seek(0)
    found = read_positions(buffer)
    assert found.keys() == POS.keys()
    if name != "pajek":
        assert np.allclose([found[v] for v in POS], list(POS.values()))
    if name not in ("csv", "arrow", "parquet"):
        buffer.seek(0)
        file = read_graph(buffer)
        assert file.graph.number_of_edges() if hasattr(file.graph, "edges") else file.graph.nnz // 2 == 5
        assert any(note.startswith("the buffer is read as") for note in file.notes)


def test_open_files_of_both_modes_and_packed_ones_are_read(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target\nä,b\nb,c\n", encoding="utf-8")
    expected = list(read_graph(path).graph.edges)
    with path.open("rb") as data, path.open(encoding="utf-8") as text:
        assert list(read_graph(data).graph.edges) == list(read_graph(text).graph.edges) == expected
    packed = io.BytesIO(gzip.compress(path.read_bytes()))
    assert list(read_graph(packed).graph.edges) == expected
    nodes = io.StringIO("id,team\nä,1\nb,1\nc,2\n")
    assert read_graph(path, nodes=nodes).node_data["team"] == [1, 1, 2]


def test_the_name_of_a_buffer_says_its_format_and_stands_in_errors(tmp_path):
    buffer = io.BytesIO(b"a\tpp\n")
    buffer.name = "t.sif"
    with pytest.raises(InputError, match=r"t\.sif, line 1"):
        read_graph(buffer)
    with (tmp_path / "out.gexf").open("wb") as file:
        write_positions(file, GRAPH, POS)
    assert read_graph(tmp_path / "out.gexf").format == "gexf"


def _closed(buffer):
    buffer.close()
    return buffer


def _text(folder):
    (folder / "x.npz").write_bytes(b"PK\x03\x04\xff\xfe")
    return (folder / "x.npz").open(encoding="utf-8")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda p: io.StringIO(""), r"the buffer is empty.*buffer\.seek\(0\)"),
        (lambda p: io.StringIO("words"), "the content does not show the format"),
        (lambda p: b"a,b\n", r"must be a path or a buffer; got bytes. Give io\.BytesIO\(content\)"),
        (lambda p: (p / "w.csv").open("w"), "w.csv cannot be read: .*'rb'"),
        (lambda p: _closed(io.BytesIO(b"a,b")), "the buffer cannot be read: .*closed"),
        (_text, "cannot be read as text; open it with the mode 'rb'"),
    ],
    ids=["empty", "unknown", "bytes", "for writing", "closed", "not text"],
)
def test_a_buffer_that_cannot_be_read_says_why(tmp_path, make, said):
    buffer = make(tmp_path)
    try:
        with pytest.raises(InputError, match=said):
            read_graph(buffer)
    finally:
        getattr(buffer, "close", lambda: None)()


def test_a_buffer_that_cannot_be_written_says_why(tmp_path):
    (tmp_path / "r.json").write_text("kept")
    with (tmp_path / "r.json").open() as file, pytest.raises(InputError, match="not open for writing; open it with"):
        write_positions(file, GRAPH, POS)
    assert (tmp_path / "r.json").read_text() == "kept"
    with pytest.raises(InputError, match="must be named for a buffer: format="):
        write_positions(io.BytesIO(), GRAPH, POS)
    buffer = io.BytesIO()
    with pytest.raises(InputError, match="has no position"):
        write_positions(buffer, GRAPH, {"v": (0, 0)}, "json")
    assert buffer.getvalue() == b""


def test_pages_and_pictures_are_written_to_buffers(tmp_path):
    pytest.importorskip("matplotlib")
    picture, page, film = io.StringIO(), io.StringIO(), io.BytesIO()
    nl.draw(GRAPH, POS, picture, format="svg")
    assert "</svg>" in picture.getvalue()
    nl.explore(GRAPH, POS, page)
    assert "</html>" in page.getvalue()
    nl.layout_sequence([GRAPH, GRAPH], seed=0).to_gif(film, size=64)
    assert film.getvalue()[:3] == b"GIF"


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("form", ["d3", "node-link", "cytoscape", "graphology"])
def test_json_is_returned_as_text(form, directed):
    G = GRAPH.to_directed() if directed else GRAPH
    text = nl.to_json(G, POS, form)
    file = read_graph(io.StringIO(text))
    assert set(file.labels) == set(G)
    assert sorted(map(sorted, file.graph.edges)) == sorted(map(sorted, G.edges))
    assert file.graph.is_directed() == directed
    places = read_positions(io.StringIO(text))
    assert all(np.allclose(places[node], POS[node]) for node in G)
    data = json.loads(text)
    assert ("links" in data) == (form == "d3")
    assert {"d3": "links", "node-link": "edges", "cytoscape": "elements", "graphology": "options"}[form] in data


def test_a_wrong_form_or_a_missing_position_is_named():
    with pytest.raises(InputError, match="unknown form 'd33': did you mean 'd3'"):
        nl.to_json(GRAPH, POS, "d33")
    with pytest.raises(InputError, match="node 'w' has no position"):
        nl.to_json(GRAPH, {"v": (0, 0)})
