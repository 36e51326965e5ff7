"""What all tests of the command line share: commands in this process, in a folder of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nelayout.cli import main


@pytest.fixture
def nelayout(tmp_path, monkeypatch, capsys) -> Callable[[str], tuple[int, str, str]]:
    """Run a command in an empty folder; return exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def run(command: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code, said = main(command.split()), capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def fails(nelayout, tmp_path) -> Callable[..., Any]:
    """Check that a command fails with one line on standard error that begins so, and touches no file."""

    def files() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in Path(tmp_path).iterdir()}

    def check(command: str, line: str, code: int = 1, run: Callable[[str], tuple[int, str, str]] = nelayout) -> str:
        before = files()
        found, out, said = run(command)
        assert (found, out, said.count("\n"), "mistake in nelayout" in said) == (code, "", 1, False)
        assert said.startswith(f"nelayout: {line}")
        assert files() == before
        return said

    return check
