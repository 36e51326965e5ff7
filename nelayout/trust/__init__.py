"""Trust in drawings: faults beyond chance, what is reachable, certainty of positions."""

from nelayout.trust.audited import Audit
from nelayout.trust.auditing import audit
from nelayout.trust.records import Cluster, Hidden, Misplaced, Torn
from nelayout.trust.uncertain import SecondPlace, Uncertainty, uncertainty

__all__ = ["Audit", "Cluster", "Hidden", "Misplaced", "SecondPlace", "Torn", "Uncertainty", "audit", "uncertainty"]
