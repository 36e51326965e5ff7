"""`nelayout layout FOLDER -o OUT.parquet --scheduler ...`: a graph for several machines."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nelayout.cli.arguments import WrongUsage, say_all, shows_progress
from nelayout.errors import InputError
from nelayout.graphs.files import output_format

__all__ = ["declare", "draw"]

# Options of work that only one machine can do, by their names in the arguments.
ONE_MACHINE = ("pos", "fixed", "layers", "stability", "nodes", "label", "color", "background", "edges")
# Formats of positions, and endings of OUT.
FORMATS = ("parquet", "arrow", "csv")


def declare(option: Callable[..., None]) -> None:
    """Add the options of drawings on workers."""
    text = "draw on the workers of a Dask cluster: local starts some here, or its address; FILE may be a folder"
    option("--scheduler", text=text, metavar="local|ADDRESS")
    folder = "with --scheduler: folder for the work on the way; the same command goes on from there"
    option("--checkpoint", text=folder, metavar="FOLDER")


def check(given: argparse.Namespace) -> None:
    """Refuse the options of drawings on workers if --scheduler is missing."""
    if given.checkpoint is not None:
        raise WrongUsage("--checkpoint is for drawings on workers: give --scheduler local or an address as well")


def draw(given: argparse.Namespace, method: Any) -> None:
    """Draw the graph on workers and write the positions."""
    asked = next((name for name in ONE_MACHINE if getattr(given, name)), "more" if given.more else None)
    if asked is not None:
        what = "several FILEs" if asked == "more" else f"--{asked}"
        raise WrongUsage(f"{what} must be left out with --scheduler: a drawing on workers cannot take it")
    out = Path(given.output)
    try:
        kind = output_format(given.output, given.format, FORMATS)
    except InputError:
        kind = None
    if kind is None or given.output == "-":
        listed = f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
        raise WrongUsage(f"OUT must be a {listed} file with --scheduler; got {given.output}. Name another one")
    if not Path(given.file).exists():
        raise InputError(f"there is no file or folder {given.file!r}; check the name")
    if out.resolve() == Path(given.file).resolve():
        raise InputError(f"{out} is the input: give another OUT")
    if not out.resolve().parent.is_dir():
        raise InputError(f"{out} cannot be written: there is no folder {out.parent}")

    from nelayout.distributed import solve
    from nelayout.distributed.layout import write

    scale: Any = given.scale if isinstance(given.scale, (float, type(None))) else 1.0
    drawn = solve(
        given.file,
        method,
        source=given.source or "source",
        target=given.target or "target",
        weight=None if given.weight == "none" else given.weight,
        client=given.scheduler,
        seed=given.seed,
        checkpoint=given.checkpoint,
        dim=given.dim,
        scale=scale,
        mass=given.mass,
        max_iter=given.max_iter,
        affinity=given.affinity,
        perplexity=given.perplexity,
        hops=given.hops,
        smoothing=given.smoothing,
        weight_kind=given.weight_kind,
        device=given.device,
        progress=shows_progress(given),
    )
    say_all(drawn.notes, given)
    write(drawn, out, kind)
