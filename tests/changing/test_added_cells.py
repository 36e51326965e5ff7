"""nl.add_cells: places new cells in a finished map, by a representation or by its principal components."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import nelayout as nl

RNG = np.random.default_rng(0)
OLD, NEW, GENES = 120, 40, 30
KIND = np.arange(OLD + NEW) % 3
MEANS = RNG.uniform(0.2, 2.0, size=(3, GENES))
VALUES = np.log1p(MEANS[KIND] * RNG.lognormal(0, 0.2, size=(OLD + NEW, GENES)))
NAMES = [f"gene {k}" for k in range(GENES)]


def cells(X: Any, **parts: Any) -> Any:
    usual = {"var_names": NAMES, "obs": {}, "obsm": {}, "obsp": {}, "uns": {}, "varm": {}, "var": {}}
    return SimpleNamespace(X=X, **(usual | parts))


def pair(treat=lambda X: X, sparse=False, key=None, method="ws-sne", **own) -> tuple[Any, Any]:
    """A map of old cells, and new cells without a representation."""
    X = treat(VALUES[:OLD])
    mean = X.mean(axis=0)
    directions = np.linalg.svd(X - mean, full_matrices=False)[2][:5].T
    scores = (X - mean) @ directions
    stored, new = (sp.csr_matrix(X), sp.csr_matrix(VALUES[OLD:])) if sparse else (X, VALUES[OLD:])
    adata = cells(stored, obsm={"X_pca": scores}, varm={"PCs": directions})
    adata.obsp["connectivities"] = nl.entropic_affinity(scores, perplexity=8)
    adata.uns["neighbors"] = {"params": {"n_neighbors": 12, "metric": "euclidean"}}
    nl.embed_cells(adata, method, key_added=key, **own)
    return adata, cells(new)


def share_of_own_kind(adata: Any, new: Any, name: str = "X_nelayout") -> float:
    apart = np.linalg.norm(new.obsm[name][:, None] - adata.obsm[name], axis=2)
    near = np.argsort(apart, axis=1)[:, :5]
    return float((KIND[:OLD][near] == KIND[OLD:, None]).mean())


@pytest.mark.parametrize("sparse", [False, True])
def test_new_cells_lie_among_cells_of_their_kind_and_no_old_one_moves(sparse):
    adata, new = pair(sparse=sparse)
    before = {name: np.array(value) for name, value in adata.obsm.items()}, dict(adata.uns), adata.obsp.copy()
    assert nl.add_cells(adata, new) is None
    assert share_of_own_kind(adata, new) > 0.95
    assert all((adata.obsm[name] == value).all() for name, value in before[0].items())
    assert (adata.uns, adata.obsp) == before[1:]
    assert set(adata.obs) == {"nelayout_cost"}
    assert new.obs["nelayout_cost"].shape == (NEW,)
    assert new.uns["nelayout"]["params"] == {
        "method": "ws-sne", "added_to": OLD, "n_neighbors": 12, "use_rep": "X_pca",
    }  # fmt: skip
    assert np.allclose(new.obsm["X_pca"], (VALUES[OLD:] - VALUES[:OLD].mean(axis=0)) @ adata.varm["PCs"])


def test_a_given_representation_is_taken_and_gives_the_same():
    adata, new = pair()
    nl.add_cells(adata, new)
    given = cells(np.full((NEW, GENES), np.nan), obsm={"X_pca": new.obsm["X_pca"]})  # its X is not read
    nl.add_cells(adata, given)
    assert given.obsm["X_nelayout"].tolist() == new.obsm["X_nelayout"].tolist()
    assert given.obs["nelayout_cost"].tolist() == new.obs["nelayout_cost"].tolist()


def test_an_old_cell_as_new_lies_where_it_lies():
    adata, _ = pair()
    again = cells(VALUES[:9])
    nl.add_cells(adata, again)
    apart = np.linalg.norm(again.obsm["X_nelayout"] - adata.obsm["X_nelayout"][:9], axis=1)
    assert np.median(apart) < 0.1 * np.ptp(adata.obsm["X_nelayout"], axis=0).max()


def test_genes_in_another_order_and_more_genes():
    adata, new = pair()
    nl.add_cells(adata, new)
    order = np.random.default_rng(1).permutation(GENES)
    wide = np.concatenate([VALUES[OLD:][:, order], np.ones((NEW, 2))], axis=1)
    other = cells(wide, var_names=[*(NAMES[k] for k in order), "more", "most"])
    nl.add_cells(adata, other)
    assert np.allclose(other.obsm["X_nelayout"], new.obsm["X_nelayout"])


def test_scaled_values_are_scaled_alike():
    mean, deviation = VALUES[:OLD].mean(axis=0), VALUES[:OLD].std(axis=0)
    adata, new = pair(lambda X: np.minimum((X - mean) / deviation, 2.5))
    with pytest.raises(nl.InputError, match="was scaled to mean 0"):
        nl.add_cells(adata, new)
    adata.var = {"mean": mean, "std": deviation}
    nl.add_cells(adata, new)
    assert share_of_own_kind(adata, new) > 0.95
    with pytest.raises(nl.InputError, match="raw counts"):
        nl.add_cells(adata, cells(np.ones((NEW, GENES))))


def test_keywords_of_the_method_and_names_come_from_the_map():
    adata, new = pair(key="X_own", method="nerv", kappa=0.2)
    nl.add_cells(adata, new, key="X_own")
    assert set(new.obsm) == {"X_pca", "X_own"}
    assert set(new.obs) == {"X_own_cost"}
    assert new.uns["X_own"]["params"]["method"] == "nerv:0.2"
    adata.obsm["X_umap"] = adata.obsm["X_own"]
    nl.add_cells(adata, new, key="X_umap", method="t-sne", n_neighbors=7)
    assert new.uns["X_umap"]["params"]["method"] == "t-sne"
    assert share_of_own_kind(adata, new, "X_umap") > 0.9


def test_masses_and_stress_of_the_map_are_those_of_new_cells():
    adata, new = pair(mass="degree", emphasis=0.3)
    nl.add_cells(adata, new)
    said = new.uns["nelayout"]["params"]
    assert (said["mass"], said["emphasis"]) == ("degree", 0.3)
    assert share_of_own_kind(adata, new) > 0.9


def test_a_new_kind_of_cells_stays_together():
    adata, _ = pair()
    rows = np.concatenate([adata.obsm["X_pca"][:5], adata.obsm["X_pca"][:1] + 40 + RNG.normal(size=(30, 5))])
    new = cells(None, obsm={"X_pca": rows})
    nl.add_cells(adata, new)
    Y = np.concatenate([adata.obsm["X_nelayout"], new.obsm["X_nelayout"]])
    apart = np.linalg.norm(Y[OLD + 5 :, None] - Y, axis=2)
    near = np.argsort(apart, axis=1)[:, 1:6]
    assert (near >= OLD + 5).mean() > 0.8


def changed(name: str, **parts: Any) -> tuple[Any, Any]:
    adata, new = pair()
    for part, value in parts.items():
        setattr(adata if name == "adata" else new, part, value)
    return adata, new


WRONG = [
    (("new", {"var_names": ["x", *NAMES[1:]]}), {}, "lacks 1 of the 30 variables"),
    (("adata", {"varm": {}}), {}, "no 'PCs'"),
    (("adata", {"X": VALUES[:OLD] ** 2}), {}, "does not give"),
    (("new", {"X": np.full((NEW, GENES), np.inf)}), {}, "finite"),
    (("new", {"X": np.ones((NEW, GENES))}), {}, "raw counts"),
    (("new", {"obsm": {"X_pca": np.ones((NEW, 3))}}), {}, "3 columns"),
    (("new", {}), {"key": "X_umap"}, "X_umap"),
    (("new", {}), {"use_rep": "X_scvi"}, "X_scvi"),
    (("new", {}), {"method": "tsnee"}, "tsne"),
    (("new", {}), {"n_neighbors": -1}, "n_neighbors"),
    (("new", {}), {"n_neighbors": 0}, "n_neighbors must be from 1 to 119"),
    (("new", {}), {"n_neighbors": OLD}, "the map has 120 cells"),
    (("new", {}), {"n_neighbors": 2.5}, "an integer >= 1; got 2.5"),
]


@pytest.mark.parametrize(("parts", "keywords", "words"), WRONG)
def test_bad_input_changes_nothing(parts, keywords, words):
    adata, new = changed(parts[0], **parts[1])
    before = dict(new.obsm)
    with pytest.raises(nl.InputError, match=words):
        nl.add_cells(adata, new, **keywords)
    assert (new.obsm, new.obs, new.uns) == (before, {}, {})


def test_objects_of_other_kinds():
    adata, new = pair()
    with pytest.raises(nl.InputTypeError, match="new is a ndarray"):
        nl.add_cells(adata, VALUES)
    with pytest.raises(nl.InputTypeError, match="adata is a ndarray"):
        nl.add_cells(VALUES, new)
    held = adata.obsm["X_nelayout"].copy()
    with pytest.raises(nl.InputError, match="new is adata itself"):
        nl.add_cells(adata, adata)
    assert np.array_equal(adata.obsm["X_nelayout"], held)
