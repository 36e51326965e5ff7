"""Read adjacency tables, and tables with a row for each user and a column for each item."""

from __future__ import annotations

import numpy as np

from nelayout.graphs.files.columns import Ends
from nelayout.graphs.files.delimited import Rows, is_missing, number
from nelayout.graphs.files.record import GraphFile, Source, count_of, from_edges
from nelayout.graphs.headings import ends_named
from nelayout.graphs.network import whole_matrix
from nelayout.graphs.to_floats import short_repr, whole

__all__ = ["incidence_graph", "is_number", "matrix_graph"]

# Maximum number of columns of an edge list without headings for the ends: two nodes, a weight and a time (KONECT).
MAX_UNNAMED_COLUMNS = 4


def is_number(cell: str) -> bool:
    """Return whether a cell holds a number and not a word for a missing value."""
    return number(cell) is not None and not is_missing(cell)


def matrix_graph(source: Source, top: list[tuple[int, list[str]]]) -> GraphFile | None:
    """Return the graph of an adjacency table, None for other tables."""
    cells = [row for _, row in top]
    head, body = cells[0], cells[1:]
    head = ["", *head] if body and len(head) + 1 == len(body[0]) else head
    n = len(head)
    if n < 3 or any(len(row) > n for row in body):
        return None
    across, down = head[1:], [row[0] for row in body]
    short = any(len(row) < n for row in body)
    if len(body) == n - 1 == len(set(across)) and set(across) == set(down) and not is_number(head[0]):
        grid = _grid([row[1:] + [""] * (n - len(row)) for row in body])
        if grid is None and not short:
            line, cell = next((line, cell) for line, row in top[1:] for cell in row[1:] if _grid([[cell]]) is None)
            what = f"{short_repr(cell)} is not a number, in an adjacency table (rows and columns have the same names)"
            raise source.broken(f"{what}; write a number, or nothing where there is no edge", line)
        if grid is None:
            return None
        labels, (A, missing) = down, grid
        A = A[:, [across.index(name) for name in down]]
    elif short:
        return None
    else:
        candidates = [([str(k) for k in range(n)], cells)] if len(cells[0]) == n else []
        candidates.append((head, body))
        if not is_number(head[0]):
            candidates.append(([row[0] for row in cells], [row[1:] for row in cells]))
        for labels, block in candidates:
            square = block and len(block) == len(block[0]) == len(set(labels)) > 2
            if square and (grid := _grid(block)):
                A, missing = grid
                signs = np.array_equal(A, A.T) + (not A.diagonal().any())
                if signs > (labels is head and any(map(is_number, head))):
                    break
        else:
            return None
    A, directed, one_side = whole_matrix(A)
    i, j = np.nonzero(A if directed else np.triu(A))
    kind = ", directed as it is not symmetric" if directed else ""
    notes = [f"the table is read as the adjacency matrix of {len(A)} nodes{kind}", *filter(None, [one_side])]
    if missing:
        notes.append(f"{count_of(missing, 'cell')} without a number count as no edge")
    weights = None if np.isin(A, (0, 1)).all() else A[i, j]
    return from_edges(whole(labels) or labels, i, j, weights, "edgelist", directed, notes=tuple(notes))


def incidence_graph(rows: Rows, top: list[tuple[int, list[str]]]) -> GraphFile | None:
    """Return the graph of a table with a row for a user and a column for an item, or None."""
    (_, across), width = top[0], rows.width
    named = ends_named(across) is not None or any(map(is_number, across[1:]))
    if named or width < 3 or (across[0] and width <= MAX_UNNAMED_COLUMNS):
        return None
    across = ["", *across] if len(across) < width else across
    body = [row for _, row in list(rows)[1:]]
    down, block = [row[0] for row in body], [row[1:] + [""] * (width - len(row)) for row in body]
    if len(set(down)) < len(down) or len(set(across[1:])) < width - 1 or (grid := _grid(block)) is None:
        return None
    A, missing = grid
    i, j = np.nonzero(A)
    labels, ends = [*down, *across[1:]], np.stack([i, j + len(down)])
    number = {name: k for k, name in enumerate(dict.fromkeys(labels))}
    of = np.array([number[name] for name in labels])
    nodes, known = Ends(list(number), of[ends], [across[0] or "row", "column"]).apart()
    notes = [f"the table is read as {len(down)} rows and {width - 1} columns, a node for each with an entry"]
    notes += [f"{count_of(missing, 'cell')} without a number count as no edge"] if missing else []
    weights = None if np.isin(A, (0, 1)).all() else A[i, j]
    i, j = nodes.ends
    return from_edges(nodes.labels, i, j, weights, "edgelist", node_data=known, notes=tuple(notes))


def _grid(rows: list[list[str]]) -> tuple[np.ndarray, int] | None:
    """Return cells as numbers and the count of missing cells (0); None if one is text."""
    cells = [{"true": "1", "false": "0", "-": "", ".": ""}.get(cell.lower(), cell) for row in rows for cell in row]
    values = [0.0 if is_missing(cell) else number(cell) for cell in cells]
    return None if None in values else (np.array(values).reshape(len(rows), -1), sum(map(is_missing, cells)))
