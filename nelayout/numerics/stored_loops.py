"""Machine code of compiled loops on disk: one file for each loop and the types of its arguments.

It is looked for in ``__pycache__`` beside the package and in the user's cache folder, in this order, and written to the
first of them that can be written; where NUMBA_CACHE_DIR is set, that is the only place.  So an image warmed up by root
serves every user of it.  Where nothing can be written loops are compiled in memory, by each process anew.

A file's name says all that its content depends on: loop, types, processor, versions, and the source of every loop, for
a loop contains those that it calls, which other files may hold.  So no file is ever stale, and there is no index that
two processes could write at once: each file appears complete.  Files of a source that is no more are deleted.
"""

from __future__ import annotations

import hashlib
import os
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from nelayout import __version__

__all__ = ["Key", "folders", "place", "read", "write"]

PACKAGE = Path(__file__).parents[1]
# Bytes of the digest that a file begins with: of its content, which a full disk may have cut short.
DIGEST = 32


class Key(NamedTuple):
    """Name of a loop, and the kind of code it is: everything that it depends on but the source."""

    name: str
    kind: str

    @property
    def stem(self) -> str:
        """Name of its files, whatever the source."""
        kind = f"{self.kind} {__version__} {sys.version} {sys.implementation.cache_tag}"
        return f"{self.name}-{hashlib.sha256(kind.encode()).hexdigest()[:20]}"


def folders() -> list[Path]:
    """Folders in which loops are looked for."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return [Path(given).absolute() / "nelayout"]
    return [PACKAGE / "__pycache__" / "loops", *_users()]


def read(key: Key) -> bytes | None:
    """Content of a file that is whole; None where there is none."""
    source = _source()
    for folder in folders() if source else ():
        try:
            data = (folder / f"{key.stem}-{source}.nbc").read_bytes()
        except OSError:
            continue
        if hashlib.sha256(data[DIGEST:]).digest() == data[:DIGEST]:
            return data[DIGEST:]
    return None


def write(key: Key, data: bytes) -> None:
    """Store code, if there is a place for it, and delete the same loop's of another source."""
    folder, source = place(), _source()
    if folder is None:
        return
    try:
        _appear(folder / f"{key.stem}-{source}.nbc", hashlib.sha256(data).digest() + data)
        for old in folder.glob(f"{key.stem}-*.nbc"):
            if not old.stem.endswith(str(source)):
                old.unlink()
    except OSError:  # full, or removed meanwhile: the loop is compiled and will run
        return


def place() -> Path | None:
    """Folder to which loops are written; None where there is none."""
    return _writable(tuple(folders())) if _source() else None


def _appear(path: Path, data: bytes) -> None:
    """Write a file of which no other process ever sees a part."""
    part = path.with_name(f"{path.name}.{uuid4().hex[:12]}.tmp")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


@cache
def _writable(folders: tuple[Path, ...]) -> Path | None:
    for folder in folders:
        trial = folder / f"{uuid4().hex[:12]}.tmp"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            trial.touch()
            trial.unlink()
        except OSError:
            continue
        return folder
    return None


def _users() -> list[Path]:
    """The user's cache folder, if the system knows one."""
    home = os.path.expanduser("~")  # noqa: PTH111  Path.home() raises where there is none
    own = {"win32": os.environ.get("LOCALAPPDATA", ""), "darwin": f"{home}/Library/Caches"}
    folder = Path(own.get(sys.platform) or os.environ.get("XDG_CACHE_HOME") or f"{home}/.cache") / "nelayout" / "loops"
    return [folder] if folder.is_absolute() else []


@cache
def _source() -> str | None:
    """Digest of the source of all loops and of how they are compiled; None where there is no source to be read."""
    files = sorted(PACKAGE.rglob("*loops.py"))
    try:
        texts = [path.read_bytes() for path in [*files, PACKAGE / "numerics" / "compiling.py"]]
    except OSError:
        return None
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:20]
