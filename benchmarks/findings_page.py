"""The page of `benchmarks.findings`: tables beside the papers' numbers, and whether each finding holds."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks import findings_pictures as pictures
from benchmarks.findings_orders import alpha_table, alpha_verdicts, choice_table, choice_verdicts, other_table
from benchmarks.findings_tables import best, table, verdict
from benchmarks.findings_text import (
    ALPHA,
    CHOICE,
    CHOICE_SAID,
    FAMILY,
    FAMILY_SAID,
    INTRODUCTION,
    KAPPA,
    KAPPA_SAID,
    MIXTURES,
    MIXTURES_SAID,
)

SHOWN = ("5", "10", "20", "50", "100", "300")
KAPPAS = ("0.05", "0.35", "0.5", "0.65", "0.95")
SMALL = ("5", "10", "20")
TITLES = {
    "coil20": "coil20",
    "coil20 annealed": "coil20 annealed",
    "coil20 all pairs": "coil20 all pairs",
    "mnist": "MNIST",
    "mnist n/20": "MNIST at N/20",
    "mnist all pairs": "MNIST all pairs",
    "sphere": "sphere",
    "sphere annealed": "sphere annealed",
}
NAMED = ("coil20", "coil20 all pairs", "mnist", "mnist all pairs")
"""The sets on which the order of the four methods is asked first of all."""
DIVERGENCES = {"kl": "KL", "reverse-kl": "RKL", "js": "JS", "hellinger": "HL", "chi2": "CH"}

PAPER_INTRUSION = {"NeRV": (16.6, -9.6), "JSE": (31.8, -23.9)}
"""[L13, sec. 5.4.2] 100 B_NX of the sphere (3,000 points) at kappa 0.05 and 0.95."""
PAPER_F = {
    "faces": (0.6236, 0.7534, 0.7200, 0.7146, 0.3689),
    "digit 1": (0.4724, 0.6057, 0.5570, 0.5546, 0.3449),
    "digits 0-4": (0.5938, 0.5872, 0.6006, 0.5667, 0.6109),
}
"""[I18, Tables 4-6] the greatest F over thresholds of KL, RKL, JS, HL, CH."""


def write(found: dict[str, Any], docs: Path) -> None:
    """docs/findings.md and its pictures, docs/images/findings-*.png."""
    mixed, family, orders, chosen = (found[part] for part in ("mixtures", "divergences", "orders", "choices"))
    mixed = {name: mixed[name] for name in TITLES if name in mixed}
    parts = [
        INTRODUCTION,
        "\n".join(short_verdicts(mixed, family, orders, chosen)),
        MIXTURES,
        *(kept_table(name, part) for name, part in mixed.items()),
        "\n".join(mixture_verdicts(mixed)),
        MIXTURES_SAID,
        KAPPA,
        kappa_table(mixed),
        "\n".join(kappa_verdicts(mixed)),
        KAPPA_SAID,
        FAMILY,
        *(f_table(title, rows) for title, rows in family.items()),
        nearest_table(family),
        "\n".join([*f_verdicts(family), *nearest_verdicts(family)]),
        FAMILY_SAID,
        ALPHA,
        alpha_table(orders),
        other_table(orders),
        "\n".join(alpha_verdicts(orders)),
        CHOICE,
        choice_table(orders, chosen),
        "\n".join(choice_verdicts(orders, chosen)),
        CHOICE_SAID,
    ]
    (docs / "findings.md").write_text("\n\n".join(part.strip("\n") for part in parts) + "\n")
    kappas = {
        name: {method: {k: of_kappa(part, method, k) for k in KAPPAS} for method in ("NeRV", "JSE")}
        | {"t-SNE": part["methods"]["t-SNE"]}
        for name, part in with_kappas(mixed).items()
    }
    images = docs / "images"
    pictures.draw_methods(mixed, TITLES, images / "findings-methods.png")
    pictures.draw_kappa(kappas, TITLES, KAPPAS, images / "findings-kappa.png")
    pictures.draw_f(family, DIVERGENCES, images / "findings-f.png")
    pictures.draw_alpha(orders, chosen, images / "findings-alpha.png")


def short_verdicts(
    mixed: dict[str, Any], family: dict[str, Any], orders: dict[str, Any], chosen: dict[str, Any]
) -> list[str]:
    """The main findings, one line each."""
    named = {name: mixed[name] for name in NAMED if name in mixed}
    faces = {title: part for title, part in family.items() if part["set"] == "faces"}
    digits = {title: part for title, part in family.items() if part["set"] == "digits 0-4"}
    return [
        verdict("JSE keeps the 10 and 20 nearest better than t-SNE,", above(named, "JSE", "t-SNE", SMALL[1:])),
        verdict("and the 5 nearest.", above(named, "JSE", "t-SNE", SMALL[:1])),
        verdict("t-SNE keeps small neighborhoods (5, 10, 20) better than SNE.", above(named, "t-SNE", "SNE")),
        verdict("NeRV keeps them better than SNE,", above(named, "NeRV", "SNE")),
        verdict("and t-SNE better than NeRV.", above(named, "t-SNE", "NeRV")),
        kappa_verdicts(named)[0].replace(", every step", ", kappa 0.05, 0.35, 0.5, 0.65, 0.95"),
        verdict("reverse KL or JS has the greatest F on the faces.", winners(faces, {"reverse-kl", "js"})),
        verdict(
            "KL or chi-square has the greatest F at the smallest neighborhoods of digits.",
            winners(digits, {"kl", "chi2"}, 0),
        ),
        choice_verdicts(orders, chosen)[0],
    ]


def kept_table(name: str, part: dict[str, Any]) -> str:
    """R_NX of the four methods on one set."""
    four = ["SNE", "NeRV", "JSE", "t-SNE"]
    columns = [best([part["methods"][m]["gain"][K] for m in four]) for K in SHOWN]
    columns.append(best([part["methods"][m]["area"] for m in four]))
    columns.append([f"{part['methods'][m]['intrusion']:.1f}" for m in four])
    head = ["method", *(f"K = {K}" for K in SHOWN), "area", "100 B"]
    caption = f"{TITLES[name]}: {part['n']:,} points, perplexity {part['perplexity']:g}"
    return f"{caption}\n\n" + table(head, ([m, *cells] for m, *cells in zip(four, *columns, strict=True)))


def above(parts: dict[str, Any], first: str, second: str, at: Iterable[str] = SMALL) -> dict[str, bool]:
    """Whether one method keeps more than another at each K; the set with its smallest lead."""
    held = {}
    for name, part in parts.items():
        lead = min(part["methods"][first]["gain"][K] - part["methods"][second]["gain"][K] for K in at)
        held[f"{TITLES[name]} {lead:+.3f}"] = lead > 0
    return held


def mixture_verdicts(parts: dict[str, Any]) -> list[str]:
    """Of [L13, sec. 5.4.1]."""
    at = "K = 5, 10 and 20"
    B = {
        name: {m: part["methods"][m]["intrusion"] for m in ("SNE", "NeRV", "JSE", "t-SNE")}
        for name, part in parts.items()
    }
    return [
        verdict(f"JSE keeps small neighborhoods better than NeRV ({at}).", above(parts, "JSE", "NeRV")),
        verdict(f"NeRV keeps them better than SNE ({at}).", above(parts, "NeRV", "SNE")),
        verdict(f"t-SNE keeps them better than NeRV ({at}).", above(parts, "t-SNE", "NeRV")),
        verdict(f"JSE keeps them better than t-SNE ({at}).", above(parts, "JSE", "t-SNE")),
        verdict(
            "JSE keeps neighborhoods of 50 and 100 better than t-SNE.", above(parts, "JSE", "t-SNE", ("50", "100"))
        ),
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
                paper = PAPER_INTRUSION[method] if name == "sphere" and text == "100 B" else None
                rows.append([TITLES[name], method, text, *cells, f"{paper[0]} to {paper[1]}" if paper else ""])
    return table(["set", "method", "", *(f"kappa = {k}" for k in KAPPAS), "paper"], rows)


def kappa_verdicts(parts: dict[str, Any]) -> list[str]:
    """Of [L13, sec. 5.4.2]."""
    some = with_kappas(parts)

    def series(part: dict[str, Any], method: str, key: str) -> list[float]:
        rows = [of_kappa(part, method, kappa) for kappa in KAPPAS]
        return [row["gain"]["10"] if key == "gain" else row[key] for row in rows]

    def spread(values: list[float]) -> float:
        return max(values) - min(values)

    return [
        verdict(
            "in NeRV a larger kappa keeps small neighborhoods better (K = 10, every step).",
            {TITLES[n]: all(a < b for a, b in pairwise(series(p, "NeRV", "gain"))) for n, p in some.items()},
        ),
        verdict(
            "in NeRV a larger kappa has fewer intrusions (B falls at every step).",
            {TITLES[n]: all(a > b for a, b in pairwise(series(p, "NeRV", "intrusion"))) for n, p in some.items()},
        ),
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


def f_table(title: str, part: dict[str, Any]) -> str:
    """F over thresholds, and the greatest of each divergence beside the paper's."""
    curves = [part["divergences"][d]["f"] for d in DIVERGENCES]
    rows = [[f"{size}", *best(list(at))] for size, *at in zip(part["sizes"], *curves, strict=True)]
    rows.append(["greatest", *best([max(curve) for curve in curves])])
    rows.append(["greatest, paper", *best(list(PAPER_F[part["set"]]))])
    return f"{title} ({part['n']:,} points)\n\n" + table(["neighbors", *DIVERGENCES.values()], rows)


