"""Free places on a sheet: convex polygons laid around the middle, the largest first.

A polygon is given by its support function over `SIDES` directions u_k: {y : y . u_k <= h_k}.  The sheet is a
bitmap, and a cell that a polygon touches is taken, so a coarse resolution wastes paper and never makes an overlap.  The
`ONE_BY_ONE` largest go, by their outline, to the free place nearest to the middle; the rest in bulk: boxes of
one size share a lattice, and its free places nearest to the middle are taken at once (ten thousand in 0.2 s).
"""

from __future__ import annotations

import numpy as np

__all__ = ["ANGLES", "ASPECT", "SIDES", "on_sheet", "on_shared_sheet"]

SIDES = 32
ANGLES = 2 * np.pi * np.arange(SIDES) / SIDES
ONE_BY_ONE = 100
CELLS_ACROSS = 100  # cells along the side of a square as large as all polygons placed one by one
# Binary digits of the box sides, and boxes of one size below which fewer digits are kept.
ROUNDINGS, COMMON = (4, 3, 2), 8
ASPECT = 1.25  # the figure aims at this ratio of width to height
ASPECT_OF_TWO = 2.2  # two polygons lie side by side


class _Board:
    """A bitmap of taken cells about the middle of the figure; it grows on demand."""

    def __init__(self, cell: float, half: int, aspect: float = ASPECT) -> None:
        self.cell, self.half, self.aspect = cell, half, aspect
        self.taken = np.zeros((2 * half, 2 * half), dtype=bool)
        self.box = (half, half, half, half)  # x0, y0, x1, y1 of the taken part

    def grow(self, pad: int) -> None:
        x0, y0, x1, y1 = self.box
        if min(x0, y0, 2 * self.half - x1, 2 * self.half - y1) >= pad:
            return
        self.widen(pad + self.half)

    def widen(self, more: int) -> None:
        x0, y0, x1, y1 = self.box
        self.taken = np.pad(self.taken, more)
        self.half += more
        self.box = (x0 + more, y0 + more, x1 + more, y1 + more)

    def mark(self, x: int, y: int, w: int, h: int) -> None:
        x0, y0, x1, y1 = self.box
        self.box = (
            (x, y, x + w, y + h) if x1 == x0 else (min(x0, x), min(y0, y), max(x1, x + w), max(y1, y + h))
        )


def on_sheet(h: np.ndarray) -> np.ndarray:
    """Offsets (c, 2) at which the polygons with support values h, the largest first, do not overlap."""
    offsets = np.zeros((len(h), 2))
    if len(h) == 0:
        return offsets
    quarter = SIDES // 4
    wide = np.stack([h[:, 0] + h[:, 2 * quarter], h[:, quarter] + h[:, 3 * quarter]], axis=1)
    first = min(len(h), ONE_BY_ONE)
    cell = float(np.sqrt((wide[:first, 0] * wide[:first, 1]).sum())) / CELLS_ACROSS
    board = _Board(cell, 2 * CELLS_ACROSS, ASPECT if len(h) != 2 else ASPECT_OF_TWO)
    for rank in range(first):
        offsets[rank] = _place_outline(board, h[rank])
    if first < len(h):
        total = float(np.sqrt((wide[:, 0] * wide[:, 1]).sum()))
        small = float(np.median(wide[first:].min(axis=1)))
        board = _Board(max(small / 3, total / 2000), int(1.2 * total / max(small / 3, total / 2000)) + 8)
        for rank in range(first):
            _mark_outline(board, h[rank], offsets[rank])
        offsets[first:] = _place_boxes(board, h[first:], wide[first:])
    return offsets


