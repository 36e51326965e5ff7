"""What the documentation shows is run: docstring examples, Python blocks of pages, and the scripts of the gallery."""

import doctest
import importlib
import re
import runpy
import sys
from pathlib import Path

import pytest

import nelayout as nl

PACKAGE = Path(nl.__file__).parent
REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = [
    REPOSITORY / "README.md",
    *(page for page in sorted((REPOSITORY / "docs").rglob("*.md")) if "```python" in page.read_text()),
]
SCRIPTS = sorted((REPOSITORY / "examples" / "gallery").glob("*.py"))
MODULES = [
    ".".join(("nelayout", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
    for path in sorted(PACKAGE.rglob("*.py"))
    if ">>>" in path.read_text()
]
# Extras that `dev` does not bring, and the modules whose examples need them.
NEEDED = {
    "nelayout.graphs.files.arrow": "pyarrow",
    "nelayout.core.sums.device.arrays": "torch",
    "nelayout.core.variational.game": "torch",
    "nelayout.graphs.libraries": "igraph",
}


# Modules with examples that draw for many seconds: `.ci/full` runs them.
SLOW_MODULES = (
    "nelayout.core.formula.alpha_choice",
    "nelayout.changing.sequence",
    "nelayout.pictures.sizes",
    "nelayout.layouts",
    "nelayout.plugins.igraph",
)
# Pages that draw for many seconds.
SLOW_PAGES = ("choose.md", "compare.md", "in-out.md", "pictures.md", "single-cells.md", "table.md", "update.md")
# A block of code, and what it prints.
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", re.MULTILINE | re.DOTALL)


def cases(named: dict, slow: tuple[str, ...]) -> list:
    """Cases of a test by their names; slow ones are full."""
    return [
        pytest.param(case, id=name, marks=pytest.mark.full if name in slow else ()) for name, case in named.items()
    ]


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    """Examples write pictures and files: into a folder of their own, and to no screen."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")


@pytest.mark.parametrize("name", cases(dict(zip(MODULES, MODULES, strict=True)), SLOW_MODULES))
def test_docstring_examples(name):
    if name in NEEDED:
        pytest.importorskip(NEEDED[name])
    module = importlib.import_module(name)
    failed, tried = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert tried, f"{name} holds an example that doctest does not find"
    assert not failed, f"{failed} of {tried} examples in {name} fail; see the captured output"


@pytest.mark.parametrize("page", cases({page.name: page for page in PAGES}, SLOW_PAGES))
def test_documentation_examples(page, capsys):
    """The blocks of one page run in order, share their names, and print what the page says that they print."""
    names: dict[str, object] = {}
    for block in BLOCK.finditer(page.read_text()):
        line = page.read_text()[: block.start(1)].count("\n")
        # The empty lines in front make a traceback point at the page's own line.
        exec(compile("\n" * line + block[1], str(page), "exec"), names)
        printed = capsys.readouterr().out
        if block[2] is not None:
            flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            assert doctest.OutputChecker().check_output(block[2], printed, flags), (block[2], printed)
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.mark.full
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_gallery_scripts_draw(script, tmp_path):
    """A script makes one figure in any folder, from data that ship with the packages."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    for package in ("igraph", "sklearn"):
        if package in script.read_text():
            pytest.importorskip(package)
    runpy.run_path(str(script))
    assert len(pyplot.get_fignums()) == 1
    pyplot.gcf().savefig(tmp_path / "drawn.png")
    pyplot.close("all")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_gallery_scripts_are_short_and_say_what_to_see(script):
    text = script.read_text()
    assert len(text.splitlines()) <= 30
    assert re.match(r'"""\n.+\n=+\n\n', text)
    assert "\nWhat to see: " in text


def test_the_gallery_shows_the_objects_that_users_call_first():
    """Each of these has a link from its page to an example."""
    shown = "\n".join(script.read_text() for script in SCRIPTS)
    called = {
        "layout", "ws_sne_layout", "linlog_layout", "tsne_layout", "solve", "embed", "embed_cells", "NeighborEmbedding",
        "entropic_affinity", "draw", "compare", "measure", "stability", "align", "add_nodes", "layout_sequence",
        "node_size_from_labels", "Method", "optimizers",
    }  # fmt: skip
    assert {name for name in called if f"nl.{name}" not in shown} == set()
    assert len(SCRIPTS) >= 18
