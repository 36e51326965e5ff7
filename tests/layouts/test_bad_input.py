"""Every wrong input is one clear error: what was given, what is allowed, in the class that the host's users catch."""

from __future__ import annotations

import copy
import re

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import nelayout as nl
from nelayout.errors import InputError

NAN, INF = float("nan"), float("inf")


def square() -> nx.Graph:
    G = nx.cycle_graph(["a", "b", "c", "d"])
    for _, _, data in G.edges(data=True):
        data["weight"] = 1.0
    nx.set_node_attributes(G, {"a": "red", "b": "red", "c": "red", "d": "red"}, "color")
    return G


PLACES = {"a": (0.0, 0.0), "b": (1.0, 0.0), "c": (1.0, 1.0), "d": (0.0, 1.0)}


def refused(call, *words: str, kind: type[Exception] = InputError, networkx: bool = True) -> str:
    """The message of the one error that a call raises; its class is right and every word stands in it."""
    with pytest.raises(kind) as caught:
        call()
    error = caught.value
    message = str(error)
    assert isinstance(error, ValueError)
    assert isinstance(error, nx.NetworkXError) == networkx
    assert "\n" not in message
    assert len(message) > 20
    for word in words:
        assert word in message, message
    return message


# --- graphs -----------------------------------------------------------------------------------------------------

NO_GRAPHS = {
    "None": (None, ["NoneType", "networkx"]), "number": (3, ["int"]), "path": ("graph.gml", ["str", "read_graph"]),
    "edges": ([(0, 1)], ["list", "networkx.Graph"]), "dict": ({0: [1]}, ["dict", "networkx.Graph"]),
    "class": (nx.Graph, ["class", "instance"]), "long matrix": (np.zeros((3, 4)), ["(3, 4)", "square", "embed"]),
    "vector": (np.zeros(3), ["(3,)", "square"]), "cube": (np.zeros((2, 2, 2)), ["(2, 2, 2)", "square"]),
    "one": (np.array(3.0), ["()", "square"]),
    "long sparse": (sparse.csr_array((3, 4)), ["(3, 4)", "square"]),
    "words": (np.array([["a", "b"], ["c", "d"]]), ["real numbers"]),
    "complex": (np.array([[0, 1j], [1j, 0]]), ["complex128", "real numbers"]),
    "objects": (np.array([[0, None], [None, 0]], dtype=object), ["object", "real numbers"]),
}


@pytest.mark.parametrize("case", NO_GRAPHS)
def test_what_is_no_graph(case):
    given, words = NO_GRAPHS[case]
    refused(lambda: nl.ws_sne_layout(given), *words, networkx=False)
    refused(lambda: nl.solve(given), *words, networkx=False)


# --- names ------------------------------------------------------------------------------------------------------

MISSPELT = {
    "method": (lambda G: nl.layout(G, "ws-sen"), "'ws-sen'", "'ws-sne'"),
    "method with underscore": (lambda G: nl.layout(G, "gamma_quadlg"), "'gamma_quadlg'", "'gamma-quadlog'"),
    "method of solve": (lambda G: nl.solve(G, "tnse"), "'tnse'", "'tsne'"),
    "kernel": (lambda G: nl.ws_sne_layout(G, kernel="cauchi"), "'cauchi'", "'cauchy'"),
    "optimizer": (lambda G: nl.ws_sne_layout(G, optimizer="majorise"), "'majorise'", "'majorize'"),
    "nbody": (lambda G: nl.ws_sne_layout(G, nbody="exat"), "'exat'", "'exact'"),
    "mass": (lambda G: nl.ws_sne_layout(G, mass="degre"), "'degre'", "'degree'"),
    "attribute": (lambda G: nl.ws_sne_layout(G, mass="colour"), "'colour'", "'color'"),
    "weight_kind": (lambda G: nl.ws_sne_layout(G, weight_kind="distanc"), "'distanc'", "'distance'"),
    "components": (lambda G: nl.ws_sne_layout(G, components="packed"), "'packed'", "'pack'"),
}


@pytest.mark.parametrize("case", MISSPELT)
def test_misspelt_names_are_answered_with_the_near_one(case):
    call, given, near = MISSPELT[case]
    assert f"did you mean {near}" in refused(lambda: call(square()), given, "Allowed: ")


