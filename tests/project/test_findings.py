"""What benchmarks.findings measures: by hand, and against the definitions of the papers in sets and loops."""

import numpy as np
import pytest

from benchmarks import findings_divergences as fd
from benchmarks import findings_mixtures as fm
from benchmarks import findings_orders as fo
from benchmarks import rank_quality as rq
from benchmarks.findings_tables import best, table, verdict


def test_squashing_is_intrusion_and_cutting_extrusion():
    """The sign of "intrusion" in the findings."""
    angle = np.linspace(0, 2 * np.pi, 60, endpoint=False) + 0.01
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    assert -100 * rq.curves(circle, np.cos(angle)[:, None]).b_nx.mean() > 1
    assert -100 * rq.curves(circle, angle[:, None]).b_nx.mean() < -1


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
    assert verdict("a claim.", {"x": True, "y": True}) == "- **Holds** (x, y): a claim."
    assert verdict("a claim.", {"x": False}) == "- **Does not hold** (x): a claim."
    assert verdict("a claim.", {"x": True, "y": False}) == "- **Holds in part** (on x; not on y): a claim."


def kept(gain, intrusion=0.0):
    sizes = ("1", "5", "10", "20", "50", "100", "300")
    return {"gain": dict.fromkeys(sizes, gain), "area": gain, "intrusion": intrusion, "curve": [gain] * 9}


def test_verdicts_on_mixtures_follow_the_numbers():
    methods = {"SNE": kept(0.1, 9.0), "NeRV": kept(0.3, 5.0), "JSE": kept(0.6, -1.0), "t-SNE": kept(0.7, 1.0)}
    said = "\n".join(fm.mixture_verdicts({"coil20": {"methods": methods}, "sphere": {"methods": methods}}))
    assert "**Holds** (coil20 +0.300, sphere +0.300): JSE keeps small neighborhoods better than NeRV" in said
    assert "**Does not hold** (coil20 -0.100, sphere -0.100): and the 5 nearest." in said
    assert "**Holds** (coil20 +0.400): t-SNE keeps them better than NeRV, but for the sphere" in said
    assert "**Does not hold** (sphere -0.400): NeRV keeps them better than t-SNE on the sphere" in said
    assert "**Holds** (coil20, sphere): what keeps small neighborhoods best" in said


def test_verdicts_on_kappa_follow_the_numbers():
    nerv = dict(
        zip(("NeRV 0.05", "NeRV 0.35", "NeRV", "NeRV 0.65", "NeRV 0.95"), (0.1, 0.2, 0.3, 0.4, 0.55), strict=True)
    )
    jse = dict(zip(("JSE 0.05", "JSE 0.35", "JSE", "JSE 0.65", "JSE 0.95"), (0.4, 0.6, 0.6, 0.6, 0.5), strict=True))
    methods = {title: kept(gain, 10 - 20 * gain) for title, gain in {**nerv, **jse}.items()}
    said = fm.kappa_verdicts({"sphere annealed": {"methods": methods}})
    words = ["Holds", "Does not hold", "Holds", "Does not hold", "Holds", "Does not hold", "Holds"]
    assert [line.split("**")[1] for line in said] == words
    assert said[1].startswith("- **Does not hold** (sphere annealed -0.100): in JSE a larger kappa")
    methods["JSE 0.05"] = kept(0.4, -3.0)
    squashed = fm.kappa_verdicts({"sphere annealed": {"methods": methods}})[4]
    assert squashed.startswith("- **Holds in part** (on NeRV +8.0; not on JSE -3.0): at kappa = 0.05 both squash")


def test_the_ways_to_a_drawing_stand_under_each_other():
    parts = {name: {"methods": {m: {"value": v} for m in fm.FOUR}} for name, v in (("sphere", 9.0), ("mnist", 1.0))}
    parts["sphere annealed"] = {"methods": {m: {"value": 4.25} for m in fm.FOUR}}
    rows = fm.ways_table(parts).splitlines()[2:]
    assert rows == ["| sphere | our own | 9 | 9 | 9 | 9 |", "| sphere | annealed | 4.25 | 4.25 | 4.25 | 4.25 |"]


