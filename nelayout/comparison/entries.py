"""Entries of a comparison: drawings that exist, and methods, peers and functions that draw, as users list them.

``["ws-sne", "nx:spring", pos]`` and ``{"ours": "ws-sne", "mine": pos, "spring": nx.spring_layout}`` are read alike.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from nelayout.catalogue.record import Method
from nelayout.comparison.peers import Peer
from nelayout.errors import InputError, InputTypeError, warn
from nelayout.graphs import places

__all__ = ["Entry", "LeftOut", "Run", "entries_of", "function_entry", "peer_entry", "say_points", "take_part"]

# Name of drawings that stand in a list, which names none.
UNNAMED = "given"
EXAMPLE = 'such as ["ws-sne", "nx:spring", pos] or {"ours": "ws-sne", "mine": pos}'


class LeftOut(Exception):
    """An entry that cannot draw this graph here; the message says why."""


@dataclass(frozen=True, slots=True)
class Run:
    """One drawing: positions, seconds of wall clock where it was drawn here, and what the run said."""

    positions: Any
    seconds: float | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of a comparison.

    name    of the row
    given   drawings that exist, usually one
    draw    seed -> a run, where the entry draws by itself; raises `LeftOut`
    seeded  whether another seed may give another drawing
    """

    name: str
    given: tuple[Any, ...] = ()
    draw: Callable[[int], Run] | None = None
    seeded: bool = False

    def runs(self, seeds: Iterable[int]) -> list[Run]:
        """All drawings of the entry: those that exist, or one for each seed that makes a difference."""
        if self.draw is None:
            return [Run(pos) for pos in self.given]
        every = list(seeds)
        return [self.draw(seed) for seed in (every if self.seeded else every[:1])]


def entries_of(
    drawings: Any,
    named: Callable[[str, str], Entry],
    method: Callable[[str, Method], Entry],
    function: Callable[[str, Callable], Entry],
) -> list[Entry]:
    """Read a list or a dict of drawings.

    named     (name of the row, name of a method or peer) -> entry; raises `InputError` for an unknown one
    method    (name of the row, method) -> entry
    function  (name of the row, function) -> entry
    """
    found: list[Entry] = []

    def add(row: str | None, x: Any) -> None:
        row = None if row is None else " ".join(row.split()) or UNNAMED  # a name is one line of a table
        if isinstance(x, str):
            entry = named(row or x, x)
        elif isinstance(x, Method):
            entry = method(row or x.name, x)
        elif isinstance(x, type) or (callable(x) and not hasattr(x, "__len__")):
            entry = function(row or getattr(x, "__name__", type(x).__name__), x)
        else:
            entry = Entry(row or UNNAMED, _several(x, row or UNNAMED))
        if row is None and entry.name == UNNAMED:
            count = sum(other.name.startswith(UNNAMED) for other in found)
            entry = Entry(UNNAMED if not count else f"{UNNAMED} {count + 1}", entry.given)
        if any(other.name == entry.name for other in found):
            raise InputError(f"the drawing {entry.name!r} is given twice; give a dict and call each its own name")
        found.append(entry)

    if isinstance(drawings, str):
        drawings = [drawings]
    if isinstance(drawings, Mapping):
        if drawings and all(map(_is_place, drawings.values())):
            raise InputError("drawings is one dict of positions; give {name: positions}, or a list: [positions]")
        for name, x in drawings.items():
            add(str(name), x)
    elif isinstance(drawings, Iterable) and not isinstance(drawings, np.ndarray):
        for x in drawings:
            add(None, x)
    if not found:
        raise InputError(f"drawings must be a list or a dict with at least one drawing, {EXAMPLE}")
    return found


def _several(x: Any, row: str) -> tuple[Any, ...]:
    """The drawings in a list of them, or in an array of three dimensions; else the one that it is."""
    if x is None:
        raise InputTypeError(f"the drawing {row!r} is None; give positions, or who draws: {EXAMPLE}")
    if isinstance(x, np.ndarray):
        return tuple(x) if x.ndim == 3 else (x,)
    if type(x) not in (list, tuple):
        return (x,)
    if not len(x):
        raise InputError(f"the drawing {row!r} is an empty {type(x).__name__}; give one drawing or several in a list")
    who = next((each for each in x if isinstance(each, (str, Method)) or callable(each)), None)
    if who is not None:
        raise InputError(
            f"the drawing {row!r} is a list with {getattr(who, 'name', who)!r} in it; a list in a dict holds "
            "positions: give who draws a name of its own, and seeds=5 for five drawings of each"
        )
    return tuple(x) if all(map(_is_drawing, x)) else (x,)


