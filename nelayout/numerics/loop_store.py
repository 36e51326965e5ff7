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

__all__ = ["Key", "folders", "missed", "place", "read", "write"]

PACKAGE = Path(__file__).parents[1]
# Bytes of the digest that a file begins with: of its content, which a full disk may have cut short.
DIGEST = 32


# Names of the loops that this process has looked for in vain, and compiled.
missed: list[str] = []


class Key(NamedTuple):
    """Name of a loop, its environment (processor, versions), and everything else that its code depends on."""

    name: str
    environment: str
    kind: str

    @property
    def stem(self) -> str:
        """Beginning of the names of the loop's files in this environment."""
        return f"{self.name}-{_digest(f'{self.environment} {__version__} {sys.version}')}-"

    @property
    def file(self) -> str:
        """Name of the file."""
        return f"{self.stem}{_source()}-{_digest(self.kind)}.nbc"


def folders() -> list[Path]:
    """Folders in which loops are looked for."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return [Path(given).absolute() / "nelayout"]
    return [PACKAGE / "__pycache__" / "loops", *_users()]


def read(key: Key) -> bytes | None:
    """Content of a file that is whole; None where there is none."""
    for folder in folders() if _source() else ():
        try:
            data = (folder / key.file).read_bytes()
        except OSError:
            continue
        if hashlib.sha256(data[DIGEST:]).digest() == data[:DIGEST]:
            return data[DIGEST:]
    missed.append(key.name)
    return None


def write(key: Key, data: bytes) -> None:
    """Store code, if there is a place for it, and delete the same loop's of another source."""
    folder = place()
    if folder is None:
        return
    try:
        _appear(folder / key.file, hashlib.sha256(data).digest() + data)
        for old in folder.glob(f"{key.stem}*.nbc"):
            if not old.name.startswith(f"{key.stem}{_source()}-"):
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
        texts = [path.read_text(encoding="utf-8") for path in [*files, PACKAGE / "numerics" / "compiling.py"]]
    except OSError:
        return None
    return _digest("\0".join(texts))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
