"""Arguments that several commands share: how they are declared and read, and where the output goes."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nelayout.cli.report import WrongUsage
from nelayout.errors import InputError, missing_extra, unknown

__all__ = [
    "METHOD_TEXT",
    "PICTURES",
    "SET_TEXT",
    "Choice",
    "check_writable",
    "choose_formats",
    "declarer",
    "method",
    "setting",
    "tuned_method",
    "whole",
]

SET_TEXT = "parameter of the method's own, see nelayout methods; once for each"
METHOD_TEXT = "see nelayout methods; nerv:0.3 sets the first of its own parameters"
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

    ``--format`` names the format of OUT; that of FILE where the name of OUT says its own; IN:OUT names both.  A form of
    JSON is that of OUT also where its name says json, since in FILE the content tells them apart.
    """
    from nelayout.graphs import files
    from nelayout.graphs.files.formats import JSON

    into, colon, out = (given.format or "").partition(":")
    if colon:
        return into or None, files.output_format(given.output, out or None, allowed)
    try:
        named = files.output_format(given.output, None, allowed)
    except InputError:
        return None, files.output_format(given.output, given.format, allowed)
    return (None, given.format) if {given.format, named} <= JSON else (given.format, named)


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


@dataclass(frozen=True, slots=True)
class Choice:
    """A method of the catalogue, and values of its own parameters as they stand behind its name."""

    name: str
    settings: tuple[tuple[str, Any], ...] = ()


def method(text: str) -> Choice:
    """METHOD or METHOD:VALUE, whatever the spelling of its name; the value is that of its first own number.

    >>> method("WS_SNE"), method("nerv:0.3")
    (Choice(name='ws-sne', settings=()), Choice(name='nerv', settings=(('kappa', 0.3),)))
    """
    from nelayout.catalogue import method_named, own_keywords

    given, colon, value = text.partition(":")
    try:
        name = method_named(given).name
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if not colon:
        return Choice(name)
    first = _number_of(own_keywords(name))
    if first is None or not value.strip():
        have = ", ".join(other for other, own in _owners() if _number_of(own))
        why = "there is no value behind its colon" if first else f"{name} takes no number"
        raise argparse.ArgumentTypeError(f"{text!r} is no method: {why}; a number may stand behind {have}")
    return Choice(name, (setting(f"{first}={value}"),))


def _number_of(own: Mapping[str, Any]) -> str | None:
    """The parameter that a number behind the method's name sets: the first, where that is a number."""
    return next((name for name, value in [*own.items()][:1] if isinstance(value, float)), None)


def _owners(parameter: str | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
    """The methods with parameters of their own, or with this one, and these parameters."""
    from nelayout.catalogue import METHODS, own_keywords

    for name in METHODS:
        own = own_keywords(name)
        if parameter in own if parameter else own:
            yield name, own


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


def tuned_method(choice: Choice, settings: Iterable[tuple[str, Any]] | None) -> Any:
    """Return a method with parameters of its own set; `WrongUsage` for one that it does not have, or a wrong value."""
    from nelayout.catalogue import own_keywords, tune

    name, own, known = choice.name, {}, own_keywords(choice.name)
    for parameter, value in (*choice.settings, *(settings or ())):
        if parameter not in known:
            raise _no_parameter(name, parameter, known)
        if parameter in own:
            raise WrongUsage(f"{parameter} is set twice for {name}, to {own[parameter]} and to {value}; set it once")
        own[parameter] = value
    try:
        return tune(name, **own) if own else name
    except InputError as error:
        raise WrongUsage(f"--set: {error}") from None


def _no_parameter(method: str, parameter: str, known: Iterable[str]) -> WrongUsage:
    others = " and ".join(name for name, _ in _owners(parameter))
    also = f"; {parameter} is a parameter of {others}" if others else ""
    if not known:
        return WrongUsage(f"--set {parameter}: the method {method!r} has no parameters of its own{also}")
    return WrongUsage(f"--set: {unknown(f'parameter of {method}', parameter, known)}{also}")


def whole(text: str) -> int:
    """A whole number of 0 or more."""
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


whole.__name__ = "whole number of 0 or more"  # argparse says "invalid ... value"
