"""Paper: the color that a picture is drawn on, and the inks that can be read on it.

Dark letters and lines stand on light paper, light ones on dark; in between, whichever differs more from the paper.

>>> paper("white").dark, paper("dark").dark, paper("#777777").dark
(False, True, False)
>>> paper("dark").color, paper(None).color is None
('#14171c', True)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nelayout.errors import InputError

__all__ = ["DARK", "WHITE", "Paper", "paper"]

# Relative luminance below which white letters have more contrast than black ones, by the ratio of WCAG 2.1,
# (L1 + 0.05) / (L2 + 0.05): the root of (1.05) (0.05) = (L + 0.05)^2.
_DARK_BELOW = 0.179


@dataclass(frozen=True, slots=True)
class Paper:
    """The paper of a picture, as far as inks depend on it.

    color  a hex code, or None where nothing is painted behind the drawing
    rgb    red, green and blue from 0 to 1: `color`, or white where that is None
    dark   whether inks are light
    """

    color: str | None
    rgb: tuple[float, float, float]
    dark: bool

    @property
    def ink(self) -> str:
        """The color of letters."""
        return "#e8eaee" if self.dark else "#202020"

    @property
    def soft(self) -> str:
        """The color of notes and ticks."""
        return "#a6adb8" if self.dark else "#505050"

    @property
    def line(self) -> str:
        """The color of edges."""
        return "#c3cad6" if self.dark else "#30343c"

    @property
    def plain(self) -> str:
        """The color of nodes that no color tells apart."""
        return "#62a8ee" if self.dark else "#2c6fbb"

    @property
    def unknown(self) -> str:
        """The color of nodes without a value."""
        return "#6b717b" if self.dark else "#b4b4b4"


def paper(background: Any, ax: Any = None) -> Paper:
    """The paper that `nelayout.draw` is asked for: "auto", "white", "dark", a color, or None for none.

    "auto" is white, and on axes of the user's own what lies behind them, which is not painted again.

    Raises `InputError` for a background that is no color.
    """
    from matplotlib.colors import is_color_like, to_hex, to_rgba

    if isinstance(background, str) and background == "auto":
        if ax is None:
            return WHITE
        r, g, b, opacity = to_rgba(ax.figure.get_facecolor())
        return _on(None, (r, g, b)) if opacity > 0 else _on(None, WHITE.rgb)
    if background is None:
        return _on(None, WHITE.rgb)
    if isinstance(background, str) and background == "dark":
        return DARK
    if not is_color_like(background):
        raise InputError(
            f'background is {background!r}; allowed are "white", "dark", a matplotlib color such as "#102030", None '
            'for a transparent one, and "auto"'
        )
    rgb = to_rgba(background)[:3]
    return _on(to_hex(rgb), rgb)


def _on(color: str | None, rgb: tuple[float, float, float]) -> Paper:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]  # sRGB
    return Paper(color, rgb, float(np.dot([0.2126, 0.7152, 0.0722], linear)) < _DARK_BELOW)


WHITE = Paper("#ffffff", (1.0, 1.0, 1.0), False)
# The background called "dark": nearly black, a little blue, that of many editors and notebooks.
DARK = Paper("#14171c", (0x14 / 255, 0x17 / 255, 0x1C / 255), True)
