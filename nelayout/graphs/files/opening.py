"""Open files, buffers and standard input; write bytes to a buffer.

A buffer is an open file, `io.BytesIO`, `io.StringIO` or another object with `read` or `write`::

    >>> load(io.StringIO("a,b"), "a graph file").data
    b'a,b'
"""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from difflib import SequenceMatcher
from pathlib import Path
from typing import IO, Any

from nelayout.errors import InputError, InputTypeError
from nelayout.graphs.files.foreign import foreign
from nelayout.graphs.files.record import LIMITS, Source
from nelayout.graphs.to_floats import utf8
from nelayout.numerics.memory import available, size_in_words
from nelayout.numerics.notices import noticed_if_long

__all__ = ["PathOrBuffer", "check_buffer", "fill", "is_buffer", "load", "name_of", "reading"]

PathOrBuffer = str | os.PathLike | IO[Any]
GZIP = b"\x1f\x8b"


def is_buffer(path: object) -> bool:
    """Return whether `path` is an open file or another buffer; raise an error for bytes."""
    if isinstance(path, (bytes, bytearray, memoryview)):
        raise InputTypeError("a file must be a path or a buffer; got bytes. Give io.BytesIO(content)")
    return hasattr(path, "read") or hasattr(path, "write")


def name_of(path: Any) -> str:
    """Return the name of a file, of standard input, or of a buffer, for messages.

    >>> name_of("a.csv"), name_of("-"), name_of(io.BytesIO())
    ('a.csv', 'standard input', 'the buffer')
    """
    if not is_buffer(path):
        return "standard input" if path == "-" else str(path)
    name = getattr(path, "name", None)  # an open descriptor has its number for a name
    return name if isinstance(name, str) and name else "the buffer"


def check_buffer(buffer: Any) -> None:
    """Raise `InputError` unless a buffer can be written."""
    writable = getattr(buffer, "writable", lambda: hasattr(buffer, "write"))
    if getattr(buffer, "closed", False) or not writable():
        raise InputError(f"{name_of(buffer)} is not open for writing; open it with the mode 'wb'")


def fill(buffer: Any, content: bytes) -> None:
    """Write content to a buffer of bytes or of text."""
    check_buffer(buffer)
    if not hasattr(buffer, "encoding"):  # only a buffer of text has one
        buffer.write(content)
        return
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise InputError("this format is not text; give a buffer of bytes: io.BytesIO(), or open(..., 'wb')") from None
    buffer.write(text)


@contextmanager
def reading(path: PathOrBuffer) -> Iterator[None]:
    """Say on standard error that a file is read, if that takes long."""
    size = ""
    if path != "-" and not is_buffer(path):
        with suppress(OSError):
            size = f", {size_in_words(Path(str(path)).stat().st_size)}"
    with noticed_if_long(f"reading {name_of(path)}{size}"):
        yield


def load(path: PathOrBuffer, expected: str = "a graph file") -> Source:
    """Read a file, a buffer, or standard input for "-"; gzip is unpacked under any name."""
    name, again = name_of(path), ""
    if path == "-":
        data = sys.stdin.buffer.read()
    elif is_buffer(path):
        data, again = _drained(path), ". A buffer is read from its place: buffer.seek(0) is the beginning"
    else:
        data = _content(Path(str(path)))
    if data[:2] == GZIP:
        data = _unpacked(name, data)
    if not data.strip():
        raise InputError(f"{name} is empty; {expected} was expected{again}")
    if other := foreign(data):
        raise InputError(f"{name}: {other}")
    return Source(name, data)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"there is no file {str(path)!r}{_near(path)}") from None
    except IsADirectoryError:
        raise InputError(f"{str(path)!r} is a folder; give a file in it") from None
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be read: {error.strerror or error}") from None


def _drained(buffer: Any) -> bytes:
    """Return the rest of a buffer as bytes."""
    try:
        content = buffer.read()
    except UnicodeDecodeError:
        raise InputError(f"{name_of(buffer)} cannot be read as text; open it with the mode 'rb'") from None
    except (OSError, ValueError, AttributeError) as error:
        raise InputError(f"{name_of(buffer)} cannot be read: {error}; open it with the mode 'rb'") from None
    if not isinstance(content, (str, bytes)):
        raise InputTypeError(f"a buffer must hold bytes or text; {name_of(buffer)} holds {type(content).__name__}")
    return utf8(content) if isinstance(content, str) else content


def _unpacked(name: str, data: bytes) -> bytes:
    """Return the content of a gzip file, if it fits in the memory."""
    free = available()
    most = -2 if free is None else free // 2  # the decoded text needs the other half
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            data = packed.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{name}: the gzip file is damaged ({error}); fetch or pack it again") from None
    if 0 <= most < len(data):
        has = size_in_words(most)
        raise InputError(f"{name}: unpacked, the gzip file has more than {has}, half of the free memory; split it")
    return data


def _near(path: Path) -> str:
    """Return a hint with the file of the most similar name, without endings, in the folder."""
    try:
        names = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
    except OSError:
        return f"; the folder {str(path.parent)!r} does not exist"

    def likeness(name: str) -> tuple[float, bool]:
        (own, _, ending), (other, _, others) = (x.lower().partition(".") for x in (path.name, name))
        return SequenceMatcher(None, own, other).ratio(), ending == others

    near = max(names, key=likeness, default="")
    if near and likeness(near)[0] >= LIMITS.name_ratio:
        return f"; did you mean {str(path.with_name(near))!r}?"
    return "; check the name and the folder"
