"""nl.plot: pictures of vectors are those of nl.draw, with classes, clipped scales, and ink where points are many."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from drawn import dots_of, pixels
from matplotlib import colormaps
from matplotlib.colors import to_rgb
from matplotlib.image import imread

import nelayout as nl
from nelayout.pictures.colors import PALETTE, UNKNOWN
from nelayout.pictures.raster import dot_ink

RNG = np.random.default_rng(0)
Y = RNG.normal(size=(200, 2))
KIND = np.arange(200) % 3
COST = np.concatenate([RNG.exponential(size=198) * 1e-4, [0.5, -0.5]])
# The record of a run, as far as a picture reads it.
SOLUTION: Any = SimpleNamespace(positions=Y, node_cost=COST)
MANY = RNG.normal(size=(30_000, 2))


def face_colors(figure: Any) -> np.ndarray:
    return dots_of(figure).get_facecolors()


def test_a_plot_is_the_drawing_without_a_graph(tmp_path):
    path, look = tmp_path / "classes.png", {"color": "tomato", "title": "t", "figsize": (4, 4)}
    classes = nl.draw(None, Y, color=KIND)
    for plotted, drawn in (
        (nl.plot(Y, KIND), classes), (nl.plot(SOLUTION, KIND.tolist()), classes),
        (nl.plot(SOLUTION, color=KIND, path=path), classes), (nl.plot(Y), nl.draw(None, Y)),
        (nl.plot(Y, **look), nl.draw(None, Y, **look)),
    ):
        np.testing.assert_array_equal(pixels(plotted), pixels(drawn))
    np.testing.assert_array_equal(imread(path), pixels(classes))


def test_labels_are_classes_also_where_whole_numbers_would_be_a_scale():
    kinds = np.arange(200) % 30
    classes, scale = nl.plot(Y, kinds).axes[0], nl.draw(None, Y, color=kinds).axes[0]
    assert [text.get_text()[:10] for text in classes.texts] == ["30 classes"]
    assert len(scale.child_axes) == 1 > len(classes.child_axes)
    colors = face_colors(nl.plot(Y, [None if k == 1 else "b" if k else "a" for k in KIND]))
    for k, color in enumerate((PALETTE[0], UNKNOWN, PALETTE[1])):
        own = colors[np.equal(KIND, k), :3]
        np.testing.assert_allclose(own, np.broadcast_to(to_rgb(color), own.shape))


def test_a_solution_is_colored_by_its_costs_and_outliers_do_not_take_the_scale():
    figure = nl.plot(SOLUTION)
    middle = np.sort(COST)[4:-4]  # without 2 % at each end
    high = COST[middle[-1] + np.ptp(middle) / 2 >= COST].max()
    low = COST[middle[0] - np.ptp(middle) / 2 <= COST].min()
    assert COST.max() > high
    shares = np.clip((COST - low) / (high - low), 0, 1)
    np.testing.assert_allclose(face_colors(figure), colormaps["viridis"](shares), atol=1 / 250)
    bar: Any
    (bar,) = figure.axes[0].child_axes
    assert bar.get_title(loc="left") == "cost (1e-4)"
    assert bar.get_ylim() == pytest.approx((low, high))
    figure.canvas.draw()
    written = [float(text.get_text()) for text in bar.get_yticklabels()]
    np.testing.assert_allclose(np.array(written) * 1e-4, bar.get_yticks())
    assert face_colors(nl.plot(Y, color=COST)).tolist() == face_colors(figure).tolist()
    assert face_colors(nl.draw(None, Y, color=COST)).tolist() == face_colors(figure).tolist()
    whole = face_colors(nl.draw(None, Y, color=COST, vmin=-0.5, vmax=0.5))
    assert len(np.unique(whole, axis=0)) < 5 < 50 < len(np.unique(face_colors(figure), axis=0))


def test_ink_of_dots_is_that_of_discs_with_a_rim():
    """By brute force over all pixels, for dots inside and across the border."""
    P = RNG.uniform(-1, 13, size=(40, 2))
    tint = RNG.uniform(size=(40, 3))
    x, y = np.meshgrid(np.arange(12) + 0.5, np.arange(10) + 0.5)
    away = np.hypot(x[..., None] - P[:, 0], y[..., None] - P[:, 1])
    for diameter in (0.6, 1.0, 2.1, 5.0):
        each = 0.8 * np.clip(diameter / 2 + 0.5 - away, 0, 1)
        np.testing.assert_allclose(dot_ink(P, diameter, (10, 12))[..., 0], each.sum(axis=2), atol=1e-5)
        np.testing.assert_allclose(dot_ink(P, diameter, (10, 12), tint)[..., 1:], each @ tint, atol=1e-5)


def image_of(figure: Any) -> Any:
    assert not figure.axes[0].collections
    (image,) = figure.axes[0].images
    return image


def test_many_points_are_an_image_of_their_density():
    image = image_of(nl.plot(MANY))
    picture = np.asarray(image.get_array(), dtype=float)
    left, right, low, high = image.get_extent()
    height, width = picture.shape[:2]
    alpha = picture[:, :, 3].ravel()
    x = ((MANY[:, 0] - left) / (right - left) * width).astype(int)
    y = ((MANY[:, 1] - low) / (high - low) * height).astype(int)
    assert (alpha[y * width + x] > 60).all()  # ink at every point
    dots = np.bincount(y * width + x, minlength=height * width)
    assert alpha[dots == 0].mean() < 20 < alpha[dots == 1].mean() < alpha[dots == 2].mean() < alpha[dots >= 3].mean()


@pytest.mark.full
def test_no_class_covers_another_in_an_image():
    order = RNG.permutation(len(MANY))
    kind = np.arange(len(MANY)) % 2
    one, other = (np.asarray(image_of(nl.plot(*given)).get_array(), dtype=int) for given in (
        (MANY, kind), (MANY[order], kind[order])
    ))  # fmt: skip
    assert np.abs(one - other).max() <= 1
    twice = np.repeat(MANY, 2, axis=0)
    picture = np.asarray(image_of(nl.plot(twice, np.arange(len(twice)) % 2)).get_array(), dtype=float)
    mean = 255 * np.mean([to_rgb(PALETTE[0]), to_rgb(PALETTE[1])], axis=0)
    np.testing.assert_allclose(picture[picture[:, :, 3] > 20][:, :3].mean(axis=0), mean, atol=1)


def test_points_with_edges_and_sizes_of_their_own_stay_dots():
    A = nl.knn_graph(MANY[:, :2], 1)
    assert len(face_colors(nl.draw(A, MANY, color=np.arange(len(MANY)) % 3))) == len(MANY)
    assert len(nl.plot(MANY, node_size=0.01).axes[0].collections) == 1


def test_a_series_of_rows_is_read_in_its_order_whatever_its_index():
    """Rows of vectors and of a matrix have no names: `train_test_split` leaves an index that says nothing of them."""
    pandas = pytest.importorskip("pandas")
    X = np.random.default_rng(0).normal(size=(60, 4)) + 6 * (np.arange(60) % 2)[:, None]
    kinds, Y = np.arange(60) % 2, nl.embed(X, random_state=0)
    for index in (np.random.default_rng(1).permutation(60), range(7, 67), [f"cell {i}" for i in range(60)]):
        named, frame = pandas.Series(kinds, index), pandas.DataFrame(Y, index)
        for call in (
            lambda labels, Y: nl.measure(nl.knn_graph(X), Y, labels=labels, measures=["class_accuracy"]),
            lambda labels, Y: nl.measure_vectors(X, Y, labels=labels, measures=["class_accuracy"]),
            lambda labels, Y: face_colors(nl.plot(Y, labels)).tolist(),
        ):
            assert call(named, Y) == call(kinds, Y)
            assert call(named, frame) == call(kinds, Y)
        assert nl.measure(nl.knn_graph(X), Y, coords=frame, measures=["map_r2"])["map_r2"].value > 0.999
