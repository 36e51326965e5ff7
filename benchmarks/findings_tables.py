"""What the tables and verdicts on the page of `benchmarks.findings` have in common."""

from __future__ import annotations

from collections.abc import Iterable


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    head = list(head)
    lines = [head, ["---"] * len(head), *map(list, rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def best(values: list[float], text: str = "{:.3f}") -> list[str]:
    """The numbers, the greatest in bold."""
    return [f"**{text.format(v)}**" if v == max(values) else text.format(v) for v in values]


def verdict(claim: str, held: dict[str, bool]) -> str:
    """A line that says where a claim holds."""
    yes, no = [name for name, ok in held.items() if ok], [name for name, ok in held.items() if not ok]
    if not no:
        return f"- **Holds** ({', '.join(yes)}): {claim}"
    if not yes:
        return f"- **Does not hold** ({', '.join(no)}): {claim}"
    return f"- **Holds in part** (yes: {', '.join(yes)}; no: {', '.join(no)}): {claim}"
