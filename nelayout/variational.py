"""ft-SNE in its variational form: a small network learns where drawing and similarities differ, the drawing evades it.

An f-divergence is a greatest value over functions h of pairs (Im, Verma & Branson 2018, section 3),

    D_f(P||Q) = max_h sum_ij [h_ij p_ij - f*(h_ij) q_ij],

with the conjugates f* of ``conjugates``.  With h from a network over features of the nodes, in place of one number for
every pair, it is a lower bound; the drawing and the network take turns, J steps to raise the bound and K to lower it.
For example, of two clusters that are drawn in one heap the network learns that pairs of one cluster, which it knows by
their features, are more alike than drawn: its h is large there, f*(h) q is what these pairs cost, and the drawing
lowers it by giving q to them.

The second sum is over all pairs: it is sampled, and only its normalizer Z comes from outside, from an N-body sum.
PyTorch is an optional extra, imported when a drawing is asked for.
"""

from __future__ import annotations

import importlib
import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .conjugates import CONJUGATES, Conjugate
from .errors import InputError, missing_extra, unknown
from .optimizers.alone import lbfgs
from .pair_samples import PairSamples, near_pairs

__all__ = ["Round", "needs_torch", "variational_drawing"]

BACKGROUND = 0.01  # of reverse KL, when none is given
FORGETS = (0.9, 0.999)  # Adam's usual averages of the gradient and of its square
import os
TUNE_GLOBAL=int(os.environ.get('TG','0'))
NEAR=int(os.environ.get('NEAR','10'))
MOST=16
TINY = 1e-12  # keeps Adam's division from 0/0; gradients of a drawing are some 1/n
_one_run = threading.RLock()  # torch has one number of threads for the process


