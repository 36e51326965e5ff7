"""`benchmark`: ranks and tests are those of their definitions, and every way to give graphs and layouts works."""

import itertools
import math
import shutil
import subprocess
from typing import Any

import networkx as nx
import numpy as np
import pytest
from scipy import stats

import nelayout as nl
from nelayout.comparison.benchmarked import Benchmark
from nelayout.comparison.critical import groups
from nelayout.errors import InputError

TREES = {f"tree {k}": nx.random_labeled_tree(14 + k, seed=k) for k in range(7)}
WHOLE = {f"K{k}": nx.complete_graph(k) for k in (5, 6)}  # not planar
MEASURES = ["stress", "crossings", "neighborhood"]


def shaken(graph, seed):
    """A layout with a spread of its own."""
    return nx.random_layout(graph, seed=seed)


def circle(graph):
    return nx.circular_layout(graph)


@pytest.fixture(scope="module")
def found():
    with pytest.warns(UserWarning, match="2 of 9 graphs lack a layout"):
        return nl.benchmark(
            TREES | WHOLE, {"ws": "ws-sne", "plane": nx.planar_layout, "ring_1": circle, "any": shaken}, 3,
            measures=MEASURES,
        )  # fmt: skip


def of(found, measure, names=("ws", "plane", "ring_1", "any")):
    """Means over seeds, (graphs, layouts), from the table; larger is better."""
    table = found.table[measure].groupby(level=["graph", "layout"], sort=False)
    wide = (table.median() if measure == "seconds" else table.mean()).unstack("layout")[list(names)]
    return wide.to_numpy() * (1 if measure == "neighborhood" else -1), list(wide.index)


def test_the_table_is_what_measure_says(found):
    assert found.table.index.names == ["graph", "layout", "seed"]
    assert list(found.table.columns) == [*MEASURES, "seconds"]
    assert len(found.table) == 9 * (3 + 1 + 3) + 7  # K5 and K6 have no plane drawing
    for graph, G in {**TREES, **WHOLE}.items():
        for seed in range(3):
            for name, pos in {"any": shaken(G, seed), "ws": nl.layout(G, "ws-sne", seed=seed)}.items():
                row = found.table.loc[(graph, name, seed)]
                expected = nl.measure(G, pos, measures=MEASURES)
                assert row[MEASURES].tolist() == [expected[m].value for m in MEASURES]
                assert np.array_equal(found.layouts[graph][name][seed], np.array([pos[v] for v in G]))
    assert (found.table["seconds"] > 0).all()
    assert found.sizes["K6"] == (6, 15)


@pytest.mark.parametrize("measure", [*MEASURES, "seconds"])
def test_ranks_and_friedman_by_definition(found, measure):
    values, graphs = of(found, measure)
    complete = values[[k for k, graph in enumerate(graphs) if graph in TREES]].round(9)
    ranks = stats.rankdata(-complete, axis=1)
    assert found.ranks[measure].tolist() == pytest.approx(ranks.mean(axis=0).tolist())
    row = found.tests.friedman.loc[measure]
    assert row["graphs"] == 7
    assert (row["statistic"], row["p"]) == pytest.approx(stats.friedmanchisquare(*complete.T))
    assert row["critical_difference"] == pytest.approx(2.569 * math.sqrt(4 * 5 / (6 * 7)), rel=1e-3)


def test_the_mean_of_ranks_is_that_of_all_measures_but_seconds(found):
    assert found.ranks["mean"].tolist() == pytest.approx(found.ranks[MEASURES].mean(axis=1).tolist())


