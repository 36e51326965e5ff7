"""The command line: a table of commands; `main` turns each error into one line.

    nelayout graph.graphml
    nelayout layout graph.graphml -m ws-sne -o drawing.png
    nelayout embed table.csv --color species -o map.png

Exit codes: 0 done, 1 the input or the run failed (one line on stderr), 2 wrong usage, 130 interrupted, 143 terminated.
"""

from __future__ import annotations

import argparse
import inspect
import os
import signal
import sys
import textwrap
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from itertools import takewhile
from pathlib import Path
from typing import Any, NoReturn

import nelayout
from nelayout import __version__
from nelayout.cli import arguments, audit_command, compare_command, embed_command, layout_command
from nelayout.cli.arguments import Command, Keywords, WrongUsage, declarer, in_options, say, say_all
from nelayout.core.catalogue import methods, own_keywords
from nelayout.core.record.progress import ENDING
from nelayout.errors import InputError, Unsupported, near_matches, unknown
from nelayout.numerics.notices import listening

__all__ = ["COMMANDS", "main"]


def _declare_plan(option: Callable[..., None]) -> None:
    """Add the options of `nelayout layout` that a plan depends on."""
    arguments.declare(option)
    option("--format", text="format of FILE", metavar="NAME")
    option("--quiet", text="no notes", action="store_true")


def _plan(given: argparse.Namespace) -> None:
    """Print the passes of `nelayout layout` or `nelayout embed`, with time and memory."""
    from nelayout.planning.calls import plan, plan_of_table

    method = arguments.tuned_method(given.method, given.set)
    try:
        file = arguments.read_graph(given, given.file, given.format)
    except InputError:
        table = embed_command.table_of(given.file, given.format)
        if table is None:
            raise
        named = None if given.method == given.parser.get_default("method") and not given.set else method
        found = plan_of_table(*table, named, dim=given.dim, seed=given.seed)
        say_all([f"{given.file} is a table of rows: this is the plan of nelayout embed"], given)
        sys.stdout.write(f"{found!r}\n")
        return
    start = None if given.pos is None else arguments.known_positions(given.pos, file, given.file)
    found = plan(file, method, start, dim=given.dim, **arguments.keywords(given, file))
    say_all(file.notes, given)
    sys.stdout.write(f"{found!r}\n")


def _list_methods(given: argparse.Namespace) -> None:
    """Print name and use of every method, and its own parameters with their defaults."""
    del given
    layout = argparse.ArgumentParser()
    layout_command.declare(declarer(layout))
    width = max(len(row["name"]) for row in methods())
    for row in methods():
        sys.stdout.write(f"{row['name']:<{width}}  {in_options(row['summary'], layout)}\n")
        shown = {k: f"{v:g}" if isinstance(v, float) else str(v).lower() for k, v in own_keywords(row["name"]).items()}
        if shown:
            sys.stdout.write(f"{'':<{width}}  {' '.join(f'--set {name}={text}' for name, text in shown.items())}\n")


def _declare_warm_up(option: Callable[..., None]) -> None:
    option("--dim", text="3: also the loops of drawings in space", type=int, default=2, choices=(2, 3))


def _warm_up(given: argparse.Namespace) -> None:
    """Draw graphs by "auto" and by NeRV; print how many loops were compiled."""
    import networkx as nx

    from nelayout.layouts import layout
    from nelayout.numerics import loop_store

    folder = loop_store.place()
    if folder is None:
        tried = ", ".join(str(path) for path in loop_store.folders())
        raise InputError(
            f"compiled loops cannot be stored: no folder of {tried} can be written; NUMBA_CACHE_DIR names another"
        )
    began, before = time.perf_counter(), loop_store.stored()
    hubs = nx.barabasi_albert_graph(3000, 3, seed=1)
    layout(hubs, seed=0)  # the choices by size and shape
    layout(nx.barabasi_albert_graph(600, 3, seed=1), seed=0)  # all pairs
    layout(nx.grid_2d_graph(150, 140), seed=0, max_iter=1)  # coarsened by compiled loops
    layout(hubs, "nerv", seed=0, max_iter=1)  # row by row
    trees = [nx.random_labeled_tree(10 + k, seed=k) for k in range(60)]
    layout(nx.disjoint_union_all(trees), seed=0)  # many small graphs
    if given.dim == 3:
        layout(hubs, seed=0, dim=3)
    compiled, seconds = loop_store.stored() - before, time.perf_counter() - began
    done = f"compiled {compiled} loops in {seconds:.1f} s" if compiled else "every loop was compiled already"
    sys.stdout.write(f"{done}: {folder}\n")


