"""Widgets without a browser: traitlets check what Python sets, and messages are bytes."""

import importlib
import json
import sys
from types import SimpleNamespace

import igraph
import networkx as nx
import numpy as np
import pytest

import nelayout as nl
from nelayout.errors import InputError, MissingExtra

pytest.importorskip("anywidget", reason="anywidget, the extra [widget], is not installed")
from nelayout import widgets  # after the check that it can be imported

G = nx.karate_club_graph()
POS = nx.kamada_kawai_layout(G)
Y = np.array(list(POS.values()))


@pytest.fixture
def view():
    return nl.view(G, POS, colors="club")


class Comm:
    """The channel to a browser: what was sent, as a list of states."""

    kernel = comm_id = "a channel"

    def __init__(self):
        self.sent = []

    def on_msg(self, callback):
        pass

    def send(self, data, buffers=(), **_):
        state = data["state"]
        for path, buffer in zip(data["buffer_paths"], buffers, strict=True):
            inner = state
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = bytes(buffer)
        self.sent.append(state)


@pytest.fixture
def comm(view):
    view.comm = Comm()
    return view.comm


def told(view, **state):
    """Hand over what a browser sends."""
    view.set_state(state)


def rows(*nodes):
    return np.array(nodes, "<u4").tobytes()


def test_positions_travel_as_float32_of_a_box_from_minus_one_to_one(view, comm):
    view.positions = {v: 5 * p + 3 for v, p in POS.items()}
    assert np.allclose(view.positions, 5 * Y + 3)
    ((sent),) = comm.sent
    shown = np.frombuffer(sent["positions"], "<f4").reshape(-1, 2)
    assert np.abs(shown).max() == pytest.approx(1.0)
    assert np.allclose(np.diff(shown, axis=0) * np.ptp(5 * Y, axis=0).max() / 2, np.diff(5 * Y, axis=0), atol=1e-5)


def test_a_large_drawing_is_bytes_and_no_list():
    """Names, edges and positions of n points: the text of the message does not grow with n."""

    def text_and_bytes(n):
        from ipywidgets.widgets.widget import _remove_buffers

        graph = nx.path_graph(n)
        state, _, buffers = _remove_buffers(nl.view(graph, np.random.default_rng(0).random((n, 2))).get_state())
        return len(json.dumps(state)), sum(map(len, buffers))

    (few_text, few), (many_text, many) = text_and_bytes(100), text_and_bytes(30_000)
    assert many_text == pytest.approx(few_text, abs=100)
    # A position takes 8 bytes, an edge 4, a degree 8, and a name with its quotes up to 8.
    assert many - few < 29_900 * 28


def test_positions_come_back_in_the_type_of_the_graph(view):
    assert list(view.pos) == list(G)
    assert all(np.array_equal(view.pos[v], POS[v]) for v in G)
    assert isinstance(nl.view(igraph.Graph.Ring(4), [(0, 0), (1, 0), (1, 1), (0, 1)]).pos, igraph.Layout)
    assert nl.view(None, Y).pos.shape == (34, 2)
    with pytest.raises(ValueError, match="read-only"):
        view.positions[0] = 1.0


def test_what_the_browser_tells_comes_back_as_nodes_and_names(view):
    heard = []
    view.observe(lambda change: heard.append((change.name, change.new)), ["selection", "hidden", "searched", "pinned"])
    told(view, selection=rows(0, 33))
    told(view, hidden=["Officer"])
    told(view, searched=5)
    told(view, pinned=rows(1))
    told(view, colors="degree")
    told(view, camera={"x": 0.5, "y": 0, "zoom": 2})
    assert heard[:4] == [("selection", (0, 33)), ("hidden", ("Officer",)), ("searched", 5), ("pinned", (1,))]
    assert (view.colors, view.camera) == ("degree", {"x": 0.5, "y": 0.0, "zoom": 2.0})
    assert view.hidden == (), "another color shows all classes"
    told(view, searched=-1)
    assert view.searched is None


def test_nodes_are_the_own_nodes_of_the_graph(view, comm):
    graph = nx.Graph([("a", ("b", 1)), ("a", "c")])
    other = nl.view(graph, {"a": (0, 0), ("b", 1): (1, 0), "c": (0, 1)})
    other.selection = {"c", ("b", 1)}
    other.searched = ("b", 1)
    assert (other.selection, other.searched) == ((("b", 1), "c"), ("b", 1))
    view.selection = [33, 0]
    assert view.selection == (0, 33)
    assert comm.sent == [{"selection": rows(0, 33)}]


def test_what_the_browser_has_told_is_not_told_back(view, comm):
    told(view, selection=rows(3), camera={"x": 0.0, "y": 0.0, "zoom": 4.0})
    assert [set(sent) for sent in comm.sent if "method" not in sent and set(sent) - {"selection", "camera"}] == []


