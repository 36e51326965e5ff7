"""`uncertainty`: graphs that could have been observed as well, neighborhoods kept, second homes, and groups that touch.

`certainty` and `perturbing` are taken as functions of arrays where a tiny case has an exact answer.
"""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import nelayout as nl
from nelayout.trust.certainty import lower_bound, neighborhoods, second_homes, spreads, touches
from nelayout.trust.perturbing import free_edges, perturbed

GRAPHS = {
    "tree": nx.random_labeled_tree(30, seed=2),
    "ring": nx.cycle_graph(20),
    "grid": nx.grid_2d_graph(5, 6),
    "two parts": nx.disjoint_union(nx.complete_graph(7), nx.cycle_graph(6)),
    "blocks": nx.random_partition_graph([12, 12], 0.6, 0.05, seed=1),
    "isolated": nx.disjoint_union(nx.wheel_graph(8), nx.empty_graph(2)),
}


def matrix(G):
    return nx.to_scipy_sparse_array(G, dtype=float, format="csr")


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("changes", [(0.3, 0.0, False), (0.0, 0.3, False), (0.1, 0.2, True), (0.9, 0.0, False)])
def test_changed_graphs_keep_their_components_and_the_stated_number_of_edges(name, changes):
    G = GRAPHS[name]
    P = matrix(G)
    drop, rewire, reweight = changes
    m, free = G.number_of_edges(), free_edges(P)
    assert free == m - G.number_of_nodes() + nx.number_connected_components(G)
    for seed in range(3):
        found = perturbed(P, drop, rewire, reweight, np.random.default_rng(seed))
        H = nx.from_scipy_sparse_array(found)
        assert (found != found.T).nnz == 0
        assert not found.diagonal().any()
        assert nx.number_connected_components(H) <= nx.number_connected_components(G)
        swapped = min(2 * round(rewire * m / 2), free // 2 * 2)
        assert H.number_of_edges() == m - min(round(drop * m), free - swapped)
        if not drop:
            assert [d for _, d in H.degree] == [d for _, d in G.degree]
        assert reweight or set(found.data) <= {1.0}


def test_weights_drawn_again_have_mean_one():
    P = matrix(nx.complete_graph(60))
    mean = np.mean([perturbed(P, 0, 0, True, np.random.default_rng(k)).data.mean() for k in range(20)])
    assert abs(mean - 1) < 0.02


def test_kept_neighbors_of_turned_scaled_and_shuffled_drawings():
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(120, 2))
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    same = 3 * Y @ turn * [1, -1] + 5
    found = neighborhoods(Y, [same, rng.permutation(Y)])
    assert found.kept[:, 0].min() == 1.0
    assert abs(found.kept[:, 1].mean() - 10 / 119) < 0.03  # chance
    assert spreads(Y, [same]).max() < 1e-9
    assert np.allclose(spreads(7 * Y, [same + 0.1 * Y**2]), 7 * spreads(Y, [same + 0.1 * Y**2]))


def test_kept_by_hand_with_rows_left_out():
    Y = np.array([[0.0], [1], [2], [10], [11], [12]])
    other = np.array([[0.0], [1], [20], [10], [11], [np.nan]])
    kept = neighborhoods(Y, [other]).kept[:, 0]  # 3 nearest of the 5 that are there
    assert np.isnan(kept[5])
    # of node 0: 1, 2, 3 in Y; 1, 3, 4 in the other one
    assert kept[0] == pytest.approx(2 / 3)


def test_coincident_nodes_have_neighbors():
    found = neighborhoods(np.zeros((40, 2)), [np.zeros((40, 2))])
    assert found.near.shape == (40, 1, 4)
    assert not (found.near[:, 0] == np.arange(40)[:, None]).any()


def test_a_node_between_two_groups_has_a_second_home():
    rng = np.random.default_rng(1)
    Y = np.concatenate([rng.normal(size=(50, 2)), np.array([30, 0]) + rng.normal(size=(50, 2))])
    others = []
    for k in range(20):
        moved = Y + rng.normal(size=Y.shape) * 0.05
        if k % 3 == 0:
            moved[7] = [30, 0.1]
        others.append(moved)
    homes = second_homes(Y, neighborhoods(Y, others))
    assert list(homes) == [7]
    assert homes[7].share == pytest.approx(7 / 20)
    assert (homes[7].near >= 50).all()
    assert abs(homes[7].position[0] - 30) < 3


