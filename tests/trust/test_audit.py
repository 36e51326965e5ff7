"""`nl.audit`: planted faults are found, honest drawings are not accused, and what it needs to say so."""

import json
import math
import re

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

import nelayout as nl
from nelayout.core.placing.components import component_labels
from nelayout.errors import InputError
from nelayout.numerics.parallel import Threads
from nelayout.trust import auditing
from nelayout.trust.moving import moves_of, parts_of
from nelayout.trust.reach import J_NAME, Reach, lagging, middle_share


def numbered(G):
    """Name the nodes by their rows."""
    return nx.convert_node_labels_to_integers(G)


GRAPHS = {
    "grid": numbered(nx.grid_2d_graph(10, 10)),
    "blocks": numbered(nx.planted_partition_graph(4, 30, 0.3, 0.01, seed=3)),
    "les miserables": numbered(nx.les_miserables_graph()),
}
DRAWN = {name: np.array(list(nl.layout(G, seed=8).values())) for name, G in GRAPHS.items()}


CASES = [pytest.param("blocks", marks=pytest.mark.full), "grid", "les miserables"]
REFERENCES = {}


@pytest.fixture(autouse=True)
def drawn_once(monkeypatch):
    """Draw the references of each graph once for all tests: they depend on the graph and the seed alone."""

    def drawings(of, recipes, seed, kind):
        parts = of.P.indptr, of.P.indices, of.P.data, repr(recipes), of.Y.shape, seed, kind
        key = tuple(part.tobytes() if isinstance(part, np.ndarray) else part for part in parts)
        if key not in REFERENCES:
            REFERENCES[key] = draw(of, recipes, seed, kind)
        return REFERENCES[key]

    draw = auditing.drawings
    monkeypatch.setattr(auditing, "drawings", drawings)