COMMANDS: dict[str, Command] = {
    "layout": layout_command.COMMAND,
    "draw": layout_command.DRAW,
    "add": layout_command.ADD,
    "embed": embed_command.COMMAND,
    "compare": compare_command.COMMAND,
    "audit": audit_command.COMMAND,
    "plan": Command(
        "list the passes that drawing a graph or a table will run, with time and memory",
        _declare_plan,
        _plan,
        ("nelayout plan graph.graphml", "nelayout plan roads.mtx.gz -m ws-sne", "nelayout plan table.csv"),
    ),
    "methods": Command(
        "list the methods and their own parameters",
        lambda _: None,
        _list_methods,
        (
            "nelayout methods",
            "nelayout layout graph.graphml -m nerv --set kappa=0.2 -o drawing.png",
            "nelayout layout graph.graphml -m nerv:0.2 -o drawing.png",
        ),
    ),
    "warm-up": Command(
        "compile the inner loops now, for example in a Dockerfile",
        _declare_warm_up,
        _warm_up,
        ("nelayout warm-up", "nelayout warm-up --dim 3"),
    ),
}
ABOUT = "Graph layouts by neighbor embedding. nelayout FILE draws a graph to a new picture beside FILE."
# Functions of Python that have the keywords which a command lacks.
IN_PYTHON = ("draw", "explore", "layout", "solve", "embed", "compare")
# Options of other programs -> what there is in their place.
INSTEAD = {
    **dict.fromkeys(("--estimate", "--dry-run"), "nelayout plan FILE says seconds and memory"),
    **dict.fromkeys(("--resume", "--continue"), "--checkpoint FILE keeps the state of a run, and --resume goes on"),
    **dict.fromkeys(("--timeout", "--max-time"), "here it is called --time-limit"),
    "nelayout layout --output": "nelayout draw FILE --pos FIRST -o SECOND needs no second run",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code."""
    with _open_streams():
        return _main(argv)


@contextmanager
def _open_streams() -> Iterator[None]:
    """Replace closed standard streams by empty ones.

    Else an output file would get the number of such a stream.
    """
    closed = [name for name in ("stdin", "stdout", "stderr") if getattr(sys, name) is None]
    with ExitStack() as opened:
        for name in closed:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, opened.enter_context(Path(os.devnull).open(mode, encoding="utf-8")))
        try:
            yield
        finally:
            for name in closed:
                setattr(sys, name, None)


def _main(argv: Sequence[str] | None) -> int:
    try:
        given, unrecognized = _parser().parse_known_args(argv)
        if unrecognized:
            given.parser.refuse(unrecognized)
    except SystemExit as done:  # --help, --version, wrong usage: argparse has written everything
        return done.code if isinstance(done.code, int) else 2
    code, said = 1, ""
    try:
        silent = listening(lambda _: None) if getattr(given, "quiet", False) else nullcontext()
        with warnings.catch_warnings(), _ending_in_order(), silent:
            if not sys.warnoptions:
                warnings.simplefilter("ignore")  # the commands print notes instead of warnings
            given.run(given)
        sys.stdout.flush()
        if ENDING.asked:
            code, said = 130, f"interrupted: {given.output} holds the drawing so far"
        else:
            code = 0
    except KeyboardInterrupt:
        code, said = 130, "interrupted"
    except BrokenPipeError:  # the reader of our output has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return code
    except MemoryError:
        said = "not enough memory for an input of this size"
    except OSError as error:
        output = getattr(given, "output", None) or "the output"
        output = "standard output" if output == "-" else output
        said = f"{output} cannot be written: {error.strerror or error}; free some space or choose another folder"
        said = f"{error.filename}: {error.strerror or error}" if error.filename else said
    except WrongUsage as error:
        code, said = 2, f"{error}; see nelayout {given.command} --help"
    except (InputError, Unsupported, ImportError) as error:
        said = str(error)
    except Exception as error:
        if os.environ.get("NELAYOUT_TRACEBACK"):
            raise
        place = traceback.extract_tb(error.__traceback__)[-1]
        said = (
            f"this is a mistake in nelayout, please report it: {type(error).__name__}: {error} "
            f"({Path(place.filename).name}, line {place.lineno}); NELAYOUT_TRACEBACK=1 shows more"
        )
    finally:
        ENDING.asked = False
    if not code:
        return 0
    say(said, given.parser)
    return code


@contextmanager
def _ending_in_order() -> Iterator[None]:
    """Let SIGTERM and a closed terminal end the program like Ctrl-C, without unfinished files."""

    def end(number: int, _: object) -> NoReturn:
        for ending in before:  # ignore later signals: they would interrupt the cleanup
            signal.signal(ending, signal.SIG_IGN)
        raise SystemExit(128 + number)

    before = {}
    if threading.current_thread() is threading.main_thread():
        endings = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
        before = {ending: signal.getsignal(ending) for ending in endings}
        before = {ending: old for ending, old in before.items() if old is not signal.SIG_IGN}  # as nohup does
    for ending in before:
        signal.signal(ending, end)
    try:
        yield
    finally:
        for ending, handler in before.items():
            signal.signal(ending, signal.SIG_DFL if handler is None else handler)


class _Parser(argparse.ArgumentParser):
    """Parser that reports wrong usage in one line: misspelt and repeated options come first."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if self._subparsers is not None:
            args = _words(args)
        else:
            options = self._option_string_actions
            words = [word.partition("=")[0] for word in takewhile("--".__ne__, args or ()) if word.startswith("-")]
            misspelt = [word for word in words if word.startswith("--") and word not in options]
            if misspelt:
                self.refuse([word for word in args if word.partition("=")[0] in misspelt])
            actions = [options[word] for word in words if word in options]
            for action in actions:
                repeats = isinstance(action, argparse._AppendAction) or action.nargs == 0
                if actions.count(action) > 1 and not repeats:
                    hint = INSTEAD.get(f"{self.prog} {action.option_strings[-1]}")
                    said = f"{'/'.join(action.option_strings)} is given {actions.count(action)} times; give it once"
                    self.error(said + (f" ({hint})" if hint else ""))
        return super().parse_known_args(args, namespace)

    def _check_value(self, action: argparse.Action, value: object) -> None:
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
        hint = INSTEAD.get(word) or _elsewhere(word) or (f"did you mean {near[0]}?" if near else "")
        self.error(f"unrecognized arguments: {' '.join(unrecognized)}{f' ({hint})' if hint else ''}")


def _elsewhere(word: str) -> str:
    """Return the command with this option, or the function with this keyword, if any."""
    for name, command in COMMANDS.items():
        options = argparse.ArgumentParser(add_help=False)
        command.declare(declarer(options))
        if word in options._option_string_actions:
            return f"nelayout {name} has it"
    keyword = word.removeprefix("--").replace("-", "_")
    for name in IN_PYTHON if word.startswith("--") else ():
        if keyword in inspect.signature(getattr(nelayout, name)).parameters:
            return f"in Python, nelayout.{name} has {keyword}="
    return ""


def _words(argv: Sequence[str] | None) -> list[str]:
    """Return the words of a call; a FILE in place of a command is laid out."""
    words = list(sys.argv[1:] if argv is None else argv)
    first = words[0] if words else ""
    named = first and first not in COMMANDS and not first.startswith("-")
    is_file = named and (bool(Path(first).suffix) or os.sep in first or Path(first).exists())
    return ["layout", *words] if is_file else words


def _parser() -> argparse.ArgumentParser:
    how: Keywords = {"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False}
    parser = _Parser(prog="nelayout", description=ABOUT, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"nelayout {__version__}")
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, dest="command", parser_class=_Parser
    )
    for name, does in COMMANDS.items():
        command = commands.add_parser(name, help=does.text, description=does.text, epilog=_epilog(does), **how)
        does.declare(declarer(command))
        command.set_defaults(run=does.run, parser=command)
    return parser


def _epilog(does: Command) -> str:
    """Return formats and examples, the end of a command's --help."""
    lines = ["examples:", *(f"  {example}" for example in does.examples)]
    listed = {title: ", ".join(names) for title, names in does.formats().items()}
    if listed:
        indent = " " * (max(map(len, listed)) + 4)
        texts = (f"  {title}".ljust(len(indent)) + text for title, text in listed.items())
        wrapped = (textwrap.fill(text, 79, subsequent_indent=indent) for text in texts)
        lines = ["formats:", *wrapped, "", *lines]
    return "\n".join(lines) + "\n"
