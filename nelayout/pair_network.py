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

from .conjugates import Conjugate, torch_module
from .errors import InputError

__all__ = ["PairNetwork", "Turn", "kernel", "positive"]


@dataclass(frozen=True, slots=True)
class PairNetwork:
    """x of pairs, from what is known of both nodes, p_ij and q_ij: f, p -> width -> width, and g, 2 width + 3 -> 1.

    Weights are drawn by He's rule, but the last layer is 0: before it has learned it says the same of all pairs.
    """

    X: Any
    weights: list[Any]

    @classmethod
    def of(cls, X: Any, width: int, rng: np.random.Generator) -> PairNetwork:
        torch = torch_module()

        layers = ((X.shape[1], width), (width, width), (2 * width + 3, width), (width, 1))
        values = [(rng.normal(size=layer) * math.sqrt(2.0 / max(layer[0], 1)), np.zeros(layer[1])) for layer in layers]
        values[-1][0][:] = 0.0
        return cls(X, [torch.from_numpy(part).requires_grad_() for pair in values for part in pair])

    def hidden(self, i: np.ndarray, j: np.ndarray, p: np.ndarray) -> Any:
        """(pairs, width): all that enters the last layer but one, q aside; it stays while only positions move."""
        torch = torch_module()

        A, a, B, b, C, c, _, _ = self.weights
        f = (self.X @ A + a).relu() @ B + b
        f_i, f_j = f[torch.from_numpy(i)], f[torch.from_numpy(j)]
        some = p > 0
        known = np.stack([some, np.log(np.where(some, p * self.even, 1.0))], axis=1)
        return torch.cat([f_i + f_j, f_i * f_j, torch.from_numpy(known)], dim=1) @ C[:-1] + c

    def score(self, hidden: Any, q: Any) -> Any:
        """x of pairs that are drawn at q, worked out in the precision of `hidden`."""
        C, D, d = (self.weights[k].to(hidden.dtype) for k in (4, 6, 7))
        drawn = (q * self.even).log().to(hidden.dtype)
        return ((hidden + drawn[:, None] * C[-1]).relu() @ D + d)[:, 0].double()

    @property
    def even(self) -> float:
        """1 over what p and q would be if all pairs were alike."""
        return float(len(self.X) * (len(self.X) - 1))


@dataclass(frozen=True, slots=True)
class Turn:
    """The bound on a sample of pairs, as a function of the network and of the positions.

    usual   b, what f*(h) is for most pairs: only f*(h) - b is sampled, as the q sum to 1
    """

    line: Conjugate
    network: PairNetwork
    drawn: tuple[np.ndarray, ...]
    usual: float
    hidden: Any = None

    @classmethod
    def of(
        cls, line: Conjugate, network: PairNetwork, drawn: tuple[np.ndarray, ...], q: np.ndarray, evenly: int
    ) -> Turn:
        """For a turn of the positions, that begins at q; the first `evenly` pairs tell b."""
        torch = torch_module()

        i, j, _, p = drawn
        hidden = network.hidden(i, j, p).float()  # half the time; what is summed is double
        costs = line.conjugate(network.score(hidden, torch.from_numpy(q)))
        return cls(line, network, drawn, float(costs[:evenly].mean()), hidden)

    def bound(self, q: Any) -> Any:
        """sum weight [h p - (f*(h) - b) q] - b."""
        torch = torch_module()

        i, j, weight, p = self.drawn
        x = self.network.score(self.network.hidden(i, j, p) if self.hidden is None else self.hidden, q)
        weights = torch.from_numpy(weight)
        terms = self.line.h(x) * torch.from_numpy(p) - (self.line.conjugate(x) - self.usual) * q
        return (weights * terms).sum() - self.usual

    def value(
        self, Y: np.ndarray, normalizer: Callable[[np.ndarray], tuple[float, np.ndarray]]
    ) -> tuple[float, np.ndarray]:
        """The bound and its gradient (n, d) in Y, Z's included."""
        torch = torch_module()

        i, j = self.drawn[:2]
        q = kernel(Y, i, j)
        Z, slope = normalizer(Y)
        Z = positive(Z)
        shares = torch.from_numpy(q / Z).requires_grad_()
        value = self.bound(shares)
        (rates,) = torch.autograd.grad(value, shares)
        rates = rates.numpy()
        pull = (-2.0 * rates * q * q / Z)[:, None] * (Y[i] - Y[j])
        ends = np.concatenate([i, j])
        sums = [np.bincount(ends, np.concatenate([x, -x]), minlength=len(Y)) for x in pull.T]
        return float(value.detach()), np.stack(sums, axis=1) - (np.sum(rates * q) / Z**2) * slope


def kernel(Y: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """q = 1/(1 + |y_i - y_j|^2) of the pairs."""
    return 1.0 / (1.0 + ((Y[i] - Y[j]) ** 2).sum(axis=1))


def positive(Z: Any) -> float:
    """Z, or `InputError`."""
    if not (math.isfinite(Z) and Z > 0):
        raise InputError(f"normalizer gave {Z!r}; it must give the sum of q over all pairs, a positive finite number")
    return float(Z)
