"""The choices of "auto": masses, stars, rings, symmetry."""

from dataclasses import replace
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from nelayout.run.auto.candidates import Candidate, Candidates
from nelayout.run.auto.masses import masses_of
from nelayout.run.auto.rings import is_ring
from nelayout.run.auto.stars import is_star
from nelayout.run.auto.symmetry import Symmetry
from nelayout.run.auto.verdict import Judge
from scipy.sparse import csr_array

import nelayout as nl
from nelayout.catalogue.stages import Descend
from nelayout.graphs import read
from nelayout.numerics.parallel import Threads
from nelayout.objective import Affinity
from nelayout.run.drawing import Drawing


def adjacency(G: nx.Graph) -> csr_array:
    return read(G).adjacency


def drawn(G: nx.Graph, **options) -> np.ndarray:
    return np.array([*nl.layout(G, seed=0, **options).values()])


def variation(x: np.ndarray) -> float:
    return float(np.std(x) / np.mean(x))


# --- masses -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("G", "powers"),
    [
        (nx.barabasi_albert_graph(300, 2, seed=0), (0.25, 0.0)),  # sparse
        (nx.barabasi_albert_graph(300, 8, seed=0), (1.0, 0.8)),  # dense and crowded
    ],
    ids=["sparse", "crowded"],
)
def test_masses_are_powers_of_the_strengths(G, powers):
    P = adjacency(G)
    strength = P.sum(axis=1)
    masses, notes = masses_of(P, "auto", None, np.random.default_rng(0))
    assert notes == ()
    assert masses.other is not None
    for found, power in zip(masses, powers, strict=True):
        np.testing.assert_allclose(found, strength**power / np.mean(strength**power), rtol=1e-9)


def test_nothing_is_tried_where_all_weigh_the_same_or_masses_are_given():
    assert masses_of(adjacency(nx.cycle_graph(9)), "auto", None, np.random.default_rng(0))[0].other is None
    assert masses_of(adjacency(nx.path_graph(9)), "degree", None, np.random.default_rng(0))[0].other is None
    G = nx.karate_club_graph()
    trace = nl.solve(G, mass="degree", seed=0).trace
    assert "other masses" not in {step.stage for step in trace}
    assert "other masses" in {step.stage for step in nl.solve(G, seed=0).trace}


@pytest.mark.parametrize("seed", range(3))
def test_the_better_of_two_masses_is_kept(seed):
    """By the verdict itself, the drawing is at least as good as the best that the first masses have."""
    G = nx.les_miserables_graph()
    P = adjacency(G)
    judge, first = Judge(P, Threads()), masses_of(P, "auto", None, np.random.default_rng(0))[0].first
    alone = nl.solve(csr_array(P), mass=first, seed=seed)
    both = nl.solve(csr_array(P), seed=seed)
    assert judge.score(both.positions) >= (1 - 1e-6) * judge.score(alone.positions)


def test_the_value_is_that_of_the_masses_that_were_taken():
    """A drawing that is given back without a step has the value that it was drawn with."""
    for G in (nx.les_miserables_graph(), nx.karate_club_graph(), nx.path_graph(9)):
        solution = nl.solve(G, seed=0)
        values = [step.value for step in solution.trace]
        assert min(abs(solution.value - value) for value in values) < 1e-5 * abs(solution.value)  # leaves are opened


def test_max_iter_is_for_the_last_stage():
    G = nx.karate_club_graph()
    for most in (0, 1, 40, 120):
        own = [step for step in nl.solve(G, max_iter=most, seed=0).trace if step.stage == "descend"]
        assert len(own) <= most


# --- symmetry -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("G", "classes"),
    [
        (nx.star_graph(6), 2),
        (nx.wheel_graph(9), 2),
        (nx.cycle_graph(7), 1),
        (nx.complete_bipartite_graph(2, 5), 2),
        (nx.path_graph(7), 4),
        (nx.grid_2d_graph(4, 4), 3),
        (nx.balanced_tree(2, 3), 4),
        (nx.windmill_graph(3, 4), 2),
    ],
)
def test_classes_of_nodes_that_look_the_same(G, classes):
    assert len(np.unique(Symmetry(adjacency(G)).color)) == classes


def test_weights_tell_nodes_apart():
    G = nx.star_graph(4)
    nx.set_edge_attributes(G, {(0, 1): 2.0, (0, 2): 2.0, (0, 3): 1.0, (0, 4): 1.0}, "weight")
    assert len(np.unique(Symmetry(adjacency(G)).color)) == 3


def test_broken_symmetry_is_a_coefficient_of_variation():
    """Of a star with leaves at distances 1, 1, 1, 3: mean 1.5, deviation sqrt 0.75; 4 of 5 nodes are leaves."""
    Y = np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -3.0]])
    symmetry = Symmetry(adjacency(nx.star_graph(4)))
    radius = np.linalg.norm(Y - Y.mean(axis=0), axis=1)[1:]
    expected = max(np.sqrt(0.75) / 1.5, variation(radius))
    assert symmetry.broken(Y) == pytest.approx(0.8 * expected)
    assert symmetry.broken(np.array([[0.0, 0.0], [1, 0], [-1, 0], [0, 1], [0, -1]])) == pytest.approx(0.0, abs=1e-12)


