"""The keywords of the layout functions stand once, and everything that repeats them says the same.

Signature, TypedDict, defaults, docstrings and the command line are compared over every layout function.
"""

import inspect
import re
import typing

import networkx as nx
import numpy as np
import pytest

import nelayout as nl
from nelayout.cli import main
from nelayout.core.catalogue import METHODS, tune
from nelayout.core.sums.nbody import BACKENDS
from nelayout.keywords.options import DEFAULTS, GROUPS, LAYOUT_DEFAULTS, TEXTS, LayoutOptions

LAYOUTS = sorted(name for name in nl._HOME if name.endswith("_layout"))
# Functions of a graph that take the common keywords, and functions of vectors.
OF_GRAPHS = [*LAYOUTS, "layout", "solve", "estimate", "choose_alpha"]
OF_ANY_METHOD = ["layout", "solve", "estimate"]
OF_VECTORS = ["embed", "solve_vectors", "knn_graph", "entropic_affinity"]


def test_the_table_is_one():
    assert list(DEFAULTS) == list(TEXTS) == [name for group in GROUPS.values() for name in group]
    assert set(LayoutOptions.__annotations__) == set(DEFAULTS)


@pytest.mark.parametrize("name", OF_GRAPHS)
def test_signature_and_docstring_show_every_keyword_with_its_default(name):
    parameters, text = inspect.signature(getattr(nl, name)).parameters, inspect.getdoc(getattr(nl, name)) or ""
    assert next(iter(parameters)) == "G"
    if name != "estimate":  # it draws nothing, so nothing is given
        assert parameters["pos"].default is None
        assert parameters["fixed"].default is None
    common = {n: p for n, p in parameters.items() if n in DEFAULTS}
    assert {n: p.default for n, p in common.items()} == (LAYOUT_DEFAULTS if "layout" in name else DEFAULTS)
    assert all(p.kind is p.KEYWORD_ONLY for p in common.values())
    positional = [n for n, p in parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD and n != "method"]
    assert positional == (["G"] if name == "estimate" else ["G", "pos", "fixed"])
    others = {n: p.kind for n, p in parameters.items() if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    assert others == ({"own": inspect.Parameter.VAR_KEYWORD} if name in OF_ANY_METHOD else {})
    for group, names in GROUPS.items():
        part = text.split(f"\n{group} keywords\n")[1].split("\n\n")[0]
        assert re.findall(r"^(\w+) : ", part, re.MULTILINE) == list(names)
    assert re.findall(r"^(\w+) : ", text, re.MULTILINE) == list(parameters), "in the order of the signature"


@pytest.mark.parametrize("name", [*OF_GRAPHS, *OF_VECTORS])
def test_signature_is_read_at_a_glance_and_explained_once(name):
    function = getattr(nl, name)
    signature, lines = inspect.signature(function), (inspect.getdoc(function) or "").splitlines()
    text = str(signature).replace("**own", "own")
    assert len(text) < 1350
    for puzzling in ("ForwardRef", "**", "Unpack", "module=", "TypedDict"):
        assert puzzling not in text
    assert lines.count("Parameters") == 1
    assert typing.get_type_hints(inspect.unwrap(function))
    for parameter in signature.parameters:
        entries = [line for line in lines if line.startswith(f"{parameter} : ")]
        assert len(entries) == 1, f"{name}: {parameter} has {len(entries)} entries"
    assert max(map(len, lines)) <= 120


def test_embed_shows_the_keywords_of_solve_vectors_and_takes_them():
    one, other = (dict(inspect.signature(getattr(nl, name)).parameters) for name in ("embed", "solve_vectors"))
    assert one == other
    X = np.random.default_rng(0).standard_normal((30, 3))
    changed = {"method": "tsne", "n_neighbors": 5, "max_iter": 7, "init": "pca", "random_state": 3}
    solution = nl.solve_vectors(X, n_components=1, **changed)
    assert np.array_equal(nl.embed(X, n_components=1, **changed), solution.positions)
    with pytest.raises(TypeError, match="missing a required argument: 'X'"):
        nl.embed(n_components=1)


@pytest.mark.parametrize(
    ("name", "slip", "word"),
    [
        ("layout", "random_state", "seed"), ("tsne_layout", "n_components", "dim"), ("solve", "random_state", "seed"),
        ("estimate", "n_components", "dim"), ("embed", "seed", "random_state"), ("embed", "dim", "n_components"),
        ("solve_vectors", "seed", "random_state"), ("knn_graph", "random_state", "seed"),
        ("entropic_affinity", "random_state", "seed"), ("layout", "weights", "weight"),
        ("tsne_layout", "iterations", "max_iter"), ("layout", "init", "pos"), ("embed", "pos", "init"),
        ("embed", "n_epochs", "max_iter"), ("embed", "verbose", "progress"),
    ],
)
def test_the_word_of_another_library_is_answered_with_ours(name, slip, word):
    with pytest.raises(TypeError, match=f"{name} has no keyword '{slip}': here it is called '{word}'"):
        getattr(nl, name)(np.eye(4), **{slip: 1})


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda X: nl.embed(X, min_dist=0.1), "embed has no keyword 'min_dist': no method has a least distance"),
        (lambda X: nl.embed(X, y=[0, 1]), "embed has no keyword 'y': labels are not read; leave them out"),
        (lambda X: nl.embed(X, np.arange(4)), "method must be a name or a nelayout.Method, given ndarray"),
        (lambda X: nl.embed(X, [0, 1, 0, 1]), "method must be a name or a nelayout.Method, given list"),
        (lambda X: nl.layout(X, n_neighbors=5), "layout has no keyword 'n_neighbors': vectors are drawn by nelayout.e"),
        (lambda X: nl.layout(X, k=0.2), "layout has no keyword 'k': no method has a best distance .* scale sets"),
        (lambda X: nl.layout_sequence([X], fixed=[0]), "layout_sequence has no keyword 'fixed': a film holds all"),
        (lambda X: nl.embed(X, n_neighbours=3), "unknown keyword of embed 'n_neighbours': did you mean 'n_neighbors'"),
        (lambda X: nl.compare(X, ["ws-sne"], seed_=3), "unknown keyword of compare 'seed_': did you mean 'seed'"),
        (lambda X: nl.measure_vectors(X, X, label=[0]), "unknown keyword of measure_vectors .*mean 'labels'"),
        (lambda X: nl.align(X, to=X, scaled=True), "unknown keyword of align 'scaled': did you mean 'scale'"),
        (lambda X: nl.Method(diverg="kl"), "unknown keyword of Method 'diverg': did you mean 'divergence'"),
        (lambda X: nl.layout(X, dist={}), "layout has no keyword 'dist': .*weight_kind='distance'"),
    ],
)
def test_a_word_without_an_equal_here_is_answered_with_what_there_is(call, words):
    with pytest.raises(TypeError, match=words):
        call(np.eye(4))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda X: nl.layout(X, "energy"), "got 'energy', a way in which networkx.spring_layout computes forces"),
        (lambda X: nl.layout(X, "force"), "got 'force', a way in which networkx.spring_layout computes forces"),
        (lambda X: nl.layout(X, seed={0: (0, 1)}), "given dict: positions to start from are given as pos="),
        (lambda X: nl.embed(X, random_state=X), "random_state must .*, given ndarray: positions .* are given as init="),
    ],
)
def test_a_value_of_another_library_is_answered_with_what_there_is(call, words):
    with pytest.raises(ValueError, match=words):
        call(np.eye(4))


