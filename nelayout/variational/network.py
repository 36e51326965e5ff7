"""The network of variational ft-SNE, and its bound on a sample of pairs, with the gradient in the positions.

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

from nelayout.divergences.f_functions import FFunction, torch_module
from nelayout.errors import InputError

__all__ = ["PairNetwork", "Turn", "kernel", "positive"]


# Steps by which the last layer is fitted to the pairs of a turn, and what keeps its equations apart from singular.
NEWTON, RIDGE = 20, 1e-9
# A step is halved as often as this, until the bound rises: far from the best, where x stands in exponents, most of it
# is too far.  Steps end when they bring less than this part of the bound.
HALVINGS, REST = 20, 1e-10
# Below this spread of ln q there is no slope to be told.
LEAST_SPREAD = 1e-6


@dataclass(frozen=True, slots=True)
class PairNetwork:
    """x of pairs, from what is known of both nodes, p_ij and q_ij: f, p -> width -> width, and g, 2 width + 3 -> 1.

    The last layer of g sees p and q itself, too: the greatest bound has x = ln(p/q), or half of that, for each of the
    divergences.  Weights are drawn by He's rule, but the last layer is 0: before it has learned it says the same of all
    pairs.
    """

    X: Any
    weights: list[Any]

    @classmethod
    def of(cls, X: Any, width: int, rng: np.random.Generator) -> PairNetwork:
        torch = torch_module()

        layers = ((X.shape[1], width), (width, width), (2 * width + 3, width), (width + 3, 1))
        values = [(rng.normal(size=layer) * math.sqrt(2.0 / max(layer[0], 1)), np.zeros(layer[1])) for layer in layers]
        values[-1][0][:] = 0.0
        return cls(X, [torch.from_numpy(part).requires_grad_() for pair in values for part in pair])

    def hidden(self, i: np.ndarray, j: np.ndarray, p: np.ndarray) -> tuple[Any, Any]:
        """(pairs, width) and (pairs, 2): all that enters the last two layers, q aside; it stays while only positions
        move.
        """
        torch = torch_module()

        A, a, B, b, C, c, _, _ = self.weights
        f = (self.X @ A + a).relu() @ B + b
        f_i, f_j = f[torch.from_numpy(i)], f[torch.from_numpy(j)]
        some = p > 0
        known = torch.from_numpy(np.stack([some, np.log(np.where(some, p * self.even, 1.0))], axis=1))
        return torch.cat([f_i + f_j, f_i * f_j, known], dim=1) @ C[:-1] + c, known

    def last(self, hidden: tuple[Any, Any], q: Any) -> Any:
        """(pairs, width + 3): what the last layer sees of pairs that are drawn at q."""
        torch = torch_module()

        drawn = (q * self.even).log()
        return torch.cat([torch.addr(hidden[0], drawn, self.weights[4][-1]).relu(), hidden[1], drawn[:, None]], dim=1)

    def score(self, hidden: tuple[Any, Any], q: Any) -> Any:
        """x of pairs."""
        return (self.last(hidden, q) @ self.weights[6] + self.weights[7])[:, 0]

    def score_and_slope(self, hidden: tuple[Any, Any], q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """x and its derivative in ln q, as arrays."""
        from nelayout.numerics import vector_loops

        inner, known = (part.detach().numpy() for part in hidden)
        rate, D, d = (self.weights[k].detach().numpy() for k in (4, 6, 7))
        drawn, last = np.log(q * self.even), D[:, 0].copy()
        score, slope = np.empty(len(q)), np.empty(len(q))
        vector_loops.hinges(inner, drawn, rate[-1], last[:-3], score, slope)
        return score + known @ last[-3:-1] + drawn * last[-1] + d, slope + last[-1]

    @property
    def even(self) -> float:
        """1 over what p and q would be if all pairs were alike."""
        return float(len(self.X) * (len(self.X) - 1))


@dataclass(frozen=True, slots=True)
class Turn:
    """The bound on a sample of pairs, as a function of the network and of the positions.

    usual   b_0 and b_1: f*(h) - h p / q is about b_0 + b_1 ln q for most pairs, whose sum with q is known; only what
            differs from it is sampled
    """

    line: FFunction
    network: PairNetwork
    drawn: tuple[np.ndarray, ...]
    usual: tuple[float, float] = (0.0, 0.0)
    hidden: tuple[Any, Any] | None = None

    @classmethod
    def of(
        cls, line: FFunction, network: PairNetwork, drawn: tuple[np.ndarray, ...], q: np.ndarray, logarithm: bool
    ) -> Turn:
        """Make the turn that begins at drawn similarities q; with ``logarithm``, b_1 is fitted too."""
        torch = torch_module()

        i, j, _, p = drawn
        hidden, shares = network.hidden(i, j, p), torch.from_numpy(q)
        turn = cls(line, network, drawn, hidden=hidden)
        turn.settle(hidden, shares)
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
        i, j, _, p = self.drawn
        return self._sum(self.network.score(self.hidden or self.network.hidden(i, j, p), q), q)

    def _sum(self, x: Any, q: Any) -> Any:
        torch = torch_module()

        weight, p = (torch.from_numpy(part) for part in self.drawn[2:])
        usual = self.usual[0] + self.usual[1] * q.log() if self.usual[1] else self.usual[0]
        terms = self.line.h(x) * p - (self.line.conjugate(x) - usual) * q
        return (weight * terms).sum() - self.usual[0]

    def settle(self, hidden: tuple[Any, Any], q: Any) -> None:
        """Fit the last layer alone, by Newton's method, so that the bound is nearly greatest."""
        torch = torch_module()

        seen = self.network.last(hidden, q)
        seen = torch.cat([seen, torch.ones_like(seen[:, :1])], dim=1)
        _, _, weight, p = (torch.from_numpy(part) for part in self.drawn)
        layer = torch.cat([part.detach().reshape(-1) for part in self.network.weights[6:8]])

        def terms(x: Any) -> Any:
            return weight * (self.line.h(x) * p - self.line.conjugate(x) * q)

        value = terms(seen @ layer).sum()
        for _ in range(NEWTON):
            with torch.enable_grad():
                x = (seen @ layer).requires_grad_()
                (slope,) = torch.autograd.grad(terms(x).sum(), x, create_graph=True)
                (bend,) = torch.autograd.grad(slope.sum(), x)
            bend = (-bend).clamp(min=0.0)
            matrix = seen.T @ (bend[:, None] * seen)
            ridge = RIDGE * matrix.diagonal().mean() + 1e-300
            matrix.diagonal().add_(ridge)
            step = torch.linalg.solve(matrix, seen.T @ slope.detach() - ridge * layer)
            before = float(value)
            for part in 0.5 ** np.arange(HALVINGS):
                tried = terms(seen @ (layer + part * step)).sum()
                if tried > value:
                    layer, value = layer + part * step, tried
                    break
            if not float(value) - before > REST * (1.0 + abs(before)):
                break
        self.network.weights[6].data[:, 0], self.network.weights[7].data[0] = layer[:-1], layer[-1]

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

        i, j, _, p = self.drawn
        score, steep = self.network.score_and_slope(self.hidden or self.network.hidden(i, j, p), share)
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