def exchanged(Y, pairs, seed):
    """Exchange nodes with nodes of the farther half; return the positions and the nodes."""
    rng, Y, moved = np.random.default_rng(seed), Y.copy(), []
    for _ in range(pairs):
        u = rng.choice(np.setdiff1d(np.arange(len(Y)), moved))
        far = np.argsort(np.sum((Y - Y[u]) ** 2, axis=1))[len(Y) // 2 :]
        w = rng.choice(np.setdiff1d(far, moved))
        Y[[u, w]] = Y[[w, u]]
        moved += [u, w]
    return Y, {int(v) for v in moved}


def accused(found):
    return {fault.node for fault in found.misplaced}


@pytest.mark.parametrize("name", CASES)
def test_exchanged_nodes_are_found_and_no_others(name):
    G, precision, recall = GRAPHS[name], [], []
    for seed in range(2):
        Y, moved = exchanged(DRAWN[name], len(G) // 50 + 1, seed)
        found = nl.audit(G, dict(zip(G, Y, strict=True)))
        precision.append(len(accused(found) & moved) / max(1, len(accused(found))))
        recall.append(len(accused(found) & moved) / len(moved))
        scores = [fault.score for fault in found.misplaced]
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= fault.p <= fault.q <= 0.05 for fault in found.misplaced)
        assert f"{len(accused(found))} node" in found.verdict
    assert min(np.mean(precision), np.mean(recall)) >= 0.9


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("draw", [nl.ws_sne_layout, nl.layout, nx.spring_layout])
def test_honest_drawings_are_not_accused(name, draw):
    G = GRAPHS[name]
    found = nl.audit(G, draw(G, seed=5), seed=1)
    assert len(found.misplaced) <= 1
    if not found.findings:
        assert "nothing beyond chance (5 references, false discovery rate 5%)" in found.verdict


def test_shares_tell_random_from_fine_drawings():
    G = GRAPHS["blocks"]
    fine = nl.audit(G, dict(zip(G, DRAWN["blocks"], strict=True)))
    random = nl.audit(G, np.random.default_rng(0).random((len(G), 2)))
    assert fine.share > 0.85
    assert abs(random.share) < 0.05
    assert not random.misplaced
    assert "hardly better than chance" in random.verdict
    table = fine.table
    assert list(table.columns) == ["measure", "value", "null", "reachable", "share"]
    assert table["share"].isna().tolist() == (table["measure"] == "edge_length_variation").tolist()
    assert table.loc["stress", "value"] == pytest.approx(nl.measure(G, DRAWN["blocks"])["stress"].value)
    best = nl.evaluate(G, DRAWN["blocks"], "ws-sne", size="best").value
    assert table.loc["J of ws-sne", "value"] == pytest.approx(best, rel=1e-5)


def test_a_measure_that_is_left_behind_is_named():
    shares = {"neighborhood": 0.3, "stress": 0.9, "crossings": 0.95, "edge_length_variation": math.nan, J_NAME: 0.8}
    rows = [Reach(name, 0.0, 0.0, 0.0, share) for name, share in shares.items()]
    decisive = ("neighborhood", "stress", "crossings")
    assert middle_share(rows, decisive) == pytest.approx(0.85)
    assert lagging(rows, decisive) is rows[0]
    assert lagging(rows[1:], decisive) is None
    G = GRAPHS["les miserables"]
    found = nl.audit(G, nl.layout(G, "ws-sne", seed=8))  # neighbors at the cost of far distances
    assert "One measure lags: stress" in found.verdict
    assert "lags" not in nl.audit(GRAPHS["grid"], DRAWN["grid"]).verdict


def test_a_turned_drawing_and_other_numbers_of_nodes_have_the_same_faults():
    G = GRAPHS["grid"]
    Y, moved = exchanged(DRAWN["grid"], 2, 0)
    turned = 0.01 * Y @ np.array([[0.6, -0.8], [-0.8, -0.6]]) + [50.0, -3.0]
    order = np.random.default_rng(1).permutation(len(G))
    other = nx.Graph()
    other.add_nodes_from(order.tolist())
    other.add_edges_from(G.edges)
    for graph, places in ((G, Y), (G, turned), (other, Y)):
        assert accused(nl.audit(graph, {v: places[v] for v in graph})) == moved


def test_the_judgment_of_moves_is_the_change_of_the_objective():
    G = GRAPHS["les miserables"]
    P = csr_array(nx.to_scipy_sparse_array(G, dtype=float))
    (part,) = parts_of(P, component_labels(P), 0)
    found = moves_of(part, DRAWN["les miserables"][part.nodes], Threads())
    W, mass, v, c = P.toarray(), np.diff(P.indptr), 11, int(found.best[11])

    def value(Y, as_now):
        xi = np.maximum(np.sum((Y[:, None] - Y) ** 2, axis=2), found.least)
        np.fill_diagonal(xi, 0.0)
        xi[v, c] = xi[c, v] = as_now
        q = 1.0 / (1.0 + xi)
        np.fill_diagonal(q, 0.0)
        return 0.5 * (np.sum(W * np.log1p(xi)) + W.sum() * math.log(mass @ q @ mass))

    now = max(found.least, float(np.sum((found.Y[v] - found.Y[c]) ** 2)))
    there = found.Y.copy()
    there[v] = there[c]
    assert found.gain[v] == pytest.approx(value(found.Y, now) - value(there, now), abs=1e-8)


def test_each_component_is_judged_alone_and_small_ones_not_at_all():
    G = nx.disjoint_union_all([GRAPHS["grid"], nx.cycle_graph(30), nx.path_graph(4), nx.empty_graph(2)])
    pos = nl.layout(G, seed=0)
    pos[20], pos[80] = pos[80], pos[20]
    pos[102], pos[116] = pos[116], pos[102]
    found = nl.audit(G, pos)
    assert accused(found) == {20, 80, 102, 116}
    assert any(note.startswith("6 of 136 nodes are not accused") for note in found.notes)
    assert any(note.startswith("each component is judged alone") for note in found.notes)


@pytest.mark.parametrize("G", [*map(nx.empty_graph, (0, 1, 5)), nx.path_graph(2), nx.path_graph(9)])
def test_small_graphs_have_a_table_and_a_verdict_but_no_accusation(G):
    pos = {v: (float(v), float(v % 2)) for v in G}
    found = nl.audit(G, pos)
    assert found.findings == ()
    assert found.verdict
    assert repr(found)
    assert len(G) == 0 or any("not accused" in note for note in found.notes)


def test_torn_hidden_and_made_groups_are_named_by_the_names_of_the_graph():
    G, Y = GRAPHS["grid"], DRAWN["grid"]
    left = {v for v in G if Y[v, 0] < np.median(Y[:, 0])}
    torn = {f"n{v}": Y[v] - [3.0 * np.ptp(Y[:, 0]) * (v in left), 0.0] for v in G}
    found = nl.audit(nx.relabel_nodes(G, "n{}".format), torn)
    assert [len(fault.nodes) for fault in found.torn] == [2]
    assert {frozenset(side) for side in found.torn[0].nodes} == {
        frozenset(f"n{v}" for v in left), frozenset(f"n{v}" for v in set(G) - left)
    }  # fmt: skip
    assert "1 false gap" in found.verdict
    assert found.page().color == "1: torn apart"  # all nodes lie on one of its sides
    assert re.search(r"the 50 nodes around n\d+", found.sentences[0])
    G, Y = GRAPHS["blocks"], DRAWN["blocks"].copy()
    one, two = np.arange(30), np.arange(30, 60)
    Y[two] = Y[one].mean(axis=0) + Y[two] - Y[two].mean(axis=0)
    found = nl.audit(G, Y)
    assert any({frozenset(one), frozenset(two)} == set(map(frozenset, fault.nodes)) for fault in found.false_neighbors)
    assert found.page().color == "accused"
    noise = np.random.default_rng(1).normal(size=(150, 5))
    Y = np.asarray(nl.embed(noise, random_state=3))
    third = np.argsort(np.argsort(Y[:, 0])) // 50
    found = nl.audit(noise, Y + 4.0 * np.ptp(Y) * np.stack([third, np.zeros(150)], axis=1))
    assert {fault.nodes for fault in found.clusters} == {tuple(np.flatnonzero(third == k)) for k in range(3)}
    assert found.torn == ()  # the gaps are part of the same fault
    assert "made by the drawing" in found.verdict
    assert found.page().color == "accused"


def test_nodes_at_a_false_gap_are_not_misplaced():
    """A lattice in three dimensions is torn, and two pairs are exchanged: only the pairs lie among strangers."""
    G = numbered(nx.grid_graph((6, 6, 6)))
    Y = np.array(list(nl.layout(G, dim=3, seed=8).values()))
    Y, moved = exchanged(Y, 2, seed=1)
    right = Y[:, 0] > np.median(Y[:, 0])
    torn = nl.audit(G, Y + np.outer(right, [3.0 * np.ptp(Y[:, 0]), 0.0, 0.0]))
    assert len(torn.torn) == 1
    assert accused(torn) <= moved
    assert len(accused(torn)) >= 3
    assert accused(nl.audit(G, Y)) == moved


def test_coincident_nodes_are_counted_in_a_note():
    G = GRAPHS["grid"]
    Y = DRAWN["grid"].copy()
    Y[1] = Y[0]
    Y[40] = Y[41]
    found = nl.audit(G, Y)
    assert found.notes[0].startswith("4 of 100 nodes share their position")
    assert found.findings == ()
    point = nl.audit(G, np.zeros((100, 2)))
    assert point.findings == ()
    assert math.isnan(point.share)
    assert math.isnan(nl.audit(nx.complete_graph(12), nx.circular_layout(nx.complete_graph(12))).share)


def test_weights_directions_dimensions_and_classes_count():
    G = nx.DiGraph()
    G.add_weighted_edges_from((u, v, 1.0 + (u + v) % 3) for u, v in GRAPHS["grid"].edges)
    flat = nl.layout(G, seed=1)
    flat[3], flat[87] = flat[87], flat[3]
    found = nl.audit(G, flat, labels={v: v // 50 for v in G}, coords={v: (v // 10, v % 10) for v in G})
    assert accused(found) == {3, 87}
    assert {"class_auc", "class_accuracy", "map_r2", "map_neighbors"} < set(found.table["measure"])
    solid = nl.layout(GRAPHS["grid"], seed=1, dim=3)
    solid[3], solid[87] = solid[87], solid[3]
    found = nl.audit(GRAPHS["grid"], solid)
    assert accused(found) == {3, 87}
    assert "crossings" not in found.table["measure"].tolist()


def test_the_inputs_do_not_change_and_the_seed_decides():
    G, Y = GRAPHS["les miserables"], DRAWN["les miserables"].copy()
    before = Y.copy()
    one, two = (nl.audit(G, Y, seed=4) for _ in range(2))
    assert np.array_equal(Y, before)
    assert one.rows == two.rows
    assert one.verdict == two.verdict


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda pos: pos.pop(3), "pos has no position for node 3"),
        (lambda pos: pos.update({3: (math.nan, 0.0)}), "node 3"),
        (lambda pos: pos.update(dict.fromkeys(pos, (0.0,) * 4)), "pos must have 1, 2 or 3 coordinates"),
    ],
)
def test_positions_that_cannot_be_judged_are_refused(change, said):
    G = nx.path_graph(12)
    pos = {v: (float(v), 0.0) for v in G}
    change(pos)
    with pytest.raises(InputError, match=re.escape(said)):
        nl.audit(G, pos)


