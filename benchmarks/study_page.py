"""The page of the study, made of its table: who is ahead of whom in what, who is on the front, how long it took."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable

from nelayout.comparison.measuring import Measured
from nelayout.comparison.ranking import DESCRIPTIVE, arrow, beats, dominators, front, shown

__all__ = ["page", "tables"]

OURS = "nelayout "
OURS_FIRST = "nelayout auto"
CLOCK = "Processor seconds on one core of a machine that was not idle. Factors below two mean nothing."
# Losses of `auto` that the page lists one by one.
LISTED = 12

Rows = dict[str, dict[str, Measured]]


def page(found: dict[str, dict]) -> str:
    """The whole page as Markdown."""
    names = list(dict.fromkeys(name for entry in found.values() for name in entry["drawings"]))
    ours = [name for name in names if name.startswith(OURS)]
    peers = [name for name in names if name not in ours]
    lines = [
        "# A study: who wins what",
        "",
        *_wrapped(_about(found, ours, peers)),
        "",
        *tables(found),
    ]
    return "\n".join(lines)


def tables(found: dict[str, dict], first: str = OURS_FIRST, clock: str = CLOCK) -> list[str]:
    """Return the lines of the sections for the method `first` of ours; `clock` says what seconds are."""
    names = list(dict.fromkeys(name for entry in found.values() for name in entry["drawings"]))
    ours = [name for name in names if name.startswith(OURS)]
    peers, own = [name for name in names if name not in ours], _shown_name(first)
    rows = {graph: entry["drawings"] for graph, entry in found.items()}
    return [
        "## In short",
        "",
        *(line for sentence in _in_short(rows, ours, peers, first) for line in _wrapped(f"- {sentence}")),
        "",
        f"## `{own}` beside each peer",
        "",
        f"Each cell shows wins–losses of `{own}` of all data sets that both have. The rest are ties.",
        "",
        *_duels(rows, first, peers),
        "",
        "## The best of ours beside the best of the peers",
        "",
        f"No method is best in everything. In how many data sets is the best of our {len(ours)} layouts ahead of all",
        "peers, and in how many is a peer ahead of all of ours?",
        "",
        *_camps(rows, ours, peers),
        "",
        "## Who is dominated",
        "",
        "A layout is dominated if another one is worse in no measure and better in one.",
        "",
        *_fronts(rows, names),
        "",
        f"## Where `{own}` loses most",
        "",
        f"The largest differences in score between `{own}` and a peer that is ahead of it.",
        "",
        *_losses(rows, peers, first),
        "",
        "## Seconds",
        "",
        *_seconds(found, names, first, clock),
        "",
    ]


def _about(found: dict[str, dict], ours: list[str], peers: list[str]) -> str:
    several = sum(max(entry["seeds"].values(), default=0) > 1 for entry in found.values())
    drawn = (
        "Each was drawn once, from seed 0: between two methods on one graph another seed may decide otherwise, so read "
        "the counts over graphs."
    )
    if several:
        drawn = f"{several} of the graphs were drawn from several seeds, whose means count, the larger ones once."
    sizes = [entry["nodes"] for entry in found.values()]
    return (
        f"{len(found)} graphs of {min(sizes):,} to {max(sizes):,} nodes, drawn by {len(ours)} of our methods "
        f"({', '.join(f'`{name.removeprefix(OURS)}`' for name in ours)}) and {len(peers)} layouts of other packages "
        f"({', '.join(f'`{name}`' for name in peers)}), each with its own defaults, on the binary adjacency of the "
        f"largest component and on one core. {drawn} The same samples measured all drawings of a graph. "
        "One drawing is *ahead* of another in a measure by more than three standard errors and a hundredth of the "
        "scale from 0 to 1, as in "
        "[the verdict](../howto/compare.md) of `nl.compare`. `python -m benchmarks.study` draws, measures, and writes "
        "this page and its table, {download}`study.csv`."
    )


def _ahead(name: str, one: str, other: str, rows: Rows) -> bool:
    """Whether one drawing is ahead of another in a measure that both have."""
    if any(drawing not in rows or name not in rows[drawing] for drawing in (one, other)):
        return False
    return beats(name, rows[one], rows[other], [row[name].value for row in rows.values() if name in row])


def _measures(rows: dict[str, Rows]) -> list[str]:
    return list(dict.fromkeys(m for graph in rows.values() for row in graph.values() for m in row))


def _duel(rows: dict[str, Rows], name: str, one: str, other: str) -> tuple[int, int, int]:
    """Graphs in which the one is ahead, in which the other is, and that both have."""
    both = [graph for graph in rows.values() if all(name in graph.get(drawing, {}) for drawing in (one, other))]
    won = sum(_ahead(name, one, other, graph) for graph in both)
    return won, sum(_ahead(name, other, one, graph) for graph in both), len(both)


def _duels(rows: dict[str, Rows], one: str, peers: list[str]) -> list[str]:
    grid = [["", *peers]]
    for name in _measures(rows):
        cells = []
        for peer in peers:
            won, lost, both = _duel(rows, name, one, peer)
            text = f"{won}–{lost} of {both}"
            cells.append("" if not both else f"**{text}**" if lost > won else text)
        grid.append([f"`{name}` {arrow(name)}", *cells])
    if len(grid) < len(grid[0]):  # more rows than columns fit a page
        grid = [list(column) for column in zip(*grid, strict=True)]
    lines = [_row(grid[0]), _rule(len(grid[0]) - 1), *map(_row, grid[1:])]
    return [*lines, "", "Bold: the peer wins more often."]


def _camps(rows: dict[str, Rows], ours: list[str], peers: list[str]) -> list[str]:
    lines = [_row(["", "ours ahead", "alike", "a peer ahead", "which peer, how often"]), _rule(4)]
    for name in _measures(rows):
        won, lost, count, by = 0, 0, 0, {}
        for graph in rows.values():
            mine = [drawing for drawing in ours if name in graph.get(drawing, {})]
            theirs = [drawing for drawing in peers if name in graph.get(drawing, {})]
            if not mine or not theirs:
                continue
            count += 1
            won += any(all(_ahead(name, one, other, graph) for other in theirs) for one in mine)
            ahead = [other for other in theirs if all(_ahead(name, other, one, graph) for one in mine)]
            lost += bool(ahead)
            for other in ahead:
                by[other] = by.get(other, 0) + 1
        which = ", ".join(f"{other} {times}" for other, times in sorted(by.items(), key=lambda item: -item[1]))
        lines.append(_row([f"`{name}` {arrow(name)}", won, count - won - lost, lost, which]))
    return lines


def _ranked(graph: Rows) -> Rows:
    """The measures that every drawing of a graph has and that rank."""
    common = set.intersection(*(set(row) for row in graph.values())) - DESCRIPTIVE
    return {drawing: {m: row[m] for m in row if m in common} for drawing, row in graph.items()}


def _fronts(rows: dict[str, Rows], names: list[str]) -> list[str]:
    drawn, on, by = dict.fromkeys(names, 0), dict.fromkeys(names, 0), {name: {} for name in names}
    for graph in rows.values():
        ranked = _ranked(graph)
        for name in ranked:
            drawn[name] += 1
            on[name] += name in front(ranked)
        for name, others in dominators(ranked).items():
            for other in others:
                by[name][other] = by[name].get(other, 0) + 1
    lines = [_row(["", "data sets", "dominated by nobody", "dominated by, how often"]), _rule(3)]
    for name in sorted(names, key=lambda name: -on[name] / max(drawn[name], 1)):
        often = sorted(by[name].items(), key=lambda item: -item[1])[:4]
        which = ", ".join(f"{_shown_name(other)} {times}" for other, times in often)
        lines.append(_row([_shown_name(name), drawn[name], on[name], which]))
    return lines


def _losses(rows: dict[str, Rows], peers: list[str], first: str) -> list[str]:
    """Return the graphs and measures in which `first` is farthest behind a peer, the farthest peer of each."""
    found = []
    for graph, drawings in rows.items():
        for name in _measures({graph: drawings}):
            behind = [p for p in peers if name not in DESCRIPTIVE and _ahead(name, p, first, drawings)]
            if behind:
                best = max(behind, key=lambda p: drawings[p][name].score)
                distance = drawings[best][name].score - drawings[first][name].score
                found.append((distance, graph, name, best))
    lines = [_row(["data", "measure", _shown_name(first), "ahead", "its value"]), _rule(4)]
    for _, graph, name, best in sorted(found, reverse=True)[:LISTED]:
        mine, theirs = rows[graph][first][name], rows[graph][best][name]
        lines.append(_row([graph, f"`{name}` {arrow(name)}", shown(mine.value, 3), best, shown(theirs.value, 3)]))
    return lines


def _seconds(found: dict[str, dict], names: list[str], first: str, clock: str) -> list[str]:
    """Seconds of each contender relative to `auto`: geometric means over the graphs that both have drawn."""
    largest = max(found, key=lambda graph: found[graph]["nodes"])
    middle = sorted(found, key=lambda graph: found[graph]["nodes"])[len(found) // 2]
    head = [f"times the seconds of `{_shown_name(first)}`", f"seconds, {middle}", f"seconds, {largest}"]
    lines = [_row(["", *head]), _rule(3)]
    ratio = {}
    for name in names:
        both = [e["seconds"] for e in found.values() if name in e["seconds"] and first in e["seconds"]]
        logs = [math.log(max(s[name], 1e-4) / s[first]) for s in both]
        ratio[name] = math.exp(sum(logs) / len(logs)) if logs else math.nan
    for name in sorted(names, key=lambda name: ratio[name]):
        cells = [found[graph]["seconds"].get(name) for graph in (middle, largest)]
        texts = ["" if x is None else shown(x, 2) for x in cells]
        lines.append(_row([_shown_name(name), shown(ratio[name], 2), *texts]))
    return [
        *lines,
        "",
        clock,
    ]


def _in_short(rows: dict[str, Rows], ours: list[str], peers: list[str], first: str) -> list[str]:
    """Return sentences that the tables below bear out: where a method of ours wins, and where a peer does."""
    good, bad = [], []
    for name in _measures(rows):
        if name in DESCRIPTIVE:
            continue
        duels = {peer: _duel(rows, name, first, peer) for peer in peers}
        duels = {peer: duel for peer, duel in duels.items() if duel[2]}
        if not duels:
            continue
        if all(won > lost for won, lost, _ in duels.values()):
            closest = min(duels, key=lambda peer: duels[peer][0] - duels[peer][1])
            good.append(f"`{name}` (closest: {closest}, {duels[closest][0]}–{duels[closest][1]})")
        losing = sorted(((lost - won, peer) for peer, (won, lost, _) in duels.items() if lost > won), reverse=True)
        if losing:
            whom = ", ".join(f"{peer} {duels[peer][1]}–{duels[peer][0]}" for _, peer in losing)
            bad.append((losing[0][0], f"`{name}` ({whom})"))
    said = []
    if good:
        said.append(f"`{_shown_name(first)}` wins more often than it loses beside every peer in: {', '.join(good)}.")
    if bad:
        worst = "; ".join(text for _, text in sorted(bad, reverse=True))
        said.append(f"A peer wins more often than `{_shown_name(first)}` in: {worst}.")
    never = [name for name in (*ours, *peers) if _never_dominated(name, rows)]
    if never:
        said.append(f"Never dominated: {', '.join(map(_shown_name, never))}.")
    return said


def _never_dominated(name: str, rows: dict[str, Rows]) -> bool:
    drawn = [graph for graph in rows.values() if name in graph]
    return bool(drawn) and all(name in front(_ranked(graph)) for graph in drawn)


def _wrapped(text: str) -> list[str]:
    """Lines of at most 120 letters; those of an entry of a list are indented."""
    indent = "  " if text.startswith("- ") else ""
    return textwrap.wrap(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _shown_name(name: str) -> str:
    """A method of ours by its own name."""
    return name.removeprefix(OURS)


def _row(cells: Iterable[object]) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def _rule(columns: int) -> str:
    return "|---" + "|---:" * columns + "|"
