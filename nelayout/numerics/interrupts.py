"""Ctrl-C that waits: for what must not be left half done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["interrupts_held"]

# Signals whose handlers raise: Ctrl-C, a polite end, a time limit.
RAISING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGALRM") if hasattr(signal, name)]


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold back interrupts, which then come right after.

    Python runs handlers of signals between any two steps of the main thread.  One that raises between taking a lock and
    the block that would give it back leaves the lock taken for as long as the process lives: the compiler's can be left
    so, and the next thread that compiles waits for ever.
    """
    if threading.current_thread() is not threading.main_thread():  # handlers run in the main thread only
        yield
        return
    caught: list[tuple[int, FrameType | None]] = []

    def hold(number: int, frame: FrameType | None) -> None:
        caught.append((number, frame))

    handlers = {number: signal.getsignal(number) for number in RAISING}
    handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in handlers:
        signal.signal(number, hold)
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number, frame in caught:
            handlers[number](number, frame)
