"""J and its gradient, with one scale factor or one for each row."""

from nelayout.core.objective.formula import Objective
from nelayout.core.record.evaluation import Evaluation
from nelayout.core.similarities.affinity import Affinity

__all__ = ["Affinity", "Evaluation", "Objective"]
