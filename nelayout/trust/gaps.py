"""False gaps in a drawing: it tears what is evenly connected.

A gap between two drawn groups says that few edges cross it.  The smaller group is the measure.  A line through the
middle of that group crosses some edges, and nobody would draw a gap there.  If as many edges cross the gap, it is
false.  As many means as many as cross half of the lines; if many edges cross the gap, as many as cross some
lines.  The lines are drawn in honest drawings of the same graph, the references, since the drawing itself may have torn
the group.  Of the larger group only as many nodes count, the ones beside the smaller group in the reference: a small
community has many edges to all the others together.  A gap that two references show as well is no fault.

Honest drawings of some graphs have such gaps as well, each another one.  So each reference is judged by the others.  A
gap is accused if its strain is `BEYOND` times the worst strain in a reference: the length of all edges across it
in units of the local scale, or the same for each edge across the middle of the smaller group.

A tear through several groups leaves small pieces, and small pieces make weak measures.  So the two sides of the worst
gap are joined before the next gap is judged.

>>> grid = np.indices((12, 12)).reshape(2, -1).T.astype(float)
>>> P = csr_array((np.abs(grid[:, None] - grid).sum(axis=2) == 1).astype(float))
>>> references = grid + np.random.default_rng(0).normal(0, 0.1, (5, 144, 2))
>>> faults, notes = torn(P, references[0] + [6.0, 0.0] * (grid[:, :1] > 5), references)
>>> [(fault.edges, fault.expected) for fault in faults + notes]
[(12, 12.0)]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from nelayout.quality.distances import lengths
from nelayout.trust.chance import LEVEL
from nelayout.trust.groups import Surroundings, groups_of, surroundings, wide_gap
from nelayout.trust.records import Torn

__all__ = ["closed", "torn"]

# Lines through the middle of a group, in evenly spread directions.
LINES = 32
# A gap is false if this share of the lines is crossed by fewer edges.
NO_GAP = 0.5
# From so many edges on, any share above `LEVEL` is enough: few edges may be a thin place, which a gap may show.
MANY_EDGES = 8
# Share of the gaps between neighboring nodes of two groups that may be narrow in a reference that shows a gap: a few
# stray nodes do not close it.
STRAY = 0.1

# Part by which the strain of a false gap exceeds the worst strain of a reference.
BEYOND = 2.0
# Largest numbers of gaps that are judged, and accused: nobody reads more.
MAX_PAIRS, MAX_FAULTS = 2000, 100
# A gap that so many references show is no fault.
SHOWN = 2

ByPair = dict[tuple[int, int], np.ndarray]


def torn(P: csr_array, Y: np.ndarray, references: Sequence[np.ndarray]) -> tuple[tuple[Torn, ...], tuple[Torn, ...]]:
    """Return at most 100 false gaps, and gaps wider than their edges explain, worst first.

    Parameters
    ----------
    P : csr_array (n, n)
        symmetric similarities; each edge counts once, whatever its weight
    Y : array (n, dim)
        the drawing, dim at most 3
    references : sequence of arrays (n, dim)
        honest drawings of the same graph
    """
    i, j = _edges(P)
    drawn, honest = _Drawn(Y, surroundings(Y)), [_Drawn(each, surroundings(each)) for each in references]
    faults, notes = _false_gaps(i, j, drawn, honest)
    if faults:
        usual = [_false_gaps(i, j, each, [*honest[:r], *honest[r + 1 :]])[0] for r, each in enumerate(honest)]
        worst = np.max([(0.0, 0.0), *(gap.strain for gaps in usual for gap in gaps)], axis=0)
        notes += [gap for gap in faults if (gap.strain <= BEYOND * worst).all()]
        faults = [gap for gap in faults if (gap.strain > BEYOND * worst).any()]
    return _worst_first(faults), _worst_first(notes)


class _Drawn(NamedTuple):
    """A drawing: positions (n, dim), and the gaps between neighboring places."""

    Y: np.ndarray
    around: Surroundings


class _Gap(NamedTuple):
    """A gap, and two strains: the length of all edges across it, and that per expected edge."""

    record: Torn
    strain: tuple[float, float]


def _false_gaps(
    i: np.ndarray, j: np.ndarray, drawn: _Drawn, references: Sequence[_Drawn]
) -> tuple[list[_Gap], list[_Gap]]:
    """Return false gaps, and gaps wider than their edges (i, j) explain."""
    groups = _Groups(i, j, drawn.around, references)
    tests = {pair: groups.test(*pair) for pair in groups.pairs()}
    wrong = sorted((pair for pair, test in tests.items() if test.fault), key=lambda pair: -tests[pair].score)
    if len(wrong) > MAX_FAULTS:  # a drawing near chance, with no whole groups to be had
        return [groups.gap(*pair, tests[pair]) for pair in wrong[:MAX_FAULTS]], []
    faults = []
    while len(faults) < MAX_FAULTS and (wrong := [pair for pair, test in tests.items() if test.fault]):
        a, b = max(wrong, key=lambda pair: (tests[pair].score, tests[pair].edges, pair))
        faults.append(groups.gap(a, b, tests[a, b]))
        groups.join(a, b)
        others = {c for pair in tests if a in pair or b in pair for c in pair} - {a, b}
        tests = {pair: test for pair, test in tests.items() if a not in pair and b not in pair}
        tests |= {pair: groups.test(*pair) for pair in [(min(a, c), max(a, c)) for c in sorted(others)]}
    return faults, [groups.gap(*pair, test) for pair, test in tests.items() if test.p > LEVEL and not test.shown]


class _Test(NamedTuple):
    """Judgment of a gap: edges across, edges expected, lines with fewer, seen in references."""

    edges: int
    expected: float
    p: float
    shown: bool

    @property
    def fault(self) -> bool:
        """Whether the gap is false, rather than wider than its edges explain."""
        return self.p > LEVEL and not self.shown and (self.p >= NO_GAP or self.edges >= MANY_EDGES)

    @property
    def score(self) -> float:
        return self.edges / max(self.expected, 1.0)


class _Groups:
    """Drawn groups, edges within and between them, and the gaps in the references."""

    def __init__(self, i: np.ndarray, j: np.ndarray, around: Surroundings, references: Sequence[_Drawn]) -> None:
        self.i, self.j, self.around, self.references = i, j, around, references
        group = groups_of(around)
        self.members = dict(enumerate(np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))[:-1])))
        self.edges = _by_pair(group[i], group[j], np.arange(len(i)))
        self.gaps: list[ByPair] = []
        for _, each in references:
            shown = np.empty(len(each.count), dtype=np.int64)
            shown[each.place[::-1]] = group[::-1]  # of the first node at each place
            self.gaps.append(_by_pair(shown[each.i], shown[each.j], each.x))
        self.wide = [wide_gap(each) for _, each in references]
        self.lines: dict[int, np.ndarray] = {}

    def pairs(self) -> list[tuple[int, int]]:
        """Return the pairs of groups with edges between them, the most edges first."""
        pairs = sorted((pair for pair in self.edges if pair[0] != pair[1]), key=lambda pair: -len(self.edges[pair]))
        return pairs[:MAX_PAIRS]

    def test(self, a: int, b: int) -> _Test:
        """Judge the gap between two groups."""
        small, large = self._smaller_first(a, b)
        if small not in self.lines:
            self.lines[small] = self._across_the_middle(small)
        edges, lines, shown = len(self.edges[a, b]), self.lines[small], False
        p = _share_with_fewer(lines, np.array([[edges]]))
        if p > LEVEL:
            p = _share_with_fewer(lines, self._beside(small, large, self.edges[a, b])[:, None])
            shows = map(self._shows_gap, self.gaps, self.wide, [(a, b)] * len(self.gaps))
            shown = sum(shows) >= min(SHOWN, len(self.gaps))
        return _Test(edges, float(np.median(lines)), p, shown)

    def gap(self, a: int, b: int, test: _Test) -> _Gap:
        """Return the record of a gap, and its strain."""
        small, large = (tuple(self.members[each].tolist()) for each in self._smaller_first(a, b))
        i, j = (self.around.place[ends[self.edges[a, b]]] for ends in (self.i, self.j))
        length = np.sum(lengths(self.around.places, i, j) / np.maximum(self.around.scale[i], self.around.scale[j]))
        strain = float(length), float(length) / max(test.expected, 1.0)
        return _Gap(Torn((small, large), test.score, test.edges, test.expected, test.p, ""), strain)

    def join(self, a: int, b: int) -> None:
        """Make one group `a` of both."""
        self.members[a] = np.sort(np.concatenate([self.members[a], self.members.pop(b)]))
        for group in (a, b):
            self.lines.pop(group, None)
        for by_pair in (self.edges, *self.gaps):
            for c in self.members:
                old = {(a, a), (a, b), (b, a), (b, b)} if c == a else {(a, c), (c, a), (b, c), (c, b)}
                found = [by_pair.pop(pair) for pair in sorted(old) if pair in by_pair]
                if found:
                    by_pair[min(a, c), max(a, c)] = np.concatenate(found)

    def _smaller_first(self, a: int, b: int) -> tuple[int, int]:
        return (a, b) if (len(self.members[a]), -a) < (len(self.members[b]), -b) else (b, a)

    def _across_the_middle(self, group: int) -> np.ndarray:
        """Return the edges across lines through the middle of a group (references, lines)."""
        nodes, inside = self.members[group], self.edges.get((group, group), np.zeros(0, dtype=np.int64))
        i, j = np.searchsorted(nodes, self.i[inside]), np.searchsorted(nodes, self.j[inside])
        counts = []
        for Y, _ in self.references:
            along = Y[nodes] @ _directions(Y.shape[1]).T
            right = np.argsort(np.argsort(along, axis=0, kind="stable"), axis=0) >= len(nodes) / 2
            counts.append(np.count_nonzero(right[i] != right[j], axis=0))
        return np.array(counts)

    def _beside(self, small: int, large: int, edges: np.ndarray) -> np.ndarray:
        """Return the edges to as many nodes beside the smaller group, in each reference."""
        from scipy.spatial import KDTree

        own, others = self.members[small], self.members[large]
        i, j = self.i[edges], self.j[edges]
        end = np.searchsorted(others, np.where(np.isin(i, others), i, j))
        counts = []
        for Y, _ in self.references:
            near = np.zeros(len(others), dtype=bool)
            near[np.argsort(KDTree(Y[own]).query(Y[others], workers=-1)[0], kind="stable")[: len(own)]] = True
            counts.append(np.count_nonzero(near[end]))
        return np.array(counts)

    @staticmethod
    def _shows_gap(gaps: ByPair, wide: float, pair: tuple[int, int]) -> bool:
        """Return whether a reference shows a gap, or more than a gap: no neighbors."""
        x = np.sort(gaps.get(pair, np.array([np.inf])))
        return bool(x[int(STRAY * len(x))] > wide)


def _share_with_fewer(lines: np.ndarray, edges: np.ndarray) -> float:
    """Return the share of lines with fewer edges, lines with as many count half."""
    return float(np.mean(lines < edges) + np.mean(lines == edges) / 2.0)


def _worst_first(found: list[_Gap]) -> tuple[Torn, ...]:
    records = [gap.record for gap in found]
    return tuple(sorted(records, key=lambda each: (-each.score, -len(each.nodes[0]), each.nodes)))


def _by_pair(a: np.ndarray, b: np.ndarray, values: np.ndarray) -> ByPair:
    """Return the values of each pair of groups, the smaller number first."""
    many = int(max(a.max(initial=0), b.max(initial=0))) + 1
    code = np.minimum(a, b) * many + np.maximum(a, b)
    order = np.argsort(code, kind="stable")
    pairs, start = np.unique(code[order], return_index=True)
    parts = np.split(values[order], start[1:])
    return {divmod(pair, many): part for pair, part in zip(pairs.tolist(), parts, strict=False)}  # no pair: one part


def _edges(P: csr_array) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends (i, j), i < j, of each edge."""
    i = np.repeat(np.arange(P.shape[0]), np.diff(P.indptr))
    once = (i < P.indices) & (P.data != 0)
    return i[once], P.indices[once].astype(np.int64)


