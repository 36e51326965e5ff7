"""Graphs that change: new nodes beside old ones that stay, and snapshots in which the map stays itself."""

import json
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from pages import Reader, unpacked
from tables import EVERY_METHOD, thinned

import nelayout as nl
from nelayout.changing.film import film_page, union_of
from nelayout.changing.sequence import keep_places, unchanged
from nelayout.core.placing.final import dot_diameter
from nelayout.core.placing.packing import ANGLES, pack_around
from nelayout.graphs import read
from nelayout.layouts.call import read_call
from nelayout.layouts.solving import solution_of

METHODS = thinned(EVERY_METHOD, plain=lambda name: name in ("ws-sne", "linlog"))


def grown():
    """A club, and the club with nodes of every kind: joined to old ones, to new ones, to nobody, a new component."""
    G = nx.karate_club_graph()
    H = G.copy()
    H.add_edges_from([("a", 0), ("a", 1), ("a", 2), ("b", 33), ("b", 32), ("chain", "b"), ("x", "y"), ("y", "z")])
    H.add_edges_from(("twins", v) if k else ("twin", v) for k in (0, 1) for v in (5, 6))
    H.add_node("alone")
    return G, H


def growing():
    G = nx.les_miserables_graph()
    nodes = list(nx.bfs_tree(G, "Valjean"))
    return [G.subgraph(nodes[:n]).copy() for n in (60, 66, 71, 77)]


def array(pos, nodes):
    return np.array([pos[v] for v in nodes])


def spread(Y):
    return np.sqrt(((Y - Y.mean(axis=0)) ** 2).sum(axis=1).mean())


@pytest.mark.parametrize("name", METHODS)
def test_old_nodes_do_not_move_by_a_bit(name):
    G, H = grown()
    method = EVERY_METHOD[name]
    pos = nl.layout(G, method, seed=0)
    more = nl.add_nodes(H, pos, method, seed=0)
    assert list(more) == list(H)
    assert all((more[v] == pos[v]).all() for v in G)
    assert np.isfinite(array(more, H)).all()
    assert len(np.unique(array(more, H), axis=0)) == len(H)  # not even twins share a place


@pytest.mark.parametrize(
    "name", thinned(["ws-sne", "gamma-quadlog", "linlog", "ee", "nerv"], plain=lambda name: name == "gamma-quadlog")
)
def test_no_random_place_suits_a_new_node_better(name):
    """J of the whole graph, in the units at which it is lowest, rises wherever else one new node is put."""
    G, _ = grown()
    H = G.copy()
    H.add_edges_from([("a", 0), ("a", 1), ("a", 2), ("b", 33), ("b", 32), ("chain", "b")])
    more = nl.add_nodes(H, nl.layout(G, name, seed=0), name, seed=0, node_size=None)
    unit = nl.evaluate(H, more, name, size="best").unit
    Y = unit * array(more, H)
    least = nl.evaluate(H, dict(zip(H, Y, strict=True)), name).value
    rng = np.random.default_rng(1)
    low, high = Y.min(axis=0), Y.max(axis=0)
    for new in ("a", "b", "chain"):
        for _ in range(50):
            elsewhere = dict(zip(H, Y, strict=True)) | {new: rng.uniform(low, high)}
            assert nl.evaluate(H, elsewhere, name).value > least


def test_new_components_lie_outside_the_old_drawing():
    G, H = grown()
    more = nl.add_nodes(H, nl.layout(G, "ws-sne", seed=0), "ws-sne", seed=0)
    old = array(more, G)
    for part in (["x", "y", "z"], ["alone"]):
        here = array(more, part)
        gaps = [(here @ u).min() - (old @ u).max() for u in np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)]
        assert max(gaps) > 0  # a line parts them
        assert max(gaps) < 2 * spread(old)


def test_hosts_give_back_their_own_type():
    ig = pytest.importorskip("igraph", reason="igraph is not installed")
    g = ig.Graph.Famous("Zachary")
    layout = g.layout(nl.ws_sne_layout, seed=0)
    g.add_vertices(1)
    g.add_edges([(34, 0), (34, 1)])
    more = nl.add_nodes(g, layout, "ws-sne", seed=0)
    assert isinstance(more, ig.Layout)
    assert more.coords[:34] == layout.coords
    A = np.array(g.get_adjacency().data)
    rows = nl.add_nodes(A, np.array(layout.coords), "ws-sne", seed=0)
    assert rows.shape == (35, 2)
    assert np.array_equal(rows[:34], layout.coords)
    film = nl.layout_sequence([A[:34, :34], A], "ws-sne", seed=0)
    assert [pos.shape for pos in film.positions] == [(34, 2), (35, 2)]


