"""Notices of what a run waits for, from the numerics to the progress bar, or to standard error if no bar listens."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["announce", "listening"]

# Seconds of waiting, in one process, after which a line on standard error says what for.
PATIENCE = 2.0

_listeners: list[Callable[[str], object]] = []


class _Wait:
    """The waits that nobody listened to: their seconds, when the present one began, and what it is for."""

    seconds, began, notice, told = 0.0, 0.0, "", False


@contextmanager
def listening(listener: Callable[[str], object]) -> Iterator[None]:
    """Call the listener with each notice of any thread, and with an empty one when the wait is over."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def announce(notice: str) -> None:
    """Tell all listeners; without one, a line on standard error tells of a long wait, once."""
    for listener in tuple(_listeners):
        listener(notice)
    if _listeners or _Wait.told:
        return
    now = time.perf_counter()
    _Wait.began = _Wait.began if _Wait.notice else now
    _Wait.notice = notice or _Wait.notice
    waited = _Wait.seconds + now - _Wait.began
    if waited > PATIENCE and sys.stderr is not None:
        sys.stderr.write(f"nelayout: {_Wait.notice}\n")
        _Wait.told = True
    if not notice:
        _Wait.seconds, _Wait.notice = waited, ""
