"""Convert a graph with its positions to attributes and arrays, and write files.

JSON, GraphML, GEXF and npz hold the whole graph and can be read again; CSV holds only the positions.  Floats
read back exactly.  The formats of viewers hold a `Look` as well.  The record of each format names its writer.
A file is written completely or not at all.

>>> encode_csv(["node", "x"], [["a", 0.5]])
b'node,x\\na,0.5\\n'
"""

from __future__ import annotations

import csv
import errno
import io
import json
import math
import os
import re
import secrets
import shutil
import sys
import tempfile
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nelayout.errors import InputError, warn
from nelayout.graphs.files.opening import PathOrBuffer, check_buffer, fill, is_buffer, name_of
from nelayout.graphs.files.record import PLAIN, Look, text_labels
from nelayout.graphs.host import AXES, Attributes, networkx_graph
from nelayout.graphs.plain import is_missing, plain_text, python_value
from nelayout.graphs.to_floats import utf8

if TYPE_CHECKING:
    import networkx as nx

__all__ = [
    "NOT_XML", "atomic", "axes", "check_output", "deliver", "edges_of", "encode_csv", "encode_json", "encode_npz",
    "keys_of", "labels_to_write", "not_held", "plain", "refuse_folder", "renamed", "scalars", "to_csv",
    "to_npz", "without_axes",
]  # fmt: skip

# Error numbers for lack of space: disk full, quota exceeded, or file larger than the system allows.
NO_SPACE_ERRORS = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}


def encode_csv(header: Sequence[str], rows: Iterable[Sequence], separator: str = ",") -> bytes:
    """Encode a header and rows as lines; floats read back as the same."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", delimiter=separator)
    quoting = csv.writer(text, lineterminator="\n", delimiter=separator, quoting=csv.QUOTE_ALL)
    writer.writerow(header)
    for row in rows:  # the csv module quotes neither a carriage return nor a cell in single quotes
        unusual = any(isinstance(cell, str) and ("\r" in cell or cell[:1] == "'") for cell in row)
        (quoting if unusual else writer).writerow(row)
    return utf8(text.getvalue())


def encode_json(data: object, indent: int | None = None) -> bytes:
    """Encode one JSON value; NumPy values become Python's, and other objects text."""
    return utf8(json.dumps(data, default=item, ensure_ascii=False, indent=indent) + "\n")


