"""Connect to workers, check them, memory and disk, and run rounds on the workers.

Tasks are pinned to workers.  If a worker has gone, Dask lets its task wait forever without a message.  So a round waits
in slices and compares the workers.  If one has gone, the other workers load its blocks, and the round is repeated.
Its results depend only on the blocks.
"""

from __future__ import annotations

import gc
import importlib
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

import nelayout
from nelayout.core.record.progress import LOG
from nelayout.core.run.several_machines import READING, WORKER
from nelayout.distributed.workers import BlockLayout, Lost, forget, hold
from nelayout.errors import InputError, missing_extra
from nelayout.numerics.memory import available, size_in_words
from nelayout.numerics.parallel import thread_count

__all__ = ["WorkerPool", "check_disk", "check_memory", "check_workers", "connected", "folder_of", "import_dask"]

# Settings of a local cluster.  Blocks are not results of Dask, so Dask must not move them to disk.
SETTINGS = {
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": 0.9,
    "distributed.scheduler.work-stealing": False,
    "distributed.comm.compression": None,
}
# Size of all files per edge, in bytes: entries in pieces and in the blocks of all levels.
EDGE_BYTES = 70
# Maximum time for a reply of the scheduler.
TIMEOUT_SECONDS = 10
# Times of one poll, of waiting for lost workers to return, and of waiting for any worker.
POLL_SECONDS, RETURN_SECONDS, NO_WORKER_SECONDS = 0.5, 10.0, 60.0
# Size of messages after which objects are collected, in bytes.
COLLECT_BYTES = 300_000_000
# Maximum number of rounds lost in a row.
MAX_LOSSES = 5
# Code that returns the version of a worker's nelayout; it is text, so that a worker without nelayout can run it.
VERSION_CODE = "__import__('importlib').import_module('nelayout').__version__"


def import_dask() -> None:
    """Raise an error if Dask is not installed."""
    for name in ("distributed", "dask.dataframe", "pyarrow"):
        try:
            importlib.import_module(name)
        except ImportError as error:
            missing = str(error.name or name).partition(".")[0]
            raise missing_extra(missing, "dask", "graphs on several machines") from None


@contextmanager
def connected(client: Any) -> Iterator[Any]:
    """Yield a client: the caller's, one for a scheduler's address, or one of a local cluster."""
    from multiprocessing.process import current_process

    from dask.config import set as configured
    from distributed import Client, LocalCluster

    if not (client is None or isinstance(client, str)):
        yield client
        return
    if client not in (None, "local"):
        try:
            found = Client(client, timeout=TIMEOUT_SECONDS, direct_to_workers=True)
        except (OSError, ValueError) as error:
            said = str(error).partition("\n")[0]
            raise InputError(
                f"the scheduler must answer; got none at {client!r} ({said}). Check address and network"
            ) from None
        with found:
            yield found
        return
    if getattr(current_process(), "_inheriting", False):
        raise InputError(
            "a script that starts workers must do its work under `if __name__ == '__main__':`. Add this line"
        )
    workers = max(1, min(thread_count(None), (available() or 0) // (WORKER + READING)))
    how = {"n_workers": workers, "threads_per_worker": 1, "silence_logs": logging.ERROR, "dashboard_address": ":0"}
    with configured(SETTINGS), LocalCluster(**how) as cluster, Client(cluster, direct_to_workers=True) as found:
        for name in ("distributed.shuffle", "distributed.worker.memory"):
            logging.getLogger(name).setLevel(logging.ERROR)
        yield found


@contextmanager
def folder_of(checkpoint: str | os.PathLike[str] | None) -> Iterator[Path]:
    """Yield the folder of a run's files: the caller's, or a temporary folder."""
    if checkpoint is not None:
        folder = Path(checkpoint)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"checkpoint must be a folder that can be written; got {folder} ({error.strerror})"
            ) from None
        yield folder.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="nelayout-") as folder:
        yield Path(folder)


