"""Arguments that several commands share: how they are declared and read, and where the output goes."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Callable, Iterable
from typing import Any

from nelayout.cli.report import WrongUsage
from nelayout.errors import InputError, missing_extra, unknown

__all__ = [
    "PICTURES",
    "SET_TEXT",
    "check_writable",
    "choose_formats",
    "declarer",
    "method",

    "setting",
    "tuned_method",
    "whole",
]

SET_TEXT = "parameter of the method's own, see nelayout methods; may be repeated"
PICTURES = ("png", "svg", "pdf")
# Formats that are not shown on a terminal.
BINARY = (*PICTURES, "npz", "npy")


def declarer(command: argparse.ArgumentParser) -> Callable[..., None]:
    """Return a function that adds an option, by default with the text of the layout keyword of that name."""
    from nelayout.run.options import TEXTS

    def option(*names: str, text: str = "", **how: Any) -> None:
        key = names[-1].removeprefix("--").replace("-", "_")
        command.add_argument(*names, help=(text or TEXTS[key]).replace("%", "%%"), **how)

    return option


def choose_formats(given: argparse.Namespace, allowed: Iterable[str]) -> tuple[str | None, str]:
    """Decide the formats of FILE (None: as its name or content says) and of OUT.

    ``--format`` names the format of OUT; that of FILE where the name of OUT says its own; IN:OUT names both.
    """
    from nelayout.graphs import files

    into, colon, out = (given.format or "").partition(":")
    if colon:
        return into or None, files.output_format(given.output, out or None, allowed)
    try:
        return given.format, files.output_format(given.output, None, allowed)
    except InputError:
        return None, files.output_format(given.output, given.format, allowed)


def check_writable(output: str, kind: str, *sources: str, drawn: Iterable[str], extra: str) -> None:
    """Raise, before the work starts, whatever would keep the output from being written.

    drawn  the formats that need matplotlib
    extra  the extra that installs it
    """
    from nelayout.graphs import files

    files.check_output(output, *sources)
    if kind in drawn and importlib.util.find_spec("matplotlib") is None:
        raise missing_extra("matplotlib", extra, "pictures")
    if output == "-" and kind in BINARY and sys.stdout.isatty():
        raise InputError(f"{kind} is no text for a terminal; give -o FILE, or send it into a file or a pipe")


def method(name: str) -> str:
    """Catalogue name of a method, whatever its spelling."""
    from nelayout.catalogue import method_named

    try:
        return method_named(name).name
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def setting(text: str) -> tuple[str, Any]:
    """NAME=VALUE: the name, and a number, a truth value or a text.

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
    """Return a method with parameters of its own set; `WrongUsage` for one that it does not have, or a wrong value."""
    from nelayout.catalogue import own_keywords, tune

    own, known = dict(settings or ()), own_keywords(name)
    for parameter in own:
        if not known:
            raise WrongUsage(f"--set {parameter}: the method {name!r} has no parameters of its own")
        if parameter not in known:
            raise WrongUsage(f"--set: {unknown(f'parameter of {name}', parameter, known)}")
    try:
        return tune(name, **own) if own else name
    except InputError as error:
        raise WrongUsage(f"--set: {error}") from None


def whole(text: str) -> int:
    """A whole number of 0 or more."""
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


whole.__name__ = "whole number of 0 or more"  # argparse says "invalid ... value"
