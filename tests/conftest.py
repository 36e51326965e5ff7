"""Fixtures that every test may ask for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

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


# Fixtures that say what a test needs, and the marker for it.
NEEDS = {"shared_data": "data", "driver": "browser"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that ask for a fixture of `NEEDS`."""
    for item in items:
        for name in NEEDS.keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker(NEEDS[name])
