"""The bound on a sample of pairs, with its gradient in the positions.

The kernel of two nodes at distance 2::

    >>> kernel(np.array([[0.0, 0.0], [2.0, 0.0]]), np.array([0]), np.array([1]))
    array([0.2])
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nelayout.errors import InputError
from nelayout.formula.divergences.f_functions import FFunction
from nelayout.numerics.pytorch import torch_module
from nelayout.variational.network import NodeNetwork

__all__ = ["Turn", "kernel", "positive"]

# Below this spread of ln q there is no slope to be told.
LEAST_SPREAD = 1e-6


@dataclass(frozen=True, slots=True)
class Turn:
    """The bound on a sample of pairs, as a function of the network and of the positions.

    usual   b_0 and b_1: f*(h) - h p / q is about b_0 + b_1 ln q for most pairs, whose sum with q is known; only what
            differs from it is sampled
    """

    line: FFunction
    network: NodeNetwork
    drawn: tuple[np.ndarray, ...]
    usual: tuple[float, float] = (0.0, 0.0)
    hidden: Any = None

    @classmethod
    def of(
        cls, line: FFunction, network: NodeNetwork, drawn: tuple[np.ndarray, ...], q: np.ndarray, logarithm: bool
    ) -> Turn:
        """Make the turn that begins at drawn similarities q; with ``logarithm``, b_1 is fitted too."""
        torch = torch_module()

        i, j, _, p = drawn
        hidden, shares = network.hidden(i, j, p), torch.from_numpy(q)
        turn = cls(line, network, drawn, hidden=hidden)
        network.settle(lambda x: turn._gain(x, shares), hidden, shares)
        x = network.score(hidden, shares)
        costs = line.conjugate(x).numpy() - line.h(x).numpy() * p / q
        rest = p <= p.min()  # edges are few, and their costs large
        if logarithm and np.ptp(np.log(q[rest])) > LEAST_SPREAD:
            b_1, b_0 = np.polyfit(np.log(q[rest]), costs[rest], 1, w=q[rest])
        else:
            b_1, b_0 = 0.0, np.median(costs[rest])
        return cls(line, network, drawn, (float(b_0), float(b_1)), hidden)

    def bound(self, q: Any) -> Any:
        """sum weight [h p - (f*(h) - b_0 - b_1 ln q) q] - b_0: all but b_1 sum q ln q, which is not sampled."""
        return self._sum(self.network.score(self._hidden(), q), q)

    def _sum(self, x: Any, q: Any) -> Any:
        usual = self.usual[0] + self.usual[1] * q.log() if self.usual[1] else self.usual[0]
        return self._gain(x, q, usual).sum() - self.usual[0]

    def _gain(self, x: Any, q: Any, usual: Any = 0.0) -> Any:
        """weight [h p - (f*(h) - usual) q] of each pair."""
        weight, p = (torch_module().from_numpy(part) for part in self.drawn[2:])
        return weight * (self.line.h(x) * p - (self.line.conjugate(x) - usual) * q)

    def _hidden(self) -> Any:
        i, j, _, p = self.drawn
        return self.network.hidden(i, j, p) if self.hidden is None else self.hidden

    def value(
        self, Y: np.ndarray, normalizer: Callable[[np.ndarray], tuple[Any, ...]]
    ) -> tuple[float, np.ndarray]:
        """The bound and its gradient (n, d) in Y, Z's included."""
        i, j = self.drawn[:2]
        apart = Y[i] - Y[j]
        q = 1.0 / (1.0 + np.einsum("ij,ij->i", apart, apart))
        Z, slope, *entropy = normalizer(Y)
        Z = positive(Z)
        value, rates = self._rates(q / Z)
        pull = (-2.0 * rates * q * q / Z)[:, None] * apart
        n = len(Y)
        sums = [np.bincount(i, along, minlength=n) - np.bincount(j, along, minlength=n) for along in pull.T]
        total, gradient = value, np.stack(sums, axis=1) - (np.sum(rates * q) / Z**2) * slope
        if self.usual[1]:  # sum q/Z ln(q/Z) = sum q ln q / Z - ln Z
            L, slope_of_L = entropy
            total -= self.usual[1] * (L / Z - math.log(Z))
            gradient -= (self.usual[1] / Z) * (slope_of_L - (L / Z + 1.0) * slope)
        return total, gradient

    def stiffness(self, q: np.ndarray, Z: float, n: int) -> np.ndarray:
        """(n,) the sum of what pulls at each node, and no less than its mean; q is not divided by Z yet."""
        i, j = self.drawn[:2]
        pull = np.maximum(-2.0 * self._rates(q / Z)[1] * q * q / Z, 0.0)
        sums = np.bincount(i, pull, minlength=n) + np.bincount(j, pull, minlength=n)
        return np.maximum(sums, float(np.mean(sums)) or 1.0)

    def _rates(self, share: np.ndarray) -> tuple[float, np.ndarray]:
        """The bound and its derivatives in each share q / Z, by way of what the network sees of it too."""
        torch = torch_module()

        score, steep = self.network.score_and_slope(self._hidden(), share)
        with torch.enable_grad():
            x, shares = (torch.from_numpy(part).requires_grad_() for part in (score, share))
            value = self._sum(x, shares)
            by_score, by_share = (part.numpy() for part in torch.autograd.grad(value, (x, shares)))
        return float(value.detach()), by_share + by_score * steep / share


def kernel(Y: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """q = 1/(1 + |y_i - y_j|^2) of the pairs."""
    return 1.0 / (1.0 + ((Y[i] - Y[j]) ** 2).sum(axis=1))


def positive(Z: Any) -> float:
    """Z, or `InputError`."""
    if not (math.isfinite(Z) and Z > 0):
        raise InputError(f"normalizer gave {Z!r}; it must give the sum of q over all pairs, a positive finite number")
    return float(Z)
