"""The plan of an embedding: the search for neighbors, then the drawing of their graph."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from nelayout.core.catalogue.record import Method
from nelayout.core.passes.facts import Facts
from nelayout.core.run.forecast import Outline, Plan, PlannedPass, plan_of_outline
from nelayout.layouts.call import Call
from nelayout.numerics.parallel import thread_count
from nelayout.vectors.embedding import SEARCH_BYTES, UNION, default_weights, has_tail
from nelayout.vectors.input import support
from nelayout.vectors.neighbors import search_seconds

__all__ = ["plan_of_rows"]

# Part of a second core's time that a search for neighbors uses.
SECOND_CORE = 0.8
# Bytes of a number in a table that is searched: the rows, and a copy with distances.
SEARCHED_BYTES = 8


def plan_of_rows(rows: int, columns: int, call: Call, options: Mapping[str, Any]) -> Plan:
    """Return the plan of `embed` for a table; ``options``: its perplexity, if any."""
    method: Method = call.method
    perplexity, k = options.get("perplexity"), None
    if perplexity is None:
        k, perplexity = default_weights(method, rows, rows - 1)
    near = support(k, perplexity, rows, rows - 1)
    entries = min(round(UNION * rows * near), rows * (rows - 1))
    known = Facts(rows, entries, row_distances=has_tail(method) and not method.emphasis)
    settings = call.settings
    outline = Outline.of_sizes(rows, max(entries, 2 * (rows - 1)), method, settings, None, False, known)
    found = plan_of_outline(outline, method, settings)
    threads = min(thread_count(settings.n_jobs), 4)
    seconds = search_seconds(rows, columns) / (1.0 + SECOND_CORE * (threads - 1))
    held = math.ceil(SEARCH_BYTES * rows * near + SEARCHED_BYTES * rows * columns)
    search = PlannedPass("nearest neighbors", 1, rows, 0, f"{near} of each row are neighbors", seconds, held)
    peak = max(found.bytes, held)
    return replace(found, passes=(search, *found.passes), seconds=found.seconds + seconds, bytes=peak)
