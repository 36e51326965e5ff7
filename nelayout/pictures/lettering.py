"""How much room a text takes, in points, before there is anything to write it on."""

from __future__ import annotations

import functools
from typing import Any

__all__ = ["fitted", "text_size"]

# Dots per inch at which texts are measured: fine enough that rounding to dots does not show.
_DPI = 288
_LINE = 1.2  # height of a line over the size of its letters


@functools.cache
def _renderer() -> Any:
    from matplotlib.backends.backend_agg import RendererAgg

    return RendererAgg(1, 1, _DPI)


def text_size(text: str, size: float) -> tuple[float, float]:
    """Width and height in points of a text whose letters have `size` points; it may have several lines.

    >>> wide, narrow = text_size("WWWW", 8), text_size("iiii", 8)
    >>> wide[0] > 2 * narrow[0], text_size("one\\ntwo", 8)[1] > text_size("one", 8)[1]
    (True, True)
    """
    from matplotlib.font_manager import FontProperties

    font = FontProperties(size=size)
    lines = str(text).split("\n")
    widths = [_renderer().get_text_width_height_descent(line, font, False)[0] for line in lines]
    return max(widths) * 72 / _DPI, _LINE * size * len(lines)


def fitted(text: str, size: float, room: float) -> str:
    """The text, or as much of it as `room` points hold with an ellipsis in its middle: names differ at their ends.

    >>> fitted("ws-sne", 9, 100), text_size(fitted("a drawing " * 20, 9, 100), 9)[0] <= 100
    ('ws-sne', True)
    """
    if text_size(text, size)[0] <= room:
        return text
    least, most = 0, len(text)  # letters that fit, and that do not
    while most - least > 1:
        middle = (least + most) // 2
        fits = text_size(_cut(text, middle), size)[0] <= room
        least, most = (middle, most) if fits else (least, middle)
    return _cut(text, least)


def _cut(text: str, letters: int) -> str:
    """So many of the letters, half of them from the end."""
    end = letters // 2
    return f"{text[: letters - end]}…{text[len(text) - end :]}"
