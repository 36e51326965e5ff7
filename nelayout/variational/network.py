"""The networks of variational ft-SNE: one knows the nodes, the other also how similar and how near they are drawn.

Both say one number x of each pair of nodes, the same for (i, j) and (j, i): f turns the coordinates of a node into some
of its own making, and g sees their sum and their product over the pair,

    x_ij = g([f(x_i) + f(x_j); f(x_i) * f(x_j)])        (Im, Verma & Branson 2018, appendix C.2.1).

f and g have one hidden layer each, of 10 and 20 units in the paper.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from nelayout.numerics.pytorch import torch_module

__all__ = ["NodeNetwork", "PairNetwork"]

# Steps by which the last layer is fitted to the pairs of a turn, and what keeps its equations apart from singular.
NEWTON, RIDGE = 20, 1e-9
# A step is halved as often as this, until the bound rises: far from the best, where x stands in exponents, most of it
# is too far.  Steps end when they bring less than this part of the bound.
HALVINGS, REST = 20, 1e-10


@dataclass(frozen=True, slots=True)
class NodeNetwork:
    """The paper's: x of pairs, from the coordinates X (n, p) of both nodes and nothing else.

    Weights are drawn by He's rule, but the last layer is 0: before it has learned it says the same of all pairs.
    ``told`` counts the columns that g is told of each pair beside its nodes: none.
    """

    X: Any
    weights: list[Any]
    told: ClassVar[int] = 0

    @classmethod
    def of(cls, X: Any, widths: tuple[int, int], rng: np.random.Generator) -> Self:
        torch = torch_module()

        f, g = widths
        layers = ((X.shape[1], f), (2 * f + cls.told, g), (g + cls.told, 1))
        values = [(rng.normal(size=layer) * math.sqrt(2.0 / max(layer[0], 1)), np.zeros(layer[1])) for layer in layers]
        values[-1][0][:] = 0.0
        return cls(X, [torch.from_numpy(part).requires_grad_() for pair in values for part in pair])

    def met(self, i: np.ndarray, j: np.ndarray) -> Any:
        """(pairs, 2 width) what g sees of the nodes of pairs."""
        torch = torch_module()

        f = (self.X @ self.weights[0] + self.weights[1]).relu()
        f_i, f_j = f[torch.from_numpy(i)], f[torch.from_numpy(j)]
        return torch.cat([f_i + f_j, f_i * f_j], dim=1)

    def hidden(self, i: np.ndarray, j: np.ndarray, p: np.ndarray) -> Any:
        """Everything that stays while only positions move: x itself."""
        _, _, C, c, D, d = self.weights
        return ((self.met(i, j) @ C + c).relu() @ D + d)[:, 0]

    def score(self, hidden: Any, q: Any) -> Any:
        """x of pairs that are drawn at q."""
        return hidden

    def score_and_slope(self, hidden: Any, q: np.ndarray) -> tuple[np.ndarray, Any]:
        """x and its derivative in ln q, as arrays."""
        return hidden.detach().numpy(), 0.0

    def settle(self, gain: Callable[[Any], Any], hidden: Any, q: Any) -> None:
        """Fit nothing: this network learns by its own steps alone."""


@dataclass(frozen=True, slots=True)
class PairNetwork(NodeNetwork):
    """x of pairs, from what is known of both nodes, p_ij and q_ij.

    The last layer of g sees p and q itself, too: the greatest bound has x = ln(p/q), or half of that, for each of the
    divergences.
    """

    told: ClassVar[int] = 3

    def hidden(self, i: np.ndarray, j: np.ndarray, p: np.ndarray) -> Any:
        """(pairs, width) and (pairs, 2): all that enters the last two layers, q aside; it stays while only positions
        move.
        """
        torch = torch_module()

        some = p > 0
        known = torch.from_numpy(np.stack([some, np.log(np.where(some, p * self.even, 1.0))], axis=1))
        return torch.cat([self.met(i, j), known], dim=1) @ self.weights[2][:-1] + self.weights[3], known

    def last(self, hidden: Any, q: Any) -> Any:
        """(pairs, width + 3): what the last layer sees of pairs that are drawn at q."""
        torch = torch_module()

        drawn = (q * self.even).log()
        return torch.cat([torch.addr(hidden[0], drawn, self.weights[2][-1]).relu(), hidden[1], drawn[:, None]], dim=1)

    def score(self, hidden: Any, q: Any) -> Any:
        return (self.last(hidden, q) @ self.weights[4] + self.weights[5])[:, 0]

    def score_and_slope(self, hidden: Any, q: np.ndarray) -> tuple[np.ndarray, Any]:
        from nelayout.numerics import vector_loops

        inner, known = (part.detach().numpy() for part in hidden)
        rate, D, d = (self.weights[k].detach().numpy() for k in (2, 4, 5))
        drawn, last = np.log(q * self.even), D[:, 0].copy()
        score, slope = np.empty(len(q)), np.empty(len(q))
        vector_loops.hinges(inner, drawn, rate[-1], last[:-3], score, slope)
        return score + known @ last[-3:-1] + drawn * last[-1] + d, slope + last[-1]

    def settle(self, gain: Callable[[Any], Any], hidden: Any, q: Any) -> None:
        """Fit the last layer alone, by Newton's method, so that the sum of gain(x) is nearly greatest."""
        torch = torch_module()

        seen = self.last(hidden, q)
        seen = torch.cat([seen, torch.ones_like(seen[:, :1])], dim=1)
        layer = torch.cat([part.detach().reshape(-1) for part in self.weights[4:6]])
        value = gain(seen @ layer).sum()
        for _ in range(NEWTON):
            with torch.enable_grad():
                x = (seen @ layer).requires_grad_()
                (slope,) = torch.autograd.grad(gain(x).sum(), x, create_graph=True)
                (bend,) = torch.autograd.grad(slope.sum(), x)
            bend = (-bend).clamp(min=0.0)
            matrix = seen.T @ (bend[:, None] * seen)
            ridge = RIDGE * matrix.diagonal().mean() + 1e-300
            matrix.diagonal().add_(ridge)
            step = torch.linalg.solve(matrix, seen.T @ slope.detach() - ridge * layer)
            before = float(value)
            for part in 0.5 ** np.arange(HALVINGS):
                tried = gain(seen @ (layer + part * step)).sum()
                if tried > value:
                    layer, value = layer + part * step, tried
                    break
            if not float(value) - before > REST * (1.0 + abs(before)):
                break
        self.weights[4].data[:, 0], self.weights[5].data[0] = layer[:-1], layer[-1]

    @property
    def even(self) -> float:
        """1 over what p and q would be if all pairs were alike."""
        return float(len(self.X) * (len(self.X) - 1))
