"""ft-SNE in its variational form: a small network learns where drawing and similarities differ, the drawing evades it.

An f-divergence is a greatest value over functions h of pairs (Im, Verma & Branson 2018, section 3),

    D_f(P||Q) = max_h sum_ij [h_ij p_ij - f*(h_ij) q_ij],

with the conjugates f* of `f_functions`.  With h from a network over features of the nodes, in place of one number for
every pair, it is a lower bound; the drawing and the network take turns, J steps to raise the bound and K to lower it.
For example, of two clusters that are drawn in one heap the network learns that pairs of one cluster, which it knows by
their features, are more alike than drawn: its h is large there, f*(h) q is what these pairs cost, and the drawing
lowers it by giving q to them.

There are two forms.  The paper's network knows the nodes alone.  Its bound is far from tight where p_ij says more than
the nodes' coordinates (the edges of a neighbor graph), and the drawing that lowers it may raise the divergence.  The
sampled form is no game any more: the last layer of its network sees ln p and ln q themselves, and before the positions
move it is fitted to their pairs by Newton's method.  The greatest bound is within its reach: the positions lower the
divergence itself, to rounding, on a sample of pairs.

Both sums are over pairs that are drawn; only the normalizer Z comes from outside, exact, from an N-body sum, and with a
background, under which all pairs cost something, sum q ln q too.
PyTorch is an optional extra, imported when a drawing is asked for.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from nelayout.errors import InputError, missing_extra, unknown
from nelayout.formula.divergences.f_functions import F_FUNCTIONS, TABLE_2, FFunction
from nelayout.numerics.arithmetic import Arithmetic
from nelayout.numerics.groups import WHOLE
from nelayout.numerics.parallel import Threads
from nelayout.numerics.pytorch import torch_module
from nelayout.objective import Evaluation
from nelayout.optimizers.minimize import Rest, minimize
from nelayout.variational.moves import Descent, JudgedSearch, Moves
from nelayout.variational.network import NodeNetwork, PairNetwork
from nelayout.variational.samples import PairSamples, near_pairs
from nelayout.variational.turn import Turn, kernel, positive

__all__ = ["Round", "needs_torch", "variational_drawing"]

BACKGROUND = 0.01  # of reverse KL, when none is given
NEAR = 10  # nearest nodes in the drawing, of whose pairs some are always among those that are looked at
MOST = 16  # edges that a turn of the positions looks at, at most, as a multiple of `pairs`
# Form of the game -> its output activations, its network, and how the positions move.
FORMS: dict[str, tuple[dict[str, FFunction], type[NodeNetwork], Callable[[np.ndarray, int], Moves]]] = {
    "paper": (TABLE_2, NodeNetwork, Descent.of),
    "sampled": (F_FUNCTIONS, PairNetwork, JudgedSearch.of),
}
_one_run = threading.RLock()  # torch has one number of threads for the process


class Round(NamedTuple):
    """One line of a trace, of one drawing: the bound on a sample of pairs, after the network has taken its turn, and
    the divergence itself if it was asked for.
    """

    round: int
    bound: float
    primal: float | None


def variational_drawing(
    P: Any,
    features: np.ndarray,
    Y0: np.ndarray,
    divergence: str = "kl",
    *,
    normalizer: Callable[[np.ndarray], tuple[Any, ...]],
    primal: Callable[[np.ndarray], float] | None = None,
    form: str = "paper",
    rounds: int = 100,
    ascents: int = 10,
    first_ascents: int = 100,
    descents: int = 10,
    widths: tuple[int, int] = (10, 20),
    pairs: int = 4096,
    learning_rate: float = 0.01,
    background: float | None = None,
    tol: float = 0.0,
    rng: np.random.Generator | int | None = None,
    callback: Callable[[Round, np.ndarray], Any] | None = None,
) -> tuple[np.ndarray, tuple[Round, ...]]:
    """min over Y, max over networks h of sum_{i != j} [h_ij p_ij - f*(h_ij) q_ij / Z], q = 1/(1 + |y_i - y_j|^2).

    h_ij is an output activation of a network's x_ij, the same for (i, j) and (j, i).  The network moves by Adam, each
    time on other pairs; the positions move after it, on one draw a turn: pairs drawn evenly, the edges and the pairs of
    nodes that lie near, all weighted by how often they are to be expected.  Sums of fewer terms are taken as a whole.
    The gradient is that of the bound, Z included.  The same rng gives the same bits: torch works on one thread, and two
    runs at once wait for each other.

    With form "paper" x_ij = g([f(x_i) + f(x_j); f(x_i) * f(x_j)]) knows the features x alone, h is that of Table 2, and
    the positions take steps of Adam, whose length falls, as do the paper's; none is taken back.

    With form "sampled" g sees ln p_ij and ln q_ij too, and so does its last layer, which is fitted to the draw of each
    turn: the bound is the divergence.  The positions move by L-BFGS, and the gradient has that of the q that the
    network sees.

    Parameters
    ----------
    P : (n, n) sparse or dense similarities, >= 0, nothing on the diagonal; scaled to sum 1.
    features : (n, p) what the network knows of each node, such as spectral coordinates; columns are standardized.
    Y0 : (n, d) where the drawing begins, in units of the kernel (1 is a near neighbor's distance).
    divergence : "kl", "reverse-kl", "js", "hellinger" or "chi2".
    normalizer : Y (n, d) -> Z = sum over i != j of q_ij, and its gradient (n, d); these alone, or followed by the sum
        of q_ij ln q_ij and its gradient, which a background wants.
    primal : Y -> the divergence itself, for the trace.  In the sampled form a turn of the positions is halved or left
        out where it would raise the divergence, so that the last drawing is the best.
    form : "paper" or "sampled".
    rounds, ascents, descents : how often, J steps of the network and K of the positions (sampled: at most).
    first_ascents : steps of the network before the first round, if more than `ascents`: one that has learned nothing
        yet leads the drawing astray.
    widths : units in the hidden layers of f and g; the paper's are the default, with J = K = 10.
    pairs : drawn in each step of the network, half of them edges and a quarter near pairs. In each turn of the
        positions as many are drawn evenly, as many of the near pairs, and up to 16 times as many edges.
    learning_rate : Adam's, of the network.
    background : part of P that is spread evenly over the pairs that are no edges, in [0, 1); default 0, and 0.01 for
        reverse KL, which is infinite without.
    tol : end after a round in which nodes moved by less than this part of the typical distance between nodes; 0: never.
        A round whose turn was left out does not count.
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
        for an unknown divergence or form, arrays that do not fit each other or are not finite, a number out of range, a
        normalizer that is not positive, and when the bound is no longer finite (then the learning rate is too large).

    References
    ----------
    Im, Verma & Branson 2018, section 3, Algorithm 1, appendix C.2.1.

    Examples
    --------
    >>> P = np.ones((3, 3)) - np.eye(3)
    >>> def Z(Y):
    ...     apart = Y[:, None] - Y
    ...     q = 1 / (1 + (apart**2).sum(axis=2))
    ...     return q.sum() - len(Y), -4 * (q[:, :, None] ** 2 * apart).sum(axis=1)
    >>> Y, trace = variational_drawing(P, np.eye(3), [[0, 0], [1, 0], [0, 2]], normalizer=Z, rounds=2, rng=0)
    >>> Y.shape, [line.round for line in trace]
    ((3, 2), [1, 2])
    """
    needs_torch()
    counts = {"rounds": rounds, "ascents": ascents, "first_ascents": first_ascents, "descents": descents}
    f, g = widths
    _check(divergence, form, counts | {"width of f": f, "width of g": g, "pairs": pairs}, learning_rate)
    rng = np.random.default_rng(rng)
    Y, X = _finite("Y0", Y0), _finite("features", features)
    if len(X) != len(Y):
        raise InputError(f"features has {len(X)} rows and Y0 has {len(Y)}; give one row for each node in both")
    sample = PairSamples.of(P, len(Y), _background(background, divergence), rng)
    spread = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    with _one_thread() as torch:
        functions, kind, moves = FORMS[form]
        network = kind.of(torch.from_numpy(X), widths, rng)
        adam = torch.optim.Adam(network.weights, lr=learning_rate)
        turns = _Turns(
            functions[divergence], network, adam, moves(Y, descents), sample, pairs, normalizer, primal, ascents,
            max(ascents, first_ascents)
        )

        def report(value: float, Y: np.ndarray) -> None:
            if callback is not None:
                shown = Y.view()
                shown.flags.writeable = False
                if callback(turns.rounds[-1], shown) is True:
                    raise _Ended

        with suppress(_Ended):
            alone = SimpleNamespace(parts=WHOLE, arithmetic=Arithmetic(WHOLE, Threads(), False))
            minimize(alone, Y, turns, rounds, Rest(move=tol, window=1), report)
        return turns.Y, tuple(turns.rounds)


@contextmanager
def _one_thread() -> Iterator[Any]:
    """PyTorch on one thread, so that bits do not depend on their number; two runs at once wait for each other."""
    torch = torch_module()
    with _one_run:
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield torch
        finally:
            torch.set_num_threads(before)


def _background(background: float | None, divergence: str) -> float:
    if background is None:
        return BACKGROUND if divergence == "reverse-kl" else 0.0
    if background == 0 and divergence == "reverse-kl":
        raise InputError("reverse KL is infinite without a background; give one such as 0.01, or leave it out")
    return background


class _Ended(Exception):
    """The callback wants no further round."""


class _State(NamedTuple):
    """turn: the bound at the positions, after the network's turn."""

    evaluation: Evaluation
    turn: Turn
    taken: bool = True
    stuck: bool = False


@dataclass
class _Turns:
    """An optimizer whose step is a round: the positions take their turn, then the network, which has begun.

    ``rounds`` and ``Y`` are what the rounds so far have come to, ``near`` the near pairs when the network last learned.
    """

    line: FFunction
    network: NodeNetwork
    adam: Any
    moves: Moves
    sample: PairSamples
    pairs: int
    normalizer: Callable[[np.ndarray], tuple[Any, ...]]
    primal: Callable[[np.ndarray], float] | None
    ascents: int
    first_ascents: int
    name: str = "variational"
    solves: bool = False
    rounds: list[Round] = field(default_factory=list)
    Y: np.ndarray = field(default_factory=lambda: np.empty((0, 2)))
    near: np.ndarray | None = None

    def check(self, kernel: Any, divergence: Any) -> None:
        """Check nothing: the caller has looked up the conjugate."""

    def init(self, objective: Any, Y: np.ndarray) -> _State:
        turn = self._learn(Y, self.first_ascents)
        return _State(Evaluation(math.inf if self.primal is None else float(self.primal(Y)), 1.0), turn)

    def step(self, objective: Any, Y: np.ndarray, state: _State) -> tuple[np.ndarray, _State]:
        self.Y = Y = self.moves.move(Y, state.turn, self._look, self.normalizer, self.primal)
        value = None if self.primal is None else float(self.primal(Y))
        turn = self._learn(Y, self.ascents)
        self.rounds.append(Round(len(self.rounds) + 1, turn.value(Y, self.normalizer)[0], value))
        return Y, _State(Evaluation(math.inf if value is None else value, 1.0), turn)

    def _learn(self, Y: np.ndarray, ascents: int) -> Turn:
        """The network's turn: Adam's steps up, each on other pairs; then the bound that it has come to."""
        torch, quarter = torch_module(), self.pairs // 4
        Z, self.near = positive(self.normalizer(Y)[0]), near_pairs(Y, NEAR)
        for _ in range(ascents):
            drawn = self.sample.pairs(self.pairs - 3 * quarter, 2 * quarter, self.near, quarter)
            value = Turn(self.line, self.network, drawn).bound(torch.from_numpy(kernel(Y, *drawn[:2]) / Z))
            self.adam.zero_grad()
            (-value).backward()
            self.adam.step()
            bound = float(value.detach())
            if not math.isfinite(bound):
                rate = self.adam.param_groups[0]["lr"]
                raise InputError(
                    f"the variational bound is {bound} in round {len(self.rounds) + 1}: learning_rate={rate:g} is too "
                    "large for these data; divide it by 10"
                )
        return self._look(Y)

    def _look(self, Y: np.ndarray) -> Turn:
        """The bound that the network has come to, on new pairs."""
        sums = self.normalizer(Y)
        drawn = self.sample.pairs(self.pairs, MOST * self.pairs, self.near, self.pairs)
        with torch_module().no_grad():
            q = kernel(Y, *drawn[:2]) / positive(sums[0])
            return Turn.of(self.line, self.network, drawn, q, len(sums) > 2)


def _check(divergence: str, form: str, counts: dict[str, Any], learning_rate: float) -> None:
    """InputError for settings out of range."""
    if divergence not in F_FUNCTIONS:
        raise unknown("divergence", divergence, F_FUNCTIONS)
    if form not in FORMS:
        raise unknown("form", form, FORMS)
    for name, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
            raise InputError(f"{name} must be a whole number, at least 1, given {count!r}")
    if not (math.isfinite(learning_rate) and learning_rate > 0):
        raise InputError(f"learning_rate must be a positive finite number, given {learning_rate!r}")


def needs_torch() -> None:
    """`MissingExtra`, which names the install command, where torch cannot be imported."""
    try:
        torch_module()
    except ImportError as error:
        if error.name and error.name.partition(".")[0] != "torch":
            raise
        raise missing_extra("torch", "torch", "variational ft-SNE") from None


def _finite(name: str, given: Any) -> np.ndarray:
    values = np.array(given, dtype=float)
    if values.ndim != 2 or not np.isfinite(values).all():
        raise InputError(
            f"{name} must be a table of finite numbers, one row for each node; given is an array of shape "
            f"{values.shape}{'' if values.ndim != 2 else ', in which something is missing or infinite'}"
        )
    return values
