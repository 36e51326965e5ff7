"""The numbers and verdicts of benchmarks.findings_yang: by hand, and against the package's own measures."""

import json

import numpy as np
import pytest
from scipy.sparse import csr_array

from benchmarks import findings_yang, problems
from benchmarks import findings_yang_drawings as fd
from benchmarks import findings_yang_optimizers as fopt
from benchmarks import findings_yang_page as fp
from benchmarks import findings_yang_races as fr
from benchmarks.optimizers import race
from nelayout.optimizers import LBFGS, Majorize
from nelayout.quality.classes import class_auc


def sparse_graph(n=30, share=0.1):
    """A path with random chords."""
    A = np.triu(np.random.default_rng(0).random((n, n)) < share, 1).astype(float)
    A[np.arange(n - 1), np.arange(1, n)] = 1.0
    return csr_array(A + A.T)


def test_the_curve_of_classes_by_hand():
    # 0, 1 | 5, 6: one other of the class is found first, then two strangers
    curve = fd.class_curve(np.array([[0.0], [1.0], [5.0], [6.0]]), np.array([0, 0, 1, 1]))
    assert curve[0] == pytest.approx([1.0, 1.0, 1.0])
    assert curve[1] == pytest.approx([1.0, 1 / 2, 1 / 3])
    assert fd.area(curve) == pytest.approx(1.0)


def test_the_area_is_the_package_s_own():
    rng = np.random.default_rng(0)
    labels = rng.integers(-1, 4, 80)
    Y = rng.standard_normal((80, 2)) + 0.7 * labels[:, None]
    assert fd.area(fd.class_curve(Y, labels)) == pytest.approx(class_auc(Y, labels).value, rel=1e-12)


def test_hubs_in_the_middle_and_reach_by_hand():
    star = csr_array(np.array([[0, 1, 1, 1], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]))
    what = fd.Given("star", star, star, None, None)
    Y = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [-8.0, 0.0]])
    found = fd.measured(what, Y)
    assert found["center"] == pytest.approx(fd.rank_correlation(np.array([3, 1, 1, 1]), np.array([0, 2, 2, 8])))
    assert found["center"] < 0
    assert found["reach"] == pytest.approx(8.0 / 2.0)


def test_numbers_of_an_earlier_sfdp_are_found_by_the_name_of_the_set(tmp_path, monkeypatch):
    stored = {"mnist_knn10": {"gv_sfdp": {"knn_auc": 0.4, "sns": 1.0}}, "usair97": {"gv_sfdp": {"geo_r2": 0.7}}}
    (tmp_path / "peers.json").write_text(json.dumps(stored))
    monkeypatch.setattr(problems, "data_folder", lambda: tmp_path)
    assert fd.stored_sfdp("mnist") == {"auc": 0.4}
    assert fd.stored_sfdp("usair97") == {"r2": 0.7}
    assert fd.stored_sfdp("shuttle") == {}


def test_rho_of_the_paper_is_half_of_the_one_that_was_accepted():
    J = fopt.tsne(sparse_graph())
    Y = np.random.default_rng(1).standard_normal((30, 2))
    paper, ours = fopt.PaperMajorize(), Majorize()
    state, doubled = paper.init(J, Y), 0
    for _ in range(80):
        _, same = ours.step(J, Y, state)
        Y, after = paper.step(J, Y, state)
        assert after.evaluation.value == same.evaluation.value <= state.evaluation.value
        raised = after.taken and state.failed > 0
        assert after.rho == same.rho / (2 if raised else 1)
        doubled += raised
        state = after
    assert doubled


def test_a_race_tells_numbers_of_the_optimizer_s_state():
    J = fopt.tsne(sparse_graph(300, 0.01))  # L-BFGS takes 40 times as long as the race
    Y = np.random.default_rng(1).standard_normal((300, 2))
    rows = race(J, Y, LBFGS(), 0.02, ("trials", "rho"))
    assert rows.shape[1] == 4
    assert np.all(np.diff(rows[:, 2]) >= 1)
    assert np.isnan(rows[:, 3]).all()
    assert race(J, Y, LBFGS(), 0.0).shape == (1, 2)


def drawings(name, **numbers):
    """A part in which both manners have the same numbers: method -> the number that counts."""
    rows = {}
    for method in fp.METHODS:
        value = numbers[method.replace("-", "_")]
        rows[method] = {"center": -0.8 if method in ("sfdp", "t-SNE") else 0.0, "reach": 2.0, fp.COUNTS[name]: value}
        rows[method].setdefault("r2", value)
    ours, random = rows, {method: row for method, row in rows.items() if method != "sfdp"}
    return {"ours": ours, "random": random}


def as_in_the_paper():
    return {
        "shuttle": drawings("shuttle", sfdp=0.80, LinLog=0.4, t_SNE=0.5, EE=0.78, ws_SNE=0.79),
        "mnist": drawings("mnist", sfdp=0.4, LinLog=0.4, t_SNE=0.7, EE=0.3, ws_SNE=0.8),
        "worldtrade": {
            **drawings("worldtrade", sfdp=0.5, LinLog=0.6, t_SNE=0.4, EE=0.3, ws_SNE=0.6),
            "repulsion": {"0.1": {"auc": 0.2}, "1.0": {"auc": 0.5}},
        },
        "usair97": drawings("usair97", sfdp=0.3, LinLog=0.5, t_SNE=0.3, EE=0.1, ws_SNE=0.5),
        "luxembourg": drawings("luxembourg", sfdp=0.95, LinLog=0.01, t_SNE=0.01, EE=0.01, ws_SNE=0.93),
    }


def words(lines):
    return [line.split("**")[1] for line in lines]


