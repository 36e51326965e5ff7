"""What benchmarks.findings measures: by hand, and against the definitions of the papers in sets and loops."""

import numpy as np
import pytest

from benchmarks import findings_page as fp
from benchmarks import rank_quality as rq

FOUR = np.array([[0.0], [1.0], [3.0], [7.0]])
SWAPPED = np.array([[0.0], [1.0], [7.0], [3.0]])


def pair(n=23, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 5))
    return X, X[:, :2] + 0.3 * rng.standard_normal((n, 2))


def nearest(X, i, K):
    """The K nearest of i, ties to the lower index."""
    far = [(float(((X[i] - X[j]) ** 2).sum()), j) for j in range(len(X)) if j != i]
    return [j for _, j in sorted(far)][:K]


def coranking(X, Y):
    n = len(X)
    table = np.zeros((n, n), int)
    for i in range(n):
        before, after = nearest(X, i, n - 1), nearest(Y, i, n - 1)
        for j in before:
            table[before.index(j) + 1, after.index(j) + 1] += 1
    return table


def test_ranks_by_hand():
    assert rq.ranks(FOUR).tolist() == [[0, 1, 2, 3], [1, 0, 2, 3], [2, 1, 0, 3], [3, 2, 1, 0]]


def test_ties_go_to_the_lower_index_and_the_row_itself_comes_first():
    assert rq.ranks(np.zeros((3, 2))).tolist() == [[0, 1, 2], [1, 0, 2], [1, 2, 0]]


@pytest.mark.parametrize("columns", [2, 5])
def test_ranks_are_those_of_sorted_distances(columns, monkeypatch):
    monkeypatch.setattr(rq, "ROWS_AT_ONCE", 7)
    X = np.random.default_rng(1).standard_normal((23, columns))
    table = rq.ranks(X)
    for i in range(23):
        assert [int(np.flatnonzero(table[i] == K)[0]) for K in range(1, 23)] == nearest(X, i, 22)


def test_agreement_by_hand():
    found = rq.agreement(rq.ranks(FOUR), rq.ranks(SWAPPED))
    # (rank before, rank after) of all pairs: 11 23 32, 11 23 32, 23 12 31, 32 21 13
    assert found.kept == pytest.approx([2 / 4, 4 / 8, 1.0])
    assert found.surplus == pytest.approx([0.0, (1 - 1) / 8, (5 - 5) / 12])
    assert found.gain == pytest.approx([(3 * 0.5 - 1) / 2, (3 * 0.5 - 2) / 1])
    assert found.area == pytest.approx((0.25 / 1 - 0.5 / 2) / (1 + 1 / 2))


def test_agreement_is_the_coranking_matrix():
    X, Y = pair()
    n, table = len(X), coranking(X, Y)
    found = rq.agreement(rq.ranks(X), rq.ranks(Y))
    for K in range(1, n):
        both = sum(len(set(nearest(X, i, K)) & set(nearest(Y, i, K))) for i in range(n))
        assert found.kept[K - 1] == pytest.approx(both / (K * n))
        block = table[1 : K + 1, 1 : K + 1]
        assert found.surplus[K - 1] == pytest.approx((np.triu(block, 1).sum() - np.tril(block, -1).sum()) / (K * n))
    assert found.intrusion == pytest.approx(100 * found.surplus.sum() / (n - 1))
    gain = [((n - 1) * found.kept[K - 1] - K) / (n - 1 - K) for K in range(1, n - 1)]
    weights = [1 / K for K in range(1, n - 1)]
    assert found.area == pytest.approx(np.average(gain, weights=weights))


def test_squashing_is_intrusion_and_cutting_extrusion():
    angle = np.linspace(0, 2 * np.pi, 60, endpoint=False) + 0.01
    before = rq.ranks(np.column_stack([np.cos(angle), np.sin(angle)]))
    assert rq.agreement(before, rq.ranks(np.cos(angle)[:, None])).intrusion > 1
    assert rq.agreement(before, rq.ranks(angle[:, None])).intrusion < -1


def test_a_perfect_drawing_gains_everything_and_a_random_one_nothing():
    X, _ = pair(400)
    before = rq.ranks(X)
    same = rq.agreement(before, before)
    assert same.gain == pytest.approx(np.ones(398))
    assert same.area == pytest.approx(1.0)
    other = rq.agreement(before, rq.ranks(np.random.default_rng(3).standard_normal((400, 2))))
    assert abs(other.gain[:300].mean()) < 0.02


def test_retrieval_auc_is_its_definition():
    X, Y = pair(40)
    relevant, most, n = 6, 15, 40
    points = []
    for K in range(1, most + 1):
        hits = [len(set(nearest(X, i, relevant)) & set(nearest(Y, i, K))) for i in range(n)]
        points.append((np.mean([h / relevant for h in hits]), np.mean([h / K for h in hits])))
    area, last = 0.0, (0.0, points[0][1])
    for point in points:
        area += (point[0] - last[0]) * (point[1] + last[1]) / 2
        last = point
    assert rq.retrieval_auc(rq.ranks(X), rq.ranks(Y), relevant, most) == pytest.approx(area)
    assert rq.retrieval_auc(rq.ranks(X), rq.ranks(X), relevant, most) == pytest.approx(1.0)


