"""How far a drawing is to be trusted: faults beyond chance, and what is reachable."""

from nelayout.trust.records import Cluster, Hidden, Misplaced, Torn

__all__ = ["Cluster", "Hidden", "Misplaced", "Torn"]
