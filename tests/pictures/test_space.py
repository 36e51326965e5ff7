"""Drawings in space: every method uses the third dimension, and hosts draw what comes back."""

import networkx as nx
import numpy as np
import pytest
from tables import thinned

import nelayout as nl
from nelayout.catalogue import METHODS

CUBE = nx.grid_graph((3, 3, 3))
ALONE = [name for name in METHODS if name != "auto"]


@pytest.mark.parametrize("method", thinned(ALONE, plain="ws-sne".__eq__))
def test_space_has_room_for_a_lower_objective_than_the_plane(method):
    """J over R^3 is at most J over R^2, which lies in it; a grid in space is flat in no minimum of a method."""
    flat, space = (nl.solve(CUBE, method, dim=dim, seed=0) for dim in (2, 3))
    assert space.value < flat.value
    Y = np.array(list(space.positions.values()))
    assert Y.shape == (27, 3)
    thickness = np.linalg.svd(Y - Y.mean(axis=0), compute_uv=False)
    assert thickness[2] > 0.1 * thickness[0]


def test_auto_draws_in_space_too():
    Y = np.array(list(nl.layout(CUBE, dim=3, seed=0).values()))
    thickness = np.linalg.svd(Y - Y.mean(axis=0), compute_uv=False)
    assert thickness[2] > 0.9 * thickness[0], "the grid is as thick as wide"