def test_a_start_of_auto_goes_on_by_the_objective_that_made_it():
    """Of several drawings "auto" keeps one; from there it goes on by the same kernel, and stays near it."""
    G = nx.random_geometric_graph(120, 0.16, seed=1)
    G = G.subgraph(max(nx.connected_components(G), key=len)).copy()
    with read_call(G, "auto", {"seed": 0}) as call:
        first, parts = solution_of(call)
    with read_call(G, "auto", {"seed": 0}, first.positions) as call:
        again, resumed = solution_of(call)
    methods = parts[0].method, resumed[0].method
    assert None not in methods
    assert methods[0] == methods[1]
    assert np.array_equal(np.sort(parts[0].affinity.mass), np.sort(resumed[0].affinity.mass))
    A, B = array(first.positions, G), array(again.positions, G)
    assert np.sqrt(((A - B) ** 2).sum(axis=1)).mean() < 0.15 * spread(A)


@pytest.mark.parametrize("name", ["gamma-quadlog", "ee", "auto"])
def test_identical_snapshots_do_not_move(name):
    G = nx.karate_club_graph()
    film = nl.layout_sequence([G, G, nx.Graph(G)], name, seed=0)
    assert film.mean_moves.tolist() == film.most_moves.tolist() == [0.0, 0.0, 0.0]
    assert all((film[0][v] == film[2][v]).all() for v in G)
    assert film.values == pytest.approx(film.values[0])


@pytest.mark.parametrize("name", METHODS)
def test_towards_stability_one_old_nodes_do_not_move(name, request):
    if name == "ftsne js":
        reason = "JS is bounded: between held nodes, J of a new leaf falls all its way out of the drawing"
        request.applymarker(pytest.mark.xfail(strict=False, reason=reason))
    film = nl.layout_sequence(growing()[:2], EVERY_METHOD[name], 1 - 1e-9, seed=0, node_size=None)
    assert film.most_moves[1] < 1e-3
    assert film.arrived.tolist() == [0, 6]


@pytest.mark.full
def test_movement_falls_as_stability_rises_and_a_seed_gives_the_same_bits():
    films = [nl.layout_sequence(growing(), "ws-sne", s, seed=0) for s in (0.2, 0.5, 0.8, 0.95, 0.99, 0.99)]
    moves = [film.mean_moves[1:].mean() for film in films[:-1]]
    assert all(b < 0.95 * a for a, b in pairwise(moves)), moves
    pairs = zip(films[-2].positions, films[-1].positions, strict=True)
    assert all(np.array_equal(array(a, a), array(b, b)) for a, b in pairs)


@pytest.mark.parametrize("name", thinned(["ws-sne", "gamma-quadlog"], plain=lambda name: name == "gamma-quadlog"))
def test_the_order_of_the_nodes_does_not_count(name):
    first, second = growing()[0], growing()[0]
    second.add_edges_from([("Valjean", "Gavroche"), ("Cosette", "Enjolras"), ("Fantine", "Gillenormand")])
    rng = np.random.default_rng(0)
    nodes = list(second)
    other = nx.Graph()
    other.add_nodes_from(nodes[k] for k in rng.permutation(len(nodes)))
    other.add_edges_from(second.edges(data=True))
    a, b = (nl.layout_sequence([first, each], name, 0.9, seed=0) for each in (second, other))
    away = np.sqrt(((array(a[1], nodes) - array(b[1], nodes)) ** 2).sum(axis=1)).max()
    assert a.most_moves[1] > 1e-3
    assert away < 0.1 * a.most_moves[1] * spread(array(a[0], nodes))


def test_a_held_drawing_keeps_its_frame():
    """No turn and no other size make the old nodes lie closer to where they were."""
    film = nl.layout_sequence(growing(), "gamma-quadlog", 0.5, seed=0, scale=None, node_size=None)
    for before, now in zip(film.positions[:-1], film.positions[1:], strict=True):
        common = list(before)
        A, B = array(before, common), array(now, common)
        laid = array(nl.align(dict(zip(common, B, strict=True)), to=before), common)
        assert ((A - B) ** 2).sum() <= 1.000001 * ((A - laid) ** 2).sum()


