"""Turn positions, classes and coordinates, as users give them, into arrays in node order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from nelayout.errors import InputError, InputTypeError
from nelayout.graphs import Network, places, points
from nelayout.graphs.to_floats import short_repr
from nelayout.keywords.options import generator
from nelayout.vectors.input import unmasked

__all__ = [
    "check_rows", "class_names", "coordinates", "every_row", "in_row_order", "integer_seed", "named", "sample_size",
    "seed_count",
]  # fmt: skip


def sample_size(sample: Any) -> str | int | None:
    """Check `sample`: "auto", None, or an integer of at least 2."""
    if sample is None or (isinstance(sample, str) and sample == "auto"):
        return sample
    if isinstance(sample, bool) or not hasattr(sample, "__index__") or int(sample) < 2:
        raise InputError(f'sample={sample!r}; allowed are "auto", None (exact) and a number of at least 2')
    return int(sample)


def integer_seed(seed: object) -> int:
    """Return one integer for any seed, so that the samples of measures are independent."""
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool) and seed >= 0:
        return int(seed)
    return int(generator(seed).integers(2**31 - 1))


def seed_count(seeds: Any) -> int:
    """Check the number of seeds: a whole number of at least 1."""
    if isinstance(seeds, bool) or not hasattr(seeds, "__index__") or int(seeds) < 1:
        raise InputError(f"seeds={seeds!r}; give the number of drawings of each method, at least 1")
    return int(seeds)


@contextmanager
def named(who: str) -> Iterator[None]:
    """Name the drawing, such as "drawing 2", in every error raised within."""
    try:
        yield
    except InputError as error:
        if who in str(error):
            raise
        raise type(error)(f"{who}: {error}") from None
    except (TypeError, ValueError) as error:
        raise InputTypeError(
            f"{who} is not a table of numbers ({error}); give positions: a dict keyed by node, or an "
            "array (n, dim) in node order"
        ) from None


def class_names(network: Network, labels: object) -> list | None:
    """Return a class per node, None for an unknown one (None, NaN, -1, "", not in the dict)."""
    if labels is None:
        return None
    try:
        names = network.host.objects(labels, "labels")
    except InputError as error:
        texts = [labels] if isinstance(labels, str) else labels if isinstance(labels, (list, tuple)) else []
        if texts and all(isinstance(text, str) for text in texts):
            raise InputError(f"{error}. Names of measures are given by measures=") from None
        raise
    for i, label in enumerate(names):
        try:
            if label in {"", -1}:
                names[i] = None
        except (TypeError, ValueError):
            raise InputError(
                f"the label of node {network.labels[i]!r} is {label!r}; "
                "a class is a number or a name: give one per node"
            ) from None
    return names


def coordinates(network: Network, coords: object) -> np.ndarray | None:
    """Return (n, d') float64 from a dict, a Layout or an array; NaN rows if unknown."""
    if coords is None:
        return None
    given = network.host.objects(coords if isinstance(coords, str) else places(coords, network.host).given, "coords")
    width = next((np.size(row) for row in given if row is not None), 2)
    result = np.full((len(network.labels), width), np.nan)
    for i, row in enumerate(given):
        try:
            result[i] = np.nan if row is None else np.asarray(row, np.float64)
        except (TypeError, ValueError):
            raise InputError(
                f"the coordinates of node {network.labels[i]!r} are {row!r}; "
                f"give {width} numbers per node, or NaN where they are not known"
            ) from None
    result[~np.isfinite(result).all(axis=1)] = np.nan
    return result


def every_row(pos: object, n: int, what: str) -> np.ndarray:
    """Return positions (n, dim) float64 of n rows; `InputError` names a row without one."""
    opened = places(pos, points(np.zeros((n, 2))).host)
    check_rows(what, opened.given, n)
    by_row = isinstance(opened.given, Mapping)
    rows = [opened.given.get(row) for row in range(n)] if by_row else unmasked(opened.rows)
    try:
        Y = np.array(rows, np.float64)
    except (TypeError, ValueError):
        Y = np.zeros(0)
    dim = max(opened.dim, 1)
    if Y.shape != (n, dim) or not np.isfinite(Y).all():
        strange = next(row for row, given in enumerate(rows) if not _is_position(given, dim))
        given = short_repr(getattr(rows[strange], "tolist", lambda: rows[strange])())
        raise InputError(
            f"{what} must have a list of {dim} finite numbers for each row of X; got {given} for row {strange}. "
            "Give it a position, or leave the row out of X"
        )
    return Y


def in_row_order(X: Any, pos: Any) -> Any:
    """Return positions (n, dim), of a frame in the order of the rows of the frame X."""
    if not all(hasattr(each, "columns") and hasattr(each, "loc") for each in (X, pos)):
        return pos
    same = len(X) == len(pos) and X.index.is_unique and set(X.index) == set(pos.index)
    return pos.loc[X.index] if same else pos


def _is_position(given: object, dim: int) -> bool:
    try:
        row = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        return False
    return row.shape == (dim,) and bool(np.isfinite(row).all())


def check_rows(what: str, values: Any, n: int) -> None:
    """Raise `InputError` unless values have one entry a row, are one number, or a dict by row."""
    if values is None or (np.isscalar(values) and not isinstance(values, str)):
        return
    given = getattr(values, "positions", values)
    if isinstance(given, str):
        raise InputError(f"{what}={given!r} is a name, and rows of vectors have no attributes; give one entry for each")
    if isinstance(given, Mapping):
        strange = next((key for key in given if key not in range(n)), None)
        if strange is not None:
            raise InputError(f"{what} has the key {strange!r}; rows are numbered 0 to {n - 1}")
    elif hasattr(given, "__len__") and len(given) != n:
        raise InputError(f"{what} has {len(given)} entries and X has {n} rows; give one for each row of X")
