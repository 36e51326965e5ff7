"""Encode tables and named arrays as files; write a file completely or not at all.

>>> encode_csv(["node", "x"], [["a", 0.5]])
b'node,x\\na,0.5\\n'
"""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from nelayout.errors import InputError

__all__ = ["atomic", "check_output", "deliver", "encode_csv", "encode_json", "encode_npz", "refuse_folder"]


# Error numbers for lack of space: disk full, quota exceeded, or file larger than the system allows.
NO_SPACE_ERRORS = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}


def encode_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """Encode a header and rows as comma-separated lines; floats read back as the same."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    quoting = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(header)
    for row in rows:  # the csv module does not quote a carriage return
        (quoting if any(isinstance(cell, str) and "\r" in cell for cell in row) else writer).writerow(row)
    return text.getvalue().encode()


def encode_json(data: Any, default: Callable[[Any], Any] = str, indent: int | None = None) -> bytes:
    """Encode one JSON value; `default` converts objects of other types."""
    return (json.dumps(data, default=default, ensure_ascii=False, indent=indent) + "\n").encode()


def encode_npz(arrays: Mapping[str, Any]) -> bytes:
    """Encode arrays as a compressed NumPy archive."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def check_output(path: str | os.PathLike, *sources: str | os.PathLike) -> None:
    """Raise `InputError` if `path` is not writable; call it before the work starts.

    Errors are a missing or read-only folder, a folder given as file, and any of the `sources`.  nelayout never
    overwrites the file that it read, also if another name or a link leads to it.
    """
    if path == "-":
        return
    refuse_folder(path)
    target = Path(path)
    folder = Path(os.path.realpath(target)).parent
    if not folder.is_dir():
        raise InputError(f"the output folder {str(folder)!r} does not exist; make it first")
    if not os.access(folder, os.W_OK):
        raise InputError(f"the output folder {str(folder)!r} is not writable; choose another")
    for source in sources:
        if source != "-" and _same_file(target, Path(source)):
            raise InputError(f"the output {str(path)!r} is the input file; choose another name")


def refuse_folder(path: str | os.PathLike) -> None:
    """Raise `InputError` if `path` is a folder instead of a file."""
    if Path(path).is_dir():
        raise InputError(f"the output {str(path)!r} is a folder; give the name of a file in it")


@contextmanager
def atomic(path: str | os.PathLike) -> Iterator[Path]:
    """Yield a temporary file that replaces `path` if the block succeeds; else it is deleted.

    It has the ending of `path`, for writers such as matplotlib that choose the format by the name::

        with atomic("drawing.svg") as temporary:
            figure.savefig(temporary)

    A link is followed.  A pipe or a device is written at the end of the block.

    Raises
    ------
    InputError
        as `check_output`, before the block.
    OSError
        naming the file and what to do, if the disk is full or the file becomes larger than allowed.
    """
    check_output(path)
    target = Path(os.path.realpath(path))
    regular = target.is_file() or not target.exists()
    folder = target.parent if regular else Path(tempfile.gettempdir())
    temporary = folder / f".{target.stem}.{secrets.token_hex(4)}{target.suffix}"
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        yield temporary
        if regular:
            temporary.replace(target)
        else:
            with temporary.open("rb") as written, target.open("wb") as sink:
                shutil.copyfileobj(written, sink)
    except OSError as error:
        if error.errno is None or error.errno not in NO_SPACE_ERRORS:
            raise
        what = f"cannot be written: {os.strerror(error.errno)}; free some space or choose another folder"
        raise OSError(error.errno, what, str(path)) from None
    finally:
        try:
            temporary.unlink(missing_ok=True)
        except BaseException:  # a second Ctrl-C
            temporary.unlink(missing_ok=True)
            raise


def deliver(path: str | os.PathLike, content: bytes) -> None:
    """Write a file, completely or not at all; "-" is standard output."""
    if path == "-":
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    with atomic(path) as temporary:
        temporary.write_bytes(content)


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:  # one of them does not exist (yet)
        return os.path.realpath(one) == os.path.realpath(other)
