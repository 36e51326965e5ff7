"""ft-SNE in variational form: a network finds differences, the drawing removes them.

An f-divergence is a maximum over functions h of pairs (Im, Verma & Branson 2018, section 3),

    D_f(P||Q) = max_h sum_ij [h_ij p_ij - f*(h_ij) q_ij],

with the Fenchel conjugate f*. If h is a network over features of the nodes, this is a lower bound. Network and drawing
take turns: J steps raise the bound, K steps lower it. The bound is not tight if p_ij depends on more than the features,
as in a neighbor graph. Sums are over random pairs; only the normalizer Z comes from an N-body sum.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_array, csr_array

from nelayout.errors import InputError, missing_extra
from nelayout.numerics.arithmetic import radius
from nelayout.numerics.pytorch import torch_module

__all__ = ["CONJUGATES", "Network", "PairSamples", "Round", "needs_torch", "variational_drawing"]

# Adam's rate for the network; its rate for positions in units of the kernel, and the rounds that halve this rate.
LEARNING_RATE, POSITION_RATE, HALVING_ROUNDS = 0.01, 0.05, 50
# Number of nearest nodes in the drawing that make near pairs.
NEAR_NODES = 10

# Name -> output activation h(x) and f*(h(x)) on tensors: Table 2, with the conjugate of js corrected, -ln(2 - e^h).
# Below h = -2 the f* of chi2 is above the conjugate: the sum is still a lower bound.
CONJUGATES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "kl": (lambda x: x, lambda x: (x - 1).exp()),
    "reverse-kl": (lambda x: -(-x).exp(), lambda x: x - 1),
    "js": (lambda x: math.log(2.0) - _softplus(-x), lambda x: _softplus(x) - math.log(2.0)),
    "hellinger": (lambda x: -(-x).expm1(), lambda x: x.expm1()),
    "chi2": (lambda x: x, lambda x: x * (x / 4 + 1)),
}
_one_run = threading.RLock()  # torch's number of threads belongs to the process


def _softplus(x: Any) -> Any:
    return torch_module().nn.functional.softplus(x)


class Round(NamedTuple):
    """A round: bound on sampled pairs after the network's steps, and the divergence or None."""

    round: int
    bound: float
    primal: float | None


def variational_drawing(
    P: Any,
    features: np.ndarray,
    Y0: np.ndarray,
    divergence: str = "kl",
    *,
    normalizer: Callable[[np.ndarray], tuple[float, np.ndarray]],
    primal: Callable[[np.ndarray], float] | None = None,
    rounds: int = 50,
    ascents: int = 10,
    first_ascents: int = 100,
    descents: int = 10,
    pairs: int = 16384,
    background: float = 0.0,
    tol: float = 0.0,
    rng: np.random.Generator | int | None = None,
    callback: Callable[[Round, np.ndarray], Any] | None = None,
) -> tuple[np.ndarray, tuple[Round, ...]]:
    """Minimize over Y the maximum over networks h of sum [h_ij p_ij - f*(h_ij) q_ij / Z].

    The sum is over i != j, and q = 1/(1 + |y_i - y_j|^2). h_ij is the output activation of x_ij = g([f(x_i) + f(x_j);
    f(x_i) * f(x_j)]) over features x (n, p), standardized. Both move by Adam, each step on other ``pairs``. P (n, n)
    are similarities with an empty diagonal, scaled to sum 1, ``background`` a share of it for pairs without an edge.
    Y0 (n, d) is in units of the kernel. normalizer(Y) is Z = sum over i != j of q_ij and its gradient, primal(Y) the
    divergence itself, for the trace. In each round the network takes ``ascents`` steps, before the first also
    ``first_ascents``, and the positions ``descents``; a round in which nodes moved by less than ``tol`` radii of the
    drawing is the last. The same rng gives the same bits. InputError: the bound is infinite or NaN.
    Source: Im, Verma & Branson 2018, section 3, Algorithm 1, appendix C.2.1.
    """
    needs_torch()
    rng, Y, X = np.random.default_rng(rng), np.array(Y0, dtype=float), np.array(features, dtype=float)
    samples = PairSamples.of(P, len(Y), background, rng)
    spread = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    with _one_thread() as torch:
        game = Network.of(X, CONJUGATES[divergence], rng)
        learn = torch.optim.Adam(game.weights, lr=LEARNING_RATE)
        at = torch.from_numpy(Y.copy()).requires_grad_()
        move = torch.optim.Adam([at])

        def raise_bound(Y: np.ndarray, near: np.ndarray, steps: int) -> None:
            Z = _positive(normalizer(Y)[0])
            for _ in range(steps):
                drawn = samples.draw(pairs, near)
                learn.zero_grad()
                (-game.bound(drawn, _kernel(Y, drawn) / Z)).backward()
                learn.step()

        trace: list[Round] = []
        near = near_pairs(Y, NEAR_NODES)
        raise_bound(Y, near, max(ascents, first_ascents))
        for number in range(1, rounds + 1):
            before = Y
            for group in move.param_groups:
                group["lr"] = POSITION_RATE / (1.0 + (number - 1) / HALVING_ROUNDS)
            for _ in range(descents):
                at.grad = torch.from_numpy(game.bound_and_gradient(samples.draw(pairs, near), Y, normalizer)[1])
                move.step()
                Y = at.detach().numpy().copy()
            near = near_pairs(Y, NEAR_NODES)
            raise_bound(Y, near, ascents)
            bound = game.bound_and_gradient(samples.draw(pairs, near), Y, normalizer)[0]
            if not math.isfinite(bound):
                raise InputError(f"P and Y0 must give a finite bound; got {bound} in round {number}. Scale Y0 down")
            trace.append(Round(number, bound, None if primal is None else float(primal(Y))))
            if callback is not None:
                shown = Y.view()
                shown.flags.writeable = False
                callback(trace[-1], shown)
            if radius(Y - before) < tol * radius(Y):
                break
        return Y, tuple(trace)