@pytest.mark.filterwarnings("ignore:Sample size too small")  # of older SciPy
def test_pairs_take_the_graphs_that_both_draw(found):
    """A third layout decides nothing about two: Benavoli et al. 2016."""
    tests, pairs = found.tests.wilcoxon, list(itertools.combinations(["ws", "plane", "ring_1", "any"], 2))
    assert len(tests) == len(found.wins) == 4 * len(pairs)
    for measure in MEASURES:
        p = {}
        for one, other in pairs:
            values, _ = of(found, measure, (one, other))
            values = values[~np.isnan(values).any(axis=1)].round(9)
            row, won = tests.loc[(measure, one, other)], found.wins.loc[(measure, one, other)]
            assert row["graphs"] == len(values) == (7 if "plane" in (one, other) else 9)
            signs = np.sign(values[:, 0] - values[:, 1])
            assert won.tolist() == [(signs > 0).sum(), (signs == 0).sum(), (signs < 0).sum()]
            if signs.any():
                expected: Any = stats.wilcoxon(*values.T, zero_method="zsplit")
                assert row["p"] == pytest.approx(expected.pvalue)
            else:
                assert row["p"] == 1.0
            p[one, other] = row["p"]
        left, before = len(p), 0.0
        for pair in sorted(p, key=lambda pair: p[pair]):  # Holm's steps
            before = max(before, min(1.0, left * p[pair]))
            assert tests.loc[(measure, *pair), "holm"] == pytest.approx(before)
            left -= 1
    assert (tests["holm_all"] >= tests["holm"] - 1e-12).all()


def test_what_cannot_be_drawn_is_named(found):
    assert list(found.left_out) == ["K5", "K6"]
    assert found.left_out["K5"] == {"plane": "it failed with NetworkXException: G is not planar."}
    assert found.layouts["K5"]["plane"] == []
    assert "2 of 9 graphs lack a layout" in repr(found)


def test_without_the_layout_its_graphs_count():
    whole = nl.benchmark(TREES | WHOLE, {"ring": circle, "any": shaken}, 1, measures="stress")
    assert whole.left_out == {}
    assert whole.tests.friedman.loc["stress", "graphs"] == 9


def test_one_layout_under_two_names_ties(tmp_path):
    found = nl.benchmark(TREES, {"a": "nx:spring", "b": nx.spring_layout, "c": "ws-sne"}, 2, measures=["stress"])
    assert found.wins.loc[("stress", "a", "b")].tolist() == [0, 7, 0]
    assert found.tests.wilcoxon.loc[("stress", "a", "b"), "p"] == 1.0
    assert found.tests.wilcoxon.loc[("stress", "a", "b"), "better"] == ""
    assert found.ranks.loc["a", "stress"] == found.ranks.loc["b", "stress"]


def test_chance_finds_nothing_in_one_of_twenty(found):
    """Of ranks without a difference, Friedman's test finds one with the probability of its level."""
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(200):
        values = {
            f"g{k}": {n: [{"stress": x}] for n, x in zip("abcd", rng.random(4).tolist(), strict=True)}
            for k in range(12)
        }
        made = Benchmark(values, {}, {}, {}, ["stress"], list("abcd"), 0.05, 1)
        hits += made._rankings["stress"].differs
    assert hits <= stats.binom.ppf(0.999, 200, 0.05)


def test_groups_are_all_runs_within_the_difference():
    rng = np.random.default_rng(1)
    for _ in range(100):
        ranks = sorted(rng.integers(0, 12, size=6).tolist())
        runs = [(i, j) for i in range(6) for j in range(i + 1, 6) if ranks[j] - ranks[i] <= 3]
        largest = [(i, j) for i, j in runs if not any((a, b) != (i, j) and a <= i and j <= b for a, b in runs)]
        assert groups(ranks, 3) == largest


def test_graphs_come_in_every_form(tmp_path):
    few = dict(list(TREES.items())[:2])
    for name, G in few.items():
        nx.write_graphml(G, tmp_path / f"{name}.graphml")
    (tmp_path / "readme.md").write_text("no graph")
    layouts = {"ring": circle, "any": shaken}
    forms = {
        "dict": few, "pairs": list(few.items()), "generator": (pair for pair in few.items()), "folder": tmp_path,
        "files": [str(tmp_path / f"{name}.graphml") for name in few],
    }  # fmt: skip
    expected = None
    for form, graphs in forms.items():
        found = nl.benchmark(graphs, layouts, 2, measures="stress")
        expected = found.table["stress"] if expected is None else expected
        assert found.table["stress"].to_dict() == expected.to_dict(), form
    unnamed = nl.benchmark((G for G in few.values()), layouts, 1, measures="stress")
    assert list(unnamed.values) == ["graph 1", "graph 2"]
    twice = nl.benchmark([("a", nx.path_graph(4)), ("a", nx.path_graph(5))], layouts, 1, measures="stress")
    assert list(twice.values) == ["a", "a (2)"]


