"""`nelayout.plugins.igraph`: every layout function under a name of igraph's, in igraph's words, only when asked for."""

from __future__ import annotations

import inspect
import subprocess
import sys

import numpy as np
import pytest

import nelayout as nl
from nelayout.errors import InputError, MissingExtra, Unsupported
from nelayout.plugins import igraph as plugin

igraph = pytest.importorskip("igraph", reason="igraph is not installed")

NAMES = sorted(name.removesuffix("_layout") for name in nl._HOME if name.endswith("_layout"))


def state():
    """Everything of igraph that `register` may change."""
    return dict(igraph.Graph._layout_mapping), {name for name in vars(igraph.Graph) if name.startswith("layout_")}


@pytest.fixture(autouse=True)
def registered():
    before = state()
    plugin.register()
    yield
    plugin.unregister()
    assert state() == before


@pytest.fixture
def g():
    G = igraph.Graph.Famous("Zachary")
    G.es["weight"] = [1 + k % 3 for k in range(G.ecount())]
    G.es["km"] = [1 + k % 5 for k in range(G.ecount())]
    return G


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in ("ws_sne", "nerv") else pytest.mark.full) for name in NAMES]
)
def test_every_layout_function_has_its_name(name):
    g, ours = igraph.Graph([(0, 1), (1, 2), (2, 3), (1, 3)]), getattr(nl, f"{name}_layout")
    assert g.layout(name, seed=1, max_iter=2).coords == ours(g, seed=1, max_iter=2).coords
    space = g.layout(f"{name}_3d", seed=1, max_iter=2)
    assert isinstance(space, igraph.Layout)
    assert g.layout(name.replace("_", "-"), seed=1, max_iter=2).coords == g.layout(name, seed=1, max_iter=2).coords
    assert space.coords == ours(g, seed=1, max_iter=2, dim=3).coords
    assert getattr(g, f"layout_{name}")(seed=1, max_iter=2).coords == g.layout(name, seed=1, max_iter=2).coords


def test_any_method_is_called_nelayout(g):
    quick = {"seed": 1, "max_iter": 2}
    assert g.layout("nelayout", **quick).coords == nl.layout(g, **quick).coords
    assert g.layout("nelayout", method="linlog", **quick).coords == nl.linlog_layout(g, **quick).coords
    assert igraph.Graph._layout_mapping["auto"] == "layout_auto"


def test_weights_are_a_name_a_list_or_none(g):
    quick = {"seed": 0, "max_iter": 2, "pos": g.layout("circle")}
    by_name = g.layout("ws_sne", weights="km", **quick).coords
    assert by_name == nl.ws_sne_layout(g, weight="km", **quick).coords
    for given in (g.es["km"], np.array(g.es["km"]), tuple(g.es["km"])):
        assert g.layout("ws_sne", weights=given, **quick).coords == by_name
    assert g.layout("ws_sne", **quick).coords == nl.ws_sne_layout(g, **quick).coords != by_name
    assert g.layout("ws_sne", weights=None, **quick).coords == nl.ws_sne_layout(g, weight=None, **quick).coords
    assert g.es.attributes() == ["weight", "km"]
    layout = g.layout("ws_sne", weights=g.es["km"], store_pos_as="xy", **quick)
    assert g.vs["xy"] == layout.coords


def test_a_matrix_or_layout_as_seed_is_the_start(g):
    start = g.layout("circle")
    for given in (start, start.coords, np.array(start.coords)):
        assert g.layout("ws_sne", seed=given, max_iter=0).coords == start.coords
    assert g.layout("ws_sne", seed=3, max_iter=2).coords == nl.ws_sne_layout(g, seed=3, max_iter=2).coords
    both = g.layout("ws_sne", seed=3, pos=start, fixed=[0], max_iter=2)
    assert both.coords == nl.ws_sne_layout(g, start, [0], seed=3, max_iter=2).coords
    assert both[0] == start[0]
    assert g.layout("ws_sne_3d", seed=g.layout("sphere"), max_iter=0).coords == g.layout("sphere").coords


