"""Colors of nodes: given colors, one for each class, a scale for numbers, or one for all.

Values that all are colors are used as they are. Texts, booleans and up to 24 different whole numbers are classes. Other
numbers, dates (also as text such as 2024-05-31) and durations are a scale. The palettes have 24 colors in three groups
of eight. Color-blind readers can distinguish the eight colors of a group, and the shape of a dot shows its group.
"""

from __future__ import annotations

import colorsys
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from nelayout.errors import InputError, near_matches, unknown
from nelayout.graphs import Network
from nelayout.graphs.plain import Named, categories_of, is_missing, name_of, plain_value
from nelayout.pictures.paper import WHITE, Paper
from nelayout.pictures.style import STYLE

if TYPE_CHECKING:
    from matplotlib.colors import Colormap, Normalize

__all__ = ["AMOUNTS", "PLAIN", "UNKNOWN", "Coloring", "Inks", "class_coloring", "class_names", "coloring"]

AMOUNTS = ("degree", "strength")  # words for a number of every node; they come before attributes of the same name

# Okabe and Ito's colors (2002) without the yellow, then the colors farthest from these and from each other in the model
# of color blindness by Machado, Oliveira and Fernandes (2009).
PALETTE = (
    "#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#330088", "#442200",
    "#aacc00", "#cc0011", "#002255", "#33ccee", "#9955dd", "#eeaa77", "#551111", "#ff3399",
    "#66ccbb", "#aa5500", "#0055cc", "#cccc33", "#551144", "#ff88ff", "#223300", "#ee2266",
)  # fmt: skip
ON_DARK = (
    "#56b4e9", "#ffaa33", "#ff6677", "#00ffbb", "#7766dd", "#ccee88", "#aa7799", "#338822",
    "#dd8866", "#0088ff", "#ffcc44", "#00ddff", "#dd4477", "#bbeebb", "#9966aa", "#779900",
    "#99cc44", "#dd4499", "#ee9999", "#887700", "#88eeee", "#eedd99", "#338855", "#bb88ff",
)  # fmt: skip
LEGEND = len(PALETTE)  # largest number of classes that a legend names, and of whole numbers that are classes
SHAPE_COLORS = LEGEND // 3  # colors of one shape
DURATIONS = {unit: timedelta(**{unit: 1}) for unit in ("days", "hours", "minutes", "seconds")}
SCALES = {"numbers": (int, float), "dates": date, "durations": timedelta}  # values of one kind are on one scale
_DATE = re.compile(r"\d{4}-\d\d(-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:?\d\d)?)?)?")
PLAIN = WHITE.plain
UNKNOWN = WHITE.unknown


@dataclass(frozen=True, slots=True, eq=False)
class Coloring:
    """The colors of the nodes and their meaning."""

    rgba: np.ndarray  # (n, 4), or (1, 4) for one color
    classes: tuple[tuple[str, tuple], ...] = ()  # name and rgba of each class that a legend names
    grouped: bool = False  # whether an edge between two nodes of one color has this color
    bounds: tuple[float, float] | None = None  # least and largest value of a scale
    log: bool = False  # whether the scale is logarithmic
    whole: bool = False  # whether all values of the scale are whole numbers
    beyond: str = "neither"  # ends of the scale that values lie beyond: neither, min, max or both
    name: str = ""  # the heading of legend or color bar
    unit: str = ""  # of a scale: "date" for days since 1970, or the unit of durations, such as "hours"
    note: str = ""  # a sentence for what the legend lacks
    cmap: Colormap | None = None  # matplotlib's map from shares of the scale to colors
    of_edges: bool = False  # whether these are the colors of edges
    shapes: np.ndarray | None = None  # (n,) numbers of `class_shape`; None: all dots are circles

    def norm(self) -> Normalize:
        """Return matplotlib's function from values to shares of the scale."""
        from matplotlib.colors import LogNorm, Normalize

        return (LogNorm if self.log else Normalize)(*(self.bounds or (0.0, 1.0)))


