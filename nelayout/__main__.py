"""`python -m nelayout`: the command line."""

import sys

from nelayout.cli import main

if __name__ == "__main__":
    sys.exit(main())
