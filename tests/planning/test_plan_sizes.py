"""Plans of sizes alone: those of graphs with these sizes, and errors for sizes that nothing has."""

import subprocess
import sys

import networkx as nx
import numpy as np
import pytest

import nelayout as nl
from nelayout.errors import InputError
from nelayout.planning.calls import READING


def typical(n, m):
    """A connected graph without symmetry: a random graph of equal sizes."""
    for seed in range(1000):
        G = nx.gnm_random_graph(n, m, seed=seed)
        if nx.is_connected(G):
            return G
    raise AssertionError(f"no connected graph of {n} nodes and {m} edges")


def drawing(plan):
    return [each for each in plan.passes if each.name not in (READING, "compile and load loops")]


@pytest.mark.parametrize("method", ["auto", "ws-sne", "linlog", "jse", "alpha-sne"])
@pytest.mark.parametrize(("n", "m"), [(40, 120), (700, 4000)])
def test_a_plan_of_sizes_is_that_of_a_typical_graph(method, n, m):
    """Pass by pass, with the same seconds and bytes: only the file comes before it."""
    sizes, graph = nl.plan(nodes=n, edges=m, method=method), nl.plan(typical(n, m), method)
    assert sizes.passes[0].name == READING
    assert drawing(sizes) == drawing(graph)
    assert (sizes.nodes, sizes.edges, sizes.components, sizes.bytes) == (n, m, 1, graph.bytes)


@pytest.mark.parametrize("options", [{"dim": 3}, {"smoothing": 0.5}, {"max_iter": 10}, {"node_size": "auto"}])
def test_keywords_count_as_with_a_graph(options):
    sizes, graph = nl.plan(nodes=300, edges=1200, **options), nl.plan(typical(300, 1200), **options)
    assert drawing(sizes) == drawing(graph)


def test_path_lengths_are_estimated_from_the_degrees():
    sizes, graph = nl.plan(nodes=500, edges=2000, method="tsnet"), nl.plan(typical(500, 2000), "tsnet")
    assert [each.name for each in drawing(sizes)] == [each.name for each in drawing(graph)]
    assert 0.5 < sizes.bytes / graph.bytes < 2


def test_a_tree_and_nodes_alone():
    tree, forest = nl.plan(nodes=30, edges=29), nl.plan(nodes=30, edges=9)
    assert "from a radial drawing" in {each.name.strip() for each in tree.passes}
    assert (tree.components, forest.components) == (1, 21)
    assert forest.assumed == (
        "assumed: a tree, and 20 nodes without edges; no ring, star or planar graph; read from a table of edges",
    )
    assert forest.assumed[0] in repr(forest)
    assert forest.assumed[0] in forest._repr_html_()
    assert nl.plan(nodes=0, edges=0).nodes == 0
    assert nl.plan(nodes=5, edges=0).steps == 0


def test_more_takes_longer_and_more():
    plans = [nl.plan(nodes=n, edges=3 * n, method="ws-sne", n_jobs=1) for n in (10**3, 10**4, 10**5, 10**6, 10**7)]
    for values in ([each.seconds for each in plans], [each.process_bytes for each in plans]):
        assert values == sorted(values)
    assert all(each.process_bytes > each.bytes + 70_000_000 for each in plans)


def test_a_table_is_searched_and_drawn():
    X = np.random.default_rng(0).normal(size=(400, 8))
    given, sizes = nl.plan(X), nl.plan(rows=400, columns=8)
    assert drawing(given) == drawing(sizes)
    assert [each.name for each in sizes.passes[:2]] == [READING, "nearest neighbors"]
    assert given.method == sizes.method == "ws-sne"
    stages = {step.stage.partition(" (")[0] for step in nl.solve_vectors(X, random_state=0).trace}
    assert stages <= {each.name for each in given.passes}
    assert drawing(nl.plan(X, "nerv")) == drawing(nl.plan(rows=400, columns=8, method="nerv"))
    pandas = pytest.importorskip("pandas")
    assert drawing(nl.plan(pandas.DataFrame(X))) == drawing(given)
    wide, long = (nl.plan(rows=n, columns=d, n_jobs=1) for n, d in ((1000, 2000), (20_000, 100)))
    assert wide.passes[0].seconds == long.passes[0].seconds  # the same count of numbers
    assert wide.passes[1].seconds < long.passes[1].seconds


