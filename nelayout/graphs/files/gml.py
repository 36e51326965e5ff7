"""GML, read by networkx, and by its own rules where files on disk are looser.

Nodes are named by their labels, or by their ids where labels are missing or not distinct; edges that appear
more than once make a multigraph, whatever the header says.
"""

from __future__ import annotations

import re
import warnings

from nelayout.graphs.files.record import FileFormat, GraphFile, from_networkx
from nelayout.graphs.files.source import Source

__all__ = ["GML", "read_gml"]

GRAPH_OPENS = re.compile(r"^(\s*graph\s*\[)", re.MULTILINE)
KEY_LINE = re.compile(r"^\s*key\s+\S+\s*$", re.MULTILINE)
AT_LINE = re.compile(r"\((\d+), \d+\)$")


def read_gml(source: Source) -> GraphFile:
    """The graph of a GML file; the notes say what had to be read in another way than it is written."""
    import networkx

    text = source.text()
    label = "label"
    notes: list[str] = []
    for _ in range(4):  # one reading more than there are repairs
        try:
            with warnings.catch_warnings():
                # Text that only looks like a character reference stays as it is.
                warnings.simplefilter("ignore")
                G = networkx.parse_gml(text, label=label)
        except RecursionError:
            raise source.unreadable("cannot be read as gml: brackets are nested too deeply") from None
        except (networkx.NetworkXError, ValueError, TypeError, KeyError, AttributeError) as error:
            message = str(error).partition("\n")[0]
            missing, repeated = "'label' attribute" in message, "node label" in message
            if label == "label" and (missing or repeated):
                label = "id"
                notes.append(f"nodes are named by their ids: {message}")
            elif message.startswith("edge #") and "duplicated" in message and "keys dropped" not in notes:
                if "parallel edges" in "".join(notes):
                    text = KEY_LINE.sub("", text)
                else:
                    text = GRAPH_OPENS.sub(r"\1\n  multigraph 1", text, count=1)
                    notes.append(f"parallel edges are kept: {message}")
            else:
                at = AT_LINE.search(message)
                raise source.unreadable(f"cannot be read as gml: {message}", int(at[1]) if at else None) from None
        else:
            return from_networkx(G, "gml", tuple(notes))
    raise source.broken("cannot be read as gml: edges with the same ends and the same key")


GML = FileFormat(
    "gml",
    ("gml",),
    re.compile(r"(?:.*\n)*?\s*graph\s*\[", re.IGNORECASE),
    read_gml,
)
