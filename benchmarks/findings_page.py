"""The page of `benchmarks.findings`: tables beside the papers' numbers, and whether each finding holds."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.findings_text import ALPHA, CHOICE, FAMILY, INTRODUCTION, KAPPA, MIXTURES

SHOWN = ("5", "10", "20", "50", "100", "300")
KAPPAS = ("0.05", "0.35", "0.5", "0.65", "0.95")
SMALL = ("5", "10", "20")
TITLES = {
    "coil20": "coil20",
    "mnist": "MNIST",
    "mnist n/20": "MNIST, fewer",
    "sphere": "sphere",
}
DIVERGENCES = {"kl": "KL", "reverse-kl": "RKL", "js": "JS", "hellinger": "HL", "chi2": "CH"}

PAPER_INTRUSION = {"NeRV": (16.6, -9.6), "JSE": (31.8, -23.9)}
"""[L13, sec. 5.4.2] 100 B_NX of the sphere (3,000 points) at kappa 0.05 and 0.95."""
PAPER_F = {
    "faces": (0.6236, 0.7534, 0.7200, 0.7146, 0.3689),
    "digit 1": (0.4724, 0.6057, 0.5570, 0.5546, 0.3449),
    "digits 0-4": (0.5938, 0.5872, 0.6006, 0.5667, 0.6109),
}
"""[I18, Tables 4-6] the greatest F over thresholds of KL, RKL, JS, HL, CH."""
PAPER_AUC = {
    "iris": {"SNE": 0.88, "t-SNE": 0.86, "NeRV": 0.89, "alpha-SNE": 0.90},
    "wine": {"SNE": 0.64, "t-SNE": 0.69, "NeRV": 0.69, "alpha-SNE": 0.72},
    "coil20": {"SNE": 0.62, "t-SNE": 0.79, "NeRV": 0.77, "alpha-SNE": 0.80},
}
"""[A15, Table 1]."""


def write(found: dict[str, Any], docs: Path) -> None:
    """docs/findings.md and docs/images/findings-kappa.png."""
    parts = [
        INTRODUCTION,
        MIXTURES,
        *(kept_table(name, found["mixtures"][name]) for name in TITLES if name in found["mixtures"]),
        "\n".join(mixture_verdicts(found["mixtures"])),
        KAPPA,
        kappa_table(found["mixtures"]),
        "\n".join(kappa_verdicts(found["mixtures"])),
        FAMILY,
        *(f_table(title, rows) for title, rows in found["divergences"].items()),
        "\n".join(f_verdicts(found["divergences"])),
        ALPHA,
        alpha_table(found["orders"]),
        other_table(found["orders"]),
        "\n".join(alpha_verdicts(found["orders"])),
        CHOICE,
    ]
    (docs / "findings.md").write_text("\n\n".join(part.strip("\n") for part in parts) + "\n")
    draw_kappa(found["mixtures"], docs / "images" / "findings-kappa.png")


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
    return f"- **Holds in part** (on {', '.join(yes)}; not on {', '.join(no)}): {claim}"


def kept_table(name: str, part: dict[str, Any]) -> str:
    """R_NX of the four methods on one set."""
    four = ["SNE", "NeRV", "JSE", "t-SNE"]
    columns = [best([part["methods"][m]["gain"][K] for m in four]) for K in SHOWN]
    columns.append(best([part["methods"][m]["area"] for m in four]))
    columns.append([f"{part['methods'][m]['intrusion']:.1f}" for m in four])
    head = ["method", *(f"K = {K}" for K in SHOWN), "area", "100 B"]
    caption = f"{TITLES[name]}: {part['n']:,} points, perplexity {part['perplexity']:g}"
    return f"{caption}\n\n" + table(head, ([m, *cells] for m, *cells in zip(four, *columns, strict=True)))


def mixture_verdicts(parts: dict[str, Any]) -> list[str]:
    """Of [L13, sec. 5.4.1]."""

    def above(first: str, second: str, at: Iterable[str]) -> dict[str, bool]:
        return {
            TITLES[name]: all(part["methods"][first]["gain"][K] > part["methods"][second]["gain"][K] for K in at)
            for name, part in parts.items()
        }

    at = "K = 5, 10 and 20"
    B = {
        name: {m: part["methods"][m]["intrusion"] for m in ("SNE", "NeRV", "JSE", "t-SNE")}
        for name, part in parts.items()
    }
    return [
        verdict(f"JSE keeps small neighborhoods better than NeRV ({at}).", above("JSE", "NeRV", SMALL)),
        verdict(f"NeRV keeps them better than SNE ({at}).", above("NeRV", "SNE", SMALL)),
        verdict(f"t-SNE keeps them better than NeRV ({at}).", above("t-SNE", "NeRV", SMALL)),
        verdict(f"JSE keeps them better than t-SNE ({at}).", above("JSE", "t-SNE", SMALL)),
        verdict("JSE keeps neighborhoods of 50 and 100 better than t-SNE.", above("JSE", "t-SNE", ("50", "100"))),
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


def f_verdicts(parts: dict[str, Any]) -> list[str]:
    """Of [I18, Tables 3-6]."""

    def winners(kind: str, among: set[str], at: int | None = None) -> dict[str, bool]:
        held = {}
        for title, part in parts.items():
            if part["set"] == kind:
                f = {d: max(row["f"]) if at is None else row["f"][at] for d, row in part["divergences"].items()}
                held[title] = max(f, key=lambda d: f[d]) in among
        return held

    return [
        verdict("reverse KL has the greatest F (faces).", winners("faces", {"reverse-kl"})),
        verdict(
            "reverse KL, JS or HL has the greatest F (faces).", winners("faces", {"reverse-kl", "js", "hellinger"})
        ),
        verdict("reverse KL has the greatest F (digit 1).", winners("digit 1", {"reverse-kl"})),
        verdict("reverse KL, JS or HL has it (digit 1).", winners("digit 1", {"reverse-kl", "js", "hellinger"})),
        verdict("chi-square has the greatest F (digits 0-4).", winners("digits 0-4", {"chi2"})),
        verdict("KL or chi-square is best at the smallest neighborhoods.", winners("digits 0-4", {"kl", "chi2"}, 0)),
        verdict(
            "chi-square is the worst where the data are a manifold.",
            {
                title: min(part["divergences"], key=lambda d: max(part["divergences"][d]["f"])) == "chi2"
                for title, part in parts.items()
                if part["set"] != "digits 0-4"
            },
        ),
    ]


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
    return table(["set", "", "SNE", "t-SNE", "NeRV, best", "alpha-SNE, best"], rows)


def alpha_verdicts(parts: dict[str, Any]) -> list[str]:
    """Of [A15, sec. 4]."""
    sums = {name: summary(part) for name, part in parts.items()}
    return [
        verdict(
            f"the best alpha-SNE is at least as good as {other}.",
            {name: row["alpha-SNE"] >= row[other] for name, row in sums.items()},
        )
        for other in ("SNE", "NeRV", "t-SNE")
    ] + [
        verdict(
            "the best order lies inside (0, 1), neither SNE nor the lowest tried.",
            {
                name: 0.1 < float(max(part["alpha"], key=lambda a, part=part: part["alpha"][a])) < 1.0
                for name, part in parts.items()
            },
        )
    ]


def draw_kappa(parts: dict[str, Any], path: Path) -> None:
    """R_NX over K for several kappa."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    some = with_kappas(parts)
    figure = Figure(figsize=(8.5, 4.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(2, len(some), sharex="col", sharey="col", squeeze=False)
    for column, (name, part) in zip(axes.T, some.items(), strict=True):
        for axis, method in zip(column, ("NeRV", "JSE"), strict=True):
            lines = {"SNE": part["methods"]["SNE"]} if "SNE" in part["methods"] else {}
            lines |= {k: of_kappa(part, method, k) for k in KAPPAS}
            for shade, (label, row) in zip(np.linspace(0.0, 0.9, len(lines)), lines.items(), strict=True):
                curve = np.array(row["curve"])
                axis.plot(np.arange(1, len(curve) + 1), curve, color=_color(shade), lw=1.1, label=label)
            axis.plot(np.arange(1, len(curve) + 1), part["methods"]["t-SNE"]["curve"], "k:", lw=1.0, label="t-SNE")
            axis.set_xscale("log")
            axis.set_title(f"{method}, {TITLES[name]}", fontsize=9)
            axis.tick_params(labelsize=7)
            axis.grid(alpha=0.3)
        column[-1].set_xlabel("K", fontsize=8)
    for row in axes:
        row[0].set_ylabel("R_NX(K)", fontsize=8)
    axes[0, -1].legend(fontsize=6.5, title="kappa", title_fontsize=7)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=90)


def _color(shade: float) -> Any:
    from matplotlib import colormaps

    return colormaps["viridis"](shade)
