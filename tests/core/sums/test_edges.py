"""Sums over edges: the loop for equal similarities has the sums of NumPy, for each kernel and size of a drawing."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

from nelayout.core.formula.divergences import i_divergence, itakura_saito
from nelayout.core.formula.kernels import KERNELS
from nelayout.core.sums.edges.matrix import Edges
from nelayout.numerics.parallel import Threads

WANT = frozenset({"pull", "attraction"})


def hub_and_ring(n: int = 1_500) -> csr_array:
    """A hub with more entries than one product has, and nodes with a few entries."""
    return csr_array(nx.to_scipy_sparse_array(nx.wheel_graph(n), dtype=float))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e6])
def test_equal_similarities_have_the_sums_of_numpy(kernel, size):
    P = 0.3 * hub_and_ring()
    n = P.shape[0]
    Y, mass = size * np.random.default_rng(0).standard_normal((n, 2)), np.ones(n)
    found = [
        Edges(P, mass, True, Threads(), compiled).sums(Y, KERNELS[kernel], i_divergence(), 0.7, WANT)
        for compiled in (True, False)
    ]
    fast, plain = found
    assert fast.value == pytest.approx(plain.value, rel=1e-12)
    assert fast.slope == pytest.approx(plain.slope, rel=1e-12)
    for a, b in [(fast.pull, plain.pull), (fast.attraction, plain.attraction)]:
        assert np.abs(a - b).max() <= 1e-12 * np.abs(b).max()


# One weight that differs, a third dimension, and another power of b take the loops for all similarities.
@pytest.mark.parametrize("case", ["weight", "space", "power"])
def test_other_sums_stay_right(case):
    P = hub_and_ring()
    P.data[3 if case == "weight" else slice(0)] = 2.0
    n, d = P.shape[0], 3 if case == "space" else 2
    Y, rule = np.random.default_rng(1).standard_normal((n, d)), itakura_saito() if case == "power" else i_divergence()
    fast, plain = (
        Edges(P, np.ones(n), True, Threads(), compiled).sums(Y, KERNELS["cauchy"], rule, 1.0, WANT)
        for compiled in (True, False)
    )
    assert fast.value == pytest.approx(plain.value, rel=1e-12)
    assert np.abs(fast.pull - plain.pull).max() <= 1e-12 * np.abs(plain.pull).max()


def test_j_is_infinite_where_the_square_of_a_length_overflows():
    P = hub_and_ring()
    Y = np.random.default_rng(2).standard_normal((P.shape[0], 2))
    Y[7] = 1e160
    edges = Edges(P, np.ones(len(Y)), True, Threads(), True)
    with np.errstate(over="ignore"):
        assert edges.sums(Y, KERNELS["cauchy"], i_divergence(), 1.0, WANT).value == np.inf