def _is_drawing(x: Any) -> bool:
    """Whether this is a drawing rather than one node's position."""
    known = isinstance(x, Mapping) or hasattr(x, "positions") or hasattr(x, "coords")
    return known or getattr(x, "ndim", 0) == 2 or (type(x) in (list, tuple) and len(x) > 0 and all(map(_is_place, x)))


def _is_place(x: Any) -> bool:
    """Whether this is one node's position: one to three numbers."""
    if isinstance(x, (str, Mapping)) or not hasattr(x, "__len__") or not 0 < len(x) < 4:
        return False
    return all(isinstance(value, (Real, np.number)) for value in x)


def peer_entry(name: str, peer: Peer, data: Any, close: Callable[[np.ndarray], Any], n_jobs: int | None) -> Entry:
    """The entry of another package's layout; ``close`` makes positions of its array."""

    def draw(seed: int) -> Run:
        if peer.missing is not None:
            raise LeftOut(peer.missing)
        try:
            prepared = peer.prepare(data, seed, n_jobs)
            began = time.perf_counter()
            Y = np.asarray(prepared(), np.float64)
            seconds = time.perf_counter() - began
        except Exception as error:  # whatever another package raises: it is named, and the others are compared
            raise LeftOut(f"it failed with {type(error).__name__}: {error}") from error
        lost = np.flatnonzero(~np.isfinite(Y).all(axis=1)) if Y.shape == (data.shape[0], 2) else range(data.shape[0])
        if len(lost):
            raise LeftOut(f"it gave {len(lost)} of {data.shape[0]} nodes no position")
        return Run(close(Y), seconds)

    return Entry(name, draw=draw, seeded=peer.seeded)


def function_entry(name: str, function: Callable, data: Any) -> Entry:
    """The entry of a function of the graph or vectors; it gets ``seed=`` where it takes one.

    Its own errors are raised as they are, with a note that names the drawing.
    """
    try:
        seeded = "seed" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        seeded = False

    def draw(seed: int) -> Run:
        began = time.perf_counter()
        try:
            found = function(data, seed=seed) if seeded else function(data)
        except Exception as error:
            error.add_note(f"raised by the function that draws {name!r}")
            raise
        seconds = time.perf_counter() - began
        if found is None:
            raise InputTypeError(f"the function of the drawing {name!r} returned None; it must return positions")
        if len(_several(found, name)) > 1:
            raise InputError(
                f"the function of the drawing {name!r} returned several drawings; it must return one: seeds=5 calls it "
                "five times"
            )
        return Run(getattr(found, "positions", found), seconds, tuple(getattr(found, "notes", ())))

    return Entry(name, draw=draw, seeded=seeded)


def take_part(
    entries: list[Entry], seeds: int, seed: int
) -> tuple[dict[str, list[Run]], dict[str, tuple[str, ...]]]:
    """Draw all entries: {name: runs}, and {name: notes}, with a warning of each that is left out.

    Raises `InputError` where none is left, or for a number of seeds that is none.
    """
    if isinstance(seeds, bool) or not hasattr(seeds, "__index__") or int(seeds) < 1:
        raise InputError(f"seeds={seeds!r}; give the number of drawings of each method, at least 1")
    runs: dict[str, list[Run]] = {}
    notes: dict[str, tuple[str, ...]] = {}
    for entry in entries:
        try:
            runs[entry.name] = entry.runs(range(seed, seed + int(seeds)))
        except LeftOut as reason:
            notes[entry.name] = (f"left out: {reason}",)
            continue
        said = tuple(dict.fromkeys(note for run in runs[entry.name] for note in run.notes))
        if said:
            notes[entry.name] = said
    lost = [f"{entry.name} is {notes[entry.name][0]}" for entry in entries if entry.name not in runs]
    if not runs:
        raise InputError(f"no drawing is left to compare: {'; '.join(lost)}")
    for sentence in lost:
        warn(sentence)
    return runs, notes


def say_points(runs: Mapping[str, list[Run]], notes: dict[str, tuple[str, ...]]) -> None:
    """Warn of drawings with all nodes at one place, and add it to the notes."""
    for name, each in runs.items():
        if any(_is_point(run.positions) for run in each):
            notes[name] = (*notes.get(name, ()), "all nodes lie at one place")
            warn(f"all nodes of the drawing {name!r} lie at one place: its measures say little")


def _is_point(pos: Any) -> bool:
    rows = np.asarray(list(places(pos).rows), np.float64)
    return len(rows) > 1 and not np.ptp(rows, axis=0).any()
