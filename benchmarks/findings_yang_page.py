"""The page of `benchmarks.findings_yang`: tables, and whether each claim of [Y14] and [Y15] holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from benchmarks import findings_yang_pictures as pictures
from benchmarks import findings_yang_text as text
from benchmarks.findings_tables import best, table, verdict
from benchmarks.findings_yang_races import race_tables, race_verdicts

Parts = dict[str, Any]

TITLES = {
    "shuttle": "shuttle",
    "mnist": "MNIST",
    "worldtrade": "worldtrade",
    "usair97": "usair97",
    "luxembourg": "luxembourg",
}
METHODS = ("sfdp", "LinLog", "t-SNE", "EE", "ws-SNE")
MANNERS = {"ours": "", "random": " from random starts"}
COUNTS = {"shuttle": "auc", "mnist": "auc", "worldtrade": "auc", "usair97": "near", "luxembourg": "r2"}
"""The number that says how good a drawing of the set is: [Y14]'s AUC, or agreement with the map."""
HUBS = -0.5
"""Rank correlation of degree and distance from the middle below which hubs are in the middle."""
MUCH_WORSE = 0.1
"""By how much AUC must be lower for "much worse"."""
HAIRBALL = 0.1
"""Procrustes R^2 below which a drawing of a road map says nothing about the map."""
GOOD = 0.9
"""Part of the best method's number from which a drawing counts as good."""
TIE = 0.02
"""AUC no more than this apart ties."""


def write(found: Parts, results: Path, docs: Path) -> None:
    """docs/research/findings-yang.md and its pictures, images/findings-yang-*.png."""
    drawn = {name: found["figures"][name] for name in TITLES}
    smoothed, raced = found["smoothing"], found["optimizers"]
    parts = [
        text.INTRODUCTION,
        "\n".join([*figure_verdicts(drawn), *smoothing_verdicts(smoothed, drawn), *race_verdicts(raced)]),
        text.FIGURES,
        drawing_table(drawn, "ours"),
        text.RANDOM,
        drawing_table(drawn, "random"),
        text.FIGURES_SAID,
        text.REPULSION,
        repulsion_table(drawn),
        text.SMOOTHING,
        smoothing_table(smoothed),
        text.SMOOTHING_SAID,
        text.RACES,
        race_tables(raced),
        text.RACES_SAID,
    ]
    (docs / "findings-yang.md").write_text("\n\n".join(part.strip("\n") for part in parts) + "\n")
    images = docs / "images"
    labeled = {name: part for name, part in drawn.items() if COUNTS[name] == "auc"}
    pictures.draw_grid(drawn, TITLES, "ours", METHODS, results, images / "findings-yang-drawings.png")
    everywhere = {name: part for name, part in drawn.items() if len(part["random"]) == len(METHODS) - 1}
    pictures.draw_grid(everywhere, TITLES, "random", METHODS[1:], results, images / "findings-yang-random.png")
    pictures.draw_curves(labeled, TITLES, smoothed["ours"], images / "findings-yang-curves.png")
    pictures.draw_smoothing(smoothed, results, images / "findings-yang-smoothing.png")
    pictures.draw_optimizers(raced, images / "findings-yang-optimizers.png")


def drawing_table(drawn: Parts, manner: str) -> str:
    """Every number of every drawing; the best that counts in bold."""
    columns: dict[str, tuple[str, str]] = {
        "auc": ("AUC", "{:.3f}"),
        "acc": ("class accuracy", "{:.3f}"),
        "r2": ("map R²", "{:.2f}"),
        "near": ("map neighbors", "{:.2f}"),
        "crossings": ("crossings", "{:,.0f}"),
        "center": ("hubs outside", "{:+.2f}"),
        "reach": ("reach", "{:.1f}"),
        "seconds": ("seconds", "{:.1f}"),
    }
    lines = []
    for name, part in drawn.items():
        rows = {method: part[manner][method] for method in METHODS if method in part[manner]}
        counted = COUNTS[name]
        top = max(row[counted] for row in rows.values())
        for method, row in rows.items():
            said = [form.format(row[key]) if key in row else "" for key, (_, form) in columns.items()]
            if row[counted] == top:
                at = list(columns).index(counted)
                said[at] = f"**{said[at]}**"
            lines.append([TITLES[name], method + (" (stored)" if row.get("stored") else ""), *said])
    return table(["set", "method", *(title for title, _ in columns.values())], lines)


