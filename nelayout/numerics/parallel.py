"""Threads with the same bits for any number: fixed chunks, a pool, results in order.

Chunks are cut by the amount of work, never by the number of threads, and their results are combined in order.  Compiled
loops release the interpreter lock and contain no threads.  So two Python threads may lay out at once, and a forked
child inherits no threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

import numpy as np

from nelayout.errors import InputError

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

__all__ = ["Threads", "blas_on_one_thread", "thread_count", "threads_for"]


class Threads:
    """A pool that maps a function over chunks, on threads, with the caller's errstate."""

    def __init__(self, count: int = 1) -> None:
        self.count = count
        self._pool: ThreadPoolExecutor | None = None  # created at the first use
        self._process = os.getpid()

    def map(self, work: Callable[[Any], Any], chunks: Iterable[Any]) -> list[Any]:
        chunks = list(chunks)
        if self.count == 1 or len(chunks) < 2:
            return [work(chunk) for chunk in chunks]
        if self._process != os.getpid():  # after a fork, the threads are in the parent
            self._pool, self._process = None, os.getpid()
        if self._pool is None:
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(self.count - 1, thread_name_prefix="nelayout")
        answers: list[Any] = [None] * len(chunks)
        numbers = iter(range(len(chunks)))

        def drain() -> None:
            for k in numbers:
                answers[k] = work(chunks[k])

        helpers = [self._pool.submit(copy_context().run, drain) for _ in range(min(self.count, len(chunks)) - 1)]
        try:
            drain()
        finally:
            for _ in numbers:  # after an error or an interrupt, helpers must not start another chunk
                pass
            for helper in helpers:
                helper.result()
        return answers

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None


@contextmanager
def threads_for(n_jobs: int | None) -> Iterator[Threads]:
    """Open the threads of one run, and close them at its end, also after an error."""
    threads = Threads(thread_count(n_jobs))
    try:
        with np.errstate(under="ignore"):  # similarities of far nodes underflow, under any setting of the caller
            yield threads
    finally:
        threads.close()


@contextmanager
def blas_on_one_thread() -> Iterator[None]:
    """Keep matrix products on the calling thread, if threadpoolctl is installed."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        yield
        return
    with threadpool_limits(1, user_api="blas"):
        yield


def thread_count(n_jobs: int | None) -> int:
    """Return the number of threads of ``n_jobs``: None or -1 all usable cores, -2 one less."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None:
        return cores
    if isinstance(n_jobs, bool) or not hasattr(n_jobs, "__index__"):
        raise InputError(f"n_jobs must be None or an integer; got {n_jobs!r}")
    n_jobs = int(n_jobs)
    if n_jobs == 0:
        raise InputError("n_jobs must not be 0: give 1 or more, -1 or None for all cores")
    return n_jobs if n_jobs > 0 else max(1, cores + 1 + n_jobs)