def encode_npz(arrays: Mapping[str, Any]) -> bytes:
    """Encode arrays as a compressed NumPy archive."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def check_output(path: PathOrBuffer, *sources: PathOrBuffer) -> None:
    """Raise `InputError` if `path` is not writable, or is one of `sources`, also by a link."""
    if is_buffer(path):
        check_buffer(path)
    if path == "-" or is_buffer(path):
        return
    path = str(path)
    refuse_folder(path)
    target = os.path.realpath(path)
    folder = Path(target).parent
    if not folder.is_dir():
        raise InputError(f"the output folder {str(folder)!r} does not exist; make it first")
    if not os.access(folder, os.W_OK):
        raise InputError(f"the output folder {str(folder)!r} is not writable; choose another")
    for source in (str(each) for each in sources if not is_buffer(each)):
        same = target == os.path.realpath(source)
        with suppress(OSError):  # one of them does not exist (yet)
            same = Path(target).samefile(source)
        if source != "-" and same:
            raise InputError(f"the output {str(path)!r} is the input file; choose another name")


def refuse_folder(path: str | os.PathLike) -> None:
    """Raise `InputError` if `path` is a folder instead of a file."""
    if Path(path).is_dir():
        raise InputError(f"the output {str(path)!r} is a folder; give the name of a file in it")


@contextmanager
def atomic(path: PathOrBuffer) -> Iterator[Path]:
    """Yield a temporary file that replaces `path` if the block succeeds; else it is deleted.

    It has the ending of `path`, for writers such as matplotlib that choose the format by the name.  A link is followed.
    A buffer, a pipe or a device is written at the end of the block.  Raises `OSError` naming the file and what to do,
    if the disk is full or the file becomes larger than allowed.
    """
    check_output(path)
    target = Path(name_of(path) if is_buffer(path) else os.path.realpath(str(path)))
    regular = not is_buffer(path) and (target.is_file() or not target.exists())
    folder = target.parent if regular else Path(tempfile.gettempdir())
    temporary = folder / f".{target.stem}.{secrets.token_hex(4)}{target.suffix}"
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        yield temporary
        if is_buffer(path):
            fill(path, temporary.read_bytes())
        elif regular:
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


def deliver(path: PathOrBuffer, content: bytes) -> None:
    """Write a file, completely or not at all, or a buffer; "-" is standard output."""
    if is_buffer(path):
        fill(path, content)
        return
    if path == "-":
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    with atomic(path) as temporary:
        temporary.write_bytes(content)


# Types that all formats support.
SCALARS = (str, int, float, np.generic)
# Characters that XML does not allow.
NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def axes(dim: int) -> list[str]:
    """Return the column names of coordinates: x, y, z; x1 ... xd beyond three dimensions."""
    return list(AXES[:dim]) if dim <= 3 else [f"x{k + 1}" for k in range(dim)]


def to_csv(G: nx.Graph, labels: Sequence[Hashable], Y: np.ndarray, look: Look = PLAIN) -> bytes:
    """Encode one row per node: node, x, y (and z)."""
    text_labels(labels, "csv")
    rows = ([item(label), *row] for label, row in zip(labels, Y.tolist(), strict=True))
    return encode_csv(["node", *axes(Y.shape[1])], rows)


def to_npz(G: nx.Graph, labels: Sequence[Hashable], Y: np.ndarray, look: Look = PLAIN) -> bytes:
    """Encode arrays `positions`, `labels`, `rows`, `cols`, `n`, `directed`, perhaps `weights`."""
    index = {label: k for k, label in enumerate(labels)}
    edges = list(G.edges(data=look.weight or "weight"))
    arrays: Attributes = {
        "positions": Y,
        "labels": labels_to_write(labels, "npz"),
        "rows": np.array([index[u] for u, _, _ in edges], dtype=np.int64),
        "cols": np.array([index[v] for _, v, _ in edges], dtype=np.int64),
        "n": np.array(len(labels)),
        "directed": np.array(G.is_directed()),
    }
    weights = [1.0 if is_missing(weight) else float(weight) for _, _, weight in edges]
    if not all(is_missing(weight) for _, _, weight in edges):
        arrays["weights"] = np.array(weights)
    return encode_npz(arrays)


def edges_of(G: Any) -> Iterator[tuple[Hashable, Hashable, object, dict]]:
    """Yield (u, v, key, attributes) of every edge; the key is None except in multigraphs."""
    if G.is_multigraph():
        yield from G.edges(data=True, keys=True)
    else:
        yield from ((u, v, None, attributes) for u, v, attributes in G.edges(data=True))


def keys_of(G: Any) -> list[str]:
    """Return the keys of a multigraph's edges as text; empty if they only number edges."""
    edges = list(edges_of(G)) if G.is_multigraph() else []
    numbers = all(isinstance(key, int) and len(G[u][v]) > key >= 0 for u, v, key, _ in edges)
    return [] if numbers else [plain_text(key) for *_, key, _ in edges]


def without_axes(attributes: Mapping) -> dict:
    """Return a node's attributes without its old coordinates."""
    return {name: value for name, value in attributes.items() if name not in AXES}


def plain(attributes: dict) -> Attributes:
    """Return attributes for JSON: text as names, None for missing values and infinities."""
    known = ((str(name), None if is_missing(value) else python_value(value)) for name, value in attributes.items())
    return {name: None if isinstance(value, float) and math.isinf(value) else value for name, value in known}


def item(value: object) -> object:
    """Return a number of NumPy as Python's, None for a missing value, text for others."""
    if isinstance(value, np.ndarray) and value.dtype.kind not in "mM":
        return value.tolist()
    if is_missing(value):
        return None
    value = python_value(value)
    return value if isinstance(value, (str, int, float)) else plain_text(value)


def renamed(attributes: Mapping[str, object], taken: Iterable[str]) -> Attributes:
    """Rename attributes with a name that is taken to "own_..."; all are kept."""
    taken, result = set(taken), {}
    for name, value in attributes.items():
        new = name
        while new in taken or (new != name and new in attributes):
            new = f"own_{new}"
        result[new] = value
    return result


