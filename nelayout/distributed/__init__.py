"""Graphs larger than one machine: edges in blocks on the workers of a Dask cluster.

>>> import nelayout as nl
>>> positions = nl.distributed.layout("edges/")  # doctest: +SKIP
"""

from nelayout.distributed.layout import Drawn, layout, solve

__all__ = ["Drawn", "layout", "solve"]
