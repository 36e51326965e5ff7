"""Name files of other programs by their beginning or ending, and how to convert them.

>>> foreign(b"version https://git-lfs.github.com/spec/v1\\noid sha256:0\\n")
'this is a pointer of Git LFS in place of the file; git lfs pull fetches the file'
>>> foreign(b"a,b\\nb,c\\n")
''
"""

from __future__ import annotations

import re

__all__ = ["CONVERSIONS", "WORKBOOK", "foreign", "head_of"]

# Number of bytes of a file that hold the sign of its format.
SNIFFED_BYTES = 4096
RDFLIB = "rdflib reads it in Python: rdflib.extras.external_graph_libs.rdflib_to_networkx_graph(Graph().parse(path))"
# Ending of an unsupported file -> how to convert it.
CONVERSIONS = {
    **dict.fromkeys(("dot", "gv"), "Graphviz writes GML: gv2gml FILE.dot -o FILE.gml"),
    "dl": "igraph reads it in Python: igraph.Graph.Read_DL(path), and write_graphml writes GraphML",
    "lgl": "igraph reads it in Python: igraph.Graph.Read_Lgl(path), and write_graphml writes GraphML",
    "adjlist": "networkx reads it in Python: networkx.read_adjlist(path), and write_graphml writes GraphML",
    **dict.fromkeys(("g6", "s6"), "networkx reads it in Python: networkx.read_graph6 or read_sparse6(path)"),
    **dict.fromkeys(("vna", "gdf", "tlp", "dgs", "gephi"), "Gephi opens it and exports GraphML or GEXF"),
    **dict.fromkeys(("xgmml", "cys"), "Cytoscape opens it and exports Cytoscape.js JSON (.cyjs)"),
    **dict.fromkeys(
        ("graph", "metis"), "networkit reads it in Python: networkit.readGraph(path, networkit.Format.METIS)"
    ),
    **dict.fromkeys(
        ("xls", "xlsb", "ods", "numbers"), "the spreadsheet program saves it as .xlsx, or the sheet as CSV"
    ),
    **dict.fromkeys(("pickle", "pkl", "gpickle"), "load the graph in Python, and pass it to nelayout.layout"),
    **dict.fromkeys(("zip", "bz2", "xz", "7z", "tar", "tgz", "zst"), "unpack it first; gzip (.gz) is unpacked here"),
    **dict.fromkeys(("nt", "nq", "ttl", "n3", "rdf", "owl"), RDFLIB),
    "h5ad": "in Python, nelayout.embed_cells(anndata.read_h5ad(path)) draws the cells",
    "mat": "scipy.io.loadmat(path) reads it in Python, and its matrix is a graph as it is",
    "hdf5": "h5py reads it in Python, and a matrix is a graph as it is",
}
# Beginning of a workbook, as a regular expression in which a point stands for any sign.
WORKBOOK = r"PK\x03\x04.{20,30}(?:\[Content_Types\]|docProps/|xl/|_rels/)"
COMMENTS = r"(?:\s*#[^\n]*\n)*\s*"
XML = r"(?s)\s*(?:<\?xml[^>]*>\s*)?(?:<!(?:--.{0,1000}?--|DOCTYPE[^>]{0,300})>\s*)*"
LFS = "a pointer of Git LFS in place of the file"
# What a file is -> its beginning, and how to convert it.
BEGINNINGS = {
    LFS: (r"version https://git-lfs", "git lfs pull fetches the file"),
    "an old Excel workbook, or one with a password": (
        "\ufffd\ufffd\x11\u0871\x1a\ufffd",
        "Excel saves it as .xlsx without a password, or the sheet as CSV",
    ),
    "an OpenDocument file": (r"(?s)PK\x03\x04.{20,30}mimetypeapplication/vnd\.oasis", CONVERSIONS["ods"]),
    "N-Triples": (
        COMMENTS + r"(?:<\w+:[^<>\s]+>|_:\w+)\s+<\w+:[^<>\s]+>\s+[^\n]*\.[ \t]*(?:#[^\n]*)?(?:\n|$)",
        CONVERSIONS["nt"],
    ),
    "Turtle": (COMMENTS + r"(?i:@prefix|@base|prefix|base)\s+[\w.-]*:?\s*<\w+:", CONVERSIONS["ttl"]),
    "RDF/XML": (r"(?s)\s*<.{,1000}?<rdf:RDF\b|\s*<rdf:RDF\b", CONVERSIONS["rdf"]),
    "XGMML": (XML + r"<graph\b", CONVERSIONS["xgmml"]),
    "GDF": (r"\s*nodedef\s*>", CONVERSIONS["gdf"]),
    "a graph of Graphviz": (r"\s*(?:strict\s+)?(?:di)?graph\b\s*(?:\"[^\"]*\"|\w*)\s*\{", CONVERSIONS["dot"]),
    "a network of UCINET": (r"(?i)\s*dl\s+n\s*=", CONVERSIONS["dl"]),
}


def head_of(data: bytes) -> str:
    """Return the beginning of a file as text, with uniform line ends."""
    wide = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return data[:SNIFFED_BYTES].decode(wide, errors="replace").replace("\r\n", "\n").replace("\r", "\n")


def foreign(data: bytes) -> str:
    """Return what a file of another program is and how to convert it, or an empty text."""
    head = head_of(data)
    for what, (beginning, way) in BEGINNINGS.items():
        if re.match(beginning, head):
            return f"this is {what}{'' if what == LFS else ', which is not read'}; {way}"
    return ""
