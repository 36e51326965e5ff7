"""Files with one small damage each: an error that names the place, or every edge that the text still has."""

from __future__ import annotations

import json
import random
import re

import networkx as nx
import pytest

from nelayout.errors import InputError
from nelayout.graphs.files import FORMATS, read_graph

GRAPH = nx.relabel_nodes(nx.krackhardt_kite_graph(), lambda k: f"person {k}")
GRAPH.add_edges_from((u, v, {"weight": 1.5 + k}) for k, (u, v) in enumerate(list(GRAPH.edges)))
GRAPH.add_node("alone")
nx.set_node_attributes(GRAPH, {v: f"club {k % 3}" for k, v in enumerate(GRAPH)}, "club")
ROWS = [(u, v, w) for u, v, w in GRAPH.edges(data="weight")]
NUMBER = {v: k for k, v in enumerate(GRAPH, 1)}
INNER = sorted(set(GRAPH) - {"alone"})
A = nx.to_numpy_array(GRAPH, INNER)

# Name of a table -> (name of its file, content).
TABLES = {
    "commas": ("t.csv", "source,target,weight\n" + "".join(f"{u},{v},{w}\n" for u, v, w in ROWS)),
    "semicolons": ("t.csv", "Source;Target;Weight\n" + "".join(f"{u};{v};{w}\n".replace(".", ",") for u, v, w in ROWS)),
    "blanks": ("t.txt", "".join(f"{u} {v} {w}\n".replace("person ", "p") for u, v, w in ROWS)),
    "numbers": ("t.txt", "".join(f"{u} {v} {w}\n".replace("person ", "") for u, v, w in ROWS)),
    "interactions": ("t.sif", "".join(f"{u}\tpp\t{v}\n" for u, v, _ in ROWS)),
    "lines": ("t.jsonl", "".join(json.dumps({"source": u, "target": v, "weight": w}) + "\n" for u, v, w in ROWS)),
    "apoc": (
        "t.json",
        "".join(json.dumps({"type": "node", "id": v}) + "\n" for v in GRAPH)
        + "".join(json.dumps({"start": {"id": u}, "end": {"id": v}, "by": w}) + "\n" for u, v, w in ROWS),
    ),
    "vosviewer": (
        "t.json",
        json.dumps(
            {
                "network": {
                    "items": [{"id": k, "label": v} for k, v in enumerate(GRAPH, 1)],
                    "links": [{"source_id": NUMBER[u], "target_id": NUMBER[v], "strength": w} for u, v, w in ROWS],
                }
            }
        ),
    ),
    "cx2": (
        "t.cx2",
        json.dumps(
            [
                {"CXVersion": "2.0", "hasFragments": False},
                {"nodes": [{"id": k, "v": {"name": v}} for k, v in enumerate(GRAPH, 1)]},
                {"edges": [{"id": k, "s": NUMBER[u], "t": NUMBER[v]} for k, (u, v, _) in enumerate(ROWS)]},
                {"status": [{"success": True}]},
            ]
        ),
    ),
    "adjacency": (
        "t.csv",
        f",{','.join(INNER)}\n" + "".join(f"{v},{','.join(map(str, A[k]))}\n" for k, v in enumerate(INNER)),
    ),
}
NAMES = [*(name for name in FORMATS if not FORMATS[name].binary and name not in ("edgelist", "sif")), *TABLES]
# What stands once in the text of each edge, whatever its element is called.
MARKS = {"graphml": " source=", "gexf": " source=", "gml": " source ", "mtx": "E1"} | dict.fromkeys(
    ("cytoscape", "graphology", "json", "lines"), '"source"'
)
MARKS |= {"apoc": '"start"|"end"', "vosviewer": '"source_id"', "cx2": '"s"'}
# An error that names a place, or why there is none.
PLACED = re.compile(
    r"line \d+|(node|edge) \d+|is empty|field '.*' twice|expected \{|entries that line|no element <graph>|no graph"
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory, good_file):
    """Format or table -> (the name of a good file, its bytes)."""
    folder = tmp_path_factory.mktemp("whole")
    found = {name: (file, content.encode()) for name, (file, content) in TABLES.items()}
    positions = {v: (k / 7, -k / 3) for k, v in enumerate(GRAPH)}
    for name in NAMES[: -len(TABLES)]:
        path = good_file(folder, name, GRAPH, positions)
        found[name] = path.name, path.read_bytes()
    return found


