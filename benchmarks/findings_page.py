"""The page of `benchmarks.findings`: tables beside the papers' numbers, and whether each finding holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks import findings_pictures as pictures
from benchmarks.findings_divergences import (
    DIVERGENCES,
    f_table,
    f_verdicts,
    nearest_table,
    nearest_verdicts,
)
from benchmarks.findings_mixtures import (
    KAPPAS,
    TITLES,
    kappa_table,
    kappa_verdicts,
    kept_table,
    mixture_verdicts,
    of_kappa,
    ways_table,
    with_kappas,
)
from benchmarks.findings_orders import alpha_table, alpha_verdicts, choice_table, choice_verdicts, other_table
from benchmarks.findings_text import (
    ALPHA,
    ALPHA_SAID,
    CHOICE,
    CHOICE_SAID,
    FAMILY,
    FAMILY_SAID,
    INTRODUCTION,
    KAPPA,
    KAPPA_SAID,
    MIXTURES,
    MIXTURES_SAID,
    WAYS,
)


def write(found: dict[str, Any], docs: Path) -> None:
    """docs/research/findings.md and its pictures, images/findings-*.png."""
    mixed, family, orders, chosen = (found[part] for part in ("mixtures", "divergences", "orders", "choices"))
    mixed = {name: mixed[name] for name in TITLES if name in mixed}
    parts = [
        INTRODUCTION,
        "\n".join(short_verdicts(mixed, family, orders, chosen)),
        MIXTURES,
        *(kept_table(name, part) for name, part in mixed.items()),
        "\n".join(mixture_verdicts(mixed)),
        MIXTURES_SAID,
        WAYS,
        ways_table(mixed),
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
        ALPHA_SAID,
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
    """The papers' main findings, one line each, on every set."""
    return [
        *mixture_verdicts(mixed)[:-1],
        *kappa_verdicts(mixed)[:5],
        *f_verdicts(family)[:3],
        *alpha_verdicts(orders)[1:2],
        choice_verdicts(orders, chosen)[0],
    ]