def test_rows_of_a_table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 6)) + 6.0 * np.repeat(np.eye(3, 6), 50, axis=0)
    Y = np.asarray(nl.embed(X, random_state=2))
    honest = nl.audit(X, Y, labels=np.repeat([0, 1, 2], 50))
    assert len(honest.misplaced) <= 1
    assert honest.share > 0.7
    assert "class_auc" in honest.table["measure"].tolist()
    Y[[10, 120]] = Y[[120, 10]]
    assert accused(nl.audit(X, Y)) == {10, 120}
    with pytest.raises(InputError, match="149"):
        nl.audit(X, Y[:-1])


def test_the_page_shows_the_faults_and_loads_nothing(tmp_path):
    G = nx.relabel_nodes(GRAPHS["grid"], lambda v: f"<i>{v}</i>")
    Y, moved = exchanged(DRAWN["grid"], 2, 0)
    found = nl.audit(G, dict(zip(G, Y, strict=True)))
    found.to_html(tmp_path / "audit.html")
    text = (tmp_path / "audit.html").read_text()
    assert "default-src 'none'" in text
    assert not re.search(r"(src|href)=|https?://", text.replace("http://www.w3.org", ""))
    assert "<i>" not in text
    assert text.count("lies among strangers") >= len(moved)
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])
    assert data["color"] == "accused"
    assert found.verdict.split(":")[0] in text
    assert "<iframe" in found._repr_html_()
    with pytest.raises(InputError):
        found.to_html(tmp_path / "no" / "audit.html")


