"""A method's own keywords: wherever a method is named, in its name, and against a wrong method; and changed methods."""

import dataclasses
import inspect
import pickle
import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import nelayout as nl
from nelayout.core.catalogue import AUTO, METHODS, OWNERS, method_named, own_keywords, tune
from nelayout.core.catalogue.stages import OPTIMIZER_NAMES
from nelayout.core.formula.kernels import heavy_tailed
from nelayout.core.optimizers import LBFGS, OPTIMIZERS
from nelayout.errors import InputError
from nelayout.keywords.options import DEFAULTS, MethodOptions
from tests.tables import thinned

G = nx.karate_club_graph()
X = np.random.default_rng(0).standard_normal((30, 3))
# Keyword -> a value other than its default, for each method that has one. ft-SNE's variational form needs torch, and a
# background has an effect only on divergences that look at it.
OTHER = {
    "ws-sne": {"kernel": "gaussian"},
    "polylog": {"r": 2.5},
    "ee": {"repulsion": 0.5},
    "forceatlas2": {"scaling_ratio": 2.5, "gravity": 0.5, "strong_gravity": True, "linlog": True},
    "tfdp": {"repulsion": 4.5, "attraction": 4.0, "exponent": 1.5},
    "tsnet": {"compression": 0.1},
    "hssne": {"tail": 0.5},
    "nerv": {"kappa": 0.3, "background": 0.2},
    "jse": {"kappa": 0.3},
    "alpha-sne": {"alpha": 0.8},
    "ftsne": {"divergence": "js"},
}
# Of these the first own keyword is a number, which may stand behind the name.
NUMBERED = ["polylog", "ee", "forceatlas2", "tfdp", "tsnet", "hssne", "nerv", "jse", "alpha-sne"]


def test_the_tables_know_the_same_keywords():
    assert list(OTHER) == [name for name, method in METHODS.items() if method.own]
    assert set(MethodOptions.__annotations__) - set(DEFAULTS) == set(OWNERS)
    assert set(OWNERS).isdisjoint(inspect.signature(nl.solve_vectors).parameters)
    assert set(OPTIMIZER_NAMES) == set(OPTIMIZERS)
    assert own_keywords("nerv:0.3") == dict(METHODS["nerv"].own)


