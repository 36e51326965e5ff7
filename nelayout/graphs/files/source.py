"""Read the bytes of a file or of standard input; errors name the file and the line."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from pathlib import Path

from nelayout.errors import InputError
from nelayout.numerics.memory import available, size_in_words
from nelayout.numerics.notices import noticed_if_long

__all__ = ["ENTRY_BYTES", "NODE_BYTES", "Source", "Unreadable", "load", "reading"]

GZIP = b"\x1f\x8b"
# Smallest ratio of difflib between a misspelt file name and a suggestion.
MIN_NAME_RATIO = 0.8
# Maximum length of a message, about four lines of a terminal; a reader may quote a line of megabytes.
MAX_LETTERS = 300
# Least memory for a cell of a table or an entry of a sparse matrix, and that a layout needs for a node, in bytes.
ENTRY_BYTES, NODE_BYTES = 16, 300


class Unreadable(InputError):
    """Content that does not have the expected format, or is incomplete."""


@dataclass(frozen=True)
class Source:
    """The bytes that were read, and the name of their file in messages."""

    name: str
    data: bytes

    @cached_property
    def decoded(self) -> tuple[str, tuple[str, ...]]:
        """Content as text with uniform line ends, and notes on a guessed encoding.

        UTF-8; UTF-16 with its mark, or if every other byte is 0; else Windows-1252, or Latin-1 for any byte.
        Raises `InputError` for UTF-16 that ends within a letter, and for NUL characters.
        """
        marked = self.data[:2] in (b"\xff\xfe", b"\xfe\xff")
        encoding, note = "utf-16" if marked else self._wide(), ""
        if not marked and encoding:
            note = "the text is read as UTF-16, although it has no mark"
        try:
            text = self.data.decode(encoding or "utf-8-sig")
        except UnicodeDecodeError as error:
            if encoding:
                raise self.unreadable(f"is not whole as UTF-16 ({error.reason})") from None
            try:
                text, name = self.data.decode("cp1252"), "Windows-1252"
            except UnicodeDecodeError:
                text, name = self.data.decode("latin-1"), "Latin-1"
            note = f"the text is not UTF-8 and is read as {name}; save it as UTF-8 if names are wrong"
        if "\x00" in text:
            raise self.no_text(text.partition("\x00")[0].count("\n") + 1)
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return text, (note,) if note else ()

    def _wide(self) -> str:
        """Return UTF-16 (no mark) if zeros are beside the letters; "" for other contents."""
        head = self.data[:1024]
        low, high = head[::2].count(0), head[1::2].count(0)
        if max(low, high) * 4 < len(head) or min(low, high):
            return ""
        return "utf-16-le" if high else "utf-16-be"

    def text(self) -> str:
        """Return the content as text; see `decoded`."""
        return self.decoded[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on the encoding, after the text was read."""
        return self.__dict__.get("decoded", ("", ()))[1]

    def check_size(self, count: int, each: int, what: str, where: int | str | None = None) -> None:
        """Raise `InputError` if `count` items of `each` bytes exceed both the file and the memory."""
        free = available()
        if count > len(self.data) and free is not None and count * each > free:
            need, has = size_in_words(count * each), size_in_words(free)
            raise self.broken(
                f"{count} {what} need about {need} of memory, and {has} are free; the file has {len(self.data)} bytes: "
                "correct the number, or use a machine with more memory",
                where,
            )

    def no_text(self, line: int) -> InputError:
        """Return the error for content with NUL characters, which is not text."""
        what = "this is not text, or UTF-16 without its mark"
        return self.broken(f"{what}: save it as UTF-8, or fetch it again", line)

    def broken(self, what: str, where: int | str | None = None) -> InputError:
        """Return the error for wrong content at one point: a line, or words such as "node 3"."""
        return InputError(self._said(what, where))

    def unreadable(self, what: str, where: int | str | None = None) -> Unreadable:
        """Return the error for content of another format, or incomplete content."""
        return Unreadable(self._said(what, where))

    def _said(self, what: str, where: int | str | None) -> str:
        place = f", line {where}" if isinstance(where, int) else f", {where}" if where else ""
        return f"{self.name}{place}: {what if len(what) <= MAX_LETTERS else what[:MAX_LETTERS] + '...'}"


@contextmanager
def reading(path: str | os.PathLike) -> Iterator[None]:
    """Say on standard error that a file is read, if that takes long."""
    name, size = "standard input", ""
    if path != "-":
        name = str(path)
        with suppress(OSError):
            size = f", {size_in_words(Path(path).stat().st_size)}"
    with noticed_if_long(f"reading {name}{size}"):
        yield


def load(path: str | os.PathLike, expected: str = "a graph file") -> Source:
    """Read a file, or standard input for "-"; gzip is unpacked under any name.

    Raises `InputError` if the file is missing, unreadable, a folder, or empty.
    """
    if path == "-":
        name, data = "standard input", sys.stdin.buffer.read()
    else:
        name, data = str(path), _bytes(Path(path))
    if data[:2] == GZIP:
        try:
            data = _unpacked(name, data)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{name}: the gzip file is damaged ({error}); fetch or pack it again") from None
    if not data.strip():
        raise InputError(f"{name} is empty; {expected} was expected")
    return Source(name, data)


def _unpacked(name: str, data: bytes) -> bytes:
    """Unpack gzip data to at most half of the free memory; the decoded text needs the rest."""
    free = available()
    most = -1 if free is None else free // 2
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
        content = packed.read(most if most < 0 else most + 1)
    if 0 <= most < len(content):
        has = size_in_words(most)
        raise InputError(f"{name}: unpacked, the gzip file has more than {has}, half of the free memory; split it")
    return content


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"there is no file {str(path)!r}{_near(path)}") from None
    except IsADirectoryError:
        raise InputError(f"{str(path)!r} is a folder; give a file in it") from None
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be read: {error.strerror or error}") from None


def _near(path: Path) -> str:
    """Return a hint with the most similar file name in the folder.

    Names are compared without their endings, which many files share.
    """
    try:
        names = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
    except OSError:
        return f"; the folder {str(path.parent)!r} does not exist"

    def likeness(name: str) -> tuple[float, bool]:
        (own, _, ending), (other, _, others) = (x.lower().partition(".") for x in (path.name, name))
        return SequenceMatcher(None, own, other).ratio(), ending == others

    near = max(names, key=likeness, default="")
    if near and likeness(near)[0] >= MIN_NAME_RATIO:
        return f"; did you mean {str(path.with_name(near))!r}?"
    return "; check the name and the folder"
