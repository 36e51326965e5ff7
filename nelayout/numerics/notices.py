"""Notices of what a run waits for: from the numerics, which know, to the progress bar, which says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["announce", "listening"]

_listeners: list[Callable[[str], object]] = []


@contextmanager
def listening(listener: Callable[[str], object]) -> Iterator[None]:
    """Call the listener with each notice, and with an empty one when the wait is over, from whichever thread it is.

    The compiler serves one thread at a time, so all runs of a process wait for it, and all are told.
    """
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def announce(notice: str) -> None:
    """Tell all listeners."""
    for listener in tuple(_listeners):
        listener(notice)
