"""Formats that pyarrow reads and writes are skipped without it."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def formats_that_can_be_written(request: pytest.FixtureRequest) -> None:
    """Skip a test of one format if its package is missing."""
    given = getattr(request.node, "callspec", None)
    values = () if given is None else given.params.values()
    if any(isinstance(value, str) and value in ("arrow", "parquet") for value in values):
        pytest.importorskip("pyarrow", reason="pyarrow, the extra [parquet], is not installed")
