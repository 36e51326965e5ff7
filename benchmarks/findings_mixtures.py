"""SNE, NeRV, JSE and t-SNE on the page of `benchmarks.findings`: what each keeps, and what kappa does [L13]."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from benchmarks.findings_tables import best, table, verdict

SHOWN = ("5", "10", "20", "50", "100", "300")
KAPPAS = ("0.05", "0.35", "0.5", "0.65", "0.95")
SMALL = ("5", "10", "20")
FOUR = ("SNE", "NeRV", "JSE", "t-SNE")
BY_ROWS = "t-SNE by rows"
TITLES = {
    "coil20": "coil20",
    "coil20 annealed": "coil20 annealed",
    "coil20 all pairs": "coil20 all pairs",
    "mnist": "MNIST at 32",
    "mnist n/20": "MNIST",
    "mnist all pairs": "MNIST all pairs",
    "sphere": "sphere",
    "sphere annealed": "sphere annealed",
}
PAPER_INTRUSION = {"NeRV": (16.6, -9.6), "JSE": (31.8, -23.9)}
"""[L13, sec. 5.4.2] 100 B_NX of the sphere (3,000 points) at kappa 0.05 and 0.95."""


def kept_table(name: str, part: dict[str, Any]) -> str:
    """R_NX of the methods on one set."""
    shown = [m for m in (*FOUR, BY_ROWS) if m in part["methods"]]
    columns = [best([part["methods"][m]["gain"][K] for m in shown]) for K in SHOWN]
    columns.append(best([part["methods"][m]["area"] for m in shown]))
    columns.append([f"{part['methods'][m]['intrusion']:.1f}" for m in shown])
    head = ["method", *(f"K = {K}" for K in SHOWN), "area", "100 B"]
    caption = f"{TITLES[name]}: {part['n']:,} points, perplexity {part['perplexity']:g}"
    return f"{caption}\n\n" + table(head, ([m, *cells] for m, *cells in zip(shown, *columns, strict=True)))


def ways_table(parts: dict[str, Any]) -> str:
    """Where each method ends from our own start, and annealed from principal components, on the same similarities."""
    rows = []
    for name in parts:
        if f"{name} annealed" in parts:
            for way, title in (("our own", name), ("annealed", f"{name} annealed")):
                ends = [f"{parts[title]['methods'][m]['value']:.4g}" for m in FOUR]
                rows.append([TITLES[name], way, *ends])
    return table(["objective at the end", "start", *FOUR], rows)


def above(parts: dict[str, Any], first: str, second: str, at: Iterable[str] = SMALL) -> dict[str, bool]:
    """Whether one method keeps more than another at each K; the set with its smallest lead."""
    held = {}
    for name, part in parts.items():
        lead = min(part["methods"][first]["gain"][K] - part["methods"][second]["gain"][K] for K in at)
        held[f"{TITLES[name]} {lead:+.3f}"] = lead > 0
    return held


def spheres(parts: dict[str, Any], wanted: bool) -> dict[str, Any]:
    """The settings on the sphere, or all others: the paper has NeRV above t-SNE there, and below it elsewhere."""
    return {name: part for name, part in parts.items() if name.startswith("sphere") is wanted}


def mixture_verdicts(parts: dict[str, Any]) -> list[str]:
    """Of [L13, sec. 5.4.1]."""
    at = "K = 5, 10 and 20"
    B = {name: {m: part["methods"][m]["intrusion"] for m in FOUR} for name, part in parts.items()}
    data, sphere = spheres(parts, False), spheres(parts, True)
    return [
        verdict("JSE keeps the 10 and 20 nearest better than t-SNE,", above(parts, "JSE", "t-SNE", SMALL[1:])),
        verdict("and the 5 nearest.", above(parts, "JSE", "t-SNE", SMALL[:1])),
        verdict(f"JSE keeps small neighborhoods better than NeRV ({at}).", above(parts, "JSE", "NeRV")),
        verdict(f"t-SNE keeps them better than NeRV, but for the sphere ({at}).", above(data, "t-SNE", "NeRV")),
        verdict(f"NeRV keeps them better than t-SNE on the sphere ({at}).", above(sphere, "NeRV", "t-SNE")),
        verdict(f"NeRV keeps them better than SNE ({at}).", above(parts, "NeRV", "SNE")),
        verdict(
            "what keeps small neighborhoods best (JSE, t-SNE) has the fewest intrusions (least B).",
            {TITLES[name]: max(b["JSE"], b["t-SNE"]) < min(b["NeRV"], b["SNE"]) for name, b in B.items()},
        ),
    ]


def of_kappa(part: dict[str, Any], method: str, kappa: str) -> dict[str, Any]:
    """The row of NeRV or JSE at one kappa."""
    return part["methods"][method if kappa == "0.5" else f"{method} {kappa}"]


def with_kappas(parts: dict[str, Any]) -> dict[str, Any]:
    """The sets on which kappa was varied."""
    return {name: part for name, part in parts.items() if "NeRV 0.05" in part["methods"]}


def kappa_table(parts: dict[str, Any]) -> str:
    """R_NX at 10, area and B over kappa."""
    rows = []
    for name, part in with_kappas(parts).items():
        for method in ("NeRV", "JSE"):
            for text, pick in (
                ("R at K = 10", lambda row: f"{row['gain']['10']:.3f}"),
                ("area", lambda row: f"{row['area']:.3f}"),
                ("100 B", lambda row: f"{row['intrusion']:.1f}"),
            ):
                cells = [pick(of_kappa(part, method, kappa)) for kappa in KAPPAS]
                paper = PAPER_INTRUSION[method] if name.startswith("sphere") and text == "100 B" else None
                rows.append([TITLES[name], method, text, *cells, f"{paper[0]} to {paper[1]}" if paper else ""])
    return table(["set", "method", "", *(f"kappa = {k}" for k in KAPPAS), "paper"], rows)


def series(part: dict[str, Any], method: str, key: str) -> list[float]:
    """A number of each kappa: "gain" is R_NX at K = 10."""
    rows = [of_kappa(part, method, kappa) for kappa in KAPPAS]
    return [row["gain"]["10"] if key == "gain" else row[key] for row in rows]


def rises(parts: dict[str, Any], method: str, key: str, sign: float) -> dict[str, bool]:
    """Whether a number grows (sign 1) or falls (-1) with every step of kappa; the set with the least of these steps."""
    held = {}
    for name, part in parts.items():
        least = min(sign * (b - a) for a, b in pairwise(series(part, method, key)))
        text = f"{least:+.3f}" if key == "gain" else f"{least:+.1f}"
        held[f"{TITLES[name]} {text}"] = least > 0
    return held


def kappa_verdicts(parts: dict[str, Any]) -> list[str]:
    """Of [L13, sec. 5.4.2]."""
    some = with_kappas(parts)
    steps = f"(K = 10, least step of kappa {', '.join(KAPPAS)})"
    squashed = {
        f"{method} {B:+.1f}": B > 0
        for part in spheres(some, True).values()
        for method in ("NeRV", "JSE")
        for B in series(part, method, "intrusion")[:1]
    }
    return [
        *(
            verdict(f"in {m} a larger kappa keeps small neighborhoods better {steps}.", rises(some, m, "gain", 1.0))
            for m in ("NeRV", "JSE")
        ),
        *(
            verdict(f"in {m} a larger kappa has fewer intrusions (100 B, least fall).", rises(some, m, "intrusion", -1))
            for m in ("NeRV", "JSE")
        ),
        verdict("at kappa = 0.05 both squash the sphere as SNE does (100 B above 0).", squashed),
        verdict(
            "JSE is above NeRV at every kappa (K = 10).",
            {
                TITLES[n]: all(a > b for a, b in zip(series(p, "JSE", "gain"), series(p, "NeRV", "gain"), strict=True))
                for n, p in some.items()
            },
        ),
        verdict(
            "JSE hangs less on kappa than NeRV does (spread at K = 10, kappa from 0.35 on).",
            {
                TITLES[n]: spread(series(p, "JSE", "gain")[1:]) < spread(series(p, "NeRV", "gain")[1:])
                for n, p in some.items()
            },
        ),
    ]


def spread(values: list[float]) -> float:
    """From the least to the greatest."""
    return max(values) - min(values)
