"""Nodes that lie among strangers.

The score of a node is what it would save at its best other place, over the root of its number of edges, less the same
in the references (their median).  A node is accused if both hold:

- its score is rarer than chance allows, at a false discovery rate of 5 %, in two nulls: the scores of all nodes of the
  drawing itself, and what each reference scores beyond the other references;
- it would be cheaper at more than 5 % of the places of the others, so that its place is no better than a random one.

A node beside a displaced neighbor looks misplaced, too.  So the accused node that saves most is moved to its best
place, its neighbors are judged again, and so on.  Then each moved node is put back alone.  It stays accused if it is
still beyond chance.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from nelayout.numerics.parallel import Threads
from nelayout.trust.chance import LEVEL, bulk_tail, discoveries, tail
from nelayout.trust.moving import Moves, fields
from nelayout.trust.records import Misplaced

__all__ = ["Found", "find_misplaced", "misplaced_sentence"]

# Share of other places where an accused node would be cheaper at least: its place is then no better than a random one.
ANY_PLACE = 0.05
# Share of places from which on a sentence says that any place would do.
EVERY_PLACE = 0.5
# Quantile of the null above which a tail takes the place of counts.
TAIL = 0.95
# Part of the way from the best place to the middle of the neighbors at which a moved node lies: not on another node.
ASIDE = 0.1


@dataclass(frozen=True, slots=True)
class Found:
    """Misplaced nodes, worst first, and what else the search saw.

    accused   the records, with rows of the whole graph as names
    shorter   {row: how many times shorter its edges would be at its best place}
    rank      {row: share of places where it would be cheaper}
    better    number of nodes beyond the references that are at home, and could lie better nearby
    repaired  (n, dim) the drawing with the accused nodes at their best places
    """

    accused: tuple[Misplaced, ...]
    shorter: dict[int, float]
    rank: dict[int, float]
    better: int
    repaired: np.ndarray


def misplaced_sentence(name: object, near: object, shorter: float, rank: float) -> str:
    """Return the fault in words; ``near``: the name of the node beside the best place."""
    edges = f"near {near} its edges would be {shorter:.1f} times shorter"
    edges = edges if shorter > 1.0 else f"it belongs near {near}"
    random = f"{rank:.0%} of all places would suit it better"
    random = "a random place would do as well" if rank >= EVERY_PLACE else random
    return f"{name} lies among strangers: {edges}, and {random}."


def find_misplaced(
    moves: Sequence[Moves], references: Sequence[Sequence[Moves]], Y: np.ndarray, threads: Threads
) -> Found:
    """Find misplaced nodes of the drawing Y (n, dim) by its moves and by the references'."""
    repaired = Y.copy()
    if not moves:
        return Found((), {}, {}, 0, repaired)
    others = np.stack([_scores(each) for each in references])
    usual = np.median(others, axis=0)
    left_out = np.concatenate([others[r] - np.median(np.delete(others, r, 0), axis=0) for r in range(len(others))])
    own = _scores(moves) - usual
    pool = left_out + np.median(own) - np.median(left_out)

    def probability(scores: np.ndarray) -> np.ndarray:
        return np.maximum(bulk_tail(own, scores), tail(pool, scores, TAIL))

    p = probability(own)
    rank = np.concatenate([each.rank for each in moves])
    rare = discoveries(p) <= LEVEL
    limit = LEVEL * np.count_nonzero(rare) / len(p)  # of Benjamini and Hochberg
    nodes = np.concatenate([each.part.nodes for each in moves])
    ends = np.cumsum([0, *(len(each.Y) for each in moves)])
    kept: dict[int, tuple[float, int, float, float]] = {}  # by position in `own`: score, best place, shorter, rank
    for each, start, stop in zip(moves, ends[:-1], ends[1:], strict=True):
        suspects = np.flatnonzero(rare[start:stop] & (rank[start:stop] > ANY_PLACE))
        if not len(suspects):
            continue

        def beyond(v: int, gain: float, share: float, each: Moves = each, start: int = int(start)) -> float | None:
            """Return the score of a node with this gain if it is beyond chance, else None."""
            score = gain / each.part.unit[v] - usual[start + v]
            rare = share > ANY_PLACE and float(probability(np.array([score]))[0]) <= limit
            return float(score) if rare else None

        for v, (score, at, shorter, share) in _kept(each, suspects, beyond, Y, repaired, threads).items():
            kept[int(start) + v] = score, int(each.part.nodes[at]), shorter, share
    places = np.array(sorted(kept), dtype=int)
    p[places] = probability(np.array([kept[k][0] for k in places.tolist()]))
    q = discoveries(p)
    found, shorter, ranks = [], {}, {}
    for k in places.tolist():
        score, near, shorter[int(nodes[k])], ranks[int(nodes[k])] = kept[k]
        said = misplaced_sentence(nodes[k], near, kept[k][2], kept[k][3])
        found.append(Misplaced(int(nodes[k]), score, float(p[k]), float(q[k]), near, said))
    better = int(np.count_nonzero(rare & (rank <= ANY_PLACE)))
    return Found(tuple(sorted(found, key=lambda each: (-each.score, each.node))), shorter, ranks, better, repaired)


def _scores(moves: Sequence[Moves]) -> np.ndarray:
    return np.concatenate([each.gain / each.part.unit for each in moves])


