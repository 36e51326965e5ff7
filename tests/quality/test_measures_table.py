"""`measure` on every host: the table's promises, what is read, what is refused."""

import pickle
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pytest

import nelayout as nl
from nelayout.comparison import Measured, measure, measures
from nelayout.errors import InputError, Unsupported
from nelayout.quality.table import MEASURES

RNG = np.random.default_rng(0)
GRAPH = nx.relabel_nodes(nx.gnm_random_graph(40, 90, seed=1), {i: f"v{i}" for i in range(40)})
PLACES = RNG.normal(size=(40, 2))
POS = dict(zip(GRAPH, PLACES, strict=True))
KIND = {v: "ab"[i % 2] for i, v in enumerate(GRAPH)}
MAP = {v: PLACES[i] + 0.1 for i, v in enumerate(GRAPH)}
GIVEN = {"labels": KIND, "coords": MAP, "node_size": 0.1}


# A ring of four on the corners of a square, two of them exchanged, so that two of its edges are diagonals and cross.
# Classes are the first and the last two nodes, discs are a little wider than the square, the true map is the square in
# order.  Name -> value, worked out by hand.
ROOT = np.sqrt(2)
EXACT = {
    "neighborhood": 1 / 3,  # of each node's two neighbors, one is near; three nodes in all
    "neighborhood2": 1.0,
    "stress": 1 - (3 + 2 * ROOT) ** 2 / 39,  # e / d: sqrt 2 twice, 1 twice, 1/2 twice; their squares sum to 6.5
    "crossings": 1.0,
    "edge_length_variation": 3 - 2 * ROOT,  # (sqrt 2 - 1) / (sqrt 2 + 1)
    "coincident": 0.0,
    "resolution": 1.0,
    "overlaps": 4.0,
    "class_auc": 1 / 6,  # the other node of the class comes third: precision rises from 0 to 1/3 as recall does to 1
    "class_accuracy": 0.0,
    "class_ari": -1 / 2,  # k-means halves the square across, so that no two of a class are together
    "map_r2": 1 / 4,  # singular values 1 and 0 of the product, norms 2 and 2
    "map_neighbors": 1.0,
    # Within radius 1 every node finds one neighbor and one other, F = 1/2; within sqrt 2 all three, F = 4/5.
    "precision": 2 / 3,
    "recall": 1.0,
    "f_score": 4 / 5,
    # K = 1, the half of three. Two neighbors share the ranks 1 and 2 of the graph, and a neighbor and the opposite node
    # those of the drawing; penalties are 1/2 for a neighbor and 2 for the opposite node.
    "trustworthiness": 1 - (5 / 4 - 1 / 2) / (2 - 1 / 2),
    "continuity": 1 - (5 / 4 - 1 / 2) / (3 / 2 - 1 / 2),
    "q_nx": (1 / 4) / (1 / 2),
    "b_nx": 0.0,
    "r_nx": (1 / 4 - 1 / 3) / (1 / 2 - 1 / 3),
    "r_nx_area": -1 / 2,  # -1/2 at K = 2, too: 1/2 of 1, where chance is 2/3
    "retrieval_auc": 13 / 24,  # found 1/4, 1/2, 1 at K = 1, 2, 3: area 13/48; at best 1/2, 1, 1: area 1/2
    "spearman": -1 / 2,  # deviations of ranks: -1 four times and 2 twice on both sides
    "nonmetric_stress": np.sqrt(1 - (4 + 2 * ROOT) ** 2 / 48),  # the opposite are nearer: one level for all
    # Rows are alike, so covariances are those within a row: 1/4, 1/2 and 1 - ((2 + sqrt 2) / 4)^2.
    "distance_correlation": np.sqrt(1 / 4 / np.sqrt((1 - ((2 + ROOT) / 4) ** 2) / 2)),
    "shape_gabriel": 1 / 3,  # the sides of the square: each node has one of its two neighbors there
    "shape_relative": 1 / 3,
    "angular_resolution": 1 / 4,  # 45 of 180 degrees
    "crossing_angle": 1.0,
}
DEFAULT = [name for name, entry in MEASURES.items() if "graphs" in entry.default_for]


@pytest.mark.parametrize("name", MEASURES)
def test_values_are_those_by_hand(name):
    pos = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    given = {"labels": list("aabb"), "coords": square, "node_size": 1.1}
    found = measure(nx.cycle_graph(4), dict(enumerate(pos)), measures="all", **given)
    assert found[name].value == pytest.approx(EXACT[name], abs=1e-12)


def test_every_measure_has_a_line_and_a_score_from_0_to_1():
    found = measure(GRAPH, POS, measures="all", **GIVEN)
    assert list(found) == [line["name"] for line in measures()] == list(MEASURES)
    assert measure(GRAPH, POS, **GIVEN) == {name: found[name] for name in DEFAULT}
    for name, m in found.items():
        assert isinstance(m, Measured)
        assert float(m) == m.value
        assert 0 <= m.score <= 1, name
        assert m.exact
        assert m.error == 0


