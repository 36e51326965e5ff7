"""The graphs that come with the package."""

import pytest

import nelayout as nl


def test_counties_touch_within_reach():
    """Counties that touch lie close together."""
    G = nl.example_graph("counties")
    far = [
        (u, v)
        for u, v in G.edges
        if abs(G.nodes[u]["lat"] - G.nodes[v]["lat"]) > 3 and G.nodes[u]["state"] != "AK" != G.nodes[v]["state"]
    ]
    assert far == []


def test_airports_have_flights_and_states():
    G = nl.example_graph("airports")
    assert not any(u == v for u, v in G.edges)
    assert {type(services) for *_, services in G.edges(data="services")} == {int}
    assert all(len(state) == 2 for _, state in G.nodes(data="state"))


@pytest.mark.parametrize("name", ["airport", "Airports", None, ["counties"]])
def test_an_unknown_example_names_the_examples(name):
    with pytest.raises(nl.InputError, match=r"unknown example .*'airports', 'counties'"):
        nl.example_graph(name)
