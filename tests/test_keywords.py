"""The keywords of the layout functions stand once, and everything that repeats them says the same.

Signature, TypedDict, defaults, docstrings, the command line and the pages of the documentation are compared
over every layout function.
"""

import inspect
import re
import typing
from pathlib import Path

import networkx as nx
import pytest

import nelayout as nl
from nelayout.catalogue import METHODS
from nelayout.cli import main
from nelayout.nbody import BACKENDS
from nelayout.run.options import DEFAULTS, TEXTS, LayoutOptions

LAYOUTS = sorted(name for name in nl._HOME if name.endswith("_layout"))
OF_EVERY_LAYOUT = [*LAYOUTS, "layout"]


def test_the_table_is_one():
    assert list(LayoutOptions.__annotations__) == list(DEFAULTS) == list(TEXTS)


@pytest.mark.parametrize("name", OF_EVERY_LAYOUT)
def test_signature_shows_every_keyword_with_its_default(name):
    parameters = inspect.signature(getattr(nl, name)).parameters
    assert next(iter(parameters)) == "G"
    assert parameters["pos"].default is None
    assert parameters["fixed"].default is None
    common = {n: p for n, p in parameters.items() if n in DEFAULTS}
    assert {n: p.default for n, p in common.items()} == DEFAULTS
    assert all(p.kind is p.KEYWORD_ONLY for p in common.values())
    assert not any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters.values())


@pytest.mark.parametrize("name", OF_EVERY_LAYOUT)
def test_docstring_explains_every_parameter_once(name):
    function = getattr(nl, name)
    lines = (function.__doc__ or "").splitlines()
    for parameter in inspect.signature(function).parameters:
        entries = [line for line in lines if line.lstrip().startswith(f"{parameter} : ")]
        assert len(entries) == 1, f"{name}: {parameter} has {len(entries)} entries"


@pytest.mark.parametrize("name", OF_EVERY_LAYOUT)
def test_a_keyword_that_is_none_is_refused_with_the_near_one(name):
    with pytest.raises(TypeError, match="weight"):
        getattr(nl, name)(nx.path_graph(3), wieght="w")


def test_every_named_method_has_its_function():
    functions = {name.removesuffix("_layout").replace("_", "-") for name in LAYOUTS}
    assert functions == set(METHODS)


def test_defaults_fit_their_types():
    for name, hint in typing.get_type_hints(LayoutOptions).items():
        default, allowed = DEFAULTS[name], typing.get_args(hint) or (hint,)
        if hint is typing.Any:
            continue
        if typing.get_origin(hint) is typing.Literal:
            assert default in allowed
        else:
            kinds = tuple(typing.get_origin(kind) or kind for kind in allowed)
            assert isinstance(default, kinds), f"{name} = {default!r} is not {hint}"


# Keywords that a shell has no words for.
IN_PYTHON_ONLY = {
    "components",
    "center",
    "node_size",
    "store_pos_as",
    "tol",
    "optimizer",
    "nbody",
    "callback",
    "progress",
    "n_jobs",
}


def test_the_command_line_takes_the_keywords(capsys):
    assert main(["layout", "--help"]) == 0
    flags = set(re.findall(r"--[a-z][a-z-]*", capsys.readouterr().out))
    expected = {"--" + name.replace("_", "-") for name in DEFAULTS if name not in IN_PYTHON_ONLY}
    assert expected <= flags
    assert flags.isdisjoint({"--" + name.replace("_", "-") for name in IN_PYTHON_ONLY})


def described() -> str:
    return (Path(__file__).resolve().parents[1] / "docs" / "keywords.md").read_text()


def test_the_page_of_keywords_explains_each_once_and_no_other():
    heads = [line for line in described().splitlines() if re.fullmatch(r"`\w+`(, `\w+`)*", line)]
    assert sorted(re.findall(r"`(\w+)`", " ".join(heads))) == sorted(["pos", "fixed", *DEFAULTS])


@pytest.mark.parametrize(("keyword", "allowed"), [("nbody", BACKENDS), ("components", ("pack", "joint"))])
def test_the_page_of_keywords_explains_the_values_that_exist(keyword, allowed):
    text = described().split(f"\n`{keyword}`\n")[1].split("\n\n")[0]
    assert set(re.findall(r'`"([\w-]+)"`', text)) == set(allowed)
    for value in allowed:
        assert nl.layout(nx.path_graph(3), **{keyword: value, "max_iter": 1}).keys() == {0, 1, 2}


@pytest.mark.parametrize("name", ["pos", "fixed", *DEFAULTS])
def test_the_pages_explain_every_keyword(name):
    pages = (Path(__file__).resolve().parents[1] / "docs").glob("*.md")
    assert any(re.search(rf"`{name}\b", page.read_text()) for page in pages)