def test_retrieval_at_a_threshold_by_hand():
    p = np.array([[0.0, 0.6, 0.4], [0.5, 0.0, 0.5], [0.9, 0.1, 0.0]])
    q = np.array([[0.0, 0.7, 0.3], [0.2, 0.0, 0.8], [0.3, 0.3, 0.0]])
    found = rq.retrieval(p, q, 0.35)
    assert found.precision == pytest.approx((1 + 1 + 0) / 3)  # the last row retrieves nobody
    assert found.recall == pytest.approx((1 / 2 + 1 / 2 + 0) / 3)
    assert found.f == pytest.approx(2 * (2 / 3) * (1 / 3) / 1)
    assert rq.retrieval(p, p, 0.35).f == pytest.approx(1.0)
    assert rq.retrieval(p, q, 0.95).f == 0.0


def test_rows_without_neighbors_in_the_input_do_not_count():
    p = np.array([[0.0, 0.6], [0.1, 0.0]])
    q = np.array([[0.0, 0.6], [0.6, 0.0]])
    assert rq.retrieval(p, q, 0.5) == rq.Retrieval(1.0, 1.0)


def test_a_threshold_leaves_as_many_neighbors_as_asked_for():
    p = np.random.default_rng(0).random((30, 30))
    for size in (1, 2.5, 10):
        assert (p > rq.threshold_of(p, size)).sum() == round(size * 30)


def test_similarities_of_a_drawing_by_hand():
    q = rq.cauchy_rows(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]))
    assert q[0] == pytest.approx([0.0, (1 / 2) / (1 / 2 + 1 / 5), (1 / 5) / (1 / 2 + 1 / 5)])
    assert q.sum(axis=1) == pytest.approx(np.ones(3))


def test_a_verdict_says_where_a_claim_holds():
    assert fp.verdict("a claim.", {"x": True, "y": True}) == "- **Holds** (x, y): a claim."
    assert fp.verdict("a claim.", {"x": False}) == "- **Does not hold** (x): a claim."
    assert fp.verdict("a claim.", {"x": True, "y": False}) == "- **Holds in part** (on x; not on y): a claim."


def kept(gain, intrusion=0.0):
    sizes = ("1", "5", "10", "20", "50", "100", "300")
    return {"gain": dict.fromkeys(sizes, gain), "area": gain, "intrusion": intrusion, "curve": [gain] * 9}


def test_verdicts_on_mixtures_follow_the_numbers():
    methods = {"SNE": kept(0.1, 9.0), "NeRV": kept(0.3, 5.0), "JSE": kept(0.6, -1.0), "t-SNE": kept(0.7, 1.0)}
    said = "\n".join(fp.mixture_verdicts({"coil20": {"methods": methods}}))
    assert "**Holds** (coil20): JSE keeps small neighborhoods better than NeRV" in said
    assert "**Does not hold** (coil20): JSE keeps them better than t-SNE" in said
    assert "**Holds** (coil20): what keeps small neighborhoods best" in said


def test_verdicts_on_kappa_follow_the_numbers():
    nerv = dict(
        zip(("NeRV 0.05", "NeRV 0.35", "NeRV", "NeRV 0.65", "NeRV 0.95"), (0.1, 0.2, 0.3, 0.4, 0.55), strict=True)
    )
    jse = dict(zip(("JSE 0.05", "JSE 0.35", "JSE", "JSE 0.65", "JSE 0.95"), (0.4, 0.6, 0.6, 0.6, 0.5), strict=True))
    methods = {title: kept(gain, -gain) for title, gain in {**nerv, **jse}.items()}
    said = fp.kappa_verdicts({"coil20": {"methods": methods}})
    assert [line.split("**")[1] for line in said] == ["Holds", "Holds", "Does not hold", "Holds"]


def test_verdicts_on_divergences_follow_the_numbers():
    def part(kind, *f):
        return {"set": kind, "divergences": {d: {"f": [f_d]} for d, f_d in zip(fp.DIVERGENCES, f, strict=True)}}

    parts = {
        "faces": part("faces", 0.6, 0.8, 0.7, 0.7, 0.3),
        "ones": part("digit 1", 0.6, 0.5, 0.7, 0.6, 0.8),
        "all": part("digits 0-4", 0.6, 0.5, 0.5, 0.5, 0.7),
    }
    said = [line.split("**")[1] for line in fp.f_verdicts(parts)]
    assert said == ["Holds", "Holds", "Does not hold", "Does not hold", "Holds", "Holds", "Holds in part"]


def test_the_best_number_stands_out_and_tables_are_markdown():
    assert fp.best([0.25, 0.5]) == ["0.250", "**0.500**"]
    assert fp.table(["a", "b"], [["1", "2"]]) == "| a | b |\n| --- | --- |\n| 1 | 2 |"
