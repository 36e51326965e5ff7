"""The house keeps its shape: which floor may import which, what a file may be called, what import costs."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import nelayout as nl

PACKAGE = Path(nl.__file__).parent
REPOSITORY = Path(__file__).resolve().parents[1]
SOURCES = sorted(PACKAGE.rglob("*.py"))
PUBLIC = dict(nl._HOME)  # name -> module

# The floors of the house, lowest first. A file imports from its own room or from lower floors. Rooms that
# stand on one line share a floor and do not import each other.
FLOORS = (
    "errors memory",
    "parallel options elementary eda conjugates pair_samples",
    "alpha_choice",
    "compiled solution",
    "watch",
    "compiled_mesh compiled_expansions compiled_edges compiled_vectors compiled_entropic compiled_coarsen",
    "compiled_tree compiled_close compiled_near pair_network",
    "conjugate_gradients arithmetic",
    "kernels affinities",
    "divergences",
    "connections",
    "edges nbody",
    "walk_edges row_edges",
    "objective",
    "row_objective",
    "optimizers method",
    "start coarsen descent catalogue similarities judge variational floor",
    "levels",
    "solver",
    "auto_alpha variational_layout components packing overlap orient",
    "graphs",
    "asked",
    "drawing finish assembly costs",
    "pipeline",
    "layout_function tuned perplexities",
    "layouts retrieval_layouts embedding",
    "comparison",
    "plugins",
    "cli",
    "__main__",
)
FLOOR_OF = {room: height for height, rooms in enumerate(FLOORS) for room in rooms.split()}
MOST_LINES = 320
VAGUE = re.compile(r"^(utils?|helpers?|base|common|misc|shared|stuff|tools?)$")
# Each word with one letter in brackets, so that a search for it does not find this file.
LEFT_OVER = re.compile(r"TO[D]O|FIX[M]E|XX[X]|NotImplemented[E]rror")
BARE_EXCUSE = re.compile(r"#\s*(noqa|type: ignore|pyright: ignore)\s*$")
# What `import nelayout`, or looking at a public name, must not bring in: each costs 0.1 to 0.7 seconds.
HEAVY = {
    "networkx",
    "igraph",
    "numba",
    "scipy.optimize",
    "scipy.fft",
    "matplotlib",
    "pandas",
    "sklearn",
    "tqdm",
}


def short(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def module_names() -> set[str]:
    """The last word of every module and package of nelayout."""
    return {path.parent.name if path.stem == "__init__" else path.stem for path in SOURCES} - {"nelayout"}


def rooms_imported(path: Path) -> list[tuple[int, str]]:
    """(line, room) for every import of the package's own modules, wherever in the file it stands."""
    inside = ("nelayout", *path.relative_to(PACKAGE).parent.parts)  # where a relative import starts from
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = inside[: len(inside) - node.level + 1] if node.level else ()
            source = ".".join((*above, *([node.module] if node.module else [])))
            # `from . import kernels` names the room after the word import
            targets = [f"{source}.{alias.name}" for alias in node.names] if source == "nelayout" else [source]
        else:
            continue
        for target in targets:
            if target.startswith("nelayout."):
                name = target.split(".")[1]
                found.append((node.lineno, PUBLIC.get(name, name).split(".")[0]))
    return found


@pytest.mark.parametrize("path", [p for p in SOURCES if p != PACKAGE / "__init__.py"], ids=short)
def test_imports_run_downward(path):
    room = room_of(path)
    assert room in FLOOR_OF, f"{short(path)}: give {room!r} its floor in FLOORS"
    for line, other in rooms_imported(path):
        if other == "__version__" or other == room:
            continue
        assert other in FLOOR_OF, f"{short(path)}:{line} imports {other!r}, which has no floor"
        assert FLOOR_OF[other] < FLOOR_OF[room], f"{short(path)}:{line}: {room} may not import {other}"


def test_floors_name_no_room_twice():
    rooms = [room for floor in FLOORS for room in floor.split()]
    assert len(rooms) == len(set(rooms))


@pytest.mark.parametrize("path", SOURCES, ids=short)
def test_files_read_in_one_sitting(path):
    lines = path.read_text().count("\n")
    assert lines <= MOST_LINES, f"{short(path)} has {lines} lines"
    assert not VAGUE.match(path.stem), f"{short(path)}: say what is in it"


@pytest.mark.parametrize("path", SOURCES, ids=short)
def test_nothing_is_left_over(path):
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        assert not LEFT_OVER.search(line), f"{short(path)}:{number}: {line.strip()}"
        assert not BARE_EXCUSE.search(line), f"{short(path)}:{number}: say which rule, and why"


@pytest.mark.parametrize("path", SOURCES, ids=short)
def test_headings_in_docstrings_stand_alone(path):
    """A heading that was filled into its paragraph is lost to `help`, to editors and to the documentation."""
    lost = re.search(r"(Parameters|Returns|Raises|Examples|Notes)[ ]+-{3,}", path.read_text())
    assert lost is None, f"{short(path)}: {lost}"


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_resolve(name):
    value = getattr(nl, name)
    assert name in vars(nl)["__all__"]
    assert name in dir(nl)
    if name == PUBLIC[name]:
        assert value is importlib.import_module(f"nelayout.{name}")
    else:
        assert value.__doc__, f"nelayout.{name} has no docstring"


def test_no_public_function_is_called_like_a_module():
    functions = {name for name, module in PUBLIC.items() if name != module}
    assert functions.isdisjoint(module_names())


def test_stub_lists_the_public_names():
    """The .pyi and the lazy table offer the same names from the same modules."""
    stub = {}
    for node in ast.parse((PACKAGE / "__init__.pyi").read_text()).body:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                assert alias.asname == alias.name, f"{alias.name}: in a stub, `import x as x` exports"
                stub[alias.name] = node.module or alias.name
    assert stub == PUBLIC


@pytest.mark.parametrize(
    ("slip", "answer"),
    [
        ("ws_sne_layot", r"has no attribute 'ws_sne_layot'; did you mean 'ws_sne_layout'"),
        ("zzz", r"has no attribute 'zzz'$"),
        ("_private_thing", r"has no attribute '_private_thing'$"),
    ],
)
def test_a_typing_slip_is_answered_with_the_near_name(slip, answer):
    with pytest.raises(AttributeError, match=answer):
        getattr(nl, slip)


@pytest.mark.parametrize(
    "code",
    ["import nelayout", "import nelayout\nfor name in nelayout.__all__: getattr(nelayout, name)"],
    ids=["import", "every public name"],
)
def test_import_is_light(code):
    code += f"\nimport sys; print(*sorted({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_importing_one_public_name_leaves_the_others_alone():
    code = "import nelayout, sys; nelayout.Unsupported; print('nelayout.layouts' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]


def test_typing_marker_is_shipped():
    assert (PACKAGE / "py.typed").is_file()


@pytest.mark.parametrize("name", PUBLIC)
def test_documentation_mentions_every_public_name(name):
    pages = "\n".join(page.read_text() for page in sorted((REPOSITORY / "docs").glob("*.md")))
    assert re.search(rf"\b{re.escape(name)}\b", pages), f"no page in docs/ mentions nelayout.{name}"


@pytest.mark.parametrize("name", PUBLIC)
def test_public_functions_show_an_example(name):
    """Records are shown by the functions that take or give them."""
    value = getattr(nl, name)
    if inspect.isfunction(value):
        assert ">>>" in (value.__doc__ or ""), f"nelayout.{name}: show a line that runs"
