"""Store machine code of compiled loops on disk, one file for each loop and argument types.

nelayout reads loops from ``__pycache__`` beside the package and from the user's cache folder, or only from
NUMBA_CACHE_DIR, and writes to the first writable one.  So an image that root warmed up serves every user.  Files run as
code: nelayout does not use folders or files that all users may write to, or of other owners than this user, root or
the owner of the package.  The name of a file contains all that its content depends on: loop, types, processor,
versions, and the source of all loops, because a loop contains the loops that it calls.  Each file appears complete, so
several processes may write at once.  Files of an older source are deleted.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

from nelayout import __version__
from nelayout.errors import warn

__all__ = ["Key", "compiled", "folders", "missed", "place", "read", "stored", "write"]

PACKAGE = Path(__file__).parents[1]
# Names of the loops that this process did not find, and compiled.
missed: list[str] = []


class Key(NamedTuple):
    """Name of a loop, its environment (processor, versions), and all else that sets its code."""

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
    """Return the folders that may hold loops."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return [path for path in [Path(given).absolute() / "nelayout"] if _trusted(path)]
    home = os.path.expanduser("~")  # noqa: PTH111  Path.home() raises an error without a home
    own = {"win32": os.environ.get("LOCALAPPDATA", ""), "darwin": f"{home}/Library/Caches"}
    users = Path(own.get(sys.platform) or os.environ.get("XDG_CACHE_HOME") or f"{home}/.cache") / "nelayout" / "loops"
    beside = [PACKAGE / "__pycache__" / "loops", *([users] if users.is_absolute() else [])]
    return [path for path in beside if _trusted(path)]


def _trusted(path: Path) -> bool:
    """Return whether only trusted users can have written a folder or a file, or it is missing."""
    try:
        found = path.stat()
    except OSError:
        return True
    owners = {0, PACKAGE.stat().st_uid, os.geteuid()} if hasattr(os, "geteuid") else {found.st_uid}
    safe = found.st_uid in owners and (os.name == "nt" or not found.st_mode & stat.S_IWOTH)
    if not safe:
        _report(path)
    return safe


@cache
def _report(path: Path) -> None:
    """Warn once that a folder or a file is not used."""
    warn(f"compiled loops in {path} are not used, as others may write there: chmod o-w, or set NUMBA_CACHE_DIR")


def read(key: Key) -> bytes | None:
    """Return the content of a file; None if it is missing or incomplete."""
    for folder in folders() if _source() else ():
        try:
            if not _trusted(folder / key.file):
                continue
            digest, data = (folder / key.file).read_bytes().split(b"\n", 1)
        except (OSError, ValueError):
            continue
        if digest.decode(errors="replace") == hashlib.sha256(data).hexdigest():
            return data
    missed.append(key.name)
    return None


def write(key: Key, data: bytes) -> None:
    """Store code if a folder is writable; delete files of the same loop of an older source."""
    folder = place()
    if folder is None:
        return
    part = folder / f"{key.file}.{os.urandom(6).hex()}.tmp"
    try:
        part.write_bytes(hashlib.sha256(data).hexdigest().encode() + b"\n" + data)
        part.replace(folder / key.file)
        for old in folder.glob(f"{key.stem}*.nbc"):
            if not old.name.startswith(f"{key.stem}{_source()}-"):
                old.unlink()
    except OSError:  # the disk is full, or the folder was removed; the loop runs without a file
        part.unlink(missing_ok=True)


def compiled() -> bool:
    """Return whether loops of the present source are stored, or this process compiled them."""
    return bool(missed) or stored() > 0


def stored(package: str = "") -> int:
    """Return how many loops of a package, of the present source, are stored."""
    return sum(1 for folder in folders() for _ in folder.glob(f"{package}*-{_source()}-*.nbc"))


def place() -> Path | None:
    """Return the folder for new loops, or None."""
    return _writable(tuple(folders())) if _source() else None


@cache
def _writable(folders: tuple[Path, ...]) -> Path | None:
    for folder in folders:
        trial = folder / f"{os.urandom(6).hex()}.tmp"
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o755)
            trial.touch()
            trial.unlink()
        except OSError:
            continue
        return folder
    return None


@cache
def _source() -> str | None:
    """Return a digest of all loops and their compiler options; None if they are unreadable."""
    files = sorted(PACKAGE.rglob("*loops.py"))
    try:
        texts = [path.read_text(encoding="utf-8") for path in [*files, PACKAGE / "numerics" / "compiling.py"]]
    except OSError:
        return None
    return _digest("\0".join(texts))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