@dataclass(frozen=True, slots=True)
class Network:
    """x of pairs from the features X (n, p), the same for (i, j) and (j, i), and its bound.

    He's rule gives the initial weights. The last layer is 0, so that an untrained network is equal for all pairs.
    """

    X: Any
    weights: list[Any]
    h: Callable[[Any], Any]
    conjugate: Callable[[Any], Any]

    @classmethod
    def of(
        cls, X: np.ndarray, conjugate: tuple[Callable, Callable], rng: np.random.Generator,
        widths: tuple[int, int] = (10, 20),
    ) -> Network:
        """Return a new network; ``widths``: units in the hidden layers of f and g."""
        torch = torch_module()
        f, g = widths
        layers = ((X.shape[1], f), (2 * f, g), (g, 1))
        values = [(rng.normal(size=layer) * math.sqrt(2.0 / max(layer[0], 1)), np.zeros(layer[1])) for layer in layers]
        values[-1][0][:] = 0.0
        weights = [torch.from_numpy(part).requires_grad_() for pair in values for part in pair]
        return cls(torch.from_numpy(X), weights, *conjugate)

    def score(self, i: np.ndarray, j: np.ndarray) -> Any:
        """Return x of the pairs."""
        torch = torch_module()
        A, a, C, c, D, d = self.weights
        f = (self.X @ A + a).relu()
        f_i, f_j = f[torch.from_numpy(i)], f[torch.from_numpy(j)]
        return ((torch.cat([f_i + f_j, f_i * f_j], dim=1) @ C + c).relu() @ D + d)[:, 0]

    def bound(self, drawn: tuple[np.ndarray, ...], share: np.ndarray) -> Any:
        """Return sum weight [h p - f*(h) q / Z] as a tensor; ``share`` = q / Z."""
        i, j, weight, p = drawn
        x, (weight, p, share) = self.score(i, j), map(torch_module().from_numpy, (weight, p, share))
        return (weight * (self.h(x) * p - self.conjugate(x) * share)).sum()

    def bound_and_gradient(
        self, drawn: tuple[np.ndarray, ...], Y: np.ndarray, normalizer: Callable[[np.ndarray], tuple[float, np.ndarray]]
    ) -> tuple[float, np.ndarray]:
        """Return the bound and its gradient (n, d) in Y, with the slope of Z.

        Since sum q / Z = 1, the usual cost is subtracted from f* before sampling, which lowers the variance.
        """
        i, j, weight, p = drawn
        with torch_module().no_grad():
            x = self.score(i, j)
            h, cost = self.h(x).numpy(), self.conjugate(x).numpy()
        apart, q, (Z, slope) = Y[i] - Y[j], _kernel(Y, drawn), normalizer(Y)
        Z = _positive(Z)
        usual = float(np.median((cost - h * p * Z / q)[p <= p.min()]))  # of non-edges: edges cost more
        rates = weight * (usual - cost)
        total = float(np.sum(rates * q))
        pull = (-2.0 / Z * rates * q * q)[:, None] * apart
        n = len(Y)
        sums = [np.bincount(i, along, minlength=n) - np.bincount(j, along, minlength=n) for along in pull.T]
        value = float(np.sum(weight * h * p)) + total / Z - usual
        return value, np.stack(sums, axis=1) - (total / Z**2) * slope


