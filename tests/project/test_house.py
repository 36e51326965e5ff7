"""The house keeps its shape: which floor may import which, what a file may be called, what import costs."""

import ast
import importlib
import inspect
import re
from graphlib import TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest
from short import SHORT

import nelayout as nl
from nelayout import core

PACKAGE = Path(nl.__file__).parent
REPOSITORY = Path(__file__).resolve().parents[2]
SOURCES = sorted(PACKAGE.rglob("*.py"))
PUBLIC = dict(nl._HOME)  # name -> module
MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path for path in SOURCES
}

DEVELOPMENT = REPOSITORY / "docs" / "development.md"
# The floor of every room, from the one list of rooms, which docs/development.md holds.
FLOOR_OF = {
    room: int(floor) for floor, room in re.findall(r"^\| (\d+) \| `([\w.]+)` \|", DEVELOPMENT.read_text(), re.MULTILINE)
}
VAGUE = re.compile(r"^(utils?|helpers?|base|common|misc|shared|stuff|tools?)$")
# Each word with one letter in brackets, so that a search for it does not find this file.
LEFT_OVER = re.compile(r"TO[D]O|FIX[M]E|XX[X]|NotImplemented[E]rror")
# Stems that British and American spelling write differently, one letter in brackets each; the house is American.
BRITISH = re.compile(
    r"neighb[o]ur|col[o]ur|cent[r]e|minimi[s]|maximi[s]|optimi[s]e|recogni[s]e|normali[s]e|generali[s]e|behavi[o]ur|"
    r"favo[u]r|labe[l]led|initiali[s]e|symmetri[s]e|vectori[s]e|standardi[s]e",
    re.IGNORECASE,
)
# A docstring that begins so makes the reader look elsewhere for its noun.
NO_NOUN = re.compile(r"(What|Nor|The same|Where|Who)\b")
BARE_EXCUSE = re.compile(r"#\s*(noqa|type: ignore|pyright: ignore)\s*$")


