"""Graphs as arrays, and what draws them.

The door has five names: `Problem`, `Settings`, `plan`, `draw` and `evaluate`.

>>> import numpy as np
>>> from scipy.sparse import csr_array
>>> from nelayout.core import Problem, Settings, draw, evaluate, plan
>>> from nelayout.core.catalogue import METHODS
>>> ring = np.roll(np.eye(6), 1, axis=1)
>>> problem, method, settings = Problem(csr_array(ring + ring.T)), METHODS["ws-sne"], Settings()
>>> work = plan(problem, method, settings)
>>> [each.name for each in work.components.passes[0]][:2]
['shape', 'tail x 0']
>>> result = draw(work)
>>> found, unit = evaluate(problem, result.Y, method, settings, best=True)
>>> abs(found.value - result.evidence.value) < 1e-6
True

Nothing in here knows a graph library, a file or a keyword.  Faces turn a caller's words into a problem and settings,
and a result into the caller's types.  A name is imported when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nelayout.core.problem import Problem, Settings
    from nelayout.core.run.budget import plan
    from nelayout.core.run.evaluation import evaluate
    from nelayout.core.run.whole import draw

__all__ = ["Problem", "Settings", "draw", "evaluate", "plan"]

_HOME = {
    "Problem": "problem", "Settings": "problem", "plan": "run.budget", "draw": "run.whole",
    "evaluate": "run.evaluation",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    return value