@pytest.mark.parametrize(
    "call",
    [
        lambda G: nl.layout(G, 3), lambda G: nl.layout(G, None), lambda G: nl.layout(G, nl.Method),
        lambda G: nl.ws_sne_layout(G, kernel=None), lambda G: nl.ws_sne_layout(G, kernel=abs),
        lambda G: nl.ws_sne_layout(G, kernel=nl.kernels.Kernel),
        lambda G: nl.ws_sne_layout(G, kernel="heavy-tailed:x"),
        lambda G: nl.ws_sne_layout(G, kernel="heavy-tailed:nan"),
        lambda G: nl.ws_sne_layout(G, optimizer=nl.optimizers.Majorize),
        lambda G: nl.ws_sne_layout(G, optimizer=None), lambda G: nl.ws_sne_layout(G, nbody=None),
        lambda G: nl.ws_sne_layout(G, components=None),
    ],
)
def test_parts_of_the_wrong_type(call):
    refused(lambda: call(square()))


# Method, own keyword -> what is said, values.
OWN = {
    ("polylog", "r"): ("r, the power", [0, -1, NAN, INF, "2", None, True]),
    ("ee", "repulsion"): ("repulsion", [0, -1, NAN, INF, "2", None, True]),
    ("hssne", "tail"): ("tail", [-1, NAN, INF, "2", None, True]),
    ("forceatlas2", "gravity"): ("gravity must be a finite number >= 0", [-1.0, "strong"]),
    ("forceatlas2", "scaling_ratio"): ("> 0", [0.0]),
    ("forceatlas2", "linlog"): ("linlog must be True or False", [1]),
    ("forceatlas2", "strong_gravity"): ("strong_gravity must be True or False", [None]),
    ("alpha-sne", "alpha"): ("it is 'auto', must be a finite number", ["best", "0.5", True, None, NAN, INF, [1]]),
}


@pytest.mark.parametrize(("method", "keyword"), OWN)
def test_parameters_of_single_methods(method, keyword):
    said, values = OWN[method, keyword]
    for value in values:
        refused(lambda value=value: nl.layout(square(), method, **{keyword: value}), keyword, said, repr(value))


@pytest.mark.parametrize("number", [np.float32(2), np.int64(2), np.float64(2), 2])
def test_numbers_of_numpy_are_numbers(number):
    expected = nl.polylog_layout(square(), r=2.0, seed=0)["a"]
    assert np.array_equal(nl.polylog_layout(square(), r=number, seed=0)["a"], expected)
    assert nl.kernels.heavy_tailed(number) == nl.kernels.heavy_tailed(2.0)
    assert nl.divergences.beta(number) == nl.divergences.beta(2.0)


@pytest.mark.parametrize(
    ("function", "slip", "meant"),
    [
        (nl.ws_sne_layout, "wieght", "'weight'"), (nl.ws_sne_layout, "kernal", "'kernel'"),
        (nl.hssne_layout, "tial", "'tail'"), (nl.tsne_layout, "callbak", "'callback'"),
        (nl.layout, "metod", "'method'"), (nl.solve, "seeed", "'seed'"),
    ],
)
def test_unknown_keywords_are_type_errors_as_everywhere_in_python(function, slip, meant):
    with pytest.raises(TypeError, match=rf"{slip}.*did you mean.*{meant}"):
        function(square(), **{slip: 1})


def test_options_are_keywords_only():
    with pytest.raises(TypeError, match="positional"):
        nl.ws_sne_layout(square(), None, None, "weight")


def test_fixed_nodes():
    G = square()
    refused(lambda: nl.ws_sne_layout(G, fixed=["a"]), "fixed", "pos")
    refused(lambda: nl.ws_sne_layout(G, pos={"a": (0, 0)}, fixed=["a", "b"]), "fixed without positions: 'b'", "pos")


# --- numbers ----------------------------------------------------------------------------------------------------

