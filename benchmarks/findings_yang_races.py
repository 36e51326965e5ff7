"""[Y15] on the page of `benchmarks.findings_yang`: trials per step beside table 2, and which optimizer is ahead."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.findings_tables import table, verdict
from benchmarks.findings_yang_text import AROUND_TWO, DECREASED, MORE_CALLS, RHO_VARIES, SLOWER

Parts = dict[str, Any]

PAPER_MM, OURS, SD = "majorize as in the paper", "majorize", "spectral-direction"
PAPER_TRIALS = {
    "scotland": ("2.00 ± 0.00", "21.91 ± 1.88"),
    "coil20": ("1.94 ± 0.11", "1.92 ± 0.29"),
    "pendigits": ("2.00 ± 0.00", "6.30 ± 5.51"),
    "shuttle": ("2.07 ± 0.02", "4.16 ± 0.66"),
    "mnist": ("2.10 ± 0.04", "2.90 ± 0.23"),
}
"""[Y15, table 2] means and standard deviations of 10 runs: trials of MM, function calls of SD, per step."""
AROUND = 0.25
"""How far from two counts as around two."""
GREATLY = 100.0
"""Ratio of the largest rho to the smallest from which it varies greatly."""
NEAR = 0.05
"""Nats above the least J; the time until a run is that near is told."""


def average(part: Parts, label: str, key: str) -> float:
    """Mean of a number over the runs of one optimizer."""
    return float(np.mean([run[key] for run in part["runs"][label]]))


def spread(part: Parts, label: str, key: str) -> str:
    """Mean, and standard deviation where there are several runs."""
    values = [run[key] for run in part["runs"][label]]
    return f"{np.mean(values):.2f}" + (f" ± {np.std(values, ddof=1):.2f}" if len(values) > 1 else "")


def reached(part: Parts, label: str) -> str:
    """Seconds until the first run is within NEAR of the least J of the set's first runs."""
    bound = NEAR + min(runs[0]["value"] for runs in part["runs"].values())
    run = part["runs"][label][0]
    near = [t for t, J in zip(run["time"], run["J"], strict=True) if bound >= J]
    return f"{near[0]:.2g}" if near else "-"


def race_tables(raced: Parts) -> str:
    """Trials beside the paper's, and where each optimizer ends."""
    trials = [
        [
            name,
            f"{part['n']:,}",
            str(len(part["runs"][SD])),
            *(spread(part, label, "trials") for label in (PAPER_MM, OURS)),
            PAPER_TRIALS[name][0],
            spread(part, SD, "trials"),
            PAPER_TRIALS[name][1],
        ]
        for name, part in raced.items()
    ]
    head = ["set", "points", "runs", "MM as in the paper", "MM, ours", "MM, paper", "SD, ours", "SD, paper"]
    ends = []
    for name, part in raced.items():
        least = min(average(part, label, "value") for label in part["runs"])
        for label in part["runs"]:
            value = average(part, label, "value")
            said = f"**{value:.3f}**" if value == least else f"{value:.3f}"
            steps, tried = average(part, label, "steps"), average(part, label, "trials")
            ends.append(
                [
                    name,
                    label,
                    f"{average(part, label, 'seconds'):.1f}",
                    f"{steps:.0f}",
                    f"{tried:.2f}",
                    said,
                    reached(part, label),
                ]
            )
    columns = ["set", "optimizer", "seconds", "steps", "trials a step", "J at the end", f"seconds to least + {NEAR}"]
    return table(head, trials) + "\n\n" + table(columns, ends)


def race_verdicts(raced: Parts) -> list[str]:
    """Of [Y15, supplement, sec. 7]."""
    around, more, slower, varies = {}, {}, {}, {}
    for name, part in raced.items():
        tried, calls = average(part, PAPER_MM, "trials"), average(part, SD, "trials")
        around[f"{name} {tried:.2f}"] = abs(tried - 2.0) <= AROUND
        more[f"{name} {calls:.2f} and {tried:.2f}"] = calls > tried
        behind = average(part, SD, "value") - average(part, PAPER_MM, "value")
        slower[f"{name} {behind:+.3f}"] = behind > 0
        low, high = part["runs"][PAPER_MM][0]["rho"]
        varies[f"{name} {low:.0e} to {high:.0e}"] = high >= GREATLY * low
    by_size = sorted(raced.values(), key=lambda part: part["n"])
    small, large = (average(part, PAPER_MM, "trials") for part in (by_size[0], by_size[-1]))
    return [
        verdict(AROUND_TWO, around),
        verdict(DECREASED, {f"{small:.2f} to {large:.2f}": large < small}),
        verdict(MORE_CALLS, more),
        verdict(SLOWER, slower),
        verdict(RHO_VARIES, varies),
    ]