def test_a_file_that_is_no_graph_is_left_out_and_named(tmp_path):
    for name, G in list(TREES.items())[:2]:
        nx.write_graphml(G, tmp_path / f"{name}.graphml")
    (tmp_path / "broken.graphml").write_text("<graphml")
    with pytest.warns(UserWarning, match=r"1 of 3 graphs .*broken \(ring and any: the graph cannot be read"):
        found = nl.benchmark(tmp_path, {"ring": circle, "any": shaken}, 1, measures="stress")
    assert list(found.left_out) == ["broken"]


def test_stored_positions_are_a_layout():
    stored = {name: [shaken(G, seed) for seed in range(2)] for name, G in TREES.items() if name != "tree 3"}
    with pytest.warns(UserWarning, match="it has no positions of this graph"):
        found = nl.benchmark(TREES, {"mine": stored, "any": shaken, "ring": circle}, 2, measures=["stress"])
    assert found.wins.loc[("stress", "mine", "any")].tolist() == [0, 6, 0]
    assert found.left_out == {"tree 3": {"mine": "it has no positions of this graph"}}
    assert np.isnan(found.table.loc[("tree 0", "mine", 0), "seconds"])
    assert np.isnan(found.ranks.loc["mine", "seconds"])  # and the others are ranked by all graphs
    assert found.tests.friedman.loc["seconds", "graphs"] == 7


def test_a_folder_keeps_what_is_done(tmp_path):
    """After an interrupt only the rest is drawn, and other seeds are drawn anew."""
    calls = []

    def slow(graph, seed):
        calls.append(seed)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return shaken(graph, seed)

    run = {"measures": "stress", "path": tmp_path / "kept"}
    with pytest.raises(KeyboardInterrupt):
        nl.benchmark(TREES, {"slow": slow, "ring": circle}, 2, **run)
    assert len(calls) == 6
    found = nl.benchmark(TREES, {"slow": slow, "ring": circle}, 2, **run)
    assert len(calls) == 6 + 10  # two of seven graphs were done
    again = nl.benchmark(TREES, {"slow": slow, "ring": circle}, 2, **run)
    assert len(calls) == 16
    assert again.table.equals(found.table)
    assert np.array_equal(again.layouts["tree 1"]["slow"], found.layouts["tree 1"]["slow"])
    assert (
        nl.benchmark(TREES, {"slow": shaken, "ring": circle}, 2, measures="stress")
        .ranks["stress"]
        .equals(found.ranks["stress"])
    )
    nl.benchmark(TREES, {"slow": slow, "ring": circle}, 3, **run)
    assert len(calls) == 16 + 21
    kept = next((tmp_path / "kept").glob("tree_1-slow-*"))
    kept.write_bytes(b"PK broken")
    with pytest.warns(UserWarning, match="cannot be read"):
        nl.benchmark(TREES, {"slow": slow, "ring": circle}, 2, **run)
    assert len(calls) in (37, 39)  # the file of two seeds or the one of three