WRONG = {
    "center": [(1,), (1, 2, 3), (NAN, 0), (INF, 0), "ab", 3, {1: 2}, (1, "x"), [None, 1], (1j, 0)],
    "dim": [0, 4, -1, True, 2.0, "2", None, NAN, [2]],
    "scale": [0, -1, NAN, INF, "1", True, [1], 1j, np.array([1.0, 2.0])], "max_iter": [-1, 1.5, "3", True, NAN, [1]],
    "tol": [-1, "3", True, NAN, INF, [1]], "n_jobs": [0, 1.5, "2", True, NAN, [1]],
    "smoothing": [1, 1.5, -0.1, NAN, INF, "x", True, None], "weight": [len, lambda u, v, d: 1, ["weight"], {}],
    "emphasis": [-0.1, 1.5, "much", True], "seed": [-1, 1.5, "x", True, [1], (1, 2)],
    "callback": [3, "print", [print]], "progress": [None, "yes", 1, 0], "store_pos_as": [3, True, ["pos"]],
    "components": [None, 3, ["pack"]], "weight_kind": [None, 3, ["log"]], "nbody": [3, ["exact"]],
    "optimizer": [3, ["majorize"]],
    "mass": [-1, NAN, INF, [1, 2], [-1, 1, 1, 1], {"a": 1}, "color", {"a": 1, "b": 1, "c": NAN, "d": 1}, 1j],
    "node_size": [-1, NAN, INF, [1, 2], [-1, 1, 1, 1], {"a": 1}, "color", "no such attribute"],
}


def named(value):
    return getattr(value, "__name__", repr(value))


@pytest.mark.parametrize(("keyword", "value"), [(k, v) for k, values in WRONG.items() for v in values], ids=named)
def test_values_out_of_range(keyword, value):
    G = square()
    before = copy.deepcopy((list(G.nodes(data=True)), list(G.edges(data=True))))
    said = {"weight": "weight must be the name", "center": repr(value)}.get(keyword, keyword)
    message = refused(lambda: nl.ws_sne_layout(G, **{keyword: value}), said)
    assert re.search(rf"\b{keyword}\b", message), message
    assert (list(G.nodes(data=True)), list(G.edges(data=True))) == before


@pytest.mark.parametrize("mass", [{1.0, 2.0, 3.0, 4.0}, frozenset("abcd"), len, iter([1] * 4), (m for m in "abcd")])
def test_a_mass_without_order_is_refused_with_what_is_allowed(mass):
    for G in (square(), nx.to_scipy_sparse_array(square())):
        message = refused(lambda G=G: nl.ws_sne_layout(G, mass=mass), networkx=isinstance(G, nx.Graph))
        for part in (type(mass).__name__, "'degree'", "'strength'", "'betweenness'", "node order", "dict"):
            assert part in message


def test_a_mass_for_no_node_is_named():
    """Positions may be those of a larger graph; a key of a mass is meant for a node."""
    G = nx.relabel_nodes(square(), {"a": "anna", "b": "bert", "c": "carl", "d": "dora"})
    whole = dict.fromkeys(G, 1.0)
    refused(lambda: nl.ws_sne_layout(G, mass={**whole, "berta": 2.0}), "mass holds 'berta'", "'bert'")
    refused(lambda: nl.ws_sne_layout(G, mass={"anna": 1, "bert": 1, "karl": 1, "dora": 1}), "'karl'", "'carl'")
    refused(lambda: nl.ws_sne_layout(nx.to_scipy_sparse_array(G), mass={0: 1, 1: 1, 2: 1, 3: 1, 4: 1}), "mass holds 4",
            networkx=False)
    pos = nl.ws_sne_layout(G, mass=whole, pos={**dict.fromkeys(G, (0.0, 0.0)), "elsewhere": (1, 1)}, max_iter=1, seed=0)
    assert set(pos) == set(G)


def test_nothing_is_refused_late():
    """What needs no drawing is checked before the first step."""
    steps: list[int] = []
    for wrong in ({"center": (1,)}, {"node_size": -1}, {"nbody": "exat"}, {"optimizer": "adma"}, {"n_jobs": 0}):
        refused(lambda wrong=wrong: nl.ws_sne_layout(square(), callback=lambda s: steps.append(1), **wrong))
    assert steps == []


def test_what_cannot_be_done_is_said_in_words():
    """Spectral directions need edges of length 0 to attract finitely; LinLog's do not."""
    for G in (nx.karate_club_graph(), nx.to_scipy_sparse_array(nx.karate_club_graph())):
        with pytest.raises(nl.Unsupported, match="majorize"):
            nl.linlog_layout(G, optimizer="spectral-direction")
    refused(lambda: nl.ws_sne_layout(nx.empty_graph(3), components="joint"), "components='pack'", kind=nl.Unsupported)
