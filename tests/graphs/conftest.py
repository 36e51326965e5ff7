"""Good files of every format; those that pyarrow reads and writes are skipped without it."""

from __future__ import annotations

import networkx as nx
import pytest
import scipy.io
import scipy.sparse as sp
from workbooks import workbook

from nelayout.graphs.files import FORMATS, WRITERS, read_graph, write_positions
from nelayout.graphs.files.arrow import encode_columns


@pytest.fixture(autouse=True)
def formats_that_can_be_written(request: pytest.FixtureRequest) -> None:
    """Skip a test of one format if its package is missing."""
    given = getattr(request.node, "callspec", None)
    values = () if given is None else given.params.values()
    if any(isinstance(value, str) and value in ("arrow", "parquet") for value in values):
        pytest.importorskip("pyarrow", reason="pyarrow, the extra [parquet], is not installed")


@pytest.fixture
def load(tmp_path):
    """(name, content) -> the file read."""

    def loaded(name, content, **how):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_graph(path, **how)

    return loaded


@pytest.fixture(scope="session")
def good_file():
    """(folder, format, graph with weights, positions) -> the path of a file."""

    def written(folder, name, G, pos):
        path = folder / f"g.{FORMATS[name].endings[0]}"
        rows = list(G.edges(data="weight"))
        if name in ("arrow", "parquet"):
            u, v, w = zip(*rows, strict=True)
            path.write_bytes(encode_columns({"source": u, "target": v, "weight": w}, name))
        elif name == "xlsx":
            path.write_bytes(workbook({"Edges": [("source", "target", "weight"), *rows]}))
        elif name in WRITERS:
            write_positions(path, G, pos, name)
        elif name == "gml":
            nx.write_gml(G, path)
        elif name == "mtx":
            scipy.io.mmwrite(path, sp.coo_array(nx.to_scipy_sparse_array(G)))
        else:
            path.write_text("source,target,weight" + "".join(f"\n{u},{v},{w}" for u, v, w in rows))
        return path

    return written
