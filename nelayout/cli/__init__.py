"""The command line: one function for each command, and one place where errors become one line.

    nelayout layout graph.graphml -m ws-sne -o drawing.png
    nelayout embed table.csv --color species -o map.png
    nelayout compare graph.graphml -m ws-sne -m linlog -o compare.html
    nelayout methods
    nelayout warm-up

Each command has a file with `declare` (its arguments), `run` and EXAMPLES, and a line in `COMMANDS`.
Exit codes: 0 done, 1 the input or the run failed (one line on stderr), 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import textwrap
import traceback
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from typing import Any, NoReturn, Protocol

from nelayout import __version__
from nelayout.cli import compare_command, embed_command, layout_command, methods_command, warm_up_command
from nelayout.cli.report import WrongUsage, say
from nelayout.errors import InputError, Unsupported, near_matches, unknown

__all__ = ["COMMANDS", "main"]


class Command(Protocol):
    """Protocol of the file of a command.

    Where files are read or written, `formats` returns their formats, which --help lists, by what they are for.
    """

    @property
    def EXAMPLES(self) -> tuple[str, ...]:
        """Lines of --help that show how it is called."""
        ...

    def declare(self, command: argparse.ArgumentParser) -> None:
        """Add the arguments."""
        ...

    def run(self, given: argparse.Namespace) -> None:
        """Do it; `InputError` for what cannot be done, `WrongUsage` for arguments that do not go together."""
        ...


# Name -> the file of the command, and its line in --help.
COMMANDS: dict[str, tuple[Command, str]] = {
    "layout": (layout_command, "lay out a graph: a picture, or positions in a file"),
    "embed": (embed_command, "embed the rows of a table: a picture, or positions in a file"),
    "compare": (compare_command, "draw a graph by several methods and measure the drawings"),
    "methods": (methods_command, "list the methods and their own parameters"),
    "warm-up": (warm_up_command, "compile what the first drawing on a machine would wait for"),
}

# Letters in a line of the formats that --help lists: what the narrowest usual terminal shows.
HELP_WIDTH = 79
# New objects after which Python looks for garbage in cycles while a command runs; its own number is 700.  A hundred
# thousand nodes and edges are as many dictionaries, and no garbage: 0.7 of 12 s went into looking.
NEW_OBJECTS = 50_000


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code.

    >>> main(["layout", "nowhere.graphml", "-o", "drawing.json"])
    1
    """
    try:
        arguments, unrecognized = _parser().parse_known_args(argv)
        if unrecognized:
            arguments.parser.refuse(unrecognized)
    except SystemExit as done:  # --help, --version, wrong usage: argparse has said it all
        return done.code if isinstance(done.code, int) else 2
    try:
        with warnings.catch_warnings(), _seldom_collecting():
            if not sys.warnoptions:
                warnings.simplefilter("ignore")  # what a user should know is a note
            arguments.run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _fail(arguments, "interrupted", 130)
    except BrokenPipeError:  # the reader of our output has gone: nothing to say, and nobody to say it to
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except MemoryError:
        return _fail(arguments, "not enough memory for an input of this size")
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _fail(arguments, f"{where}{error.strerror or error}")
    except WrongUsage as error:
        return _fail(arguments, f"{error}; see nelayout {arguments.command} --help", 2)
    except (InputError, Unsupported, ImportError) as error:
        return _fail(arguments, str(error))
    except Exception as error:  # a run that fails says so in one line, a mistake of ours too
        if os.environ.get("NELAYOUT_TRACEBACK"):
            raise
        place = traceback.extract_tb(error.__traceback__)[-1]
        return _fail(
            arguments,
            f"this is a mistake in nelayout, please report it: {type(error).__name__}: {error} "
            f"({os.path.basename(place.filename)}, line {place.lineno}); NELAYOUT_TRACEBACK=1 shows more",  # noqa: PTH119
        )
    return 0


@contextmanager
def _seldom_collecting() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(NEW_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _fail(arguments: argparse.Namespace, message: str, code: int = 1) -> int:
    say(message, arguments.parser)
    return code


class _Parser(argparse.ArgumentParser):
    """Parser that reports wrong usage in one line, a misspelt option before anything that is missing."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if self._subparsers is None:
            words: Sequence[str] = args or ()
            options = (word for word in takewhile("--".__ne__, words) if word.startswith("--"))
            misspelt = [word for word in options if word.partition("=")[0] not in self._option_string_actions]
            if misspelt:
                self.refuse(misspelt)
        return super().parse_known_args(args, namespace)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """A word that is none of those allowed, a misspelt command too, is answered with its near matches."""
        if action.choices is not None and value not in action.choices:
            if self._subparsers is not None:
                raise argparse.ArgumentError(None, str(unknown("command", value, action.choices)))
            raise argparse.ArgumentError(action, str(unknown("choice", value, action.choices)))

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"nelayout: {message}; see {self.prog} --help\n")

    def refuse(self, unrecognized: list[str]) -> NoReturn:
        """Arguments that the command does not have, with the option that the first of them may have meant."""
        near = near_matches(unrecognized[0].partition("=")[0], self._option_string_actions)
        hint = f" (did you mean {near[0]}?)" if near else ""
        self.error(f"unrecognized arguments: {' '.join(unrecognized)}{hint}")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="nelayout", description="Graph layouts by neighbor embedding.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"nelayout {__version__}")
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, dest="command", parser_class=_Parser
    )
    for name, (does, text) in COMMANDS.items():
        command = commands.add_parser(
            name,
            help=text,
            description=text,
            epilog=_epilog(does),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        does.declare(command)
        command.set_defaults(run=does.run, parser=command)
    return parser


def _epilog(does: Command) -> str:
    """Formats and examples, the end of a command's --help."""
    formats: dict[str, Iterable[str]] = getattr(does, "formats", dict)()
    listed = {title: ", ".join(names) for title, names in formats.items()}
    examples = "".join(f"  {example}\n" for example in does.EXAMPLES)
    if not listed:
        return f"examples:\n{examples}"
    width = max(map(len, listed)) + 4
    lines = "".join(
        textwrap.fill(text, HELP_WIDTH, initial_indent=f"  {title:<{width - 2}}", subsequent_indent=" " * width) + "\n"
        for title, text in listed.items()
    )
    return f"formats:\n{lines}\nexamples:\n{examples}"
