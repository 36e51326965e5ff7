"""The orders of alpha-SNE on the page of `benchmarks.findings`: what each retrieves, and which is chosen [A15]."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.findings_tables import best, table, verdict

PAPER_AUC = {
    "iris": {"SNE": 0.88, "t-SNE": 0.86, "NeRV": 0.89, "alpha-SNE": 0.90},
    "wine": {"SNE": 0.64, "t-SNE": 0.69, "NeRV": 0.69, "alpha-SNE": 0.72},
    "coil20": {"SNE": 0.62, "t-SNE": 0.79, "NeRV": 0.77, "alpha-SNE": 0.80},
}
PAPER_CHOICE = {"iris": (0.88, 0.90), "wine": (0.69, 0.72), "coil20": (0.79, 0.80)}
"""[A15, Table 1], and of it alpha-SNE (EDA) beside the best alpha-SNE."""
WITHIN = 0.01
"""How far the order that is chosen may fall behind the best one [A15]."""


def alpha_table(parts: dict[str, Any]) -> str:
    """The area over alpha."""
    alphas = list(next(iter(parts.values()))["alpha"])
    rows = [[name, *best([part["alpha"][a] for a in alphas])] for name, part in parts.items()]
    return table(["set", *alphas], rows)


def summary(part: dict[str, Any]) -> dict[str, float]:
    """SNE, t-SNE and the best NeRV and alpha-SNE, as in [A15, Table 1]."""
    nerv = max(area for name, area in part["others"].items() if name.startswith("NeRV"))
    return {
        "SNE": part["alpha"]["1.0"],
        "t-SNE": part["others"]["t-SNE"],
        "NeRV": max(nerv, part["alpha"]["1.0"]),
        "alpha-SNE": max(part["alpha"].values()),
    }


def other_table(parts: dict[str, Any]) -> str:
    """The other methods, and the paper's numbers."""
    rows = []
    for name, part in parts.items():
        rows.append([name, "here", *best(list(summary(part).values()))])
        if name in PAPER_AUC:
            rows.append([name, "paper", *best(list(PAPER_AUC[name].values()), "{:.2f}")])
    return table(["set", "", "SNE", "t-SNE", "NeRV, best of ten", "alpha-SNE, best of ten"], rows)


def alpha_verdicts(parts: dict[str, Any]) -> list[str]:
    """Of [A15, sec. 4]."""
    sums = {name: summary(part) for name, part in parts.items()}
    return [
        verdict(
            f"the best alpha-SNE is above {other}.",
            {f"{name} {row['alpha-SNE'] - row[key]:+.3f}": row["alpha-SNE"] > row[key] for name, row in sums.items()},
        )
        for key, other in (("SNE", "SNE"), ("NeRV", "the best NeRV"), ("t-SNE", "t-SNE"))
    ] + [
        verdict(
            "the best order lies inside (0, 1), neither SNE nor the lowest tried.",
            {name: 0.1 < float(best_order(part)) < 1.0 for name, part in parts.items()},
        )
    ]


def choice_table(orders: dict[str, Any], chosen: dict[str, Any]) -> str:
    """The order that was chosen and what it retrieves, beside the best of the grid and the paper's."""
    rows = []
    for name, part in chosen.items():
        best_area = max(orders[name]["alpha"].values())
        alphas = ", ".join(f"{run['alpha']:.2f}" for run in part["runs"])
        walked, scratch = mean_of(part, "walked"), mean_of(part, "scratch")
        paper = "{:.2f} and {:.2f}".format(*PAPER_CHOICE[name]) if name in PAPER_CHOICE else ""
        at = best_order(orders[name])
        rows.append([name, alphas, f"{walked:.3f}", f"{scratch:.3f}", f"{best_area:.3f} ({at})", paper])
    return table(["set", "chosen", "its drawing", "drawn from scratch", "best of ten", "paper: chosen, best"], rows)


def mean_of(part: dict[str, Any], key: str) -> float:
    """Over the seeds."""
    return float(np.mean([run[key] for run in part["runs"]]))


def best_order(part: dict[str, Any]) -> str:
    """The alpha of the grid with the greatest area."""
    return max(part["alpha"], key=lambda alpha: part["alpha"][alpha])


def choice_verdicts(orders: dict[str, Any], chosen: dict[str, Any]) -> list[str]:
    """Of [A15, sec. 4]: what is chosen retrieves as well as what is best."""
    said = []
    for key, claim in (
        ("scratch", "the order that the data choose retrieves within 0.01 of the best of ten, drawn as they were."),
        ("walked", 'the drawing of alpha="auto", which is walked to, does.'),
    ):
        lead = {name: mean_of(part, key) - max(orders[name]["alpha"].values()) for name, part in chosen.items()}
        said.append(verdict(claim, {f"{name} {by:+.3f}": by >= -WITHIN for name, by in lead.items()}))
    return said