def test_drawings_without_a_row_are_no_second_home():
    rng = np.random.default_rng(2)
    Y = rng.normal(size=(60, 2))
    others = [Y + rng.normal(size=Y.shape) * 0.01 for _ in range(20)]
    for other in others:
        other[rng.permutation(60)[:6]] = np.nan
    for k in range(0, 20, 3):
        others[k][4] = np.nan
    assert second_homes(Y, neighborhoods(Y, others)) == {}
    there = [k for k in range(20) if not np.isnan(others[k][4, 0])]
    for k in there[::2]:
        others[k][4] = [9, 0]
        others[k][5:15] = [9, 0] + rng.normal(size=(10, 2)) * 0.1
    homes = second_homes(Y, neighborhoods(Y, others))
    assert min(homes[4].share, 1 - homes[4].share) == pytest.approx(len(there) // 2 / len(there))


def test_groups_touch_where_a_side_of_one_is_near_the_other():
    x, y = np.meshgrid(np.arange(10.0), np.arange(10.0))
    Y = np.stack([x.ravel(), y.ravel()], axis=1)
    group = (Y[:, 0] >= 5).astype(int)
    apart = Y + np.array([40.0, 0]) * group[:, None]
    share = touches(neighborhoods(Y, [Y, apart, apart, Y + 0.01]), group, 2)
    assert share.tolist() == [[1.0, 0.5], [0.5, 1.0]]
    alone = np.where(np.arange(100) == 0, 1, 0)  # one node
    assert touches(neighborhoods(Y, [Y]), alone, 2)[0, 1] == 1.0


def test_the_bound_holds_at_its_level():
    rng = np.random.default_rng(3)
    kept = rng.normal(0.7, 0.1, size=(4000, 6))
    wrong = np.mean(lower_bound(kept, 0.95) > 0.7)
    assert 0.03 < wrong < 0.07
    kept[:, 5] = np.nan
    assert np.allclose(lower_bound(kept, 0.95), lower_bound(kept[:, :5], 0.95))


def test_cliques_are_certain_and_a_node_between_them_is_not():
    G = nx.ring_of_cliques(10, 11)  # all ten others of a clique are the ten nearest
    G.add_edges_from(("x", k * 11 + 5) for k in range(10))  # as near to each clique
    found = nl.uncertainty(G, seeds=10, seed=1)
    kept = dict(zip(found.nodes, found.kept.tolist(), strict=True))
    assert kept["x"] == min(kept.values())
    sure = found.certain()
    assert len(sure) > 60
    assert "x" not in sure
    assert found.table.loc["x", "kept"] == kept["x"]


def test_the_shown_drawing_is_the_layout_with_its_seed_or_the_given_one():
    G = nx.les_miserables_graph()
    found = nl.uncertainty(G, "ws-sne", seeds=2, seed=4)
    pos = nl.ws_sne_layout(G, seed=4, node_size="auto")
    assert all((found.pos[v] == pos[v]).all() for v in G)
    given = nl.uncertainty(G, "ws-sne", seeds=2, seed=4, pos=pos)
    assert given.pos is pos
    assert (given.kept == found.kept).all()
    wild = {v: tuple(np.random.default_rng(k).normal(size=2)) for k, v in enumerate(G)}
    assert nl.uncertainty(G, "ws-sne", seeds=2, pos=wild).kept.mean() < 0.4 < found.kept.mean()
    again = nl.uncertainty(G, "ws-sne", seeds=2, seed=4)
    assert (again.kept == found.kept).all()
    assert (again.spread == found.spread).all()


def test_without_changes_and_seeds_that_do_not_matter_all_is_certain():
    G = nx.grid_2d_graph(4, 4)
    found = nl.uncertainty(G, "nx:kamada_kawai", seeds=3, drop=0)
    assert found.kept.min() == 1
    assert len(found.certain(1.0)) == 16
    assert found.spread.max() < 1e-9


def test_tables_leave_rows_out():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(30, 3)), rng.normal(size=(30, 3)) + 9])
    found = nl.uncertainty(X, seeds=4, drop=0.1, labels=[0] * 30 + [1] * 30)
    assert (np.isnan(found.shares).sum(axis=0) == 6).all()
    assert found.touch == {(0, 1): 0.0}
    assert isinstance(found.pos, np.ndarray)
    assert found.kept.mean() > 0.5
    whole = nl.uncertainty(X, seeds=2, drop=0)
    assert not np.isnan(whole.shares).any()


def test_a_tree_says_that_it_has_no_edge_to_spare():
    found = nl.uncertainty(nx.random_labeled_tree(20, seed=0), "ws-sne", seeds=2)
    assert "0 are not needed" in str(found)


def test_picture_and_page(tmp_path):
    G = nx.les_miserables_graph()
    found = nl.uncertainty(G, "ws-sne", seeds=6)
    figure = found.draw(tmp_path / "u.png", labels=5)
    assert (tmp_path / "u.png").stat().st_size > 10_000
    discs = figure.axes[0].collections[0]
    assert np.shape(discs.get_offsets()) == (len(G), 2)
    found.to_html(tmp_path / "u.html")
    text = (tmp_path / "u.html").read_text()
    assert "neighbors kept" in text
    assert "are certain" in text
    assert "http://" not in text.replace("http://www.w3.org", "")
    assert "<iframe" in found._repr_html_()


