"""Measures of a drawing: functions of arrays (adjacency, positions), one subject a file; `MEASURES` is the table.

`nelayout.measure` takes all of them; `nelayout.run.auto` judges candidates by stress and neighborhoods.
"""

from __future__ import annotations

from nelayout.quality import classes, crossings, discs, edges, maps, neighborhoods, stress
from nelayout.quality.protocol import Measure

__all__ = ["MEASURES"]

# Name -> measure, in the order in which they are shown.
MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        neighborhoods.NEIGHBORHOOD,
        neighborhoods.NEIGHBORHOOD2,
        stress.STRESS,
        crossings.CROSSINGS,
        edges.EDGE_LENGTH_VARIATION,
        edges.COINCIDENT,
        edges.RESOLUTION,
        discs.OVERLAPS,
        classes.CLASS_AUC,
        classes.CLASS_ACCURACY,
        maps.MAP_R2,
        maps.MAP_NEIGHBORS,
    )
}
