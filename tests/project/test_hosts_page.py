"""docs/howto/in-out.md says what is so: its tables, row by row, and its examples, library by library."""

from __future__ import annotations

import re
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import nelayout as nl
from nelayout import graphs
from nelayout.graphs.files import EXTENSIONS, FORMATS

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = (REPOSITORY / "docs" / "howto" / "in-out.md").read_text()
# Name on the page -> module of the library.
MODULES = {"graph-tool": "graph_tool", "matrices": "numpy"}


def table(mark):
    """Rows of the table behind a mark, as lists of cells."""
    rows = PAGE.partition(f"<!-- {mark} -->\n")[2].partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def section(name):
    """The Python blocks under a heading."""
    text = PAGE.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
    return "\n".join(re.findall(r"^```(?:\{code-block\} )?python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))


ROWS = {row[0]: row for row in table("hosts")}


def test_the_table_has_every_host():
    assert {MODULES.get(name, name).replace("numpy", "arrays") for name in ROWS} == set(graphs.HOSTS)


def ways(library):
    """(graph, positions -> whatever the library draws with them), as the last column says."""
    ends, weights = [(0, 1), (1, 2), (2, 3), (3, 1)], [2.0, 1.0, 0.5, 1.0]
    triples = [(*pair, weight) for pair, weight in zip(ends, weights, strict=True)]
    if library == "networkx":
        G = nx.Graph()
        G.add_weighted_edges_from(triples)
        return G, lambda pos: nx.draw(G, pos)
    module = pytest.importorskip(MODULES.get(library, library), reason=f"{library} is not installed")
    if library == "igraph":
        from matplotlib import pyplot

        G = module.Graph(ends, edge_attrs={"weight": weights})
        return G, lambda pos: module.plot(G, layout=pos, target=pyplot.gca())
    if library == "rustworkx":
        mpl_draw = pytest.importorskip("rustworkx.visualization").mpl_draw
        G = module.PyGraph()
        G.add_nodes_from([None] * 4)
        G.add_edges_from(triples)
        return G, lambda pos: mpl_draw(G, pos=pos)
    if library == "networkit":
        G = module.Graph(4, weighted=True)
        for triple in triples:
            G.addEdge(*triple)
        return G, lambda pos: (nl.draw(G, pos), module.viz.MaxentStress(G, 2, 2, pos.tolist()))
    if library == "graph-tool":
        G = module.Graph(directed=False)
        G.add_edge_list(ends)
        G.ep["weight"] = G.new_ep("double", vals=weights)
        return G, lambda pos: pos.get_2d_array([0, 1])  # which graph_draw asks for; it needs a window system itself
    if library == "pandas":
        return module.DataFrame(triples, columns=["source", "target", "weight"]), lambda pos: pos.plot.scatter("x", "y")
    if library in ("polars", "pyarrow"):
        make = module.table if library == "pyarrow" else module.DataFrame
        columns = make(dict(zip(["source", "target", "weight"], zip(*triples, strict=True), strict=True)))
        return columns, lambda pos: nl.draw(columns, pos)
    return (A := np.array(nx.to_numpy_array(nx.Graph(ends)))), lambda pos: nl.draw(A, pos)


@pytest.mark.parametrize("library", ROWS)
def test_a_row_says_what_comes_back_and_what_draws_it(library):
    from matplotlib import pyplot

    G, draws = ways(library)
    pos = nl.ws_sne_layout(G, seed=0)
    assert ROWS[library][2].startswith(f"`{type(pos).__name__}`")
    draws(pos)
    pyplot.close("all")
    assert len(graphs.places(pos).rows) == 4
    again = nl.ws_sne_layout(G, pos, max_iter=0)
    assert type(again) is type(pos)


@pytest.mark.parametrize("name", ["rustworkx", "networkit", "graph-tool"])
def test_examples_of_libraries_that_few_have(name, tmp_path, monkeypatch):
    """The others are run with all pages, in tests/project/test_examples.py."""
    pytest.importorskip(MODULES.get(name, name), reason=f"{name} is not installed")
    monkeypatch.chdir(tmp_path)
    names = {"nl": nl}
    exec(section(name), names)
    pos = names.get("pos", names.get("Y"))
    assert type(pos).__name__ in ROWS[name][2]
    from matplotlib import pyplot

    pyplot.close("all")


def test_the_table_of_viewers_has_the_sizes_of_their_formats():
    """Half the width of a drawing; Pajek's lie in the unit square."""
    halves = {EXTENSIONS[ending.strip("`.")]: float(half) for _, ending, _, half in table("viewers")}
    assert halves == {name: FORMATS[name].viewer or 0.45 for name in halves}
    assert halves.keys() >= {name for name, entry in FORMATS.items() if entry.viewer is not None}