def _directions(dim: int) -> np.ndarray:
    """Return unit vectors (`LINES`, dim), evenly spread over half of the directions."""
    turn = np.pi * np.arange(LINES) / LINES
    if dim == 2:
        return np.stack([np.cos(turn), np.sin(turn)], axis=1)
    if dim == 1:
        return np.ones((1, 1))
    # A spiral over the half sphere; the golden section spreads its turns.
    up = (np.arange(LINES) + 0.5) / LINES
    turn, across = np.pi * (1.0 + np.sqrt(5.0)) * np.arange(LINES), np.sqrt(1.0 - up * up)
    return np.stack([across * np.cos(turn), across * np.sin(turn), up], axis=1)


def closed(P: csr_array, Y: np.ndarray, gaps: Sequence[Torn]) -> np.ndarray:
    """Return the drawing with closed gaps: smaller sides move along their edges."""
    from scipy.spatial import KDTree

    Z = np.array(Y, dtype=np.float64)
    i, j = _edges(P)
    side = np.zeros(len(Z), dtype=np.int8)
    for gap in gaps:
        small, large = (np.array(nodes) for nodes in gap.nodes)
        side[small], side[large] = 1, 2
        ahead, back = (side[i] == 1) & (side[j] == 2), (side[i] == 2) & (side[j] == 1)
        along = (Z[j[ahead]] - Z[i[ahead]]).sum(axis=0) + (Z[i[back]] - Z[j[back]]).sum(axis=0)
        side[:] = 0
        wide = float(KDTree(Z[large]).query(Z[small], workers=-1)[0].min())
        usual = float(np.median(KDTree(Z[small]).query(Z[small], k=2, workers=-1)[0][:, 1]))
        length = float(np.sqrt(along @ along))
        if length > 0 and wide > usual:
            Z[small] += along * ((wide - usual) / length)
    return Z