def test_the_repr_and_the_page_name_ten_faults_at_most():
    G = GRAPHS["grid"]
    Y, _ = exchanged(DRAWN["grid"], 6, 2)
    found = nl.audit(G, Y)
    assert len(found.misplaced) > 10
    assert len(found.sentences) == 10
    left = len(found.findings) - 10
    assert f"and {left} more" in repr(found)
    assert f"{left} more faults" in found.page().below


@pytest.mark.parametrize(
    ("table", "own"), [(True, {"weight": None}), (True, {"weight_kind": "log"}), (False, {"metric": "cosine"})]
)
def test_keywords_of_other_data_are_refused(table, own):
    G = np.random.default_rng(0).normal(size=(20, 4)) if table else nx.cycle_graph(20)
    with pytest.raises(ValueError, match=f"{next(iter(own))} is not defined for"):
        nl.audit(G, np.zeros((20, 2)), **own)


def test_frames_meet_by_their_labels_and_have_a_page():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(60, 5)) + 9.0 * np.repeat(np.eye(2, 5), 30, axis=0), index=range(100, 160))
    Y = rng.normal(size=(60, 2))  # both groups are drawn as one
    pos = pd.DataFrame(Y, index=X.index)
    one, two, three = (nl.audit(X, each) for each in (Y, pos, pos.iloc[rng.permutation(60)]))
    assert repr(one) == repr(two) == repr(three)
    assert one.findings == three.findings != ()
    assert one.page().html() == three.page().html()


@pytest.mark.parametrize("power", [600, -600])
def test_the_unit_of_the_positions_does_not_count(power):
    G = nx.grid_2d_graph(6, 6)
    pos = nx.spring_layout(G, seed=3)
    assert repr(nl.audit(G, {v: np.ldexp(place, power) for v, place in pos.items()})) == repr(nl.audit(G, pos))


def test_no_share_is_written_as_minus_zero():
    G = nx.complete_bipartite_graph(10, 10)
    assert "-0.00" not in nl.audit(G, nx.spring_layout(G, seed=0)).verdict
