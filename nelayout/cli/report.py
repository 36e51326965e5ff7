"""Messages of the command line on standard error, in its own words."""

import re
import shlex
import sys

from nelayout.errors import InputError

__all__ = ["WrongUsage", "in_options", "say"]

# Keywords of the library, as its messages name them, and the options that are the same on the command line.
OPTIONS = {
    name: "--" + name.replace("_", "-")
    for name in (
        *("weight", "weight_kind", "mass", "smoothing", "dim", "scale", "pos", "fixed", "seed", "max_iter", "format"),
        *("n_neighbors", "perplexity", "metric", "pca", "init"),
    )
} | {"n_components": "--dim", "random_state": "--seed"}
ASSIGNED = re.compile(rf"(?<![\w-])({'|'.join(OPTIONS)})=(\"[^\"]*\"|'[^']*'|[\w.]+)?")
NAMED = re.compile(rf"(?<=another )({'|'.join(OPTIONS)})\b|(?<=\bin )(pos)\b")


class WrongUsage(InputError):
    """Arguments that do not go together: exit code 2, as for those that argparse refuses."""


def in_options(message: str) -> str:
    """A message of the library in the words of the command line.

    >>> in_options("3 edges of weight 0 taken as no edge; weight=None takes every edge as 1")
    '3 edges of weight 0 taken as no edge; --weight none takes every edge as 1'
    """
    message = re.sub(r" \(--\w+[^)]*\)", "", message)  # "format= (--format)" says both
    message = NAMED.sub(lambda found: OPTIONS[found[0]], message)
    return ASSIGNED.sub(_option, message)


def _option(found: re.Match[str]) -> str:
    value = (found[2] or "").strip("\"'")
    value = "none" if value == "None" else shlex.quote(value) if value else ""
    return f"{OPTIONS[found[1]]} {value}".rstrip()


def say(message: str) -> None:
    """Write a message as one line."""
    sys.stderr.write(f"nelayout: {' '.join(in_options(message).split())}\n")
