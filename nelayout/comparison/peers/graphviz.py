"""Layouts of Graphviz as peers: its programs, each started once for a drawing, as "graphviz:sfdp"."""

from __future__ import annotations

import subprocess
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array, triu

from nelayout.comparison.peers.peer import Draw, Peer

__all__ = ["graphviz_layouts"]

# Program -> whether it starts from random places.
PROGRAMS = {"sfdp": True, "fdp": True, "neato": True, "dot": False, "circo": False, "twopi": False}


def graphviz_layouts() -> dict[str, Peer]:
    """Name -> peer; no program takes weights for similarities."""
    return {
        f"graphviz:{program}": Peer(
            f"graphviz:{program}",
            partial(_prepare, program),
            program=program,
            install="it comes with Graphviz, such as apt install graphviz",
            seeded=seeded,
        )
        for program, seeded in PROGRAMS.items()
    }


def _prepare(program: str, adjacency: csr_array, seed: int, threads: int | None) -> Draw:
    upper: Any = triu(adjacency, 1).tocoo()
    n = adjacency.shape[0]
    start = f"start={seed + 1};" if PROGRAMS[program] else ""  # to Graphviz 0 is the same seed as 1
    edges = (f"{i}--{j}" for i, j in zip(upper.row.tolist(), upper.col.tolist(), strict=True))
    text = "\n".join([f"graph{{{start}", *map(str, range(n)), *edges, "}"])

    def draw() -> np.ndarray:
        done = subprocess.run(  # noqa: S603  the program is one of the table above, and the text is made of numbers
            [program, "-Tplain"], input=text, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError((done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1])
        Y = np.full((n, 2), np.nan)
        for line in done.stdout.splitlines():
            if line.startswith("node "):
                _, node, x, y, *_ = line.split(maxsplit=4)
                Y[int(node)] = float(x), float(y)
        return Y

    return draw
