"""Parts and methods as values: every printed name can be read back, equal parts are equal, hash alike and pickle."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from oracles import NAMED

import nelayout as nl
from nelayout.core.catalogue import AUTO, METHODS
from nelayout.core.catalogue.stages import Descend
from nelayout.core.formula.connections import CONNECTIONS, Fixed, connection_named
from nelayout.core.formula.divergences import beta, divergence_named, f_divergence, mix, nerv_divergence, reverse_kl
from nelayout.core.formula.kernels import KERNELS, Kernel, heavy_tailed, inverse_power, kernel_named
from nelayout.errors import InputError, Unsupported

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


@pytest.mark.parametrize("part", [*KERNEL_TABLE, *CONNECTION_TABLE], ids=lambda part: part.name)
def test_kernels_and_connections_are_values_with_names(part):
    named = kernel_named if isinstance(part, Kernel) else connection_named
    assert named(part.name) == part
    value_like(part, named(part.name))


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


WRONG = [
    ({"divergence": "js:1"}, "js takes no number"),
    ({"divergence": "beta"}, "beta:NUMBER"),
    ({"divergence": "beta:x"}, "'x' is not a number"),
    ({"divergence": "beta:nan"}, "the order of a beta divergence must be a finite number; got nan"),
    ({"divergence": "alpha:inf"}, "the order of an alpha divergence must be a finite number; got inf"),
    ({"divergence": "mix:0.3"}, "mix:NUMBER:FIRST:SECOND"),
    ({"divergence": "mix:kl:js"}, "'kl' is not a number"),
    ({"divergence": "mix:0.3:kl:js:chi2"}, "mix:NUMBER:FIRST:SECOND"),
    ({"divergence": "mix:0.3:kl:jss"}, "jss"),
    ({"divergence": "reverse-kl:2"}, "between 0 and 1"),
    ({"divergence": 3}, "a name, a function f or a Divergence; got int"),
    ({"divergence": nl.divergences.Beta}, "a name, a function f or a Divergence; got type"),
    ({"divergence": "itakura-sato"}, "unknown divergence 'itakura-sato': did you mean 'itakura-saito'.* Allowed: "),
    ({"kernel": "kernel:1:1"}, "three numbers"),
    ({"kernel": "kernel:1:-1:1"}, "must be finite and >= 0, b finite and > 0; got a=1.0, b=-1.0, c=1.0"),
    ({"kernel": "heavy-tailed:x"}, "write a number after the colon, as in 'heavy-tailed:2'"),
    ({"kernel": "inverse-power:"}, "write a number after the colon, as in 'inverse-power:2'"),
    ({"kernel": "heavy-tailed"}, "heavy-tailed:2"),
    *(({"kernel": f"heavy-tailed:{x}"}, f"tail must be a finite number >= 0; got {x}") for x in (-0.5, np.nan, np.inf)),
    *(({"kernel": f"inverse-power:{x}"}, f"must be a finite number > 0; got {x}") for x in (0.0, np.nan)),
    ({"kernel": "gausian"}, "unknown kernel 'gausian': did you mean 'gaussian'.* Allowed: "),
    ({"connection": "fixed:x"}, "number > 0"),
    ({"connection": "fixed:-1"}, "number > 0"),
    ({"connection": "optimal:1"}, "only 'fixed' takes a number"),
    ({"connection": 2.0}, "a name or a Connection; got float"),
    ({"connection": "optimum"}, "unknown connection 'optimum': did you mean 'optimal'.* Allowed: "),
    ({"affinity": "sum1"}, "unknown affinity 'sum1': did you mean 'sum-1'.* Allowed: "),
    ({"stages": ("majorize",)}, "stages must be"),
    *(
        ({"divergence": name, "connection": "optimal"}, f"a degree.*beta of any order and alpha of order > 0.*'{said}'")
        for name, said in (("alpha:-1", "alpha:-1"), ("alpha:0", "reverse-kl"), ("js", "js"))
    ),
]


@pytest.mark.parametrize(("parts", "words"), WRONG)
def test_parts_that_cannot_be_made(parts, words):
    with pytest.raises((InputError, Unsupported), match=words):
        nl.Method(**{"connection": "normalized", **parts})


def test_the_optimal_connection_takes_beta_divergences_of_any_order():
    assert nl.Method(divergence=beta(-3.0), connection="optimal").connection.name == "optimal"
