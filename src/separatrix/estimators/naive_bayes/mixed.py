r"""Naive Bayes with a distribution for each column: :math:`\log P(x \mid C_k) = \sum_j \log P_j(x_j \mid C_k)`."""

from collections.abc import Mapping, Sequence
from copy import copy, deepcopy
from numbers import Integral
from typing import Any, Self

import narwhals as nw
import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.base import OneToOneFeatureMixin

from separatrix.core.declaration import CLASSES, declares
from separatrix.core.errors import cannot
from separatrix.core.family import Family, declare, needs
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.generative.base import Generative
from separatrix.estimators.naive_bayes.base import refuse_if_unannounced
from separatrix.estimators.naive_bayes.bernoulli import BernoulliNB
from separatrix.estimators.naive_bayes.categorical import CategoricalNB
from separatrix.estimators.naive_bayes.columns import Columns
from separatrix.estimators.naive_bayes.gaussian import GaussianNB
from separatrix.estimators.naive_bayes.multinomial import MultinomialNB
from separatrix.estimators.validation import check_choice, check_number, validate_columns, validate_weights
from separatrix.prediction import forms
from separatrix.prediction.posteriors import logarithm

DISTRIBUTIONS = ("gaussian", "bernoulli", "categorical", "multinomial")


@declares(
    task="classification",
    sums=("designs.class_moments", "designs.class_counts"),
    prediction=forms.MIXED_NB,
    verification=verification.OF_MIXED_NB,
    description=CLASSES,
)
class MixedNB(Generative):
    r"""Columns of different kinds, independent within a class: numbers, switches, categories, counts.

    .. math:: \log P(x \mid C_k) = \sum_{j \in G} \log N(x_j \mid \mu_{kj}, \sigma_{kj}^2)
              + \sum_{j \in B} \log \mu_{kj}^{x_j} (1 - \mu_{kj})^{1 - x_j}
              + \sum_{j \in V} \log \mu_{k j x_j} + \sum_{j \in M} x_j \log \mu_{kj}

    X is an array or a frame (pandas, polars, pyarrow); its columns may be numbers or words. Columns that `columns` does
    not name are judged by their type: words and categories are "categorical", truth values are "bernoulli", numbers
    are "bernoulli" where all of them are 0 or 1 and else "gaussian". Of a stream, the first chunk decides.

    Parameters
    ----------
    columns : mapping, list or None, default None.  {column: distribution}, the column by name or number, or a list of
        one distribution for each column: "gaussian", "bernoulli" (numbers in [0, 1] or truth values), "categorical"
        (words or numbers, each different one a category) or "multinomial" (counts; such columns are one distribution
        together).
    alpha : float, [0, inf), default 1.0.  Smoothing of all that is counted: 1 is Laplace's rule.
    var_smoothing : float, [0, inf), default 1e-9.  As in GaussianNB.
    priors : (k,) array or None, default None.  P(C_k); None for the share of each class.
    unseen : {"error", "smooth", "ignore"}, default "error".  What a category that was never met means in a prediction,
        as in CategoricalNB.

    Attributes
    ----------
    classes_ : (k,) array.  class_count_ : (k,) array.  class_prior_ : (k,) array.  P(C_k).
    distributions_ : list of p words.  What each column was taken for.
    parts_ : dict.  From a distribution to the model of its columns, in their order.
    categories_ : dict.  From the number of a categorical column to its categories, in the order of their codes: those
        of its type where that declares them, then those met, sorted; later chunks of a stream add theirs.
    n_parameters_ : int.  Those of the parts, the shares of the classes counted once.
    certificate_ : Certificate.  The worst of the parts.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Mitchell (1997), Machine Learning, 6.9.   Theory: docs/theory/naive_bayes.md.

    >>> import numpy as np
    >>> X = np.array([[0.0, 1.5, 3.0], [1.0, 2.5, 3.0], [1.0, 9.0, 5.0], [1.0, 7.0, 3.0]])
    >>> model = MixedNB({2: "categorical"}).fit(X, ["a", "a", "b", "b"])
    >>> model.distributions_, model.categories_
    (['bernoulli', 'gaussian', 'categorical'], {2: [3.0, 5.0]})
    >>> model.predict([[0.0, 2.0, 5.0]])
    array(['a'], dtype='<U1')
    """

    def __init__(
        self,
        columns: Any = None,
        *,
        alpha: float = 1.0,
        var_smoothing: float = 1e-9,
        priors: ArrayLike | None = None,
        unseen: str = "error",
    ) -> None:
        self.columns = columns
        self.alpha = alpha
        self.var_smoothing = var_smoothing
        self.priors = priors
        self.unseen = unseen

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p), an array or a frame, and labels y (n,); a weight of a row means so many rows like it."""
        return self._fit(X, y, sample_weight, None, first=True)

    def partial_fit(
        self, X: MatrixLike, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from a chunk of a stream; the first says which distribution each column has.

        Parameters
        ----------
        X : (n, p) array or frame.  y : (n,) array of class labels.
        classes : array or None.  All classes that the stream can bring; needed at the first call.
        sample_weight : (n,) array or None.
        """
        first = "parts_" not in vars(self)
        refuse_if_unannounced(self, first, classes)
        return self._fit(X, y, sample_weight, classes, first=first, stream=True)

    def _fit(self, X, y, sample_weight, classes, *, first, stream=False):
        check_number(self, "alpha", 0.0)
        check_number(self, "var_smoothing", 0.0)
        check_choice(self, "unseen", ("error", "smooth", "ignore"))
        X = validate_columns(self, X, reset=first)
        table = Columns(X)
        if sample_weight is not None:
            s = validate_weights(sample_weight, table.n)
            if not s.all() and y is not None:  # a row of weight 0 is as if it were not there
                seen = np.flatnonzero(s)
                table, y, s = table.rows(seen), np.asarray(y)[seen], s[seen]
            sample_weight = s
        if first:
            self._names = OneToOneFeatureMixin.get_feature_names_out(self).tolist()
            self.distributions_ = self._choose(table)
            self._backend, self._has_words = table.backend, table.has_words
            self._truths = [j for j in range(len(self._names)) if table.is_truth(j)]
            parts = {d: self._model(d) for d in DISTRIBUTIONS if d in self.distributions_}
            categories = {j: [] for j in self._positions("categorical")}
        else:  # copies: a chunk that one part refuses must not be learnt by the others
            parts, categories = deepcopy((self.parts_, self.categories_))
        for j, known in categories.items():
            table.learn(j, self._names[j], known)
        for d, part in parts.items():
            Z = self._columns_of(table, d, categories)
            if d == "categorical":
                part.min_categories = [len(known) for known in categories.values()]
            if stream:
                part.partial_fit(Z, y, classes, sample_weight)
            else:
                part.fit(Z, y, sample_weight)
        return self._publish(parts, categories)

    def _publish(self, parts, categories):
        some = next(iter(parts.values()))
        self.classes_ = some.classes_
        self.class_prior_ = self._shares(some.class_count_)
        self.class_count_, self.parts_, self.categories_ = some.class_count_, parts, categories
        k = len(self.classes_)
        self.n_parameters_ = sum(part.n_parameters_ - (k - 1) for part in parts.values()) + k - 1
        self.certificate_ = max((part.certificate_ for part in parts.values()), key=lambda proof: proof.value)
        return self

    def _choose(self, table):
        """A distribution for each column: as the user says, else by its type."""
        p = self.n_features_in_
        given = self.columns
        if given is None:
            given = {}
        elif isinstance(given, Sequence) and not isinstance(given, str):
            if len(given) != p:
                raise cannot(
                    f"fit MixedNB with {len(given)} distributions in columns",
                    because=f"X has {p} columns",
                    instead="one distribution for each column, or a mapping {column: distribution}",
                )
            given = dict(enumerate(given))
        elif not isinstance(given, Mapping):
            raise cannot(
                f"fit MixedNB with columns={given!r}",
                because="it is neither a mapping, nor a list, nor None",
                instead='for example columns={"age": "gaussian", "city": "categorical"}',
                kind=TypeError,
            )
        chosen = {self._position(column): d for column, d in given.items()}
        for j, d in chosen.items():
            if d not in DISTRIBUTIONS:
                raise cannot(
                    f"fit MixedNB with {d!r} for column {self._names[j]!r}",
                    because="it is no distribution that MixedNB knows",
                    instead=" or ".join(map(repr, DISTRIBUTIONS)),
                )
        return [chosen.get(j) or table.distribution(j) for j in range(p)]

    def _position(self, column):
        """The number of a column that is given by number or name."""
        p = self.n_features_in_
        if isinstance(column, Integral) and not isinstance(column, bool) and -p <= column < p:
            return int(column) % p
        if isinstance(column, str) and column in self._names:
            return self._names.index(column)
        shown = ", ".join(map(repr, self._names[:8])) + (", …" if p > 8 else "")
        raise cannot(
            f"fit MixedNB with a distribution for column {column!r}",
            because="X has no such column",
            instead=f"a number from 0 to {p - 1} or one of {shown}",
        )

    def _model(self, distribution):
        """The unfitted model of all columns of a distribution; it calls them by the names that the user knows."""
        model = {
            "gaussian": lambda: GaussianNB(var_smoothing=self.var_smoothing),
            "bernoulli": lambda: BernoulliNB(alpha=self.alpha, binarize=None),
            "categorical": lambda: CategoricalNB(alpha=self.alpha),
            "multinomial": lambda: MultinomialNB(alpha=self.alpha),
        }[distribution]()
        model._names = [self._names[j] for j in self._positions(distribution)]
        return model

    def _positions(self, distribution):
        return [j for j, d in enumerate(self.distributions_) if d == distribution]

    def _columns_of(self, table, distribution, categories):
        """The columns of a distribution as numbers (n, q): those of categories as codes."""
        if distribution != "categorical":
            return table.numbers(self._positions(distribution), self._names)
        strict = self.unseen == "error"
        return np.stack([table.codes(j, self._names[j], known, strict) for j, known in categories.items()], axis=1)

    def _enter(self, X):
        return Columns(validate_columns(self, X, reset=False))

    def _log_joint(self, X):
        log_joint = np.tile(self._log_shares(), (X.n, 1))
        for d, part in self.parts_.items():
            if d == "categorical":
                part = copy(part).set_params(unseen=self.unseen)
            log_joint += part._log_likelihood(part._enter(self._columns_of(X, d, self.categories_)))
        return log_joint

    def _log_shares(self):
        return logarithm(self.class_prior_)

    def _draw(self, code, size, random):
        X = np.empty((size, self.n_features_in_))
        for d, part in self.parts_.items():
            X[:, self._positions(d)] = part._draw(code, size, random)
        return X

    def sample(self, n_samples: int = 1, random_state: int | RandomState | None = None) -> tuple[Any, Array]:
        """Draw rows from the model: a class from its share, then x given the class.

        Returns X, an array or a frame of the kind that the model was fitted to, and their labels y (n_samples,).
        """
        X, y = super().sample(n_samples, random_state)
        drawn = {}
        for j, name in enumerate(self._names):
            values = X[:, j]
            if j in self.categories_:
                values = [self.categories_[j][int(v)] for v in values]
            elif j in self._truths:
                values = values > 0.0
            drawn[name] = values
        if self._backend is None:
            kind = object if self._has_words else np.float64
            return np.column_stack([np.asarray(values, dtype=kind) for values in drawn.values()]), y
        return nw.from_dict(drawn, backend=self._backend).to_native(), y


def _of_codes(facts):
    from separatrix.estimators.preparation.compose import distributions  # brings scikit-learn's column transformer

    return MixedNB(distributions(facts.kinds), unseen="smooth")


declare(
    Family(
        name="naive Bayes, mixed",
        task="classification",
        model=MixedNB,
        make=_of_codes,
        complexity=30,
        description="Numbers are normal within a class, categories have shares there, and columns are independent.",
        preparation="codes",
        why_excluded=needs(kind=("category", "flag"), dense=True, rows_per_class=2),
    )
)