@dataclass(frozen=True, slots=True)
class PairSamples:
    """Distribution of pairs of nodes for samples."""

    n: int
    keys: np.ndarray  # i n + j of the edges i < j, increasing
    p: np.ndarray  # of both directions of each edge together, of sum 1 - background
    reach: np.ndarray  # running sums of p
    background: float  # p of an ordered pair without an edge
    rng: np.random.Generator

    @classmethod
    def of(cls, P: Any, n: int, background: float, rng: np.random.Generator) -> PairSamples:
        """Read similarities P (n, n) with edges; pairs without an edge share ``background``."""
        A = csr_array(P, dtype=float)
        both = coo_array(A + A.T)
        i, j = (ends.astype(np.int64) for ends in both.coords)
        keep = (i < j) & (both.data > 0)
        keys, p = (i * n + j)[keep], both.data[keep]
        order, others = np.argsort(keys), n * (n - 1) - 2 * len(p)
        background = background if others else 0.0
        p = p[order] * ((1.0 - background) / p.sum())
        return cls(n, keys[order], p, np.cumsum(p), background / max(others, 1), rng)

    def draw(self, count: int, near: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Draw i, j (m,), the number of ordered pairs that each stands for, and p_ij.

        Half are edges by their p, a quarter are of ``near`` (increasing keys), a quarter are any pairs. A pair counts 2
        / (its expected number), so that sums are unbiased. If there are few pairs, each comes once.
        """
        n = self.n
        if n * (n - 1) // 2 <= count:
            i, j = np.triu_indices(n, 1)
            return i, j, np.full(len(i), 2.0), self._similarities(i * n + j)[0]
        quarter = count // 4
        i, j = self.rng.integers(n, size=quarter), self.rng.integers(n - 1, size=quarter)
        j += j >= i
        edges = np.searchsorted(self.reach, self.rng.random(2 * quarter) * self.reach[-1], side="right")
        key = np.concatenate([
            np.minimum(i, j) * n + np.maximum(i, j),
            self.keys[np.minimum(edges, len(self.p) - 1)],
            near[self.rng.integers(len(near), size=quarter)],
        ])
        p, edge = self._similarities(key)
        often = np.full(len(key), 2.0 * quarter / (n * (n - 1)))
        often += np.where(edge, 2 * quarter * 2.0 * p / self.reach[-1], 0.0)
        often += np.where(_among(near, key), quarter / len(near), 0.0)
        return key // n, key % n, 2.0 / often, p

    def _similarities(self, key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return p_ij of ordered pairs, and a mask of the edges."""
        edge = _among(self.keys, key)
        place = np.minimum(np.searchsorted(self.keys, key), len(self.keys) - 1)
        return np.where(edge, self.p[place] / 2, self.background), edge


def near_pairs(Y: np.ndarray, count: int) -> np.ndarray:
    """Return increasing keys i n + j, i < j, of pairs with one among the other's nearest."""
    from scipy.spatial import KDTree

    n = len(Y)
    i = np.repeat(np.arange(n), min(count, n - 1) + 1)
    j = KDTree(Y).query(Y, min(count, n - 1) + 1)[1].ravel()
    return np.unique((np.minimum(i, j) * n + np.maximum(i, j))[i != j])


def _among(keys: np.ndarray, key: np.ndarray) -> np.ndarray:
    """Return a mask of the numbers ``key`` that are among the increasing ``keys``."""
    return keys[np.minimum(np.searchsorted(keys, key), len(keys) - 1)] == key


def _kernel(Y: np.ndarray, drawn: tuple[np.ndarray, ...]) -> np.ndarray:
    """Return q of drawn pairs, not divided by Z."""
    apart = Y[drawn[0]] - Y[drawn[1]]
    return 1.0 / (1.0 + np.einsum("ij,ij->i", apart, apart))


def _positive(Z: float) -> float:
    """Return Z, or raise InputError."""
    if not (math.isfinite(Z) and Z > 0):
        raise InputError(f"normalizer must return a positive finite sum of q; got {Z!r}. Scale Y0 down")
    return float(Z)


@contextmanager
def _one_thread() -> Iterator[Any]:
    """Run PyTorch on one thread, for equal bits; a second run at the same time waits."""
    torch = torch_module()
    with _one_run:
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield torch
        finally:
            torch.set_num_threads(before)


def needs_torch() -> None:
    """Raise `MissingExtra` with the install command if torch cannot be imported."""
    try:
        torch_module()
    except ImportError as error:
        if error.name and error.name.partition(".")[0] != "torch":
            raise
        raise missing_extra("torch", "torch", "variational ft-SNE") from None
