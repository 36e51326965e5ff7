"""Paper: the size and background of a picture, and inks with enough contrast to it.

>>> paper("white").dark, paper("dark").dark, paper("#777777").dark
(False, True, False)
>>> paper("dark").color, paper(None).color is None
('#14171c', True)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nelayout.errors import InputError

__all__ = ["DARK", "DIAGRAM", "MIN_WIDTH", "RASTER_FROM", "SHEET", "WHITE", "Paper", "paper"]

SHEET = 8.0  # inches, the longer side of a drawing
DIAGRAM = 1000  # largest number of nodes or edges with shapes of dots and with arrows
RASTER_FROM = 20_000  # number of nodes and edges above which they are an image, also in a vector file
MIN_WIDTH = 0.25  # points, the thinnest edge and the smallest dot by default


@dataclass(frozen=True, slots=True)
class Paper:
    """The paper of a picture.

    color    a hex code, or None: nothing is painted behind the picture
    rgb      red, green and blue from 0 to 1: `color`, or white
    dark     whether inks are light
    ink      the color of letters
    soft     the color of notes and ticks
    line     the color of edges
    plain    the color of nodes without a color
    unknown  the color of nodes without a value
    """

    color: str | None
    rgb: tuple[float, float, float]
    dark: bool
    ink: str = "#202020"
    soft: str = "#505050"
    line: str = "#30343c"
    plain: str = "#2c6fbb"
    unknown: str = "#b4b4b4"


def paper(background: Any, ax: Any = None) -> Paper:
    """Return the paper for a background: "auto", "white", "dark", a color, or None.

    "auto" is `matplotlib.rcParams["figure.facecolor"]`. On axes of the user it is the color behind them, which is not
    painted again. Letters have the color `matplotlib.rcParams["text.color"]` if it shows on the paper.
    """
    from matplotlib import rcParams
    from matplotlib.colors import is_color_like, to_hex, to_rgba

    if isinstance(background, str) and background == "auto":
        given = rcParams["figure.facecolor"] if ax is None else ax.figure.get_facecolor()
        *rgb, opacity = to_rgba(given)
        found = _on(None, tuple(rgb) if opacity > 0 else WHITE.rgb)
        own = to_rgba(rcParams["text.color"])[:3]
        ink = to_hex(own) if _is_dark(own) != found.dark else found.ink
        return replace(found, color=to_hex(given) if ax is None and opacity > 0 else None, ink=ink)
    if background is None:
        return _on(None, WHITE.rgb)
    if isinstance(background, str) and background == "dark":
        return DARK
    if not is_color_like(background):
        raise InputError(
            'background must be "white", "dark", "auto", a matplotlib color such as "#102030", or None for a '
            f"transparent picture; got {background!r}"
        )
    rgb = to_rgba(background)[:3]
    return _on(to_hex(rgb), rgb)


def _on(color: str | None, rgb: Any) -> Paper:
    dark = _is_dark(rgb)
    return Paper(color, rgb, dark, *(_LIGHT_INKS if dark else ()))


def _is_dark(rgb: Any) -> bool:
    """Return whether white letters have more contrast to a color than black ones (WCAG 2.1)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]  # sRGB
    luminance = float(np.dot([0.2126, 0.7152, 0.0722], linear))
    return (luminance + 0.05) ** 2 < 1.05 * 0.05


_LIGHT_INKS = ("#e8eaee", "#a6adb8", "#c3cad6", "#62a8ee", "#6b717b")
WHITE = Paper("#ffffff", (1.0, 1.0, 1.0), False)
DARK = Paper("#14171c", (0x14 / 255, 0x17 / 255, 0x1C / 255), True, *_LIGHT_INKS)
