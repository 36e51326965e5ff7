"""Numbers of the benchmarks: by hand, against the definitions of the papers, and as their pages count them."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from benchmarks import findings, findings_yang, problems, study, study_page
from benchmarks import findings_orders as fo
from benchmarks import findings_yang_drawings as fd
from benchmarks import findings_yang_optimizers as fopt
from benchmarks import findings_yang_page as fp
from benchmarks import page as benchmark_page
from benchmarks import rank_quality as rq
from benchmarks.findings_tables import verdict
from benchmarks.optimizers import race
from nelayout.comparison import Measured
from nelayout.core.optimizers import LBFGS, Majorize
from nelayout.quality.classes import class_auc

DOCS = Path(__file__).resolve().parents[2] / "docs" / "research"


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
    assert verdict("a claim.", {"x": True, "y": False}) == "- **Holds in part** (yes: x; no: y): a claim."


def test_nerv_is_searched_as_finely_as_alpha():
    """With kappa = 0, which is SNE and alpha = 1."""
    assert len(findings.TRADED_KAPPAS) + 1 == len(findings.ALPHAS)
    assert sorted(round(1 - kappa, 1) for kappa in (0.0, *findings.TRADED_KAPPAS)) == list(findings.ALPHAS)
    part = {"alpha": {"0.5": 0.6, "1.0": 0.7}, "others": {"t-SNE": 0.1, "NeRV 0.1": 0.5, "NeRV 0.9": 0.65}}
    assert fo.summary(part)["NeRV"] == 0.7


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


def test_all_claims_hold_where_the_numbers_are_as_the_paper_says():
    assert {line.split("**")[1] for line in fp.figure_verdicts(as_in_the_paper())} == {"Holds"}


def test_claims_fall_with_the_numbers():
    parts = as_in_the_paper()
    parts["shuttle"] = drawings("shuttle", sfdp=0.80, LinLog=0.81, t_SNE=0.5, EE=0.6, ws_SNE=0.74)
    parts["mnist"] = drawings("mnist", sfdp=0.4, LinLog=0.88, t_SNE=0.7, EE=0.3, ws_SNE=0.6)
    parts["luxembourg"] = drawings("luxembourg", sfdp=0.95, LinLog=0.9, t_SNE=0.98, EE=0.9, ws_SNE=0.5)
    said = fp.figure_verdicts(parts)
    assert said[0].startswith("- **Holds in part** (yes: worldtrade 1 of 5")
    assert "no: shuttle 3 of 5, MNIST 3 of 5, shuttle 3 of 5 from random starts" in said[0]
    assert "**Does not hold** (sfdp -0.010, ws-SNE -0.070" in said[1]
    assert said[2].startswith("- **Does not hold** (ws-SNE -0.100")
    assert "**Holds in part** (yes: sfdp -0.200; no: LinLog +0.280" in said[3]
    assert "**Does not hold** (LinLog R² 0.90, t-SNE R² 0.98" in said[10]
    assert "**Holds in part** (yes: sfdp R² 0.95" in said[11]
    assert said[14].startswith("- **Does not hold** (ws-SNE 0.51, LinLog 0.92, ")


def test_places_share_the_best_when_numbers_are_equal():
    rows = {"a": {"auc": 0.5}, "b": {"auc": 0.5}, "c": {"auc": 0.4}}
    assert [fp.rank(rows, method, "auc") for method in "abc"] == [1, 1, 3]


def test_sets_that_not_all_methods_drew_are_left_out():
    parts = {"mnist": drawings("mnist", sfdp=0.4, LinLog=0.4, t_SNE=0.7, EE=0.3, ws_SNE=0.8)}
    del parts["mnist"]["random"]["EE"]
    held = fp.compared(parts, ["mnist"], fp.leads(("ws-SNE",), ("t-SNE",), "auc"))
    assert held == {"ws-SNE +0.100": True}


def test_a_part_that_there_is_not_is_answered_with_those_there_are(capsys):
    with pytest.raises(SystemExit):
        findings_yang.main(["figure"])
    assert "there is no part figure; there are figures, smoothing, optimizers" in capsys.readouterr().err


def row(stress, neighborhood, error=0.0):
    return {
        "stress": Measured(stress, round(1 - stress, 5), error, error == 0.0),
        "neighborhood": Measured(neighborhood, neighborhood, error, error == 0.0),
    }


def entry(nodes, **drawings):
    names = {"auto": "nelayout auto", "linlog": "nelayout linlog", "spring": "nx:spring", "sfdp": "graphviz:sfdp"}
    rows = {names[key]: value for key, value in drawings.items()}
    seconds = {name: 2.0 * (1 + k) for k, name in enumerate(rows)}
    return {"nodes": nodes, "edges": 2 * nodes, "drawings": rows, "seconds": seconds, "seeds": dict.fromkeys(rows, 3)}


FOUND = {
    "one": entry(10, auto=row(0.3, 0.8), linlog=row(0.5, 0.3), spring=row(0.1, 0.5), sfdp=row(0.2, 0.4)),
    "two": entry(20, auto=row(0.3, 0.8), linlog=row(0.4, 0.9), spring=row(0.2, 0.795), sfdp=row(0.4, 0.7)),
    "three": entry(30, auto=row(0.20, 0.8, 0.01), linlog=row(0.2, 0.7), spring=row(0.18, 0.7, 0.01)),
}


def cells(page, heading, first):
    """The cells of the line that begins with `first` in the table under a heading."""
    part = page.split(f"## {heading}\n")[1].split("\n## ")[0]
    line = next(line for line in part.splitlines() if line.startswith(f"| {first} "))
    return [cell.strip() for cell in line.strip("|").split("|")][1:]


def test_the_table_is_read_as_it_was_written(tmp_path):
    study.write_table(FOUND, tmp_path / "study.csv")
    assert study.read_table(tmp_path / "study.csv") == FOUND
    lost = {"one": entry(5, auto={**row(0.3, 0.8), "map_r2": Measured(math.nan, math.nan, 0.0, True)})}
    study.write_table(lost, tmp_path / "study.csv")
    known = study.read_table(tmp_path / "study.csv")["one"]["drawings"]["nelayout auto"]
    assert list(known) == ["stress", "neighborhood"]


def test_duels_are_counted():
    page = study_page.page(FOUND)
    # spring: neighborhood 0.795 beside 0.8 is alike, stress 0.18 beside 0.20 is within the errors
    assert cells(page, "`auto` beside each peer", "`neighborhood` ↑") == ["2–0 of 3", "2–0 of 2"]
    assert cells(page, "`auto` beside each peer", "`stress` ↓") == ["**0–2 of 3**", "1–1 of 2"]


def test_camps_are_counted():
    page = study_page.page(FOUND)
    heading = "The best of ours beside the best of the peers"
    assert cells(page, heading, "`neighborhood` ↑") == ["3", "0", "0", ""]
    assert cells(page, heading, "`stress` ↓") == ["0", "1", "2", "nx:spring 2, graphviz:sfdp 1"]


def test_the_front_is_counted():
    page = study_page.page(FOUND)
    assert cells(page, "Who is dominated", "auto") == ["3", "2", "nx:spring 1"]
    assert cells(page, "Who is dominated", "nx:spring") == ["3", "2", "auto 1"]
    assert cells(page, "Who is dominated", "graphviz:sfdp") == ["2", "0", "nx:spring 2, auto 1, linlog 1"]


def test_losses_and_seconds():
    page = study_page.page(FOUND)
    part = page.split("## Where `auto` loses most")[1]
    first = next(line for line in part.splitlines() if line.startswith("| one "))
    assert first == "| one | `stress` ↓ | 0.3 | nx:spring | 0.1 |"
    assert cells(page, "Seconds", "auto")[0] == "1"
    assert cells(page, "Seconds", "nx:spring")[0] == "3"
    assert cells(page, "Seconds", "graphviz:sfdp")[0] == "4"


def test_the_benchmark_page_says_when_and_where_and_who_wins():
    page = benchmark_page.page(FOUND, {})
    assert re.search(r"wrote this page on \d{4}-\d\d-\d\d at commit \w+", page)
    assert re.search(r"^Machine: .+ cores\. Python \d", page, re.MULTILINE)
    assert "A peer wins more often than `auto` in: `stress` (nx:spring 2–0)." in page
    assert "## Tables" not in page


@pytest.mark.full
@pytest.mark.skipif(not (DOCS / "study.csv").exists(), reason="docs/research/study.csv is not here")
def test_the_page_is_made_of_the_stored_table():
    found = study.read_table(DOCS / "study.csv")
    assert (DOCS / "study.md").read_text() == study_page.page(found)
    names = {name for each in found.values() for name in each["drawings"]}
    page = (DOCS / "study.md").read_text()
    assert all(re.search(rf"\b{re.escape(name.removeprefix('nelayout '))}\b", page) for name in names)
