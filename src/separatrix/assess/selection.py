"""Model selection: fit every value of the hyperparameters to the train part, choose by validation, test once."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from separatrix.assess.measures import Measure, usual_measure
from separatrix.assess.measures import measure as named_measure
from separatrix.assess.resample import Sealed
from separatrix.core.errors import cannot


@dataclass(repr=False)
class Selection:
    """What was tried, what was chosen, and a test that can be made once.

    Attributes
    ----------
    measure : Measure.  What was chosen by.
    tried : list of dict.  The values of the hyperparameters, in the order of the grid.
    train, validation : (m,) arrays.  The measure of each on the part it was fitted to, and on the part to choose by.
    best : int.  The position of the chosen one: the best on validation, of equals the first.
    chosen : dict.  Its hyperparameters.
    model : fitted estimator.
    sealed : Sealed.  The test part; nothing above depends on it.
    """

    measure: Measure
    tried: list
    train: np.ndarray
    validation: np.ndarray
    best: int
    chosen: dict
    model: object
    sealed: Sealed

    def test(self, *measures):
        """Measure the chosen model on the test part: a dict, the measure chosen by first. This can be done once."""
        return self.sealed.report(self.model, *dict.fromkeys([self.measure.name, *measures]))

    def __repr__(self):
        return (
            f"Selection({self.chosen}, {self.measure.label} {self.validation[self.best]:.4g} on validation, "
            f"test part {'opened' if self.sealed.opened else 'unopened'})"
        )


def select(estimator, grid, parts, *, measure=None, refit=True):
    r"""Choose hyperparameters by a validation part and leave the test part alone.

    For each value of the grid a clone is fitted to the train part and measured on the validation part; the best is
    taken. :meth:`Selection.test` then says how good it is, on rows not used for the choice, once. With few rows,
    or to choose by cross-validation, use scikit-learn's ``GridSearchCV`` on the train part: it takes every estimator
    here and, as ``cv=``, the folds of :func:`~separatrix.assess.k_fold`.

    Parameters
    ----------
    estimator : unfitted estimator or pipeline.
    grid : dict from parameter names to sequences of values, or a list of such dicts.  As for ``GridSearchCV``.
    parts : Split.  Of :func:`~separatrix.assess.split` with ``validation=...``.
    measure : str, Measure or None, default None.  What to choose by; None is the log loss (accuracy without
        probabilities) of a classifier and the root-mean-square error of a regressor.
    refit : bool, default True.  Whether the chosen one is fitted again to train and validation rows together.

    Returns
    -------
    selection : Selection.

    References: Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, section 7.2.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from separatrix.assess import split
    >>> from separatrix.linear_model import Ridge
    >>> parts = split(*load_diabetes(return_X_y=True), test=0.25, validation=0.25, seed=1)
    >>> selection = select(Ridge(), {"alpha": [1e-4, 1e-2, 1.0, 100.0]}, parts)
    >>> selection.chosen
    {'alpha': 0.01}
    >>> sorted(selection.test("r2"))
    ['r2', 'rmse']
    """
    if parts.validation is None:
        raise cannot(
            "choose without a validation part",
            because="the train part prefers whatever fits it most closely, and the test part must not choose",
            instead="split(..., validation=0.2), or GridSearchCV on the train part",
        )
    tried = list(ParameterGrid(grid))
    by = usual_measure(estimator) if measure is None else named_measure(measure)
    models = [clone(estimator).set_params(**values).fit(parts.train.X, parts.train.y) for values in tried]
    train = np.array([by.of(model, parts.train.X, parts.train.y) for model in models])
    validation = np.array([by.of(model, parts.validation.X, parts.validation.y) for model in models])
    best = by.best(validation)
    model = models[best]
    if refit:
        both = parts.together()
        model = clone(estimator).set_params(**tried[best]).fit(both.X, both.y)
    return Selection(by, tried, train, validation, best, tried[best], model, parts.test)
