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
from typing import Any, NamedTuple

import numpy as np

from .conjugates import CONJUGATES
from .errors import InputError, missing_extra, unknown
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
    normalizer: Callable[[np.ndarray], float],
    normalizer_slope: Callable[[np.ndarray], tuple[float, np.ndarray]] | None = None,
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
            score, weights = _network(torch.from_numpy(X), width, rng)
            network = torch.optim.Adam(weights, lr=learning_rate)
            first, second = np.zeros_like(Y), np.zeros_like(Y)
            moves, usual = 0, 0.0
            for number in range(1, rounds + 1):
                bound, Z = math.nan, _positive(normalizer(Y))
                if int(os.environ.get('LD','0')):
                    network.param_groups[0]["lr"] = learning_rate * (1 - (number - 1) / rounds)
                near = near_pairs(Y, NEAR)
                for _ in range(ascents if number > 1 else max(ascents, first_ascents)):
                    i, j, weight, p = sample.pairs(pairs // 4, pairs // 2, near, pairs // 4)
                    q = kernel(Y, i, j) / Z
                    x = score(i, j, p, q)
                    value = (line.h(x) * torch.from_numpy(weight * p)).sum()
                    value = value - (line.conjugate(x) * torch.from_numpy(weight * q)).sum()
                    network.zero_grad()
                    (-value).backward()
                    network.step()
                    bound = float(value.detach())
                    if not math.isfinite(bound):
                        raise InputError(
                            f"the variational bound is {bound} in round {number}: learning_rate={learning_rate:g} and "
                            f"step={step:g} are too large for these data; divide both by 10"
                        )
                i, j, weight, p = sample.pairs(pairs, MOST * pairs, near, MOST * pairs)
                with torch.no_grad():
                    costs = line.conjugate(score(i, j, p, kernel(Y, i, j) / Z)).numpy()
                usual = float(np.sum(costs[:pairs]) / pairs)
                for _ in range(descents):
                    Z, slope = (normalizer(Y), None) if normalizer_slope is None else normalizer_slope(Y)
                    gradient = gradient_of(Y, i, j, weight, costs, _positive(Z), slope, usual)
                    moves += 1
                    first += (1 - FORGETS[0]) * (gradient - first)
                    second += (1 - FORGETS[1]) * (gradient * gradient - second)
                    size = np.sqrt((second if not TUNE_GLOBAL else second.mean()) / (1 - FORGETS[1] ** moves)) + TINY
                    left = 1 - (moves - 1) / (rounds * descents)
                    Y = Y - step * left * first / (1 - FORGETS[0] ** moves) / size
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


def _network(X: Any, width: int, rng: np.random.Generator) -> tuple[Callable[..., Any], list[Any]]:
    """score(i, j, p, q), and its weights: f: p -> width -> width, g: 2 width + 3 -> width -> 1.

    They are drawn by He's rule, but the last layer is 0: before it has learned the network says the same of all pairs.
    """
    import torch

    n = X.shape[0]
    LS=float(os.environ.get('LS','1'))
    layers = ((X.shape[1], width), (width, width), (2 * width + 3, width), (width, 1))
    values = [(rng.normal(size=layer) * math.sqrt(2.0 / max(layer[0], 1)), np.zeros(layer[1])) for layer in layers]
    values[-1][0][:] = 0.0
    weights = [torch.from_numpy(part).requires_grad_() for pair in values for part in pair]
    A, a, B, b, C, c, D, d = weights
    E = torch.zeros((3, 1), dtype=torch.float64, requires_grad=True)
    weights.append(E)

    def score(i: np.ndarray, j: np.ndarray, p: np.ndarray, q: np.ndarray) -> Any:
        f = (X @ A + a).relu() @ B + b
        f_i, f_j = f[torch.from_numpy(i)], f[torch.from_numpy(j)]
        some = p > 0
        even = n * (n - 1)
        known = np.stack([some, LS*np.log(np.where(some, p * even, 1.0)), LS*np.log(q * even)], axis=1)
        pair = torch.cat([f_i + f_j, f_i * f_j, torch.from_numpy(known)], dim=1)
        out = ((pair @ C + c).relu() @ D + d)[:, 0]
        return out + (torch.from_numpy(known) @ E)[:, 0] if int(os.environ.get('SK','0')) else out

    return score, weights


def kernel(Y: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """q = 1/(1 + |y_i - y_j|^2) of the pairs."""
    return 1.0 / (1.0 + ((Y[i] - Y[j]) ** 2).sum(axis=1))


def gradient_of(
    Y: np.ndarray,
    i: np.ndarray,
    j: np.ndarray,
    weight: np.ndarray,
    costs: np.ndarray,
    Z: float,
    slope: np.ndarray | None = None,
    usual: float = 0.0,
) -> np.ndarray:
    """(n, d): the gradient of -sum weight costs q / Z in Y, where Z moves as well; costs are f*(h) of the pairs.

    Only costs - usual is summed over the pairs when the gradient of Z is given:

        -(1/Z) sum (costs - usual) grad q + (c - usual) grad Z / Z,    c - usual = sum (costs - usual) q / Z.
    """
    q = kernel(Y, i, j)
    if slope is None:
        rest, exact = costs - np.sum(costs * weight * q) / np.sum(weight * q), 0.0
    else:
        rest = costs - usual
        exact = (np.sum(rest * weight * q) / Z**2) * slope
    pull = (2.0 * rest * weight * q * q / Z)[:, None] * (Y[i] - Y[j])
    ends = np.concatenate([i, j])
    return exact + np.stack([np.bincount(ends, np.concatenate([x, -x]), minlength=len(Y)) for x in pull.T], axis=1)


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
