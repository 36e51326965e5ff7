"""`NeighborEmbedding`: every method as an estimator of scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self, cast

import numpy as np
from scipy.sparse import issparse

from nelayout.core.catalogue.record import Method
from nelayout.errors import missing_extra, warn
from nelayout.numerics.parallel import threads_for
from nelayout.vectors.embedding import fit_vectors
from nelayout.vectors.fit import Fit
from nelayout.vectors.input import check_table, read_rows, unmasked

try:
    from joblib import effective_n_jobs
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.utils.validation import check_array, check_is_fitted, validate_data
except ImportError:
    raise missing_extra("scikit-learn", "vectors", "the estimator NeighborEmbedding") from None

__all__ = ["NeighborEmbedding", "fitted_estimator"]


class NeighborEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Embed vectors as points and add new vectors: an estimator of scikit-learn.

    Parameters
    ----------
    n_components : default 2
        columns of the embedding: 1, 2 or 3
    method : default "ws-sne"
        a name (``nelayout.methods()`` lists them) or a ``nelayout.Method``
    n_neighbors, perplexity : default None
        as in `nelayout.embed`. If ``n_neighbors`` exceeds the number of other rows, it becomes that number, with a
        warning
    metric : default "euclidean"
        as in `nelayout.embed`. "precomputed": ``transform`` takes (m, n) distances to the fitted rows; "similarity":
        similarities with them
    metric_params, pca, init, random_state, device, time_limit, tol
        as in `nelayout.embed`; ``transform`` works on the CPU
    knn : default None
        neighbor lists of the rows to fit, as in `nelayout.embed`; ``transform`` does its own search
    backend : default None
        what searches for neighbors of the rows to fit, as in `nelayout.embed`; ``transform`` searches exactly
    n_jobs : default None
        threads; None: one, unless in a joblib.parallel_backend context; -1: all cores
    verbose : default 0
        1: show a progress bar
    max_iter : default None
        maximum iterations of the method's last stage; None: the method's own
    method_options : default None
        a dict of the method's own keywords and of ``mass``, ``smoothing`` and ``emphasis``, e.g. {"kappa": 0.3}

    Attributes
    ----------
    embedding_ : (n, n_components) float64 array
        in the method's own units
    affinity_ : (n, n) csr_array
        the graph that was drawn
    solution_ : Solution
        value, trace, reason, notes and costs of the rows
    n_iter_ : int
        steps taken
    n_features_in_, feature_names_in_
        as everywhere in scikit-learn

    Notes
    -----
    ``transform`` takes the ``n_neighbors`` fitted rows nearest to each new row. It minimizes the method's
    objective over the position of the new row only. Fitted rows do not move, and new rows do not affect each other, so
    batches and their order change no bit. A fitted row gets its own position, also if it differs by rounding. Equal
    fitted rows give the position of the first.

    Examples
    --------
    >>> import numpy as np, nelayout as nl
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.standard_normal((40, 5)), 8 + rng.standard_normal((40, 5))])
    >>> estimator = nl.NeighborEmbedding(random_state=0).fit(X[::2])
    >>> estimator.transform(X[1::2]).shape
    (40, 2)
    >>> bool((estimator.transform(X[::2]) == estimator.embedding_).all())
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        method: str | Method = "ws-sne",
        n_neighbors: int | Literal["all"] | None = None,
        perplexity: float | None = None,
        metric: Any = "euclidean",
        metric_params: dict[str, Any] | None = None,
        knn: tuple[Any, Any] | None = None,
        backend: Literal["exact", "faiss", "hnswlib", "pynndescent"] | None = None,
        pca: int | Literal["auto"] | None = "auto",
        init: Any = "auto",
        random_state: Any = None,
        device: str = "cpu",
        n_jobs: int | None = None,
        verbose: int = 0,
        max_iter: int | None = None,
        time_limit: float | None = None,
        tol: float | None = None,
        method_options: dict[str, Any] | None = None,
    ) -> None:
        self.n_components = n_components
        self.method = method
        self.n_neighbors = n_neighbors
        self.perplexity = perplexity
        self.metric = metric
        self.metric_params = metric_params
        self.knn = knn
        self.backend = backend
        self.pca = pca
        self.init = init
        self.random_state = random_state
        self.device = device
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.tol = tol
        self.method_options = method_options

    def fit(self, X: Any, y: Any = None) -> Self:
        """Embed the rows of X (n, d); ``y`` is not read."""
        rows = self._read(X, reset=True).copy()  # X may change before `transform`
        keywords, most = self.get_params(deep=False), rows.shape[0] - 1
        k, verbose = self.n_neighbors, keywords.pop("verbose")
        if isinstance(k, (int, np.integer)) and not isinstance(k, bool) and k > most:
            warn(f"n_neighbors={k} is more than the {most} other rows that each has: it is taken as {most}")
            keywords["n_neighbors"] = most
        keywords["n_jobs"] = self._threads
        return self._keep(fit_vectors(rows, progress=bool(verbose), **keywords))

    def _keep(self, fit: Fit) -> Self:
        self._fit = fit
        self.embedding_ = np.asarray(fit.solution.positions)
        self.affinity_ = fit.graph
        self.solution_ = fit.solution
        self.n_iter_ = len(fit.solution.trace)
        self._n_features_out = self.embedding_.shape[1]
        return self

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Embed the rows of X (n, d) and return their positions (n, n_components)."""
        return self.fit(X, y).embedding_.copy()

    def transform(self, X: Any) -> np.ndarray:
        """Return positions (m, n_components) of rows of X (m, d) among the fitted ones."""
        check_is_fitted(self)
        rows = self._read(X, reset=False)
        fitted = self._fit.rows
        if issparse(fitted) != issparse(rows):
            rows = type(fitted)(rows) if issparse(fitted) else rows.toarray()
        with threads_for(self._threads) as threads:
            return self._fit.place(rows, threads)

    @property
    def _threads(self) -> int:
        return effective_n_jobs(cast("int", self.n_jobs))  # None is one, or the number of a joblib context

    def _read(self, X: Any, *, reset: bool) -> Any:
        """Check the rows with scikit-learn's messages, then our own; frames with ours only."""
        rules: dict[str, Any] = {"accept_sparse": "csr", "ensure_all_finite": False, "ensure_min_samples": 1 + reset}
        check_table(X)
        is_frame = hasattr(X, "columns")
        checked = X if is_frame else check_array(unmasked(X), **rules, dtype="numeric", estimator=self, input_name="X")
        rows = read_rows(checked, self.metric, least=1 + reset)
        validate_data(self, X, reset=reset, skip_check_array=True)
        return rows

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        given = isinstance(self.metric, str) and self.metric in ("precomputed", "similarity")
        tags.input_tags.pairwise = tags.input_tags.positive_only = given
        return tags


def fitted_estimator(fit: Fit, columns: Sequence[str] | None, **parameters: Any) -> NeighborEmbedding:
    """Make the estimator of a finished fit to columns of these names; None: without names."""
    estimator = NeighborEmbedding(**parameters)
    seen: dict[str, Any] = {"n_features_in_": fit.rows.shape[1]}
    if columns is not None:
        seen["feature_names_in_"] = np.array(columns, dtype=object)
    vars(estimator).update(seen)
    return estimator._keep(fit)
