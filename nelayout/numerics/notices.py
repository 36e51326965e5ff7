"""Notices of what a run waits for, from the numerics to the progress bar."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["announce", "listening"]

_listeners: list[Callable[[str], object]] = []


@contextmanager
def listening(listener: Callable[[str], object]) -> Iterator[None]:
    """Call the listener with each notice of any thread, and with an empty one when the wait is over."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def announce(notice: str) -> None:
    """Tell all listeners."""
    for listener in tuple(_listeners):
        listener(notice)
