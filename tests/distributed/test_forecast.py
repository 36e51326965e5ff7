"""Forecasts of drawings on several machines."""

from __future__ import annotations

import networkx as nx
import pytest

import nelayout as nl
from nelayout.core.run.several_machines import Forecast, bytes_of
from nelayout.errors import InputError


def test_a_plan_with_workers_says_what_each_needs():
    G = nx.grid_2d_graph(20, 20)
    assert nl.plan(G, "gamma-quadlog").cluster is None
    found = nl.plan(G, "gamma-quadlog", workers=16, memory="64GB")
    assert found.cluster == Forecast.of(400, 2 * 760, 16, 64 * 10**9)
    assert "16 workers" in repr(found)
    assert "of 64.0 GB, fits" in repr(found)
    assert "it is drawn on this machine alone" in repr(found)


def test_more_workers_need_less_memory_each_and_the_same_messages():
    few, many = (Forecast.of(10**8, 2 * 10**9, workers, "2 GB") for workers in (4, 64))
    assert few.worker > many.worker
    assert (few.fits, many.fits) == (False, True)
    assert (few.sent, few.received, few.driver) == (many.sent, many.received, many.driver)
    assert few.computing > many.computing
    # 20 bytes back for each node: a pull, a potential and a force in five single-precision numbers
    assert few.received == 20 * 10**8


def test_rows_are_shared_out():
    """Twelve bytes an entry: column, weight and factor in 4 bytes each."""
    one, two = (Forecast.of(10**7, 4 * 10**9, workers).worker for workers in (1, 2))
    assert one - two == pytest.approx((12 * 4 * 10**9 + 165 * 10**7) / 2)


@pytest.mark.parametrize("memory", ["64", "much", -1, True, "4 XB"])
def test_bad_memory_is_refused(memory):
    with pytest.raises(InputError, match='memory must be a number of bytes, or a text such as "64GB"; got'):
        bytes_of(memory)


def test_memory_without_workers_is_refused():
    with pytest.raises(InputError, match="memory must come with workers"):
        nl.plan(nx.path_graph(4), "ee", memory="64GB")