def test_the_module_of_numpy_is_a_seed():
    draws = []
    for _ in range(2):
        np.random.seed(3)  # noqa: NPY002  the state of the module is what is asked for
        draws += [nl.ws_sne_layout(nx.path_graph(5), seed=np.random)[0] for _ in range(2)]
    one, other, again, _ = draws
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    assert nl.embed(np.eye(4), n_neighbors=2, random_state=np.random).shape == (4, 2)


def test_help_opens_with_the_public_names_by_subject():
    """`help(nelayout)` shows the docstring first, and hundreds of lines later the functions."""
    assert [name for name in nl._HOME if not re.search(rf"\b{name}\b", nl.__doc__)] == []


@pytest.mark.parametrize("method", METHODS)
def test_own_keywords_have_the_defaults_of_their_record(method):
    """Signatures repeat them for readers and completion; the record of the method is where they stand."""
    parameters = inspect.signature(getattr(nl, f"{method.replace('-', '_')}_layout")).parameters
    own = {name: p.default for name, p in parameters.items() if name not in ("G", "pos", "fixed", *DEFAULTS)}
    assert own == dict(METHODS[method].own)
    assert tune(method, **own) == METHODS[method]


def test_methods_have_functions_and_are_listed_with_the_default_first():
    assert {name.removesuffix("_layout").replace("_", "-") for name in LAYOUTS} == set(METHODS)
    rows = nl.methods()
    assert [row["name"] for row in rows] == ["auto", *METHODS]
    assert all(row["summary"] and row["reference"] for row in rows)
    assert inspect.signature(nl.layout).parameters["method"].default == "auto"


def test_defaults_fit_their_types():
    for name, hint in typing.get_type_hints(LayoutOptions).items():
        default, allowed = DEFAULTS[name], typing.get_args(hint) or (hint,)
        if hint is typing.Any:
            continue
        if typing.get_origin(hint) is typing.Literal:
            assert default in allowed
        else:
            kinds = tuple(kind for kind in map(typing.get_origin, allowed) if kind not in (None, typing.Literal))
            kinds += tuple(kind for kind in allowed if typing.get_origin(kind) is None)
            assert isinstance(default, kinds), f"{name} = {default!r} is not {hint}"


# Keywords that a shell has no words for.
IN_PYTHON_ONLY = {
    "components", "center", "store_pos_as", "tol", "optimizer", "nbody", "callback", "progress",
    "n_jobs",
}


def test_the_command_line_takes_the_keywords(capsys):
    assert main(["layout", "--help"]) == 0
    flags = set(re.findall(r"--[a-z][a-z-]*", capsys.readouterr().out))
    expected = {"--" + name.replace("_", "-") for name in DEFAULTS if name not in IN_PYTHON_ONLY}
    assert expected <= flags
    assert flags.isdisjoint({"--" + name.replace("_", "-") for name in IN_PYTHON_ONLY})


@pytest.mark.full
@pytest.mark.parametrize(("keyword", "allowed"), [("nbody", BACKENDS), ("components", ("pack", "joint"))])
def test_the_explanation_of_a_keyword_has_the_values_that_exist(keyword, allowed):
    assert set(re.findall(r'"([\w-]+)"', TEXTS[keyword])) == set(allowed)
    for value in allowed:
        assert nl.layout(nx.path_graph(3), seed=0, **{keyword: value, "max_iter": 1}).keys() == {0, 1, 2}
