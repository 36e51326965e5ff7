"""A progress bar of the search for neighbors: one line on standard error, parts done of how many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from nelayout.numerics.notices import listening
from nelayout.numerics.parallel import Threads

__all__ = ["WatchedThreads", "searching"]

LINE = "{desc}: {percentage:3.0f}% |{bar}| [{elapsed}<{remaining}{postfix}]"
# Line of a search that tells nobody how far it is, by a tree or approximate.
BOUNDLESS = "{desc} [{elapsed}{postfix}]"


@contextmanager
def searching(threads: Threads, rows: int, progress: bool) -> Iterator[Threads]:
    """The threads, which show a bar of the parts that they have done as long as a search among so many rows goes on."""
    if not progress:
        yield threads
        return
    from tqdm import tqdm

    with tqdm(desc=f"neighbors of {rows} rows", bar_format=BOUNDLESS) as line, listening(line.set_postfix_str):
        yield WatchedThreads(threads, line)


class WatchedThreads(Threads):
    """Threads that count the chunks they have done on a line of tqdm."""

    def __init__(self, threads: Threads, line: Any) -> None:
        super().__init__(threads.count)
        self._threads, self._line, self._lock = threads, line, Lock()

    def map(self, work: Callable[[Any], Any], chunks: Iterable[Any]) -> list[Any]:
        chunks = list(chunks)
        self._line.total = (self._line.total or 0) + len(chunks)
        self._line.bar_format = LINE

        def counted(chunk: Any) -> Any:
            answer = work(chunk)
            with self._lock:
                self._line.update()
            return answer

        return self._threads.map(counted, chunks)
