"""Errors say what was given, what is allowed and what to do, and are what each host's users catch."""

import pickle

import networkx as nx
import pytest

from nelayout import graphs
from nelayout.errors import (
    InputError,
    InputTypeError,
    MissingExtra,
    Unsupported,
    for_networkx,
    missing_extra,
    near_matches,
    unknown,
)


def test_classes_are_what_callers_catch():
    assert issubclass(InputError, ValueError)
    assert issubclass(InputTypeError, InputError)
    assert issubclass(InputTypeError, TypeError)
    assert issubclass(Unsupported, ValueError)
    assert not issubclass(Unsupported, InputError)
    assert issubclass(MissingExtra, ImportError)


@pytest.mark.parametrize("given", ["ws_sne", "WS-SNE", "ws-sen", "ws sne"])
def test_misspelt_name_gets_its_near_match_first(given):
    message = str(unknown("method", given, ["t-sne", "ws-sne", "linlog"]))
    assert message.startswith(f"unknown method {given!r}: did you mean 'ws-sne'")
    assert message.endswith("Allowed: 'linlog', 't-sne', 'ws-sne'")


def test_hopeless_name_gets_the_list():
    assert str(unknown("kernel", "xyzzy", ["cauchy"])) == "unknown kernel 'xyzzy'. Allowed: 'cauchy'"
    assert str(unknown("kernel", 7, [])) == "unknown kernel 7. There are none."


def test_long_lists_are_counted():
    message = str(unknown("column", "qqq", [f"c{k:03d}" for k in range(100)]))
    assert "'c029' and 70 more" in message
    assert "c030" not in message


def test_near_matches_of_things_that_are_no_text():
    assert near_matches(3, ["3"]) == []
    assert near_matches(None, ["none"]) == []


def test_missing_extra_names_the_command():
    error = missing_extra("pandas", "compare", "tables")
    assert 'pip install "nelayout[compare]"' in str(error)
    assert error.name == "pandas"


@pytest.mark.parametrize("kind", [InputError, InputTypeError, Unsupported])
def test_networkx_error_is_both(kind):
    error = for_networkx(kind("what, allowed, do"))
    assert isinstance(error, kind)
    assert isinstance(error, ValueError)
    assert isinstance(error, nx.NetworkXError)
    assert str(error) == "what, allowed, do"
    assert type(error).__name__ == kind.__name__
    assert for_networkx(error) is error


def test_networkx_error_survives_pickling():
    error = pickle.loads(pickle.dumps(for_networkx(InputError("over there"))))
    assert isinstance(error, InputError)
    assert isinstance(error, nx.NetworkXError)
    assert str(error) == "over there"


def test_guard_translates_ours_and_nothing_else():
    with pytest.raises(nx.NetworkXError, match="mesh") as caught, graphs.translated_errors(nx.Graph()):
        raise Unsupported("the mesh needs d <= 2")
    assert isinstance(caught.value, Unsupported)
    with pytest.raises(ZeroDivisionError), graphs.translated_errors(nx.Graph()):
        _ = 1 / 0
    with pytest.raises(KeyboardInterrupt), graphs.translated_errors(nx.Graph()):
        raise KeyboardInterrupt
    with pytest.raises(InputError) as plain, graphs.translated_errors(None):
        raise InputError("no graph")
    assert not isinstance(plain.value, nx.NetworkXError)


def test_guard_keeps_where_it_happened_and_why():
    def deep():
        try:
            _ = {}["key"]
        except KeyError as error:
            raise InputError("no key") from error

    with pytest.raises(nx.NetworkXError) as caught, graphs.translated_errors(nx.Graph()):
        deep()
    assert isinstance(caught.value.__cause__, KeyError)
    assert any(entry.name == "deep" for entry in caught.traceback)
