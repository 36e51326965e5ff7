"""Names of parts that carry numbers, such as "beta:0.5", and the check of these numbers.

Kernels, connections and divergences write their names with `spell` and read them with `split`.
So every name that the package prints can be read back.
"""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np

from nelayout.errors import InputError

__all__ = ["as_number", "number_within", "spell", "split"]


def spell(name: str, *numbers: float) -> str:
    """Return name and numbers with colons between, each number in its shortest exact form.

    >>> spell("beta", 0.5), spell("alpha", 1 / 3)
    ('beta:0.5', 'alpha:0.3333333333333333')
    """
    return ":".join([name, *(f"{x:g}" if float(f"{x:g}") == x else repr(float(x)) for x in numbers)])


def split(name: str) -> tuple[str, list[str]]:
    """Return the family and the words after the colons, in lower case.

    >>> split("Heavy_Tailed:2")
    ('heavy-tailed', ['2'])
    """
    family, *words = name.strip().lower().replace("_", "-").split(":")
    return family, words


def as_number(word: str) -> float | None:
    """Return the number in a word, or None."""
    try:
        return float(word)
    except ValueError:
        return None


def number_within(
    value: Any, name: str, low: float = -math.inf, high: float = math.inf, *, open_ends: bool = False
) -> float:
    """Return a finite number in [low, high], or (low, high) if ``open_ends``; else InputError.

    >>> number_within(1, "kappa", 0.0, 1.0)
    1.0
    """
    if isinstance(value, Real) and not isinstance(value, (bool, np.bool_)):
        number = float(value)
        if math.isfinite(number) and (low < number < high if open_ends else low <= number <= high):
            return number
    if math.isfinite(high):
        rule = f"number {'between' if open_ends else 'from'} {low:g} {'and' if open_ends else 'to'} {high:g}"
    else:
        rule = "finite number" + (f" {'>' if open_ends else '>='} {low:g}" if math.isfinite(low) else "")
    raise InputError(f"{name} must be a {rule}; got {value!r}")
