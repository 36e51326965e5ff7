"""Colors of classes that readers can tell apart, on light and on dark paper, whatever colors their eyes can see.

Eight colors are as many as stay far apart for readers without red, green or blue cones as well. The palettes go on to
24, and the shape of the dots says which eight of them a class is from:

>>> palette(9)[0], palette(9, dark=True)[0], [class_shape(k) for k in (0, 7, 8, 23)]
('#0072b2', '#56b4e9', [0, 0, 1, 2])
"""

from __future__ import annotations

import colorsys
from typing import Any

__all__ = ["APART", "EIGHT", "ON_DARK", "ON_WHITE", "class_shape", "palette"]

# Colors of one shape.
EIGHT = 8
# Least distance (CIE 1976, in CIELAB, where 2.3 is just seen) of two colors of one eight, as most people see them, and
# as Machado, Oliveira and Fernandes (2009) simulate protanopia, deuteranopia and tritanopia.  Okabe and Ito's reach 16.
APART = 16.0
# Okabe and Ito's colors (2002) without the yellow, and others that a search over a grid of colors found farthest from
# these and from each other, for all four kinds of readers; of lightness up to 80, so that they show on white.
ON_WHITE = (
    "#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#330088", "#442200",
    "#aacc00", "#cc0011", "#002255", "#33ccee", "#9955dd", "#eeaa77", "#551111", "#ff3399",
    "#66ccbb", "#aa5500", "#0055cc", "#cccc33", "#551144", "#ff88ff", "#223300", "#ee2266",
)  # fmt: skip
# Likewise, of lightness from 50 to 90.
ON_DARK = (
    "#56b4e9", "#ffaa33", "#ff6677", "#00ffbb", "#7766dd", "#ccee88", "#aa7799", "#338822",
    "#dd8866", "#0088ff", "#ffcc44", "#00ddff", "#dd4477", "#bbeebb", "#9966aa", "#779900",
    "#99cc44", "#dd4499", "#ee9999", "#887700", "#88eeee", "#eedd99", "#338855", "#bb88ff",
)  # fmt: skip
# Lightness of the colors beyond these, on white and on dark.
_LIGHTNESS = {False: (0.40, 0.62, 0.27), True: (0.60, 0.78, 0.47)}


def palette(k: int, dark: bool = False) -> list[Any]:
    """k colors: the palette, and beyond its 24, hues by the golden ratio in three brightnesses."""
    known = ON_DARK if dark else ON_WHITE
    if k <= len(known):
        return list(known[:k])
    return [colorsys.hls_to_rgb((0.61803398875 * i) % 1.0, _LIGHTNESS[dark][i % 3], 0.65) for i in range(k)]


def class_shape(k: int) -> int:
    """The shape of the dots of class k: 0 circles, 1 triangles, 2 squares."""
    return k // EIGHT % 3
