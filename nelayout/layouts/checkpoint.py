"""A run in a file, so that a later run of the same call goes on from there.

The file has a header, which names the call, and the contents of a `nelayout.core.passes.journal.Journal`.  It is
written beside the old file, which it then replaces.  Reading it runs no code (`nelayout.core.record.coding`).
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from glob import escape
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np
from scipy.sparse import csr_array, issparse

from nelayout import __version__
from nelayout.core.catalogue.record import Method
from nelayout.core.passes.journal import Journal, Stored
from nelayout.core.record.coding import as_stored, restored
from nelayout.errors import InputError, Unsupported, warn
from nelayout.graphs.files import atomic

__all__ = ["Checkpoint", "check_kept", "digest", "named", "removed_later", "seed_text"]

T = TypeVar("T")

# First line of a file, and the path of its last block.
MAGIC, END = b"nelayout checkpoint 1\n", "end"
# Least seconds between two files, their most, and least seconds relative to those of writing: a run loses at most the
# second number, and takes a fiftieth longer unless writing takes longer than a fiftieth of that.
LEAST_SECONDS, MOST_SECONDS, WRITINGS = 1.0, 8.0, 50.0

# Checkpoints of runs that are over and remain until their results are written; None: they are removed at once.
_REMAINING: ContextVar[list[Checkpoint] | None] = ContextVar("remaining", default=None)


def digest(*values: Any) -> str:
    """Return a short text that is equal for equal values, in each process."""
    found = hashlib.blake2b(digest_size=6)
    for value in values:
        _add(found, value)
    return found.hexdigest()


def _add(found: Any, value: Any) -> None:
    """Add a value to a hash."""
    found.update(f"{type(value).__qualname__} ".encode())
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        kind, row = as_stored(value)
        found.update(repr(kind).encode())
        found.update(_bytes(row))
    elif issparse(value):
        rows = csr_array(value)
        _add(found, [rows.shape, rows.indptr, rows.indices, rows.data])
    elif isinstance(value, (list, tuple, np.ndarray)):
        for each in value:
            _add(found, each)
    elif isinstance(value, Mapping):
        _add(found, list(value.items()))
    elif callable(value) and hasattr(value, "__code__"):
        _add(found, [value.__qualname__, value.__code__.co_code, value.__code__.co_names, value.__defaults__])
        _add(found, [repr(each) for each in value.__code__.co_consts if not hasattr(each, "co_code")])
        _add(found, [repr(each.cell_contents) for each in value.__closure__ or ()])
    elif is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            _add(found, [each.name, getattr(value, each.name)])
    elif hasattr(value, "__dict__") and not isinstance(value, type):
        _add(found, [type(value).__module__, vars(value)])
    else:
        found.update(repr(value).encode())


def named(value: Any) -> str:
    """Return a text that names the value of a keyword, readable if it is short."""
    return str(value) if value is None or isinstance(value, (str, int, float)) else digest(value)


def seed_text(seed: Any, rng: np.random.Generator) -> str:
    """Return a text that names the seed of a call, from which ``rng`` comes."""
    whole = seed is None or isinstance(seed, (int, np.integer))
    return str(seed) if whole else f"{type(seed).__name__} {digest(rng.bit_generator.state)}"


def check_kept(method: Method) -> None:
    """Raise `Unsupported` if the runs of a method cannot be kept."""
    if method.variational:
        raise Unsupported("the variational form keeps no state: leave out checkpoint, or use variational=False")


@contextmanager
def removed_later() -> Iterator[None]:
    """Let checkpoints of runs that are over remain until the block ends without an error."""
    token = _REMAINING.set([])
    try:
        yield
        for each in _REMAINING.get() or ():
            each.remove()
    finally:
        _REMAINING.reset(token)


class Checkpoint:
    """The file of a run.

    journal  the work of the run
    earlier  seconds of earlier runs
    notes    sentences for the reader
    """

    def __init__(
        self, path: str | os.PathLike[str], resume: bool, asked: Mapping[str, str], rng: np.random.Generator
    ) -> None:
        """Begin a file, or read one, which sets the random numbers.

        ``asked``: texts that name the call.
        """
        self.path, self.asked, self.start = Path(path), dict(asked), rng.bit_generator.state
        self.journal, self.earlier, self.notes = Journal(self.saved), 0.0, ()
        self._lock, self._records = threading.Lock(), dict[str, tuple[Any, bytes, list[np.ndarray]]]()
        self._beside, self._given_up = dict[str, Any](), False
        _check_folder(self.path)
        if self.path.exists():
            if not resume:
                raise InputError(
                    f"{self.path} holds a run that did not end. Give resume=True to go on with it, or delete the file"
                )
            self._read()
            rng.bit_generator.state = self.start
            self._say(f"the run went on from {self.path}, after {self.earlier:.3g} s of work")
        elif resume:
            self._say(f"resume=True found no file {self.path}, so the run started anew; without a file it always does")
        self.began = time.monotonic()
        self.due = self.began + LEAST_SECONDS

    @contextmanager
    def running(self) -> Iterator[None]:
        """Write the file if the run is interrupted."""
        try:
            yield
        except BaseException:
            if self.journal.contents():
                self.keep()
            raise

    def saved(self) -> None:
        """Write the file if it is time."""
        if time.monotonic() >= self.due and self._lock.acquire(blocking=False):
            try:
                self._write()
            finally:
                self._lock.release()

    def keep(self) -> None:
        """Write the file now."""
        with self._lock:
            self._write()

    def beside(self, name: str, rng: np.random.Generator, work: Callable[[], T]) -> T:
        """Return the result of work that stays the same for the whole run.

        It has a file of its own, which is written with the first file of the run.
        """
        path = self.path.with_name(f"{self.path.name}.{name}")
        if self.earlier > 0 and path.exists():
            header, (_, _, content) = _blocks(path)
            if header[2].value() == self.asked:
                found, rng.bit_generator.state = content.value()
                self._beside[path.name] = None
                return found
        found = work()
        self._beside[path.name] = found, rng.bit_generator.state
        return found

    def end(self, whole: bool) -> None:
        """Remove the file of a run that is over; keep it if it has ended early."""
        remaining = _REMAINING.get()
        if whole and remaining is None:
            self.remove()
            return
        self.keep()
        if remaining is not None and whole:
            remaining.append(self)
        else:
            self._say(f"the run was stopped: {self.path} holds its state, and resume=True goes on from there")

    def remove(self) -> None:
        """Delete the file, the files beside it, and what a kill has left while they were written."""
        for path in map(self.path.with_name, (self.path.name, *self._beside)):
            path.unlink(missing_ok=True)
            for left in path.parent.glob(f".{escape(path.stem)}.{'[0-9a-f]' * 8}{escape(path.suffix)}"):
                left.unlink(missing_ok=True)

    def _say(self, note: str) -> None:
        self.notes = (*self.notes, note)

    def _write(self) -> None:
        if self._given_up:
            return
        begun = time.monotonic()
        seconds = self.earlier + begun - self.began
        header = {"version": __version__, "asked": self.asked, "seconds": seconds, "start": self.start}
        records = dict[str, tuple[Any, bytes, list[np.ndarray]]]()
        try:
            for name, content in self._beside.items():
                if content is not None:
                    blocks = (_block("", "header", self.asked), _block(name, "done", content), _block(END, END, None))
                    _put(self.path.with_name(name), blocks)
                    self._beside[name] = None
            blocks = [_block("", "header", header)]
            for path, kind, content in self.journal.contents():
                known = self._records.get(path)
                if known is None or known[0] is not content:
                    known = (content, *_block(path, kind, content))
                if kind == "done":  # it stays as it is
                    records[path] = known
                blocks.append(known[1:])
            _put(self.path, (*blocks, _block(END, END, None)))
            self._records = records
        except OSError as error:
            self._given_up = True
            said = os.strerror(error.errno) if error.errno else error
            warn(f"the checkpoint {self.path} cannot be written: {said}. The run goes on without writing it again")
        now = time.monotonic()
        self.due = now + min(max(LEAST_SECONDS, WRITINGS * (now - begun)), MOST_SECONDS)

    def _read(self) -> None:
        header, *blocks = _blocks(self.path)
        known = header[2].value()
        if known["version"] != __version__:
            raise InputError(
                f"the checkpoint {self.path} is of nelayout {known['version']}, and this is {__version__}. Go on with "
                "that version, or delete the file"
            )
        then, now = known["asked"], self.asked
        other = [name for name in dict.fromkeys((*then, *now)) if then.get(name) != now.get(name)]
        if other:
            told = ", ".join(f"{name} ({then.get(name)} then, {now.get(name)} now)" for name in other)
            raise InputError(
                f"the checkpoint {self.path} is of another call. Different: {told}. Give the same arguments again, or "
                "another file"
            )
        self.earlier, self.start = known["seconds"], known["start"]
        for path, kind, content in blocks:
            self.journal.put(path, kind, content)


def _check_folder(path: Path) -> None:
    """Raise `InputError` if a file cannot be written there."""
    folder = path.parent
    if path.is_dir():
        raise InputError(f"checkpoint must be a file; {path} is a folder. Name a file in it")
    if not folder.is_dir():
        raise InputError(f"checkpoint must be a file in a folder; there is no folder {folder}. Make it first")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        said = os.strerror(error.errno) if error.errno else error
        raise InputError(f"checkpoint must be a file that can be written; {folder}: {said}. Name another one") from None


def _block(path: str, kind: str, content: Any) -> tuple[bytes, list[np.ndarray]]:
    """Return the head of a block, and the numbers that follow it."""
    stored = Stored.of(content)
    kept = [as_stored(array) for array in stored.arrays]
    kinds = [[*form, row.nbytes, zlib.crc32(_bytes(row))] for form, row in kept]
    head = json.dumps([path, kind, stored.form, kinds], separators=(",", ":")).encode()
    return b"%d %d\n" % (len(head), zlib.crc32(head)) + head, [row for _, row in kept]


def _put(path: Path, blocks: Iterable[tuple[bytes, list[np.ndarray]]]) -> None:
    """Write a file whole, and wait until it is on the disk."""
    with atomic(path) as beside, beside.open("wb") as file:
        file.write(MAGIC)
        for head, rows in blocks:
            file.write(head)
            for row in rows:
                file.write(_bytes(row))
        file.flush()
        os.fsync(file.fileno())


def _bytes(row: np.ndarray) -> Any:
    view: Any = row
    return memoryview(view).cast("B") if row.size else b""


def _blocks(path: Path) -> list[tuple[str, str, Stored]]:
    """Return path, kind and content of the blocks; `InputError` if the file is damaged."""
    found = list[tuple[str, str, Stored]]()
    with path.open("rb") as file, suppress(ValueError, TypeError, KeyError, AttributeError, MemoryError):
        if file.read(len(MAGIC)) == MAGIC:
            while not found or found[-1][0] != END:
                size, check = map(int, file.readline(64).split())
                name, kind, form, kinds = json.loads(_checked(file, size, check))
                arrays = [restored(form, _checked(file, size, check)) for *form, size, check in kinds]
                found.append((name, kind, Stored(form, arrays)))
    if not found or found[-1][0] != END:
        raise InputError(
            f"checkpoint {path} is damaged, or no checkpoint of nelayout. Take a copy of it, or delete it to start anew"
        )
    return found[:-1]


def _checked(file: BinaryIO, size: int, check: int) -> bytes:
    """Return the next bytes; `ValueError` if they are not as they were written."""
    content = file.read(size)
    if len(content) != size or zlib.crc32(content) != check:
        raise ValueError(size)
    return content
