"""Paper: the background of a picture, and inks with enough contrast to it.

>>> paper("white").dark, paper("dark").dark, paper("#777777").dark
(False, True, False)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nelayout.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DARK", "WHITE", "Paper", "paper"]


@dataclass(frozen=True, slots=True)
class Paper:
    """The paper of a picture."""

    color: str | None  # a hex code, or None: nothing is painted behind the picture
    rgb: tuple[float, float, float]  # from 0 to 1: `color`, or white
    dark: bool  # whether inks are light
    ink: str = "#202020"  # letters
    soft: str = "#505050"  # notes and ticks
    line: str = "#30343c"  # edges
    plain: str = "#2c6fbb"  # nodes without a color
    unknown: str = "#b4b4b4"  # nodes without a value


def paper(background: Any, ax: Axes | None = None) -> Paper:
    """Return the paper for a background: "auto", "white", "dark", a color, or None."""
    from matplotlib import rcParams
    from matplotlib.colors import is_color_like, to_hex, to_rgba

    if isinstance(background, str) and background == "auto":  # on axes of the user, the color behind them
        given = rcParams["figure.facecolor"] if ax is None else ax.figure.get_facecolor()
        red, green, blue, opacity = to_rgba(given)
        found = _on(None, (red, green, blue) if opacity > 0 else WHITE.rgb)
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


def _on(color: str | None, rgb: tuple[float, float, float]) -> Paper:
    return Paper(color, rgb, _is_dark(rgb), *(_LIGHT_INKS if _is_dark(rgb) else ()))


def _is_dark(rgb: tuple[float, float, float]) -> bool:
    """Return whether white letters have more contrast to a color than black ones (WCAG 2.1)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]  # sRGB
    luminance = float(np.dot([0.2126, 0.7152, 0.0722], linear))
    return (luminance + 0.05) ** 2 < 1.05 * 0.05


_LIGHT_INKS = ("#e8eaee", "#a6adb8", "#c3cad6", "#62a8ee", "#6b717b")
WHITE = Paper("#ffffff", (1.0, 1.0, 1.0), False)
DARK = Paper("#14171c", (0x14 / 255, 0x17 / 255, 0x1C / 255), True, *_LIGHT_INKS)
