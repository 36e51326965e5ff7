"""Model files of `nelayout embed --save`: a fitted `nelayout.NeighborEmbedding`, pickled, as Python reads it as well.

A pickle may run any code while it is read: a model file is to be trusted like a program.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from nelayout.errors import InputError
from nelayout.graphs.files.source import load
from nelayout.vectors.tables import Table

if TYPE_CHECKING:
    from nelayout.vectors.estimator import NeighborEmbedding
    from nelayout.vectors.fit import Fit

__all__ = ["encode_model", "read_model"]

# Errors of reading bytes that are no pickle, or one of names that this version does not have.
UNREADABLE = (pickle.UnpicklingError, EOFError, AttributeError, ImportError, LookupError, TypeError, ValueError)


def encode_model(fit: Fit, table: Table, parameters: dict[str, Any]) -> bytes:
    """The content of the file: the estimator of these parameters, with the columns of the table by their names."""
    from nelayout.vectors.estimator import fitted_estimator

    return pickle.dumps(fitted_estimator(fit, table.columns, **parameters))


def read_model(path: str) -> NeighborEmbedding:
    """The estimator in a file; `InputError` for a file that holds none.  Runs whatever code the file holds."""
    from nelayout.vectors.estimator import NeighborEmbedding

    source = load(path, "a model")
    remedy = "give a file that nelayout embed --save has written, in this version of nelayout"
    try:
        model = pickle.loads(source.data)  # noqa: S301  # the user is told to trust the file like a program
    except UNREADABLE as error:
        raise InputError(f"{source.name} cannot be read as a model ({type(error).__name__}): {remedy}") from None
    if not isinstance(model, NeighborEmbedding) or not hasattr(model, "embedding_"):
        held = "is not fitted" if isinstance(model, NeighborEmbedding) else f"holds a {type(model).__name__}"
        raise InputError(f"{source.name} {held}, and no fitted NeighborEmbedding: {remedy}")
    return model
