"""Single cells: embed the neighbor graph of an object with ``obsp`` and ``obsm``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.sparse import issparse

from nelayout.core.catalogue.record import Method
from nelayout.errors import InputError, InputTypeError, unknown
from nelayout.keywords.options import generator
from nelayout.keywords.signatures import checks_keywords
from nelayout.layouts.solving import solve
from nelayout.vectors.embedding import check_dimensions
from nelayout.vectors.input import read_positions

__all__ = ["as_mapping", "connectivities", "embed_cells"]

# Key in the ``uns`` entry of a neighbor search with the name of its graph in ``obsp``.
GRAPH_KEY = "connectivities_key"


@checks_keywords
def embed_cells(
    adata: Any,
    method: str | Method = "ws-sne",
    *,
    n_components: int = 2,
    neighbors_key: str | None = None,
    key_added: str | None = None,
    init_pos: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    max_iter: int | None = None,
    time_limit: float | None = None,
    tol: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: bool = False,
    **own: Any,
) -> None:
    """Draw the neighbor graph in `adata`, like ``scanpy.tl.umap``, and store the result there.

    ``scanpy.pp.neighbors`` made the graph and its weights. Components are drawn separately and packed side by side.

    Parameters
    ----------
    adata : AnnData
        of n cells, after ``scanpy.pp.neighbors``; or any object with the same ``obsp`` and ``obsm``, and perhaps
        ``obs`` and ``uns``
    method : default "ws-sne"
        a name (``nelayout.methods()`` lists them; "nerv:0.3" carries a number) or a ``nelayout.Method``
    n_components : default 2
        columns of the embedding: 1, 2 or 3
    neighbors_key : default None
        the ``key_added`` of ``scanpy.pp.neighbors``; None: "neighbors", or ``obsp["connectivities"]`` if ``uns`` has no
        such entry
    key_added : default None
        the name of the embedding in ``obsm``; ``uns`` gets the parameters, the value and the notes under this name;
        None: "X_nelayout" and "nelayout"
    init_pos : default None
        initial positions: a name in ``obsm``, such as "X_umap", with its first columns, or an (n, n_components) array
    random_state : default 0
        int, Generator or RandomState; the same seed gives the same bits; None: a different drawing each time
    n_jobs : default None
        threads; None: all cores
    max_iter : default None
        maximum iterations of the method's last stage; None: the method's own
    time_limit : default None
        seconds, > 0: nelayout takes a plan that fits, and at the limit the best drawing so far
    tol : default None
        as in `nelayout.solve`
    checkpoint, resume : default None and False
        file for the state of the run, and whether to go on from it, as in `nelayout.solve`
    progress : default False
        show a progress bar
    own : none
        keywords of the method, and ``mass``, ``smoothing`` or ``emphasis``

    Returns
    -------
    None
        Written are ``obsm["X_nelayout"]`` (n, n_components), in the method's own units; ``obs["nelayout_cost"]`` (n,),
        the ``node_cost`` of the `nelayout.Solution`; and ``uns["nelayout"]``, a dict that h5ad files can hold

    Raises
    ------
    ValueError
        for an object that is not AnnData or has no neighbors, an unknown ``neighbors_key`` or ``init_pos``, and for
        what `nelayout.solve` refuses; `adata` is then unchanged

    Examples
    --------
    >>> import numpy as np, nelayout as nl
    >>> from types import SimpleNamespace
    >>> graph = nl.knn_graph(np.random.default_rng(0).standard_normal((60, 5)), n_neighbors=8)
    >>> adata = SimpleNamespace(obs={}, obsm={}, obsp={"connectivities": graph}, uns={})
    >>> nl.embed_cells(adata)
    >>> adata.obsm["X_nelayout"].shape, adata.uns["nelayout"]["params"]["method"]
    ((60, 2), 'ws-sne')
    """
    absent = [part for part in ("obsm", "obsp") if not hasattr(adata, part)]
    if absent:
        raise InputTypeError(
            f"adata is a {type(adata).__name__} without {' and '.join(absent)}, and no AnnData; a matrix is drawn by a "
            "layout function, e.g. nelayout.ws_sne_layout, and vectors by nelayout.embed"
        )
    if key_added is not None and not (isinstance(key_added, str) and key_added):
        raise InputTypeError(f"key_added must be a name or None; got {key_added!r}")
    check_dimensions(n_components)
    graph = connectivities(adata, neighbors_key)
    called, start = "init_pos", init_pos
    if isinstance(init_pos, str):
        if init_pos not in adata.obsm:
            raise unknown("init_pos", init_pos, adata.obsm)
        called, start = f"init_pos {init_pos!r}", np.asarray(adata.obsm[init_pos])[:, : int(n_components)]
    if start is not None:
        start = read_positions(start, graph.shape[0], int(n_components), called)
    seed = None if random_state is None else generator(random_state, "random_state")
    run = {"max_iter": max_iter, "time_limit": time_limit, "tol": tol, **own}
    how = {"dim": n_components, "n_jobs": n_jobs, "progress": progress, **run}
    how |= {"checkpoint": checkpoint, "resume": resume}
    solution = solve(graph, method, start, scale=None, seed=seed, **how)
    name = key_added or "nelayout"
    adata.obsm[key_added or "X_nelayout"] = np.asarray(solution.positions)
    if hasattr(adata, "obs"):
        adata.obs[f"{name}_cost"] = solution.node_cost
    if hasattr(adata, "uns"):
        asked = {"method": solution.method, "n_components": n_components, "neighbors_key": neighbors_key}
        asked |= {"random_state": random_state, **run, "init_pos": init_pos if isinstance(init_pos, str) else None}
        # h5ad files can hold numbers and texts.
        adata.uns[name] = {
            "params": {
                keyword: value if isinstance(value, (bool, int, float, str)) else str(value)
                for keyword, value in asked.items()
                if value is not None
            },
            "value": float(solution.value),
            "connection": float(solution.connection),
            "reason": solution.reason,
            "steps": len(solution.trace),
            "seconds": float(solution.seconds),
            "notes": "; ".join(solution.notes),
        }


def connectivities(adata: Any, key: str | None) -> Any:
    """Return the graph of the cells, (n, n), without stored zeros of a neighbor search."""
    uns = as_mapping(getattr(adata, "uns", None))
    if key is not None and key not in uns:
        searches = [name for name, held in uns.items() if name == "neighbors" or GRAPH_KEY in as_mapping(held)]
        raise unknown("neighbors_key", key, searches)
    name = as_mapping(uns.get(key or "neighbors")).get(GRAPH_KEY, "connectivities")
    if name not in adata.obsp:
        held = ", ".join(map(repr, adata.obsp))
        raise InputError(
            f"adata.obsp has no {name!r}{f', only {held}' if held else ''}; run scanpy.pp.neighbors(adata) first, or "
            "give its key_added as neighbors_key"
        )
    graph = adata.obsp[name]
    if issparse(graph):
        graph = graph.copy()
        graph.eliminate_zeros()
    return graph


def as_mapping(held: Any) -> Mapping[str, Any]:
    """Return what is held, or {} for what is no mapping."""
    return held if isinstance(held, Mapping) else {}