def test_all_claims_hold_where_the_numbers_are_as_the_paper_says():
    assert set(words(fp.figure_verdicts(as_in_the_paper()))) == {"Holds"}


def test_claims_fall_with_the_numbers():
    parts = as_in_the_paper()
    parts["shuttle"] = drawings("shuttle", sfdp=0.80, LinLog=0.81, t_SNE=0.5, EE=0.6, ws_SNE=0.74)
    parts["mnist"] = drawings("mnist", sfdp=0.4, LinLog=0.88, t_SNE=0.7, EE=0.3, ws_SNE=0.6)
    parts["luxembourg"] = drawings("luxembourg", sfdp=0.95, LinLog=0.9, t_SNE=0.98, EE=0.9, ws_SNE=0.5)
    said = fp.figure_verdicts(parts)
    assert said[0].startswith("- **Holds in part** (on worldtrade 1 of 5")
    assert "not on shuttle 3 of 5, MNIST 3 of 5, shuttle 3 of 5 from random starts" in said[0]
    assert "**Does not hold** (sfdp -0.010, ws-SNE -0.070" in said[1]
    assert said[2].startswith("- **Does not hold** (ws-SNE -0.100")
    assert "**Holds in part** (on sfdp -0.200; not on LinLog +0.280" in said[3]
    assert "**Does not hold** (LinLog R² 0.90, t-SNE R² 0.98" in said[10]
    assert "**Holds in part** (on sfdp R² 0.95" in said[11]
    assert said[14].startswith("- **Does not hold** (ws-SNE 0.51, LinLog 0.92, ")


def test_places_share_the_best_when_numbers_are_equal():
    rows = {"a": {"auc": 0.5}, "b": {"auc": 0.5}, "c": {"auc": 0.4}}
    assert [fp.rank(rows, method, "auc") for method in "abc"] == [1, 1, 3]


def test_sets_that_not_all_methods_drew_are_left_out():
    parts = {"mnist": drawings("mnist", sfdp=0.4, LinLog=0.4, t_SNE=0.7, EE=0.3, ws_SNE=0.8)}
    del parts["mnist"]["random"]["EE"]
    held = fp.compared(parts, ["mnist"], fp.leads(("ws-SNE",), ("t-SNE",), "auc"))
    assert held == {"ws-SNE +0.100": True}


def test_the_best_that_counts_stands_out():
    parts = {"luxembourg": drawings("luxembourg", sfdp=0.95, LinLog=0.01, t_SNE=0.01, EE=0.01, ws_SNE=0.93)}
    for rows in parts["luxembourg"].values():
        for row in rows.values():
            row["crossings"] = 1234.0
    lines = fp.drawing_table(parts, "ours").splitlines()
    assert lines[2] == "| luxembourg | sfdp |  |  | **0.95** |  | 1,234 | -0.80 | 2.0 |  |"


def test_verdicts_on_smoothing_follow_the_numbers():
    def at(auc, reach=1.5):
        return {"auc": auc, "reach": reach}

    smoothed = {"ours": {"0.0": at(0.80), "0.99": at(0.81)}, "random": {"0.0": at(0.6), "0.99": at(0.7)}}
    ties, zoom, helps = fp.smoothing_verdicts(smoothed, as_in_the_paper())
    assert "**Holds in part** (on 0.810, sfdp +0.010, best other +0.020; not on 0.700, sfdp -0.100" in ties
    assert "**Holds** (EE 2.0 to 1.5, ws-SNE 2.0 to 1.5)" in zoom
    assert "**Holds in part** (on +0.100 from random starts; not on +0.010 from our start)" in helps


def raced(n, mm, sd, mm_end, sd_end, rho):
    def run(trials, value):
        curve = {"time": [0.0, 1.0], "J": [9.0, value], "step": [0, 1]}
        return {"trials": trials, "value": value, "rho": rho, "steps": 1, "seconds": 1.0, **curve}

    names = (fr.PAPER_MM, fr.OURS, fr.SD)
    runs = (run(mm, mm_end), run(1.5, mm_end), run(sd, sd_end))
    return {"n": n, "m": n, "runs": {name: [one] for name, one in zip(names, runs, strict=True)}}


def test_verdicts_on_optimizers_follow_the_numbers():
    parts = {
        "scotland": raced(108, 2.2, 5.0, 1.0, 1.2, [1e-6, 1e-3]),
        "mnist": raced(70000, 1.5, 1.2, 2.0, 1.9, [1, 9]),
    }
    said = fr.race_verdicts(parts)
    assert words(said) == ["Holds in part", "Holds", "Holds in part", "Holds in part", "Holds in part"]
    assert "on scotland 2.20; not on mnist 1.50" in said[0]
    assert "(2.20 to 1.50)" in said[1]
    assert "on scotland 5.00 and 2.20; not on mnist 1.20 and 1.50" in said[2]
    assert "on scotland +0.200; not on mnist -0.100" in said[3]
    assert "on scotland 1e-06 to 1e-03; not on mnist 1e+00 to 9e+00" in said[4]
    rows = fr.race_tables(parts).splitlines()
    assert rows[2] == "| scotland | 108 | 1 | 2.20 | 1.50 | 2.00 ± 0.00 | 5.00 | 21.91 ± 1.88 |"
    assert "| mnist | spectral-direction | 1.0 | 1 | 1.20 | **1.900** | 1 |" in rows


def test_a_part_that_there_is_not_is_answered_with_those_there_are(capsys):
    with pytest.raises(SystemExit):
        findings_yang.main(["figure"])
    assert "there is no part figure; there are figures, smoothing, optimizers" in capsys.readouterr().err
