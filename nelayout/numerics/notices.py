"""Pass notices of a wait to the progress bar, or to standard error without a listener."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["announce", "listening", "noticed_if_long"]

# Time of waiting in one process before a line on standard error, in seconds.
NOTICE_AFTER_SECONDS = 2.0

_listeners: list[Callable[[str], object]] = []


class _Wait:
    """Waits without a listener: their seconds, and start and reason of the present wait."""

    seconds, began, notice, told = 0.0, 0.0, "", False


@contextmanager
def listening(listener: Callable[[str], object]) -> Iterator[None]:
    """Call the listener with each notice of any thread, and with "" at the end of the wait."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def announce(notice: str) -> None:
    """Call all listeners; without any, write one line on standard error after a long wait."""
    for listener in tuple(_listeners):
        listener(notice)
    if _listeners or _Wait.told:
        return
    now = time.perf_counter()
    _Wait.began = _Wait.began if _Wait.notice else now
    _Wait.notice = notice or _Wait.notice
    waited = _Wait.seconds + now - _Wait.began
    if waited > NOTICE_AFTER_SECONDS and sys.stderr is not None:
        sys.stderr.write(f"nelayout: {_Wait.notice}\n")
        _Wait.told = True
    if not notice:
        _Wait.seconds, _Wait.notice = waited, ""


@contextmanager
def noticed_if_long(notice: str) -> Iterator[None]:
    """Give a notice if the block takes long: to the listeners, or as a line on standard error."""

    def tell() -> None:
        for listener in tuple(_listeners):
            listener(notice)
        if not _listeners and sys.stderr is not None:
            sys.stderr.write(f"nelayout: {notice}\n")

    clock = threading.Timer(NOTICE_AFTER_SECONDS, tell)
    clock.daemon = True
    clock.start()
    try:
        yield
    finally:
        clock.cancel()
