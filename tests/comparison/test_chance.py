"""Tests of differences: each statistic by its definition, by published numbers, and by what chance does to it."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from nelayout.comparison import Measured, compare
from nelayout.comparison.chance import (
    LEVEL,
    critical_difference,
    friedman,
    holm,
    rank_sum,
    seeds_needed,
    signed_rank,
)
from nelayout.comparison.ranking import differences, leaders, mean_of

# Table 6 of Demsar 2006: areas under the curve of C4.5 with four settings on 14 data sets.
DEMSAR = np.array([
    [0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967],
    [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
    [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
    [1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.9751, 0.975], [0.957, 0.978, 0.946, 0.970],
])  # fmt: skip


def by_all_splits(a, b):
    """The definition: of all ways to take len(a) of the values, twice the part with a rank sum as extreme."""
    ranks = stats.rankdata([*a, *b])
    sums = np.array([sum(some) for some in itertools.combinations(ranks, len(a))])
    drawn = ranks[: len(a)].sum()
    return min(1.0, 2 * min((sums <= drawn + 1e-9).mean(), (sums >= drawn - 1e-9).mean()))


def test_rank_sum_counts_all_splits():
    rng = np.random.default_rng(0)
    for _ in range(60):
        a, b = (rng.integers(0, 5, size=rng.integers(2, 6)).tolist() for _ in range(2))
        assert rank_sum(a, b) == pytest.approx(by_all_splits(a, b), abs=1e-12)
    for n in (6, 15):
        a, b = rng.normal(size=n).tolist(), rng.normal(0.5, size=n).tolist()
        assert rank_sum(a, b) == pytest.approx(stats.mannwhitneyu(a, b, method="exact").pvalue, rel=1e-9)
    a, b = rng.normal(size=60).tolist(), rng.normal(0.3, size=60).tolist()
    assert rank_sum(a, b) == pytest.approx(stats.mannwhitneyu(a, b).pvalue, rel=1e-9)


def test_one_value_is_tested_as_one_more_of_the_others():
    """The interval of a further normal value holds 95 in 100 of them, at the probability 0.05."""
    rng = np.random.default_rng(1)
    inside = [rank_sum(row[:1].tolist(), row[1:].tolist()) > 0.05 for row in rng.normal(size=(4000, 7))]
    assert np.mean(inside) == pytest.approx(0.95, abs=0.01)
    assert math.isnan(rank_sum([1.0], [2.0]))
    assert rank_sum([1.0], [2.0, 2.0]) == 0.0
    assert rank_sum([2.0, 2.0], [2.0]) == rank_sum([2.0, 2.0], [2.0, 2.0]) == 1.0


def test_holm_by_hand():
    """0.005 * 4, 0.01 * 3, then 0.03 * 2; 0.04 * 1 is raised to the one before it."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]).tolist() == [1.0, 1.0]
    found = holm([math.nan, 0.02])
    assert math.isnan(found[0])
    assert found[1] == 0.02  # what is not tested does not count


def test_friedman_and_critical_differences_are_those_of_the_paper():
    """Section 3.2.3: average ranks 3.143, 2.000, 2.893, 1.964; chi-squared 9.28; Table 5 for Nemenyi."""
    ranks = stats.rankdata(-DEMSAR, axis=1)
    assert ranks.mean(axis=0).round(3).tolist() == [3.143, 2.0, 2.893, 1.964]
    plain = 12 * 14 / 20 * float((ranks.mean(axis=0) ** 2).sum() - 4 * 25 / 4)
    assert plain == pytest.approx(9.28, abs=0.01)
    assert friedman(ranks)[0] > plain  # corrected for ties
    assert friedman(ranks) == pytest.approx(stats.friedmanchisquare(*DEMSAR.T), rel=1e-9)
    table = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
    for k, q in enumerate(table, start=2):
        assert critical_difference(k, 14, 0.05) / math.sqrt(k * (k + 1) / 84) == pytest.approx(q, abs=2e-3)
    assert critical_difference(4, 14, 0.10) == pytest.approx(1.12, abs=0.01)
    assert friedman(np.full((5, 3), 2.0)) == (0.0, 1.0)
    assert math.isnan(friedman(ranks[:1])[1])
    assert math.isnan(critical_difference(3, 1, 0.05))


