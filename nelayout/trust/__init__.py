"""How far a drawing is to be trusted: faults beyond chance, and certainty of positions."""

from nelayout.trust.records import Cluster, Hidden, Misplaced, Torn
from nelayout.trust.uncertain import SecondPlace, Uncertainty, uncertainty

__all__ = ["Cluster", "Hidden", "Misplaced", "SecondPlace", "Torn", "Uncertainty", "uncertainty"]
