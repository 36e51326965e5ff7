"""`plot`: a picture of embedded vectors, colored by their classes, by numbers, or by what each costs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from nelayout.errors import InputError
from nelayout.graphs import points
from nelayout.pictures.colors import class_names, coloring
from nelayout.pictures.paper import paper
from nelayout.pictures.picture import draw, needs_matplotlib
from nelayout.run.keywords import checks_keywords

if TYPE_CHECKING:
    from matplotlib.figure import Figure
else:
    Figure = Any  # signatures are read without matplotlib, too

__all__ = ["plot"]

# Share of the points at each end of a scale that have the color of the end: a few outliers else take most of the scale.
TAILS = 0.01


@checks_keywords
def plot(
    Y: Any,
    labels: Any = None,
    path: str | Path | BinaryIO | None = None,
    *,
    color: Any = None,
    node_size: Any = None,
    title: str | None = None,
    legend: bool = True,
    background: Any = "auto",
    figsize: tuple[float, float] | None = None,
    ax: Any = None,
    dpi: float = 150.0,
    format: str | None = None,  # noqa: A002  # the name users know
) -> Figure:
    """Draw embedded vectors as points, and write the picture to `path`: `nelayout.draw` without a graph.

    Beyond 20,000 points the picture is an image: their ink is added up, so that shades show how dense they lie,
    and places where classes meet have mixed colors, whichever class was drawn last.

    Parameters
    ----------
    Y : (n, 1 to 3) array or Solution
        what `nelayout.embed` or `nelayout.solve_vectors` returns, or any positions that `nelayout.draw` takes.  The
        points of a ``Solution`` are colored by ``node_cost``, what each costs, unless labels or colors are given
    labels : (n,) array, list or Series, optional
        the class of each point in the order of Y, or numbers; None where it is unknown, which is gray.  A legend names
        up to 24 classes.  The name of a Series is their heading; where Y is a DataFrame, its index tells whose class
        is which
    path : str, Path or binary file, optional
        as in `nelayout.draw`: png, svg or pdf
    color : str or (n,) array, optional
        in place of labels what `nelayout.draw` takes: one color, a color for each point, or values.  Numbers that are
        no classes are a scale, here and for labels, on which the lowest and the highest hundredth of the points have
        the colors of the ends
    node_size, title, legend, background, figsize, ax, dpi, format
        as in `nelayout.draw`

    Returns
    -------
    matplotlib.figure.Figure
        shown by notebooks as it is; ``figure.savefig`` writes further copies

    Raises
    ------
    MissingExtra
        without matplotlib; the message names the install command
    InputError
        for labels and colors at once, or another number of them than points, and for what `nelayout.draw` refuses

    Examples
    --------
    >>> import numpy as np, nelayout as nl
    >>> X = np.random.default_rng(0).normal(size=(60, 5)) + 9 * (np.arange(60) % 2)[:, None]
    >>> solution = nl.solve_vectors(X, random_state=0)
    >>> figure = nl.plot(solution, np.arange(60) % 2, "classes.png")
    >>> figure = nl.plot(solution, path="costs.png")
    """
    needs_matplotlib()
    if labels is not None and color is not None:
        raise InputError("labels and color are both given, and a point has one color; leave one of them out")
    network = points(Y)
    name, values = getattr(color if labels is None else labels, "name", None), color
    if labels is not None:
        values = class_names(network.host.objects(labels, "labels"))
    elif color is None and hasattr(Y, "node_cost"):
        name, values = "cost", Y.node_cost
    colors = coloring(network, values, tails=TAILS, paper=paper(background, ax))
    if isinstance(name, str):
        colors = replace(colors, name=name)
    return draw(
        None,
        Y,
        path,
        color=colors,
        node_size=node_size,
        title=title,
        legend=legend,
        background=background,
        figsize=figsize,
        ax=ax,
        dpi=dpi,
        format=format,
    )
