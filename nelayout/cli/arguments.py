"""Options, methods and settings, formats and messages that the commands share.

Messages of the library name keywords; the command line has options. `in_options` replaces keywords by the options of a
command's parser.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from nelayout.catalogue import OWNERS, method_named, own_keywords, tune
from nelayout.catalogue.options import TEXTS
from nelayout.errors import InputError, missing_extra, unknown
from nelayout.graphs import files
from nelayout.graphs.files import JSON

__all__ = [
    "METHOD_TEXT", "PICTURES", "SET_TEXT", "Command", "WrongUsage", "check_writable",
    "choose_formats", "declare_messages", "declare_method", "declarer", "in_options", "method", "painting", "say",
    "say_all", "setting", "shows_progress", "tuned_method", "whole",
]  # fmt: skip

SET_TEXT = "parameter of the method, see nelayout methods; once for each parameter"
METHOD_TEXT = "see nelayout methods; nerv:0.3 sets the first parameter of the method"
PICTURES = ("png", "svg", "pdf")
TYPED = ("arrow", "parquet")
BINARY = (*PICTURES, *TYPED, "npz", "npy")
# Keyword of the library -> options for it, if no option has its name; the first one of a command applies.
SYNONYMS = {
    "n_components": ("--dim",),
    "random_state": ("--seed",),
    "labels": ("--classes", "--label"),
    "method_options": ("--set",),
}
# Keywords that are not English words. Other keywords become options only in front of = or "must", and in backticks.
NO_WORDS = re.compile(r"pos|dim|pca|\w+_\w+")
QUOTED = re.compile(r"('[^']*'|\"[^\"]*\")")  # text in quotes stays as it is


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the command line.

    text      its line in --help
    declare   adds its arguments to a parser
    run       does the work: `InputError` if the input cannot be used, `WrongUsage` if arguments contradict each other
    examples  calls that --help shows
    formats   returns the formats that --help lists, by what they are for
    """

    text: str
    declare: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], None]
    examples: tuple[str, ...]
    formats: Callable[[], dict[str, Iterable[str]]] = dict


class WrongUsage(InputError):
    """Arguments that contradict each other: exit code 2, as for an unknown option."""


def declarer(command: argparse.ArgumentParser) -> Callable[..., None]:
    """Return a function that adds an option; the default text comes from the layout keyword."""
    def option(*names: str, text: str = "", **how: Any) -> None:
        key = names[-1].removeprefix("--").replace("-", "_")
        command.add_argument(*names, help=(text or TEXTS[key]).replace("%", "%%"), **how)

    return option


def declare_messages(option: Callable[..., None], default: str = "") -> None:
    """Add the options of all commands with an output: its format, and the amount of messages."""
    text = f"format of OUT, or of FILE if the name of OUT shows its own; IN:OUT names both{default}"
    option("--format", text=text, metavar="NAME")
    option("--quiet", text="no notes and no progress", action="store_true")


def declare_method(option: Callable[..., None]) -> None:
    """Add the options of a drawing by one method: its parameters, dimensions and start."""
    option("-m", "--method", text=f"{METHOD_TEXT} (auto)", default="auto", type=method)
    option("--set", text=SET_TEXT, type=setting, action="append", metavar="NAME=VALUE")
    option("--dim", type=int, default=2, choices=(1, 2, 3))
    option("--pos", text="file with positions to start from; it may be FILE itself", metavar="FILE")


def shows_progress(given: argparse.Namespace) -> bool:
    """Return True if a command shows its progress: on a terminal, without --quiet."""
    return not given.quiet and sys.stderr.isatty()


def choose_formats(given: argparse.Namespace, allowed: Iterable[str]) -> tuple[str | None, str]:
    """Return the formats of FILE (None: by its name or content) and of OUT.

    ``--format`` names the format of OUT, or of FILE if the name of OUT has a known ending; IN:OUT names both. A form of
    JSON is a format of OUT: the content of a FILE shows its form.
    """
    into, colon, out = (given.format or "").partition(":")
    if colon:
        return into or None, files.output_format(given.output, out or None, allowed)
    try:
        named = files.output_format(given.output, None, allowed)
    except InputError:
        return None, files.output_format(given.output, given.format, allowed)
    return (None, given.format) if {given.format, named} <= JSON else (given.format, named)


def check_writable(output: str, kind: str, *sources: str, drawn: Iterable[str], extra: str) -> None:
    """Raise if the output cannot be written, or needs a missing package (`extra`, pyarrow)."""
    files.check_output(output, *sources)
    if kind in drawn and importlib.util.find_spec("matplotlib") is None:
        raise missing_extra("matplotlib", extra, "pictures")
    if kind in TYPED and importlib.util.find_spec("pyarrow") is None:
        raise missing_extra("pyarrow", "parquet", f"{kind} files")
    if output == "-" and kind in BINARY and sys.stdout.isatty():
        raise InputError(f"{kind} is not text for a terminal; give -o FILE, or redirect it into a file or a pipe")