def compared(drawn: Parts, names: Iterable[str], of: Callable[[str, Parts], dict[str, bool]]) -> dict[str, bool]:
    """One claim on several sets, drawn from our start and from random ones."""
    held: dict[str, bool] = {}
    for manner, said in MANNERS.items():
        for name in names:
            rows = with_sfdp(drawn[name], manner)
            if set(METHODS) <= set(rows):
                held |= {f"{key}{said}": ok for key, ok in of(name, rows).items()}
    return held


def with_sfdp(part: Parts, manner: str) -> Parts:
    """The rows of a manner; sfdp, which has its own start, belongs to both."""
    return {**part[manner], "sfdp": part["ours"]["sfdp"]}


def rank(rows: Parts, method: str, key: str) -> int:
    """1 for the greatest."""
    return 1 + sum(row[key] > rows[method][key] for row in rows.values())


def shares(drawn: Parts, manner: str) -> dict[str, float]:
    """Each method's least part of the best method's number, over the sets that all of them drew."""
    sets = [name for name in drawn if set(METHODS) <= set(with_sfdp(drawn[name], manner))]
    worst = {}
    for method in METHODS:
        rows = {name: with_sfdp(drawn[name], manner) for name in sets}
        worst[method] = min(
            rows[name][method][COUNTS[name]] / max(row[COUNTS[name]] for row in rows[name].values()) for name in sets
        )
    return worst


def leads(firsts: Iterable[str], seconds: Iterable[str], key: str, more: bool = True) -> Callable:
    """Whether each of some methods has a greater number than each of others, with the least lead."""
    firsts, seconds = tuple(firsts), tuple(seconds)

    def of(name: str, rows: Parts) -> dict[str, bool]:
        sign = 1.0 if more else -1.0
        found = {}
        for first in firsts:
            lead = min(sign * (rows[first][key] - rows[second][key]) for second in seconds)
            found[f"{first} {lead:+.3f}"] = lead > 0
        return found

    return of


def figure_verdicts(drawn: Parts) -> list[str]:
    """Of [Y14, sec. 6 and figure 1]."""
    classes = [name for name in drawn if COUNTS[name] == "auc"]

    def placed(name: str, rows: Parts) -> dict[str, bool]:
        place = rank(rows, "ws-SNE", "auc")
        return {f"{TITLES[name]} {place} of {len(METHODS)}": place <= 2}

    def hubs(method: str, inside: bool) -> Callable:
        def of(name: str, rows: Parts) -> dict[str, bool]:
            center = rows[method].get("center")  # stored drawings have none
            return {} if center is None else {f"{TITLES[name]} {center:+.2f}": (center < HUBS) == inside}

        return of

    def hairballs(name: str, rows: Parts) -> dict[str, bool]:
        return {
            f"{method} R² {rows[method]['r2']:.2f}": rows[method]["r2"] < HAIRBALL for method in ("LinLog", "t-SNE")
        }

    def clear(name: str, rows: Parts) -> dict[str, bool]:
        return {f"ws-SNE R² {rows['ws-SNE']['r2']:.2f}": rows["ws-SNE"]["r2"] >= GOOD}

    def elastic(name: str, rows: Parts) -> dict[str, bool]:
        share = rows["EE"][COUNTS[name]] / max(row[COUNTS[name]] for row in rows.values())
        return {f"{TITLES[name]} {share:.2f}": (share >= GOOD) == (name == "shuttle")}

    worse = {}
    for method, manner in (("sfdp", "ours"), ("LinLog", "ours"), ("LinLog", "random")):
        lead = drawn["mnist"][manner][method]["auc"] - drawn["mnist"]["ours"]["ws-SNE"]["auc"]
        worse[f"{method}{MANNERS[manner]} {lead:+.3f}"] = lead < -MUCH_WORSE
    only = {}
    for manner, said in MANNERS.items():
        least = shares(drawn, manner)
        other = max((method for method in METHODS if method != "ws-SNE"), key=lambda method: least[method])
        only[f"ws-SNE {least['ws-SNE']:.2f}, {other} {least[other]:.2f}{said}"] = least["ws-SNE"] >= GOOD > least[other]
    repelled = {}
    for name, part in drawn.items():
        if "repulsion" in part:
            values = [row[COUNTS[name]] for row in part["repulsion"].values()]
            repelled[f"{TITLES[name]} {min(values):.2f} to {max(values):.2f}"] = min(values) < GOOD * max(values)
    roads = drawn["luxembourg"]["ours"]["sfdp"]["r2"]
    graphs = ("worldtrade", "usair97")
    hubs_of_sfdp = hubs("sfdp", inside=True)("usair97", drawn["usair97"]["ours"])
    asked = {
        text.BEST_OR_SECOND: compared(drawn, classes, placed),
        text.SHUTTLE: compared(drawn, ["shuttle"], leads(("sfdp", "ws-SNE"), ("LinLog", "t-SNE"), "auc")),
        text.MNIST_TSNE: compared(drawn, ["mnist"], leads(("ws-SNE",), ("t-SNE",), "auc")),
        text.MNIST_WORSE: worse,
        text.CONTINENTS: compared(drawn, graphs[:1], leads(("sfdp", "LinLog", "ws-SNE"), ("t-SNE",), "auc")),
        text.HUBS_TSNE: compared(drawn, graphs, hubs("t-SNE", inside=True)),
        text.HUBS_SFDP: hubs_of_sfdp,
        text.HUBS_WSSNE: compared(drawn, graphs, hubs("ws-SNE", inside=False)),
        text.AIRPORTS: compared(drawn, graphs[1:], leads(("LinLog", "ws-SNE"), ("sfdp", "t-SNE"), "near")),
        text.AIRPORTS_R2: compared(drawn, graphs[1:], leads(("LinLog", "ws-SNE"), ("sfdp", "t-SNE"), "r2")),
        text.HAIRBALLS: compared(drawn, ["luxembourg"], hairballs),
        text.ROADS: {f"sfdp R² {roads:.2f}": roads >= GOOD} | compared(drawn, ["luxembourg"], clear),
        text.ELASTIC: compared(drawn, drawn, elastic),
        text.REPULSED: repelled,
        text.ONLY: only,
    }
    return [verdict(claim, held) for claim, held in asked.items() if held]


