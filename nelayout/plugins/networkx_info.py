"""Facts about the networkx backend, read when networkx is imported; imports nothing.

>>> get_info()["backend_name"], list(get_info()["functions"])
('nelayout', ['forceatlas2_layout'])
"""

__all__ = ["get_info"]

NOTES = """Minimizes the energy of networkx's own forces, faster on large graphs. Calls with ``distributed_action``,
``node_size`` or edges in one direction have no such energy and are refused."""
PARAMETERS = {
    "max_iter : int": "Maximum number of iterations on the energy, after a coarse start.",
    "jitter_tolerance : float": "Without effect.",
    "seed : int, RandomState, Generator or None": "Source of all randomness, as in networkx.",
}


def get_info():
    """Return what the backend is, its functions, and how their parameters differ."""
    return {
        "backend_name": "nelayout",
        "project": "nelayout",
        "package": "nelayout",
        "short_summary": "Graph layouts by minimizing their energy, fast on large graphs.",
        "functions": {"forceatlas2_layout": {"additional_docs": NOTES, "additional_parameters": PARAMETERS}},
    }