def test_colors_are_columns_or_values(view, comm):
    view.colors = {v: f"kind {v % 3}" for v in G}
    (sent, *_) = comm.sent
    column = sent["colors"]
    codes = np.frombuffer(column["codes"]["data"], "<i2")
    assert [column["names"][code] for code in codes] == [f"kind {v % 3}" for v in G]
    view.hidden = ["kind 2", "kind 1"]
    assert view.hidden == ("kind 1", "kind 2"), "in the order of the legend"
    view.colors = "red"
    assert (view.colors, view.hidden) == ("#ff0000", ())
    told(view, colors="color")
    assert view.page().color == "color", "the values that were given can be chosen again"
    assert nl.view(G, POS).colors == "degree"


def test_sizes_are_diameters_or_areas_in_proportion_to_a_name(view, comm):
    view.sizes = 2
    assert np.asarray(view.sizes).tolist() == [2.0] * 34
    assert np.frombuffer(comm.sent[0]["sizes"], "<f4").tolist() == [2.0] * 34
    view.sizes = "degree"
    degree = np.array([G.degree(v) for v in G])
    sizes = np.asarray(view.sizes)
    between = (sizes > sizes.min()) & (sizes < sizes.max())
    ratio = sizes[between] ** 2 / degree[between]
    assert np.allclose(ratio, ratio[0])
    view.sizes = None
    assert comm.sent[-1] == {"sizes": None}


def test_a_dragged_node_moves_in_the_units_of_the_layout(view, comm):
    view.positions = 100 * Y
    heard = []
    view.on_drag(lambda *event: heard.append(event))
    middle = 50 * (Y.max(axis=0) + Y.min(axis=0))
    half = 50 * np.ptp(Y, axis=0).max()
    message = {"kind": "dragged", "node": 7, "x": 0.5, "y": -2.0}
    for done in (False, True):
        comm.sent.clear()
        view._handle_custom_msg({**message, "done": done}, [])
        assert bool(comm.sent) is done, "the browser moves the node itself"
    ((node, position, done), last) = heard
    assert (node, done, last[2]) == (7, False, True)
    assert np.allclose(position, middle + half * np.array([0.5, -2.0]))
    assert np.array_equal(view.positions[7], last[1])
    assert np.allclose(np.delete(view.positions, 7, axis=0), np.delete(100 * Y, 7, axis=0))
    assert [set(sent) for sent in comm.sent] == [{"positions"}], "other displays of the view follow"
    told(view, pinned=rows(7))
    box = view._box
    view.positions = 2 * view.positions
    assert view._box is box
    view.pinned = []
    comm.sent.clear()
    view._handle_custom_msg({**message, "done": False}, [])
    view.positions = 3 * view.positions
    assert view._box is box, "the drawing stays under the mouse"
    assert [set(sent) for sent in comm.sent] == [{"positions"}]
    view._handle_custom_msg({**message, "done": True}, [])
    view.positions = 3 * view.positions
    assert view._box is not box


def test_a_live_layout_follows_the_reader(view):
    live = nl.Live(G, "ws-sne", pos=view.pos)

    def follow(node, position, done):
        if done:
            live.release(node)
        else:
            live.move(node, position)
        view.positions = live.step(iterations=2)

    view.on_drag(follow)
    before, box = view.positions, view._box
    view._handle_custom_msg({"kind": "dragged", "node": 0, "x": 1.0, "y": 1.0, "done": False}, [])
    assert view._box is box
    assert np.allclose(view.positions[0], box[0] + box[1])
    neighbors = list(G[0])
    assert not np.allclose(view.positions[neighbors], before[neighbors]), "neighbors follow"


