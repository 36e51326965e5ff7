"""Files of other programs under a name that promises a graph: the message says what they are and what converts them."""

from __future__ import annotations

import io
import json
import zipfile

import networkx as nx
import numpy as np
import pytest

from nelayout.cli import main
from nelayout.errors import InputError
from nelayout.graphs.files import FORMATS, read_graph, read_positions
from nelayout.graphs.files.opening import load
from nelayout.vectors.tables import read_table

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 12345\n" % (b"0a" * 32)


def archive(*names):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        for name in names:
            packed.writestr(name, "application/vnd.oasis.opendocument.spreadsheet")
    return buffer.getvalue()


# What a file is -> its contents, and a part of the way out.
FOREIGN = {
    "an old Excel workbook, or one with a password": (
        [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512)],
        "saves it as .xlsx without a password, or the sheet as CSV",
    ),
    "an OpenDocument file": ([archive("mimetype", "content.xml")], "saves it as .xlsx, or the sheet as CSV"),
    "N-Triples": (
        [
            b"<http://a.de/1> <http://a.de/p> <http://a.de/2> .\n",
            b'# made here\n_:b1 <urn:p> "x y"@en .\n<urn:a> <urn:p> _:b1 . # end\n',
        ],
        "rdflib reads it",
    ),
    "Turtle": (
        [b"@prefix ex: <http://e.de/> .\nex:a ex:b ex:c .\n", b"# towns\nPREFIX : <http://e.de/>\n:a :b :c .\n"],
        "rdflib reads it",
    ),
    "RDF/XML": ([b'<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="urn:x"></rdf:RDF>'], "rdflib reads it"),
    "GDF": ([b"nodedef>name VARCHAR,label VARCHAR\na,A\nedgedef>node1 VARCHAR,node2 VARCHAR\na,a\n"], "Gephi opens it"),
    "a graph of Graphviz": ([b"graph {\n a -- b\n}\n", b'strict digraph "g" {\n a -> b;\n}\n'], "gv2gml"),
    "a network of UCINET": ([b"dl n=3\nformat=edgelist1\ndata:\n1 2\n"], "Graph.Read_DL"),
    "XGMML": (
        [
            b'<graph label="n"><node id="1"/><edge source="1" target="1"/></graph>',
            b'<?xml version="1.0"?>\n<!DOCTYPE graph SYSTEM "x.dtd">\n<!-- <made> --><graph xmlns="urn:XGMML"></graph>',
        ],
        "Cytoscape opens it",
    ),
    "networkx.adjacency_data": ([json.dumps(nx.adjacency_data(nx.path_graph(3))).encode()], "networkx.adjacency_graph"),
    "a tree": ([b'{"id": "a", "children": [{"id": "b"}]}'], "networkx.tree_graph"),
    "a dict of neighbors": ([b'{"a.js": ["b.js"], "b.js": []}', b'{"a": {"b": {}}, "b": {}}'], "networkx.Graph("),
}
CASES = [(what, content, way) for what, (contents, way) in FOREIGN.items() for content in contents]


@pytest.mark.parametrize("endings", [("csv", "txt", "json", "graphml", "net")])
@pytest.mark.parametrize(("what", "content", "way"), CASES)
def test_a_file_of_another_program_is_named_for_what_it_is(tmp_path, what, content, way, endings):
    json_only = content[:1] in b"[{"
    for ending in ("json",) if json_only else endings:
        path = tmp_path / f"g.{ending}"
        path.write_bytes(content)
        with pytest.raises(InputError) as caught:
            read_graph(path)
        said = str(caught.value)
        assert f"this is {what}, which is not read; " in said
        assert way in said
        assert "format=" not in said
        assert "fetch or export" not in said


@pytest.mark.parametrize("name", FORMATS)
def test_a_pointer_of_git_lfs_is_named_in_every_format(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    bad = f"g.{FORMATS[name].endings[0]}"
    (tmp_path / bad).write_bytes(POINTER)
    assert main(["layout", bad, "-o", "o.csv"]) == 1
    said = "this is a pointer of Git LFS in place of the file; git lfs pull fetches the file"
    assert capsys.readouterr().err == f"nelayout: {bad}: {said}\n"
    assert [path.name for path in tmp_path.iterdir()] == [bad]


def test_pointers_of_positions_nodes_and_rows_are_named(tmp_path):
    bad, good = tmp_path / "bad.csv", tmp_path / "good.csv"
    bad.write_bytes(POINTER)
    good.write_text("a,b\nb,c\n")
    for read in (lambda: read_positions(bad), lambda: read_graph(good, nodes=bad), lambda: load(bad, "a table")):
        with pytest.raises(InputError, match="this is a pointer of Git LFS"):
            read()


@pytest.mark.parametrize("ending", ["nt", "ttl", "rdf", "cys"])
def test_an_ending_of_another_program_names_what_reads_it(tmp_path, ending):
    with pytest.raises(InputError, match=rf"\.{ending} files are not read; \w+ (reads|opens)"):
        read_graph(tmp_path / f"g.{ending}")


def test_words_with_numbers_are_rows_and_no_edges(tmp_path):
    words, X = ["king", "man", "town"], np.arange(12).reshape(3, 4) / 8
    rows = "".join(f"{word} {' '.join(map(str, x))}\n" for word, x in zip(words, X.tolist(), strict=True))
    counted, plain = tmp_path / "counted.txt", tmp_path / "plain.txt"
    counted.write_text(f"3 4\n{rows}")
    plain.write_text(rows)
    with pytest.raises(InputError, match=r"line 1: this is word2vec text, not an edge list; .* nelayout\.embed"):
        read_graph(counted)
    with pytest.raises(InputError, match=r"drawn by nelayout\.embed"):
        read_graph(plain)
    table = read_table(load(counted), "csv")
    assert np.array_equal(table.X, X)
    assert table.names == words


@pytest.mark.parametrize("content", ["version https\nhttps a\n", "graph,a\na,b\n", "dl,n\nn,x\n", "prefix b\nb c\n"])
def test_words_of_other_formats_may_be_nodes(tmp_path, content):
    path = tmp_path / "g.txt"
    path.write_text(content)
    assert len(read_graph(path).labels) == 3
