"""Connect to workers, or start a local cluster, and check workers, memory and disk."""

from __future__ import annotations

import importlib
import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nelayout
from nelayout.errors import InputError, missing_extra
from nelayout.numerics.memory import available, size_in_words
from nelayout.numerics.parallel import thread_count
from nelayout.run.several_machines import READING, WORKER

__all__ = ["check_disk", "check_memory", "check_workers", "connected", "folder_of", "import_dask"]

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

    if isinstance(client, str) and client != "local":
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
    if client is not None and client != "local":
        yield client
        return
    if getattr(current_process(), "_inheriting", False):
        raise InputError(
            "a script that starts workers must do its work under `if __name__ == '__main__':`. Add this line"
        )
    workers = max(1, min(thread_count(None), (available() or 0) // (WORKER + READING)))
    quiet = logging.getLogger("distributed.shuffle"), logging.getLogger("distributed.worker.memory")
    with (
        configured(SETTINGS),
        LocalCluster(
            n_workers=workers, threads_per_worker=1, silence_logs=logging.ERROR, dashboard_address=":0"
        ) as cluster,
        Client(cluster, direct_to_workers=True) as found,
    ):
        for logger in quiet:
            logger.setLevel(logging.ERROR)
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
    advice = "Take more workers, or give each more memory"
    for worker, facts in sorted(client.sync(client.scheduler.identity, n_workers=-1)["workers"].items()):
        limit = facts["memory_limit"]
        if limit and limit < needed:
            raise InputError(
                f"every worker must have about {size_in_words(needed)} of memory {what}; {worker} has "
                f"{size_in_words(limit)}. {advice}"
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
            f"{size_in_words(free)}. "
            "Free some space, or give another folder as checkpoint="
        )
