"""The compiled loop that paints lines."""

from __future__ import annotations

import numpy as np

from nelayout.numerics.compiling import exact_loop

__all__ = ["add_lines"]


@exact_loop
def add_lines(image: np.ndarray, ends: np.ndarray, ink: np.ndarray, tint: np.ndarray) -> None:
    """Add the ink of lines to `image` (height, width, 1 or 4), which is changed.

    ends (m, 4) are x0, y0, x1, y1 in pixels, at least one pixel inside the image. A line adds ``ink`` (m,) per pixel of
    its length, shared by the two nearest pixels across it. The last three of 4 channels take ink times ``tint`` (m, 3).
    """
    height, width, channels = image.shape
    flat = image.reshape(height * width, channels)
    for k in range(len(ends)):
        x0, y0, x1, y1 = ends[k, 0], ends[k, 1], ends[k, 2], ends[k, 3]
        forth, across = 1, width
        if abs(y1 - y0) > abs(x1 - x0):
            x0, y0, x1, y1 = y0, x0, y1, x1
            forth, across = width, 1
        if x0 > x1:
            x0, y0, x1, y1 = x1, y1, x0, y0
        along = x1 - x0
        if along == 0.0:
            continue
        slope = (y1 - y0) / along
        strength = ink[k] * np.sqrt(1.0 + slope * slope)
        for column in range(int(x0), int(x1) + 1):
            left, right = max(x0, float(column)), min(x1, column + 1.0)
            y = y0 + slope * ((left + right) / 2 - x0) - 0.5
            row = int(y)
            share = y - row
            at = column * forth + row * across
            amount = strength * (right - left)
            far = amount * share
            near = amount - far
            flat[at, 0] += near
            flat[at + across, 0] += far
            if channels > 1:
                for c in range(3):
                    flat[at, c + 1] += near * tint[k, c]
                    flat[at + across, c + 1] += far * tint[k, c]
