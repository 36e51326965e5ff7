"""The true coordinates of nodes, out of the node attributes that `--coords` names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from nelayout.errors import InputError, near_matches, unknown

if TYPE_CHECKING:
    from nelayout.graphs.files import GraphFile

__all__ = ["true_coordinates"]

# Names of attributes that are degrees on the globe.
LONGITUDE = {"lon", "long", "lng", "longitude"}
LATITUDE = {"lat", "latitude"}


def true_coordinates(text: str, file: GraphFile) -> tuple[np.ndarray, tuple[str, ...]]:
    """(n, d) true coordinates out of node attributes, NaN where unknown; and what was done with them."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    columns = []
    for name in names:
        if name not in file.node_data:
            raise unknown("node attribute for --coords", name, file.node_data)
        columns.append(
            [_place(value, name, label) for value, label in zip(file.node_data[name], file.labels, strict=True)]
        )
    widths = {np.size(value) for column in columns for value in column if value is not None}
    if len(names) == 1 and len(widths) == 1 and widths != {1}:
        width = widths.pop()
        return np.array([np.full(width, np.nan) if value is None else value for value in columns[0]]), ()
    if len(names) < 2 or not widths <= {1}:
        near = near_matches(text, file.node_data)
        raise InputError(
            f"--coords {text}: give two node attributes with one number each, such as lon,lat, or one with all "
            f"coordinates of a node; the graph has {', '.join(map(repr, file.node_data)) or 'none'}"
            + (f" (did you mean {near[0]!r}?)" if near and near[0] != text else "")
        )
    Y = np.array([[np.nan if value is None else float(value) for value in row] for row in zip(*columns, strict=True)])
    words = [name.lower() for name in names]
    if len(words) != 2 or not (LONGITUDE & set(words) and LATITUDE & set(words)):
        return Y, ()
    x, y = (0, 1) if words[0] in LONGITUDE else (1, 0)
    middle = float(np.nanmedian(Y[:, y])) if np.isfinite(Y[:, y]).any() else 0.0
    flat = np.stack([Y[:, x] * math.cos(math.radians(middle)), Y[:, y]], axis=1)
    return flat, (f"{names[x]} and {names[y]} are degrees: the map is true to shape at latitude {middle:.4g}",)


def _place(value: Any, name: str, label: Any) -> Any:
    """A number or several, None where unknown."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    try:
        place = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"node {label!r} has {name} {value!r}; --coords needs attributes that are numbers") from None
    return place if np.isfinite(place).all() else None