def short(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def room_of(path: Path) -> str:
    """The package of a file: the first folder, and in the core the second as well."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return parts[0] if parts[0] != "core" or parts[1] == "__init__" else ".".join(parts[:2])


def room_named(name: str) -> str:
    """The package of an imported name."""
    _, room, *more = name.split(".")
    room, *more = [*PUBLIC.get(room, room).split("."), *more]  # `from nelayout import kernels` names a public name
    return f"core.{more[0]}" if room == "core" and more and f"core.{more[0]}" in FLOOR_OF else room


def imported(path: Path) -> list[tuple[int, str]]:
    """(line, module or name in a module) for every import of the package's own, anywhere in the file."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found += [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names]
    return [(line, name) for line, name in found if name.startswith("nelayout.")]


def test_imports_run_downward():
    """From a room to rooms of lower floors only; `__init__` and `__main__` stand above all."""
    offenders = []
    for path in SOURCES:
        room = room_of(path)
        if room in ("__init__", "__main__"):
            continue
        if room not in FLOOR_OF:
            offenders.append(f"{short(path)}: {room!r} has no floor in docs/development.md")
            continue
        for line, name in imported(path):
            other = room_named(name)
            if other not in ("__version__", room) and not FLOOR_OF.get(other, 99) < FLOOR_OF[room]:
                offenders.append(f"{short(path)}:{line}: {room} may not import {other}")
    assert offenders == []


def test_the_core_knows_no_graph_library_no_file_and_no_keyword():
    """What draws takes arrays; callers' words are read above it."""
    offenders = [
        f"{short(path)}:{line}: {name}"
        for path in SOURCES
        if room_of(path).startswith("core")
        for line, name in imported(path)
        if not room_named(name).startswith(("core", "quality", "numerics", "errors"))
    ]
    assert offenders == []


def test_the_core_has_a_door_of_five_names():
    """Faces that take a whole problem from a call to a result use these, and no module behind them."""
    assert sorted(core.__all__) == ["Problem", "Settings", "draw", "evaluate", "plan"]
    assert all(getattr(core, name).__module__.startswith("nelayout.core.") for name in core.__all__)
    behind = {f"nelayout.core.{home}.{name}" for name, home in core._HOME.items()}
    offenders = [
        f"{short(path)}:{line}: {name}"
        for path in SOURCES
        if not room_of(path).startswith("core")
        for line, name in imported(path)
        if name in behind
    ]
    assert offenders == []


def test_no_files_import_each_other_in_a_circle():
    """Wherever in a file an import stands, also for types only."""

    def modules(path: Path) -> set[str]:
        names = {name if name in MODULES else name.rpartition(".")[0] for _, name in imported(path)}
        return names & set(MODULES) - {"nelayout"}

    TopologicalSorter({name: modules(path) for name, path in MODULES.items()}).prepare()


def test_every_room_of_the_list_exists():
    rooms = {room_of(path) for path in SOURCES} - {"__init__", "__main__"}
    assert rooms == set(FLOOR_OF)


def test_file_names_say_what_is_in_them():
    assert [f"{short(p)}: say what is in it" for p in SOURCES if VAGUE.match(p.stem)] == []


@pytest.mark.parametrize(
    ("files", "never"),
    [
        (SOURCES, LEFT_OVER),
        (SOURCES, BARE_EXCUSE),
        ([*SOURCES, *sorted((REPOSITORY / "docs").rglob("*.md")), REPOSITORY / "README.md"], BRITISH),
    ],
    ids=["left over", "bare excuse", "British"],
)
def test_no_line_says_what_it_should_not(files, never):
    lines = ((path, k, line) for path in files for k, line in enumerate(path.read_text().splitlines(), start=1))
    assert [f"{path}:{k}: {line.strip()}" for path, k, line in lines if never.search(line)] == []


def test_first_lines_are_short_and_name_their_noun():
    offenders = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                said = ast.get_docstring(node) or ""
                first = said.partition("\n")[0]
                if NO_NOUN.match(said) or len(first) > 88:
                    offenders.append(f"{short(path)}: {first}")
    assert offenders == []


def test_every_module_says_what_it_offers():
    rooms = [path for path in SOURCES if path.name not in ("__init__.py", "__main__.py")]
    assert [short(path) for path in rooms if "\n__all__" not in path.read_text()] == []


def test_headings_in_docstrings_stand_alone():
    """A heading that was filled into its paragraph is lost to `help`, to editors and to the documentation."""
    lost = re.compile(r"(Parameters|Returns|Raises|Examples|Notes)[ ]+-{3,}")
    assert [short(path) for path in SOURCES if lost.search(path.read_text())] == []


def test_constants_are_explained_by_comments():
    """A string after a constant is a statement without effect; one dialect: a comment above or beside it."""
    offenders = []
    for path in SOURCES:
        body = ast.parse(path.read_text()).body
        for before, node in pairwise(body):
            said = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if said and isinstance(before, (ast.Assign, ast.AnnAssign)):
                offenders.append(f"{short(path)}:{node.lineno}")
    assert offenders == []


def test_public_names_resolve():
    for name, home in PUBLIC.items():
        value = getattr(nl, name)
        assert name in vars(nl)["__all__"]
        assert name in dir(nl)
        if name == home:
            assert value is importlib.import_module(f"nelayout.{name}")
        else:
            assert value.__doc__, f"nelayout.{name} has no docstring"


def test_no_public_function_is_called_like_a_module():
    functions = {name for name, module in PUBLIC.items() if module.rpartition(".")[2] != name}
    assert functions.isdisjoint({path.relative_to(PACKAGE).with_suffix("").parts[0] for path in SOURCES})


@pytest.mark.parametrize("room", ["core.formula.divergences", "core.optimizers"])
def test_no_public_function_of_a_room_is_hidden_by_a_module(room):
    """A file that is called like a function may take its place, unless the function is imported after it."""
    module = importlib.import_module(f"nelayout.{room}")
    for path in sorted(PACKAGE.joinpath(*room.split(".")).glob("[a-z]*.py")):
        importlib.import_module(f"nelayout.{room}.{path.stem}")
    assert [name for name in module.__all__ if inspect.ismodule(getattr(module, name))] == []


def test_stub_lists_the_public_names():
    """The .pyi and the lazy table offer the same names from the same modules."""
    stub = {}
    for node in ast.parse((PACKAGE / "__init__.pyi").read_text()).body:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                assert alias.asname == alias.name, f"{alias.name}: in a stub, `import x as x` exports"
                home = (node.module or "").removeprefix("nelayout.")
                home = "" if home == "nelayout" else home
                module = f"{home}.{alias.name}".strip(".")
                stub[alias.name] = module if f"nelayout.{module}" in MODULES else home
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


def test_the_short_run_exists():
    """Each of its names is a test of its file that is not full."""
    for file, names in SHORT.items():
        text = (REPOSITORY / "tests" / file).read_text()
        tests = set(re.findall(r"^def test_(\w+)", text, re.MULTILINE))
        full = set(re.findall(r"^@pytest\.mark\.full\n(?:[@ )\]].*\n)*def test_(\w+)", text, re.MULTILINE))
        assert set(names) <= tests - full, file


def test_typing_marker_is_shipped():
    assert (PACKAGE / "py.typed").is_file()


def test_public_functions_show_an_example():
    """Records are shown by the functions that take or give them."""
    functions = {name: getattr(nl, name) for name in PUBLIC if inspect.isfunction(getattr(nl, name))}
    assert [name for name, function in functions.items() if ">>>" not in (function.__doc__ or "")] == []