def test_verdicts_on_divergences_follow_the_numbers():
    def part(kind, *f):
        return {"set": kind, "divergences": {d: {"f": [f_d]} for d, f_d in zip(fd.DIVERGENCES, f, strict=True)}}

    parts = {
        "faces": part("faces", 0.6, 0.8, 0.7, 0.7, 0.3),
        "ones": part("digit 1", 0.6, 0.5, 0.7, 0.6, 0.8),
        "all": part("digits 0-4", 0.6, 0.5, 0.5, 0.5, 0.7),
    }
    said = [line.split("**")[1] for line in fd.f_verdicts(parts)]
    assert said == ["Holds", "Does not hold", "Holds", "Holds in part"]


def test_verdicts_on_divergences_name_the_winner():
    part = {"set": "faces", "divergences": {"kl": {"f": [0.5, 0.6]}, "js": {"f": [0.4, 0.7]}}}
    assert fd.winners({"faces, perplexity 30": part}, {"js"}) == {"faces at 30: JS": True}
    assert fd.winners({"faces": part}, {"kl"}) == {"faces: JS": False}


def test_verdicts_on_the_nearest_look_at_the_greatest_precision():
    kept = {"kl": 0.6, "reverse-kl": 0.5, "js": 0.4, "hellinger": 0.3, "chi2": 0.2}
    shares = {d: {"nearest": [0.0] * 4 + [v, 0.1, 2 * v], "farthest": [1 - v, 0.0]} for d, v in kept.items()}
    parts = {f"{kind}, perplexity 30": {"set": kind, "divergences": shares} for kind in fd.PAPER_NEAREST}
    said = [line.split("**")[1] for line in fd.nearest_verdicts(parts)]
    assert said == ["Does not hold", "Does not hold", "Holds", *["Does not hold"] * 3]
    few, near, far = fd.nearest_table(parts).splitlines()[2:5]
    assert few == "| faces, perplexity 30 | 5 nearest | **0.600** | 0.500 | 0.400 | 0.300 | 0.200 |"
    assert near == "| faces, perplexity 30 | greatest of the nearest | **1.200** | 1.000 | 0.800 | 0.600 | 0.400 |"
    assert far == "| faces, perplexity 30 | greatest of the farthest | 0.400 | 0.500 | 0.600 | 0.700 | **0.800** |"


def test_nerv_is_searched_as_finely_as_alpha():
    """With kappa = 0, which is SNE and alpha = 1."""
    from benchmarks import findings

    assert len(findings.TRADED_KAPPAS) + 1 == len(findings.ALPHAS)
    assert sorted(round(1 - kappa, 1) for kappa in (0.0, *findings.TRADED_KAPPAS)) == list(findings.ALPHAS)
    part = {"alpha": {"0.5": 0.6, "1.0": 0.7}, "others": {"t-SNE": 0.1, "NeRV 0.1": 0.5, "NeRV 0.9": 0.65}}
    assert fo.summary(part)["NeRV"] == 0.7


def test_verdicts_on_the_chosen_order_are_within_a_hundredth():
    orders = {"a": {"alpha": {"0.5": 0.70, "1.0": 0.60}}, "b": {"alpha": {"0.5": 0.70, "1.0": 0.80}}}
    runs = {
        "a": {
            "runs": [{"alpha": 0.4, "walked": 0.71, "scratch": 0.68}, {"alpha": 0.6, "walked": 0.68, "scratch": 0.68}]
        },
        "b": {"runs": [{"alpha": 0.9, "walked": 0.81, "scratch": 0.78}]},
    }
    again, drawing = fo.choice_verdicts(orders, runs)
    assert drawing.startswith("- **Holds** (a -0.005, b +0.010): ")
    assert again.startswith("- **Does not hold** (a -0.020, b -0.020): ")
    assert fo.choice_table(orders, runs).splitlines()[2] == "| a | 0.40, 0.60 | 0.695 | 0.680 | 0.700 (0.5) |  |"


def test_the_best_number_stands_out_and_tables_are_markdown():
    assert best([0.25, 0.5]) == ["0.250", "**0.500**"]
    assert table(["a", "b"], [["1", "2"]]) == "| a | b |\n| --- | --- |\n| 1 | 2 |"
