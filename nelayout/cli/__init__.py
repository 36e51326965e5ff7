"""The command line: a table of commands; `main` turns each error into one line.

    nelayout layout graph.graphml -m ws-sne -o drawing.png
    nelayout draw graph.graphml --pos positions.csv -o drawing.png
    nelayout embed table.csv --color species -o map.png
    nelayout compare graph.graphml -m ws-sne -m linlog -o compare.html
    nelayout plan graph.graphml
    nelayout methods
    nelayout warm-up

Exit codes: 0 done, 1 the input or the run failed (one line on stderr), 2 wrong usage, 130 interrupted, 143 terminated.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import textwrap
import threading
import time
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import takewhile
from pathlib import Path
from typing import Any, NoReturn

from nelayout import __version__
from nelayout.catalogue import methods, own_keywords
from nelayout.cli import arguments, compare_command, embed_command, layout_command
from nelayout.cli.arguments import Command, WrongUsage, in_options, say, say_all
from nelayout.errors import InputError, Unsupported, near_matches, unknown
from nelayout.numerics.notices import listening

__all__ = ["COMMANDS", "main"]


def _declare_plan(command: argparse.ArgumentParser) -> None:
    """Add the options of `nelayout layout` that a plan depends on."""
    option = arguments.declarer(command)
    arguments.declare_method(option)
    arguments.declare(command, option)
    option("--format", text="format of FILE", metavar="NAME")
    option("--quiet", text="no notes", action="store_true")


def _plan(given: argparse.Namespace) -> None:
    """Print the passes that `nelayout layout` will run, with time and memory."""
    from nelayout.run.plan_table import plan

    method = arguments.tuned_method(given.method, given.set)
    file = arguments.read_graph(given, given.file, given.format)
    start = None if given.pos is None else arguments.known_positions(given.pos, file, given.file)
    found = plan(file, method, start, dim=given.dim, **arguments.keywords(given, file))
    say_all(file.notes, given)
    sys.stdout.write(f"{found!r}\n")


def _list_methods(given: argparse.Namespace) -> None:
    """Print name and use of every method, and its own parameters with their defaults."""
    del given
    layout = argparse.ArgumentParser()
    layout_command.declare(layout)
    rows = methods()
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        sys.stdout.write(f"{row['name']:<{width}}  {in_options(row['summary'], layout)}\n")
        shown = {k: f"{v:g}" if isinstance(v, float) else str(v).lower() for k, v in own_keywords(row["name"]).items()}
        if shown:
            sys.stdout.write(f"{'':<{width}}  {' '.join(f'--set {name}={text}' for name, text in shown.items())}\n")


def _declare_warm_up(command: argparse.ArgumentParser) -> None:
    text = "3: also the loops of drawings in space"
    command.add_argument("--dim", type=int, default=2, choices=(2, 3), help=text)


def _warm_up(given: argparse.Namespace) -> None:
    """Draw graphs that need all loops; print how many loops were compiled."""
    from nelayout.numerics import loop_store

    folder = loop_store.place()
    if folder is None:
        tried = ", ".join(str(path) for path in loop_store.folders())
        raise InputError(
            f"compiled loops cannot be stored: no folder of {tried} can be written; NUMBA_CACHE_DIR names another"
        )
    began, before = time.perf_counter(), loop_store.stored()
    _draw_all(given.dim)
    compiled = loop_store.stored() - before
    seconds = time.perf_counter() - began
    done = f"compiled {compiled} loops in {seconds:.1f} s" if compiled else "every loop was compiled already"
    sys.stdout.write(f"{done}: {folder}\n")


def _draw_all(dim: int) -> None:
    import networkx as nx

    from nelayout.layouts import layout

    hubs = nx.barabasi_albert_graph(3000, 3, seed=1)
    layout(hubs, seed=0)  # the choices by size and shape
    layout(nx.barabasi_albert_graph(600, 3, seed=1), seed=0)  # all pairs
    layout(nx.grid_2d_graph(150, 140), seed=0, max_iter=1)  # coarsened by compiled loops
    layout(hubs, "nerv", seed=0, max_iter=1)  # row by row
    trees = [nx.random_labeled_tree(10 + k, seed=k) for k in range(60)]
    layout(nx.disjoint_union_all(trees), seed=0)  # many small graphs at once
    if dim == 3:
        layout(hubs, seed=0, dim=3)


PLAN = Command(
    "list the passes that drawing a graph will run, with time and memory",
    _declare_plan,
    _plan,
    ("nelayout plan graph.graphml", "nelayout plan roads.mtx.gz -m ws-sne"),
)
METHODS = Command(
    "list the methods and their own parameters",
    lambda _: None,
    _list_methods,
    (
        "nelayout methods",
        "nelayout layout graph.graphml -m nerv --set kappa=0.2 -o drawing.png",
        "nelayout layout graph.graphml -m nerv:0.2 -o drawing.png",
    ),
)
WARM_UP = Command(
    "compile the inner loops now, for example in a Dockerfile",
    _declare_warm_up,
    _warm_up,
    ("nelayout warm-up", "nelayout warm-up --dim 3"),
)


COMMANDS: dict[str, Command] = {
    "layout": layout_command.COMMAND,
    "draw": layout_command.DRAW,
    "embed": embed_command.COMMAND,
    "compare": compare_command.COMMAND,
    "plan": PLAN,
    "methods": METHODS,
    "warm-up": WARM_UP,
}


# Options of other programs -> what there is in their place.
INSTEAD = {
    **dict.fromkeys(("--estimate", "--dry-run"), "nelayout plan FILE says seconds and memory"),
    **dict.fromkeys(("--resume", "--continue"), "--pos FILE starts from positions"),
    **dict.fromkeys(("--time-limit", "--timeout"), "--max-iter STEPS ends a run"),
    "nelayout layout --output": "nelayout draw FILE --pos FIRST -o SECOND needs no second run",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code.

    >>> main(["layout", "nowhere.graphml", "-o", "drawing.json"])
    1
    """
    try:
        arguments, unrecognized = _parser().parse_known_args(argv)
        if unrecognized:
            arguments.parser.refuse(unrecognized)
    except SystemExit as done:  # --help, --version, wrong usage: argparse has written everything
        return done.code if isinstance(done.code, int) else 2
    try:
        silent = listening(lambda _: None) if getattr(arguments, "quiet", False) else nullcontext()
        with warnings.catch_warnings(), _ending_in_order(), silent:
            if not sys.warnoptions:
                warnings.simplefilter("ignore")  # the commands print notes instead of warnings
            arguments.run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _fail(arguments, "interrupted", 130)
    except BrokenPipeError:  # the reader of our output has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except MemoryError:
        return _fail(arguments, "not enough memory for an input of this size")
    except OSError as error:
        what = error.strerror or str(error)
        if error.filename:
            return _fail(arguments, f"{error.filename}: {what}")
        output = getattr(arguments, "output", None) or "the output"
        output = "standard output" if output == "-" else output
        return _fail(arguments, f"{output} cannot be written: {what}; free some space or choose another folder")
    except WrongUsage as error:
        return _fail(arguments, f"{error}; see nelayout {arguments.command} --help", 2)
    except (InputError, Unsupported, ImportError) as error:
        return _fail(arguments, str(error))
    except Exception as error:
        if os.environ.get("NELAYOUT_TRACEBACK"):
            raise
        place = traceback.extract_tb(error.__traceback__)[-1]
        return _fail(
            arguments,
            f"this is a mistake in nelayout, please report it: {type(error).__name__}: {error} "
            f"({Path(place.filename).name}, line {place.lineno}); NELAYOUT_TRACEBACK=1 shows more",
        )
    return 0


