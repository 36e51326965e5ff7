"""Convert lists of attribute values to float64; errors name the edge or node::

>>> numbers([1, True, 2.5], "weight", lambda k: f"edge {k}")
array([1. , 1. , 2.5])
>>> numbers([1, "two"], "size", lambda k: f"edge {k}")
Traceback (most recent call last):
...
nelayout.errors.InputError: edge 1 has size 'two'; every size must be a finite number: convert text to numbers first
"""

from __future__ import annotations

import decimal
import numbers as abstract
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from nelayout.errors import InputError

__all__ = [
    "LARGEST_EXACT", "PLAIN_NUMBER", "REAL", "TEXT", "as_float", "numbers", "plain_numbers", "plain_numpy",
    "rounded_note", "short_repr", "utf8", "whole",
]  # fmt: skip

# Advice of the error for text instead of a number.
TEXT = "convert text to numbers first"
# Larger whole numbers are not exact as floats; such names stay text.
LARGEST_EXACT = 2.0**53
# Whole numbers as Python writes them: 1001, but neither 01001 nor +1001, 1e3 or 1.0.
PLAIN_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,15}")
REAL = (abstract.Real, decimal.Decimal, np.bool_)


def numbers(
    values: Sequence | np.ndarray, what: str, name: Callable[[int], str], nonnegative: bool = False,
    negative: str = "", text: str = TEXT,
) -> np.ndarray:  # fmt: skip
    """Return `values` as float64; booleans count as 0 and 1.

    `what` names a value ("mass"), `name` the k-th edge or node, `negative` and `text` advise on such values.
    """

    def refused(k: int, remedy: str) -> InputError:
        must = f"every {what} must be a finite number{' >= 0' * nonnegative}{': ' * bool(remedy)}{remedy}"
        return InputError(f"{name(k)} has {what} {short_repr(values[k])}; {must}")

    result = plain_numbers(values)
    if result is None:
        for k, value in enumerate(values):
            if not isinstance(value, REAL):
                raise refused(k, text if isinstance(value, str) else "")
        result = np.array([as_float(value) for value in values], dtype=np.float64)
    wrong = ~np.isfinite(result)
    if nonnegative:
        wrong |= result < 0
    if wrong.any():
        k = int(np.argmax(wrong))
        raise refused(k, negative if result[k] < 0 else "")
    return result


def whole(names: Sequence[str]) -> list[int] | None:
    """Return names as integers; None unless Python writes each of them in this way.

    >>> whole(["1001", "-3", "0"]), whole(["01001", "1001"]), whole(["1", "1.0"])
    ([1001, -3, 0], None, None)
    """
    if not all(map(PLAIN_NUMBER.fullmatch, names)):
        return None
    found = list(map(int, names))
    return found if all(abs(x) < LARGEST_EXACT for x in found) else None


def rounded_note(names: np.ndarray) -> str:
    """Return a note on whole numbers that a column of floats has rounded, or an empty text."""
    large = names[np.isfinite(names) & (np.abs(names) >= LARGEST_EXACT)]
    if not len(large):
        return ""
    return (
        f"numbers of 2**53 and more, such as {large[0]:.0f}, are rounded in a column of floats: names may have merged. "
        "Read the column as whole numbers or as text"
    )


def plain_numbers(values: object) -> np.ndarray | None:
    """Return `values` as a 1-d float64 array if NumPy takes them for real numbers, else None."""
    try:
        array = np.asarray(values)
    except (ValueError, TypeError, OverflowError):
        return None
    if array.size == 0 and array.ndim == 1:
        return np.zeros(0)
    if array.ndim != 1 or array.dtype.kind not in "biuf":
        return None
    with np.errstate(over="ignore"):
        return array.astype(np.float64)


def utf8(text: str) -> bytes:
    r"""Encode text as UTF-8; write half a pair of surrogates, which has no code, as \ud83d.

    >>> utf8("a\ud83d"), utf8("\u00e9")
    (b'a\\ud83d', b'\xc3\xa9')
    """
    return text.encode("utf-8", "backslashreplace")


def short_repr(value: object) -> str:
    """Return the text of a value for a message: without NumPy's types, at most 80 characters."""
    with plain_numpy():
        text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def plain_numpy() -> AbstractContextManager[object]:
    """Write numbers of NumPy as Python's within the block, also in tuples and sets.

    >>> with plain_numpy():
    ...     repr((np.int64(1), {np.float64(0.5)}))
    '(1, {0.5})'
    """
    return np.printoptions(legacy="1.25")


def as_float(value: Any) -> float:
    """Return a real number as float, infinity for a larger one."""
    try:
        return float(value)
    except OverflowError:
        return float("inf")