def repulsion_table(drawn: Parts) -> str:
    """EE over lambda, beside ws-SNE."""
    rows, strengths = [], []
    for name, part in drawn.items():
        if "repulsion" in part:
            strengths = list(part["repulsion"])
            values = [row[COUNTS[name]] for row in part["repulsion"].values()]
            rows.append([TITLES[name], *best([*values, part["ours"]["ws-SNE"][COUNTS[name]]])])
    return table(["set", *(f"EE, lambda = {strength}" for strength in strengths), "ws-SNE"], rows)


def smoothing_table(smoothed: Parts) -> str:
    """gamma-QuadLog at each rho."""
    rows = [
        [MANNERS[manner].strip() or "our start", rho, *(form.format(row[key]) for key, form in SMOOTHED.items())]
        for manner, part in smoothed.items()
        for rho, row in part.items()
    ]
    return table(["start", "rho", "AUC", "class accuracy", "reach", "steps", "seconds"], rows)


SMOOTHED = {"auc": "{:.3f}", "acc": "{:.3f}", "reach": "{:.1f}", "steps": "{:.0f}", "seconds": "{:.1f}"}


def smoothing_verdicts(smoothed: Parts, drawn: Parts) -> list[str]:
    """Of [Y14, sec. 5.2, sec. 6 and figure 3]."""
    shuttle, at = drawn["shuttle"]["ours"], "0.99"
    ties = {}
    for manner, said in MANNERS.items():
        auc = smoothed[manner][at]["auc"]
        gap = auc - shuttle["sfdp"]["auc"]
        others = max(shuttle[method]["auc"] for method in METHODS if method != "sfdp")
        ties[f"{auc:.3f}, sfdp {gap:+.3f}, best other {auc - others:+.3f}{said}"] = (
            abs(gap) <= TIE and auc > others - TIE
        )
    reach = smoothed["ours"][at]["reach"]
    wider = {
        f"{method} {shuttle[method]['reach']:.1f} to {reach:.1f}": shuttle[method]["reach"] > reach
        for method in ("EE", "ws-SNE")
    }
    helps = {}
    for manner, part in smoothed.items():
        gain = part[at]["auc"] - part["0.0"]["auc"]
        helps[f"{gain:+.3f}{MANNERS[manner] or ' from our start'}"] = gain > TIE
    return [verdict(text.TIES, ties), verdict(text.ZOOM, wider), verdict(text.HELPS, helps)]
