"""Pairs of nodes that are near each other, found on a grid of cells that is sorted by key.

Of three discs of diameter 1 on a line, the first two touch::

    >>> Y = np.array([[0.0, 0.0], [0.9, 0.0], [5.0, 0.0]])
    >>> touching_pairs(Y, np.full(3, 0.5), 0.0)
    (array([0]), array([1]))
    >>> heaps_of(Y, 1.0)
    array([0, 0, 1])
"""

from __future__ import annotations

import itertools

import numpy as np

__all__ = ["Crowded", "gaps", "heaps_of", "touching_pairs"]


# Nodes up to which all neighboring cells are searched at once: of some hundred nodes in a fifth less time, and with up
# to nine times the memory for their pairs.
AT_ONCE = 10_000


class Crowded(Exception):
    """Too many pairs are near each other to list them all."""


def gaps(Y: np.ndarray, i: np.ndarray, j: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Differences y_i - y_j of pairs of nodes, and their lengths."""
    difference = Y[i] - Y[j]
    squared = difference[:, 0] * difference[:, 0]
    for a in range(1, Y.shape[1]):
        squared += difference[:, a] * difference[:, a]
    return difference, np.sqrt(squared)


def _cell_keys(Y: np.ndarray, cell: float) -> tuple[np.ndarray, list[int]]:
    """Integer key of each node's cell, and the strides of the key along each axis.

    Only the first three axes are used; one free cell at each border keeps neighbors from wrapping round.
    """
    X = Y[:, :3]
    low = X.min(axis=0)
    cell = max(cell, float((X.max(axis=0) - low).max()) / 2 ** (60 // X.shape[1]))
    place = ((X - low) / cell).astype(np.int64) + 1
    strides, width = [1], 1
    for a in range(X.shape[1] - 1):
        width *= int(place[:, a].max()) + 2
        strides.append(width)
    key = place[:, 0].copy()
    for a in range(1, X.shape[1]):
        key += place[:, a] * strides[a]
    return key, strides


def heaps_of(Y: np.ndarray, near: float) -> np.ndarray:
    """Number of the heap of each node: nodes in one cell, or in cells that touch, are one heap."""
    key, strides = _cell_keys(Y, near)
    cells, group = np.unique(key, return_inverse=True)
    ends = []
    for offset in itertools.product((-1, 0, 1), repeat=len(strides)):
        shift = sum(o * s for o, s in zip(offset, strides, strict=True))
        if shift <= 0:
            continue
        at = np.searchsorted(cells, cells + shift)
        at[at == len(cells)] = 0
        found = np.flatnonzero(cells[at] == cells + shift)
        ends.append((found, at[found]))
    a = np.concatenate([e[0] for e in ends])
    b = np.concatenate([e[1] for e in ends])
    label = np.arange(len(cells))
    while len(a):
        low = np.minimum(label[a], label[b])
        new = label.copy()
        np.minimum.at(new, label[a], low)
        np.minimum.at(new, label[b], low)
        new = new[new]
        if (new == label).all():
            break
        label = new
    return np.unique(label[group.reshape(-1)], return_inverse=True)[1].reshape(-1)


def touching_pairs(
    Y: np.ndarray, radius: np.ndarray, skin: float, limit: float = np.inf, of: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """All pairs with |y_i - y_j| < (1 + skin)(r_i + r_j); raises `Crowded` where more than `limit` had to be tried.

    of  mask (n,) of the nodes whose pairs are wanted, where all radii are equal; None: all

    Nodes are classed by powers of two of their radius, and each class searches, on a grid of its own, among
    itself and the smaller ones, so one huge disc does not make the cells of all the others huge.
    """
    first, second, tried = [], [], 0
    for members, of_class, largest in _classes(radius):
        key, strides = _cell_keys(Y[members], 2.0 * largest * (1 + skin))
        order = np.argsort(key, kind="stable")
        members, key = members[order], key[order]
        searching = of_class[order] if of is None else of[members]
        own = np.flatnonzero(searching)
        offsets = itertools.product((-1, 0, 1), repeat=len(strides) - 1)
        shifts = np.array([sum(o * s for o, s in zip(offset, strides[1:], strict=True)) for offset in offsets])
        for some in np.array_split(shifts, 1 if len(own) <= AT_ONCE else len(shifts)):
            here = (key[own] + some[:, None]).ravel()
            begin = np.searchsorted(key, here - 1)
            count = np.searchsorted(key, here + 1, side="right") - begin
            total = int(count.sum())
            tried += total
            if tried > 2 * limit:
                raise Crowded
            a = np.repeat(np.tile(own, len(some)), count)
            b = np.arange(total) + np.repeat(begin - np.concatenate([[0], np.cumsum(count)[:-1]]), count)
            met_twice = searching[b]
            keep = np.flatnonzero(~met_twice & (a != b) | (a < b))  # a pair of one class is met from both ends
            i, j = members[a[keep]], members[b[keep]]
            _, distance = gaps(Y, i, j)
            close = distance < (1 + skin) * (radius[i] + radius[j])
            first.append(i[close])
            second.append(j[close])
    return np.concatenate(first), np.concatenate(second)


def _classes(radius: np.ndarray) -> list[tuple[np.ndarray, np.ndarray, float]]:
    """The nodes of each class and the smaller ones, the mask of its own among them, and its largest radius."""
    if radius.min() == radius.max():
        return [(np.arange(len(radius)), np.ones(len(radius), dtype=bool), float(radius[0]))]
    floor = np.maximum(radius, radius.max() * 1e-3)
    level = np.floor(np.log2(floor)).astype(int)
    found = []
    for k in np.unique(level):
        members = np.flatnonzero(level <= k)
        found.append((members, level[members] == k, float(floor[level == k].max())))
    return found