@dataclass(frozen=True, slots=True)
class Inks:
    """The choice of colors by keywords of `nelayout.draw`, and the paper."""

    cmap: object = None
    palette: Any = None
    paper: Paper = WHITE
    vmin: object = None
    vmax: object = None

    def scale(self) -> Colormap:
        """Return the colors of numbers: rcParams["image.cmap"], on dark paper viridis' light part."""
        from matplotlib import colormaps, rcParams
        from matplotlib.colors import Colormap, ListedColormap

        if isinstance(self.cmap, Colormap):
            return self.cmap
        name = rcParams["image.cmap"] if self.cmap is None else self.cmap
        if not isinstance(name, str):
            raise InputError(f"cmap must be the name of a matplotlib colormap, or a Colormap; got {name!r}")
        if name not in colormaps:
            raise unknown("cmap", name, list(colormaps))
        if self.cmap is None and name == "viridis" and self.paper.dark:
            return ListedColormap(colormaps[name](np.linspace(STYLE.dark_share, 1.0, 256)))
        return colormaps[name]

    def of_classes(self, classes: list, categories: list | None = None) -> list[tuple]:
        """Return the rgba of each class; a list has the colors of all `categories` in their order."""
        from matplotlib import colormaps
        from matplotlib.colors import is_color_like, to_rgba

        k, given = len(classes), self.palette
        if given is None:
            return [to_rgba(color) for color in palette(k, self.paper.dark)]
        if isinstance(given, str):
            if given not in colormaps:
                raise unknown("palette", given, list(colormaps))
            colors = getattr(colormaps[given], "colors", ())
            given = colors if k <= len(colors) < 256 else colormaps[given](np.linspace(0.0, 1.0, k)).tolist()
        elif isinstance(given, Mapping):
            known = {str(plain_value(name)): color for name, color in given.items()}
            missing = [name for name in classes if str(name) not in known]
            if missing:
                raise InputError(f"palette must have a color for each class; got none for {missing[0]!r}")
            given = [known[str(name)] for name in classes]
        else:
            every, kind = (classes, "classes") if categories is None else (categories, "categories")
            if len(given) < len(every):
                few = f"each of the {len(every)} {kind}; got {len(given)} colors"
                raise InputError(f"palette must have a color for {few}. Give more, or {{class: color}}")
            given = [given[every.index(name)] for name in classes]
        wrong = [color for color in given if not is_color_like(color)]
        if wrong:
            raise InputError(f"palette must hold matplotlib colors, such as 'red' or '#0072b2'; got {wrong[0]!r}")
        return [to_rgba(color) for color in given[:k]]


def coloring(network: Network, color: object, amount: np.ndarray | None = None, inks: Inks = Inks()) -> Coloring:
    """Return the colors of the nodes; see `nelayout.draw` for `color`.

    `amount` (n,) are the numbers that the word `color` stands for.
    """
    from matplotlib.colors import is_color_like, to_rgba

    if color is None:
        return Coloring(np.array([to_rgba(inks.paper.plain)]))
    if amount is not None:
        return _scale(Named(amount.tolist(), str(color)), inks, amount=True)
    if isinstance(color, str) and color not in network.host.attributes():
        if not is_color_like(color):
            raise unknown_color(color, network.host.attributes())
        return Coloring(np.array([to_rgba(color)]))
    if isinstance(color, tuple) and len(color) in (3, 4) != len(network.labels) and is_color_like(color):
        return Coloring(np.array([to_rgba(color)]))
    return of_values(network.host.objects(color, "color"), "color", inks)