def on_shared_sheet(
    held: np.ndarray, places: np.ndarray, stays: np.ndarray, loose: np.ndarray, margin: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Offsets of polygons that have their places (c, 2), and of others (k, 2) that come to lie around them.

    held    (c, 32) support values of those with a place, the largest first; one that has come to overlap a larger one
            moves to the free place nearest to its own, with its margin about it, unless the mask ``stays`` (c,) has it
    loose   (k, 32) support values of those without, the largest first, their margins within
    margin  (c,) of those with a place
    """
    quarter, places = SIDES // 4, np.array(places)
    every = np.concatenate([held, loose])
    wide = np.stack([every[:, 0] + every[:, 2 * quarter], every[:, quarter] + every[:, 3 * quarter]], axis=1)
    cell = float(np.sqrt((wide[:, 0] * wide[:, 1]).sum())) / CELLS_ACROSS
    board = _Board(cell, 2 * CELLS_ACROSS)
    order = np.argsort(~stays, kind="stable")
    for rank in order.tolist():
        if not stays[rank] and _overlaps(board, held[rank], places[rank]):
            places[rank] = _place_outline(board, held[rank] + margin[rank], places[rank] / cell)
        else:
            _mark_outline(board, held[rank], places[rank])
    first = min(len(loose), ONE_BY_ONE)
    offsets = np.zeros((len(loose), 2))
    for rank in range(first):
        offsets[rank] = _place_outline(board, loose[rank])
    if first < len(loose):
        offsets[first:] = _place_boxes(board, loose[first:], wide[len(held) + first :])
    return places, offsets


def _runs(h: np.ndarray, cell: float) -> tuple[int, np.ndarray, np.ndarray]:
    """Cells that the polygon h about a corner of cells touches: first row; begin and end of every row."""
    step = 2 * np.pi / SIDES
    c, s = np.cos(ANGLES), np.sin(ANGLES)
    along = (np.roll(h, -1) - h * np.cos(step)) / np.sin(step)  # corner between sides k and k + 1
    x, y = (h * c - along * s) / cell, (h * s + along * c) / cell
    quarter = SIDES // 4
    right, left = np.arange(-quarter, quarter), np.arange(quarter, 3 * quarter)[::-1]
    first, last = int(np.floor(y.min())), int(np.ceil(y.max()))
    rows = max(last - first, 1)
    cuts = np.clip(np.concatenate([np.arange(first, first + rows + 1), y]), y.min(), y.max())
    xr = np.interp(cuts, np.maximum.accumulate(y[right]), x[right])
    xl = np.interp(cuts, np.maximum.accumulate(y[left]), x[left])
    low, high = np.minimum(xl[:rows], xl[1 : rows + 1]), np.maximum(xr[:rows], xr[1 : rows + 1])
    row = np.clip(np.floor(y).astype(int) - first, 0, rows - 1)
    np.minimum.at(low, row, x)
    np.maximum.at(high, row, x)
    begin = np.floor(low - 1e-9).astype(int)
    return first, begin, np.maximum(np.ceil(high + 1e-9).astype(int), begin + 1)


def _place_outline(board: _Board, h: np.ndarray, near: np.ndarray | None = None) -> tuple[float, float]:
    """Mark the free place nearest to the middle, or to ``near`` in cells from it, and return its offset."""
    first, begin, end = _runs(h, board.cell)
    rows, left, columns = len(begin), int(begin.min()), int(end.max() - begin.min())
    pad = max(rows, columns) + 2
    board.grow(pad)
    x0, y0, x1, y1 = board.box
    x0, y0, x1, y1 = x0 - columns - 1, y0 - rows - 1, x1 + columns + 1, y1 + rows + 1
    window = board.taken[y0:y1, x0:x1]
    sums = np.zeros((window.shape[0], window.shape[1] + 1), dtype=np.int32)
    np.cumsum(window, axis=1, out=sums[:, 1:])
    height, width = window.shape[0] - rows + 1, window.shape[1] - columns + 1
    hits = np.zeros((height, width), dtype=np.int32)
    for row in range(rows):
        a, b = begin[row] - left, end[row] - left
        hits += sums[row : row + height, b : b + width]
        hits -= sums[row : row + height, a : a + width]
    # the polygon's own origin, in cells from the middle, if its box begins at window cell (i, j)
    dx = np.arange(width) + x0 - left - board.half
    dy = np.arange(height) + y0 - first - board.half
    # the side of the sheet that the figure would need then; without this term, two equal polygons would lie askew
    bx0, by0, bx1, by1 = board.box if board.box[2] > board.box[0] else (board.half,) * 4
    across = np.maximum(bx1, np.arange(width) + x0 + columns) - np.minimum(bx0, np.arange(width) + x0)
    upward = np.maximum(by1, np.arange(height) + y0 + rows) - np.minimum(by0, np.arange(height) + y0)
    away = _away(dx[None, :], dy[:, None], board.aspect)
    away += 0.5 * np.maximum(across[None, :] / board.aspect, upward[:, None]) ** 2
    if near is not None:
        away = (dx[None, :] - near[0]) ** 2 + (dy[:, None] - near[1]) ** 2
    away[hits > 0] = np.inf
    i, j = divmod(int(np.argmin(away)), width)
    for row in range(rows):
        board.taken[y0 + i + row, x0 + j + begin[row] - left : x0 + j + end[row] - left] = True
    board.mark(x0 + j, y0 + i, columns, rows)
    return float(dx[j] * board.cell), float(dy[i] * board.cell)


def _overlaps(board: _Board, h: np.ndarray, offset: np.ndarray) -> bool:
    """Whether a polygon at its place touches cells that are taken."""
    first, begin, end = _runs_at(board, h, offset)
    for row in range(len(begin)):
        y, a, b = board.half + first + row, board.half + begin[row], board.half + end[row]
        if 0 <= y < 2 * board.half and board.taken[y, max(a, 0) : max(b, 0)].any():
            return True
    return False


def _runs_at(board: _Board, h: np.ndarray, offset: np.ndarray) -> tuple[int, np.ndarray, np.ndarray]:
    """`_runs` of a polygon at its place."""
    return _runs(h + offset[0] * np.cos(ANGLES) + offset[1] * np.sin(ANGLES), board.cell)


def _mark_outline(board: _Board, h: np.ndarray, offset: np.ndarray) -> None:
    """Mark a polygon at its place on a board of another resolution."""
    first, begin, end = _runs_at(board, h, offset)
    reach = int(max(abs(first), abs(first + len(begin)), abs(begin.min()), abs(end.max()))) + 1
    if reach > board.half:
        board.widen(reach - board.half)
    for row in range(len(begin)):
        board.taken[board.half + first + row, board.half + begin[row] : board.half + end[row]] = True
    board.mark(board.half + int(begin.min()), board.half + first, int(end.max() - begin.min()), len(begin))


def _away(dx: np.ndarray, dy: np.ndarray, aspect: float) -> np.ndarray:
    """Distance of a place from the middle, by which figures become round and a little wider than high."""
    return (dx / aspect) ** 2 + dy.astype(np.float64) ** 2


def _round_up(cells: np.ndarray, bits: int) -> np.ndarray:
    """Box sides in cells, rounded up to that many binary digits, so that boxes come in few sizes."""
    whole = np.ceil(cells - 1e-9).astype(np.int64)
    step = 2 ** np.maximum(np.floor(np.log2(np.maximum(whole, 1))) + 1 - bits, 0).astype(np.int64)
    return -(-whole // step) * step


def _place_boxes(board: _Board, h: np.ndarray, wide: np.ndarray) -> np.ndarray:
    """Offsets of many small polygons by their boxes: for each size of box a lattice of free places."""
    quarter = SIDES // 4
    box, offsets = np.zeros((len(h), 2), dtype=np.int64), np.empty((len(h), 2))
    kind, count = np.zeros(len(h), dtype=np.int64), np.zeros(1, dtype=np.int64)
    for bits in ROUNDINGS:  # of boxes of a rare size more is rounded off: every size takes a search of the whole board
        rare = count[kind] < COMMON
        box[rare] = _round_up(wide[rare] / board.cell, bits)
        _, kind, count = np.unique(box, axis=0, return_inverse=True, return_counts=True)
        kind = kind.reshape(-1)
    kinds = np.unique(box, axis=0)
    for k in np.argsort(-(kinds[:, 0] * kinds[:, 1]), kind="stable"):
        members = np.flatnonzero(kind == k)
        x, y = _free_boxes(board, int(kinds[k, 0]), int(kinds[k, 1]), len(members))
        center = (np.stack([x, y], axis=1) - board.half + kinds[k] / 2) * board.cell
        own = np.stack(
            [h[members, 0] - h[members, 2 * quarter], h[members, quarter] - h[members, 3 * quarter]], 1
        )
        offsets[members] = center - own / 2
    return offsets


def _free_boxes(board: _Board, w: int, h: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Take the `count` free w x h boxes of a lattice nearest to the middle; return their lower left cells."""
    x0, y0, x1, y1 = board.box
    area = (x1 - x0) * (y1 - y0)
    spread = (np.sqrt(area + 1.3 * count * w * h) - np.sqrt(area)) / 2
    while True:
        pad = int(np.ceil(spread)) + 2 * max(w, h)
        board.grow(pad + 1)
        x0, y0, x1, y1 = board.box
        x0, y0, x1, y1 = x0 - pad, y0 - pad, x1 + pad, y1 + pad
        # a lattice through the middle; a single box may lie anywhere
        sx, sy = (w, h) if count > 3 else (1, 1)
        xs = np.arange((board.half - x0) % sx, x1 - x0 - w + 1, sx)
        ys = np.arange((board.half - y0) % sy, y1 - y0 - h + 1, sy)
        window = board.taken[y0:y1, x0:x1]
        if sx > 1 or sy > 1:
            rows = window[ys[0] : ys[0] + len(ys) * h, xs[0] : xs[0] + len(xs) * w].reshape(len(ys), h, -1)
            free = ~rows.any(axis=1).reshape(len(ys), len(xs), w).any(axis=2)
        else:
            sums = np.zeros((y1 - y0 + 1, x1 - x0 + 1), dtype=np.int32)
            np.cumsum(window, axis=0, out=sums[1:, 1:])
            np.cumsum(sums[1:, 1:], axis=1, out=sums[1:, 1:])
            free = sums[h:, w:] - sums[:-h, w:] - sums[h:, :-w] + sums[:-h, :-w] == 0
        away = _away(
            xs[None, :] + x0 + w / 2 - board.half, ys[:, None] + y0 + h / 2 - board.half, board.aspect
        )
        found = np.flatnonzero(free)
        distance = away.reshape(-1)[found]
        if sx == w and sy == h and len(found) > count:  # the others need no order
            close = distance <= np.partition(distance, count - 1)[count - 1]
            found, distance = found[close], distance[close]
        nearest = found[np.argsort(distance, kind="stable")]
        if sx == 1 and count > 1:
            nearest = _apart(nearest, len(xs), w, h, count)
        if len(nearest) >= count:
            break
        spread = 2 * spread + max(w, h)
    rows, columns = np.divmod(nearest[:count], len(xs))
    x, y = xs[columns] + x0, ys[rows] + y0
    for a, b in zip(x, y, strict=True) if w * h > 4 * count else ():
        board.taken[b : b + h, a : a + w] = True
    if w * h <= 4 * count:
        for b in range(h):
            for a in range(w):
                board.taken[y + b, x + a] = True
    board.mark(int(x.min()), int(y.min()), int(x.max() - x.min()) + w, int(y.max() - y.min()) + h)
    return x, y


def _apart(nearest: np.ndarray, columns: int, w: int, h: int, count: int) -> np.ndarray:
    """First `count` of the places, in order, whose boxes do not overlap each other."""
    kept: list[int] = []
    while len(nearest) and len(kept) < count:
        kept.append(int(nearest[0]))
        row, column = divmod(kept[-1], columns)
        rows, cols = np.divmod(nearest, columns)
        nearest = nearest[(abs(rows - row) >= h) | (abs(cols - column) >= w)]
    return np.array(kept, dtype=np.int64)
