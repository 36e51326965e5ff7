"""Sphinx settings. A broken link, a stale picture, a failing snippet, a load from another site: each is a warning."""

import re
import subprocess
import sys
import warnings
from pathlib import Path

from sphinx.util import logging

import nelayout
from nelayout.keywords import options

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS))
import generate
import pictures

project = "nelayout"
author = "The nelayout developers"
project_copyright = "the nelayout developers"
release = version = nelayout.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_gallery.gen_gallery",
    "numpydoc",
]
myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "development.md"]  # contributing.md includes development.md


html_theme = "furo"
html_title = f"nelayout {release}"
html_static_path = ["_static"]
html_css_files = ["nelayout.css"]
templates_path = ["_templates"]
mathjax_path = "mathjax/tex-svg.js"  # shipped: no page loads anything from another site

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say types and shapes
autodoc_member_order = "bysource"
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_\w+\.py",
    "plot_gallery": "False",  # .ci/full and the public build run the scripts: -D plot_gallery=1
    "abort_on_example_error": True,
    "backreferences_dir": "gallery/uses",
    "doc_module": ("nelayout",),
    "reference_url": {"nelayout": None},
    "remove_config_comments": True,
    "show_memory": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "download_all_examples": False,
    "copyfile_regex": r".*\.rst",
}

GROUPS = {f"{group} keywords" for group in (*options.GROUPS, "Method")}
COMMON = (
    "The :doc:`common keywords </reference/keywords>` are keywords too. Time and memory grow about in proportion to "
    "nodes and edges. `nelayout.estimate` returns both."
)
COLUMNS = re.compile(r"^(\w+(?:, \w+)*)  +(?=\S)")  # a field of a record, and what it means
logger = logging.getLogger(__name__)
warnings.filterwarnings("ignore", "Unknown section", UserWarning)  # those of GROUPS


def write_reference(app, config):
    """Write the generated pages before Sphinx looks for pages."""
    generate.write()


def check(app):
    """Warn of stale pictures and, if the gallery runs, of snippets that fail."""
    for message in pictures.stale():
        logger.warning(message)
    if str(app.config.plot_gallery) in ("1", "True"):
        tests = ["tests/project/test_examples.py", "-k", "documentation", "-m", "", "-n", "0", "-q"]
        command = [sys.executable, "-m", "pytest", *tests]
        done = subprocess.run(command, cwd=DOCS.parent, capture_output=True, text=True, check=False)
        if done.returncode:
            logger.warning("a snippet of a page fails:\n%s", done.stdout[-3000:])


def check_offline(app, error):
    """Warn of each built page that loads something from another site."""
    if error is None and app.builder.name == "html":
        loads = re.compile(r"<(?:script|img|link|iframe)\b[^>]*?\b(?:src|href)=\"((?:https?:)?//[^\"]+)\"")
        for page in sorted(Path(app.outdir).rglob("*.html")):
            for url in loads.findall(page.read_text()):
                logger.warning("%s loads %s", page.relative_to(app.outdir), url)


def link_common_keywords(app, what, name, obj, given, lines):
    """Replace the groups of common keywords by a link to their page."""
    heads = [k for k, line in enumerate(lines) if line in GROUPS and lines[k + 1].startswith("---")]
    if heads:
        ends = [k for k, line in enumerate(lines) if k > heads[-1] + 1 and line.startswith("---")]
        lines[heads[0] : ends[0] - 1 if ends else None] = []
        start = lines.index("Parameters")
        lines[start:start] = [COMMON, ""]


def show_fields(app, what, name, obj, given, lines):
    """Show the fields of a record as a list of definitions."""
    if what == "class":
        lines[:] = "\n".join(COLUMNS.sub(r"**\1**\n    ", line) for line in lines).split("\n")


def setup(app):
    """Connect the checks."""
    app.connect("config-inited", write_reference)
    app.connect("builder-inited", check, priority=100)
    app.connect("build-finished", check_offline)
    app.connect("autodoc-process-docstring", link_common_keywords, priority=400)
    app.connect("autodoc-process-docstring", show_fields, priority=400)
