"""The command line: one function for each command, and one place where errors become one line.

    nelayout layout graph.graphml -m ws-sne -o drawing.png
    nelayout embed table.csv --label species -o map.png
    nelayout compare graph.graphml -m ws-sne -m linlog -o compare.html
    nelayout methods

Each command has a file with two functions, `declare` (its arguments) and `run`, and a line in `COMMANDS`.
Exit codes: 0 done, 1 the input or the run failed (one line on stderr), 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from typing import NoReturn

from nelayout import __version__
from nelayout.cli import compare_command, embed_command, layout_command, methods_command
from nelayout.cli.report import WrongUsage, say
from nelayout.errors import InputError, Unsupported

__all__ = ["COMMANDS", "main"]

Command = tuple[Callable[[argparse.Namespace], None], Callable[[argparse.ArgumentParser], None], str]
# Command -> (what it does, its arguments, its line in --help).
COMMANDS: dict[str, Command] = {
    "layout": (
        layout_command.run,
        layout_command.declare,
        "lay out a graph: a picture, or positions in a file",
    ),
    "embed": (
        embed_command.run,
        embed_command.declare,
        "embed the rows of a table: a picture, or positions in a file",
    ),
    "compare": (
        compare_command.run,
        compare_command.declare,
        "draw a graph by several methods and measure the drawings",
    ),
    "methods": (methods_command.run, methods_command.declare, "list the methods"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code.

    >>> main(["layout", "nowhere.graphml", "-o", "drawing.json"])
    1
    """
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as done:  # --help, --version, wrong usage: argparse has said it all
        return done.code if isinstance(done.code, int) else 2
    try:
        with warnings.catch_warnings():
            if not sys.warnoptions:
                warnings.simplefilter("ignore")  # what a user should know is a note
            arguments.run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _failed("interrupted", 130)
    except BrokenPipeError:  # the reader of our output has gone: nothing to say, and nobody to say it to
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except MemoryError:
        return _failed("not enough memory for an input of this size")
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _failed(f"{where}{error.strerror or error}")
    except WrongUsage as error:
        return _failed(f"{error}; see nelayout {arguments.command} --help", 2)
    except (InputError, Unsupported, ImportError) as error:
        return _failed(str(error))
    except Exception as error:  # a run that fails says so in one line, a mistake of ours too
        if os.environ.get("NELAYOUT_TRACEBACK"):
            raise
        place = traceback.extract_tb(error.__traceback__)[-1]
        return _failed(
            f"this is a mistake in nelayout, please report it: {type(error).__name__}: {error} "
            f"({os.path.basename(place.filename)}, line {place.lineno}); NELAYOUT_TRACEBACK=1 shows more"  # noqa: PTH119
        )
    return 0


def _failed(message: str, code: int = 1) -> int:
    say(message)
    return code


class _Parser(argparse.ArgumentParser):
    """Wrong usage in one line, too."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"nelayout: {message}; see {self.prog} --help\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="nelayout", description="Graph layouts by neighbor embedding.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"nelayout {__version__}")
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, dest="command", parser_class=_Parser
    )
    for name, (run, declare, text) in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        declare(command)
        command.set_defaults(run=run)
    return parser