def scalars(
    G: nx.Graph, labels: Sequence[Hashable], Y: np.ndarray, file_format: str, look: Look = PLAIN, xml: bool = False
) -> nx.Graph:
    """Copy a graph with coordinates; every attribute becomes a text, a number or a boolean.

    For XML, nodes become text, illegal characters are left out with a warning, and an attribute of several types
    becomes text.  A node attribute with the name of one in `look` is renamed "own_...".
    """
    lost = 0

    def legal(text: str) -> str:
        nonlocal lost
        kept = NOT_XML.sub("", text) if xml else text
        lost += len(text) - len(kept)
        return kept

    def known(attributes: Mapping) -> Attributes:
        result = {}
        for name, value in attributes.items():
            if is_missing(value) or (name == "viz" and isinstance(value, Mapping)):
                continue
            value = python_value(value)
            result[legal(str(name))] = value if isinstance(value, (int, float)) else legal(plain_text(value))
        return result

    texts = text_labels(labels, file_format, lambda label: legal(plain_text(label)))
    name_of: dict[Hashable, Hashable] = dict(zip(labels, texts if xml else labels, strict=True))
    nodes = [renamed(known(without_axes(G.nodes[label])), look.taken) for label in labels]
    listed = [(name_of[u], name_of[v], key, known(own)) for u, v, key, own in edges_of(G)]
    for *_, own in listed:  # a boolean weight becomes 0 or 1
        own.update({str(look.weight): int(x) for x in [own.get(str(look.weight))] if isinstance(x, bool)})
    if xml:
        _level(nodes)
        _level([own for *_, own in listed])
    names = axes(Y.shape[1])
    placed = zip(labels, nodes, Y.tolist(), strict=True)
    shown = {name_of[label]: {**own, **dict(zip(names, row, strict=True))} for label, own, row in placed}
    H = networkx_graph(shown, listed, G.is_directed(), G.is_multigraph())
    if lost:
        warn(f"{lost} control characters, which XML does not allow, are left out of {file_format}")
    return H


def not_held(G: nx.Graph, file_format: str, weight: str | None = "weight") -> list[str]:
    """Return sentences on the graph's attributes that a format leaves out or stores as text."""
    if file_format in ("csv", "arrow", "parquet", "json"):
        return []
    notes = []
    rows = {"nodes": [own for _, own in G.nodes(data=True)], "edges": [own for *_, own in G.edges(data=True)]}
    for what, every in rows.items():
        kinds = {name: found for name, found in _kinds(every).items() if name not in (*AXES, "viz")}
        if file_format in ("pajek", "npz"):
            but, names = (" but the weight", kinds.keys() - {weight}) if what == "edges" else ("", kinds.keys())
            said = f"{file_format} has no attributes of {what}{but}: {{}} left out"
        else:
            single = {name for name, found in kinds.items() if found <= {int, float} or len(found) == 1}
            known = {name for name, found in kinds.items() if all(issubclass(kind, SCALARS) for kind in found)}
            names = kinds.keys() - (known & single if file_format in ("graphml", "gexf") else known)
            said = f"{file_format} has one simple type for each attribute of {what}: {{}} written as text"
        if names:
            shown = " and ".join(filter(None, [", ".join(map(repr, sorted(names)[:-1])), repr(max(names))]))
            notes.append(said.format(f"{shown} {'is' if len(names) == 1 else 'are'}"))
    return notes


def _kinds(rows: Iterable[Mapping]) -> dict[str, set[type]]:
    """Return the types of each attribute's values."""
    kinds: dict[str, set[type]] = {}
    for own in rows:
        for name, value in own.items():
            if not is_missing(value):
                kinds.setdefault(str(name), set()).add(type(python_value(value)))
    return kinds


def _level(rows: list[Attributes]) -> None:
    """Give each attribute one type: numbers if all values are numbers, text if types differ."""
    mixed = {name: float if found == {int, float} else str for name, found in _kinds(rows).items() if len(found) > 1}
    if mixed:
        for own in rows:
            own.update({name: kind(own[name]) for name, kind in mixed.items() if name in own})


def labels_to_write(labels: Sequence[Hashable], name: str) -> np.ndarray:
    """Return whole numbers as integers, other labels as text (without pickle)."""
    if all(isinstance(label, (int, np.integer)) and not isinstance(label, bool) for label in labels):
        return np.array(list(labels), dtype=np.int64)
    return np.array(text_labels(labels, name))