@pytest.mark.parametrize("name", MEASURES)
def test_score_is_what_its_words_say(name):
    m, m_edges = measure(GRAPH, POS, measures=[name], **GIVEN)[name], GRAPH.number_of_edges()
    degree = np.array([d for _, d in GRAPH.degree])
    pairs = m_edges * (m_edges - 1) / 2 - (degree * (degree - 1) / 2).sum()
    by_words = {
        "the value": m.value,
        "the value, or 0 where it is negative": max(m.value, 0),
        "1 - value": 1 - m.value,
        "1 / (1 + value)": 1 / (1 + m.value),
        "1 - value / number of nodes": 1 - m.value / 40,
        "1 - value / number of pairs of edges without a common node": 1 - m.value / pairs,
    }
    words = next(line["score"] for line in measures() if line["name"] == name)
    assert m.score == pytest.approx(by_words[words])


def test_every_line_of_the_list_is_filled():
    for line in measures():
        assert set(line) == {
            "name", "definition", "better", "score", "needs", "default", "applies", "dimensions", "invariances",
            "complexity", "sampling", "source",
        }  # fmt: skip
        assert all(line[key] for key in ("definition", "invariances", "complexity", "sampling", "source")), line["name"]


def test_hosts_agree():
    expected = measure(GRAPH, POS, **GIVEN)
    index = {v: i for i, v in enumerate(GRAPH)}
    ig = igraph.Graph([(index[u], index[v]) for u, v in GRAPH.edges])
    arrays = {
        "labels": np.array(list(KIND.values())),
        "coords": np.array(list(MAP.values())),
        "node_size": np.full(40, 0.1),
    }
    matrix = nx.to_scipy_sparse_array(GRAPH)
    assert measure(ig, igraph.Layout(PLACES.tolist()), **arrays) == expected
    assert measure(matrix, PLACES, **arrays) == expected
    assert measure(matrix.toarray(), PLACES.tolist(), **arrays) == expected
    assert measure(GRAPH.to_directed(), POS, **GIVEN) == expected
    shuffled = dict(sorted(POS.items(), key=lambda item: item[0][::-1]))
    assert measure(GRAPH, {**shuffled, "elsewhere": np.ones(2)}, **GIVEN) == expected
    named = GRAPH.copy()
    nx.set_node_attributes(named, KIND, "kind")
    assert measure(named, POS, **{**GIVEN, "labels": "kind"}) == expected
    ig.vs["kind"] = list(KIND.values())
    assert measure(ig, PLACES, **{**arrays, "labels": "kind"}) == expected


def test_unknown_labels_and_coordinates_take_no_part():
    known = list(GRAPH)[5:]
    expected = measure(GRAPH, POS, {v: KIND[v] for v in known}, {v: MAP[v] for v in known})
    for nothing in (None, float("nan"), -1, ""):
        labels = {v: KIND[v] if v in known else nothing for v in GRAPH}
        coords = [MAP[v] if v in known else (np.nan, 1.0) for v in GRAPH]
        assert measure(GRAPH, POS, labels, coords) == expected
    numbers = np.array([-1] * 5 + [i % 2 for i in range(5, 40)], float)
    assert measure(GRAPH, POS, numbers, {v: MAP[v] for v in known}) == expected


def test_weights_only_decide_which_edges_there_are():
    heavy = GRAPH.copy()
    for k, (u, v) in enumerate(GRAPH.edges):
        heavy[u][v]["weight"] = k % 7 + 0.5
    gone = next(iter(GRAPH.edges))
    assert measure(heavy, POS) == measure(GRAPH, POS)
    heavy[gone[0]][gone[1]]["weight"] = 0
    lighter = GRAPH.copy()
    lighter.remove_edge(*gone)
    assert measure(heavy, POS) == measure(lighter, POS)
    assert measure(heavy, POS, weight=None) == measure(GRAPH, POS)


def test_choice_order_and_seed():
    assert list(measure(GRAPH, POS, measures=["stress", "crossings"])) == ["stress", "crossings"]
    assert list(measure(GRAPH, POS, measures="stress")) == ["stress"]
    once = measure(GRAPH, POS, sample=20, seed=4, **GIVEN)
    assert once == measure(GRAPH, POS, sample=20, seed=4, **GIVEN)
    assert measure(GRAPH, POS, measures=["stress"], sample=20, seed=4)["stress"] == once["stress"]
    assert once["stress"] != measure(GRAPH, POS, measures=["stress"], sample=20, seed=5)["stress"]
    assert not once["stress"].exact
    assert once["stress"].error > 0
    for seed in (None, np.random.default_rng(1), np.random.RandomState(1), np.int64(3)):
        assert 0 <= measure(GRAPH, POS, measures="stress", sample=20, seed=seed)["stress"].value <= 1


