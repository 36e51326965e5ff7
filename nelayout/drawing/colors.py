"""Colors of nodes: one for each class, a scale for numbers, or one for all.

Texts, booleans and up to 12 different whole numbers are classes; other numbers are a scale:

>>> kind = [classes_of([3, 1, 3]), classes_of(["b", "a", None]), classes_of([0.5, 1.5, 2.5])]
>>> kind
[[1, 3], ['a', 'b'], None]
"""

from __future__ import annotations

import colorsys
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from nelayout.errors import InputError, unknown
from nelayout.graphs import Network

__all__ = [
    "LEGEND",
    "PALETTE",
    "PLAIN",
    "UNKNOWN",
    "Coloring",
    "class_names",
    "classes_of",
    "coloring",
    "palette",
]

# Most classes that a legend names, and most different whole numbers that are taken for classes.
LEGEND = 12

# Most different whole numbers that can be classes where the caller says so; more are years or amounts.
MANY_CLASSES = 60

PLAIN = "#2c6fbb"
UNKNOWN = "#b4b4b4"
# Okabe and Ito's colors, which stay apart for the color-blind, without the yellow; then darker ones.
PALETTE = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#d55e00",
    "#cc79a7",
    "#56b4e9",
    "#7a5195",
    "#a6a33a",
    "#882255",
    "#5f4b32",
    "#8dd3a8",
    "#222255",
)


@dataclass(frozen=True, slots=True, eq=False)
class Coloring:
    """The colors of the nodes and their meaning.

    rgba     (n, 4), or (1, 4) for one color
    classes  name and rgba of each class
    bounds   least and largest value of a scale
    """

    rgba: np.ndarray
    classes: tuple[tuple[str, tuple], ...] = ()
    bounds: tuple[float, float] | None = None

    @property
    def explained(self) -> bool:
        """Whether there is something to put into a legend or a color bar."""
        return bool(self.classes) or self.bounds is not None


def coloring(network: Network, color: Any) -> Coloring:
    """The colors of the nodes; see `nelayout.draw`.

    Raises `InputError` for a name that is neither a node attribute nor a color.
    """
    from matplotlib.colors import is_color_like, to_rgba

    if color is None:
        return Coloring(np.array([to_rgba(PLAIN)]))
    if isinstance(color, str) and color not in network.host.attributes():
        if not is_color_like(color):
            raise unknown("node attribute or color for color", color, network.host.attributes())
        return Coloring(np.array([to_rgba(color)]))
    if isinstance(color, tuple) and len(color) in (3, 4) != len(network.labels) and is_color_like(color):
        return Coloring(np.array([to_rgba(color)]))
    values = [None if _missing(value) else value for value in network.host.objects(color, "color")]
    classes = classes_of(values)
    if classes is not None:
        names = [str(value) for value in classes]
        chosen = [to_rgba(c) for c in palette(len(classes))]
        number = {value: k for k, value in enumerate(classes)}
        table = np.array([*chosen, to_rgba(UNKNOWN)])
        rgba = table[[len(classes) if value is None else number[_plain(value)] for value in values]]
        shown = tuple(zip(names, chosen, strict=True)) if 1 < len(classes) <= LEGEND else ()
        return Coloring(rgba, shown)
    return _scale(values)


def _scale(values: list) -> Coloring:
    from matplotlib import colormaps
    from matplotlib.colors import to_rgba

    try:
        numbers = np.array([np.nan if value is None else float(value) for value in values])
    except (TypeError, ValueError):
        bad = next(value for value in values if not isinstance(value, (int, float, np.number)))
        raise InputError(
            f"color holds {bad!r}, neither a text nor a number; give texts, or numbers, for all nodes"
        ) from None
    known = np.isfinite(numbers)
    low, high = (float(numbers[known].min()), float(numbers[known].max())) if known.any() else (0.0, 1.0)
    rgba = np.tile(to_rgba(UNKNOWN), (len(values), 1))
    share = (numbers[known] - low) / (high - low) if high > low else np.full(int(known.sum()), 0.5)
    rgba[known] = colormaps["viridis"](share)
    return Coloring(rgba, bounds=(low, high) if high > low else None)


def classes_of(values: list) -> list | None:
    """The different values in order if they are classes, else None."""
    given = {_plain(value) for value in values if value is not None}
    if all(isinstance(value, bool) for value in given):
        return sorted(given)
    if any(isinstance(value, float) and not value.is_integer() for value in given):
        return None
    if all(isinstance(value, (int, float)) for value in given):
        return sorted(given) if len(given) <= LEGEND else None
    return sorted(given, key=lambda value: (isinstance(value, str), str(value)))


def class_names(values: list) -> list:
    """Class names for values that the caller calls classes: many whole numbers become text, which is no scale.

    >>> class_names([2, 3, None]), class_names(list(range(13)))[9:]
    ([2, 3, None], ['9', '10', '11', '12'])
    """
    given = {_plain(value) for value in values if value is not None}
    whole = all(isinstance(value, int) for value in given)
    if not (whole and LEGEND < len(given) <= MANY_CLASSES):
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


def palette(k: int) -> list[Any]:
    """k colors: the palette, and beyond its twelve, hues by the golden ratio in three brightnesses."""
    if k <= len(PALETTE):
        return list(PALETTE[:k])
    return [colorsys.hls_to_rgb((0.61803398875 * i) % 1.0, (0.40, 0.62, 0.27)[i % 3], 0.65) for i in range(k)]