def test_signed_rank_is_that_of_the_paper():
    """Section 3.1.3, on C4.5 with and without the cutting of leaves: T = 12 of 14 pairs, by its own rule for ties."""
    assert signed_rank(DEMSAR[:, 0], DEMSAR[:, 2])[0] > 12
    statistic, p = signed_rank(DEMSAR[:, 0], DEMSAR[:, 1])
    difference = DEMSAR[:, 1] - DEMSAR[:, 0]
    ranks = stats.rankdata(np.abs(difference))
    up, down, ties = (float(ranks[which].sum()) for which in (difference > 0, difference < 0, difference == 0))
    assert statistic == pytest.approx(min(up, down) + ties / 2)
    assert p < 0.05
    assert signed_rank(np.ones(4), np.ones(4)) == (5.0, 1.0)
    assert math.isnan(signed_rank(np.ones(1), np.zeros(1))[1])
    # all 2^6 signs are equally likely: the definition of the exact test
    a = np.array([0.3, -0.1, 0.7, 0.25, 0.4, -0.2])
    signs = np.array(list(itertools.product([0, 1], repeat=6)))
    sums = signs @ stats.rankdata(np.abs(a))
    drawn = stats.rankdata(np.abs(a))[a > 0].sum()
    expected = 2 * min((sums <= drawn).mean(), (sums >= drawn).mean())
    assert signed_rank(a, np.zeros(6))[1] == pytest.approx(expected)


def table_of(values):
    """Rows of a comparison: {drawing: {measure: mean over seeds}} from an array (drawings, seeds, measures)."""

    def measured(name, x):
        return Measured(float(x), float(np.clip(x if name == "neighborhood" else 1 - x, 0, 1)), 0.0, True)

    names = ["neighborhood", "stress", "crossings"]
    runs = [[{name: measured(name, x) for name, x in zip(names, row, strict=True)} for row in d] for d in values]
    return {f"d{k}": mean_of(each) for k, each in enumerate(runs)}


@pytest.mark.parametrize("kind", ["even", "counts", "rare"])
def test_chance_gets_no_star(kind):
    """Of layouts from one source, at most one table of a hundred may have a star, for any distribution."""
    rng = np.random.default_rng(2)
    draws = {
        "even": lambda: rng.normal(0.5, 0.1, size=(4, 10, 3)),
        "counts": lambda: rng.integers(0, 2, size=(4, 3, 3)).astype(float),
        "rare": lambda: 0.2 + 0.7 * (rng.random((4, 8, 3)) < 0.1),
    }
    tables = 200
    starred = sum(any(leaders(table_of(draws[kind]())).values()) for _ in range(tables))
    assert starred <= stats.binom.ppf(0.999, tables, LEVEL)


def test_a_difference_beyond_chance_gets_a_star():
    rng = np.random.default_rng(3)
    values = rng.normal(0.5, 0.02, size=(2, 10, 3))
    values[0, :, 0] += 0.1
    rows = table_of(values)
    assert leaders(rows)["neighborhood"] == {"d0"}
    tests = {each.measure: each for each in differences(rows)}
    assert tests["neighborhood"].holm == pytest.approx(3 * tests["neighborhood"].p)
    assert leaders(table_of(values[:, :3]))["neighborhood"] == set()  # three seeds are too few


def test_seeds_needed_are_the_fewest_that_can_show_a_difference():
    for comparisons in (1, 10, 100):
        n = seeds_needed(comparisons)
        apart = [rank_sum(list(range(k)), list(range(k, 2 * k))) * comparisons for k in (n - 1, n)]
        assert apart[0] > LEVEL >= apart[1]


def test_an_outlier_gives_no_star_to_either():
    """Nine of ten values of d0 are better, but its mean is worse."""
    values = np.full((2, 10, 3), 20.0) + np.arange(10)[:, None] / 100
    values[0] -= 10.0
    values[0, 0] += 1000.0
    assert leaders(table_of(values))["stress"] == set()


def test_one_layout_under_two_names_has_no_star():
    import networkx as nx

    G = nx.karate_club_graph()

    def late(graph, seed):
        return nx.spring_layout(graph, seed=seed + 500)

    found = compare(G, {"a": nx.spring_layout, "b": late, "c": "nx:spring"}, seeds=10)
    assert found.table.loc["a", "stress"] == pytest.approx(found.table.loc["c", "stress"], rel=1e-6)
    assert not any(leaders(found.measured).values())
    assert (found.tests["holm"].to_numpy() > LEVEL).all()
    assert "*" not in repr(found).split("↑ higher")[0]