def test_three_dimensions_leave_crossings_out():
    pos = {v: (*PLACES[i], float(i)) for i, v in enumerate(GRAPH)}
    found = measure(GRAPH, pos, measures="all", **GIVEN)
    assert set(MEASURES) - set(found) == {name for name, line in MEASURES.items() if line.dim == 2}
    with pytest.raises(Unsupported, match="2 dimensions"):
        measure(GRAPH, pos, measures=["crossings"])


RANKED = {"trustworthiness", "continuity", "r_nx", "r_nx_area", "spearman"}
PAIRED = {"neighborhood", "stress", "nonmetric_stress", "distance_correlation"}


@pytest.mark.parametrize(("n", "unknown"), [(0, RANKED | PAIRED), (1, RANKED | PAIRED), (2, RANKED)])
def test_tiny_graphs(n, unknown):
    """Below three nodes there are no ranks to keep, and below two no pairs."""
    G = nx.path_graph(n)
    given = {"labels": dict.fromkeys(G, 1), "coords": np.zeros((n, 2))}
    found = measure(G, {v: (float(v), 0.0) for v in G}, measures="all", **given)
    assert found["crossings"].value == found["coincident"].value == 0
    assert {name for name in RANKED | PAIRED if np.isnan(found[name].value)} == unknown
    assert {name for name in RANKED | PAIRED if np.isnan(found[name].score)} == unknown


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"measures": ["crosings"]}, "did you mean 'crossings'"),
    ({"measures": ["class_auc"]}, r"class_auc.*labels"),
    ({"labels": [1, 2, 3]}, "labels has 3 entries"),
    ({"labels": "kind"}, "node attribute for labels 'kind'"),
    ({"coords": {"elsewhere": (0, 0)}}, "no key of coords"),
    ({"coords": {"v0": (1, 2), "v1": (1, 2, 3)}}, "coordinates of node 'v1'"),
    ({"pos": {v: p for v, p in POS.items() if v != "v3"}}, r"'v3'.*1 of 40"),
    ({"pos": 3}, "int"),
    *(({"sample": sample}, "sample=") for sample in (0, 1, 2.5, "all", True)),
    *(({"seed": seed}, "seed must be") for seed in (-1, "x", 1.5)),
]


@pytest.mark.parametrize(("keywords", "said"), REFUSED)
def test_what_is_refused(keywords, said):
    with pytest.raises(nx.NetworkXError, match=said) as error:
        measure(GRAPH, **{"pos": POS, **keywords})
    assert isinstance(error.value, (InputError, Unsupported))


def test_inputs_are_not_changed():
    pos, before = {v: p.copy() for v, p in POS.items()}, nx.to_dict_of_dicts(GRAPH)
    measure(GRAPH, pos, **GIVEN)
    assert all((pos[v] == POS[v]).all() for v in GRAPH)
    assert nx.to_dict_of_dicts(GRAPH) == before


def html(shown: Any) -> str:
    return shown._repr_html_()


def test_results_print_as_tables_and_stay_what_they_are():
    G = nx.karate_club_graph()
    found = nl.measure(G, nx.circular_layout(G), measures=["stress", "crossings"])
    assert isinstance(found, dict)
    lines = repr(found).splitlines()
    assert [line.split()[0] for line in lines] == ["measure", "stress", "crossings"]
    assert lines[1].split()[1:] == [f"{found['stress'].value:.4g}", f"{found['stress'].score:.3f}"]
    for listed in (nl.methods(), nl.measures()):
        assert isinstance(listed, list)
        assert pickle.loads(pickle.dumps(listed)) == listed
        assert [line.split()[0] for line in repr(listed).splitlines()] == ["name", *(row["name"] for row in listed)]
        assert html(listed).count("<tr>") == len(listed) + 1
        assert all(f">{key}</th>" in html(listed) for key in listed[0])
    assert html(found).count("<tr>") == 3


def test_weights_that_are_distances_are_lengths_of_paths():
    G = nx.path_graph(4)
    nx.set_edge_attributes(G, {(0, 1): 5.0, (1, 2): 1.0, (2, 3): 2.0}, "km")
    pos = {0: (0, 0), 1: (5, 0), 2: (6, 0), 3: (8, 0)}
    exact = nl.measure(G, pos, measures="stress", weight="km", weight_kind="distance")
    assert exact == nl.measure(G, pos, measures="stress", lengths="km")
    assert exact["stress"].value == pytest.approx(0.0)
    assert nl.measure(G, pos, measures="stress", weight="km")["stress"].value > 0.01
    with pytest.raises(ValueError, match="unknown weight_kind 'distanc'"):
        nl.measure(G, pos, weight="km", weight_kind="distanc")


@pytest.mark.parametrize("names", [["stress"], ["stress", "crossings"], "stress"])
def test_names_of_measures_in_the_place_of_labels_name_their_keyword(names):
    G = nx.path_graph(4)
    with pytest.raises(InputError, match=r"labels.*Names of measures are given by measures="):
        nl.measure(G, nx.circular_layout(G), names)
