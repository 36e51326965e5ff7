"""Orientation: one drawing for all rotated and mirrored copies, the heavier half right and up."""

import numpy as np
import pytest

from nelayout.core.placing.orient import canonical, fit


def rotation(angle, mirror=False):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]]) @ np.diag([1.0, -1.0 if mirror else 1.0])


def ring(k, start=0.3):
    angle = start + 2 * np.pi * np.arange(k) / k
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def grid(a, b):
    return np.stack(np.meshgrid(np.arange(a), np.arange(b), indexing="ij"), -1).reshape(-1, 2).astype(float)


RNG = np.random.default_rng(5)
FIGURES = {
    "cloud": RNG.gamma(1.5, size=(70, 2)) * [3, 1],
    "grid 5x3": grid(5, 3),
    "grid 6x6": grid(6, 6),
    "triangle": ring(3),
    "square": ring(4),
    "pentagon and center": np.concatenate([[[0.0, 0.0]], ring(5)]),
    "hexagon": ring(6),
    "cycle of 40": ring(40),
    "path": np.stack([np.arange(6.0), np.zeros(6)], axis=1),
    "pair": np.array([[0.0, 0.0], [1.0, 2.0]]),
}


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("mirror", [False, True])
@pytest.mark.parametrize("angle", [0.0, 0.4, np.pi / 2, 2.9, 5.1])
def test_rotated_and_mirrored_copies_give_one_drawing(name, mirror, angle):
    Y = FIGURES[name]
    want = canonical(Y)
    copy = 3.0 + (Y @ rotation(angle, mirror).T)
    np.testing.assert_allclose(canonical(copy), want, atol=1e-8 * abs(want).max())
    distances = (((Z[:, None] - Z[None]) ** 2).sum(-1) for Z in (want, Y))
    np.testing.assert_allclose(*distances, atol=1e-9)
    np.testing.assert_allclose(want.mean(0), 0, atol=1e-12)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_principal_axis_is_horizontal_and_the_heavier_half_right_and_up(d, seed):
    rng = np.random.default_rng(seed)
    Y = rng.gamma(1.0, size=(40, d)) @ rng.normal(size=(d, d))
    mass = rng.gamma(0.5, size=40)
    Z = canonical(Y, mass)
    covariance = np.cov(Z.T)
    assert abs(covariance - np.diag(np.diag(covariance))).max() < 1e-9 * covariance[0, 0]
    assert (np.diff(np.diag(covariance)) < 0).all()
    for x in Z.T:
        assert mass[x > 0].sum() > mass[x < 0].sum()


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize(
    ("x", "wanted"),
    [
        ([-1.0, -2.0, -3.0, 0.5, 0.5, 5.0], [-1.0, -2.0, -3.0, 0.5, 0.5, 5.0]),
        (range(6), [2.5, 1.5, 0.5, -0.5, -1.5, -2.5]), ([0, 1, 2, 10], [3.25, 2.25, 1.25, -6.75]),
    ],
    ids=["longer tail", "first node", "heavier half"],
)
def test_halves_are_settled_by_mass_tail_or_the_first_node(x, wanted, sign):
    """On a line, and on an axis of the plane."""
    X = sign * np.array(x, float)[:, None]
    for Y in (X, X * [1.0, 0.0]):
        np.testing.assert_allclose(canonical(Y)[:, 0], wanted, atol=1e-12)


@pytest.mark.parametrize("name", ["square", "grid 6x6"])
def test_a_square_stands_on_its_side(name):
    Z = canonical(FIGURES[name] @ rotation(0.7).T)
    side = np.ptp(Z[:, 0])
    assert np.ptp(Z[:, 1]) == pytest.approx(side)
    corners = np.abs(np.abs(Z) - side / 2).max(axis=1) < 1e-9
    assert corners.sum() == 4


@pytest.mark.parametrize("k", range(4))
def test_the_heaviest_half_of_a_square_is_right(k):
    Z = canonical(ring(4), np.roll([9.0, 8.0, 1.0, 1.0], k))
    assert (Z[[k, (k + 1) % 4], 0] > 0.5).all()


def test_cube_in_space_is_settled_by_nodes():
    cube = np.stack(np.meshgrid([0, 1], [0, 1], [0, 1]), -1).reshape(-1, 3).astype(float)
    Q, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))
    want = canonical(cube)
    np.testing.assert_allclose(canonical(cube @ Q.T + 5), want, atol=1e-9)
    np.testing.assert_allclose(want[0], [np.sqrt(3) / 2, 0, 0], atol=1e-9)


@pytest.mark.parametrize("Y", [np.empty((0, 2)), np.zeros((1, 2)), np.ones((5, 3))])
def test_nothing_to_turn(Y):
    assert (canonical(Y) == 0).all()
    assert canonical(Y).shape == Y.shape


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_any_size(size):
    Y = FIGURES["cloud"] / 20
    np.testing.assert_allclose(canonical(Y * size) / size, canonical(Y), rtol=1e-9, atol=1e-12)


def test_fit_is_rescale_layout_and_keeps_units_without_scale():
    nx = pytest.importorskip("networkx")
    Y = np.random.default_rng(1).normal(size=(30, 2)) + 7
    np.testing.assert_allclose(fit(Y, 2.5), nx.rescale_layout(Y, 2.5))
    assert abs(fit(Y, 3.0)).max() == 3.0
    np.testing.assert_allclose(fit(Y, None), Y - Y.mean(0))
    assert fit(np.array([[5.0, 6.0]]), 1.0).tolist() == [[0.0, 0.0]]
