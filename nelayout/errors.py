"""Errors and warnings for users.

A message says what was given, what is allowed and what to do. It answers a misspelt name with its near matches:

>>> print(unknown("method", "ws-sen", ["ws-sne", "t-sne", "linlog"]))
unknown method 'ws-sen': did you mean 'ws-sne'? Allowed: 'linlog', 't-sne', 'ws-sne'

All errors about input are `ValueError`. `for_networkx` makes them `networkx.NetworkXError` as well.
"""

from __future__ import annotations

import difflib
import functools
import sys
import warnings
from collections.abc import Iterable

__all__ = [
    "DeviceError", "InputError", "InputTypeError", "MissingExtra", "Unsupported", "for_networkx", "missing_extra",
    "near_matches", "unknown", "warn",
]  # fmt: skip

LISTED_NAMES = 30  # allowed names in a message


class InputError(ValueError):
    """Input that cannot be used; the message says why, what is allowed and what to do."""


class InputTypeError(InputError, TypeError):
    """Input of a type that is not understood: an `InputError` and a `TypeError`."""


class Unsupported(ValueError):
    """A sensible request that the chosen part cannot fulfil; the message names one that can."""


class DeviceError(RuntimeError):
    """A GPU that is missing, failed or has too little memory; the message names a way on."""


class MissingExtra(ImportError):
    """An optional package is not installed; the message holds the command that installs it."""


def unknown(kind: str, given: object, allowed: Iterable[str]) -> InputError:
    """Return the error for a name that is not in a table: near matches first, then the table."""
    names = sorted({str(name) for name in allowed})
    near = near_matches(given, names)
    hint = f": did you mean {' or '.join(map(repr, near))}?" if near else "."
    more = f" and {len(names) - LISTED_NAMES} more" if len(names) > LISTED_NAMES else ""
    listed = f"Allowed: {', '.join(map(repr, names[:LISTED_NAMES]))}{more}" if names else "There are none."
    return InputError(f"unknown {kind} {given!r}{hint} {listed}")


def near_matches(given: object, names: Iterable[str]) -> list[str]:
    """Return up to three names that `given` may mean, best first, in any case, with _ or -."""
    if not isinstance(given, str):
        return []
    signs = str.maketrans("_ ", "--")
    plain = {name.lower().translate(signs): name for name in names}
    return [plain[match] for match in difflib.get_close_matches(given.lower().translate(signs), plain, n=3)]


def missing_extra(package: str, extra: str, purpose: str = "") -> MissingExtra:
    """Return the error for an optional package that is not installed."""
    needed = f" for {purpose}" if purpose else ""
    return MissingExtra(
        f'{package} is needed{needed} and is not installed; install it with: pip install "nelayout[{extra}]"',
        name=package,
    )


def for_networkx(exc: Exception) -> Exception:
    """Return the error as a `networkx.NetworkXError` as well, if networkx is loaded."""
    networkx = sys.modules.get("networkx")
    if networkx is None or isinstance(exc, networkx.NetworkXError):
        return exc
    translated = _networkx_class(type(exc), networkx.NetworkXError)(*exc.args)
    translated.__dict__.update(exc.__dict__)
    return translated


@functools.cache
def _networkx_class(ours: type[Exception], theirs: type[Exception]) -> type[Exception]:
    """Return one class that is both, under our name."""

    def reduce(error: Exception):  # the class has no importable name: pickled as what it is made of
        return for_networkx, (ours(*error.args),)

    body = {"__doc__": ours.__doc__, "__module__": ours.__module__, "__reduce__": reduce}
    return type(ours.__name__, (ours, theirs), body)


def warn(message: str) -> None:
    """Warn the user (`UserWarning`) at the user's line that called this package.

    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn("the weights were not read")
    >>> caught[0].category, str(caught[0].message)
    (<class 'UserWarning'>, 'the weights were not read')
    """
    ours, depth, frame = (__name__.split(".", maxsplit=1)[0], "contextlib"), 1, sys._getframe()  # calls are contexts
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in ours:
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, UserWarning, stacklevel=depth)
