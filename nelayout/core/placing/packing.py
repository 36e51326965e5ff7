"""Pack layouts: components beside each other, isolated nodes in rows.

Each component gets a common unit, the typical distance of neighboring nodes: n nodes cover the area n (their outline
grown by half a unit). The largest component is in the middle. Each of the others takes the free position nearest to it.

An outline is the circumscribed 32-gon, given by its support function over 32 directions u_k: {y : y . u_k <= h_k}. The
plane is a bitmap. A polygon takes every cell that it touches, so a coarse bitmap wastes space and never makes an
overlap. The largest outlines are packed one by one, the others by their boxes; boxes of one size share a lattice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

__all__ = ["pack", "pack_around", "stacked"]

SIDES = 32
STEP = 2 * np.pi / SIDES
ANGLES = STEP * np.arange(SIDES)
QUARTER = SIDES // 4
EMPTY = np.zeros(0)
# Smallest area of an outline, relative to its squared diameter.
LONG_AREA = 0.2
# Desired ratio of width to height; two layouts are side by side.
ASPECT, ASPECT_OF_TWO = 1.25, 2.2
# Distance between two layouts of a stack, in nodes: k even nodes of root mean square k have the height sqrt(12) k.
GAP = 1.5 * 12**0.5
# Number of outlines packed one by one, and of cells along the side of a square as large as all of them.
SINGLE_OUTLINES, CELLS_ACROSS = 100, 100


def pack(drawings: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Scale and move `drawings`, a list of (n_i, d) arrays in any units, beside each other.

    The largest layout keeps its size. The areas (lengths, volumes for d = 1, 3) of the others are in proportion to
    their numbers of nodes. Outlines are at least one typical node distance apart, large ones 3% of their width.
    Isolated nodes fill rows below, one node distance apart. On a line (d = 1) the components are one after another, in
    space (d = 3) they are in the xy-plane. The middle of the whole figure is 0.
    """
    if not drawings:
        return []
    d, sizes = drawings[0].shape[1], np.array([len(Y) for Y in drawings])
    shapes = np.flatnonzero(sizes > 1)
    order = shapes[np.argsort(-sizes[shapes], kind="stable")]
    outline, factor, middle = _outlines([drawings[i] for i in order], sizes[order])
    margin = _margin(outline)
    if d == 1:
        half = outline[:, 0] + margin
        offsets = np.stack([2 * np.cumsum(half) - half, np.zeros(len(half))], axis=1)
    else:
        offsets = _on_sheet(outline + margin[:, None])[0]
    placed: list[np.ndarray] = [np.empty((0, d))] * len(drawings)
    for rank, i in enumerate(order):
        Y = (drawings[i] - middle[rank]) * factor[rank]
        Y[:, : min(d, 2)] += offsets[rank, : min(d, 2)]
        placed[i] = Y
    isolated = np.flatnonzero(sizes == 1)
    for i, place in zip(isolated, _rows(len(isolated), offsets, outline, d), strict=True):
        placed[i] = place[None, :]
    every = np.concatenate(placed)
    if not len(every):
        return placed
    low, high, unit = every.min(axis=0), every.max(axis=0), factor[0] if len(order) else 1.0
    return [(Y - (low + high) / 2) / unit for Y in placed]


