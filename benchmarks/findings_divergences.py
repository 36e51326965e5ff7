"""The f-divergences of t-SNE on the page of `benchmarks.findings`: F and precision, and who has the greatest [I18]."""

from __future__ import annotations

from typing import Any

from benchmarks.findings_tables import best, table, verdict

DIVERGENCES = {"kl": "KL", "reverse-kl": "RKL", "js": "JS", "hellinger": "HL", "chi2": "CH"}
PAPER_F = {
    "faces": (0.6236, 0.7534, 0.7200, 0.7146, 0.3689),
    "digit 1": (0.4724, 0.6057, 0.5570, 0.5546, 0.3449),
    "digits 0-4": (0.5938, 0.5872, 0.6006, 0.5667, 0.6109),
}
"""[I18, Tables 4-6] the greatest F over thresholds of KL, RKL, JS, HL, CH."""
PAPER_NEAREST = {
    "faces": ({"reverse-kl", "hellinger"}, {"reverse-kl"}),
    "digit 1": ({"reverse-kl"}, {"reverse-kl"}),
    "digits 0-4": ({"kl"}, {"kl"}),
}
"""[I18, Table 3] the best of K-Nearest and of K-Farthest; of digits 0-4 that of all ten."""
FEW = 5
"""Neighbors whose share is shown beside the greatest one."""


def f_table(title: str, part: dict[str, Any]) -> str:
    """F over thresholds, and the greatest of each divergence beside the paper's."""
    curves = [part["divergences"][d]["f"] for d in DIVERGENCES]
    rows = [[f"{size}", *best(list(at))] for size, *at in zip(part["sizes"], *curves, strict=True)]
    rows.append(["greatest", *best([max(curve) for curve in curves])])
    rows.append(["greatest, paper", *best(list(PAPER_F[part["set"]]))])
    return f"{title} ({part['n']:,} points)\n\n" + table(["neighbors", *DIVERGENCES.values()], rows)


def f_verdicts(parts: dict[str, Any]) -> list[str]:
    """Of [I18, Tables 3-6]."""
    return [
        verdict("reverse KL has the greatest F (faces).", winners(of_set(parts, "faces"), {"reverse-kl"})),
        verdict("reverse KL has the greatest F (digit 1).", winners(of_set(parts, "digit 1"), {"reverse-kl"})),
        verdict("chi-square has the greatest F (digits 0-4).", winners(of_set(parts, "digits 0-4"), {"chi2"})),
        verdict(
            "chi-square is the worst where the data are a manifold.",
            {
                at_perplexity(title): min(part["divergences"], key=lambda d: max(part["divergences"][d]["f"])) == "chi2"
                for title, part in parts.items()
                if part["set"] != "digits 0-4"
            },
        ),
    ]


def nearest_table(parts: dict[str, Any]) -> str:
    """The share of the nearest and of the farthest that each divergence keeps."""
    rows = []
    for title, part in parts.items():
        of = part["divergences"]
        rows.append([title, f"{FEW} nearest", *best([of[d]["nearest"][FEW - 1] for d in DIVERGENCES])])
        rows += [
            [title, f"greatest of the {key}", *best([max(of[d][key]) for d in DIVERGENCES])]
            for key in ("nearest", "farthest")
        ]
    return table(["", "", *DIVERGENCES.values()], rows)


def nearest_verdicts(parts: dict[str, Any]) -> list[str]:
    """Of [I18, Table 3], K-Nearest and K-Farthest."""
    said = []
    for at, key in enumerate(("nearest", "farthest")):
        for kind, among in PAPER_NEAREST.items():
            names = " or ".join(DIVERGENCES[d] for d in DIVERGENCES if d in among[at])
            claim = f"{names} keeps most of the {key} (greatest precision, {kind})."
            said.append(verdict(claim, winners(of_set(parts, kind), among[at], key=key)))
    return said


def of_set(parts: dict[str, Any], kind: str) -> dict[str, Any]:
    """The settings of one set, which differ in perplexity."""
    return {title: part for title, part in parts.items() if part["set"] == kind}


def winners(parts: dict[str, Any], among: set[str], key: str = "f") -> dict[str, bool]:
    """Whether the greatest number of each setting belongs to one of some divergences; with its owner."""
    held = {}
    for title, part in parts.items():
        most = {d: max(row[key]) for d, row in part["divergences"].items()}
        first = max(most, key=lambda d: most[d])
        held[f"{at_perplexity(title)}: {DIVERGENCES[first]}"] = first in among
    return held


def at_perplexity(title: str) -> str:
    """The name of a setting within a sentence, where commas part the names."""
    return title.replace(", perplexity ", " at ")