def test_a_perplexity_has_its_neighbors():
    few, many = (nl.plan(rows=1000, columns=5, perplexity=p) for p in (5, 30))
    assert [plan.passes[1].why.split()[0] for plan in (few, many)] == ["15", "90"]
    assert few.edges < many.edges


PATH = nx.path_graph(3)
REFUSED = {
    "nothing": ({}, "plan needs a graph, a table or sizes"),
    "no edges": ({"nodes": 10}, "nodes must come with edges; got nodes=10 alone"),
    "no nodes": ({"edges": 10}, "edges must come with nodes"),
    "no columns": ({"rows": 10}, "rows must come with columns"),
    "too many edges": ({"nodes": 10, "edges": 46}, r"at most nodes \(nodes - 1\) / 2 = 45; got 46 for 10 nodes"),
    "edge without nodes": ({"nodes": 0, "edges": 1}, "= 0; got 1"),
    "negative": ({"nodes": -1, "edges": 0}, "nodes must be a whole number of at least 0; got -1"),
    "negative edges": ({"nodes": 3, "edges": -2}, "edges must be a whole number of at least 0; got -2"),
    "part of a node": ({"nodes": 2.5, "edges": 1}, "whole number"),
    "text": ({"nodes": "many", "edges": 1}, "whole number"),
    "truth": ({"nodes": True, "edges": 0}, "whole number"),
    "infinite": ({"nodes": float("inf"), "edges": 0}, "whole number"),
    "both": ({"G": PATH, "nodes": 3, "edges": 2}, "nodes and edges must come without G"),
    "graph and table": ({"nodes": 3, "edges": 2, "rows": 3, "columns": 2}, "got both"),
    "one row": ({"rows": 1, "columns": 2}, "at least 2 rows"),
    "positions": ({"nodes": 3, "edges": 2, "pos": {}}, "pos must come with a graph"),
    "stability": ({"nodes": 3, "edges": 2, "stability": 0.5}, "stability must come with a graph"),
    "method": ({"nodes": 3, "edges": 2, "method": "ws-sen"}, "did you mean 'ws-sne'"),
    "keyword": ({"nodes": 3, "edges": 2, "dim": 4}, "dim"),
    "table with positions": ({"G": np.zeros((4, 2)), "pos": {}}, "leave them out"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_nothing_has_is_refused(what):
    given, said = REFUSED[what]
    for call in (nl.plan, nl.estimate):
        if call is nl.estimate and {"pos", "stability"} & set(given):
            continue
        with pytest.raises(InputError, match=said):
            call(**given)


PROGRAM = """
import resource, sys
import nelayout as nl
from nelayout.graphs.files import read_graph
nl.layout(read_graph(sys.argv[1]), "ws-sne", seed=0, max_iter=5, node_size=None)
print(1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="the unit of ru_maxrss is that of Linux")
@pytest.mark.parametrize(("n", "m"), [(1000, 3000), (30_000, 120_000)])
def test_bytes_are_those_of_the_process(n, m, tmp_path):
    G = nx.gnm_random_graph(n, m, seed=0)
    nx.write_edgelist(G, tmp_path / "graph.csv", delimiter=",", data=False)
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, str(tmp_path / "graph.csv")]
    subprocess.run(command, capture_output=True, check=True)  # compiles
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert 0.5 < nl.plan(nodes=n, edges=m, method="ws-sne").process_bytes / float(done.stdout) < 2
