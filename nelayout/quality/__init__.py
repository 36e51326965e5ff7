"""Measures of a drawing: functions of arrays (adjacency, positions), one subject a file; `MEASURES` is the table.

`nelayout.measure` takes those that are default for graphs, and any by name; `nelayout.run.auto` judges candidates by
stress and neighborhoods.
"""

from __future__ import annotations

from nelayout.quality import (
    angles,
    classes,
    clusters,
    coranking,
    crossings,
    discs,
    distance_agreement,
    edges,
    maps,
    neighborhoods,
    retrieval,
    shapes,
    stress,
)
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
        clusters.CLASS_ARI,
        maps.MAP_R2,
        maps.MAP_NEIGHBORS,
        retrieval.PRECISION,
        retrieval.RECALL,
        retrieval.F_SCORE,
        coranking.TRUSTWORTHINESS,
        coranking.CONTINUITY,
        coranking.Q_NX,
        coranking.B_NX,
        coranking.R_NX,
        coranking.R_NX_AREA,
        coranking.RETRIEVAL_AUC,
        distance_agreement.SPEARMAN,
        distance_agreement.NONMETRIC_STRESS,
        distance_agreement.DISTANCE_CORRELATION,
        shapes.SHAPE_GABRIEL,
        shapes.SHAPE_RELATIVE,
        angles.ANGULAR_RESOLUTION,
        angles.CROSSING_ANGLE,
    )
}
