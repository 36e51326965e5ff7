"""New cells in a finished map: `add_cells`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array, issparse

from nelayout.changing.sequence import add_nodes
from nelayout.core.catalogue.record import Method
from nelayout.core.similarities.entropic import calibrate
from nelayout.errors import InputError, InputTypeError, unknown
from nelayout.keywords.options import generator
from nelayout.keywords.signatures import checks_keywords
from nelayout.layouts.evaluating import evaluate
from nelayout.numerics.parallel import threads_for
from nelayout.vectors.cells import as_mapping, connectivities
from nelayout.vectors.input import REACH, count, read_positions, read_rows
from nelayout.vectors.neighbors import NeighborIndex

__all__ = ["add_cells"]

# Neighbors of scanpy.pp.neighbors, where its parameters are not stored.
NEIGHBORS = 15
# Cells of the map by which the projection is checked, and its largest error in standard deviations of a component.
CHECKED, TOLERANCE = 100, 0.02
# Difference from a whole number that scaling and single precision leave.
ROUNDING = 1e-3
# Keywords of `embed_cells` that change the objective; keywords of its method are part of the method's name.
OWN = ("mass", "smoothing", "emphasis")


@checks_keywords
def add_cells(
    adata: Any,
    new: Any,
    *,
    key: str | None = None,
    method: str | Method | None = None,
    use_rep: str | None = None,
    n_neighbors: int | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> None:
    """Place new cells in a finished map; store their positions and costs in `new`.

    Each new cell gets the nearest cells of `adata`, and of `new`, as neighbors. Then it goes where its own part of the
    objective is lowest. No cell of `adata` moves. Like ``scanpy.tl.ingest``, it projects `new` onto the principal
    components of `adata` if `new` has no components.

    Parameters
    ----------
    adata : AnnData
        with a map by `embed_cells` or of another program, after ``scanpy.pp.neighbors``. Not changed
    new : AnnData
        the new cells: with the same representation as `adata` in ``obsm``, or with the same variables. Their values
        have had the same treatment as ``adata.X``, such as ``normalize_total`` and ``log1p``; if ``scanpy.pp.scale``
        came last, its means and deviations in ``adata.var`` are applied
    key : default None
        the map in ``adata.obsm``; None: "X_nelayout"
    method : default None
        of the map, a name or a ``nelayout.Method``; None: as `embed_cells` stored
        it, and "ws-sne" for other maps
    use_rep : default None
        the representation in ``obsm``; None: the one that ``scanpy.pp.neighbors`` took, else "X_pca"
    n_neighbors : default None
        None: the number of ``scanpy.pp.neighbors``, else 15
    random_state : default 0
        int, Generator or RandomState
    n_jobs : default None
        threads; None: all cores
    progress : default False
        show a progress bar

    Returns
    -------
    None
        Written are ``new.obsm["X_nelayout"]`` (m, dim), in the units of the map; ``new.obs["nelayout_cost"]`` (m,);
        ``new.uns["nelayout"]``; and ``new.obsm["X_pca"]`` if it was projected. Other keys give other names, as in
        `embed_cells`. ``anndata.concat([adata, new])`` joins both

    Raises
    ------
    ValueError
        for objects that are not AnnData, a map or representation that is not there, missing variables (named), values
        that cannot have had the same treatment, and components that do not belong to ``adata.X``; both are then
        unchanged

    Examples
    --------
    >>> import numpy as np, nelayout as nl
    >>> from types import SimpleNamespace
    >>> X = np.random.default_rng(0).standard_normal((90, 5)) + 6 * (np.arange(90)[:, None] % 2)
    >>> graph = nl.entropic_affinity(X[:60], perplexity=8)
    >>> adata = SimpleNamespace(obs={}, obsm={"X_pca": X[:60]}, obsp={"connectivities": graph}, uns={})
    >>> new = SimpleNamespace(obs={}, obsm={"X_pca": X[60:]}, uns={})
    >>> nl.embed_cells(adata)
    >>> nl.add_cells(adata, new)
    >>> new.obsm["X_nelayout"].shape, len(new.obs["nelayout_cost"])
    ((30, 2), 30)
    """
    for name, each, parts in (("adata", adata, ("obsm", "obsp")), ("new", new, ("obsm",))):
        absent = [part for part in parts if not hasattr(each, part)]
        if absent:
            raise InputTypeError(f"{name} is a {type(each).__name__} without {' and '.join(absent)}, and no AnnData")
    if new is adata:
        raise InputError("new is adata itself, so that its map would be written over; give the new cells alone")
    name = key or "X_nelayout"
    if name not in adata.obsm:
        raise unknown("key of a map in adata.obsm", name, adata.obsm)
    stored = as_mapping(as_mapping(getattr(adata, "uns", None)).get(key or "nelayout"))
    params = as_mapping(stored.get("params"))
    own = {word: params[word] for word in OWN if word in params}
    graph = connectivities(adata, params.get("neighbors_key"))
    search = _search(adata, params.get("neighbors_key"))
    rep = use_rep or search.get("use_rep") or "X_pca"
    if rep not in adata.obsm:
        raise unknown("representation (use_rep) in adata.obsm", rep, adata.obsm)
    old = read_rows(_columns(adata.obsm[rep], search.get("n_pcs")))
    n = graph.shape[0]
    Y = read_positions(adata.obsm[name], n, np.shape(adata.obsm[name])[1], f"adata.obsm[{name!r}]")
    projected = None if rep in new.obsm else _projected(adata, new, rep)
    rows = read_rows(_columns(new.obsm[rep] if projected is None else projected, search.get("n_pcs")), least=1)
    if rows.shape[1] != old.shape[1]:
        raise InputError(
            f"new.obsm[{rep!r}] has {rows.shape[1]} columns and adata.obsm[{rep!r}] has {old.shape[1]}; give the same "
            "representation, or another one by use_rep; without it in new.obsm, the new cells are projected"
        )
    k = min(int(search.get("n_neighbors") or NEIGHBORS), n - 1)
    if n_neighbors is not None:
        k = count(n_neighbors, "n_neighbors", n - 1, f"the map has {n} cells")
    seed = None if random_state is None else generator(random_state, "random_state")
    A = _joined(graph, old, rows, k, str(search.get("metric") or "euclidean"), n_jobs)
    record: str | Method = method or params.get("method", "ws-sne")
    whole = add_nodes(A, Y, record, seed=seed, n_jobs=n_jobs, progress=progress, **own)
    cost = evaluate(A, whole, record, "given", **own).node_cost
    if projected is not None:
        new.obsm[rep] = projected
    new.obsm[name] = np.asarray(whole)[n:]
    if hasattr(new, "obs"):
        new.obs[f"{key or 'nelayout'}_cost"] = cost[n:]
    if hasattr(new, "uns"):
        said = {"method": getattr(record, "name", record), "added_to": n, "n_neighbors": k, "use_rep": rep, **own}
        new.uns[key or "nelayout"] = {"params": said}


def _search(adata: Any, key: str | None) -> dict[str, Any]:
    """Return the parameters of the neighbor search, as far as they are stored."""
    found = as_mapping(as_mapping(as_mapping(getattr(adata, "uns", None)).get(key or "neighbors")).get("params"))
    return {str(word): value for word, value in found.items()}


def _columns(table: Any, count: Any) -> Any:
    return table if count is None else table[:, : int(count)]


def _joined(graph: Any, old: Any, rows: Any, k: int, metric: str, n_jobs: int | None) -> csr_array:
    """Return the graph of old and new cells, (n + m, n + m).

    A new cell has k nearest neighbors among all cells.  Their entropic similarities share the weight of an average old
    cell.
    """
    from scipy.sparse import vstack

    n, m = old.shape[0], rows.shape[0]
    every = vstack([old, rows], format="csr") if issparse(old) else np.concatenate([old, rows])
    with threads_for(n_jobs) as threads:
        found = NeighborIndex(every, metric).nearest_from(rows, k + 1, threads)
        own = np.arange(n, n + m)[:, None]
        other = found.indices != own
        other[other.all(axis=1), -1] = False  # more equal cells than neighbors
        near, distances = found.indices[other].reshape(m, k), found.distances[other].reshape(m, k)
        share = calibrate(distances, max(1.0, min(k / REACH, k - 1)), threads)
    P = coo_array(graph)
    weight = float(P.sum()) / n
    ends = np.repeat(np.arange(n, n + m), k), near.ravel()
    more = csr_array((weight * share.ravel(), ends), shape=(n + m, n + m))
    whole = csr_array((P.data, (P.row, P.col)), shape=(n + m, n + m))
    return csr_array(whole + more.maximum(more.T))


def _projected(adata: Any, new: Any, rep: str) -> np.ndarray:
    """Return the new cells along the principal components of `adata`, (m, d)."""
    if rep != "X_pca":
        raise InputError(
            f"new.obsm has no {rep!r}, and only 'X_pca' can be computed from variables; compute it for the new cells "
            "by the model that made it"
        )
    loadings = getattr(adata, "varm", {}).get("PCs") if hasattr(adata, "varm") else None
    if loadings is None:
        raise InputError(
            "adata.varm has no 'PCs', and new.obsm has no 'X_pca'; run scanpy.pp.pca(adata), or give new cells with "
            "the same representation"
        )
    names, there = list(adata.var_names), {name: i for i, name in enumerate(new.var_names)}
    used = np.flatnonzero(np.any(np.asarray(loadings) != 0, axis=1))  # of highly variable genes, the others have zeros
    missing = [names[i] for i in used if names[i] not in there]
    if missing:
        few = ", ".join(map(repr, missing[:3]))
        raise InputError(
            f"new lacks {len(missing):,} of the {len(used):,} variables of the map, such as {few}; give new cells with "
            "all of them, under the same names"
        )
    count = adata.X.shape[0]
    some = np.linspace(0, count - 1, min(CHECKED, count)).astype(int)
    X = _dense(adata.X[some], used)
    Z = _dense(new.X, np.array([there[names[i]] for i in used]))
    Z = _treated(adata, X, Z, used)
    held = np.asarray(adata.obsm[rep], dtype=float)
    directions = np.asarray(loadings, dtype=float)[used, : held.shape[1]]
    mean = np.asarray(adata.X.mean(axis=0), dtype=float).ravel()[used] if _centered(adata) else np.zeros(len(used))
    off = np.abs((X - mean) @ directions - held[some]).max(axis=0)
    if (off > TOLERANCE * held.std(axis=0)).any():
        raise InputError(
            "adata.X does not give adata.obsm['X_pca'] along adata.varm['PCs'], so that new cells cannot be projected; "
            "restore the X that the components were computed from, or give new cells with 'X_pca'"
        )
    return (Z - mean) @ directions


def _centered(adata: Any) -> bool:
    found = as_mapping(as_mapping(as_mapping(getattr(adata, "uns", None)).get("pca")).get("params"))
    return bool(found.get("zero_center", True))


def _dense(X: Any, columns: np.ndarray) -> np.ndarray:
    part = X[:, columns]
    return np.asarray(part.toarray() if issparse(part) else part, dtype=float)


def _treated(adata: Any, X: np.ndarray, Z: np.ndarray, used: np.ndarray) -> np.ndarray:
    """Return new values scaled as the old ones; `InputError` for another treatment.

    ``X``: (c, g) some of the old values.  ``Z``: (m, g) new ones.
    """
    if not np.isfinite(Z).all():
        raise InputError("new.X must have finite values; it has NaN or infinite ones")
    scaled = bool((X < 0).any()) and not (Z < 0).any()
    mean, deviation, top = np.zeros(len(used)), np.ones(len(used)), np.inf
    if scaled:
        var = getattr(adata, "var", {})
        if "mean" not in var or "std" not in var:
            raise InputError(
                "adata.X was scaled to mean 0, and new.X was not; give new cells that are scaled by the same means and "
                "deviations, or with 'X_pca'"
            )
        mean, deviation = (np.asarray(var[word], dtype=float)[used] for word in ("mean", "std"))
        deviation, top = np.where(deviation > 0, deviation, 1.0), float(adata.X.max())
    before = (X * deviation + mean)[top > X]  # scanpy.pp.scale cuts off at a largest value
    if (Z % 1 == 0).all() and (np.abs(before - np.round(before)) > ROUNDING).any():
        raise InputError(
            "new.X has whole numbers, such as raw counts, and adata.X has not; treat the new cells as the old ones, "
            "such as by scanpy.pp.normalize_total and scanpy.pp.log1p"
        )
    return np.minimum((Z - mean) / deviation, top) if scaled else Z
