"""Measure the memory that a process can still take, and warn if work needs more.

The system kills a process that takes too much memory, without a message, after minutes.  So nelayout compares its
estimate before the work starts.  It only warns.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from nelayout.errors import warn

__all__ = ["available", "size_in_words", "warn_if_short"]

PROC, CGROUPS = Path("/proc"), Path("/sys/fs/cgroup")
# Files (limit, in use) of a control group, in version 2 and version 1.
LIMITS = (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes"))
# Entries for memory in use that the system can reclaim: files that were read once.
RECLAIMABLE = ("inactive_file", "total_inactive_file")


def available() -> int | None:
    """Return the free bytes of this process and its control groups; None if unknown."""
    found = [bytes_free for bytes_free in (_of_machine(), _of_groups()) if bytes_free is not None]
    return min(found, default=None)


def warn_if_short(needed: int, what: str, remedies: str) -> bool:
    """Warn if fewer than ``needed`` bytes are available, at the line that called nelayout."""
    free = available()
    if free is None or needed <= free:
        return False
    warn(
        f"{what} needs about {size_in_words(needed)} of memory by the estimate, and {size_in_words(free)} are "
        f"available: it may end for lack of memory. {remedies}"
    )
    return True


def _of_machine() -> int | None:
    try:
        lines = (PROC / "meminfo").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, IndexError, StopIteration):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _of_groups() -> int | None:
    """Return the fewest free bytes of the process's control groups, up to the root."""
    try:
        lines = (PROC / "self" / "cgroup").read_text().splitlines()
    except OSError:
        return None
    found = []
    for _, controllers, path in (line.split(":", 2) for line in lines):
        if controllers in ("", "memory"):
            root = CGROUPS / controllers
            own = root / path.lstrip("/")
            # in a container, the path may belong to the host and the files be at the root
            for group in (own, *(up for up in own.parents if up.is_relative_to(root))):
                found += [left for limit, used in LIMITS if (left := _left(group, limit, used)) is not None]
    return min(found, default=None)


def _left(group: Path, limit: str, used: str) -> int | None:
    back = 0
    try:
        most, now = int((group / limit).read_text()), int((group / used).read_text())  # "max": no limit
    except (OSError, ValueError):
        return None
    with suppress(OSError, ValueError):
        statistics = (line.split() for line in (group / "memory.stat").read_text().splitlines())
        back = max((int(value) for name, value in statistics if name in RECLAIMABLE), default=0)
    return max(most - now + back, 0)


def size_in_words(number: int) -> str:
    """Write a number of bytes in megabytes or gigabytes.

    >>> size_in_words(39_400_000), size_in_words(2_610_000_000)
    ('39 MB', '2.6 GB')
    """
    return f"{number / 1e9:.1f} GB" if number >= 1e9 else f"{number / 1e6:.0f} MB"
