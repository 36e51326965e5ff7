"""A column: one value per node, which a page shows beside a node's name and may color the nodes by.

Values are classes, numbers or texts, by the rule that pictures color by (`nelayout.pictures.colors`):

>>> [Column("x", values).kind for values in (["b", "a", "b"], [0.5, 1.5, 2.5], ["Ann", "Bob", "Eve"])]
['classes', 'numbers', 'texts']
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nelayout.pictures.colors import MANY_CLASSES, classes_of, palette
from nelayout.pictures.pages.packed import packed

__all__ = ["Column", "hex_color", "shortened"]

# Letters of a name or a value that a page keeps: a line of a tooltip holds some 60, and nobody searches for more.
LONGEST = 200
# A color as HTML writes it.
_HEX = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})")


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One value per node.

    name     what a reader chooses it by
    values   in node order, None or NaN where a node has none
    drawing  the name of the drawing that the values belong to, None where they are the same in all; columns of one name
             and different drawings are one choice
    amount   whether the values are amounts, although they may be few different whole numbers, which are else classes
    """

    name: str
    values: Sequence[Any] | np.ndarray
    drawing: str | None = None
    amount: bool = False

    @property
    def kind(self) -> str:
        """The kind of the values: "classes" and "numbers" have colors, "texts" are shown alone."""
        return self._sorted_out()[0]

    def held(self, drawings: Sequence[str]) -> dict[str, Any]:
        """The column as the data of a page; `drawings` are the names of the drawings."""
        kind, known, classes = self._sorted_out()
        result: dict[str, Any] = {"name": self.name, "kind": kind}
        if self.drawing is not None:
            result["drawing"] = drawings.index(self.drawing)
        if kind == "texts":
            return result | {"values": [None if value is None else shortened(value) for value in known]}
        if kind == "numbers":
            numbers = np.array([math.nan if value is None else float(value) for value in known])
            return result | {"values": packed(numbers)}
        number = {name: k for k, name in enumerate(map(str, classes))}
        codes = np.array([-1 if value is None else number[_text(value)] for value in known], np.int16)
        own = [hex_color(name) for name in classes]
        light, dark = ([hex_color(color) for color in palette(len(classes), night)] for night in (False, True))
        colors = {"colors": own if all(own) else light, "dark": own if all(own) else dark}
        return result | {"names": [shortened(name) for name in classes], **colors, "codes": packed(codes)}

    def _sorted_out(self) -> tuple[str, list, list]:
        """The kind, the values with None for every missing one, and the classes where they are some."""
        values = self.values.tolist() if isinstance(self.values, np.ndarray) else list(self.values)
        known = [None if _missing(value) else value for value in values]
        given = [value for value in known if value is not None]
        if not given:
            return "texts", known, []
        if self.amount:
            return "numbers", known, []
        classes = classes_of(known)
        if classes is None:
            return ("numbers" if all(isinstance(x, (int, float, np.number)) for x in given) else "texts"), known, []
        if len(classes) > MANY_CLASSES or (len(classes) == len(given) > 1 and isinstance(classes[0], str)):
            return "texts", known, []
        return "classes", known, classes


def hex_color(color: Any) -> str | None:
    """A color as HTML writes it, None for what is none; names of colors are known where matplotlib is installed.

    >>> hex_color("#0072b2"), hex_color((1.0, 0.0, 0.0)), hex_color("no color")
    ('#0072b2', '#ff0000', None)
    """
    if isinstance(color, str) and _HEX.fullmatch(color):
        return color
    if isinstance(color, tuple) and len(color) in (3, 4):
        return "#" + "".join(f"{round(255 * min(max(float(x), 0.0), 1.0)):02x}" for x in color[:3])
    if not isinstance(color, str) or len(color) < 2 or color[0].isdigit() or color.startswith((".", "(")):
        return None
    try:
        from matplotlib.colors import is_color_like, to_hex
    except ImportError:
        return None
    return to_hex(color) if is_color_like(color) else None


def shortened(value: Any) -> str:
    """A value as text of at most 200 letters; whole numbers without a point.

    >>> shortened(5.0), shortened(("a", 1)), len(shortened("x" * 1000))
    ('5', "('a', 1)", 200)
    """
    text = _text(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _text(value: Any) -> str:
    value = value.item() if isinstance(value, np.generic) else value
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, (float, np.floating)) and not math.isfinite(value))