@pytest.mark.full
def test_no_node_of_a_film_hides_another_and_the_map_is_held_all_the_same():
    """The four outer nodes of a windmill's blade are alike, and their minimum is one place."""
    mills = [nx.windmill_graph(k, 5) for k in (6, 7, 8)]
    films = [nl.layout_sequence(mills, "ws-sne", seed=0, node_size=size) for size in (None, "auto")]
    hidden = []
    for film in films:
        for G, pos in zip(mills, film, strict=True):
            Y = array(pos, G)
            away = np.linalg.norm(Y[:, None] - Y, axis=2) + 9.0 * np.eye(len(Y))
            dot = dot_diameter(len(G)) * float(np.ptp(Y, axis=0).max()) / 2
            hidden.append(np.mean(away.min(axis=1) < 0.98 * dot))
    assert min(hidden[:3]) > 0.9
    assert hidden[3:] == [0.0, 0.0, 0.0]
    assert films[1].mean_moves.max() < films[0].mean_moves.max() + 0.02


@pytest.mark.full
def test_all_drawings_have_one_scale():
    film = nl.layout_sequence(growing(), "ws-sne", seed=0, scale=3.0)
    assert max(np.abs(array(pos, pos)).max() for pos in film.positions) == pytest.approx(3.0)
    plain = nl.layout_sequence(growing(), "ws-sne", seed=0, scale=None)
    sizes = [spread(array(a, a)) / spread(array(b, b)) for a, b in zip(film.positions, plain.positions, strict=True)]
    assert sizes == pytest.approx([sizes[0]] * len(sizes))
    assert film.mean_moves == pytest.approx(plain.mean_moves)


def test_a_node_that_comes_back_has_its_last_place():
    G = growing()[1]
    without = G.subgraph(v for v in G if v != "Gavroche").copy()
    film = nl.layout_sequence([G, without, G], "ws-sne", 1 - 1e-9, seed=0)
    apart = np.linalg.norm(film[2]["Gavroche"] - film[0]["Gavroche"])
    assert apart < 1e-3 * spread(array(film[0], G))
    assert film.left.tolist() == [0, 1, 0]
    assert film.arrived.tolist() == [0, 0, 1]


def test_a_component_that_has_not_changed_stays_bit_for_bit():
    G = nx.disjoint_union(nx.karate_club_graph(), nx.cycle_graph(7))
    H = G.copy()
    H.add_edge("new", 3)
    film = nl.layout_sequence([G, H], "ws-sne", seed=0, scale=None)
    shift = film[1][34] - film[0][34]  # the sequence is centered as a whole
    assert all(np.allclose(film[1][v] - film[0][v], shift, atol=1e-12) for v in range(34, 41))
    assert unchanged(read(G), read(H)).tolist() == [False] * 34 + [True] * 7 + [False]


def test_of_joined_parts_the_largest_keeps_its_place():
    G = nx.disjoint_union(nx.path_graph(6), nx.path_graph(3))
    H = G.copy()
    H.add_edges_from([(0, 6), ("new", 8)])
    assert keep_places(read(G), read(H)).tolist() == [True] * 6 + [False] * 3 + [True]
    assert keep_places(read(G), read(G)).all()


def test_a_sequence_goes_on_from_a_drawing():
    G, H = growing()[:2]
    film = nl.layout_sequence([G], "ws-sne", seed=0)
    more = nl.layout_sequence([H], "ws-sne", 1 - 1e-9, pos=film[0], seed=0, node_size=None)
    assert all(np.allclose(more[0][v], film[0][v], atol=1e-4) for v in G)
    assert (more.arrived.tolist(), more.left.tolist()) == ([6], [0])


def test_the_first_move_is_measured_from_the_given_drawing():
    G = nx.karate_club_graph()
    pos = {**nx.spring_layout(G, seed=0), "gone": np.array([3.0, 3.0])}
    G.add_edge("new", 0)
    film = nl.layout_sequence([G, G], "ws-sne", 0.5, pos=pos, seed=0)
    G.remove_node("new")
    away = np.linalg.norm(array(film[0], G) - array(pos, G), axis=1) / spread(array(pos, pos))
    assert film.most_moves == pytest.approx([away.max(), 0])
    assert film.mean_moves == pytest.approx([away.mean(), 0])
    assert film.most_moves[0] > 0.01
    assert (film.arrived.tolist(), film.left.tolist()) == ([1, 0], [1, 0])