@contextmanager
def _ending_in_order() -> Iterator[None]:
    """Let SIGTERM and a closed terminal end the program like Ctrl-C, without unfinished files."""

    def end(number: int, _: Any) -> NoReturn:
        for ending in endings:  # ignore later signals: they would interrupt the cleanup
            signal.signal(ending, signal.SIG_IGN)
        raise SystemExit(128 + number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    endings = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    endings = [ending for ending in endings if signal.getsignal(ending) is not signal.SIG_IGN]  # as nohup does
    before = {ending: signal.signal(ending, end) for ending in endings}
    try:
        yield
    finally:
        for ending, handler in before.items():
            signal.signal(ending, signal.SIG_DFL if handler is None else handler)


def _fail(arguments: argparse.Namespace, message: str, code: int = 1) -> int:
    say(message, arguments.parser)
    return code


class _Parser(argparse.ArgumentParser):
    """Parser that reports wrong usage in one line: misspelt and repeated options come first."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if self._subparsers is None:
            options = self._option_string_actions
            words = [word.partition("=")[0] for word in takewhile("--".__ne__, args or ()) if word.startswith("-")]
            misspelt = [word for word in words if word.startswith("--") and word not in options]
            if misspelt:
                self.refuse([word for word in args if word.partition("=")[0] in misspelt])
            once = [options[word] for word in words if word in options and not _repeats(options[word])]
            for action in once:
                if once.count(action) > 1:
                    hint = INSTEAD.get(f"{self.prog} {action.option_strings[-1]}")
                    said = f"{'/'.join(action.option_strings)} is given {once.count(action)} times; give it once"
                    self.error(said + (f" ({hint})" if hint else ""))
        return super().parse_known_args(args, namespace)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Raise an error with near matches for an unknown choice or command."""
        if action.choices is not None and value not in action.choices:
            if self._subparsers is not None:
                raise argparse.ArgumentError(None, str(unknown("command", value, action.choices)))
            raise argparse.ArgumentError(action, str(unknown("choice", value, action.choices)))

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"nelayout: {message}; see {self.prog} --help\n")

    def refuse(self, unrecognized: list[str]) -> NoReturn:
        """Refuse unknown arguments, with the option that the first of them may have meant."""
        word = unrecognized[0].partition("=")[0]
        near = near_matches(word, self._option_string_actions)
        hint = f" (did you mean {near[0]}?)" if near else ""
        hint = f" ({INSTEAD[word]})" if word in INSTEAD else hint
        self.error(f"unrecognized arguments: {' '.join(unrecognized)}{hint}")


def _repeats(action: argparse.Action) -> bool:
    """Return True if an option may be repeated or has no value."""
    return isinstance(action, argparse._AppendAction) or action.nargs == 0


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="nelayout", description="Graph layouts by neighbor embedding.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"nelayout {__version__}")
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, dest="command", parser_class=_Parser
    )
    for name, does in COMMANDS.items():
        how: dict[str, Any] = {"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False}
        command = commands.add_parser(name, help=does.text, description=does.text, epilog=_epilog(does), **how)
        does.declare(command)
        command.set_defaults(run=does.run, parser=command)
    return parser


def _epilog(does: Command) -> str:
    """Return formats and examples, the end of a command's --help."""
    listed = {title: ", ".join(names) for title, names in does.formats().items()}
    examples = "examples:\n" + "".join(f"  {example}\n" for example in does.examples)
    if not listed:
        return examples
    width = max(map(len, listed)) + 4
    lines = "".join(
        textwrap.fill(text, 79, initial_indent=f"  {title:<{width - 2}}", subsequent_indent=" " * width) + "\n"
        for title, text in listed.items()
    )
    return f"formats:\n{lines}\n{examples}"
