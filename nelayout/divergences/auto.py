"""An alpha divergence whose order is still to be chosen from the data, and what the choice is to look at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nelayout.alpha.choice import ESTIMATORS, GRID
from nelayout.alpha.density import checked_order
from nelayout.divergences.alpha import Alpha
from nelayout.errors import InputError, unknown

__all__ = ["AutoAlpha", "auto_alpha"]

REFINEMENTS = 7  # drawings of a golden section over two steps of the usual grid


@dataclass(frozen=True, slots=True)
class AutoAlpha(Alpha):
    """An order to be chosen; until then it is the one at which the choice begins.

    grid       orders to try
    estimator  "score matching" or "likelihood"
    refine     whether to look between the orders of the grid
    """

    grid: tuple[float, ...] = GRID
    estimator: str = "score matching"
    refine: bool = True

    @property
    def name(self) -> str:
        return "alpha:auto"

    @property
    def drawings(self) -> int:
        """How many the choice takes, about."""
        return len(self.grid) + (REFINEMENTS if self.refine and len(self.grid) > 1 else 0)


def auto_alpha(
    *, grid: Iterable[float] = GRID, estimator: str = "score matching", refine: bool = True
) -> AutoAlpha:
    """An alpha divergence of the order that fits the data best (Amid, Dikmen & Oja 2015, sec. 3).

    Parameters
    ----------
    grid : default 1, 0.9, ..., 0.1
        orders to try, > 0 (at others pairs without an edge need a background, which is nothing to be fitted)
    estimator : default "score matching"
        or "likelihood"; both are computed, this one decides
    refine : default True
        whether to look between the orders of the grid

    Examples
    --------
    >>> auto_alpha(grid=[1.0, 0.5]).grid
    (1.0, 0.5)
    """
    if estimator not in ESTIMATORS:
        raise unknown("estimator", estimator, ESTIMATORS)
    if not isinstance(refine, bool):
        raise InputError(f"refine must be True or False, given {refine!r}")
    try:
        orders = tuple(sorted({checked_order(order) for order in grid}, reverse=True))
    except TypeError:
        raise InputError(f"grid must be a list of orders > 0, given {grid!r}") from None
    if not orders or orders[-1] <= 0:
        raise InputError(f"grid must hold at least one order, all > 0, given {orders}")
    first = max((order for order in orders if order <= 1.0), default=min(orders))
    return AutoAlpha(first, orders, estimator, refine)