def of_values(values: Named, what: str = "color", inks: Inks = Inks()) -> Coloring:
    """Return the colors of given values, one for None; `what` is their keyword in errors."""
    from matplotlib.colors import to_rgba

    values = Named([value if is_known(value) else None for value in values], values.name, values.categories)
    values = values if inks.palette is not None else with_dates(values)
    known = [value for value in values if value is not None]
    if known and all(map(is_color, known)):
        rgba = np.array([to_rgba(inks.paper.unknown if value is None else value) for value in values])
        return Coloring(rgba, grouped=True)
    numbers = all(isinstance(plain_value(value), (int, float)) for value in known)
    if inks.palette is None and (classes_of(values) is None or (inks.cmap is not None and numbers)):
        return _scale(values, inks, what)
    return class_coloring(values, values.name, inks)


def scale_numbers(values: list, what: str = "color") -> tuple[np.ndarray, str]:
    """Return numbers (n,) on a scale, NaN for None, and their unit.

    Dates are days since 1970 and have the unit "date". Durations have the largest unit that one of them exceeds. Raise
    `InputError` for values of several kinds.

    >>> scale_numbers([timedelta(hours=36), None]), scale_numbers([date(1970, 1, 11)])
    ((array([1.5, nan]), 'days'), (array([10.]), 'date'))
    """
    plain: list[Any] = [None if value is None else plain_value(value) for value in values]
    known, kind = [value for value in plain if value is not None], _kind_of(values)
    bad = [value for value in known if not isinstance(value, SCALES[kind])]
    if bad:
        raise InputError(f"{what} must hold only texts, only numbers or only dates; got {bad[0]!r} among {kind}")
    unit = ""
    if kind == "dates":
        plain, unit = [None if value is None else _days(value) for value in plain], "date"
    elif kind == "durations":
        longest = max(map(abs, known))
        unit = next((name for name, size in DURATIONS.items() if longest >= size), "seconds")
        plain = [None if value is None else value / DURATIONS[unit] for value in plain]
    return np.array([np.nan if value is None else float(value) for value in plain]), unit


def _kind_of(values: list) -> str:
    """Return the first kind of `SCALES` that values have, "numbers" without any."""
    known = [plain_value(value) for value in values if value is not None]
    return next((kind for kind, of in SCALES.items() if any(isinstance(value, of) for value in known)), "numbers")


def with_dates(values: Named) -> Named:
    """Return the dates if all values are texts of dates, else the values.

    A text has year and month, and may have day, time and zone.

    >>> with_dates(Named(["2024-05-31", None, "2024-06"])), with_dates(Named(["2024-05-31", "late"]))
    ([datetime.datetime(2024, 5, 31, 0, 0), None, datetime.datetime(2024, 6, 1, 0, 0)], ['2024-05-31', 'late'])
    """
    known = [value for value in values if value is not None]
    if values.categories is not None or not known or not all(isinstance(x, str) and _DATE.fullmatch(x) for x in known):
        return values
    try:
        dates = [x and datetime.fromisoformat(f"{x}-01" if len(x) == len("2024-05") else x) for x in values]
    except ValueError:  # such as a 31st of June
        return values
    return Named(dates, values.name)


def _days(value: Any) -> float:
    """Return the days from 1970-01-01, in UTC, to a date."""
    if not isinstance(value, datetime):
        value = datetime.combine(value, time())
    return (value - datetime(1970, 1, 1, tzinfo=value.tzinfo and UTC)) / timedelta(days=1)


def unknown_color(color: str, attributes: Sequence[str]) -> InputError:
    """Return the error for a color that is neither a color nor a node attribute."""
    from matplotlib.colors import get_named_colors_mapping

    names = {*attributes, *AMOUNTS}
    message = str(unknown("node attribute or color for color", color, names))
    colors = [name for name in get_named_colors_mapping() if ":" not in name]
    if not near_matches(color, names) and (near := near_matches(color, colors)):
        message = message.replace(". Allowed", f": did you mean the color {' or '.join(map(repr, near))}? Allowed", 1)
    return InputError(message if attributes else f"{message}; the nodes have no attributes")


