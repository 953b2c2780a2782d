r"""Additive logistic models term by term: each fitted function with its pointwise standard errors.

.. math:: \hat f_j(x) = \{h_j(x) - \bar h_j\}'\hat\theta_j, \qquad
          v_j(x) = \{h_j(x) - \bar h_j\}'\,\hat\Sigma_{jj}\,\{h_j(x) - \bar h_j\}, \qquad
          \hat f_j(x) \pm 2\sqrt{v_j(x)}

Columns are centred about their means over the data, so that each function is; the constant takes up the rest.

References: Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, section 5.2.2.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import steps_of
from separatrix.core.description import column_names
from separatrix.core.errors import cannot
from separatrix.core.protocol import is_frame
from separatrix.estimators.basis import AdditiveBasis
from separatrix.inference.fitted_likelihood import is_logistic, likelihood_of


@dataclass(frozen=True)
class Band:
    """One function of an additive model on a grid.

    Attributes
    ----------
    name : str.  The feature.
    x, f, error : arrays of one shape.  Grid (or the values of a feature of words), function and its standard error.
    low, high : arrays.  The band, f ± multiple · error.
    data : array.  The values of the feature in the data.
    """

    name: str
    x: np.ndarray
    f: np.ndarray
    error: np.ndarray
    low: np.ndarray
    high: np.ndarray
    data: np.ndarray

    def draw(self, axes, color="C0", rug=True):
        """Draw the function and its band on matplotlib axes, with a tick for each observation.

        A feature of two values, or of words, gets a point with a bar for each.
        """
        if len(self.x) <= 2 or self.x.dtype.kind == "O":
            places = np.arange(len(self.x)) if self.x.dtype.kind == "O" else self.x
            reach = np.stack([self.f - self.low, self.high - self.f])
            axes.errorbar(places, self.f, yerr=reach, fmt="o", color=color, capsize=4)
            axes.set_xticks(places, [str(x) if isinstance(x, str) else f"{x:g}" for x in self.x])
            axes.margins(x=0.4)
        else:
            axes.fill_between(self.x, self.low, self.high, color=color, alpha=0.25, linewidth=0)
            axes.plot(self.x, self.f, color=color)
            if rug:
                axes.plot(self.data, np.zeros_like(self.data), "|", color="0.3", transform=axes.get_xaxis_transform())
        axes.set_xlabel(self.name)
        return axes


def bands(model, X, y, *, sample_weight=None, points=101, multiple=2.0):
    """The functions of an additive logistic model, with pointwise error bands.

    Parameters
    ----------
    model : fitted Pipeline of an AdditiveBasis and a LogisticRegression with ``C=np.inf`` and two classes.
    X, y, sample_weight : the data of the fit.
    points : int, default 101.  Points of each grid, from the smallest to the largest value; a feature of two values,
        or of words, gets its values.
    multiple : float, default 2.0.  How many standard errors on each side: 2 covers 95.4 % pointwise.

    Returns
    -------
    dict.  From the name of a feature to its Band.

    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from separatrix.linear_model import LogisticRegression
    >>> from separatrix.preprocessing import AdditiveBasis
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2.0, 2.0, (300, 1))
    >>> y = rng.random(300) < 1 / (1 + np.exp(-X[:, 0] ** 2 + 1))
    >>> model = make_pipeline(AdditiveBasis(), LogisticRegression(C=np.inf)).fit(X, y)
    >>> band = bands(model, X, y)["x0"]
    >>> bool(band.low[0] > 0 > band.high[50])
    True
    """
    basis = _basis(model)
    H = model[:-1].transform(X)
    fit = likelihood_of(model[-1], H, y, sample_weight)
    evidence, first = fit.evidence, int(fit.evidence.intercept)
    if evidence.coefficients.shape[1] > 1 or evidence.penalised or evidence.covariance is None or evidence.held:
        raise cannot(
            "give error bands of this fit",
            because="they need one score, and its covariance without a penalty and with no coefficient at a bound",
            instead="two classes and LogisticRegression(C=np.inf)",
        )
    mean = fit.design.column_sums(fit.s) / evidence.total
    bands = {}
    for name, block in basis.blocks_.items():
        data = _column(basis, X, name)
        x = _grid(data, points)
        h = np.asarray(basis.bases_[name].transform(_like(basis.bases_[name], X, name, x))) - mean[block]
        inner = slice(first + block.start, first + block.stop)
        theta, S = evidence.coefficients[inner, 0], np.nan_to_num(evidence.covariance[inner, inner])
        f, error = h @ theta, np.sqrt(np.einsum("ia,ab,ib->i", h, S, h).clip(min=0.0))
        bands[name] = Band(name, x, f, error, f - multiple * error, f + multiple * error, data)
    return bands


def _basis(model):
    steps = steps_of(model)
    if len(steps) > 1 and isinstance(steps[-2], AdditiveBasis) and is_logistic(steps[-1]):
        check_is_fitted(model)
        return steps[-2]
    raise cannot(
        f"give error bands of {type(model).__name__}",
        because="its columns are not known to be functions of single features",
        instead="make_pipeline(AdditiveBasis(...), LogisticRegression(C=np.inf))",
    )


def _column(basis, X, name):
    """The values of a feature, numbers as float64."""
    j = column_names(basis).index(name)
    if is_frame(X):
        import narwhals as nw

        column = nw.from_native(X, eager_only=True)[:, j]
        return column.to_numpy().astype(np.float64 if column.dtype.is_numeric() else object)
    return np.asarray(X, dtype=np.float64)[:, j]


def _grid(data, points):
    distinct = np.unique(data)
    return distinct if len(distinct) <= 2 or data.dtype.kind == "O" else np.linspace(distinct[0], distinct[-1], points)


def _like(basis, X, name, x):
    """A grid in the form in which the basis of a feature met its column: named, or not."""
    if "feature_names_in_" not in vars(basis):
        return x[:, None]
    import narwhals as nw

    return nw.from_dict({name: x}, backend=nw.get_native_namespace(X)).to_native()