def test_a_run_can_be_watched_and_paused(view, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("nelayout.widgets.time.monotonic", lambda: now[0])
    seen = []
    view.observe(lambda change: seen.append(change.new), "positions")
    result = nl.layout(G, "ws-sne", seed=0, callback=view.watch)
    assert len(seen) == 1, "no time has passed"
    for shown, paused in ((1, True), (2, False)):
        now[0] += 1.0
        view.paused = paused
        view.watch(SimpleNamespace(positions=Y + shown))
        assert len(seen) == shown
    view.positions = result
    assert all(np.array_equal(view.pos[v], result[v]) for v in G)
    with pytest.raises(InputError, match="4 rows and the graph has 34 nodes"):
        nl.layout(nx.path_graph(4), "ws-sne", callback=nl.view(G, POS).watch)


def test_large_graphs_send_fewer_frames(monkeypatch):
    """A million nodes are 8 MB a frame."""
    now = [0.0]
    monkeypatch.setattr("nelayout.widgets.time.monotonic", lambda: now[0])
    n = 100_000
    view, frames = nl.view(None, np.random.default_rng(0).random((n, 2))), []
    view.observe(lambda change: frames.append(now[0]), "positions")
    state = SimpleNamespace(positions=np.random.default_rng(1).random((n, 2)))
    while now[0] < 1.0:
        view.watch(state)
        now[0] += 0.01
    assert 8 * n * len(frames) <= 1.1 * widgets.MAX_BYTES_PER_SECOND
    assert len(frames) <= widgets.MAX_FRAMES_PER_SECOND


def test_views_of_two_graphs_are_linked_by_equal_names(view):
    H = nx.cycle_graph(40)
    other = nl.view(H, nx.circular_layout(H))
    view.selection = [0, 33]
    first, second = view.link(other)
    assert other.selection == (0, 33)
    other.selection = [1, 39]
    assert view.selection == (1,)
    assert other.selection == (1, 39)
    view.camera = {"zoom": 3}
    assert other.camera == {"x": 0.0, "y": 0.0, "zoom": 3.0}
    first.unlink()
    second.unlink()
    view.selection = []
    assert other.selection == (1, 39)
    (searched,) = other.link(view, "searched")
    other.searched = 39
    assert view.searched is None
    searched.unlink()


def test_a_view_in_space_links_with_one_in_the_plane(view):
    space = nl.view(G, nl.layout(G, "ws-sne", dim=3, seed=0))
    turn = np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
    space.camera = {"turn": turn}
    assert space.camera["turn"] == turn.ravel().tolist()
    space.link(view, "camera")
    view.camera = {"zoom": 2}
    assert space.camera == {"x": 0.0, "y": 0.0, "zoom": 2.0, "turn": turn.ravel().tolist()}
    with pytest.raises(InputError, match="must have 3 coordinates, as the view has; got 2"):
        space.positions = Y


REFUSED = {
    "other nodes": ("positions", {"x": (0, 0), "y": (1, 1)}, "positions must have nodes of the graph"),
    "a node without position": ("positions", {v: POS[v] for v in range(33)}, "no position for node 33"),
    "rows of another graph": ("positions", Y[:30], "30"),
    "an unknown node": ("selection", [0, "x"], "selection holds 'x', which is not a node"),
    "an unknown pinned node": ("pinned", [34], "pinned holds 34, which is not a node"),
    "an unknown searched node": ("searched", "x", "searched holds 'x', which is not a node"),
    "an unknown class": ("hidden", ["Mr Hi"], "unknown class of 'club' in hidden 'Mr Hi': did you mean 'Mr. Hi'"),
    "an unknown color": ("colors", "clb", "did you mean 'club'"),
    "too few colors": ("colors", [1, 2, 3], "colors has 3 entries and the graph has 34 nodes"),
    "many texts": ("colors", [f"text {v}" for v in range(34)], "colors must hold numbers or at most"),
    "too few sizes": ("sizes", [1.0], "sizes"),
    "a negative size": ("sizes", [-1.0] * 34, "sizes"),
    "an unknown size": ("sizes", "degre", "unknown sizes 'degre': did you mean 'degree'"),
    "no camera": ("camera", 3, "camera must be a dict with x, y, zoom; got 3"),
    "a key of no camera": ("camera", {"zom": 3}, "unknown key of camera 'zom': did you mean 'zoom'"),
    "a turn in the plane": ("camera", {"turn": np.eye(3)}, "unknown key of camera 'turn'"),
    "too much zoom": ("camera", {"zoom": 401}, r"camera\['zoom'\] must be from 0.5 to 400; got 401"),
    "no number": ("camera", {"x": np.nan}, r"camera\['x'\] must be a finite number"),
    "no height": ("height", 0, "height must be a number of pixels from 100 to 4000; got 0"),
}


@pytest.mark.parametrize(("name", "value", "message"), REFUSED.values(), ids=REFUSED)
def test_a_value_that_cannot_be_shown_is_refused_and_nothing_changes(view, comm, name, value, message):
    before = repr(getattr(view, name))
    with pytest.raises(InputError, match=message):
        setattr(view, name, value)
    assert repr(getattr(view, name)) == before
    assert comm.sent == []


def test_a_turn_is_a_rotation():
    space = nl.view(G, np.random.default_rng(0).random((34, 3)))
    with pytest.raises(InputError, match=r"camera\['turn'\] must be 9 numbers of a rotation"):
        space.camera = {"turn": [1, 2, 3]}
    with pytest.raises(InputError, match=r"camera\['turn'\] must be 9 numbers of a rotation"):
        space.camera = {"turn": 2 * np.eye(3)}


def test_a_call_is_checked_before_the_layout():
    with pytest.raises(InputError, match="height must be"):
        nl.view(G, height="tall")
    with pytest.raises(InputError, match="pos must hold"):
        nl.view(None)
    with pytest.raises(InputError, match="name of a traitlet to link"):
        nl.view(G, POS).link(nl.view(G, POS), "colour")
    with pytest.raises(nx.NetworkXError, match="no position for node 33"):
        nl.view(G, {v: POS[v] for v in range(33)})


def test_without_positions_the_layout_is_the_usual_one():
    graph = nx.cycle_graph(5)
    pos = nl.layout(graph, seed=0)
    assert all(np.array_equal(nl.view(graph).pos[v], pos[v]) for v in graph)


def test_front_ends_without_widgets_show_the_page_and_say_so(view):
    view.selection = [3]
    view.positions = 2 * Y
    data, _ = view._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    assert data["text/html"].count("no channel to Python") == 1
    assert "<iframe" in data["text/html"]
    assert data["text/plain"] == repr(view)
    assert len(repr(view)) < 200


def test_without_anywidget_the_error_names_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "nelayout.widgets")
    with pytest.raises(MissingExtra, match=r'pip install "nelayout\[widget\]"'):
        importlib.import_module("nelayout.widgets")
