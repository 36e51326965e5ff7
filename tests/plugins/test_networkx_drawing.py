"""networkx's own tools of drawing take our positions as they take their own, and its tests take our layouts."""

import inspect
import os
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import nelayout as nl

REPOSITORY = Path(__file__).resolve().parents[2]
KARATE = nx.karate_club_graph()


@pytest.fixture
def axes():
    matplotlib = pytest.importorskip("matplotlib", reason="networkx draws by matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def drawn_at(axes) -> np.ndarray:
    return next(np.asarray(c.get_offsets()) for c in axes.collections if len(c.get_offsets()) == len(KARATE))


@pytest.mark.parametrize("draw", [nx.draw, nx.draw_networkx])
def test_pictures_show_every_node_at_its_place(draw, axes):
    pos = nl.ws_sne_layout(KARATE, seed=0)
    draw(KARATE, pos, ax=axes)
    np.testing.assert_array_equal(drawn_at(axes), np.array([pos[v] for v in KARATE]))


def test_display_reads_the_positions_that_were_stored(axes):
    if not hasattr(nx, "display"):
        pytest.skip("networkx has display from 3.6 on")
    G = nx.karate_club_graph()
    pos = nl.ws_sne_layout(G, seed=0, store_pos_as="pos")
    nx.display(G, canvas=axes, node_label=False)
    np.testing.assert_array_equal(drawn_at(axes), np.array([pos[v] for v in G]))


def test_keywords_and_defaults_of_its_spring_layout_are_ours():
    """All but those of its own algorithm; seeds are Python's own defaults in both."""
    theirs = inspect.signature(nx.spring_layout).parameters
    ours = inspect.signature(nl.layout).parameters
    algorithm = {"k", "iterations", "threshold", "method", "gravity", "backend", "backend_kwargs"}
    shared = {name: p.default for name, p in theirs.items() if name not in algorithm}
    assert {"G", "pos", "fixed", "scale", "center", "dim", "weight", "seed"} <= shared.keys()
    assert shared == {name: ours[name].default for name in shared}


def crossings(G, top, pos) -> int:
    """Pairs of edges between two layers whose ends stand in opposite orders."""
    edges = [(u, v) if u in top else (v, u) for u, v in G.edges]
    ends = np.array([(pos[u][1], pos[v][1]) for u, v in edges])
    apart = ends[:, None] - ends
    return int(np.sum(apart[..., 0] * apart[..., 1] < 0)) // 2


@pytest.mark.full
def test_layers_have_fewer_crossings_than_in_the_order_of_the_study():
    """As the gallery has it; networkx's own order crosses twice as often, and tells nothing."""
    G = nx.davis_southern_women_graph()
    women = G.graph["top"]
    study = nx.multipartite_layout(G, subset_key={0: women, 1: G.graph["bottom"]})
    theirs = nx.bipartite_layout(G, women)
    ours = nl.ws_sne_layout(G, pos=theirs, fixed=dict.fromkeys(G, "x"), seed=0)
    assert all(ours[v][0] == theirs[v][0] for v in G)
    assert crossings(G, women, ours) < 0.9 * crossings(G, women, study)
    assert crossings(G, women, ours) == float(nl.measure(G, ours, measures=["crossings"])["crossings"])


IN_ITS_PLACE = """
import networkx as nx, nelayout as nl

def spring_layout(
    G, k=None, pos=None, fixed=None, iterations=50, threshold=1e-4, weight="weight", scale=1, center=None, dim=2,
    seed=None, store_pos_as=None, *, method="auto", gravity=1.0
):
    return nl.METHOD_layout(
        G, pos, fixed, max_iter=iterations, weight=weight, scale=scale, center=center, dim=dim, seed=seed,
        store_pos_as=store_pos_as,
    )

for module in (nx, nx.drawing, nx.drawing.layout):
    module.spring_layout = module.fruchterman_reingold_layout = spring_layout
"""


def test_the_empty_list_is_a_graph_without_nodes():
    for layout in (nl.ws_sne_layout, nl.layout, nl.forceatlas2_layout):
        assert layout([]) == nx.spring_layout([]) == {}
    for G in ([1, 2], (), {}, set()):  # the rest is said to become a graph in another way
        with pytest.raises(TypeError, match=r"networkx\.Graph"):
            nl.ws_sne_layout(G)


@pytest.mark.full
@pytest.mark.parametrize("method", ["ws_sne", "forceatlas2"])
def test_networkx_s_tests_of_layouts_pass_with_ours_for_its_spring_layout(method, tmp_path):
    (tmp_path / "in_its_place.py").write_text(IN_ITS_PLACE.replace("METHOD", method))
    path = os.pathsep.join([str(tmp_path), str(REPOSITORY)])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "in_its_place", "-p", "no:cacheprovider"]
    command += ["--pyargs", "networkx.drawing.tests.test_layout"]
    env = {**os.environ, "PYTHONPATH": path, "MPLBACKEND": "Agg"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=env, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
