"""A drawing that knows some answers, odd digits right, even ones left: python semi_supervised.py [PICTURE].

An objective of one's own is minimized by `nelayout.optimizers.majorize` alone, in the way of Yang, Peltonen & Kaski
(2015, supplement, sec. 5).  It is J = A + B with

    A  sum_ij S_ij |y_i - y_j|^2            images that look alike lie near each other: quadratic, so H = 4 L is exact
    B  sum_ij exp(-|y_i - y_j|^2)           nobody lies on top of anybody
       + c sum_known [1 - tanh(t_i x_i / r)]    whose label t_i = -1 or 1 is known lies on its side of the middle

where x_i is the horizontal coordinate of y_i.  The last sum is neither convex nor concave, which majorization does not
mind: only A has to be bounded.  One image in ten is labeled; how many of the others lie on the right side?
Needs nelayout[draw,vectors].
"""

import argparse

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from scipy.sparse import csr_array, diags_array
from sklearn.datasets import load_digits

import nelayout as nl

IMAGES = 800
LABELED = 0.1
STRENGTH = 1000.0
"""c; at 30 the labels are not heard."""
RADIUS = 5.0
"""r, about half the radius of the drawing: on the wrong side, a label must not pull so far out that tanh is flat."""

Found = tuple[float, np.ndarray]


def energy(Y: np.ndarray, L: csr_array) -> Found:
    """A and the repulsion of B, with their gradient: Elastic Embedding."""
    square = np.sum(Y * Y, axis=1)
    q = np.exp(2 * Y @ Y.T - square[:, None] - square)
    pull, push = L @ Y, q.sum(axis=1)[:, None] * Y - q @ Y
    return 2 * np.sum(Y * pull) + np.sum(q), 4 * (pull - push)


def misplaced(Y: np.ndarray, sides: np.ndarray) -> Found:
    """The sum over labeled images, with its gradient; ``sides`` is -1 or 1, and 0 where it is not known."""
    bent = np.tanh(sides * Y[:, 0] / RADIUS)
    slope = np.zeros_like(Y)
    slope[:, 0] = -STRENGTH / RADIUS * sides * (1 - bent**2)
    return STRENGTH * np.sum((1 - bent)[sides != 0]), slope


def drawn(S: csr_array, start: np.ndarray, sides: np.ndarray) -> nl.optimizers.Minimum:
    """The minimum that majorization finds from ``start``."""
    L = csr_array(diags_array(S.sum(axis=1)) - S)

    def objective(Y: np.ndarray) -> Found:
        (a, slope_a), (b, slope_b) = energy(Y, L), misplaced(Y, sides)
        return a + b, slope_a + slope_b

    return nl.optimizers.majorize(objective, start, 4 * L, max_iter=150, tol=1e-4)


def main() -> None:
    """Draw with and without labels, count, write the picture."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("picture", nargs="?", default="semi_supervised.png", help="PNG, SVG or PDF to write")
    picture = parser.parse_args().picture

    rng = np.random.default_rng(0)
    images, digits = load_digits(return_X_y=True)
    chosen = rng.permutation(len(images))[:IMAGES]
    images, truth = images[chosen], np.where(digits[chosen] % 2 == 1, 1, -1)
    known = rng.random(IMAGES) < LABELED

    S = nl.knn_graph(images, n_neighbors=10, seed=0)
    start = RADIUS * nl.gamma_quadlog_layout(S, seed=0)
    figure = Figure(figsize=(16, 7), facecolor="white")
    FigureCanvasAgg(figure)
    named = np.where(truth > 0, "odd", "even")
    for place, heard, title in ((0.01, False, "no labels"), (0.46, True, f"labels of {known.sum()} images")):
        found = drawn(S, start, np.where(known & heard, truth, 0))
        right = np.mean(np.sign(found.positions[~known, 0]) == truth[~known])
        print(f"{title}: {right:.0%} of the other {np.sum(~known)} images on their side, {len(found.trace)} steps")
        ax = figure.add_axes((place, 0.02, 0.43, 0.9))
        nl.draw(S, found.positions, ax=ax, color=named, legend=heard, title=f"{title}: {right:.0%} on their side")
        ax.axvline(0.0, color="#888888", lw=1, zorder=0)
    figure.savefig(picture, dpi=100)
    print(f"{picture}: odd digits belong to the right, even ones to the left")


if __name__ == "__main__":
    main()