def class_coloring(values: list, name: str = "", inks: Inks = Inks()) -> Coloring:
    """Return one color for each class; None has no class, and other numbers count as names.

    >>> class_coloring(["red", "blue", None]).classes[0][0], len(class_coloring([0.5, 1.5]).classes)
    ('blue', 2)
    """
    from matplotlib.colors import to_rgba

    if classes_of(values) is None:
        values = [None if value is None else str(plain_value(value)) for value in values]
    classes, categories = classes_of(values) or [], categories_of(values)
    every = None if categories is None else [plain_value(value) for value in categories]
    k, chosen, said, shapes = len(classes), inks.of_classes(classes, every), "", None
    number = {value: code for code, value in enumerate(classes)}
    codes = np.array([k if value is None else number[plain_value(value)] for value in values], int)
    if SHAPE_COLORS < k <= LEGEND and len(values) <= STYLE.max_diagram_items and inks.palette is None:
        shapes = np.array([*map(class_shape, range(k)), 0])[codes]
    others = [value for value in classes if not is_color(value)]
    if k > LEGEND:
        of = f" of {name}" if name else ""
        said = f"{k} classes{of}, too many for a legend: some have nearly the same color"
    elif others and 2 * len(others) < k:
        said = f"taken as names of classes, not as colors: {str(others[0])!r} is not a color"
    legend = tuple(zip(map(str, classes), chosen, strict=True)) if 1 < k <= LEGEND else ()
    rgba = np.array([*chosen, to_rgba(inks.paper.unknown)])[codes]
    return Coloring(rgba, legend, True, name=name, note=said, shapes=shapes)


def palette(k: int, dark: bool = False) -> list[str]:
    """Return k colors: the palette, or more than 24 hues in three kinds of lightness."""
    known = ON_DARK if dark else PALETTE
    if k <= len(known):
        return list(known[:k])
    light = (0.60, 0.78, 0.47) if dark else (0.40, 0.62, 0.27)
    hues = [colorsys.hls_to_rgb((0.61803398875 * i) % 1.0, light[i % 3], 0.65) for i in range(k)]
    return ["#" + "".join(f"{round(255 * x):02x}" for x in rgb) for rgb in hues]


def class_shape(k: int) -> int:
    """Return the shape of the dots of class k: 0 circle, 1 triangle, 2 square."""
    return k // SHAPE_COLORS % 3


def is_color(value: object) -> bool:
    """Return True for a color name, a hex code, or three or four numbers from 0 to 1.

    matplotlib also takes one letter or a number as text; these are names of classes here.

    >>> [is_color(value) for value in ("red", "#ff0000", (1.0, 0.0, 0.0), "r", "0.5", 1)]
    [True, True, True, False, False, False]
    """
    from matplotlib.colors import is_color_like

    if isinstance(value, str):
        return len(value) > 1 and not value[0].isdigit() and not value.startswith((".", "(")) and is_color_like(value)
    return isinstance(value, (tuple, list)) and len(value) in (3, 4) and is_color_like(tuple(value))


def _scale(values: Named, inks: Inks, what: str = "color", amount: bool = False) -> Coloring:
    """Return the colors of numbers, dates or durations; an `amount` may have a log scale."""
    from matplotlib.colors import to_rgba

    given = {name: end for name, end in (("vmin", inks.vmin), ("vmax", inks.vmax)) if end is not None}
    kind = _kind_of(values)
    for name, end in given.items():
        if not isinstance(plain_value(end), SCALES[kind]) or not is_known(end):
            raise InputError(f"{name} must be an end of the scale of {kind}; got {end!r}. Give another, or none")
    numbers, unit = scale_numbers([*values, *given.values()], what)
    numbers, ends = numbers[: len(values)], dict(zip(given, numbers[len(values) :].tolist(), strict=True))
    low, high, log = scale_limits(numbers, amount)
    x = numbers[np.isfinite(numbers) & (numbers > 0 if log else True)]
    far = int(((x < low) | (x > high)).sum())
    said = f"{far:,} of {len(x):,} values are beyond the scale: vmin and vmax set its ends" if far and not given else ""
    log = log and min(ends.values(), default=1.0) > 0
    low, high = ends.get("vmin", low), ends.get("vmax", high)
    if given and low >= high:
        raise InputError(f"vmin must be below vmax; got a scale from {low:g} to {high:g}. Give other ends")
    bounds, whole = (low, high) if high > low else None, bool((x == np.round(x)).all())
    beyond = ("neither", "min", "max", "both")[int((x < low).any()) + 2 * int((x > high).any())]
    rgba = np.tile(to_rgba(inks.paper.unknown), (len(numbers), 1))
    known, cmap = np.isfinite(numbers) & (numbers > 0 if log else True), inks.scale()
    how: dict[str, Any] = {"bounds": bounds, "log": log, "whole": whole, "beyond": beyond, "unit": unit, "note": said}
    found = Coloring(rgba, name=values.name, cmap=cmap, **how)
    rgba[known] = cmap(found.norm()(numbers[known]) if bounds else np.full(int(known.sum()), 0.5))
    return found


