"""The page of a film: one drawing with a slider over its snapshots and a button to play them."""

from __future__ import annotations

import numpy as np

from nelayout.changing.union import Union
from nelayout.pictures.pages import Column, Drawn, Frames, Page, shortened

__all__ = ["film_page"]


def film_page(union: Union, method: str, title: str) -> Page:
    """The page of a sequence; nodes are colored by the snapshot that they came with, while it is one of several."""
    T, n = len(union.Y), len(union.labels)
    there = ~np.isnan(union.Y[..., 0])
    came = there.argmax(axis=0)
    last = T - 1 - there[::-1].argmax(axis=0)
    frames = Frames([f"snapshot {t + 1}" for t in range(T)], union.Y, union.edges)
    known = [Column("degree at the end", np.bincount(union.ends[union.edges[-1]].ravel(), minlength=n), amount=True)]
    if T > 1:
        known.insert(0, Column("came with snapshot", came + 1, amount=True))
    return Page(
        [shortened(label) for label in union.labels],
        (union.ends[:, 0], union.ends[:, 1]),
        None,
        [Drawn(method, frames.fitted()[last, np.arange(n)])],
        known,
        known[0].name,
        title,
        frames=frames,
    )
