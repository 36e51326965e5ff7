"""Build the shared library of `small_library`; building the package does it.

    python -m nelayout.core.objective.build_small_library

builds it again beside this file, after a change of the loop.  A C compiler links it.  The code has only instructions
that all processors of a kind have, so that it has the same bits on all of them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from nelayout.core.objective.small_library import NAME, file_name

__all__ = ["build"]


def build(folder: Path) -> Path | None:
    """Build the library in a folder, unless it is there; None without a C compiler."""
    made = folder / file_name()
    for old in folder.glob("small-graphs-*.so"):
        if old != made:
            old.unlink()
    if made.exists():
        return made
    compiler = next((found for name in ("cc", "gcc", "clang") if (found := shutil.which(name))), None)
    if compiler is None:
        return None
    # numba reads these as it is imported
    os.environ.update(NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="")
    from nelayout.core.objective.small_loops import run
    from nelayout.numerics.compiling import object_code

    with tempfile.TemporaryDirectory() as scratch:
        code, linked = Path(scratch, "code.o"), Path(scratch, "linked.so")
        code.write_bytes(object_code(run, NAME))
        subprocess.run([compiler, "-shared", "-s", "-o", str(linked), str(code), "-lm"], check=True)  # noqa: S603  found above
        shutil.copyfile(linked, made.with_suffix(".part"))
        made.with_suffix(".part").replace(made)
    return made


if __name__ == "__main__":
    library = build(Path(__file__).parent)
    sys.exit(None if library else "no C compiler: install one, such as gcc, and try again")