def _kept(
    moves: Moves, suspects: np.ndarray, beyond: Callable[[int, float, float], float | None], Y: np.ndarray,
    repaired: np.ndarray, threads: Threads,
) -> dict[int, tuple[float, int, float, float]]:  # fmt: skip
    """Repair a part; return what is known of the nodes that stay accused.

    That is score, best place, how many times shorter edges would be, and rank.  New places go into ``repaired``.
    """
    work = _Repair(moves, moves.Y.copy())
    for v in work.run(suspects, beyond):
        work.moved.append(v)
    old, moved = moves.Y, np.array(work.moved, dtype=int)
    if not len(moved):
        return {}
    mass, least = moves.part.degree, moves.least
    there = fields(moves.part, work.Y, np.concatenate([work.Y, old[moved]]), least, threads)
    F, back = there[: len(old)] - mass / (1.0 + least), there[len(old) :]
    Z = float(mass @ F)
    result = {}
    for v, there in zip(moved.tolist(), back.tolist(), strict=True):
        own = there - mass[v] / (1.0 + max(float(np.sum((work.Y[v] - old[v]) ** 2)), least))
        gain, at, share = work.judged(v, old[v], own, F, Z, without=work.Y[v])
        score = beyond(v, gain, share)
        if score is not None:
            result[v] = score, at, work.shorter(v, old[v], work.Y[v]), share
    here = list(result)
    size = _unit(moves, Y)
    repaired[moves.part.nodes[here]] = work.Y[here] / size + Y[moves.part.nodes].mean(axis=0)
    return result


def _unit(moves: Moves, Y: np.ndarray) -> float:
    """Return the factor from the positions of a part to the positions in the moves."""
    given = Y[moves.part.nodes] - Y[moves.part.nodes].mean(axis=0)
    return float(np.sqrt(np.sum(moves.Y**2) / max(float(np.sum(given**2)), np.finfo(float).tiny)))


@dataclass(slots=True, eq=False)
class _Repair:
    """Positions Y (n, dim) of a part; its accused nodes move one after another."""

    of: Moves
    Y: np.ndarray
    moved: list[int] = field(default_factory=list)

    def run(self, suspects: np.ndarray, beyond: Callable[[int, float, float], float | None]) -> list[int]:
        """Move the suspect that saves most, judge its neighbors again, and so on."""
        of, P = self.of, self.of.part.P
        now = {int(v): (float(of.gain[v]), of.Y[of.best[v]]) for v in suspects}
        queue = [(-gain, v) for v, (gain, _) in now.items()]
        heapq.heapify(queue)
        moved = []
        while queue:
            gain, v = heapq.heappop(queue)
            if v not in now or now[v][0] != -gain:
                continue
            _, place = now.pop(v)
            near = P.indices[P.indptr[v] : P.indptr[v + 1]]
            self.Y[v] = (1.0 - ASIDE) * place + ASIDE * self.Y[near].mean(axis=0)
            moved.append(v)
            for u in near.tolist():
                if u not in now:
                    continue
                gain, at, share = self.judged(u, self.Y[u], float(of.F[u]), of.F, of.Z)
                if beyond(u, gain, share) is None:
                    del now[u]
                    continue
                now[u] = gain, self.Y[at].copy()
                heapq.heappush(queue, (-gain, u))
        return moved

    def judged(
        self, v: int, here: np.ndarray, own: float, F: np.ndarray, Z: float, without: np.ndarray | None = None
    ) -> tuple[float, int, float]:
        """Return gain, best place and rank of node v at ``here``, all others at Y.

        ``own``: the field there.  ``without``: the place of v itself in the field F (n,).
        """
        of, part = self.of, self.of.part
        start, stop = part.P.indptr[v], part.P.indptr[v + 1]
        near, weight = part.P.indices[start:stop], part.P.data[start:stop]
        tried = np.unique(np.concatenate([near, of.near[near].ravel(), part.random]))
        tried = tried[tried != v]
        at, mass = self.Y[tried], part.degree
        least = of.least
        xi = np.maximum(np.sum((at - here) ** 2, axis=1), least)
        far = np.log1p(np.maximum(np.sum((at[:, None] - self.Y[near]) ** 2, axis=2), least))
        delta = far @ weight - np.log1p(np.maximum(np.sum((here - self.Y[near]) ** 2, axis=1), least)) @ weight
        among = np.searchsorted(tried, near)
        delta[among] += weight * np.log1p(xi[among])
        mine = mass[v] / (1.0 + (xi if without is None else np.maximum(np.sum((at - without) ** 2, axis=1), least)))
        change = F[tried] - mine - own + mass[tried] / (1.0 + xi)
        delta += part.push(Z, mass[v], change)
        random = np.isin(tried, part.random, assume_unique=True)
        best = int(np.argmin(delta))
        return -float(delta[best]), int(tried[best]), float(np.mean(delta[random] < 0.0))

    def shorter(self, v: int, old: np.ndarray, new: np.ndarray) -> float:
        """Return how many times shorter the edges of v are at its new place, by their medians."""
        near = self.Y[self.of.part.P.indices[self.of.part.P.indptr[v] : self.of.part.P.indptr[v + 1]]]
        long, short = (float(np.median(np.sqrt(np.sum((near - at) ** 2, axis=1)))) for at in (old, new))
        return long / max(short, np.finfo(float).tiny)