WRONG = [
    ({"seeds": 1}, "at least 2"),
    ({"seeds": 0}, "at least 1"),
    ({"drop": 1.0}, "drop=1.0"),
    ({"drop": -0.1}, "drop=-0.1"),
    ({"rewire": "x"}, "rewire='x'"),
    ({"drop": 0.5, "rewire": 0.5}, "all edges"),
    ({"seed": -1}, "seed=-1"),
    ({"method": nx.spring_layout}, "give a name"),
    ({"method": "nx:sprng"}, "nx:spring"),
    ({"metric": "cosine"}, "metric is not defined for a graph"),
    ({"pos": {0: (0, 0)}}, "position"),
    ({"labels": "color"}, "color"),
]


@pytest.mark.parametrize(("keywords", "words"), WRONG)
def test_bad_input_of_graphs(keywords, words):
    with pytest.raises(nl.InputError, match=words):
        nl.uncertainty(nx.karate_club_graph(), **keywords)


@pytest.mark.parametrize("keywords", [{"rewire": 0.1}, {"reweight": True}, {"weight": None}, {"weight_kind": "log"}])
def test_keywords_of_graphs_are_no_keywords_of_tables(keywords):
    with pytest.raises(nl.InputError, match="not defined for rows"):
        nl.uncertainty(np.zeros((9, 3)), **keywords)


def test_too_few_nodes_and_other_dimensions():
    with pytest.raises(nl.InputError, match="at least 4 nodes; got 3"):
        nl.uncertainty(nx.path_graph(3))
    pos = {v: (0.0, v, 1.0) for v in range(6)}
    with pytest.raises(nl.InputError, match="pos has 3 dimensions"):
        nl.uncertainty(nx.path_graph(6), "ws-sne", pos=pos, seeds=2)


def test_rates_out_of_range():
    found = nl.uncertainty(nx.path_graph(6), "ws-sne", seeds=2)
    with pytest.raises(nl.InputError, match="rate=2"):
        found.certain(2)


def test_clouds_are_drawn_in_the_plane_alone():
    G = nx.path_graph(5)
    pos = nl.ws_sne_layout(G, dim=3, seed=0)
    with pytest.raises(nl.InputError, match="clouds"):
        nl.draw(G, pos, clouds=0.1)
    flat = nl.ws_sne_layout(G, seed=0)
    wide = nl.draw(G, flat, clouds=5.0).axes[0]
    assert np.ptp(wide.get_xlim()) > 9  # the discs are within the picture
    with pytest.raises(nl.InputError, match="clouds"):
        nl.draw(G, flat, clouds=[1, 2])


@pytest.mark.parametrize("power", [600, -600])
def test_any_unit_of_the_positions_gives_the_same_judgment(power):
    G = nx.karate_club_graph()
    pos = nx.kamada_kawai_layout(G)
    far = {v: np.ldexp(place, power) for v, place in pos.items()}
    one, two = (nl.uncertainty(G, "ws-sne", pos=each, seeds=3) for each in (pos, far))
    assert np.array_equal(one.kept, two.kept)
    assert np.allclose(np.ldexp(two.spread, -power), one.spread)


def test_a_picture_takes_whole_shares_and_other_colors(tmp_path):
    same = nl.uncertainty(nx.path_graph(4), "ws-sne", seeds=2)
    assert set(same.kept.tolist()) == {1.0}
    same.draw(tmp_path / "kept.png")
    same.draw(tmp_path / "own.png", color=["a", "b", "a", "b"])


def test_frames_of_rows_and_positions_meet_by_their_labels():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.normal(size=(40, 5)), index=[f"row {i}" for i in range(40)])
    pos = pd.DataFrame(X.to_numpy()[:, :2], index=X.index)
    one, two = (nl.uncertainty(X, pos=each, seeds=2) for each in (pos, pos.iloc[rng.permutation(40)]))
    assert np.array_equal(one.kept, two.kept)
    assert two.page().html() == one.page().html()


def test_a_text_is_no_yes_and_numbers_of_numpy_are_numbers():
    G = nx.cycle_graph(9)
    with pytest.raises(ValueError, match="reweight must be True or False; got 'no'"):
        nl.uncertainty(G, reweight="no")  # type: ignore[arg-type]
    found = nl.uncertainty(G, "ws-sne", seeds=3, drop=np.int64(0))
    assert found.certain(np.float32(0.5)) == found.certain(0.5)


def test_other_drawings_read_distances_as_the_shown_one_does():
    rng = np.random.default_rng(0)
    G = nx.convert_node_labels_to_integers(nx.grid_2d_graph(7, 7))
    for _, _, data in G.edges(data=True):
        data["weight"] = 2.0 ** rng.integers(-3, 4)  # reciprocals are exact
    found = nl.uncertainty(G, "tsnet", seeds=2, drop=0, weight_kind="distance", seed=3)
    for number, Y in enumerate(found.drawings, start=1):
        own = nl.layout(G, "tsnet", seed=3 + number, weight_kind="distance")
        assert np.array_equal(Y, np.array([own[v] for v in G]))
