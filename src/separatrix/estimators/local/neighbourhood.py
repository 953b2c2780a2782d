"""What all neighbourhood methods share: the training rows they search, weights by distance, averages."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.core.errors import WrongType, cannot
from separatrix.core.protocol import can
from separatrix.designs.pairs import keeps_zeros
from separatrix.estimators.ranges import refuse_large, size_of
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import check_choice, check_number, validate_rows
from separatrix.solvers.neighbours.metrics import metric_of
from separatrix.solvers.neighbours.nearest import Index
from separatrix.solvers.neighbours.precomputed import Precomputed


class Neighbourhood(Estimator):
    """A model that keeps its training rows and answers from those that are near."""

    def _keep(self, design, y):
        """Check the parameters that all share, and make the training rows ready to be searched."""
        algorithm = check_choice(self, "algorithm", ("auto", "brute", "kd_tree", "ball_tree"))
        leaf_size = check_number(self, "leaf_size", 1, integer=True)
        if not callable(self.weights):
            check_choice(self, "weights", ("uniform", "distance", None))
        power = self.p if self.p == np.inf else check_number(self, "p", 0, open_low=True)
        if not (self.metric_params is None or isinstance(self.metric_params, dict)):
            raise cannot(
                f"fit {type(self).__name__} with metric_params={self.metric_params!r}",
                because="they are not a dict",
                instead="a dict of arguments of the metric, or None",
                kind=WrongType,
            )
        self._fit_X, self._y = design.matrix(), y
        if self._is_precomputed:
            self._index = Precomputed(self._fit_X)
            self.effective_metric_, self.effective_metric_params_ = "precomputed", {}
        else:
            metric = metric_of(self.metric, power, self.metric_params)
            # of a DistanceMetric it is not known whether a k-d tree takes it; answers are the same
            search = "auto" if algorithm == "ball_tree" or can(self.metric, "pairwise") else algorithm
            if metric.power == 2.0:
                refuse_large(size_of(design), "measure distances between rows")
            self._index = Index(self._fit_X, metric, search, leaf_size)
            general = {"p": metric.power, "w": None} if metric.name == "minkowski" else {}
            self.effective_metric_, self.effective_metric_params_ = metric.name, {**general, **metric.options}
        self.n_samples_fit_ = design.n
        self.n_parameters_ = int(design.stored + y.size)
        return self

    def _queries(self, X):
        """Rows to find neighbours of: those of X, or the training rows themselves."""
        check_is_fitted(self)
        return self._fit_X if X is None else validate_rows(self, self._readable(X), missing=self._takes_missing)

    def _readable(self, X):
        """X, unless it is no matrix, or one of distances of which those of 0 cannot be told from those not known."""
        if can(X, "kneighbors") or can(X, "query_radius"):
            raise cannot(
                f"use a {type(X).__name__} in place of X in {type(self).__name__}",
                because="it is an index of rows, not the rows",
                instead="the rows that it was made of",
                kind=WrongType,
            )
        if self._is_precomputed and not keeps_zeros(X):
            raise cannot(
                f"use distances in a sparse matrix of the format {X.format!r}",
                because="it does not tell a distance of 0 from one that is not stored",
                instead="the format 'csr', with zeros stored (kneighbors_graph), or a numpy array",
                kind=TypeError,
            )
        return X

    @property
    def _is_precomputed(self):
        return isinstance(self.metric, str) and self.metric == "precomputed"

    @property
    def _takes_missing(self):
        return isinstance(self.metric, str) and self.metric == "nan_euclidean"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = tags.input_tags.positive_only = self._is_precomputed
        tags.input_tags.allow_nan = self._takes_missing
        tags.target_tags.multi_output = True
        return tags


def edges(mode, distances):
    """What a graph of neighbours holds: a one for each, or the distance."""
    if mode not in ("connectivity", "distance"):
        raise cannot(
            f"make a graph with mode={mode!r}",
            because="an edge is a one or a distance",
            instead="mode='connectivity' or 'distance'",
        )
    return np.ones(len(distances)) if mode == "connectivity" else distances


def refuse_if_nothing_counts(totals):
    """Raise where all neighbours of a query have weight zero."""
    if not np.all(totals > 0.0):
        raise cannot(
            "average neighbours by these weights",
            because="those of some query are all zero, or do not sum to a positive number",
            instead="weights= a function that gives each neighbourhood a positive weight",
        )
