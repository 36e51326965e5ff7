"""One drawing over another: undone similarities, the best transform, every host."""

import igraph
import numpy as np
import pytest
from scipy.optimize import minimize

from nelayout.comparison import align
from nelayout.errors import InputError

RNG = np.random.default_rng(0)


def orthogonal(dim, *, mirrored):
    Q, _ = np.linalg.qr(RNG.normal(size=(dim, dim)))
    if (np.linalg.det(Q) < 0) != mirrored:
        Q[:, 0] *= -1
    return Q


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_a_similarity_is_undone(dim, mirrored):
    X = RNG.normal(size=(20, dim))
    Y = 3 * X @ orthogonal(dim, mirrored=mirrored) + 7
    assert np.allclose(align(Y, to=X), X, atol=1e-12)
    assert np.allclose(align(Y, to=X, reflect=False), X, atol=0.1 if mirrored else 1e-12) != mirrored
    kept = align(Y, to=X, scale=False)
    assert np.allclose(kept - kept.mean(axis=0), 3 * (X - X.mean(axis=0)), atol=1e-11)


def test_no_rotation_in_space_comes_closer():
    X, Y = RNG.normal(size=(30, 3)), RNG.normal(size=(30, 3))
    ours = ((align(Y, to=X) - X) ** 2).sum()
    for _ in range(100):
        R = orthogonal(3, mirrored=bool(RNG.integers(2)))
        assert ours <= ((align(Y @ R, to=X, reflect=False) - X) ** 2).sum() + 1e-9


@pytest.mark.parametrize("reflect", [False, True])
def test_no_transform_comes_closer(reflect):
    X, Y = RNG.normal(size=(30, 2)), RNG.normal(size=(30, 2))
    best = np.inf
    for m in (1, -1) if reflect else (1,):
        for turn in np.linspace(0, 6, 7):

            def left(t, m=m):
                R = t[0] * np.array([[np.cos(t[1]), np.sin(t[1])], [-m * np.sin(t[1]), m * np.cos(t[1])]])
                return ((Y @ R + t[2:] - X) ** 2).sum()

            best = min(best, minimize(left, [1, turn, 0, 0]).fun)
    assert ((align(Y, to=X, reflect=reflect) - X) ** 2).sum() == pytest.approx(best, rel=1e-6)


def test_hosts_come_back_as_they_are():
    X, Y = RNG.normal(size=(5, 2)), RNG.normal(size=(5, 2))
    expected = align(Y, to=X)
    names = list("cabde")
    pos = dict(zip(names, Y, strict=True))
    aligned = align(pos, to=dict(zip(names[::-1], X[::-1], strict=True)))
    assert list(aligned) == names
    assert np.allclose(np.array(list(aligned.values())), expected, atol=1e-12)
    layout = align(igraph.Layout(Y.tolist()), to=X)
    assert isinstance(layout, igraph.Layout)
    assert np.array_equal(np.array(layout.coords), expected)
    assert all((pos[v] == y).all() for v, y in zip(names, Y, strict=True))


def test_only_common_nodes_decide_and_all_move():
    X, Y = RNG.normal(size=(6, 2)), RNG.normal(size=(6, 2))
    over = align(Y[:5], to=X[:5])
    pos = {i: Y[i] for i in range(6)}
    aligned = align(pos, to={**{i: X[i] for i in range(5)}, "elsewhere": (9, 9)})
    assert np.allclose([aligned[i] for i in range(5)], over, atol=1e-12)
    assert np.isfinite(aligned[5]).all()
    holes = X.copy()
    holes[5] = np.nan
    assert np.allclose(align(Y, to=holes)[:5], over, atol=1e-12)


def test_degenerate_drawings():
    X = RNG.normal(size=(4, 2))
    assert np.allclose(align(np.ones((4, 2)), to=X), X.mean(axis=0))
    alone = align({"a": np.array([1.0, 2.0])}, to={"a": (5, 5)})
    assert alone["a"].tolist() == [5, 5]
    assert align({}, to={}) == {}
    spread = align(X, to=np.ones((4, 2)))
    assert np.allclose(spread.mean(axis=0), 1)
    assert np.linalg.norm(spread - 1) == pytest.approx(np.linalg.norm(X - X.mean(axis=0)))


@pytest.mark.parametrize(
    ("pos", "to", "said"),
    [
        ({0: (0, 0)}, np.zeros((1, 2)), "dict"),
        ({0: (0, 0)}, {1: (0, 0)}, "nodes that are in both"),
        (np.zeros((2, 2)), np.array([[1.0, 0], [np.inf, 0]]), r"position 1 of to is \[inf, 0.0\]"),
        (np.zeros((3, 2)), np.zeros((4, 2)), "3 rows"),
        (np.zeros((3, 2)), np.zeros((3, 3)), "coordinates"),
        (np.zeros(3), np.zeros(3), r"shape \(3,\)"),
        ([["a"]], [["b"]], "pos is not a table of numbers"),
    ],
)
def test_what_is_refused(pos, to, said):
    with pytest.raises(InputError, match=said):
        align(pos, to=to)
