"""How large a dot is: one rule for pictures, which draw dots, and for layouts, which keep room for them.

>>> round(dot_diameter(25), 3), round(dot_diameter(10_000), 4), round(dot_diameter(100, shape=0.1), 4)
(0.038, 0.0048, 0.0151)
"""

from __future__ import annotations

import math

__all__ = ["FLATTEST", "dot_diameter"]

# Share of the sheet that all dots cover together: a tenth would hide edges, a hundredth be dust.  Set by eye.
_COVER = 0.045
# Largest dot, in half-widths: 11 points on the 8 inches of a picture, the size of a line of text.
_LARGEST = 11 / 288
# Least ratio of a sheet's sides: a path lies on a strip of this shape.
FLATTEST = 0.1


def dot_diameter(n_nodes: int, shape: float = 1.0) -> float:
    """Diameter of a dot of `nelayout.draw` in half-widths of the drawing, that is in units of ``scale``.

    A drawing of `n_nodes` nodes that fits [-1, 1] has dots of at most this diameter in its units: discs that do
    not overlap at it do not overlap in the picture.  `shape` is the shorter side of the drawing over the longer one,
    in [0, 1]: a strip has less room, and smaller dots.
    """
    area = 4.0 * min(1.0, max(shape, FLATTEST))
    return min(_LARGEST, math.sqrt(_COVER * area / (max(n_nodes, 1) * math.pi / 4)))
