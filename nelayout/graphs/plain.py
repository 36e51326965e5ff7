"""Values of any package as Python's: missing values, numbers, dates and texts.

>>> from decimal import Decimal
>>> plain_value(np.float64(5.0)), plain_value(Decimal("0.25")), plain_value(np.datetime64("2024-05-01T00:00"))
(5, 0.25, datetime.datetime(2024, 5, 1, 0, 0))
>>> plain_text((np.int64(3), "a")), is_missing(np.datetime64("NaT")), is_missing("")
("(3, 'a')", True, False)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Any

import numpy as np

from nelayout.graphs.to_floats import REAL, as_float, plain_numpy

__all__ = [
    "Named", "Plain", "is_missing", "listed", "listed_words", "plain_text", "plain_value", "python_value", "spelled",
]  # fmt: skip

Plain = bool | int | float | str | date | timedelta


class Named(list):
    """Values in node order or edge order.

    name        the heading of their legend, or ""
    categories  all classes in their order, if the values come from pandas' or polars' categories, else None
    """

    def __init__(self, values: Iterable[object], name: str = "", categories: list | None = None):
        super().__init__(values)
        self.name, self.categories = name, categories


def listed(x: Any) -> Named:
    """Return the values of an array, Series, column or sequence, None for missing ones."""
    convert = next((found for name in ("to_pylist", "tolist", "to_list") if (found := getattr(x, name, None))), None)
    dates = isinstance(x, np.ndarray) and x.dtype.kind in "mM"  # tolist makes whole numbers of nanoseconds
    values = list(x) if convert is None or dates else convert()
    return Named((None if is_missing(value) else value for value in values), name_of(x), categories_of(x))


def name_of(x: object) -> str:
    """Return the name of a Series or of other named values, "" without one."""
    name = getattr(x, "name", None)
    return name if isinstance(name, str) else ""


def categories_of(x: Any) -> list | None:
    """Return the categories of pandas or polars in their order; None for other types."""
    given = x.categories if isinstance(x, Named) else getattr(getattr(x, "dtype", None), "categories", None)
    convert = getattr(given, "tolist", None) or getattr(given, "to_list", None)
    return given if isinstance(given, list) else None if convert is None else convert()


def is_missing(value: Any) -> bool:
    """Return True for None, NaN, NaT, `pandas.NA`, a masked entry and a null of Arrow."""
    if isinstance(value, (str, int)):
        return False
    value = python_value(value)
    if value is None or value is np.ma.masked:
        return True
    if hasattr(value, "__len__"):
        return False
    try:
        return bool(value != value)  # noqa: PLR0124  NaN and NaT differ from themselves
    except TypeError:  # pandas.NA: the comparison is missing, too
        return True


def python_value(value: Any) -> Any:
    """Return a scalar of NumPy or Arrow as Python's, a time as `datetime`; others unchanged.

    Python's times have microseconds. A time with nanoseconds stays as it is.
    """
    if isinstance(value, (np.datetime64, np.timedelta64)):
        rounded = _in_microseconds(value)
        return rounded.item() if np.isnat(value) or rounded == value else value
    if isinstance(value, np.generic):
        return value.item()
    return value.as_py() if hasattr(value, "as_py") else value


def _in_microseconds(value: Any) -> Any:
    return value.astype(f"{value.dtype.kind}8[us]")


def plain_value(value: Any) -> Plain:
    """Return a value as Python's bool, int (5 for 5.0), float, date, duration or text.

    A time with nanoseconds is rounded down to microseconds. A period of pandas is its first day or moment.
    """
    value = python_value(value)
    if isinstance(value, (np.datetime64, np.timedelta64)):
        value = _in_microseconds(value).item()
    if hasattr(value, "to_timestamp"):
        value = value.to_timestamp()
    if isinstance(value, (bool, str, date, timedelta)):
        return value
    if not isinstance(value, REAL):
        return plain_text(value)
    number: Any = value
    real = as_float(number)
    return int(number) if math.isfinite(real) and number == int(number) else real


def plain_text(value: object) -> str:
    """Return the text of a value; numbers of NumPy in tuples and sets are written as Python's."""
    value = python_value(value)
    if isinstance(value, (str, int, float)):
        return str(value)
    with plain_numpy():
        return str(value).replace("T", " ") if isinstance(value, np.datetime64) else str(value)


def listed_words(words: Sequence[str]) -> str:
    """Return words with commas and an "and".

    >>> listed_words(["a"]), listed_words(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def spelled(value: object) -> str:
    """Return the text of a name or label: 5 for 5.0, as GraphML has it."""
    value = python_value(value)
    return str(int(value)) if isinstance(value, float) and value.is_integer() else plain_text(value)