def method(text: str) -> str:
    """Read the name of a method, in any spelling, with or without a number behind it.

    >>> method("WS_SNE"), method("nerv:0.3")
    ('ws-sne', 'nerv:0.3')
    """
    try:
        return method_named(text).name
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def setting(text: str) -> tuple[str, Any]:
    """Read NAME=VALUE: the name, and a number, a truth value or a text.

    >>> setting("kappa=0.2"), setting("variational=true"), setting("divergence=alpha:0.5")
    (('kappa', 0.2), ('variational', True), ('divergence', 'alpha:0.5'))
    """
    name, equals, value = (part.strip() for part in text.partition("="))
    if not (name and equals and value):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE, such as kappa=0.2")
    if value.lower() in ("true", "false"):
        return name, value.lower() == "true"
    try:
        return name, float(value)
    except ValueError:
        return name, value


def tuned_method(name: str, settings: Iterable[tuple[str, Any]] | None) -> Any:
    """Return a method with its parameters set; `WrongUsage` for an unknown or wrong parameter."""
    own: dict[str, Any] = {}
    for parameter, value in settings or ():
        if parameter in own:
            raise WrongUsage(f"--set {parameter} is given twice, {own[parameter]} and {value}; give it once")
        if parameter not in OWNERS:
            if not own_keywords(name):
                raise WrongUsage(f"--set {parameter}: the method {name} has no keywords of its own; leave it out")
            raise WrongUsage(f"--set: {unknown(f'parameter of {name}', parameter, own_keywords(name))}")
        own[parameter] = value
    try:
        return tune(name, **own) if own else name
    except InputError as error:
        raise WrongUsage(f"--set: {error}") from None


def whole(text: str) -> int:
    """Read a whole number of 0 or more."""
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


whole.__name__ = "whole number of 0 or more"  # argparse writes "invalid ... value"


def in_options(message: str, parser: argparse.ArgumentParser) -> str:
    """Return a message of the library with options instead of keywords.

    >>> parser = argparse.ArgumentParser()
    >>> _ = parser.add_argument("--weight"), parser.add_argument("--pos")
    >>> in_options("3 edges of weight 0 taken as no edge; weight=None takes every edge as 1", parser)
    '3 edges of weight 0 taken as no edge; --weight none takes every edge as 1'
    >>> in_options("nodes are fixed without positions: give them in pos", parser)
    'nodes are fixed without positions: give them in --pos'
    """
    own = [name for name in parser._option_string_actions if name.startswith("--")]
    options = {name.removeprefix("--").replace("-", "_"): name for name in own}
    for keyword, candidates in SYNONYMS.items():
        found = [name for name in candidates if name in own]
        options |= {keyword: found[0]} if found and keyword not in options else {}
    if not options:
        return message
    names = "|".join(options)

    def assigned(found: re.Match[str]) -> str:
        value = (found[2] or "").strip("\"'")
        value = "none" if value == "None" else shlex.quote(value) if value else ""
        return f"{options[found[1]]} {value}".rstrip()

    def option(found: re.Match[str]) -> str:
        return options[found[1]]

    message = re.sub(rf"(?<![\w.'\"-])({names})=(?!=)(\"[^\"]*\"|'[^']*'|[\w.]*\w)?", assigned, message)
    message = re.sub(rf"`+({names})`+", option, message)
    message = re.sub(rf"^({names})(?= (?:must|needs|cannot|has|is)\b)", option, message)
    bare = "|".join(name for name in options if NO_WORDS.fullmatch(name)) or "(?!)"
    parts = QUOTED.split(message)
    for k in range(0, len(parts), 2):
        parts[k] = re.sub(rf"(?<![\w./'\"-])({bare})(?![\w'\"=/-]|\.\w)", option, parts[k])
        parts[k] = re.sub(r"\bNone\b", "none", parts[k])
        parts[k] = re.sub(r"\bnelayout\.(layout|embed|compare|methods)\b(?:\(\))?", r"nelayout \1", parts[k])
    return "".join(parts)


def say(message: str, parser: argparse.ArgumentParser) -> None:
    """Write a message as one line to standard error, with the options of the parser's command."""
    sys.stderr.write(f"nelayout: {' '.join(in_options(message, parser).split())}\n")


def say_all(notes: Iterable[str], given: argparse.Namespace) -> None:
    """Write each note once, unless --quiet is given."""
    for note in () if given.quiet else dict.fromkeys(notes):
        say(note, given.parser)


@contextmanager
def painting(given: argparse.Namespace) -> Iterator[None]:
    """Show on a terminal that the picture is drawn; print its warnings as notes, each once."""
    shown = "nelayout: drawing the picture" if shows_progress(given) else ""
    sys.stderr.write(shown)
    sys.stderr.flush()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        try:
            yield
        finally:
            if shown:
                sys.stderr.write(f"\r{' ' * len(shown)}\r")
                sys.stderr.flush()
    say_all((str(each.message) for each in caught), given)
