"""The work of a run, from which a later run goes on to the same bits.

Work is a tree: a pass may contain passes, and passes contain descents.  A run does the same work in the same order each
time, so that a number names each piece of work within the larger one.  A piece that is over leaves its result, the
state of the random numbers and its steps.  A later run takes these in place of the work.  A descent that is not over
leaves its state after the latest step.

A `Journal` is one node of this tree.  It knows no file: ``saved`` is called after each step and each piece of work.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from nelayout.core.record.coding import decode, encode
from nelayout.core.record.progress import ENDING, Observer, Past

__all__ = ["Journal", "StateKeeper", "Stored"]

# Changes of the tree, and reading it whole, exclude each other.
_LOCK = threading.Lock()


class Stored(NamedTuple):
    """A value as JSON and arrays."""

    form: Any
    arrays: list[np.ndarray]

    @classmethod
    def of(cls, value: Any) -> Stored:
        """Return a value as it is stored."""
        if isinstance(value, Stored):
            return value
        arrays: list[np.ndarray] = []
        return cls(encode(value() if callable(value) else value, arrays), arrays)

    def value(self, to_device: Callable[[Any], Any] | None = None) -> Any:
        """Return the value; ``to_device`` brings arrays to where they were."""
        return decode(self.form, self.arrays, to_device)


class Journal:
    """The work of a run, or of a part of it.

    done    what work that is over has left: a value, or as `Stored`
    state   what a descent has left after its latest step: a function that returns it, or as `Stored`
    inner   the pieces of the work, by their numbers
    """

    def __init__(self, saved: Callable[[], None]) -> None:
        self.saved, self.count = saved, 0
        self.done: Any = None
        self.state: Any = None
        self.inner: dict[int, Journal] = {}

    def following(self) -> Journal:
        """Return the journal of the next piece of work."""
        self.count += 1
        return self.at(self.count - 1)

    def at(self, number: int) -> Journal:
        """Return the journal of a piece of work."""
        with _LOCK:
            return self.inner.setdefault(number, Journal(self.saved))

    def finish(self, done: Any) -> None:
        """Keep what finished work leaves, in place of its pieces.

        Work that was asked to end early leaves nothing.
        """
        if ENDING.asked:
            return
        with _LOCK:
            self.done, self.state, self.inner = done, None, {}
        self.saved()

    def contents(self) -> list[tuple[str, str, Any]]:
        """Return path, "done" or "state", and content of all that is known."""
        with _LOCK:
            return list(self._walk(""))

    def _walk(self, path: str) -> Iterator[tuple[str, str, Any]]:
        if self.done is not None:
            yield path, "done", self.done
            return
        if self.state is not None:
            yield path, "state", self.state
        for number, each in self.inner.items():
            yield from each._walk(f"{path}/{number}")

    def put(self, path: str, kind: str, content: Stored) -> None:
        """Take over what another run has stored."""
        node = self
        for number in path.split("/")[1:]:
            node = node.at(int(number))
        setattr(node, kind, content)


class StateKeeper:
    """Keeps the latest state of a descent: a `nelayout.core.optimizers.minimize.Keeper`."""

    def __init__(self, journal: Journal, observer: Observer) -> None:
        self.journal, self.observer, self.begun = journal, observer, observer.mark()

    def load(self, to_device: Callable[[Any], Any]) -> Any:
        if self.journal.state is None:
            return None
        past, state = Stored.of(self.journal.state).value(to_device)
        self.observer.take_over(past)
        return state

    def store(self, steps: int, state: Any) -> None:
        if ENDING.asked:
            return
        # the loop changes its monitor, and makes new values of all others
        kept = tuple(copy.copy(each) if hasattr(each, "__dict__") else each for each in state)
        observer, until = self.observer, self.observer.mark()

        def content() -> tuple[Past, Any]:
            return observer.between(self.begun, until), kept

        self.journal.state = content
        self.journal.saved()