SYMMETRIC = [*map(nx.star_graph, (8, 30, 100)), nx.complete_bipartite_graph(2, 12), nx.wheel_graph(20)]


@pytest.mark.parametrize("G", SYMMETRIC, ids=["star 8", "star 30", "star 100", "bipartite", "wheel"])
def test_symmetric_graphs_are_drawn_so(G):
    """Leaves and rims lie on a circle; they were scattered over radii from 0.2 to 1."""
    Y = drawn(G)
    rim = [i for i, node in enumerate(G) if G.degree[node] <= 3]
    hubs = [i for i in range(len(Y)) if i not in rim]
    assert variation(np.linalg.norm(Y[rim] - Y[hubs].mean(axis=0), axis=1)) < 0.05


# --- stars and rings ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("leaves", [300, 5000])
def test_large_stars_are_even_discs(leaves):
    """As many leaves in each of five rings of equal area, to a tenth; the hub in the middle."""
    G = nx.star_graph(leaves)
    assert is_star(adjacency(G))
    Y = drawn(G)
    r = np.linalg.norm(Y[1:] - Y[0], axis=1)
    counts = np.histogram(r / r.max(), bins=np.sqrt(np.linspace(0, 1, 6)))[0]
    assert np.abs(counts / (leaves / 5) - 1).max() < (0.3 if leaves == 300 else 0.1)


def test_what_is_no_large_star():
    for G in (nx.star_graph(100), nx.path_graph(500), nx.barabasi_albert_graph(500, 1, seed=0), nx.wheel_graph(500)):
        assert not is_star(adjacency(G))


@pytest.mark.parametrize("n", [3, 4, 30, 1000, 20_000])
@pytest.mark.parametrize("dim", [2, 3])
def test_rings_are_circles(n, dim):
    if n > 1000 and dim == 3:
        pytest.skip("as the plane, only slower")
    Y = drawn(nx.cycle_graph(n), dim=dim)
    assert variation(np.linalg.norm(Y - Y.mean(axis=0), axis=1)) < 1e-3
    assert variation(np.linalg.norm(np.roll(Y, 1, axis=0) - Y, axis=1)) < 1e-2


@pytest.mark.parametrize("n", [21, 60, 160])
def test_wheels_are_round(n):
    """They were horseshoes, the hub in the opening; the names of the nodes tell nothing of their order."""
    order = np.random.default_rng(n).permutation(n).tolist()
    G = nx.relabel_nodes(nx.wheel_graph(n), dict(enumerate(order)))
    G = nx.Graph(sorted(G.edges))
    Y = dict(zip(G, drawn(G), strict=True))
    rim = np.array([Y[order[k]] for k in range(1, n)])
    assert variation(np.linalg.norm(rim - Y[order[0]], axis=1)) < 1e-3
    assert variation(np.linalg.norm(np.roll(rim, 1, axis=0) - rim, axis=1)) < 1e-3


def test_what_is_a_ring_or_a_wheel():
    two_rims = nx.disjoint_union(nx.cycle_graph(4), nx.cycle_graph(4))
    two_rims.add_edges_from((8, k) for k in range(8))
    for G in (nx.complete_graph(4), two_rims, nx.path_graph(5), nx.star_graph(4), nx.complete_graph(5)):
        assert not is_ring(adjacency(G))
    for G in (nx.cycle_graph(3), nx.cycle_graph(9), nx.wheel_graph(5), nx.wheel_graph(9)):
        assert is_ring(adjacency(G))


@pytest.mark.parametrize(
    ("n", "kept", "scores", "best"),
    [(9, 0.9, [1.0, 1.01, 0.99], 1), (10_001, 0.9, [1.0, 1.01, 1.03], 2), (10_001, 0.3, [1.0, 1.01, 1.005], 1)],
)
def test_heavier_tails_of_large_flat_graphs_must_be_clearly_better(n, kept, scores, best):
    """Other masses need no more than to be better, nor do tails where most neighborhoods are lost anyway."""
    P = adjacency(nx.path_graph(n))
    affinity, found = Affinity(P, np.ones(n)), Candidates(P, Threads())
    found.__dict__["judge"] = SimpleNamespace(score=float, neighborhoods=SimpleNamespace(kept=lambda _: kept))
    candidates = [Candidate(Drawing(np.array(score)), Descend("tail", 1), affinity) for score in scores]
    goes_on = [found.add(candidate) for candidate in candidates]
    assert goes_on == ([True, True, True] if n == 9 else [True, False, False])
    assert found.best is candidates[best]
    other = Candidate(Drawing(np.array(scores[best] * 1.001)), Descend("tail", 1), replace(affinity))
    found.add(other)
    assert found.best is other