@pytest.mark.parametrize("names", [None, [f"v{k}" for k in range(34)], list(range(33, -1, -1))], ids=str)
def test_vertices_are_given_as_in_igraph(g, names):
    """By igraph.Vertex, by index also where names are other numbers, and by name."""
    if names is not None:
        g.vs["name"] = names
    start = g.layout("circle")
    expected = g.layout("ws_sne", seed=start, fixed=np.arange(34) < 2, max_iter=2).coords
    for fixed in (g.vs[:2], [g.vs[0], g.vs[1]], [0, 1], (0, g.vs[1]), {g.vs[0]: "xy", 1: "xy"}):
        assert g.layout("ws_sne", seed=start, fixed=fixed, max_iter=2).coords == expected
    pos = {vertex: start[vertex.index] for vertex in g.vs}
    assert g.layout("ws_sne", pos=pos, fixed=g.vs[:2], max_iter=2).coords == expected
    masses = {vertex: 1 + vertex.index for vertex in g.vs}, list(range(1, 35))
    by_vertex, by_row = (g.layout("ws_sne", seed=0, mass=each, max_iter=2).coords for each in masses)
    assert by_vertex == by_row


@pytest.mark.parametrize(
    ("keywords", "error", "said"),
    [
        ({"weights": [1, 2]}, InputError, "weights must be .* each of the 78 edges, or None; got 2 entries"),
        ({"weights": 3}, InputError, "weights must be .*; got 3"),
        ({"weights": "kms"}, InputError, "did you mean 'km'"),
        ({"weights": [-1] * 78}, InputError, r"edge \(0, 1\) has weight -1"),
        ({"weight": "km"}, TypeError, "no keyword 'weight': here it is called 'weights'"),
        ({"niter": 5}, TypeError, "here it is called 'max_iter'"),
        ({"seed": [[0, 1]] * 3}, InputError, "seed must have a row for each of the 34 vertices.*; got 3 rows"),
        ({"seed": [[0, 1]] * 34, "pos": [[0, 1]] * 34}, TypeError, "give one of them"),
    ],
)
def test_wrong_arguments_are_answered_in_igraphs_words(g, keywords, error, said):
    with pytest.raises(error, match=said):
        g.layout("ws_sne", **keywords)


def test_igraph_plots_by_name(g, tmp_path):
    from matplotlib import pyplot

    figure, ax = pyplot.subplots()
    drawn = igraph.plot(igraph.Graph(1), layout="gamma_quadlog", target=ax)
    named = igraph.plot(igraph.Graph.Ring(5), layout="gamma_quadlog", target=ax)
    given = igraph.plot(g, layout=(layout := g.layout("ws_sne", seed=0, max_iter=2)), target=ax)
    figure.savefig(tmp_path / "drawn.png")
    assert [len(artist.get_vertices().get_offsets()) for artist in (drawn, named, given)] == [1, 5, 34]
    assert given.get_vertices().get_offsets().tolist() == layout.coords
    pyplot.close(figure)


def test_help_shows_our_keywords_in_igraphs_words():
    shown = inspect.signature(igraph.Graph.layout_nerv).parameters
    assert list(shown)[:3] == ["self", "weights", "seed"]
    ours = set(inspect.signature(nl.nerv_layout).parameters)
    assert set(shown) == (ours - {"G", "weight"}) | {"self", "weights"}
    assert shown["kappa"].default == 0.5
    assert "nelayout.nerv_layout" in igraph.Graph.layout_nerv.__doc__


def test_registering_again_changes_nothing_and_unregistering_undoes_it():
    once = state()
    plugin.register()
    assert state() == once
    plugin.unregister()
    without = state()
    plugin.unregister()
    assert state() == without
    assert not set(NAMES) & set(without[0])
    plugin.register()
    assert state() == once


def test_a_layout_of_igraphs_own_is_never_replaced(monkeypatch):
    plugin.unregister()
    monkeypatch.setitem(igraph.Graph._layout_mapping, "tsne", "layout_circle")
    before = state()
    with pytest.raises(Unsupported, match="igraph has its own layout 'tsne'"):
        plugin.register()
    plugin.unregister()
    assert state() == before


@pytest.mark.full
def test_importing_never_registers():
    code = (
        "import igraph, nelayout.plugins.igraph as plugin, nelayout as nl\n"
        "nl.ws_sne_layout(igraph.Graph.Ring(5), seed=0)\n"
        "print('ws_sne' in igraph.Graph._layout_mapping, hasattr(igraph.Graph, 'layout_ws_sne'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_without_igraph_the_extra_is_named(monkeypatch):
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "igraph", None)
        with pytest.raises(MissingExtra, match=r'pip install "nelayout\[igraph\]"'):
            plugin.register()
    with monkeypatch.context() as other:
        other.delattr(igraph.Graph, "_layout_mapping")
        with pytest.raises(Unsupported, match=r"has no table of layout names; hand the function over"):
            plugin.register()