@pytest.mark.full
@pytest.mark.parametrize("name", thinned(OTHER, plain=lambda name: name in ("nerv", "ee")))
def test_every_door_takes_them(name):
    own, few = OTHER[name], {"seed": 0, "max_iter": 3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of ee on weights of sum 1, if any
        function = getattr(nl, f"{name.replace('-', '_')}_layout")
        expected = np.array(list(function(G, **own, **few).values()))
        alone = np.array(list(function(G, **own, **few, node_size=None).values()))
        for found in (
            nl.solve(G, name, **own, **few).positions,
            nl.solve(G, nl.method(name, **own), **few).positions,
        ):
            assert np.array_equal(np.array(list(found.values())), alone)
        assert np.array_equal(np.array(list(nl.layout(G, name, **own, **few).values())), expected)
        assert nl.estimate(G, name, **own) == nl.estimate(G, tune(name, **own))
        direct = nl.embed(X, method=name, **own, max_iter=3, random_state=0)
        assert np.array_equal(direct, nl.embed(X, method=name, method_options=own, max_iter=3, random_state=0))
        assert np.array_equal(direct, nl.embed(X, method=nl.method(name, **own), max_iter=3, random_state=0))
    assert tune(name, **own) != METHODS[name]


@pytest.mark.parametrize("name", NUMBERED)
def test_a_number_behind_the_name_is_the_first_of_them(name):
    keyword, number = next(iter(OTHER[name].items()))
    method = method_named(f"{name}:{number}")
    assert method == tune(name, **{keyword: number}) == nl.method(name, **{keyword: number})
    assert method.name == f"{name}:{number}"
    assert method_named(method.name) == method
    assert pickle.loads(pickle.dumps(method)) == method
    few = {"seed": 0, "max_iter": 3}
    one, other = nl.layout(G, f"{name}:{number}", **few), nl.layout(G, name, **{keyword: number}, **few)
    assert all(np.array_equal(one[node], other[node]) for node in G)
    default = dict(METHODS[name].own)[keyword]
    assert method_named(f"{name}:{default}") == METHODS[name]
    assert tune(method, **{keyword: default}) == METHODS[name]
    assert method_named("alpha-sne:auto") == tune("alpha-sne", alpha="auto")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: nl.solve(G, "tsne", kappa=0.3), "'tsne' has no keyword 'kappa'; kappa is a keyword of 'nerv'"),
        (lambda: nl.layout(G, tail=3.0), "the method 'auto' has no keyword 'tail'; tail is a keyword of 'hssne'"),
        (lambda: nl.estimate(G, "nerv", r=1.0), "'nerv' has no keyword 'r'; r is a keyword of 'polylog'"),
        (lambda: nl.embed(X, kappa=0.3), "'ws-sne' has no keyword 'kappa'; kappa is a keyword of 'nerv' and 'jse'"),
        (lambda: nl.solve(G, "tsne", divergence="js"), r"nelayout.method\('tsne', divergence=...\) has another div"),
        (lambda: nl.tsne_layout(G, kappa=0.3), "tsne_layout has no keyword 'kappa'; kappa is a keyword of 'nerv' and"),
        (lambda: nl.nerv_layout(G, tail=0.3), "nerv_layout has no keyword 'tail'; tail is a keyword of 'hssne'"),
        (lambda: nl.knn_graph(X, kappa=0.3), "knn_graph has no keyword 'kappa'; kappa is a keyword of"),
        (lambda: nl.solve(G, "nerv", kapa=0.3), "did you mean 'kappa'"),
        (lambda: nl.solve(G, "nerv:0.3", kappa=0.3), "kappa is given twice: in the name 'nerv:0.3' and as a keyword"),
        (lambda: nl.embed(X, method="nerv", kappa=0.3, method_options={"kappa": 0.3}), "kappa is given twice"),
        (lambda: nl.embed(X, mass="unit", method_options={"mass": "unit"}), "mass is given twice"),
        (lambda: nl.method("nerv", kappa=0.3, divergence="kl"), "kappa makes the divergence, which is given too"),
        (lambda: nl.method("nerv", tail=0.3), "the method 'nerv' has no keyword 'tail'"),
        (lambda: nl.method("nerv", kapa=0.3), "unknown part or keyword of a method 'kapa': did you mean 'kappa'"),
        (
            lambda: nl.solve(G, dataclasses.replace(METHODS["nerv"], divergence="kl"), kappa=0.3),
            "the parts of this nerv were replaced",
        ),
        (lambda: nl.solve(G, nl.Method(), kappa=0.3), "the method 'custom' has no keyword 'kappa'"),
    ],
)
def test_a_keyword_of_another_method_and_one_given_twice_are_refused(call, words):
    with pytest.raises(TypeError, match=words):
        call()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ws-sne:2", "ws-sne takes no number; write 'ws-sne'"),
        ("tsne:2", "tsne takes no number"),
        ("ftsne:0.2", "ftsne takes no number"),
        ("nerv:0.3:0.1", "write one number behind the colon, kappa, as in 'nerv:0.5'"),
        ("nerv:2", "kappa"),
        ("hssne:much", "tail must be a finite number >= 0; got 'much'"),
        ("nrev:0.3", "did you mean 'nerv'"),
        ("auto:2", "auto takes no number"),
    ],
)
def test_names_with_wrong_numbers_are_refused(name, words):
    with pytest.raises(InputError, match=words):
        nl.solve(G, name)


def test_a_changed_method_keeps_all_other_parts():
    assert nl.method("ws-sne") is METHODS["ws-sne"]
    tsne = nl.method("ws-sne", mass="unit", connection="normalized", name="tsne", summary="", reference="")
    assert dataclasses.replace(METHODS["tsne"], summary="", reference="") == tsne
    assert nl.method("ws-sne", kernel="heavy-tailed:0.5") == tune("ws-sne", kernel=heavy_tailed(0.5))
    light = nl.method("nerv:0.3", mass="degree")
    assert (light.name, light.mass, light.divergence) == ("nerv:0.3", "degree", method_named("nerv:0.3").divergence)
    assert nl.method(light, kappa=0.5).divergence == METHODS["nerv"].divergence


def test_a_method_with_another_formula_has_another_name_and_the_schedule_that_suits_it():
    made = nl.method("gamma-quadlog", kernel="cauchy")
    assert made.name == "custom"
    assert not made.scheduled
    assert made.stages != METHODS["gamma-quadlog"].stages
    short = (nl.Descend("mine", 3),)
    assert nl.method("tsne", kernel="gaussian", stages=short).stages == short
    own = nl.Method(kernel="gaussian", stages=short)
    assert nl.method(own, kernel="cauchy").stages == short
    assert nl.method("nerv", connection="optimal", divergence="i-divergence").affinity == "raw"
    assert nl.method(AUTO, mass="unit").stages == AUTO.stages


def test_a_function_is_a_divergence_for_a_method_too():
    def f(t):
        return abs(t - 1) ** 1.5

    made = nl.Method(divergence=f)
    assert made.connection.name == "normalized"
    one, other = nl.layout(G, made, seed=0, max_iter=5), nl.ftsne_layout(G, divergence=f, seed=0, max_iter=5)
    assert all(np.array_equal(one[node], other[node]) for node in G)
    assert nl.Method().connection.name == "optimal"


