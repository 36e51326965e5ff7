"""Names of parts that carry numbers: "beta:0.5", "fixed:2", "mix:0.3:kl:js".

Kernels, connections and divergences write their names with `spell` and take them apart with `split`, so that every name
that the package prints can be read back.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["as_number", "number_count", "spell", "split"]


def spell(name: str, *numbers: float) -> str:
    """Name and numbers with colons between, each number in the fewest digits that give the same float back.

    >>> spell("beta", 0.5), spell("alpha", 1 / 3)
    ('beta:0.5', 'alpha:0.3333333333333333')
    """
    return ":".join([name, *(f"{x:g}" if float(f"{x:g}") == x else repr(float(x)) for x in numbers)])


def split(name: str) -> tuple[str, list[str]]:
    """The family and the words behind its colons, in lower case.

    >>> split("Heavy_Tailed:2")
    ('heavy-tailed', ['2'])
    """
    family, *words = name.strip().lower().replace("_", "-").split(":")
    return family, words


def as_number(word: str) -> float | None:
    """The number that a word spells, None where it spells none."""
    try:
        return float(word)
    except ValueError:
        return None


def number_count(make: Callable[..., Any]) -> tuple[int, int]:
    """How many numbers a maker of parts needs and how many it takes at most: its parameters annotated ``float``."""
    numbers = [p for p in inspect.signature(make).parameters.values() if p.annotation in (float, "float")]
    return sum(p.default is p.empty for p in numbers), len(numbers)
