"""What a host library has to bring: one class with a line in `HOSTS`, and everything above the border knows it."""

from __future__ import annotations

from typing import Any

import igraph
import networkx as nx
import numpy as np
import pytest

import nelayout as nl
from nelayout import graphs
from nelayout.errors import InputError
from nelayout.graphs import Host, Places
from nelayout.graphs.files import read_positions, write_positions


class Ring:
    """A library of one graph: a ring of letters, each with a kind."""

    letters, kind = list("abcdef"), list("xyxyxy")


class Spots:
    """Its positions."""

    def __init__(self, rows: Any):
        self.rows = np.asarray(rows, dtype=float)


class RingHost(Host):
    def __init__(self, G: Ring):
        super().__init__(G, [G.letters])

    @classmethod
    def recognizes(cls, G):
        return isinstance(G, Ring)

    @staticmethod
    def places(pos):
        return Places(pos.rows, Spots) if isinstance(pos, Spots) else None

    def links(self, weight=None):
        return graphs.Links(np.arange(6), (np.arange(6) + 1) % 6, (), lambda name: [])

    def columns(self):
        return {"kind": Ring.kind}

    def opened(self, x):
        return x.rows if isinstance(x, Spots) else x

    def close(self, Y):
        return Spots(Y)


def test_a_new_library_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setitem(graphs.HOSTS, "rings", RingHost)
    G: Any = Ring()
    pos = nl.ws_sne_layout(G, seed=0)
    assert isinstance(pos, Spots)
    same = nx.cycle_graph(list("abcdef"))
    expected = dict(zip("abcdef", pos.rows, strict=True))
    classes = dict(zip("abcdef", Ring.kind, strict=True))
    assert nl.measure(G, pos, "kind") == nl.measure(same, expected, classes)
    turned = Spots(pos.rows[:, ::-1])
    assert np.allclose(nl.align(turned, to=pos).rows, pos.rows)
    table = nl.compare(G, {"one": pos, "other": turned}, "kind", measures=["stress"])
    assert isinstance(table.drawings["other"], Spots)
    nl.draw(G, pos, color="kind", labels="kind")
    write_positions(tmp_path / "ring.json", G, pos)
    found = read_positions(tmp_path / "ring.json")
    assert found.keys() == expected.keys()
    assert all(np.array_equal(place, expected[node]) for node, place in found.items())


GRAPH = nx.cycle_graph(list("abcdef"))
HOSTS = {"networkx": GRAPH, "igraph": igraph.Graph.from_networkx(GRAPH), "matrix": nx.to_scipy_sparse_array(GRAPH)}


@pytest.mark.parametrize("host", HOSTS)
def test_a_solution_is_taken_wherever_positions_are(host, tmp_path):
    G = HOSTS[host]
    solution = nl.solve(G, "ws-sne", seed=0, max_iter=5)
    pos = solution.positions
    assert nl.measure(G, solution) == nl.measure(G, pos)
    assert list(nl.compare(G, {"it": solution, "again": pos}).measured) == ["it", "again"]
    nl.draw(G, solution, tmp_path / "solution.svg")
    nl.draw(G, pos, tmp_path / "positions.svg")
    assert (tmp_path / "solution.svg").read_bytes() == (tmp_path / "positions.svg").read_bytes()
    assert np.array_equal(*(graphs.places(nl.layout(G, pos=given, max_iter=0)).rows for given in (solution, pos)))
    aligned = nl.align(solution, to=pos)
    assert type(aligned) is type(pos)
    opened = graphs.places(aligned)
    assert np.allclose(np.array(opened.rows), np.array(graphs.places(pos).rows))
    with pytest.raises(InputError, match=r"positions must be .*; got int"):
        nl.draw(G, 3)


@pytest.mark.parametrize("host", HOSTS)
def test_objects_come_from_attributes_dicts_and_sequences(host):
    G = HOSTS[host].copy()
    network = graphs.read(G)
    labels = network.labels
    assert network.host.objects(list("uvwxyz"), "labels") == list("uvwxyz")
    assert network.host.objects(np.arange(6), "labels") == [0, 1, 2, 3, 4, 5]
    assert network.host.objects({labels[1]: "here"}, "labels") == [None, "here", None, None, None, None]
    for given, said in [
        ({"elsewhere": 1}, "no key of labels is a node"),
        ([1, 2], "labels has 2 entries and the graph has 6 nodes"),
        ("absent", "labels"),
    ]:
        with pytest.raises(InputError, match=said):
            network.host.objects(given, "labels")


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_a_mask_of_booleans_marks_nodes(host, kind):
    """Python's True equals 1: as labels, a mask in a list would name the nodes 0 and 1."""
    nodes = graphs.read(HOSTS[host]).host.nodes
    assert nodes(kind([False, False, True, False, False, True])).tolist() == [2, 5]
    with pytest.raises(InputError, match="mask of shape"):
        nodes(kind([True, False]))


def test_nodes_called_true_and_false_are_labels():
    assert graphs.read(nx.Graph([(False, True)])).host.nodes([True]).tolist() == [1]
