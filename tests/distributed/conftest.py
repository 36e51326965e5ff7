"""Two workers in this process, for all tests of drawings on several machines."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def client():
    """Dask's client of two workers that are threads of this process."""
    distributed = pytest.importorskip("distributed", reason="Dask, the extra [dask], is not installed")
    pytest.importorskip("dask.dataframe", reason="dask[dataframe], of the extra [dask], is not installed")
    with distributed.Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=":0") as found:
        yield found
