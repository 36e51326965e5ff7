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
napoleon_custom_sections = [(f"{group} keywords", "params_style") for group in ("Graph", "Drawing", "Run", "Method")]

# Docstrings are written to be read in a terminal: |y_i - y_j|^2 is a norm, *args no emphasis, a formula or a
# small table stands indented. `_as_written` turns them into reStructuredText that shows the same: outside of
# literals the markup characters lose their meaning, and a paragraph whose lines are not flush is shown as a
# literal block.
_LITERAL = re.compile(r"(``.+?``|:[\w:]+:`.+?`|`[^`]+`_?)")
_MARKUP = re.compile(r"([|*]|_(?!\w))")
_RULE = re.compile(r"^[-=]{3,}$")


def _escaped(line: str) -> str:
    pieces = _LITERAL.split(line)
    pieces[::2] = [_MARKUP.sub(r"\\\1", piece) for piece in pieces[::2]]
    return "".join(pieces)


def _is_list(lines: list[str]) -> bool:
    return lines[0].lstrip().startswith(("- ", "* ", "1. "))


def _as_written(app, what, name, obj, options, lines):
    paragraphs: list[list[str]] = [[]]
    for line in [*lines, ""]:
        if line.strip():
            paragraphs[-1].append(line.rstrip())
        elif paragraphs[-1]:
            paragraphs.append([])
    written: list[str] = []
    in_section = False  # of numpydoc, which napoleon reads: Parameters, Returns, ...
    for paragraph in filter(None, paragraphs):
        ragged = any(line[:1].isspace() or "   " in line.strip() for line in paragraph)
        if len(paragraph) > 1 and _RULE.match(paragraph[1]):
            in_section = True
            written += [*paragraph[:2], *map(_escaped, paragraph[2:]), ""]
        elif paragraph[0].lstrip().startswith((">>>", "..")):
            # two empty lines end a section
            written += [*([""] if in_section and not paragraph[0][:1].isspace() else []), *paragraph, ""]
            in_section = in_section and paragraph[0][:1].isspace()
        elif in_section and paragraph[0][:1].isspace():
            written += [*map(_escaped, paragraph), ""]
        elif ragged and not _is_list(paragraph):
            written += ["::", "", *("    " + line for line in paragraph), ""]
        else:
            written += [*map(_escaped, paragraph), ""]
    lines[:] = written


# The gallery is drawn by a step of its own (docs/draw_gallery.py) and joins the contents once it is there.
_GALLERY = "\n```{toctree}\n:caption: See\n\ngallery/index\n```\n"


def _with_gallery(app, docname, source):
    if docname == "index" and (Path(app.srcdir) / "gallery" / "index.md").is_file():
        source[0] += _GALLERY


def setup(app):
    """Rewrite the docstrings before napoleon (priority 500) reads their sections; add the gallery."""
    app.connect("autodoc-process-docstring", _as_written, priority=400)
    app.connect("source-read", _with_gallery)
