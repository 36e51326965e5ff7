"""Messages of the command line on standard error, in its own words.

The library speaks of keywords, the command line of options. `in_options` is the border: it knows from a command's
parser which options there are, and writes a keyword of the same name as the option wherever a message names it.
"""

from __future__ import annotations

import argparse
import re
import shlex
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from nelayout.errors import InputError

__all__ = ["WrongUsage", "in_options", "painting", "say"]

# Keyword of the library -> options that may stand for it where none is called like it; the first that a command has.
SYNONYMS = {
    "n_components": ("--dim",),
    "random_state": ("--seed",),
    "labels": ("--classes", "--label"),
    "method_options": ("--set",),
}
# Options that no sentence uses as words of English. The others are options where a message writes them with = or in
# backticks, or says at its beginning what they must be.
NO_WORDS = re.compile(r"pos|dim|pca|\w+_\w+")
# Text in quotes, which is the user's own and stays.
QUOTED = re.compile(r"('[^']*'|\"[^\"]*\")")


class WrongUsage(InputError):
    """Arguments that do not go together: exit code 2, as for those that argparse refuses."""


def in_options(message: str, parser: argparse.ArgumentParser) -> str:
    """A message of the library in the words of a command.

    >>> parser = argparse.ArgumentParser()
    >>> _ = parser.add_argument("--weight"), parser.add_argument("--pos")
    >>> in_options("3 edges of weight 0 taken as no edge; weight=None takes every edge as 1", parser)
    '3 edges of weight 0 taken as no edge; --weight none takes every edge as 1'
    >>> in_options("nodes are fixed without positions: give them in pos", parser)
    'nodes are fixed without positions: give them in --pos'
    """
    options = _options(parser)
    if not options:
        return message
    names = "|".join(options)

    def assigned(found: re.Match[str]) -> str:
        value = (found[2] or "").strip("\"'")
        value = "none" if value == "None" else shlex.quote(value) if value else ""
        return f"{options[found[1]]} {value}".rstrip()

    message = re.sub(rf"(?<![\w.'\"-])({names})=(?!=)(\"[^\"]*\"|'[^']*'|[\w.]*\w)?", assigned, message)
    message = re.sub(rf"`+({names})`+", lambda found: options[found[1]], message)
    message = re.sub(rf"^({names})(?= (?:must|needs|cannot|has|is)\b)", lambda found: options[found[1]], message)
    bare = "|".join(name for name in options if NO_WORDS.fullmatch(name))
    named = re.compile(rf"(?<![\w./'\"-])({bare})(?![\w'\"=/-]|\.\w)") if bare else None
    parts = QUOTED.split(message)
    for k in range(0, len(parts), 2):
        if named is not None:
            parts[k] = named.sub(lambda found: options[found[1]], parts[k])
        parts[k] = re.sub(r"\bNone\b", "none", parts[k])
        parts[k] = re.sub(r"\bnelayout\.(layout|embed|compare|methods)\b(?:\(\))?", r"nelayout \1", parts[k])
    return "".join(parts)


def _options(parser: argparse.ArgumentParser) -> dict[str, str]:
    """Keyword -> the option of the command that says the same."""
    own = [name for name in parser._option_string_actions if name.startswith("--")]
    found = {name.removeprefix("--").replace("-", "_"): name for name in own}
    for keyword, candidates in SYNONYMS.items():
        option = next((name for name in candidates if name in own), None)
        if option is not None:
            found.setdefault(keyword, option)
    return found


def say(message: str, parser: argparse.ArgumentParser) -> None:
    """Write a message as one line, in the words of the parser's command."""
    sys.stderr.write(f"nelayout: {' '.join(in_options(message, parser).split())}\n")


@contextmanager
def painting(given: argparse.Namespace) -> Iterator[None]:
    """Say on a terminal that the picture is being drawn, and then, in one note, which letters the font lacks."""
    shown = "nelayout: drawing the picture" if not given.quiet and sys.stderr.isatty() else ""
    sys.stderr.write(shown)
    sys.stderr.flush()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        finally:
            if shown:
                sys.stderr.write(f"\r{' ' * len(shown)}\r")
                sys.stderr.flush()
    lacking = {str(each.message) for each in caught if "missing from" in str(each.message)}
    for warning in caught:
        if str(warning.message) not in lacking:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    if lacking and not given.quiet:
        note = f"the font lacks {len(lacking)} of the letters, which are drawn as boxes; set another in font.family"
        say(f"{note} of matplotlibrc, such as Noto Sans CJK, or leave --label out", given.parser)
