"""Parts and methods as values: every printed name can be read back, equal parts are equal, hash alike and pickle."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from oracles import NAMED

import nelayout as nl
from nelayout.catalogue import AUTO, METHODS
from nelayout.catalogue.stages import Descend
from nelayout.errors import InputError, Unsupported
from nelayout.formula.connections import CONNECTIONS, Fixed, connection_named
from nelayout.formula.divergences import beta, divergence_named, f_divergence, mix, nerv_divergence, reverse_kl
from nelayout.formula.kernels import KERNELS, Kernel, heavy_tailed, inverse_power, kernel_named

GROWN = {
    stage.kernel
    for method in (AUTO, *METHODS.values())
    for stage in method.stages
    if isinstance(stage, Descend) and stage.kernel is not None
}
KERNEL_TABLE = [
    *KERNELS.values(), *sorted(GROWN, key=lambda kernel: kernel.a), heavy_tailed(2), heavy_tailed(1 / 3),
    inverse_power(3), inverse_power(0.1), Kernel(0.5, 2.0, 0.7), Kernel(0.0, 2.0, 1.0),
]
CONNECTION_TABLE = [*(make() for make in CONNECTIONS.values()), Fixed(0.5), Fixed(1 / 3)]
WITH_BACKGROUND = ["reverse-kl:0.05", "alpha:-1.0:0.05", "nerv:0.2:0.05", "mix:0.3:reverse-kl:0.05:alpha:0.333"]


def value_like(one, other) -> None:
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == other
    assert repr(one) == repr(other)


@pytest.mark.parametrize("name", [*NAMED, *WITH_BACKGROUND])
def test_divergences_are_values_with_names(name):
    one, other = divergence_named(name), divergence_named(name)
    value_like(one, other)
    assert divergence_named(one.name) == one
    assert divergence_named(one.name).name == one.name
    made = nl.Method(divergence=name, connection="normalized")
    value_like(made, nl.Method(divergence=other, connection="normalized"))
    assert one.name in repr(made)


def test_what_differs_is_not_equal():
    made = [divergence_named(name) for name in [*NAMED, *WITH_BACKGROUND]]
    alike = {(a.name, b.name) for a in made for b in made if a == b and a.name != b.name}
    assert alike == {("i-divergence", "kl"), ("kl", "i-divergence")}  # one divergence, by the name it was asked for
    assert nerv_divergence(0.25) == mix(0.75, "kl", "reverse-kl")
    assert reverse_kl(0.05) != reverse_kl()


def own(t):
    return (t - 1) ** 2


def test_functions_are_divergences():
    """A user's f equals itself, and pickles where the function does."""
    value_like(divergence_named(own), f_divergence(own))
    assert f_divergence(own) != f_divergence(lambda t: (t - 1) ** 2)
    method = nl.Method(divergence=own, connection="normalized")
    value_like(method, nl.Method(divergence=f_divergence(own), connection="normalized"))
    G = np.ones((5, 5)) - np.eye(5)
    one, other = (nl.layout(G, replace(METHODS["ftsne"], divergence=d, stages=()), seed=0) for d in (own, "chi2"))
    np.testing.assert_allclose(one, other, atol=1e-6)
    with pytest.raises(InputError, match="convex"):
        nl.Method(divergence=lambda t: -((t - 1) ** 2), connection="normalized")


@pytest.mark.parametrize("kernel", KERNEL_TABLE, ids=lambda kernel: kernel.name)
def test_kernels_are_values_with_names(kernel):
    assert kernel_named(kernel.name) == kernel
    value_like(kernel, kernel_named(kernel.name))


@pytest.mark.parametrize("connection", CONNECTION_TABLE, ids=lambda connection: connection.name)
def test_connections_are_values_with_names(connection):
    assert connection_named(connection.name) == connection
    value_like(connection, connection_named(connection.name))


@pytest.mark.parametrize("method", [AUTO, *METHODS.values()], ids=lambda method: method.name)
def test_methods_are_values(method):
    value_like(method, replace(method))
    assert len(repr(method)) < 150
    again = {"kernel": method.kernel.name, "divergence": method.divergence.name, "connection": method.connection.name}
    assert replace(method, **again) == method


def test_methods_read_like_the_formula():
    assert repr(METHODS["ws-sne"]) == "Method(cauchy, i-divergence, optimal, mass=degree)"
    assert repr(METHODS["ftsne"]) == "Method(cauchy, kl, normalized)"
    stages = (Descend("one", 10), Descend("two", 10))
    named = nl.Method("gaussian", "mix:0.3:kl:js", "fixed:0.5", affinity="sum-1", stages=stages)
    assert repr(named) == "Method(gaussian, mix:0.3:kl:js, fixed:0.5, affinity=sum-1, stages=one/two)"
    assert repr(nl.Method(mass=np.ones(3))) == "Method(cauchy, i-divergence, optimal, mass=ndarray)"
    auto = nl.Method("gaussian", "alpha:auto", "normalized-rows")
    assert repr(auto) == "Method(gaussian, alpha:auto, normalized-rows)"
    value_like(auto, replace(auto, mass="unit"))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: divergence_named("js:1"), "js takes no number"),
        (lambda: divergence_named("beta"), "beta:NUMBER"),
        (lambda: divergence_named("beta:x"), "'x' is not a number"),
        (lambda: divergence_named("mix:0.3"), "mix:NUMBER:FIRST:SECOND"),
        (lambda: divergence_named("mix:kl:js"), "'kl' is not a number"),
        (lambda: divergence_named("mix:0.3:kl:js:chi2"), "mix:NUMBER:FIRST:SECOND"),
        (lambda: divergence_named("mix:0.3:kl:jss"), "jss"),
        (lambda: divergence_named("reverse-kl:2"), "between 0 and 1"),
        (lambda: divergence_named(3), "a name, a function f or a Divergence; got int"),
        (lambda: kernel_named("kernel:1:1"), "three numbers"),
        (lambda: kernel_named("heavy-tailed:x"), "heavy-tailed:2"),
        (lambda: kernel_named("heavy-tailed"), "heavy-tailed:2"),
        (lambda: kernel_named("cauchi"), "did you mean 'cauchy'"),
        (lambda: connection_named("fixed:x"), "number > 0"),
        (lambda: connection_named("optimal:1"), "only 'fixed' takes a number"),
    ],
)
def test_names_that_cannot_be_read(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_the_optimal_connection_takes_every_divergence_with_a_degree():
    with pytest.raises(Unsupported, match=r"degree.*'js'.*'normalized' or 'fixed'"):
        nl.Method(divergence="js", connection="optimal")
    assert nl.Method(divergence=beta(-3.0), connection="optimal").connection.name == "optimal"
