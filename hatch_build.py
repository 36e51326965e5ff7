"""Steps of building a wheel: the loop of small graphs, see `nelayout/core/objective/small_library.py`, and the readme.

Without a C compiler the wheel has no compiled code.  It draws small graphs more slowly.
"""

import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

# Addresses of the pictures and of all else that README.md names by paths of the repository.
PICTURES = "https://raw.githubusercontent.com/nelayout/nelayout/main/"
FILES = "https://github.com/nelayout/nelayout/blob/main/"


class CompiledLoop(BuildHookInterface):
    """Adds the library to the wheel, which then is for this platform and every Python."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the library."""
        module = "nelayout.core.objective.build_small_library"
        command = [sys.executable, "-m", module]
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=False)  # noqa: S603  our own
        if done.returncode:
            self.app.display_warning(f"small graphs are drawn more slowly, as their loop was not built: {done.stderr}")
            return
        for path in Path(self.root, "nelayout", "core", "objective").glob("small-graphs-*.so"):
            build_data["artifacts"].append(f"/{path.relative_to(self.root).as_posix()}")
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data.update(pure_python=False, tag=f"py3-none-{platform}")


class Readme(MetadataHookInterface):
    """Gives the wheel the readme with addresses in place of paths: a wheel holds no pictures."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the readme."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        text = re.sub(r"(!\[[^\]]*\]\()(?!https:)", rf"\g<1>{PICTURES}", text)
        text = re.sub(r"(?<!!)(\[[^\]]*\]\()(?!https:)", rf"\g<1>{FILES}", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
