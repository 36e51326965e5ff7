"""The coarsest graph: all starts at once go down the objective that they are said to go down."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array
from tables import first

from nelayout.catalogue import METHODS
from nelayout.numerics.parallel import Threads
from nelayout.objective import Affinity
from nelayout.optimizers import Majorize
from nelayout.optimizers.minimize import Rest, minimize
from nelayout.run import coarsest
from nelayout.run.drawing import Summation
from nelayout.sums.nbody import Exact

SUMS = Summation(Exact(), Threads(), False)


def affinity_of(G: nx.Graph, seed: int = 0) -> Affinity:
    rng = np.random.default_rng(seed)
    A = nx.to_scipy_sparse_array(G, weight=None, dtype=float, format="csr")
    A = csr_array((A.data, A.indices.astype(np.int32), A.indptr.astype(np.int32)), shape=A.shape)
    return Affinity(A, rng.uniform(0.5, 3.0, A.shape[0]))


@pytest.mark.parametrize(
    "G", first([nx.karate_club_graph(), nx.grid_2d_graph(5, 7), nx.balanced_tree(2, 4)], 1), ids=str
)
def test_the_lowest_of_many_is_as_low_as_the_best_of_three_that_were_majorized(G):
    affinity = affinity_of(G)
    J = SUMS.objective(METHODS["gamma-quadlog"], affinity)
    rng, best = np.random.default_rng(2), []
    for _ in range(5):
        starts = [rng.standard_normal((len(G), 2)) for _ in range(3)]
        ends = [minimize(J, Y, Majorize(), 100, Rest(0.02, gain=3e-4))[0] for Y in starts]
        best.append(min(J.evaluate(Y).value for Y in ends))
    ours = [J.evaluate(coarsest.lowest_of_many(affinity, 2, np.random.default_rng(s))).value for s in range(5)]
    assert np.median(ours) <= np.median(best) + 1e-4