def check_workers(client: Any, folder: Path) -> int:
    """Check that all workers have this nelayout and the folder; return the number of workers."""
    from distributed import TimeoutError as Late

    try:
        client.wait_for_workers(1, timeout=TIMEOUT_SECONDS)
        found = client.run(eval, VERSION_CODE, on_error="return")
    except (Late, OSError):
        raise InputError(f"the scheduler must have a worker; got none in {TIMEOUT_SECONDS} s. Start workers") from None
    for worker, version in sorted(found.items()):
        if isinstance(version, Exception):
            raise InputError(f"every worker must have nelayout; {worker} has none ({version}). Install it there")
        if version != nelayout.__version__:
            raise InputError(
                f"every worker must have nelayout {nelayout.__version__}, as this machine has; {worker} has {version}. "
                "Install one version everywhere"
            )
    probe = folder / f"probe-{os.getpid()}"
    probe.write_bytes(b"")
    try:
        sees = client.run(os.path.exists, os.fspath(probe))
    finally:
        probe.unlink()
    blind = sorted(worker for worker, seen in sees.items() if seen is not True)
    if blind:
        raise InputError(
            f"every worker must see the folder of the run; {blind[0]} does not see {folder}. "
            "Give a folder on a shared disk as checkpoint="
        )
    return len(found)


def check_memory(client: Any, needed: int, here: int, what: str) -> None:
    """Check the bytes that each worker needs against its limit, and ``here`` on this machine."""
    for worker, facts in sorted(client.sync(client.scheduler.identity, n_workers=-1)["workers"].items()):
        limit = facts["memory_limit"]
        if limit and limit < needed:
            raise InputError(
                f"every worker must have about {size_in_words(needed)} of memory {what}; {worker} has "
                f"{size_in_words(limit)}. Take more workers, or give each more memory"
            )
    free = available()
    if free is not None and free < here:
        raise InputError(
            f"this machine must have about {size_in_words(here)} of memory {what}; it has {size_in_words(free)} free. "
            "Start nelayout on a larger one"
        )


def check_disk(folder: Path, edges: int) -> None:
    """Check that the folder has enough space for the files of ``edges`` edges."""
    needed, free = EDGE_BYTES * edges, shutil.disk_usage(folder).free
    if free < needed:
        raise InputError(
            f"the folder of the run must have about {size_in_words(needed)} of room; {folder} has "
            f"{size_in_words(free)}. Free some space, or give another folder as checkpoint="
        )


