"""Fixtures that every test may ask for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# No test opens a window.
os.environ.setdefault("MPLBACKEND", "agg")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real graphs and vector sets, from $NELAYOUT_DATA or beside the project; else skips."""
    folder = Path(os.environ.get("NELAYOUT_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    if not (folder / "graphs").is_dir():
        pytest.skip(f"no test data at {folder}; NELAYOUT_DATA names the folder with graphs/ and vectors/")
    return folder