def at_perplexity(title: str) -> str:
    """The name of a setting within a sentence, where commas part the names."""
    return title.replace(", perplexity ", " at ")


def nearest_table(parts: dict[str, Any]) -> str:
    """The share of the K nearest that each divergence keeps."""
    rows = []
    for title, part in parts.items():
        for at in (0, 2):
            kept = [part["divergences"][d]["nearest"][at] for d in DIVERGENCES]
            rows.append([title, str(part["sizes"][at]), *best(kept)])
    return table(["", "K", *DIVERGENCES.values()], rows)


def nearest_verdicts(parts: dict[str, Any]) -> list[str]:
    """Of [I18, Table 3], K-Nearest."""
    return [
        verdict(claim, winners({t: part for t, part in parts.items() if part["set"] == kind}, among, 0, "nearest"))
        for kind, among, claim in (
            ("faces", {"reverse-kl", "hellinger"}, "reverse KL or HL keeps most of the 5 nearest (faces)."),
            ("digit 1", {"reverse-kl"}, "reverse KL does (digit 1)."),
            ("digits 0-4", {"kl"}, "KL does (digits 0-4)."),
        )
    ]


def winners(parts: dict[str, Any], among: set[str], at: int | None = None, key: str = "f") -> dict[str, bool]:
    """Whether the greatest F, over all thresholds or at one, belongs to one of some divergences; with its owner."""
    held = {}
    for title, part in parts.items():
        f = {d: max(row[key]) if at is None else row[key][at] for d, row in part["divergences"].items()}
        first = max(f, key=lambda d: f[d])
        held[f"{at_perplexity(title)}: {DIVERGENCES[first]}"] = first in among
    return held


def f_verdicts(parts: dict[str, Any]) -> list[str]:
    """Of [I18, Tables 3-6]."""
    faces, one, five = (
        {title: part for title, part in parts.items() if part["set"] == kind}
        for kind in ("faces", "digit 1", "digits 0-4")
    )
    return [
        verdict("reverse KL has the greatest F (faces).", winners(faces, {"reverse-kl"})),
        verdict("reverse KL, JS or HL has the greatest F (faces).", winners(faces, {"reverse-kl", "js", "hellinger"})),
        verdict("reverse KL has the greatest F (digit 1).", winners(one, {"reverse-kl"})),
        verdict("reverse KL, JS or HL has it (digit 1).", winners(one, {"reverse-kl", "js", "hellinger"})),
        verdict("chi-square has the greatest F (digits 0-4).", winners(five, {"chi2"})),
        verdict("KL or chi-square is best at the smallest neighborhoods.", winners(five, {"kl", "chi2"}, 0)),
        verdict(
            "chi-square is the worst where the data are a manifold.",
            {
                at_perplexity(title): min(part["divergences"], key=lambda d: max(part["divergences"][d]["f"])) == "chi2"
                for title, part in parts.items()
                if part["set"] != "digits 0-4"
            },
        ),
    ]