class WorkerPool:
    """The workers of one run.

    sent, received  bytes of all rounds, to and from the workers
    seconds         time of waiting for the workers
    """

    def __init__(self, client: Any, run: str) -> None:
        self.client, self.run, self.form = client, run, None
        self.direct = True if client.direct_to_workers else None
        self.assigned: dict[str, list[int]] = {}
        self.halos: dict[int, np.ndarray] = {}
        self.sent = self.received = self.collected = self.number = 0
        self.seconds = 0.0

    @property
    def blocks(self) -> int:
        """Number of blocks on the workers."""
        return 0 if self.form is None else self.form.cut.count

    def workers(self) -> list[str]:
        """Return sorted addresses of all workers; `scheduler_info` sometimes lacks them."""
        return sorted(self.client.nthreads())

    def pin(self, form: BlockLayout) -> None:
        """Let the next round load all blocks on the workers in a form, unless they are loaded."""
        if self.form is None or self.form.key != form.key:
            self.form, self.assigned, self.halos = form, {}, {}

    def round(
        self, name: str, work: Callable[..., dict[int, Any]], given: Callable[[int], Any], *others: Any
    ) -> list[Any]:
        """Run one task per worker on its blocks; return the results in the order of the blocks.

        ``given``: input of the task for a block; ``others``: further arguments of ``work``.  If a worker has gone
        meanwhile, the round is repeated with the other workers.
        """
        from asyncio import CancelledError as Cancelled
        from concurrent.futures import CancelledError

        from distributed import KilledWorker
        from distributed import TimeoutError as Late
        from distributed.comm.core import CommClosedError

        self.number += 1
        for _ in range(MAX_LOSSES):
            before = set(self.assigned)
            try:
                self._assign()
                return self._asked(name, work, given, others)
            except KilledWorker as error:
                raise InputError(
                    "workers ended whenever they worked on their blocks, most often for lack of memory; "
                    "take more workers, or give each more memory"
                ) from error
            except Exception as error:
                lost = isinstance(error, (Lost, CommClosedError, Late, Cancelled, CancelledError))
                if not lost and not before - set(self.workers()):
                    raise
                LOG.warning("a worker has gone (%s): its blocks are loaded again", str(error).partition("\n")[0])
                self.assigned = {}
                self._gather_again(len(before))
        raise InputError(f"workers were lost {MAX_LOSSES} times in a row: look at their logs, or give them more memory")

    def _asked(self, name: str, work: Any, given: Callable[[int], Any], others: Sequence[Any]) -> list[Any]:
        """Send a task to each worker; return the results of the blocks."""
        if gone := set(self.assigned) - set(self.workers()):
            raise Lost(", ".join(sorted(gone)))
        assert self.form is not None
        began, futures, sent = time.perf_counter(), [], []
        try:
            for k, (worker, blocks) in enumerate(self.assigned.items()):
                rows = {b: given(b) for b in blocks}
                self.sent += _size(rows)
                sent += self.client.scatter([rows], workers=[worker], direct=self.direct, hash=False)
                key = f"{name}-{self.number}-{k}"
                futures.append(self._submit(key, worker, work, self.form.key, sent[-1], *others))
            answers = self._wait(futures)
        finally:
            self.client.cancel([*futures, *sent], force=True)
        self.received += _size(answers)
        self.seconds += time.perf_counter() - began
        if self.sent + self.received - self.collected > COLLECT_BYTES:
            self.collected = self.sent + self.received
            gc.collect()  # messages in reference cycles of Dask's client, which Python collects too rarely
        found = {b: answer for each in answers for b, answer in each.items()}
        return [found[b] for b in range(self.blocks)]

    def spread(self, name: str, work: Callable[..., Any], given: Sequence[Sequence[Any]]) -> list[Any]:
        """Run tasks that need no block in memory, on any worker; return their results in order."""
        from dask.delayed import delayed

        self.number += 1
        keys = [f"nelayout-{name}-{self.number}-{k}-{self.run}" for k in range(len(given))]
        task = delayed(work, pure=False)  # partitions of a dataframe are read by Dask's own tasks
        tasks = [task(*each, dask_key_name=key) for key, each in zip(keys, given, strict=True)]
        futures = self.client.compute(tasks, retries=2)
        try:
            return self.client.gather(futures, direct=False)
        finally:
            self.client.cancel(futures, force=True)

    def leave(self) -> None:
        """Remove the data of the run from the workers."""
        with suppress(Exception):  # they may have gone
            self.client.run(forget, self.run)

    def _submit(self, name: str, worker: str, work: Any, *given: Any) -> Any:
        how = {"workers": [worker], "allow_other_workers": False, "pure": False, "retries": 0}
        return self.client.submit(work, self.run, *given, key=f"nelayout-{name}-{self.run}", **how)

    def _gather_again(self, count: int) -> None:
        """Wait for as many workers as before; after a while, for any worker."""
        began = time.monotonic()
        while (waited := time.monotonic() - began) < NO_WORKER_SECONDS:
            there = len(self.workers())
            if there >= max(count, 1) or (there and waited > RETURN_SECONDS):
                return
            time.sleep(POLL_SECONDS)
        raise InputError(f"the scheduler must have a worker; got none in {NO_WORKER_SECONDS:.0f} s. Start workers")

    def _assign(self) -> None:
        """Load the blocks on the present workers, unless they are loaded."""
        if self.assigned or self.form is None:
            return
        workers, form = self.workers(), self.form
        if not workers:
            raise Lost("no worker")
        shares = np.array_split(np.arange(form.cut.count), len(workers))
        self.assigned = {worker: b.tolist() for worker, b in zip(workers, shares, strict=True) if len(b)}
        self.number += 1
        futures = [
            self._submit(f"load-{self.number}-{k}", worker, hold, form, blocks)
            for k, (worker, blocks) in enumerate(self.assigned.items())
        ]
        try:
            for each in self._wait(futures):
                self.halos.update(each)
        except BaseException:
            self.assigned = {}
            raise

    def _wait(self, futures: list[Any]) -> list[Any]:
        """Return the results of pinned tasks."""
        from distributed import TimeoutError as Late
        from distributed import wait

        try:
            left = futures
            while left:
                with suppress(Late):
                    wait(left, timeout=POLL_SECONDS, return_when="FIRST_COMPLETED")
                left = [future for future in left if not future.done()]
                if left and (gone := set(self.assigned) - set(self.workers())):
                    raise Lost(", ".join(sorted(gone)))
            return self.client.gather(futures, direct=self.direct)
        finally:
            self.client.cancel(futures, force=True)


def _size(given: Any) -> int:
    """Return the bytes of the arrays in a message."""
    if isinstance(given, np.ndarray):
        return given.nbytes
    if isinstance(given, dict):
        given = given.values()
    return sum(map(_size, given)) if isinstance(given, (list, tuple)) or hasattr(given, "mapping") else 0
