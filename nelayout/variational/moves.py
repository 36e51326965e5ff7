"""The turn of the positions: the paper's steps of gradient descent, or a search along a line that is judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.sparse import diags_array

from nelayout.numerics.pytorch import torch_module
from nelayout.optimizers.on_functions import lbfgs
from nelayout.variational.turn import Turn, kernel, positive

__all__ = ["Descent", "JudgedSearch", "Moves"]

# Length of a step of Adam along each coordinate, in units of the kernel, and the number of rounds after which it is
# half as long (the paper's rates fall likewise; it names no numbers).  Of 0.1 and 0.2, halved after 20 and 50 rounds,
# les miserables ends alike; steps that do not fall keep the game from coming to rest.
RATE, HALF = 0.05, 50
PARTS = (1.0, 0.5, 0.25)  # of a turn that are tried, if the divergence is known, until it falls

Normalizer = Callable[[np.ndarray], tuple[Any, ...]]
Look = Callable[[np.ndarray], Turn]
Primal = Callable[[np.ndarray], float] | None


class Moves(Protocol):
    """A way of moving positions."""

    def move(self, Y: np.ndarray, turn: Turn, look: Look, normalizer: Normalizer, primal: Primal) -> np.ndarray:
        """Positions (n, d) after a turn that begins at Y, and lowers the bound that ``turn`` holds."""
        ...


@dataclass
class Descent:
    """The paper's: so many steps down the gradient of the bound, by Adam, and none is taken back."""

    steps: int
    adam: Any
    rounds: int = 0

    @classmethod
    def of(cls, Y: np.ndarray, steps: int) -> Descent:
        torch = torch_module()
        return cls(steps, torch.optim.Adam([torch.from_numpy(Y.copy()).requires_grad_()]))

    def move(self, Y: np.ndarray, turn: Turn, look: Look, normalizer: Normalizer, primal: Primal) -> np.ndarray:
        (group,) = self.adam.param_groups
        (at,) = group["params"]
        group["lr"] = RATE / (1.0 + self.rounds / HALF)
        self.rounds += 1
        for step in range(self.steps):
            if step:
                turn = look(Y)
            at.grad = torch_module().from_numpy(turn.value(Y, normalizer)[1])
            self.adam.step()
            Y = at.detach().numpy().copy()
        return Y


@dataclass(frozen=True, slots=True)
class JudgedSearch:
    """At most so many steps of L-BFGS; with the divergence known, cut short until it falls, or left out."""

    steps: int

    @classmethod
    def of(cls, Y: np.ndarray, steps: int) -> JudgedSearch:
        return cls(steps)

    def move(self, Y: np.ndarray, turn: Turn, look: Look, normalizer: Normalizer, primal: Primal) -> np.ndarray:
        Z = positive(normalizer(Y)[0])
        stiff = diags_array(turn.stiffness(kernel(Y, *turn.drawn[:2]), Z, len(Y)), format="csr")
        moved = lbfgs(
            lambda Y: turn.value(Y, normalizer), Y, stiff, max_iter=self.steps, tol=0.0
        ).positions
        if primal is None:
            return moved
        least = primal(Y)
        tries = (Y + part * (moved - Y) for part in PARTS)
        return next((tried for tried in tries if primal(tried) < least), Y)
