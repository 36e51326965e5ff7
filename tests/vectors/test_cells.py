"""nl.embed_cells: reads the graph of an AnnData-like object, writes what nl.solve gives, changes nothing else."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import nelayout as nl

X = np.random.default_rng(0).standard_normal((80, 5)) + 4 * (np.arange(80)[:, None] % 2)
NEAR, WIDE = nl.entropic_affinity(X, perplexity=6), nl.knn_graph(X, n_neighbors=12)


def cells(**uns: Any) -> Any:
    """A stand-in for AnnData after two neighbor searches."""
    places = np.c_[X[:, :2], np.zeros(80)]
    return SimpleNamespace(
        obs={"kind": np.arange(80) % 2},
        obsm={"X_pca": places, "X_flat": X[:, :1]},
        obsp={"connectivities": NEAR, "wide_connectivities": WIDE, "distances": NEAR},
        uns={"wide": {"connectivities_key": "wide_connectivities"}, "colors": ["red"], **uns},
    )


def places(adata: Any, name: str = "X_nelayout") -> list:
    return adata.obsm[name].tolist()


def solved(graph: Any, *given: Any, seed: int = 0, **keywords: Any) -> nl.Solution:
    return nl.solve(graph, *(given or ("ws-sne",)), seed=seed, scale=None, **keywords)


def test_the_drawing_and_its_evidence_are_those_of_solve():
    adata, solution = cells(), solved(NEAR)
    assert nl.embed_cells(adata) is None
    assert places(adata) == solution.positions.tolist()
    assert adata.obs["nelayout_cost"].tolist() == solution.node_cost.tolist()
    found = adata.uns["nelayout"]
    assert found["params"] == {"method": "ws-sne", "n_components": 2, "random_state": 0}
    told = solution.value, solution.connection, solution.reason, len(solution.trace)
    assert tuple(found[word] for word in ("value", "connection", "reason", "steps")) == told
    assert set(adata.obs) == {"kind", "nelayout_cost"}
    assert set(adata.obsm) == {"X_pca", "X_flat", "X_nelayout"}
    assert set(adata.uns) == {"wide", "colors", "nelayout"}
    assert adata.obsp["connectivities"] is NEAR


def test_stored_zeros_are_no_edges_and_no_note():
    """Neighbor searches of scanpy store some; the graph of the object keeps them."""
    adata, stored = cells(), NEAR.copy()
    stored.data[:5] = 0.0
    adata.obsp["connectivities"] = stored
    nl.embed_cells(adata)
    assert adata.uns["nelayout"]["notes"] == ""
    apart = stored.copy()
    apart.eliminate_zeros()
    assert places(adata) == solved(apart).positions.tolist()
    assert stored.nnz == apart.nnz + 5


@pytest.mark.full
def test_keywords_are_those_of_the_method_and_of_scanpy():
    adata = cells(neighbors={"connectivities_key": "wide_connectivities", "params": {"n_neighbors": 12}})
    nl.embed_cells(adata, max_iter=5)
    assert places(adata) == solved(WIDE, max_iter=5).positions.tolist()
    nl.embed_cells(adata, "nerv", neighbors_key="wide", key_added="nerv", kappa=0.2, n_components=1, random_state=3)
    assert places(adata, "nerv") == solved(WIDE, "nerv", kappa=0.2, dim=1, seed=3).positions.tolist()
    params = {"method": "nerv:0.2", "n_components": 1, "neighbors_key": "wide", "random_state": 3, "kappa": 0.2}
    assert adata.uns["nerv"]["params"] == params
    assert len(adata.obs["nerv_cost"]) == 80
    nl.embed_cells(adata, "gamma-quadlog", mass="degree", smoothing=0.1, tol=1e-3)
    expected = solved(WIDE, "gamma-quadlog", mass="degree", smoothing=0.1, tol=1e-3)
    assert places(adata) == expected.positions.tolist()


def test_a_start_is_an_embedding_that_is_there_or_an_array():
    adata = cells()
    start = X[:, :2].copy()
    nl.embed_cells(adata, init_pos="X_pca", max_iter=3)
    assert places(adata) == solved(NEAR, "ws-sne", start, max_iter=3).positions.tolist()
    nl.embed_cells(adata, init_pos=start, max_iter=3, key_added="again")
    assert places(adata, "again") == places(adata)
    assert adata.uns["nelayout"]["params"]["init_pos"] == "X_pca"
    assert start.tolist() == X[:, :2].tolist()


@pytest.mark.full
def test_evidence_is_numbers_and_texts():
    adata = cells()
    nl.embed_cells(adata, kernel=nl.kernels.KERNELS["cauchy"], random_state=np.random.default_rng(0))
    flat = {**adata.uns["nelayout"], **adata.uns["nelayout"]["params"]}
    assert {type(value) for name, value in flat.items() if name != "params"} <= {int, float, str}
    apart = sp.block_diag([NEAR, NEAR], format="csr")
    adata = SimpleNamespace(obs={}, obsm={}, obsp={"connectivities": apart}, uns={})
    nl.embed_cells(adata)
    assert np.isfinite(adata.obsm["X_nelayout"]).all()


NOWHERE = X[:, :2].copy()
NOWHERE[7] = np.nan
WRONG = {
    "neighbors": ({"neighbors_key": "wode"}, "unknown neighbors_key 'wode': did you mean 'wide'"),
    "start": ({"init_pos": "X_pce"}, "unknown init_pos 'X_pce': did you mean 'X_pca'"),
    "flat start": ({"init_pos": "X_flat"}, r"init_pos 'X_flat' must be \(80, 2\) numbers; got \(80, 1\)"),
    "short start": ({"init_pos": X[:9, :2]}, r"init_pos must be \(80, 2\) numbers; got \(9, 2\)"),
    "start without a place": ({"init_pos": NOWHERE}, "init_pos holds NaN or infinity in row 7"),
    "dimensions": ({"n_components": 7}, "n_components must be 1, 2 or 3; got 7"),
    "seed": ({"random_state": -1}, "random_state must be None, an integer >= 0"),
    "usual neighbors": (
        {"neighbors_key": "neighbours"},
        "unknown neighbors_key 'neighbours': did you mean 'neighbors'",
    ),
    "key": ({"key_added": 3}, "key_added must be a name or None; got 3"),
    "word": ({"seed": 3}, "embed_cells has no keyword 'seed': here it is called 'random_state'"),
    "parameter": ({"kappa": 0.3}, "kappa"),
}


@pytest.mark.parametrize("case", WRONG)
def test_errors_name_the_keyword_and_change_nothing(case):
    keywords, message = WRONG[case]
    adata = cells(neighbors={"params": {}})
    with pytest.raises((ValueError, TypeError), match=message):
        nl.embed_cells(adata, **keywords)
    known = {"kind", "X_pca", "X_flat", "wide", "colors", "neighbors"}
    assert set(adata.obs) | set(adata.obsm) | set(adata.uns) == known


def test_cells_without_neighbors_and_other_things_are_told_what_to_do():
    adata = cells()
    del adata.obsp["connectivities"]
    with pytest.raises(ValueError, match=r"no 'connectivities', only .*; run scanpy.pp.neighbors\(adata\) first"):
        nl.embed_cells(adata)
    with pytest.raises(TypeError, match="is a csr_array without obsm and obsp, and no AnnData"):
        nl.embed_cells(NEAR)


class Closed:
    """A stand-in for AnnData that fails where NumPy reads it entry by entry."""

    def __init__(self) -> None:
        self.obs, self.obsm, self.obsp, self.uns = {}, {"X_pca": X}, {"connectivities": NEAR}, {}

    def __len__(self) -> int:
        return 3

    def __getitem__(self, _: Any) -> Any:
        raise AssertionError("read entry by entry")


ROWS = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
VECTORS = {
    **{name: getattr(nl, name) for name in ("embed", "solve_vectors", "knn_graph", "entropic_affinity", "layout")},
    "fit": lambda X: nl.NeighborEmbedding().fit(X),
    "fit_transform": lambda X: nl.NeighborEmbedding().fit_transform(X),
    "transform": lambda X: nl.NeighborEmbedding(n_neighbors=1, random_state=0).fit(ROWS).transform(X),
    "compare_vectors": lambda X: nl.compare_vectors(X, ["ws-sne"]),
    "measure_vectors": lambda X: nl.measure_vectors(X, ROWS),
    "rank_curves_vectors": lambda X: nl.rank_curves_vectors(X, ROWS),
    "compare": lambda X: nl.compare(X, ["ws-sne"]),
}
POSITIONS = {
    "plot": nl.plot,
    "draw": lambda pos: nl.draw(None, pos),
    "explore": lambda pos: nl.explore(None, pos),
    "pos": lambda pos: nl.layout(NEAR, pos=pos),
    "measure": lambda pos: nl.measure_vectors(X, pos),
    "align": lambda pos: nl.align(pos, to=ROWS),
    "stability": lambda pos: nl.stability([pos, pos]),
}


@pytest.mark.parametrize("door", VECTORS)
def test_cells_in_place_of_vectors_are_refused_unread(door):
    with pytest.raises(TypeError, match=r"nelayout\.embed_cells"):
        VECTORS[door](Closed())


@pytest.mark.parametrize("door", POSITIONS)
def test_cells_in_place_of_positions_are_refused_unread(door):
    with pytest.raises(TypeError, match=r"positions must be .*; got Closed. Pass a part of obsm"):
        POSITIONS[door](Closed())


def test_an_object_with_a_graph_and_places_for_drawings_is_enough():
    whole, bare = cells(), SimpleNamespace(obsp={"connectivities": cells().obsp["connectivities"]}, obsm={})
    for adata in (whole, bare):
        nl.embed_cells(adata)
    assert np.array_equal(bare.obsm["X_nelayout"], whole.obsm["X_nelayout"])
    assert vars(bare).keys() == {"obsp", "obsm"}
