"""Rows that are read in blocks: the same graph, notes and errors as row by row."""

from __future__ import annotations

import itertools

import pytest

from nelayout.errors import InputError
from nelayout.graphs.files import delimited, read_graph
from nelayout.graphs.files.opening import load

ROWS = {
    "names": "a,b\nb,c\nc,a\nd,a\n",
    "header": "source,target,weight\na,b,1\nb,c,2.5\na,b,3\nc,d,-1e3\n",
    "a quoted header": '"source","target","weight"\na,b,1\nb,c,2\n',
    "quoted names": '"source","target","weight"\n"a x","b",1\n"b","c, d",2\n"b","a x",3\n',
    "quotes with blanks around": 'source,target\n "a" ,b\na, "b"\n"c","d"\n',
    "a blank after a quote": 'source,target\n"a" ,b\nb,c\nc,d\n',
    "a quote in a name": 'source,target\na"x,b\nb,c\n',
    "a doubled quote": 'source,target\n"a""x",b\nb,c\n',
    "a line end in quotes": 'source,target,kind\n"a,x,y\nz",b,c\nd,e,f\nd,e,f\n',
    "unpaired quotes": 'a,b\n"b,c\nc,d\n',
    "single quotes": "'a','b'\n'b','c'\n",
    "blanks": "a b 1\nb  c\t2\n c d 3 \n",
    "tabs": "a x\tb\nb\tc d\n c\td \n",
    "bars": "a|b|1\nb|c|2\n",
    "semicolons": "a;b;1.500\nb;c;2.250\n",
    "decimal commas": "a;b;1,5\nb;c;2,25\n",
    "no end of the last line": "a,b\nb,c",
    "carriage returns": "a,b\r\nb,c\r\n",
    "empty lines": "a,b\n\nb,c\n \nc,d\n",
    "a comment first": "# all edges\na,b\nb,c\n",
    "a comment in the middle": "a,b\nb,c\n# the others\nc,d\n",
    "comments at the end of rows": "a b # first\nb c\n",
    "names with signs": "a,#b\nb%,c\n#c,d\n",
    "a missing name": "a,b\nb,NA\nc,d\n",
    "an empty name": "a,b\n,c\nc,d\n",
    "a missing weight": "a,b,1\nb,c,\nc,d,nan\n",
    "an infinite weight": "a,b,1\nb,c,inf\n",
    "an underscore in a weight": "a,b,1\nb,c,1_0\n",
    "underscores in names": "a_1,b,1\nb,c_2,2\n",
    "a word as a weight": "source,target,weight\na,b,1\nb,c,heavy\n",
    "a comma in a weight": 'source,target,weight\na,b,1\nb,c,"1,500"\n',
    "a short row": "a,b,1\nb,c\nc,d,1\n",
    "a long row": "a,b,1\nb,c,2,3\nc,d,1\n",
    "rows that make up for each other": "a,b,c\nd,e\nf,g,h,i\n",
    "an empty field more": "a,b,1,\nb,c,2\nc,d,3\n",
    "numbers beside names": "1,b\nb,2\n2,3\n",
    "numbers with a long tail of fractions": "a,b,0.1234567890123\nb,c,1e-320\n",
    "large numbers": "source,target\n9007199254740993,1\n1,2\n",
    "numbers as text": "source,target,kind\n03,1,x\n1,2,y\n3,2,y\n",
    "names of other scripts": "\u00e4\u00f6,\u4e2d\u6587\n\u4e2d\u6587,\u00a0b\nb,\u3000c\u2003\n",
    "columns that are not read": "source,color,target\na,red,b\nb,blue,c\n",
    "ends behind": "weight,source,target\n1,a,b\n2,b,c\n",
    "no rows": "source,target\n",
}


def outcome(path, **options):
    """The graph with its labels and notes, or the message of the error."""
    try:
        found = read_graph(path, **options)
    except InputError as error:
        return str(error)
    G = found.graph
    edges = list(G.edges(data=True)) if hasattr(G, "edges") else (G != 0, G.data)
    return list(found.labels), edges, found.notes, found.weight


@pytest.mark.parametrize("letters", [1, 9, 2**20])
@pytest.mark.parametrize("name", ROWS)
def test_blocks_are_read_as_rows_are(tmp_path, monkeypatch, name, letters):
    path = tmp_path / "edges.csv"
    path.write_text(ROWS[name], encoding="utf-8", newline="")
    monkeypatch.setattr(delimited, "BLOCK_LETTERS", letters)
    in_blocks = outcome(path)
    monkeypatch.setattr(delimited.Rows, "_split", lambda *_: None)
    assert in_blocks == outcome(path)


@pytest.mark.parametrize("seed", range(20))
def test_blocks_of_mixed_rows_are_read_as_rows_are(tmp_path, monkeypatch, seed):
    """Rows of several kinds follow each other; an unusual one is in a late block."""
    usual = [f"{a}{seed},{b},{0.5 + seed}" for a, b in itertools.permutations("abcdefg", 2)]
    unusual = ["# note", '"a",b,1', "a,b", "a,b,1,2", ",b,1", "a,b,x", "a,b,NA", "", "1,2,3", " a , b , 3 ", "a,b,1_0"]
    path = tmp_path / "edges.csv"
    path.write_text("\n".join([*usual, unusual[seed % len(unusual)], *usual[::2]]) + "\n")
    monkeypatch.setattr(delimited, "BLOCK_LETTERS", 100)
    in_blocks = outcome(path)
    monkeypatch.setattr(delimited.Rows, "_split", lambda *_: None)
    assert in_blocks == outcome(path)


def test_plain_rows_are_read_in_blocks(tmp_path, monkeypatch):
    """Else the tests above compare a way with itself."""
    for name in ("names", "header", "quoted names", "blanks", "tabs", "bars", "names of other scripts", "ends behind"):
        path = tmp_path / "edges.csv"
        path.write_text(ROWS[name].replace("c, d", "c"), encoding="utf-8")
        rows = delimited.Rows(load(path))
        monkeypatch.setattr(rows, "_parse", None)
        assert sum(len(lines) for lines, _ in rows.blocks(1, lambda *_: None)) > 1
