"""What the command line says on standard error."""

import sys

from nelayout.errors import InputError

__all__ = ["WrongUsage", "say"]


class WrongUsage(InputError):
    """Arguments that do not go together: exit code 2, as for those that argparse refuses."""


def say(message: str) -> None:
    """One line, whatever the message."""
    sys.stderr.write(f"nelayout: {' '.join(message.split())}\n")
