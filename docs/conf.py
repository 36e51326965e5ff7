"""Sphinx settings: Markdown pages, the public docstrings, warnings as errors in .ci/run."""

import re
from pathlib import Path

import nelayout

project = "nelayout"
author = "The nelayout developers"
project_copyright = "the nelayout developers"
release = version = nelayout.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath", "amsmath", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = f"nelayout {release}"

autodoc_typehints = "none"  # the docstrings say types and shapes, and say more
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False

# Docstrings are plain text with the field's notation: |y_i - y_j|^2 is a norm, P_ = x no link, *args no
# emphasis. Outside of literals these characters lose the meaning that they have in reStructuredText.
_LITERAL = re.compile(r"(``.+?``|:\w+:`.+?`|`[^`]+`_?)")


def _plain(text: str) -> str:
    pieces = _LITERAL.split(text)
    pieces[::2] = [re.sub(r"(?<!\\)([|*]|_(?![\w]))", r"\\\1", piece) for piece in pieces[::2]]
    return "".join(pieces)


def _plain_docstring(app, what, name, obj, options, lines):
    example = False
    for number, line in enumerate(lines):
        example = line.lstrip().startswith((">>>", "...")) or (example and bool(line.strip()))
        if not example:
            lines[number] = _plain(line)


# The gallery is drawn by a step of its own (docs/draw_gallery.py) and joins the contents once it is there.
_GALLERY = "\n```{toctree}\n:caption: See\n\ngallery/index\n```\n"


def _with_gallery(app, docname, source):
    if docname == "index" and (Path(app.srcdir) / "gallery" / "index.md").is_file():
        source[0] += _GALLERY


def setup(app):
    """Escape the docstrings before napoleon (priority 500) reads their sections; add the gallery."""
    app.connect("autodoc-process-docstring", _plain_docstring, priority=400)
    app.connect("source-read", _with_gallery)
