"""Errors that a user can meet, and how their messages are worded.

Every message says three things: what was given, what is allowed, what to do.  A misspelt name is
answered with its near matches::

    >>> from nelayout.errors import unknown
    >>> print(unknown("method", "ws-sen", ["ws-sne", "t-sne", "linlog"]))
    unknown method 'ws-sen': did you mean 'ws-sne'? Allowed: 'linlog', 't-sne', 'ws-sne'

All errors about input are `ValueError`.  Users of networkx also catch `networkx.NetworkXError`, so at
that border, and only there, `for_networkx` turns an error into one that is both.
"""

from __future__ import annotations

import difflib
import functools
import sys
import warnings
from collections.abc import Iterable

__all__ = [
    "DeviceError",
    "InputError",
    "InputTypeError",
    "MissingExtra",
    "Unsupported",
    "for_networkx",
    "missing_extra",
    "near_matches",
    "unknown",
    "warn",
]

# Allowed names that a message lists before it only counts the rest: about one screen.
LISTED_NAMES = 30


class InputError(ValueError):
    """Input that cannot be used; the message says why, what is allowed and what to do."""


class InputTypeError(InputError, TypeError):
    """Input of a type that is not understood: an `InputError` and a `TypeError`."""


class Unsupported(ValueError):
    """A sensible request that the chosen part cannot fulfil; the message names one that can."""


class DeviceError(RuntimeError):
    """A device (a GPU) that is not there, failed or has too little memory; the message says what to use instead."""


class MissingExtra(ImportError):
    """An optional package is not installed; the message holds the command that installs it."""


def unknown(kind: str, given: object, allowed: Iterable[str]) -> InputError:
    """Make the error for a name that is not in a table: near matches first, then the whole table.

    Parameters
    ----------
    kind : what is being named, as it reads in a sentence ("method", "file format").
    given : what the user wrote.
    allowed : the names that exist.

    Returns
    -------
    InputError
        to be raised by the caller: ``raise unknown("method", name, METHODS)``.

    Examples
    --------
    >>> str(unknown("kernel", "cauchi", ["cauchy", "gauss"]))
    "unknown kernel 'cauchi': did you mean 'cauchy'? Allowed: 'cauchy', 'gauss'"
    """
    names = sorted({str(name) for name in allowed})
    near = near_matches(given, names)
    hint = f": did you mean {_alternatives(near)}?" if near else "."
    return InputError(f"unknown {kind} {given!r}{hint} {_allowed(names)}")


def near_matches(given: object, names: Iterable[str]) -> list[str]:
    """The names that `given` may have meant, best first, at most three; case, "_" and "-" do not count.

    Examples
    --------
    >>> near_matches("WS_SNE", ["ws-sne", "linlog"])
    ['ws-sne']
    """
    if not isinstance(given, str):
        return []
    plain = {_plain(name): name for name in names}
    return [plain[match] for match in difflib.get_close_matches(_plain(given), list(plain), n=3, cutoff=0.6)]


def missing_extra(package: str, extra: str, purpose: str = "") -> MissingExtra:
    """Make the error for an optional package that is not installed.

    Parameters
    ----------
    package : the package that could not be imported ("matplotlib").
    extra : the extra of nelayout that brings it ("draw").
    purpose : what it is needed for, as it reads after "for" ("drawing pictures").

    Examples
    --------
    >>> print(missing_extra("matplotlib", "draw", "pictures"))
    matplotlib is needed for pictures and is not installed; install it with: pip install "nelayout[draw]"
    """
    needed = f" for {purpose}" if purpose else ""
    return MissingExtra(
        f'{package} is needed{needed} and is not installed; install it with: pip install "nelayout[{extra}]"',
        name=package,
    )


def for_networkx(exc: Exception) -> Exception:
    """Turn an error into one with the same message that is a `networkx.NetworkXError` as well.

    ``except InputError``, ``except ValueError`` and ``except nx.NetworkXError`` all catch it.  An error that
    is already one comes back as it is, and so does every error while networkx is not loaded (then nobody
    can be waiting for its class).

    Examples
    --------
    >>> import networkx as nx
    >>> error = for_networkx(InputError("no such node: 7"))
    >>> isinstance(error, InputError), isinstance(error, nx.NetworkXError), str(error)
    (True, True, 'no such node: 7')
    """
    networkx = sys.modules.get("networkx")
    if networkx is None or isinstance(exc, networkx.NetworkXError):
        return exc
    translated = _networkx_class(type(exc), networkx.NetworkXError)(*exc.args)
    translated.__dict__.update(exc.__dict__)
    return translated


@functools.cache
def _networkx_class(ours: type[Exception], theirs: type[Exception]) -> type[Exception]:
    """Class made of both, under our name; made once, so that two errors of a kind share their class."""

    def reduce(error: Exception):  # the class has no importable name: pickled as what it is made of
        return for_networkx, (ours(*error.args),)

    body = {"__doc__": ours.__doc__, "__module__": ours.__module__, "__reduce__": reduce}
    return type(ours.__name__, (ours, theirs), body)


def warn(message: str) -> None:
    """Warn the user (`UserWarning`) at the line of theirs that called this package.

    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn("the weights were not read")
    >>> caught[0].category, str(caught[0].message)
    (<class 'UserWarning'>, 'the weights were not read')
    """
    warnings.warn(message, UserWarning, stacklevel=_depth_of_package())


def _depth_of_package() -> int:
    """Stacklevel of the first caller of `warn` outside this package."""
    package, depth, frame = __name__.split(".", maxsplit=1)[0], 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == package:
        depth, frame = depth + 1, frame.f_back
    return depth


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").replace(" ", "-")


def _alternatives(names: list[str]) -> str:
    return " or ".join(repr(name) for name in names)


def _allowed(names: list[str]) -> str:
    if not names:
        return "There are none."
    listed = ", ".join(repr(name) for name in names[:LISTED_NAMES])
    more = len(names) - LISTED_NAMES
    return f"Allowed: {listed}" + (f" and {more} more" if more > 0 else "")
