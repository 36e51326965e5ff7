"""What the documentation shows is run: docstring examples, the Python blocks of README.md and docs/, and examples/."""

import doctest
import importlib
import re
import runpy
import sys
from pathlib import Path

import networkx as nx
import pytest

import nelayout as nl

PACKAGE = Path(nl.__file__).parent
REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
MODULES = [
    ".".join(("nelayout", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
    for path in sorted(PACKAGE.rglob("*.py"))
    if ">>>" in path.read_text()
]
# Extras that `dev` does not bring, and the modules whose examples need them.
NEEDED = {
    "nelayout.sums.device.arrays": "torch",
    "nelayout.variational.game": "torch",
    "nelayout.graphs.libraries": "igraph",
}


# Modules with examples that draw for many seconds: `.ci/full` runs them.
SLOW_MODULES = (
    "nelayout.formula.alpha.choice",
    "nelayout.changing.sequence",
    "nelayout.comparison.steadiness",
    "nelayout.pictures.sizes",
    "nelayout.layouts",
    "nelayout.plugins.igraph",
)
# Pages and scripts that draw for many seconds.
SLOW_PAGES = (
    *("alpha.md", "changing-graphs.md", "choosing-vectors.md", "comparing.md", "hosts.md", "pictures.md"),
    *("single-cells.md", "vectors.md", "semi_supervised"),
)


def case(path: Path, name: str):
    """The file as a case of a test."""
    marks = pytest.mark.full if name in SLOW_PAGES else ()
    return pytest.param(path, id=name, marks=marks)


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    """Examples write pictures and files: into a folder of their own, and to no screen."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")


def module_case(name: str):
    """The module's docstrings as a case of a test."""
    marks = pytest.mark.full if name in SLOW_MODULES else ()
    return pytest.param(name, marks=marks)


@pytest.mark.parametrize("name", [module_case(name) for name in MODULES])
def test_docstring_examples(name):
    if name in NEEDED:
        pytest.importorskip(NEEDED[name])
    module = importlib.import_module(name)
    failed, tried = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert tried, f"{name} holds an example that doctest does not find"
    assert not failed, f"{failed} of {tried} examples in {name} fail; see the captured output"


@pytest.mark.parametrize("page", [case(page, page.name) for page in PAGES])
def test_documentation_examples(page):
    """The blocks of one page run in order and share their names, as a reader would type them."""
    if page.name == "networkx.md" and not hasattr(nx, "forceatlas2_layout"):
        pytest.skip("the page compares with a layout that networkx has from 3.4 on")
    names: dict[str, object] = {}
    for block in re.finditer(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
        line = page.read_text()[: block.start(1)].count("\n")
        # The empty lines in front make a traceback point at the page's own line.
        exec(compile("\n" * line + block[1], str(page), "exec"), names)


def labels_help(printed: str) -> bool:
    """Whether the semi-supervised drawing puts images on their side whose labels it was not told."""
    without, informed = (int(share) for share in re.findall(r"(\d+)% of the other", printed))
    return without < 65 and informed > 85


# Script -> whether what it has printed is right.
PRINTED = {
    "us_airports": lambda printed: printed.endswith("755 airports, 4623 connections, 744 on the map\n"),
    "semi_supervised": labels_help,
}


@pytest.mark.parametrize(
    "script",
    [case(path, path.stem) for path in sorted((REPOSITORY / "examples").glob("*.py"))],
)
def test_example_scripts(script, monkeypatch, capsys):
    """A script draws its picture where it is told to, and prints what is so."""
    monkeypatch.setattr(sys, "argv", [str(script), "drawn.png"])
    runpy.run_path(str(script), run_name="__main__")
    assert Path("drawn.png").read_bytes().startswith(b"\x89PNG")
    assert PRINTED[script.stem](printed := capsys.readouterr().out), printed
