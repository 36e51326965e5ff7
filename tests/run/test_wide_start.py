"""The start from wide neighborhoods: where it ends lower, where the usual way goes on, and what a caller sees of it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import nelayout as nl
from nelayout.formula.divergences import divergence_named
from nelayout.vectors import fitting, wide_start


def sphere(n: int = 400) -> np.ndarray:
    X = np.random.default_rng(0).standard_normal((n, 3))
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def groups(count: int = 12, size: int = 20) -> np.ndarray:
    rng = np.random.default_rng(1)
    return np.repeat(10.0 * rng.standard_normal((count, 5)), size, axis=0) + rng.standard_normal((count * size, 5))


@pytest.fixture
def without(monkeypatch):
    """A function that solves without the start."""

    def solve(*args, **keywords):
        with monkeypatch.context() as patch:
            patch.setattr(fitting, "wide_start", lambda *given: None)
            return nl.solve_vectors(*args, **keywords)

    return solve


@pytest.mark.parametrize(
    "method",
    [
        "alpha-sne:0.1",
        *(pytest.param(m, marks=pytest.mark.full) for m in ("jse", "jse:0.95", "nerv:0.9", "alpha-sne:0.9")),
    ],
)
def test_a_sphere_is_not_torn_into_strips(method, without):
    run = {"method": method, "perplexity": 15, "random_state": 0}
    solution = nl.solve_vectors(sphere(), **run)
    assert solution.value < 0.9 * without(sphere(), **run).value
    assert "of two starts the one from wide neighborhoods, of 200 rows and less, went on" in solution.notes


@pytest.mark.full
def test_groups_keep_the_usual_way_where_it_ends_lower(without):
    """The start from wide neighborhoods ends 6 % higher here."""
    run = {"method": "jse", "perplexity": 8, "random_state": 0}
    X = groups()
    solution = nl.solve_vectors(X, **run)
    assert solution.value <= 1.01 * without(X, **run).value
    assert not any("wide neighborhoods" in note for note in solution.notes)


def test_callbacks_see_all_rows_and_the_names_of_the_widths():
    seen = []
    solution = nl.solve_vectors(
        sphere(300), method="jse", perplexity=10, random_state=0, max_iter=41, callback=seen.append
    )
    assert {step.positions.shape for step in seen} == {(300, 2)}
    names = {step.stage for step in seen}
    assert "perplexity 40 of 80 rows: descend" in names
    assert {"start 1: descend", "descend"} <= names
    assert [step.stage for step in solution.trace] == [step.stage for step in seen]
    assert [step.iteration for step in solution.trace] == list(range(len(seen)))


def test_a_run_that_stops_among_wide_neighborhoods_gives_back_the_usual_way():
    def stop(step):
        return step.stage.startswith("perplexity")

    solution = nl.solve_vectors(sphere(300), method="jse", perplexity=10, random_state=0, callback=stop)
    assert solution.reason == "stopped"
    assert solution.positions.shape == (300, 2)
    assert np.isfinite(solution.positions).all()
    assert solution.value < 200  # 152 on the usual way, 709 at random places


@pytest.mark.parametrize(
    "run",
    [
        {"method": "sne"},  # lets go of no edge
        {"method": "alpha-sne:1"},  # the same objective
        {"method": "tsne"},  # has a tail
        {"method": "jse", "init": "pca"},
        {"method": "jse", "perplexity": 90},  # is wide itself
        {"method": "jse", "max_iter": 0},
        {"method": "jse", "metric": lambda a, b: float(np.abs(a - b).sum())},  # a call for each pair
    ],
    ids=["sne", "order 1", "tail", "init", "wide", "no steps", "calls"],
)
def test_who_has_no_such_start(run):
    names = {step.stage for step in nl.solve_vectors(sphere(120), **{"perplexity": 10, "random_state": 0, **run}).trace}
    assert not any("rows" in name for name in names)


@pytest.mark.full
def test_distances_alone_have_it_too():
    X = sphere(200)
    D = np.sqrt(np.maximum(((X[:, None] - X) ** 2).sum(axis=2), 0.0))
    run = {"method": "jse", "perplexity": 8, "random_state": 0, "metric": "precomputed"}
    names = {step.stage for step in nl.solve_vectors(D, **run).trace}
    assert any("rows" in name for name in names)


@pytest.mark.parametrize(
    ("given", "drawn"),
    [("jse:0.05", "jse:0.3"), ("jse:0.5", "jse:0.5"), ("alpha:0.9", "alpha:0.6"), ("alpha:0.1", "alpha:0.1"),
     ("alpha:1.5", "alpha:1.5"), ("mix:0.05:kl:reverse-kl", "mix:0.05:kl:reverse-kl")],
)
def test_wide_drawings_of_what_is_nearly_sne_are_made_farther_from_it(given, drawn):
    assert wide_start._that_lets_go(divergence_named(given)) == divergence_named(drawn)


def test_the_widths_of_a_plan():
    for n, perplexity in ((1000, 50.0), (1797, 10.0), (150, 30.0), (60, 20.0), (3000, 10.0)):
        widths = wide_start.plan(n, perplexity)
        parts = [here * n / rows for rows, here in widths]  # neighbors among all rows
        assert all(a == pytest.approx(2 * b, rel=0.1) for a, b in pairwise(parts))
        assert all(1 < here < rows <= n for rows, here in widths)
        assert all(rows <= later for (rows, _), (later, _) in pairwise(widths))
        assert not parts or parts[-1] >= perplexity


def test_rows_start_among_the_nearest_of_those_that_are_drawn():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [1.1]])
    D = np.abs(X - X.T)
    Y = np.array([[0.0, 5.0], [2.0, 5.0], [6.0, 9.0], [9.0, 1.0]])
    placed = wide_start._beside(Y, D[:, :4], np.random.default_rng(0))
    np.testing.assert_allclose(placed[:4], Y, atol=1e-6)
    assert np.abs(placed[4] - Y[1]).max() < 0.1