def scale_limits(numbers: np.ndarray, amount: bool = False) -> tuple[float, float, bool]:
    """Return both ends of a scale for numbers (n,), and whether it is logarithmic.

    Only amounts, such as degrees, have logarithmic scales. Some far values may flatten any other scale: if the range is
    much wider than without 2 % of the values at each end, far values get the color of the end.

    >>> scale_limits(np.append(np.arange(99.0), 1000.0)), scale_limits(np.array([0.0, 1.0, 40.0]), amount=True)
    ((0.0, 98.0, False), (1.0, 40.0, True))
    """
    x = np.sort(numbers[np.isfinite(numbers)])
    if not len(x):
        return 0.0, 1.0, False
    above = x[x > 0]
    if amount and x[0] >= 0 and len(above) and x[-1] > STYLE.log_ratio * above[0]:
        return float(above[0]), float(x[-1]), True
    few = max(1, int(STYLE.far_share * len(x))) if len(x) >= STYLE.min_robust and not amount else 0
    low, high = float(x[few]), float(x[len(x) - 1 - few])
    if not 0 < STYLE.flat_ratio * (high - low) < x[-1] - x[0]:
        return float(x[0]), float(x[-1]), False
    margin = (high - low) / 2
    return float(x[x >= low - margin][0]), float(x[x <= high + margin][-1]), False


def classes_of(values: list) -> list | None:
    """Return the different values in order if they are classes, else None.

    Categories of pandas and polars are classes of any type, in the order of the categories.

    >>> classes_of(["b", "a", "b"]), classes_of(Named(["b", "a", "b"], categories=["b", "c", "a"])), classes_of([0.5])
    (['a', 'b'], ['b', 'a'], None)
    """
    given = {plain_value(value) for value in values if value is not None}
    categories = categories_of(values)
    if categories is not None:
        return [value for value in map(plain_value, categories) if value in given]
    if any(isinstance(value, (float, date, timedelta)) for value in given):
        return None
    if all(isinstance(value, bool) for value in given):
        return sorted(given)
    if all(isinstance(value, int) for value in given):
        return sorted(given) if len(given) <= LEGEND else None

    def order(value: object) -> tuple:
        """Sort "class 10" after "class 9"."""
        parts = enumerate(re.split(r"([0-9]+)", str(value)))
        return isinstance(value, str), [(int(part) if k % 2 else 0, part) for k, part in parts]

    return sorted(given, key=order)


def class_names(values: list) -> Named:
    """Return values as classes: many whole numbers become texts, to avoid a scale."""
    given, categories = {plain_value(value) for value in values if value is not None}, categories_of(values)
    if all(isinstance(value, int) for value in given) and LEGEND < len(given) <= STYLE.max_classes and not categories:
        values = Named((None if value is None else str(plain_value(value)) for value in values), name_of(values))
    return Named(values, name_of(values), categories)


def is_known(value: object) -> bool:
    """Return False for a missing value and an infinite number, which have no color."""
    return not is_missing(value) and not (isinstance(value, (float, np.floating)) and math.isinf(value))
