"""The facts about our networkx backend that networkx reads whenever it is imported: plain words, and no imports.

``import networkx`` calls `get_info` of every backend that is installed, so that whatever this module loaded would be
loaded in every program that uses networkx.  The backend itself is `nelayout.plugins.networkx`.

>>> get_info()["backend_name"], list(get_info()["functions"])
('nelayout', ['forceatlas2_layout'])
"""

__all__ = ["get_info"]

NOTES = """Minimizes the energy whose forces networkx's own function follows, in a fraction of its time on large graphs.
``distributed_action``, ``node_size`` and edges that are directed one way have no such energy: calls with these are
refused."""
PARAMETERS = {
    "max_iter : int": "Most steps on the energy itself, after those that find the shape of the whole.",
    "jitter_tolerance : float": "Of networkx's steps; ours are as long as the energy allows, without it.",
    "seed : int, RandomState, Generator or None": "Source of all randomness, as in networkx.",
}


def get_info():
    """The facts by name: what the backend is, which functions it has, and how their parameters differ."""
    return {
        "backend_name": "nelayout",
        "project": "nelayout",
        "package": "nelayout",
        "short_summary": "Graph layouts by minimizing their energy, fast on large graphs.",
        "functions": {"forceatlas2_layout": {"additional_docs": NOTES, "additional_parameters": PARAMETERS}},
    }