@dataclasses.dataclass
class Plain(nl.divergences.Divergence):
    """The I-divergence by an edge and a slope alone; it is not frozen, so that it has no hash."""

    name: str = "plain"
    pairs: tuple = (nl.divergences.PairTerm(1.0, 1.0),)

    def edge(self, p, b):
        return -p * b.log()

    def slope(self, p, b):
        return -p


def test_a_divergence_may_state_its_edge_and_slope_alone():
    pos = nx.circular_layout(G)
    own, named = (nl.evaluate(G, pos, nl.Method("cauchy", each, "normalized")) for each in (Plain(), "i-divergence"))
    assert own.gradient_norm == pytest.approx(named.gradient_norm, rel=1e-12)
    assert len(nl.layout(G, nl.Method("cauchy", Plain(), "normalized"), max_iter=5, seed=0)) == len(G)


def test_methods_with_arrays_of_masses_are_equal_if_their_masses_are():
    one, alike, other = (nl.method("ws-sne", mass=np.array(mass)) for mass in ([1.0, 2.0], [1.0, 2.0], [2.0, 1.0]))
    assert one == alike
    assert one not in (other, nl.method("ws-sne"), nl.method("tsne"), "ws-sne")


def test_masses_with_names_are_equal_if_their_names_are_too():
    masses = (pd.Series([1.0, 2.0], index=list(names)) for names in ("ab", "ab", "ba"))
    one, alike, other = (nl.method("ws-sne", mass=each) for each in masses)
    assert one == alike
    assert one != other


@pytest.mark.parametrize("name", ["ws-sne", "auto", "nerv"])
@pytest.mark.parametrize("form", [dict, list, np.array], ids=["dict", "list", "array"])
def test_a_method_may_have_masses_of_the_nodes(name, form):
    masses = [1.0 + k % 3 for k in range(len(G))]
    mass = dict(zip(G, masses, strict=True)) if form is dict else form(masses)
    one, other = nl.layout(G, nl.method(name, mass=mass), seed=0), nl.layout(G, name, mass=mass, seed=0)
    assert all(np.array_equal(one[node], other[node]) for node in G)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: nl.Method("ws-sne"), "unknown kernel 'ws-sne'.*; a method .* is changed by nelayout.method"),
        (lambda: nl.Method("cauchi"), "unknown kernel 'cauchi': did you mean 'cauchy'[^;]*$"),
        (lambda: nl.Method(kernel=lambda x: 1 / x), r"Choose one of the family \(c \+ a xi\)\^\(-b/a\)"),
        (lambda: nl.Descend("mine", 3, "lbfsg"), "unknown optimizer 'lbfsg': did you mean 'lbfgs'.* Allowed: "),
        (lambda: nl.Descend("d", 10.5), "stage 'd': max_iter must be a whole number >= 0, given 10.5"),
        (lambda: nl.Descend("d", -3), "given -3"),
        (lambda: nl.Descend("d", 10, tol=-1.0), "tol must be a number >= 0, given -1.0"),
        (lambda: nl.Descend("d", 10, exaggeration=0.0), "exaggeration must be a number > 0, given 0.0"),
        (lambda: nl.CoarseToFine("c", 10, power=np.inf), "power must be a number > 0, given inf"),
        (lambda: nl.CoarseToFine("mine", 3, optimizer="majorise"), "unknown optimizer .*did you mean 'majorize'"),
        (lambda: nl.Descend("mine", 3, kernel="cauchi"), "unknown kernel 'cauchi': did you mean 'cauchy'"),
        (lambda: nl.Descend("mine", 3, divergence="kll"), "unknown divergence 'kll'"),
        (lambda: nl.Descend("mine", 3, divergence="alpha:auto"), "alpha is chosen for a method as a whole"),
    ],
)
def test_wrong_parts_are_refused_when_a_record_is_made(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_a_stage_whose_divergence_its_connection_cannot_take_is_refused_when_the_method_is_made():
    with pytest.raises(nl.Unsupported, match="needs a divergence with a degree"):
        nl.Method(connection="optimal", stages=(nl.Descend("first", 3, divergence="js"), nl.Descend("last", 3)))


def test_a_stage_takes_names_and_records_alike():
    by_name = nl.Descend("mine", 3, "L_BFGS", kernel="gaussian", divergence="kl")
    assert by_name.kernel == nl.kernels.KERNELS["gaussian"]
    assert by_name.optimizer == "lbfgs"
    assert by_name == nl.Descend("mine", 3, kernel=by_name.kernel, divergence=by_name.divergence)
    with_memory = nl.Method(stages=(nl.Descend("mine", 3, LBFGS(memory=3)),))  # pyright: ignore[reportArgumentType]
    assert len(nl.layout(G, with_memory, seed=0)) == 34


@pytest.mark.parametrize("room", [nl.kernels, nl.divergences, nl.optimizers], ids=lambda room: room.__name__)
def test_completion_offers_what_a_room_is_for(room):
    assert set(dir(room)) == set(room.__all__)