REFUSED = {
    "one layout": (TREES, ["ws-sne"], {}, "at least two layouts"),
    "unknown": (TREES, ["ws-sne", "ws-sen"], {}, "unknown method or peer 'ws-sen'"),
    "unknown peer": (TREES, ["ws-sne", "nx:sprng"], {}, "did you mean 'nx:spring'"),
    "twice": (TREES, ["ws-sne", "ws-sne"], {}, "given twice"),
    "text": (TREES, "ws-sne", {}, "layouts must be a list or a dict"),
    "no layout": (TREES, ["ws-sne", 3], {}, "the layout 3 is a int"),
    "one graph": (nx.path_graph(3), ["ws-sne", "tsne"], {}, "got one Graph"),
    "no graph": ([], ["ws-sne", "tsne"], {}, "at least one graph"),
    "no folder": ("nowhere", ["ws-sne", "tsne"], {}, "does not exist"),
    "no file": (["nowhere.graphml"], ["ws-sne", "tsne"], {}, "does not exist"),
    "measure": (TREES, ["ws-sne", "tsne"], {"measures": ["stres"]}, "did you mean 'stress'"),
    "labels": (TREES, ["ws-sne", "tsne"], {"measures": ["class_auc"]}, "class_auc.*labels"),
    "seeds": (TREES, ["ws-sne", "tsne"], {"seeds": 0}, "seeds=0"),
    "alpha": (TREES, ["ws-sne", "tsne"], {"alpha": 5}, "alpha must be a number between 0 and 1"),
    "threads": (TREES, ["ws-sne", "tsne"], {"n_jobs": "x"}, "n_jobs must be"),
    "not installed": (TREES, ["ws-sne", "graphviz:no"], {}, "unknown method or peer"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_bad_input_is_named_before_anything_is_drawn(what, monkeypatch):
    import nelayout.comparison.benchmarking as benchmarking

    monkeypatch.setattr(benchmarking, "tried", lambda *_, **__: pytest.fail("it draws before it has looked"))
    graphs, layouts, keywords, said = REFUSED[what]
    with pytest.raises(InputError, match=said):
        nl.benchmark(graphs, layouts, **keywords)


def test_nothing_drawn_is_an_error():
    with pytest.raises(InputError, match=r"no layout draws any of 2 graphs; of 'K5': .*not planar"):
        nl.benchmark(WHOLE, {"a": nx.planar_layout, "b": nx.planar_layout}, 1)


def test_tables_and_page(found, tmp_path):
    table = found.to_markdown()
    assert table.splitlines()[0] == "| layout | stress ↓ | crossings ↓ | neighborhood ↑ | seconds ↓ |"
    assert "| ring\\_1 |" in table
    found.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert page.startswith("<!doctype html>")
    assert page.count("<svg") == 1
    assert "NetworkXException: G is not planar." in page
    assert not any(word in page for word in ("<script", "src=", "@import"))
    assert found._repr_html_() in page
    with pytest.raises(InputError, match="does not exist"):
        found.to_html(tmp_path / "nowhere" / "page.html")


def test_bold_ranks_are_within_the_critical_difference(found):
    rows = [[cell.strip() for cell in row.strip("|").split("|")][1:] for row in found.to_markdown().splitlines()[2:6]]
    for k, m in enumerate([*MEASURES, "seconds"]):
        ranks, test = found.ranks[m], found.tests.friedman.loc[m]
        near = (ranks <= ranks.min() + test["critical_difference"]).tolist()
        expected = near if test["p"] < 0.05 and not all(near) else [False] * 4
        assert [row[k].startswith("**") for row in rows] == expected


def test_diagrams(found, tmp_path):
    figure = found.plot("stress")
    texts = [text.get_text() for text in figure.axes[0].texts]
    for name in ("ws", "plane", "ring_1", "any"):
        assert sum(name in text.split() for text in texts) == 1
    assert any(text.startswith("CD = 1.77") for text in texts)
    assert len(found.plot().axes) == 4
    figure.canvas.draw()
    for text in figure.axes[0].texts:
        box = text.get_window_extent()
        assert 0 <= box.x0 < box.x1 <= figure.bbox.width
        assert 0 <= box.y0 < box.y1 <= figure.bbox.height
    with pytest.raises(InputError, match="unknown ranked measure 'stres'"):
        found.plot("stres")
    single = nl.benchmark({"a": nx.path_graph(5)}, {"ring": circle, "any": shaken}, 1, measures="stress")
    with pytest.raises(InputError, match="at least 2 graphs"):
        single.plot()
    assert "too few to test" in single._repr_html_()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not installed")
def test_latex_compiles_it(found, tmp_path):
    body = found.to_latex(caption="Ranks & 50 %", label="tab:ranks") + found.to_latex()
    page = rf"\documentclass{{article}}\usepackage{{booktabs}}\begin{{document}}{body}\end{{document}}"
    (tmp_path / "page.tex").write_text(page)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
