"""`compare_vectors`: what it says of embeddings is what `measure_vectors` says, whoever made them."""

import math

import numpy as np
import pytest

import nelayout as nl
from nelayout.errors import InputError

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(size=(30, 4)), RNG.normal(size=(30, 4)) + np.array([3.0, 0, 0, 0])])
CLASSES = ["a"] * 30 + ["b"] * 30
RANDOM = RNG.normal(size=(60, 2))


def test_measures_are_those_of_measure_vectors():
    found = nl.compare_vectors(X, {"axes": X[:, :2], "random": RANDOM, "pca": "sklearn:pca"}, CLASSES)
    for name, Y in {"axes": X[:, :2], "random": RANDOM}.items():
        assert found.measured[name] == nl.measure_vectors(X, Y, CLASSES)
    centered = X - X.mean(axis=0)
    axes = np.linalg.svd(centered, full_matrices=False)[2][:2]
    expected = nl.measure_vectors(X, centered @ axes.T, CLASSES)
    for name, m in expected.items():
        assert found.measured["pca"][name].value == pytest.approx(m.value, abs=1e-9)
    assert found.labels == CLASSES
    assert found.G is None
    assert found.dominated["random"][0] == "axes"
    assert set(found.seconds) == {"pca"}
    figure = found.plot()
    assert [ax.get_title() for ax in figure.axes[:3]] == ["axes", "random", "pca"]


@pytest.mark.full
def test_methods_embed_and_functions_get_the_vectors():
    def first(X, seed):
        return np.random.default_rng(seed).normal(size=(len(X), 2))

    found = nl.compare_vectors(X, ["tsne", first], measures=["trustworthiness"], seeds=2, metric="cosine")
    values = [
        nl.measure_vectors(X, nl.embed(X, method="tsne", metric="cosine", random_state=seed), metric="cosine")
        for seed in (0, 1)
    ]
    assert [run["trustworthiness"] for run in found.runs["tsne"]] == [each["trustworthiness"] for each in values]
    spread = found.spread.loc["first", "trustworthiness"]
    by_hand = [nl.measure_vectors(X, first(X, seed), metric="cosine")["trustworthiness"].value for seed in (0, 1)]
    assert spread == pytest.approx(np.std(by_hand, ddof=1))
    assert found.dominated == {"first": ["tsne"]}


@pytest.mark.parametrize(
    ("drawings", "keywords", "said"),
    [
        ([X[:59, :2]], {}, "the drawing 'given' has 59 entries and X has 60 rows"),
        ([np.where(X[:, :2] == X[3, 0], math.nan, X[:, :2])], {}, r"the drawing 'given' must .*nan, .* for row 3\."),
        (["opntsne"], {}, "unknown method or peer 'opntsne': did you mean 'opentsne'"),
        (["tsne"], {"measures": "trust"}, "unknown measure 'trust'"),
        (["tsne"], {"labels": CLASSES[1:]}, "labels has 59 entries"),
        ([], {}, "at least one drawing"),
    ],
)
def test_bad_input(drawings, keywords, said):
    with pytest.raises(InputError, match=said):
        nl.compare_vectors(X, drawings, **keywords)
