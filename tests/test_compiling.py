"""Compiled loops: all of them go by the decorators of one file, and stand in files that say so."""

import ast
from pathlib import Path

import numpy as np

import nelayout as nl
from nelayout.numerics import compiling

PACKAGE = Path(nl.__file__).parent


def modules_imported(path: Path) -> set[str]:
    """Over all imports of a file, wherever in it they stand."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found


def test_numba_is_asked_in_one_file():
    def uses_numba(path: Path) -> bool:
        return any(module.split(".")[0] == "numba" for module in modules_imported(path))

    assert [path.name for path in PACKAGE.rglob("*.py") if uses_numba(path)] == ["compiling.py"]


def test_compiled_loops_stand_in_files_that_say_so():
    users = [path for path in PACKAGE.rglob("*.py") if "nelayout.numerics.compiling" in modules_imported(path)]
    assert users
    assert [path.name for path in users if not path.stem.endswith("loops")] == []


def total(a):
    sum_ = 0.0
    for k in range(len(a)):
        sum_ += a[k] * a[k]
    return sum_


def test_an_exact_loop_rounds_as_python_does():
    a = np.random.default_rng(0).standard_normal(1000)
    assert compiling.exact_loop(total)(a) == total(a)
    assert np.isclose(compiling.compiled_loop(total)(a), total(a), rtol=1e-14)
