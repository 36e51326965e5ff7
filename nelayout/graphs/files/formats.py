"""Which format a file is in: by its name, or by its first bytes.

>>> file_format(path="web.net"), file_format("csv"), file_format(path="luxembourg.mtx.gz")
('pajek', 'edgelist', 'mtx')
>>> sniffed(b'<?xml version="1.0"?><graphml>')
'graphml'
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import PurePath

from nelayout.errors import InputError, unknown

__all__ = ["EXTENSIONS", "SIGNS", "file_format", "sniffed"]

# File ending -> format. The formats are endings too, so both are understood where a format is asked for.
EXTENSIONS = {
    "graphml": "graphml",
    "gexf": "gexf",
    "gml": "gml",
    "net": "pajek",
    "pajek": "pajek",
    "paj": "pajek",
    "mtx": "mtx",
    "csv": "edgelist",
    "tsv": "edgelist",
    "txt": "edgelist",
    "edges": "edgelist",
    "edgelist": "edgelist",
    "el": "edgelist",
    "npz": "npz",
    "json": "json",
}

# Bytes within which a format shows itself.
HEAD = 4096

# Format -> how a text of it begins; the first that fits is taken.
SIGNS = {
    "mtx": re.compile(r"\s*%%MatrixMarket", re.IGNORECASE),
    "graphml": re.compile(r"\s*<.*<graphml\b|\s*<graphml\b", re.DOTALL),
    "gexf": re.compile(r"\s*<.*<gexf\b|\s*<gexf\b", re.DOTALL),
    "json": re.compile(r"\s*\{\s*\""),
    "pajek": re.compile(r"(?:\s*%.*\n)*\s*\*(?:vertices|network)\b", re.IGNORECASE),
    "gml": re.compile(r"(?:.*\n)*?\s*graph\s*\[", re.IGNORECASE),
    "edgelist": re.compile(r"(?:\s*[#%].*\n|\s*\n)*[^\s<{*]+[ \t]*[\s,;][ \t]*[^\s<{\[*]+"),
}


def file_format(
    given: str | None = None,
    path: str | os.PathLike | None = None,
    table: Mapping[str, str] = EXTENSIONS,
    kind: str = "file format",
) -> str:
    """The format that `given` names, or that the ending of `path` does (".gz" is looked through).

    Raises `InputError` with near matches and the whole list if `table` does not hold it.
    """
    if given is not None:
        name = str(given).lower().lstrip(".")
        if name not in table:
            raise unknown(kind, given, table)
        return table[name]
    if path is None or path == "-":
        raise InputError(
            f"the {kind} must be named for standard output: format= (--format), {_listed(table)}"
        )
    pure = PurePath(path)
    ending = (PurePath(pure.stem) if pure.suffix.lower() == ".gz" else pure).suffix.lower().lstrip(".")
    if not ending:
        raise InputError(
            f"{str(path)!r} has no ending that tells the {kind}; name it with format=, {_listed(table)}"
        )
    if ending not in table:
        raise InputError(f"{str(path)!r}: {unknown(kind, ending, table)}; or name it with format= (--format)")
    return table[ending]


def sniffed(data: bytes) -> str | None:
    """The format that the content begins like, None if like none."""
    if data[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return "npz"
    head = data[:HEAD].decode("utf-8-sig", errors="replace")
    if "\x00" in head:
        return None
    return next((name for name, sign in SIGNS.items() if sign.match(head)), None)


def _listed(table: Mapping[str, str]) -> str:
    return "one of " + ", ".join(sorted(table))
