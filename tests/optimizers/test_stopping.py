"""A callback that says True ends a large run at once, wherever it is: in coarse levels, between stages, at the end."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import nelayout as nl
from nelayout.optimizers import LBFGS

SIDE = 142
LARGE = sparse.csr_array(nx.to_scipy_sparse_array(nx.grid_2d_graph(SIDE, SIDE), dtype=float))


def hubs(k: int, n: int) -> sparse.csr_array:
    """All of n nodes joined to all of k: pairs of nodes can be merged k at a time only."""
    rows, cols = np.divmod(np.arange(k * n), n)
    half = sparse.coo_array((np.ones(k * n), (rows, k + cols)), shape=(k + n, k + n))
    return sparse.csr_array(half + half.T)


def firsts(G, method: str, max_iter: int) -> list[int]:
    """The iterations that begin a level or a stage: where the stage's name or the number of different places
    changes.
    """
    seen: list[tuple[str, int]] = []

    def look(state) -> None:
        seen.append((state.stage, len(np.unique(state.positions[:, 0]))))

    nl.solve(G, method, seed=0, max_iter=max_iter, callback=look)
    return [0, *(k for k in range(1, len(seen)) if seen[k] != seen[k - 1])]


@pytest.mark.parametrize(
    ("method", "most"),
    [
        pytest.param("ws-sne", 12, marks=pytest.mark.full),
        pytest.param("gamma-quadlog", 4, marks=pytest.mark.full),
        pytest.param("auto", 6, marks=pytest.mark.full),
    ],
)
def test_true_stops_in_every_level_and_stage(method, most):
    assert LARGE.shape[0] > 20_000
    begins = firsts(LARGE, method, most)
    assert len(begins) > 8  # nine levels and more from 40 nodes to 20,000, and the stages
    for k in begins:
        steps: list[int] = []

        def callback(state, k=k, steps=steps) -> bool:
            steps.append(state.iteration)
            return state.iteration == k

        solution = nl.solve(LARGE, method, seed=0, max_iter=most, callback=callback)
        assert steps == list(range(k + 1))
        assert len(solution.trace) == k + 1
        assert solution.reason == "stopped"
        assert solution.positions.shape == (LARGE.shape[0], 2)
        assert np.isfinite(solution.positions).all()
        assert len(np.unique(solution.positions, axis=0)) == LARGE.shape[0]


def test_a_graph_that_does_not_shrink_is_looked_at_from_its_first_step(monkeypatch):
    """Its coarsest graph is as large as it is itself, and is not drawn in secret."""
    done: list[int] = []
    step = LBFGS.step
    monkeypatch.setattr(LBFGS, "step", lambda *given: done.append(1) or step(*given))
    solution = nl.solve(hubs(50, 3000), "gamma-quadlog", seed=0, callback=lambda state: True)
    assert solution.reason == "stopped"
    assert len(solution.trace) == len(done) == 1


def test_false_and_none_go_on():
    G = LARGE[:2000, :2000]
    plain = nl.solve(G, "gamma-quadlog", seed=0, max_iter=3)
    for answer in (None, False, 0):
        watched = nl.solve(G, "gamma-quadlog", seed=0, max_iter=3, callback=lambda state, answer=answer: answer)
        assert watched.reason == plain.reason
        assert np.array_equal(watched.positions, plain.positions)
