"""Fixtures that every test may ask for."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import settings
from short import SHORT, one_of_each

# Generated cases are the same in every run; NELAYOUT_FUZZ=N tries N new ones for each test instead.
fuzz = int(os.environ.get("NELAYOUT_FUZZ", "0"))
settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("fuzz", deadline=None, max_examples=max(fuzz, 1))
settings.load_profile("fuzz" if fuzz else "same")


# Variables that say how many threads a library that multiplies matrices may start.
LIBRARIES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """No workers where every test is named by its own: they would take longer to start than one test to run.

    Workers are as many as cores; libraries that multiply matrices by threads of their own take one in each, or the
    threads of one worker wait for those of another, a tenth of the time.
    """
    if config.args and all("::" in name for name in config.args):
        return 0
    for name in LIBRARIES:
        os.environ.setdefault(name, "1")
    return None


# No test opens a window.
os.environ.setdefault("MPLBACKEND", "agg")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real graphs and vector sets, from $NELAYOUT_DATA or beside the project; else skips."""
    folder = Path(os.environ.get("NELAYOUT_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    if not (folder / "graphs").is_dir():
        pytest.skip(f"no test data at {folder}; NELAYOUT_DATA names the folder with graphs/ and vectors/")
    return folder


TESTS = Path(__file__).parent


def pytest_configure(config: pytest.Config) -> None:
    """Run all quick tests of the files and folders that a command names, unless it says which by `-m`."""
    named = config.args_source is not pytest.Config.ArgsSource.TESTPATHS
    marked = any(str(argument).startswith("-m") for argument in config.invocation_params.args)
    if named and not marked:
        config.option.markexpr = "not full"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave files alone that have no short test: to read all would take as long as the short run."""
    test = collection_path.name.startswith("test_") and collection_path.is_relative_to(TESTS)
    unread = test and collection_path.relative_to(TESTS).as_posix() not in SHORT
    return True if unread and config.option.markexpr == "short" else None


# Fixtures that say what a test needs, and the marker for it.
NEEDS = {"shared_data": "data", "driver": "browser"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that ask for a fixture of `NEEDS`, and the tests of the short run."""
    tests = defaultdict(list)
    for item in items:
        for name in NEEDS.keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker(NEEDS[name])
        if isinstance(item, pytest.Function) and not item.get_closest_marker("full"):
            tests[item.path, item.originalname].append(item)
    for (path, name), cases in tests.items():
        own = path.relative_to(TESTS).as_posix() if path.is_relative_to(TESTS) else ""  # of another package otherwise
        if name.removeprefix("test_") in SHORT.get(own, ()):
            for case in one_of_each(cases):
                case.add_marker("short")
