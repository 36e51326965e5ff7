"""The verdict of a comparison, on constructed cases: the front by brute force, ties, errors, and every sentence."""

import itertools
import math

import numpy as np
import pytest

from nelayout.comparison import Measured
from nelayout.comparison.ranking import deviation, dominators, front, leaders, mean_of, verdict

HIGHER = ["neighborhood", "neighborhood2", "class_auc", "map_r2"]


def row(error=0.0, **values):
    return {name: Measured(value, value, error, error == 0.0) for name, value in values.items()}


def test_front_is_that_of_the_definition():
    """Values in steps of 0.1: every difference counts, so that the definition of Pareto is all there is."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        table = rng.integers(0, 4, size=(rng.integers(2, 6), rng.integers(1, 4))) / 10
        rows = {f"d{i}": row(**dict(zip(HIGHER, values, strict=False))) for i, values in enumerate(table)}
        behind = {}
        for (a, x), (b, y) in itertools.permutations(zip(rows, table, strict=True), 2):
            if (y >= x).all() and (y > x).any():
                behind.setdefault(a, []).append(b)
        assert dominators(rows) == behind
        assert front(rows) == [name for name in rows if name not in behind]


def crossings(count):
    """Of a million possible crossings 300 and 302 are alike on the scale, and 300 and 400 are not."""
    return {"crossings": Measured(count, 1 - count / 1e6, 0.0, True)}


# Two drawings, and whether the first dominates the second: beyond 3 sqrt(2) errors of 0.02, beyond a hundredth of the
# scale; counts against the least; what cannot be measured, and what only describes, decides nothing beside another.
PAIRS = [
    (row(0.02, neighborhood=0.58), row(0.02, neighborhood=0.50), False),
    (row(0.02, neighborhood=0.59), row(0.02, neighborhood=0.50), True),
    (row(neighborhood=0.509), row(neighborhood=0.500), False),
    (row(neighborhood=0.511), row(neighborhood=0.500), True),
    (crossings(300.0), crossings(302.0), False),
    (crossings(300.0), crossings(400.0), True),
    (row(neighborhood=0.9, map_r2=math.nan), row(neighborhood=0.2, map_r2=0.5), True),
    (row(neighborhood=0.9, resolution=0.1), row(neighborhood=0.2, resolution=1.0), True),
    (row(resolution=1.0), row(resolution=0.1), True),
]


@pytest.mark.parametrize(("ahead", "behind", "clear"), PAIRS)
def test_a_drawing_dominates_another_by_a_clear_difference(ahead, behind, clear):
    rows = {"a": behind, "b": ahead}
    assert dominators(rows) == ({"a": ["b"]} if clear else {})
    assert (verdict(rows) == ["a and b cannot be told apart by these measures."]) != clear


def test_a_circle_of_small_differences_leaves_nobody_out():
    """Within a hundredth a is as b and b as c in one measure, where c is ahead of a; so it goes round."""
    rows = {
        "a": row(neighborhood=0.020, neighborhood2=0.009, class_auc=0.0105),
        "b": row(neighborhood=0.009, neighborhood2=0.0105, class_auc=0.020),
        "c": row(neighborhood=0.0105, neighborhood2=0.020, class_auc=0.009),
    }
    behind = dominators(rows)
    assert all(behind.get(name) for name in rows)
    assert front(rows) == ["a", "b", "c"]
    assert len(verdict(rows)) >= 1


def test_the_words_of_a_trade_off_and_of_a_dominated_drawing():
    rows = {
        "near": row(neighborhood=0.9, class_auc=0.8, map_r2=0.2),
        "far": row(neighborhood=0.5, class_auc=0.8, map_r2=0.8),
        "poor": row(neighborhood=0.4, class_auc=0.3, map_r2=0.2),
    }
    shared = "shares the best in class_auc (0.8)"
    assert verdict(rows, {"near": 3.21, "far": 0.05}, ["near"]) == [
        "No drawing is best in everything: choose between near and far by the measures that matter to you.",
        f"near is best in neighborhood (0.9), {shared} and is worse in map_r2 (0.2; far has 0.8).",
        f"far is best in map_r2 (0.8), {shared} and is worse in neighborhood (0.5; near has 0.9).",
        (
            "far dominates poor: better in map_r2 (0.8 to 0.2), class_auc (0.8 to 0.3) and neighborhood (0.5 to 0.4), "
            "worse in none (near dominates it, too)."
        ),
        "far was the fastest (0.05 s), near the slowest (3.2 s).",
        "near: one seed each; a difference between two methods may be one between two seeds (seeds=10 draws ten).",
    ]


def test_one_drawing_has_nothing_beside_it():
    assert verdict({"a": row(neighborhood=0.5)}) == ["There is one drawing, and nothing to compare it with."]


def leading(error=0.01, **values):
    """The drawings that lead in stress, of these values."""
    return leaders({d: {"stress": Measured(x, 1 - x, error, False)} for d, x in values.items()})["stress"]


def test_the_best_of_a_column_and_what_is_not_told_from_it():
    """Rounding decides no star: the same drawing, turned, has a stress that differs in the last digit."""
    assert leading(a=0.40, b=0.42, c=0.50) == {"a", "b"}
    assert leading(a=0.40, b=0.42) == set()
    assert leading(a=0.40, c=0.50) == {"a"}
    assert leading(a=0.40, x=math.nan) == set()
    assert leading(error=0.0, a=0.3, b=0.1, c=np.nextafter(0.1, 1)) == {"b", "c"}


def test_stars_and_sentences_name_the_same():
    """Of random tables with errors, counts and what only describes: a star is a sentence's "best"."""
    rng = np.random.default_rng(1)
    names = ["neighborhood", "stress", "crossings", "resolution"]
    for _ in range(100):
        rows = {}
        for d in "abcd":
            x = rng.integers(0, 5, size=4) / 10
            rows[d] = row(0.02, **dict(zip(names, x, strict=True)))
            rows[d] |= {"stress": Measured(x[1], 1 - x[1], 0.02, False)}
            rows[d] |= {"crossings": Measured(100 * x[2], 1 - x[2] / 1e6, 5.0, False)}
        said, ahead, stars = verdict(rows), front(rows), leaders(rows)
        assert not stars["resolution"]
        for d in ahead if len(said) > 1 else ():
            sentence = next(line for line in said if line.startswith(f"{d} is ") and " dominates" not in line)
            best = sentence.split("is worse in")[0]
            assert [m for m in names if m in best] == [m for m in names if d in stars[m]]


def test_the_mean_of_seeds_covers_the_mean_of_the_method():
    """Its standard error says how far the mean of five seeds is from that of all: within two of them 88 times in 100.

    (Student's t with four degrees of freedom is within 2 with probability 0.884.)
    """
    rng = np.random.default_rng(0)
    within = 0
    for _ in range(1000):
        runs = [row(neighborhood=x) for x in rng.normal(0.5, 0.1, size=5)]
        found = mean_of(runs)["neighborhood"]
        within += abs(found.value - 0.5) <= 2 * found.error
    assert within / 1000 == pytest.approx(0.884, abs=0.03)
    assert deviation([1.0, 3.0]) == pytest.approx(math.sqrt(2))
    assert math.isnan(deviation([1.0]))
    assert mean_of([row(neighborhood=0.3, error=0.1)]) == row(neighborhood=0.3, error=0.1)
    assert mean_of([row(neighborhood=0.3, error=0.1)] * 9)["neighborhood"].error == pytest.approx(0.1)