def pack_around(
    placed: Sequence[np.ndarray],
    stays: Sequence[bool],
    drawings: Sequence[np.ndarray],
    rests: Sequence[bool] = (),
    keeps: Sequence[bool] = (),
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Pack layouts `drawings` around layouts `placed`, at least one; arrays (n_i, d).

    A layout of `placed` moves, to the nearest free position, only if its outline overlaps a larger outline and its
    entries of `stays` and `keeps` are false. Layouts of `rests` do not move for each other. `drawings` take the scale
    of the largest of `placed` and surround it (on a line, they are to the right), isolated nodes one by one.
    """
    sizes, more = np.array([len(Y) for Y in placed]), np.array([len(Y) for Y in drawings], dtype=int)
    order, rest = np.argsort(-sizes, kind="stable"), np.argsort(-more, kind="stable")
    d = placed[0].shape[1]
    outline, factor, middle = _outlines([placed[i] for i in order], sizes[order])
    unit = float(factor[0])
    drawn = outline.max(axis=1) < 1e6 * np.sqrt(sizes[order])  # with a huge outline, all others would share one cell
    outline = outline * (unit / factor)[:, None]
    origin = middle[0]
    own, scales, centers = _outlines([drawings[i] for i in rest], more[rest])
    there = (middle - origin) * unit
    if d == 1:
        right = float((there[:, 0] + outline[:, 0]).max())
        ends = right + np.cumsum(2.0 * (own[:, 0] + 0.5)) + 0.5
        moved, offsets = there, np.stack([ends - own[:, 0] - 0.5, np.zeros(len(own))], axis=1)
    else:
        margin, least = _margin(outline), _margin(own)
        none = [False] * len(placed)
        stay, rested, kept = (np.array(each or none, dtype=bool)[order] for each in (stays, rests, keeps))
        stay |= ~drawn
        offsets, moved = _on_sheet(own + least[:, None], outline, there[:, :2], margin, stay, rested & ~stay, kept)
    old, new = list(placed), list(drawings)
    for rank, i in enumerate(order.tolist()):
        step = moved[rank, : min(d, 2)] - there[rank, : min(d, 2)]
        if step.any():
            old[i] = placed[i].copy()
            old[i][:, : min(d, 2)] += step / unit
    for rank, i in enumerate(rest.tolist()):
        new[i] = (drawings[i] - centers[rank]) * (scales[rank] / unit) + origin
        new[i][:, : min(d, 2)] += offsets[rank, : min(d, 2)] / unit
    return old, new


def _outlines(drawings: list[np.ndarray], sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return support functions h (c, 32) of scaled, centered layouts; scale factors; centers."""
    c = len(drawings)
    if c == 0:
        return np.zeros((0, SIDES)), np.zeros(0), np.zeros((0, 2))
    Y = np.concatenate(drawings)
    d = Y.shape[1]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    low, high = np.minimum.reduceat(Y, starts), np.maximum.reduceat(Y, starts)
    middle = (low + high) / 2
    X = Y - np.repeat(middle, sizes, axis=0)
    x, y = X[:, 0], (X[:, 1] if d > 1 else np.zeros(len(X)))
    h = np.empty((c, SIDES))
    for k in range(SIDES // 2):
        along = x * np.cos(ANGLES[k]) + y * np.sin(ANGLES[k])
        h[:, k] = np.maximum.reduceat(along, starts)
        h[:, k + SIDES // 2] = -np.minimum.reduceat(along, starts)
    factor = np.ones(c)
    if d == 1:
        extent = (high - low)[:, 0]
        np.divide(sizes - 1.0, extent, out=factor, where=extent > 0)
    elif d == 2:
        sides = (np.roll(h, 1, axis=1) + np.roll(h, -1, axis=1) - 2 * np.cos(STEP) * h) / np.sin(STEP)
        area = np.maximum(0.5 * (h * sides).sum(axis=1), LONG_AREA * _width(h) ** 2)
        half, rest = sides.sum(axis=1) / 2, sizes - np.pi / 4
        # The outline grown by 1/2 has area n: s^2 area + s perimeter/2 + pi/4 = n for the factor s.
        divisor = half + np.sqrt(half**2 + 4 * area * rest)
        np.divide(2 * rest, divisor, out=factor, where=divisor > 0)
    else:
        # In space, a ball of n nodes at unit distance has the volume n, which gives its root mean square radius.
        spread = np.sqrt(np.add.reduceat((X * X).sum(axis=1), starts) / sizes)
        ball = np.sqrt(3 / 5) * (3 * sizes / (4 * np.pi)) ** (1 / 3)
        np.divide(ball, spread, out=factor, where=spread > 0)
    h = h * factor[:, None]
    stacked = h.max(axis=1) <= 0  # all nodes at one point get the area of a disc of n nodes
    h[stacked] = np.sqrt(sizes[stacked] / np.pi)[:, None]
    return h, factor, middle


def _width(h: np.ndarray) -> np.ndarray:
    """Return the largest width over the directions, nearly the diameter of the layout."""
    half = SIDES // 2
    return (h[:, :half] + h[:, half:]).max(axis=1, initial=0.0)


def _margin(h: np.ndarray) -> np.ndarray:
    """Return half of the distance to other outlines: half a node, and 1.5% of the width."""
    return 0.5 + 0.015 * _width(h)


def _rows(k: int, offsets: np.ndarray, h: np.ndarray, d: int) -> np.ndarray:
    """Return positions (k, d) of isolated nodes: rows below the others, or right on a line."""
    left = right = bottom = top = distance = 0.0
    if len(h):
        left, right = (offsets[:, 0] - h[:, 2 * QUARTER]).min(), (offsets[:, 0] + h[:, 0]).max()
        bottom, top = (offsets[:, 1] - h[:, 3 * QUARTER]).min(), (offsets[:, 1] + h[:, QUARTER]).max()
        distance = 2.0 + 0.03 * max(right - left, top - bottom)
    i, places = np.arange(k), np.zeros((k, d))
    if d == 1:
        places[:, 0] = right + distance + i
    else:
        columns = max(int(np.ceil(np.sqrt(ASPECT * k))), min(k, int(right - left) + 1))
        places[:, 0] = (left + right) / 2 - (columns - 1) / 2 + i % max(columns, 1)
        places[:, 1] = bottom - distance - i // max(columns, 1)
    return places


class _Sheet:
    """A bitmap of taken cells, `half` from its middle to each border; it grows on demand."""

    def __init__(self, cell: float, half: int, aspect: float = ASPECT) -> None:
        self.cell, self.half, self.aspect = cell, half, aspect
        self.taken = np.zeros((2 * half, 2 * half), dtype=bool)
        self.box = np.array([half] * 4)  # x0, y0, x1, y1 of the taken cells; empty at first

    def _away(self, dx: np.ndarray, dy: np.ndarray) -> np.ndarray:
        """Return the squared distance from the middle; figures become a little wider than high."""
        return (dx / self.aspect) ** 2 + dy.astype(np.float64) ** 2

    def grow(self, pad: int) -> None:
        """Keep at least `pad` free cells around the taken cells."""
        if min(self.box.min(), 2 * self.half - self.box.max()) < pad:
            self._widen(pad + self.half)

    def _widen(self, more: int) -> None:
        self.taken = np.pad(self.taken, more)
        self.half += more
        self.box = self.box + more

    def _mark(self, first: int, begin: np.ndarray, end: np.ndarray) -> None:
        """Take the cells begin .. end - 1 of each row from `first` on."""
        for row, (a, b) in enumerate(zip(begin.tolist(), end.tolist(), strict=True), first):
            self.taken[row, a:b] = True
        self._include(begin.min(), first, end.max(), first + len(begin))

    def _include(self, *new: int) -> None:
        """Take the cells x0, y0, x1, y1 into the box of taken cells."""
        low, high = (self.box[:2], self.box[2:]) if self.box[2] > self.box[0] else (new[:2], new[2:])
        self.box = np.r_[np.minimum(low, new[:2]), np.maximum(high, new[2:])]

    def _runs(self, h: np.ndarray, offset: np.ndarray | None = None) -> tuple[int, np.ndarray, np.ndarray]:
        """Return the cells that a polygon at its offset touches: first row, begin and end by row."""
        c, s = np.cos(ANGLES), np.sin(ANGLES)
        if offset is not None:
            h = h + offset[0] * c + offset[1] * s
        along = (np.roll(h, -1) - h * np.cos(STEP)) / np.sin(STEP)  # corner between sides k and k + 1
        x, y = (h * c - along * s) / self.cell, (h * s + along * c) / self.cell
        right, left = np.arange(-QUARTER, QUARTER), np.arange(QUARTER, 3 * QUARTER)[::-1]
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

    def covers(self, h: np.ndarray, offset: np.ndarray) -> bool:
        """Return whether a polygon at its offset touches taken cells."""
        first, begin, end = self._runs(h, offset)
        runs = enumerate(zip(begin + self.half, end + self.half, strict=True), first + self.half)
        return any(0 <= y < 2 * self.half and self.taken[y, max(a, 0) : max(b, 0)].any() for y, (a, b) in runs)

    def put(self, h: np.ndarray, offset: np.ndarray) -> None:
        """Take the cells of a polygon at its offset."""
        first, begin, end = self._runs(h, offset)
        reach = int(max(abs(first), abs(first + len(begin)), abs(begin.min()), abs(end.max()))) + 1
        if reach > self.half:
            self._widen(reach - self.half)
        self._mark(first + self.half, begin + self.half, end + self.half)

    def place(self, h: np.ndarray, near: np.ndarray | None = None) -> tuple[float, float]:
        """Take the free position nearest to the middle or to ``near``; return the offset."""
        first, begin, end = self._runs(h)
        rows, left, columns = len(begin), int(begin.min()), int(end.max() - begin.min())
        self.grow(max(rows, columns) + 2)
        x0, y0, x1, y1 = (self.box + np.array([-columns - 1, -rows - 1, columns + 1, rows + 1])).tolist()
        window = self.taken[y0:y1, x0:x1]
        sums = np.zeros((window.shape[0], window.shape[1] + 1), dtype=np.int32)
        np.cumsum(window, axis=1, out=sums[:, 1:])
        height, width = window.shape[0] - rows + 1, window.shape[1] - columns + 1
        hits = np.zeros((height, width), dtype=np.int32)
        for row, (a, b) in enumerate(zip(begin - left, end - left, strict=True)):
            hits += sums[row : row + height, b : b + width] - sums[row : row + height, a : a + width]
        # The polygon's origin, in cells from the middle, if its box begins at window cell (i, j).
        dx = (np.arange(width) + x0 - left - self.half)[None, :]
        dy = (np.arange(height) + y0 - first - self.half)[:, None]
        if near is None:
            # Sides of the figure with the polygon there: this term puts two equal polygons side by side.
            bx0, by0, bx1, by1 = self.box.tolist() if self.box[2] > self.box[0] else [self.half] * 4
            across = np.maximum(bx1, np.arange(width) + x0 + columns) - np.minimum(bx0, np.arange(width) + x0)
            upward = np.maximum(by1, np.arange(height) + y0 + rows) - np.minimum(by0, np.arange(height) + y0)
            away = self._away(dx, dy) + 0.5 * np.maximum(across[None, :] / self.aspect, upward[:, None]) ** 2
        else:
            away = (dx - near[0] / self.cell) ** 2 + (dy - near[1] / self.cell) ** 2
        away[hits > 0] = np.inf
        i, j = divmod(int(np.argmin(away)), width)
        self._mark(y0 + i, begin - left + x0 + j, end - left + x0 + j)
        return float(dx[0, j] * self.cell), float(dy[i, 0] * self.cell)

    def place_boxes(self, h: np.ndarray) -> np.ndarray:
        """Take free positions for boxes of small polygons, largest first; return offsets (c, 2)."""
        cells = np.ceil(_sides_of_boxes(h) / self.cell - 1e-9).astype(np.int64)
        # Sides are rounded up to three binary digits, so that boxes have few sizes.
        step = 2 ** np.maximum(np.floor(np.log2(np.maximum(cells, 1))) - 2, 0).astype(np.int64)
        kinds, kind = np.unique(-(-cells // step) * step, axis=0, return_inverse=True)
        own = np.stack([h[:, 0] - h[:, 2 * QUARTER], h[:, QUARTER] - h[:, 3 * QUARTER]], axis=1) / 2
        offsets = np.empty((len(h), 2))
        for k in np.argsort(-(kinds[:, 0] * kinds[:, 1]), kind="stable"):
            members = np.flatnonzero(kind.reshape(-1) == k)
            corner = self._free_boxes(int(kinds[k, 0]), int(kinds[k, 1]), len(members))
            offsets[members] = (corner - self.half + kinds[k] / 2) * self.cell - own[members]
        return offsets

    def _free_boxes(self, w: int, h: int, count: int) -> np.ndarray:
        """Take the `count` free w x h boxes of a lattice nearest to the middle; return corners."""
        area = float(np.prod(self.box[2:] - self.box[:2]))
        spread = (np.sqrt(area + 1.3 * count * w * h) - np.sqrt(area)) / 2
        while True:
            pad = int(np.ceil(spread)) + 2 * max(w, h)
            self.grow(pad + 1)
            x0, y0, x1, y1 = (self.box + np.array([-pad, -pad, pad, pad])).tolist()
            xs = np.arange((self.half - x0) % w, x1 - x0 - w + 1, w)  # a lattice through the middle
            ys = np.arange((self.half - y0) % h, y1 - y0 - h + 1, h)
            window = self.taken[y0 + ys[0] : y0 + ys[-1] + h, x0 + xs[0] : x0 + xs[-1] + w]
            i, j = np.nonzero(~window.reshape(len(ys), h, len(xs), w).any(axis=(1, 3)))
            if len(i) >= count:
                break
            spread = 2 * spread + max(w, h)
        x, y = xs[j] + x0, ys[i] + y0
        nearest = np.argsort(self._away(x + w / 2 - self.half, y + h / 2 - self.half), kind="stable")[:count]
        x, y = x[nearest], y[nearest]
        for b in range(h):
            for a in range(w):
                self.taken[y + b, x + a] = True
        self._include(x.min(), y.min(), x.max() + w, y.max() + h)
        return np.stack([x, y], axis=1)


def _sides_of_boxes(h: np.ndarray) -> np.ndarray:
    """Return the sides (c, 2) of the boxes around polygons."""
    return np.stack([h[:, 0] + h[:, 2 * QUARTER], h[:, QUARTER] + h[:, 3 * QUARTER]], axis=1)


def _side_of_all(h: np.ndarray) -> float:
    """Return the side of a square as large as all boxes together."""
    return float(np.sqrt(_sides_of_boxes(h).prod(axis=1).sum()))


def _on_sheet(
    loose: np.ndarray, held: np.ndarray = EMPTY, places: np.ndarray = EMPTY, margin: np.ndarray = EMPTY,
    stays: np.ndarray = EMPTY, rests: np.ndarray = EMPTY, keeps: np.ndarray = EMPTY,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Return offsets (k, 2) of polygons at free positions, and positions (c, 2) of the others.

    `loose` (k, 32) are support values with margins, `held` (c, 32) support values of polygons at `places` (c, 2) that
    keep a `margin` (c,) if they move; the largest first. `stays`, `rests`, `keeps`: masks (c,), see `pack_around`.
    """
    first, places = min(len(loose), SINGLE_OUTLINES), np.array(places)
    cell = _side_of_all(np.concatenate([held.reshape(-1, SIDES), loose[:first]])) / CELLS_ACROSS
    sheet = _Sheet(cell, 2 * CELLS_ACROSS, ASPECT_OF_TWO if len(held) + len(loose) == 2 else ASPECT)

    def covered(rank: int) -> bool:
        return not (stays[rank] or keeps[rank]) and sheet.covers(held[rank], places[rank])

    def ranks() -> Iterator[tuple[bool, int]]:
        for rank in np.argsort(~stays.astype(bool), kind="stable").tolist():
            if not rests[rank]:
                yield covered(rank), rank
        yield from sorted((covered(rank), rank) for rank in np.flatnonzero(rests).tolist())

    for away, rank in ranks():
        if away:
            places[rank] = sheet.place(held[rank] + margin[rank], places[rank])
        else:
            sheet.put(held[rank], places[rank])
    offsets = np.zeros((len(loose), 2))
    for rank in range(first):
        offsets[rank] = sheet.place(loose[rank])
    if first < len(loose):  # a bitmap with cells for the small outlines
        total = _side_of_all(np.concatenate([held.reshape(-1, SIDES), loose]))
        cell = max(float(np.median(_sides_of_boxes(loose[first:]).min(axis=1))) / 3, total / 2000)
        sheet = _Sheet(cell, int(1.2 * total / cell) + 8)
        for h, at in zip((*held, *loose[:first]), (*places, *offsets[:first]), strict=True):
            sheet.put(h, at)
        offsets[first:] = sheet.place_boxes(loose[first:])
    return offsets, places


def stacked(drawings: Sequence[np.ndarray], held: np.ndarray) -> list[np.ndarray]:
    """Scale and move layouts (n, d) to a stack along the first axis not in `held` (d,).

    >>> two = [np.array([[0.0, 0.0], [1.0, 9.0]]), np.array([[0.0, 5.0], [1.0, 5.5]])]
    >>> [Y.round(2).tolist() for Y in stacked(two, np.array([True, False]))]
    [[[0.0, -2.0], [1.0, 2.0]], [[0.0, 7.2], [1.0, 11.2]]]
    """
    along, answer = int(np.argmin(held)), list[np.ndarray]()
    low, high = (np.array([end(Y[:, held], axis=0) for Y in drawings]) for end in (np.min, np.max))
    top = np.zeros(len(drawings))
    for k, Y in enumerate(drawings):
        columns = Y[:, ~held] - np.mean(Y[:, ~held], axis=0)
        size = float(np.sqrt(np.mean(np.sum(columns * columns, axis=1))))
        new = Y.copy()
        new[:, ~held] = columns * (len(Y) / size if size > 0 else 0.0)
        below = np.flatnonzero(np.all((low[:k] <= high[k]) & (high[:k] >= low[k]), axis=1))
        if len(below):
            new[:, along] += float(top[below].max()) + GAP - float(new[:, along].min())
        top[k] = float(new[:, along].max())
        answer.append(new)
    return answer
