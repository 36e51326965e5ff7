"""The invariances that the table declares hold, and those that it does not declare do not."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from measured import distances_of
from scipy.spatial.distance import cdist
from tables import first

from nelayout.comparison.measuring import measure_drawing
from nelayout.graphs import read
from nelayout.quality.table import INVARIANCES, MEASURES, MeasuredDrawing

TURN = np.array([[0.6, 0.8], [-0.8, 0.6]])
DRAWN = {
    "translation": (lambda Y: Y + np.array([3.0, -7.0]),),
    "rotation": (lambda Y: Y @ TURN, lambda Y: Y @ TURN @ TURN),
    "reflection": (lambda Y: Y * [1, -1], lambda Y: Y[:, ::-1]),
    "scale": (lambda Y: 3.7 * Y, lambda Y: 1e-150 * Y, lambda Y: 1e150 * Y),
    "affine": (lambda Y: Y @ [[1.0, 0.9], [0.0, 3.0]],),
}
# Measures that read distances of the input; those of neighborhoods and shapes share other parts of a sweep.
READERS = [
    name
    for name, entry in MEASURES.items()
    if {"sweep", "distances"} & set(entry.uses) and not {"neighbors", "adjacency"} & set(entry.uses)
]


def drawings():
    """Two drawings of a graph whose distances are those of vectors: one without coincident nodes, one with some."""
    rng = np.random.default_rng(0)
    n = 40
    X, Y = rng.normal(size=(n, 4)), rng.normal(size=(n, 2))
    Y += X[:, :2]
    A = read(nx.gnm_random_graph(n, 90, seed=1)).adjacency
    D = cdist(X, X)
    together = Y.copy()
    together[[3, 8, 9]] = Y[5]
    for places in (Y, together):
        yield MeasuredDrawing(places, np.arange(n) % 3, X[:, :2], np.full(n, 0.3), A, distances_of(D))


def rows(drawing):
    assert drawing.given is not None
    return drawing.given.rows(np.arange(40))


def values(drawing, name):
    return measure_drawing(drawing, name, "auto", 0)[name].value


@pytest.mark.parametrize("name", first(MEASURES, 10))
def test_declared_invariances_hold_and_no_other(name):
    declared = MEASURES[name].invariances
    assert set(declared) <= set(INVARIANCES)
    for kind, changes in DRAWN.items():
        moved = []
        for drawing in drawings():
            before = values(drawing, name)
            for change in changes:
                after = values(replace(drawing, Y=change(drawing.Y)), name)
                moved.append(abs(after - before))
        assert (max(moved) < 1e-9) == (kind in declared), (kind, moved)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("function", [np.square, np.sqrt, lambda D: np.expm1(3 * D)])
def test_only_ranks_bear_another_scale_of_the_input(name, function):
    drawing = next(drawings())
    bent = function(rows(drawing))
    moved = abs(values(replace(drawing, given=distances_of(bent)), name) - values(drawing, name))
    assert (moved < 1e-9) == ("monotone" in MEASURES[name].invariances)


@pytest.mark.parametrize("name", sorted(set(MEASURES) - set(READERS)))
def test_measures_that_read_no_distance_of_the_input_claim_nothing_about_them(name):
    assert "monotone" not in MEASURES[name].invariances


@pytest.mark.parametrize("name", MEASURES)
def test_the_order_of_the_nodes_does_not_matter(name):
    drawing = next(drawings())
    order = np.random.default_rng(7).permutation(40)
    D = rows(drawing)[order][:, order]
    adjacency = drawing.adjacency[order][:, order].tocsr()
    adjacency.sort_indices()
    given = (each[order] for each in (drawing.Y, drawing.classes, drawing.coords, drawing.diameters))
    shuffled = MeasuredDrawing(*given, adjacency, distances_of(D))
    assert values(shuffled, name) == pytest.approx(values(drawing, name), abs=1e-9)