def damaged(data: bytes, chance: random.Random) -> bytes:
    """The content with a few bytes dropped, doubled, exchanged or replaced, or cut off."""
    found, at = bytearray(data), chance.randrange(len(data) - 1)
    more = at + chance.randrange(2, 40)
    match chance.randrange(7):
        case 0:
            del found[at]
        case 1:
            found.insert(at, found[at])
        case 2:
            found[at], found[at + 1] = found[at + 1], found[at]
        case 3:
            del found[at:]
        case 4:
            del found[at:more]
        case 5:
            found[at:at] = found[at:more]
        case _:
            found[at] = chance.choice(b"abz019 ,.;:\"'<>{}[]#\n\t-=/&\\")
    return bytes(found)


def edges_in(name: str, data: bytes) -> int | None:
    """How many edges a text has, told without a reader; None where a note or an error alone tells of a loss."""
    text = data.decode(errors="replace")
    lines = [line for line in text.splitlines() if line.strip()]
    if name == "pajek":
        section = [line.startswith("*Edges") for line in lines]
        return len(lines) - section.index(True) - 1 if True in section else None
    if name == "mtx":
        rows = {frozenset(line.split()[:2]) for line in lines[3:]}
        return sum(map(len, rows))
    if name == "adjacency":
        return None
    if name == "interactions":
        return sum(max(len(list(filter(str.strip, line.split("\t")))) - 2, 0) for line in lines)
    if name in TABLES and name not in MARKS:
        return len(lines) - (lines[0].lower() in ("source,target,weight", "source;target;weight"))
    return max(text.count(mark) for mark in MARKS[name].split("|"))


def fate(path, name: str, data: bytes, known: set[str]) -> str:
    """ "error", "noted", "right", or what is wrong."""
    path.write_bytes(data)
    try:
        file = read_graph(path)
    except InputError as error:
        return "error" if PLACED.search(str(error)) else f"no place in {error}"
    if set(file.notes) - known:
        return "noted"
    count = file.graph.number_of_edges() if hasattr(file.graph, "edges") else file.graph.nnz
    expected = edges_in(name, data)
    nodes = 11 if name not in TABLES or name in ("apoc", "vosviewer", "cx2") else 0
    if expected in (None, count) and len(file.labels) >= nodes:
        return "right"
    return f"{count} of {expected} edges and {len(file.labels)} nodes without a note"


def fates(tmp_path, whole, name: str, cases: int) -> list[tuple[str, bytes]]:
    file, good = whole[name]
    path, chance = tmp_path / file, random.Random(name)
    path.write_bytes(good)
    known = set(read_graph(path).notes)
    contents = [damaged(good, chance) for _ in range(cases)]
    return [(fate(path, name, data, known), data) for data in contents if data != good]


@pytest.mark.parametrize("name", NAMES)
def test_the_good_file_has_every_edge(tmp_path, whole, name):
    file, good = whole[name]
    assert fate(tmp_path / file, name, good, set()) in ("right", "noted")
    read = read_graph(tmp_path / file).graph
    assert (read.number_of_edges() if hasattr(read, "edges") else read.nnz // 2) == 18


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("cases", [40, pytest.param(300, marks=pytest.mark.full)])
def test_a_damage_is_an_error_or_the_graph_that_is_left(tmp_path, whole, name, cases):
    found = fates(tmp_path, whole, name, cases)
    wrong = [(what, data[-300:]) for what, data in found if what not in ("error", "noted", "right")]
    assert wrong == []
    assert {"error", "right"} <= {what for what, _ in found}