@pytest.mark.parametrize("method", ["ws-sne", "auto", "linlog"])
def test_unchanged_components_of_a_given_drawing_stay(method):
    parts = [nx.barabasi_albert_graph(40, 2, seed=1), nx.cycle_graph(12), nx.path_graph(5), nx.empty_graph(3)]
    G = nx.disjoint_union_all(parts)
    pos = nl.layout(G, method, seed=0)
    same = nl.layout_sequence([G, G], method, pos=pos, seed=0)
    assert all(np.array_equal(same[k][v], pos[v]) for k in (0, 1) for v in G)
    assert (same.most_moves.tolist(), same.mean_moves.tolist()) == ([0, 0], [0, 0])
    assert np.isfinite(same.values).all()
    H = G.copy()
    H.add_edges_from([("new", 0), ("new", 1)])
    film = nl.layout_sequence([H], method, pos=pos, seed=0)
    assert all(np.array_equal(film[0][v], pos[v]) for v in range(40, 60))
    away = np.array([np.linalg.norm(film[0][v] - pos[v]) for v in range(40)])
    assert film.most_moves == pytest.approx([away.max() / spread(array(pos, pos))])
    assert 0 < film.most_moves[0] < 1


@pytest.mark.full
def test_masses_of_all_nodes_may_come_in_one_dict_and_change_what_has_not_changed():
    first, second = growing()[:2]
    mass = {v: 1.0 + len(v) for v in second}
    film = nl.layout_sequence([first, second, second], "ws-sne", mass=mass, seed=0, node_size=None)
    assert film.values[0] == pytest.approx(nl.solve(first, "ws-sne", mass={v: mass[v] for v in first}, seed=0).value)
    assert film.most_moves[2] > 0  # masses may be other ones, so the same graph is drawn again


@pytest.mark.full
def test_alpha_is_chosen_once():
    snapshots = growing()[:2]
    film = nl.layout_sequence(snapshots, "alpha-sne", alpha="auto", seed=0, node_size=None)
    choice = nl.solve(snapshots[0], "alpha-sne", alpha="auto", seed=0).choice
    assert choice is not None
    alpha = choice.alpha
    same = nl.evaluate(snapshots[1], film[1], "alpha-sne", alpha=alpha, size="best").value
    assert film.values[1] == pytest.approx(same, rel=1e-2)


@pytest.mark.parametrize("name", thinned(["tsne", "jse", "ee"], plain=lambda name: name == "jse"))
def test_a_held_drawing_has_the_size_that_suits_it(name):
    """Springs hold the shape; the size is the objective's own."""
    snapshots = growing()[:2]
    film = nl.layout_sequence(snapshots, name, 0.95, seed=0, node_size=None)  # dots that are moved apart change J
    best = nl.evaluate(snapshots[1], film[1], name, size="best").value
    assert film.values[1] == pytest.approx(best, rel=1e-6)


def test_packed_around_nothing_overlaps():
    rng = np.random.default_rng(2)
    placed = [rng.standard_normal((n, 2)) + at for n, at in ((60, (0, 0)), (10, (1, 0)), (6, (9, 0)), (5, (2, 2)))]
    new = [rng.standard_normal((n, 2)) for n in (20, 3, 1, 1, 2)]
    there, around = pack_around(placed, [True, False, False, False], new)
    assert np.array_equal(there[0], placed[0])
    assert np.array_equal(there[2], placed[2])  # it was not in the way
    every = [*there, *around]
    u = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)
    for i, A in enumerate(every):
        for B in every[:i]:
            assert max(((A @ v).min() - (B @ v).max()) for v in u) > 0
    for old, now in zip(placed, there, strict=True):
        assert np.allclose(np.diff(now, axis=0), np.diff(old, axis=0))  # moved as a whole


def test_unchanged_layouts_give_way_to_changed_ones_alone():
    rng = np.random.default_rng(3)
    placed = [rng.standard_normal((n, 2)) + at for n, at in ((30, (0, 0)), (10, (9, 0)), (6, (9, 1)))]
    rests = [False, True, True]
    there = pack_around(placed, [False] * 3, [], rests)[0]
    assert all(np.array_equal(now, old) for now, old in zip(there, placed, strict=True))
    assert not np.array_equal(pack_around(placed, [False] * 3, [])[0][2], placed[2])
    placed[0] = placed[0] + (9, 0)  # now the changed one lies over both
    there = pack_around(placed, [False] * 3, [], rests)[0]
    assert [np.array_equal(now, old) for now, old in zip(there, placed, strict=True)] == [True, False, False]


