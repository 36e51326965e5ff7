"""What the command line says on standard error."""

import sys


def say(message: str) -> None:
    """One line, whatever the message."""
    sys.stderr.write(f"nelayout: {' '.join(message.split())}\n")
