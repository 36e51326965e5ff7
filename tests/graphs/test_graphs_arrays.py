"""Matrices become symmetric weights by the rules, of whatever format, and are left as they were."""

import re

import networkx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays as numpy_arrays

import nelayout as nl
from nelayout.errors import InputError
from nelayout.graphs import read

FORMATS = ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"]
A = np.array([[5.0, 2, 0, 0], [1, 0, 0, 3], [0, 0, 0, 0], [0, 3, 0, 7]])
P = np.array([[0.0, 3, 0, 0], [3, 0, 0, 6], [0, 0, 0, 0], [0, 6, 0, 0]])


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix])
def test_every_sparse_format(form, kind):
    network = read(kind(A).asformat(form))
    assert np.array_equal(network.adjacency.toarray(), P)
    assert network.adjacency.has_canonical_format
    assert network.adjacency.indices.dtype == network.adjacency.indptr.dtype == np.int32
    assert network.directed
    assert network.weighted
    assert list(network.labels) == [0, 1, 2, 3]


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float32, np.float64, np.longdouble])
def test_every_number_type(dtype):
    adjacency = read(A.astype(dtype)).adjacency
    assert adjacency.dtype == np.float64
    assert np.array_equal(adjacency.toarray(), read(A.astype(dtype).astype(float)).adjacency.toarray())


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")  # it is what we read
def test_matrix_class_and_masked_array():
    assert np.array_equal(read(np.asmatrix(A)).adjacency.toarray(), P)
    masked = np.ma.masked_array(A, mask=A == 3)
    assert np.array_equal(read(masked).adjacency.toarray(), np.where(P == 6, 0, P))


@given(
    numpy_arrays(
        np.float64, st.integers(0, 7).map(lambda n: (n, n)), elements=st.sampled_from([0.0, 0.0, 0.3, 1.0, 2.5])
    )
)
def test_rule_for_any_matrix(matrix):
    off = matrix * (1 - np.eye(len(matrix)))
    symmetric = np.array_equal(off, off.T)
    for given_matrix in (matrix, sp.csr_array(matrix), sp.csc_array(matrix)):
        network = read(given_matrix)
        assert np.array_equal(network.adjacency.toarray(), off if symmetric else off + off.T)
        assert network.directed == (not symmetric)
        assert np.array_equal(read(given_matrix, weight=None).adjacency.toarray(), by_pattern(off != 0))


def by_pattern(pattern):
    ones = pattern.astype(float)
    return ones if np.array_equal(ones, ones.T) else ones + ones.T


def test_symmetric_up_to_rounding_is_undirected():
    S = np.array([[0, 1.0, 2], [1, 0, 0], [2, 0, 0]])
    rounded = S.copy()
    rounded[0, 2] += 1e-13
    rounded[1, 2] = 1e-14  # rounding may also leave an entry on one side only
    network = read(rounded)
    assert not network.directed
    assert np.array_equal(network.adjacency.toarray(), network.adjacency.toarray().T)
    np.testing.assert_allclose(network.adjacency.toarray(), S, atol=1e-12)
    rounded[0, 2] += 1e-9
    assert read(rounded).directed
    assert not read(1e-20 * S).directed
    assert read(np.array([[0, 1e-20], [2e-20, 0]])).directed


@pytest.mark.parametrize("wrong", [-1.0, np.nan, np.inf])
@pytest.mark.parametrize("sparse", [False, True])
def test_wrong_weight_names_the_entry(wrong, sparse):
    matrix = A.copy()
    matrix[3, 1] = wrong
    with pytest.raises(InputError, match=r"edge \(3, 1\) has weight"):
        read(sp.csc_matrix(matrix) if sparse else matrix)


def test_diagonal_is_not_looked_at():
    matrix = P.copy()
    np.fill_diagonal(matrix, [np.nan, -1, np.inf, 5])
    assert np.array_equal(read(matrix).adjacency.toarray(), P)