PATH = nx.path_graph(4)
REFUSED = [
    *((lambda s=s: nl.layout_sequence([PATH], "ws-sne", s), r"stability must be a number in \[0, 1\)")
      for s in (1.0, -0.1, float("nan"), True, "0.5")),
    *((lambda s=s: nl.layout_sequence([PATH], node_size=s), r'node_size must be "auto", .* or None')
      for s in (0.1, "degree", np.ones(4))),
    (lambda: nl.layout_sequence([]), "no graph to draw"),
    (lambda: nl.layout_sequence(PATH), r"Put it into a list, \[G1, G2"),
    (lambda: nl.layout_sequence([PATH, nx.path_graph(["a", "b"])], "ws-sne"), "graph number 2 shares no node"),
    (lambda: nl.add_nodes(nx.path_graph(["a", "b"]), nx.circular_layout(PATH)), "no position for any of the 2 nodes"),
    (lambda: nl.add_nodes(nx.to_numpy_array(PATH), np.zeros((5, 2))), "pos has 5 rows and the graph has 4 nodes"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "said"), REFUSED)
def test_bad_input_is_refused_in_words(call, said):
    with pytest.raises((ValueError, TypeError), match=said):
        call()


def test_bad_films_are_refused_in_words(tmp_path):
    film = nl.layout_sequence([PATH], "ws-sne", seed=0)
    with pytest.raises(ValueError, match=r"an animated picture must be a \.gif"):
        film.to_gif(tmp_path / "film.png")
    with pytest.raises(ValueError, match="fps must be a number from 1 to 50"):
        film.to_gif(tmp_path / "film.gif", fps=0)
    assert not list(tmp_path.iterdir())


def test_small_and_empty_snapshots():
    empty, one = nx.Graph(), nx.empty_graph(1)
    film = nl.layout_sequence([empty, one, nx.path_graph(2), nx.path_graph(3), one, empty], "ws-sne", seed=0)
    assert [len(pos) for pos in film.positions] == [0, 1, 2, 3, 1, 0]
    assert all(np.isfinite(array(pos, pos)).all() for pos in film.positions[1:-1])


def test_a_page_holds_every_snapshot():
    G, H = nx.path_graph(4), nx.cycle_graph(6)
    film = nl.layout_sequence([G, H, H.subgraph([0, 1, 5])], "ws-sne", seed=0)
    data = json.loads(Reader(film_page(union_of(film.snapshots, film.positions), "ws-sne", "T").html()).scripts[0])
    xy = unpacked(data["film"]["xy"]).reshape(3, 6, 2)
    assert (~np.isnan(xy[..., 0])).sum(axis=1).tolist() == [4, 6, 3]
    rows, cols = unpacked(data["rows"]), unpacked(data["cols"])
    bits = np.unpackbits(unpacked(data["film"]["edges"]).reshape(3, -1), axis=1, bitorder="little")
    for t, graph in enumerate((G, H, H.subgraph([0, 1, 5]))):
        ends = {(data["names"][i], data["names"][j]) for i, j, b in zip(rows, cols, bits[t], strict=False) if b}
        assert {frozenset(map(int, edge)) for edge in ends} == {frozenset(edge) for edge in graph.edges}
    places = array(film[1], range(6))
    order = [int(name) for name in data["names"]]
    ratio = np.linalg.norm(np.diff(places[order], axis=0), axis=1) / np.linalg.norm(np.diff(xy[1], axis=0), axis=1)
    assert ratio == pytest.approx([ratio[0]] * 5, rel=1e-5)


def test_an_animated_picture_plays(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    from PIL import Image

    film = nl.layout_sequence([nx.path_graph(4), nx.path_graph(6)], "ws-sne", seed=0)
    film.to_gif(tmp_path / "film.gif", seconds=0.5, fps=8, size=120)
    with Image.open(tmp_path / "film.gif") as picture:
        assert getattr(picture, "n_frames", 1) == 3
        assert picture.size == (120, 120)
        first = np.asarray(picture.convert("L"))
        picture.seek(2)
        assert (first < 200).any()
        assert (first != np.asarray(picture.convert("L"))).any()


def test_the_command_line_makes_a_film_of_its_files(tmp_path):
    """With no option but the name of the film."""
    from nelayout.cli import main

    files = [tmp_path / f"{k}.graphml" for k in (1, 2)]
    for file, G in zip(files, growing()[:2], strict=True):
        nx.write_graphml(nx.Graph(G.edges()), file)
    film = tmp_path / "film.html"
    assert main(["layout", *map(str, files), "-o", str(film), "--quiet"]) == 0
    assert "<title>1 to 2" in film.read_text()
