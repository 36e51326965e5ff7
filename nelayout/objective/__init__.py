"""J and its gradient, with one scale factor or one for each row."""

from nelayout.objective.formula import Objective
from nelayout.record.evaluation import Evaluation
from nelayout.similarities.affinity import Affinity

__all__ = ["Affinity", "Evaluation", "Objective"]