def test_stored_zeros_are_no_edges_and_pieces_of_an_entry_add_up():
    matrix = sp.csr_array((np.array([0.0, 2.0, 0.0, 2.0]), ([0, 1, 1, 2], [1, 2, 0, 1])), shape=(3, 3))
    network = read(matrix)
    assert network.adjacency.nnz == 2
    assert "2 stored entries of weight 0" in network.notes[0]
    assert read(matrix, weight=None).adjacency.nnz == 4
    pieces = sp.coo_array((np.array([1.0, 2.0, 4.0]), ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    assert np.array_equal(read(pieces).adjacency.toarray(), [[0, 7], [7, 0]])


def test_distance_and_log():
    D = np.array([[0, 1.0, 0], [1, 0, 3], [0, 3, 0]])
    assert read(D, weight_kind="distance").adjacency.toarray().tolist() == [[0, 2, 0], [2, 0, 2 / 3], [0, 2 / 3, 0]]
    assert np.array_equal(read(D, weight_kind="log").adjacency.toarray(), np.log1p(D))
    with pytest.raises(InputError, match=r"edge \(0, 1\) has weight 0.0; .*> 0"):
        read(sp.csr_array((np.array([0.0]), ([0], [1])), shape=(2, 2)), weight_kind="distance")
    with pytest.raises(InputError, match="did you mean 'log'"):
        read(D, weight_kind="logs")


EDGES = np.array([[7, 3], [3, 5], [5, 7], [5, 9]])


@pytest.mark.parametrize(
    "given", [EDGES, EDGES.T, (EDGES[:, 0], EDGES[:, 1]), [EDGES[:, 0], EDGES[:, 1], np.array([1.0, 2.0, 3.0, 4.0])]]
)
def test_arrays_of_edges_are_answered_with_the_line_that_makes_a_graph(given):
    with pytest.raises(InputError) as caught:
        nl.layout(given)
    (line,) = re.findall(r"G = networkx.*\)\)\)?$|networkx\.Graph\((?:E|zip).*\(\)\)\)?", str(caught.value))
    parts = dict(zip(("source", "target", "weight"), given, strict=False)) if isinstance(given, (tuple, list)) else {}
    names = {"networkx": networkx, "E": given, **parts}
    exec(line.replace(" and ", "; ") if "G =" in line else f"G = {line}", names)
    assert {frozenset(edge) for edge in names["G"].edges} == {frozenset(edge) for edge in EDGES.tolist()}
    assert len(nl.layout(names["G"], seed=0)) == 4


@pytest.mark.parametrize("form", FORMATS)
def test_matrix_is_not_changed_nor_shared(form):
    matrix, dense = sp.csr_array(A).asformat(form), A.copy()
    dense.flags.writeable = False
    before = matrix.copy()
    for each in (matrix, dense):
        read(each).adjacency.data[:] = -1
    assert (matrix != before).nnz == 0
    assert np.array_equal(dense, A)
    unsorted = sp.csr_array((np.array([1.0, 2, 3]), np.array([2, 0, 0]), np.array([0, 2, 2, 3])), shape=(3, 3))
    parts = [part.copy() for part in (unsorted.data, unsorted.indices, unsorted.indptr)]
    read(unsorted)
    read(unsorted, weight=None)
    for part, kept in zip((unsorted.data, unsorted.indices, unsorted.indptr), parts, strict=True):
        assert np.array_equal(part, kept)


def test_host_of_a_matrix():
    host = read(P).host
    Y = host.positions({2: (1, 1), 9: (0, 0)}, 2)
    assert np.isnan(Y[[0, 1, 3]]).all()
    assert Y[2].tolist() == [1, 1]
    assert host.nodes([3, np.int64(1)]).tolist() == [1, 3]
    assert host.values(np.arange(4), "mass").tolist() == [0, 1, 2, 3]
    written = host.write(np.zeros((4, 2), dtype=np.float32))
    assert written.dtype == np.float64
    for call, message in [
        (lambda: host.nodes([4]), "fixed holds 4"),
        (lambda: host.nodes([-1]), "fixed holds -1"),
        (lambda: host.values("age", "mass"), "a matrix has no node attributes"),
        (lambda: host.write(np.zeros((4, 2)), store_pos_as="pos"), "store_pos_as needs a graph whose nodes"),
    ]:
        with pytest.raises(InputError, match=message):
            call()
