"""Colors of nodes: the colors that were given, one for each class, a scale for numbers, or one for all.

Values that all are colors are these colors. Texts, booleans and up to 20 different whole numbers are classes; other
numbers are a scale:

>>> kind = [classes_of([3, 1, 3]), classes_of(["b", "a", None]), classes_of([0.5, 1.5, 2.5])]
>>> kind
[[1, 3], ['a', 'b'], None]
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from nelayout.errors import InputError, unknown
from nelayout.graphs import Network
from nelayout.pictures.palettes import EIGHT, ON_WHITE, class_shape, palette
from nelayout.pictures.paper import WHITE, Paper

__all__ = [
    "AMOUNTS",
    "LEGEND",
    "PALETTE",
    "PLAIN",
    "UNKNOWN",
    "Coloring",
    "class_coloring",
    "class_colors",
    "class_names",
    "classes_of",
    "coloring",
    "palette",
]

# Most classes that a legend names: two columns of twelve, and as many colors as the palette has.
LEGEND = 24

# Most different whole numbers that are taken for classes; more are amounts.
WHOLE_CLASSES = 20

# Range of degrees, as a ratio, from which their scale is logarithmic: else all but the hubs have one color.
_LOG_FROM = 30.0

# Most different whole numbers that can be classes where the caller says so; more are years or amounts.
MANY_CLASSES = 60

# Words for a number that every node has. They win over node attributes, as those for masses do.
AMOUNTS = ("degree", "strength")

PLAIN = WHITE.plain
UNKNOWN = WHITE.unknown
PALETTE = ON_WHITE
# Nodes up to which classes beyond the eighth have shapes of their own: dots of more are thinner than 4 points.
_SHAPES_UP_TO = 1000
# Share of viridis that is left out on dark paper: its darkest colors would not show.
_TOO_DARK = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class Coloring:
    """The colors of the nodes and their meaning.

    rgba     (n, 4), or (1, 4) for one color
    classes  name and rgba of each class that a legend can name
    grouped  whether nodes of one color belong together, so that edges between them have their color
    bounds   least and largest value of a scale, which is logarithmic if `log`, of whole numbers if `whole`; there are
             values below and above these if `beyond`
    name     what the colors show, if they were given by a name
    note     a sentence for what no legend says
    dark     whether the colors are those for dark paper
    shapes   (n,) numbers of the shapes of dots, see `palettes.class_shape`; None where all are circles
    """

    rgba: np.ndarray
    classes: tuple[tuple[str, tuple], ...] = ()
    grouped: bool = False
    bounds: tuple[float, float] | None = None
    log: bool = False
    whole: bool = False
    beyond: bool = False
    name: str = ""
    note: str = ""
    dark: bool = False
    shapes: np.ndarray | None = None

    def scale(self) -> Any:
        """The share of a scale -> its color, as matplotlib has it: viridis, on dark paper without its dark end."""
        from matplotlib import colormaps
        from matplotlib.colors import ListedColormap

        return ListedColormap(colormaps["viridis"](np.linspace(_TOO_DARK if self.dark else 0.0, 1.0, 256)))

    def norm(self) -> Any:
        """Values -> the share of the scale that lies below them, as matplotlib has it."""
        from matplotlib.colors import LogNorm, Normalize

        return (LogNorm if self.log else Normalize)(*(self.bounds or (0.0, 1.0)))


def coloring(
    network: Network, color: Any, amount: np.ndarray | None = None, tails: float = 0.0, paper: Paper = WHITE
) -> Coloring:
    """The colors of the nodes; see `nelayout.draw`. `amount` (n,) is a scale that `color` names ("degree").

    `tails` is the share of nodes at each end of a scale of other numbers that have the color of the end. Colors that
    were not given are those for `paper`.

    Raises `InputError` for a name that is neither a node attribute nor a color.
    """
    from matplotlib.colors import is_color_like, to_rgba

    if color is None:
        return Coloring(np.array([to_rgba(paper.plain)]))
    if amount is not None:
        return _scale(amount.tolist(), color, skewed=True, paper=paper)
    if isinstance(color, str) and color not in network.host.attributes():
        if not is_color_like(color):
            raise unknown("node attribute or color for color", color, [*network.host.attributes(), *AMOUNTS])
        return Coloring(np.array([to_rgba(color)]))
    if isinstance(color, tuple) and len(color) in (3, 4) != len(network.labels) and is_color_like(color):
        return Coloring(np.array([to_rgba(color)]))
    name = color if isinstance(color, str) else ""
    values = [None if _missing(value) else value for value in network.host.objects(color, "color")]
    known = [value for value in values if value is not None]
    if known and all(map(_is_color, known)):
        rgba = np.array([to_rgba(paper.unknown if value is None else value) for value in values])
        return Coloring(rgba, grouped=True)
    if classes_of(values) is None:
        return _scale(values, name, tails=tails, paper=paper)
    return class_coloring(values, name, paper)


def class_coloring(values: list, name: str = "", paper: Paper = WHITE) -> Coloring:
    """The coloring of nodes by classes, None for a node without one; numbers that are no classes count as names.

    >>> class_coloring(["b", "a", None]).classes[0][0], len(class_coloring([0.5, 1.5]).classes)
    ('a', 2)
    """
    if classes_of(values) is None:
        values = [None if value is None else str(value) for value in values]
    classes = classes_of(values) or []
    rgba, named = class_colors(values, paper)
    shapes = None
    if EIGHT < len(named) <= LEGEND and len(values) <= _SHAPES_UP_TO:
        number = {value: class_shape(k) for k, value in enumerate(classes)}
        shapes = np.array([0 if value is None else number[_plain(value)] for value in values])
    legend = named if 1 < len(named) <= LEGEND else ()
    return Coloring(rgba, legend, True, name=name, note=_note(classes, name), dark=paper.dark, shapes=shapes)


def class_colors(values: list, paper: Paper = WHITE) -> tuple[np.ndarray, tuple[tuple[str, tuple], ...]]:
    """A color (n, 4) for every value that names a class, gray for None, and name and color of each class.

    >>> rgba, named = class_colors(["b", "a", None])
    >>> [name for name, _ in named], rgba.shape
    (['a', 'b'], (3, 4))
    """
    from matplotlib.colors import to_rgba

    classes = classes_of(values) or []
    chosen = [to_rgba(c) for c in palette(len(classes), paper.dark)]
    number = {value: k for k, value in enumerate(classes)}
    table = np.array([*chosen, to_rgba(paper.unknown)])
    rgba = table[[len(classes) if value is None else number[_plain(value)] for value in values]]
    return rgba, tuple(zip(map(str, classes), chosen, strict=True))


def _note(classes: list, name: str) -> str:
    """A sentence for what a legend does not say: too many classes for it, or colors among names that are none."""
    of = f" of {name}" if name else ""
    if len(classes) > LEGEND:
        return f"{len(classes)} classes{of}, too many for a legend: some have nearly the same color"
    colors = [value for value in classes if _is_color(value)]
    if 2 * len(colors) > len(classes):
        other = next(value for value in classes if not _is_color(value))
        return f"taken as names of classes, not as colors: {str(other)!r} is no color"
    return ""


def _is_color(value: Any) -> bool:
    """Whether a value is a color written out: a name, a hex code, or three or four numbers from 0 to 1.

    One letter or a number as text, which matplotlib takes as well, more often names a class.

    >>> [_is_color(value) for value in ("red", "#ff0000", (1.0, 0.0, 0.0), "r", "0.5", 1)]
    [True, True, True, False, False, False]
    """
    from matplotlib.colors import is_color_like

    if isinstance(value, str):
        return len(value) > 1 and not value[0].isdigit() and not value.startswith((".", "(")) and is_color_like(value)
    return isinstance(value, (tuple, list)) and len(value) in (3, 4) and is_color_like(tuple(value))


def _scale(
    values: list, name: str = "", skewed: bool = False, tails: float = 0.0, paper: Paper = WHITE
) -> Coloring:
    from matplotlib.colors import to_rgba

    try:
        numbers = np.array([np.nan if value is None else float(value) for value in values])
    except (TypeError, ValueError):
        bad = next(value for value in values if not isinstance(value, (int, float, np.number)))
        raise InputError(
            f"color holds {bad!r}, neither a text nor a number; give texts, or numbers, for all nodes"
        ) from None
    known = np.isfinite(numbers)
    log = skewed and bool((numbers > 0).any()) and numbers.max() > _LOG_FROM * numbers[numbers > 0].min()
    known = known & (numbers > 0) if log else known
    low, high = np.quantile(numbers[known], [tails, 1 - tails]).tolist() if known.any() else (0.0, 1.0)
    beyond = bool(known.any() and high > low and (numbers[known].min() < low or numbers[known].max() > high))
    rgba = np.tile(to_rgba(paper.unknown), (len(values), 1))
    whole = bool((numbers[known] == np.round(numbers[known])).all())
    bounds = (low, high) if high > low else None
    found = Coloring(rgba, bounds=bounds, log=log, whole=whole, beyond=beyond, name=name, dark=paper.dark)
    rgba[known] = found.scale()(found.norm()(numbers[known]) if high > low else np.full(known.sum(), 0.5))
    return found


def classes_of(values: list) -> list | None:
    """The different values in order if they are classes, else None."""
    given = {_plain(value) for value in values if value is not None}
    if all(isinstance(value, bool) for value in given):
        return sorted(given)
    if any(isinstance(value, float) and not value.is_integer() for value in given):
        return None
    if all(isinstance(value, (int, float)) for value in given):
        return sorted(given) if len(given) <= WHOLE_CLASSES else None
    return sorted(given, key=lambda value: (isinstance(value, str), str(value)))


def class_names(values: list) -> list:
    """Class names for values that the caller calls classes: many whole numbers become text, which is no scale.

    >>> class_names([2, 3, None]), class_names(list(range(21)))[17:]
    ([2, 3, None], ['17', '18', '19', '20'])
    """
    given = {_plain(value) for value in values if value is not None}
    whole = all(isinstance(value, int) for value in given)
    if not (whole and WHOLE_CLASSES < len(given) <= MANY_CLASSES):
        return values
    return [None if value is None else str(_plain(value)) for value in values]


def _plain(value: Any) -> Any:
    """A value that can be counted: Python's numbers, whole ones as integers, the rest as text."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, (bool, int, float, str)) else str(value)


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, (float, np.floating)) and not math.isfinite(value))