class Round(NamedTuple):
    """One line of a trace: the bound after the network's turn, and the divergence itself if it was asked for."""

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
    rounds: int = 200,
    ascents: int = 10,
    first_ascents: int = 10,
    descents: int = 5,
    width: int = 16,
    pairs: int = 4096,
    learning_rate: float = 0.01,
    step: float = 0.05,
    background: float | None = None,
    rng: np.random.Generator | int | None = None,
    callback: Callable[[Round, np.ndarray], Any] | None = None,
) -> tuple[np.ndarray, tuple[Round, ...]]:
    """min over Y, max over networks h of sum_{i != j} [h_ij p_ij - f*(h_ij) q_ij / Z], q = 1/(1 + |y_i - y_j|^2).

    h_ij is an output activation of g([f(x_i) + f(x_j); f(x_i) * f(x_j)]): the same for (i, j) and (j, i).  f and g have
    one hidden layer each.  The first sum is over pairs drawn from P, the second over pairs drawn evenly and weighted by
    q / Z; sums of at most `pairs` terms are taken as a whole.  The gradient holds Z as well:

        dJ/d|y_i - y_j|^2 = (f*(h_ij) - c) q_ij^2 / Z,    c = sum f*(h) q / Z.

    Network and positions move by Adam; the steps of positions shrink to nothing over the rounds.  The same rng gives
    the same bits: torch works on one thread, and two runs at once wait for each other.

    Parameters
    ----------
    P : (n, n) sparse or dense similarities, >= 0, nothing on the diagonal; scaled to sum 1.
    features : (n, p) what the network knows of each node, such as spectral coordinates; columns are standardised.
    Y0 : (n, d) where the drawing begins, in units of the kernel (1 is a near neighbor's distance).
    divergence : "kl", "reverse-kl", "js", "hellinger" or "chi2".
    normalizer : Y (n, d) -> Z = sum over i != j of q_ij.
    normalizer_slope : Y -> Z and its gradient in Y (n, d).  With it only f*(h) - b is sampled, b its mean over the pairs
        of the step before: what is the same for all pairs is then summed exactly, and steps are far less noisy.
    primal : Y -> the divergence itself, for the trace; called once a round.
    rounds, ascents, descents : how often, J steps of the network and then K of the positions.
    first_ascents : steps of the network in the first round, if more.  A network that lags
        behind leads the drawing astray: with K = J the ends were worse than with K = J/2 (20 nodes in two clusters).
    width : of the layers, 10 to 20 in the paper.
    pairs : drawn for each sum in each step.
    learning_rate, step : Adam's, of the network, and of the positions in their unit.
    background : part of P that is spread evenly over the pairs that are no edges, in [0, 1); default 0, and 0.01 for
        reverse KL, which is infinite without.
    rng : a Generator, or the seed of one.
    callback : callback(Round, Y) after each round, Y read-only; returning True ends the run.

    Returns
    -------
    Y, trace
        (n, d), and a `Round` for each round.

    Raises
    ------
    MissingExtra
        without torch; the message names the install command.
    InputError
        for an unknown divergence, arrays that do not fit each other or are not finite, a number out of range, a
        normalizer that is not positive, and when the bound is no longer finite (then the rates are too large).

    References
    ----------
    Im, Verma & Branson 2018, section 3, Algorithm 1, appendix C.2.1.

    Examples
    --------
    >>> P = np.ones((3, 3)) - np.eye(3)
    >>> def Z(Y):
    ...     return (1 / (1 + ((Y[:, None] - Y) ** 2).sum(axis=2))).sum() - len(Y)
    >>> Y, trace = variational_drawing(P, np.eye(3), [[0, 0], [1, 0], [0, 2]], normalizer=Z, rounds=2, rng=0)
    >>> Y.shape, [line.round for line in trace]
    ((3, 2), [1, 2])
    """
    needs_torch()
    import torch

    if divergence not in CONJUGATES:
        raise unknown("divergence", divergence, CONJUGATES)
    counts = {"rounds": rounds, "ascents": ascents, "first_ascents": first_ascents, "descents": descents, "width": width, "pairs": pairs}
    for name, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
            raise InputError(f"{name} must be a whole number, at least 1, given {count!r}")
    for name, rate in (("learning_rate", learning_rate), ("step", step)):
        if not (math.isfinite(rate) and rate > 0):
            raise InputError(f"{name} must be a positive finite number, given {rate!r}")
    line = CONJUGATES[divergence]
    rng = np.random.default_rng(rng)
    Y, X = _finite("Y0", Y0), _finite("features", features)
    if len(X) != len(Y):
        raise InputError(f"features has {len(X)} rows and Y0 has {len(Y)}; give one row for each node in both")
    if background is None:
        background = BACKGROUND if divergence == "reverse-kl" else 0.0
    if background == 0 and divergence == "reverse-kl":
        raise InputError("reverse KL is infinite without a background; give one such as 0.01, or leave it out")
    sample = PairSamples.of(P, len(Y), background, rng)
    spread = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)

    trace: list[Round] = []
    with _one_run:
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            network = _Network.of(torch.from_numpy(X), width, rng)
            adam = torch.optim.Adam(network.weights, lr=learning_rate)
            for number in range(1, rounds + 1):
                bound, Z = math.nan, _positive(normalizer(Y)[0])
                near = near_pairs(Y, NEAR)
                for _ in range(ascents if number > 1 else max(ascents, first_ascents)):
                    drawn = sample.pairs(pairs // 4, pairs // 2, near, pairs // 4)
                    value = Turn(line, network, drawn, 0.0).bound(torch.from_numpy(kernel(Y, *drawn[:2]) / Z))
                    adam.zero_grad()
                    (-value).backward()
                    adam.step()
                    bound = float(value.detach())
                    if not math.isfinite(bound):
                        raise InputError(
                            f"the variational bound is {bound} in round {number}: learning_rate={learning_rate:g} is "
                            "too large for these data; divide it by 10"
                        )
                drawn = sample.pairs(pairs, MOST * pairs, near, MOST * pairs)
                with torch.no_grad():
                    turn = Turn.of(line, network, drawn, kernel(Y, *drawn[:2]) / Z, pairs)
                Y = lbfgs(lambda Y, turn=turn: turn.value(Y, normalizer), Y, max_iter=descents, tol=0.0).positions
                trace.append(Round(number, bound, None if primal is None else float(primal(Y))))
                if callback is not None:
                    shown = Y.view()
                    shown.flags.writeable = False
                    if callback(trace[-1], shown) is True:
                        break
        finally:
            torch.set_num_threads(before)
    return Y, tuple(trace)


def needs_torch() -> None:
    """`MissingExtra`, which names the install command, where torch cannot be imported."""
    try:
        importlib.import_module("torch")
    except ImportError as error:
        if error.name and error.name.partition(".")[0] != "torch":
            raise
        raise missing_extra("torch", "torch", "variational ft-SNE") from None


@dataclass(frozen=True, slots=True)
class _Network:
    """x of pairs, from what is known of both nodes, p_ij and q_ij: f: X -> width -> width, g: 2 width + 3 -> width -> 1.

    Weights are drawn by He's rule, but the last layer is 0: before it has learned it says the same of all pairs.
    """

    X: Any
    weights: list[Any]

    @classmethod
    def of(cls, X: Any, width: int, rng: np.random.Generator) -> _Network:
        import torch

        layers = ((X.shape[1], width), (width, width), (2 * width + 3, width), (width, 1))
        values = [(rng.normal(size=layer) * math.sqrt(2.0 / max(layer[0], 1)), np.zeros(layer[1])) for layer in layers]
        values[-1][0][:] = 0.0
        return cls(X, [torch.from_numpy(part).requires_grad_() for pair in values for part in pair])

    def hidden(self, i: np.ndarray, j: np.ndarray, p: np.ndarray) -> Any:
        """(pairs, width): all that enters the last layer but one, q aside; it stays while only positions move."""
        import torch

        A, a, B, b, C, c, _, _ = self.weights
        f = (self.X @ A + a).relu() @ B + b
        f_i, f_j = f[torch.from_numpy(i)], f[torch.from_numpy(j)]
        some = p > 0
        known = np.stack([some, np.log(np.where(some, p * self.even, 1.0))], axis=1)
        return torch.cat([f_i + f_j, f_i * f_j, torch.from_numpy(known)], dim=1) @ C[:-1] + c

    def score(self, hidden: Any, q: Any) -> Any:
        """x of pairs that are drawn at q."""
        C, D, d = self.weights[4], self.weights[6], self.weights[7]
        return ((hidden + (q * self.even).log()[:, None] * C[-1]).relu() @ D + d)[:, 0]

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
    network: _Network
    drawn: tuple[np.ndarray, ...]
    usual: float
    hidden: Any = None

    @classmethod
    def of(cls, line: Conjugate, network: _Network, drawn: tuple[np.ndarray, ...], q: np.ndarray, evenly: int) -> Turn:
        import torch

        i, j, _, p = drawn
        hidden = network.hidden(i, j, p)
        costs = line.conjugate(network.score(hidden, torch.from_numpy(q)))
        return cls(line, network, drawn, float(costs[:evenly].mean()), hidden)

    def bound(self, q: Any) -> Any:
        """sum weight [h p - (f*(h) - b) q] - b."""
        import torch

        i, j, weight, p = self.drawn
        x = self.network.score(self.network.hidden(i, j, p) if self.hidden is None else self.hidden, q)
        weights = torch.from_numpy(weight)
        terms = self.line.h(x) * torch.from_numpy(p) - (self.line.conjugate(x) - self.usual) * q
        return (weights * terms).sum() - self.usual

    def value(self, Y: np.ndarray, normalizer: Callable[[np.ndarray], tuple[float, np.ndarray]]):
        """The bound and its gradient (n, d) in Y, Z's included."""
        import torch

        i, j = self.drawn[:2]
        q = kernel(Y, i, j)
        Z, slope = normalizer(Y)
        Z = _positive(Z)
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


def _finite(name: str, given: Any) -> np.ndarray:
    values = np.array(given, dtype=float)
    if values.ndim != 2 or not np.isfinite(values).all():
        raise InputError(
            f"{name} must be a table of finite numbers, one row for each node; given is an array of shape "
            f"{values.shape}{'' if values.ndim != 2 else ', in which something is missing or infinite'}"
        )
    return values


def _positive(Z: Any) -> float:
    if not (math.isfinite(Z) and Z > 0):
        raise InputError(f"normalizer gave {Z!r}; it must give the sum of q over all pairs, a positive finite number")
    return float(Z)
