"""A fitted model seen from the columns that a person knows: which of them each coefficient belongs to.

A pipeline prepares a table before its model sees it: one category becomes several columns of 0 and 1. To explain an
answer, all that was made of a column is put together again, and a row is changed where a person would change it.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import declaration, steps_of, unwrap
from separatrix.core.description import column_names
from separatrix.core.errors import cannot
from separatrix.core.protocol import can, is_frame
from separatrix.designs import as_dense
from separatrix.estimators.calibration import CalibratedLinearClassifier
from separatrix.estimators.preparation import TableColumns
from separatrix.inference.table import frame_backend
from separatrix.prediction.table_columns import NUMERIC, select
from separatrix.tables.table import Table, is_number

MOST_LEVELS = 50  # a column of more different words is no category whose levels could be tried
BLOCK = 50_000  # rows prepared at a time


@dataclass(frozen=True)
class Reference:
    """What an explanation needs to know of the training rows; a few numbers for each column, ready for JSON.

    Parameters
    ----------
    columns : dict.  From the name of a column to ``{"low", "high", "deviation", "whole"}`` of its numbers, or to its
        ``{"levels"}``.
    mean_parts : (k, m) nested lists, or None.  Of a linear model: for each score and column, the mean over the rows of
        what the column adds to the score. None for other models.
    """

    columns: dict
    mean_parts: list | None = None

    @classmethod
    def of(cls, model, rows):
        """Of a fitted model and the rows it was fitted to: a Table, a frame or an array."""
        seen = OriginalColumns(model)
        rows, total = seen.rows(rows), np.zeros(0)
        n = len(rows)
        for start in range(0, n, BLOCK) if seen.coef is not None else ():
            Z = seen.prepared(_some(rows, slice(start, start + BLOCK)))
            total = np.asarray(Z.sum(axis=0)).ravel() + (total if len(total) else 0.0)
        parts = seen.parts(total / n).tolist() if len(total) else None
        return cls({name: _facts(seen.column(rows, name), seen.kinds[name]) for name in seen.names}, parts)

    def as_dict(self):
        """Plain data, for a model file."""
        return {"columns": self.columns, "mean_parts": self.mean_parts}


def _facts(column, kind):
    if kind == "text":
        return {"levels": []}
    if is_number(column):
        known = column[np.isfinite(column)]
        if not len(known):
            return {"low": None, "high": None, "deviation": None, "whole": False}
        ends = {"low": float(known.min()), "high": float(known.max()), "deviation": float(known.std())}
        return {**ends, "whole": bool((known == np.rint(known)).all())}
    levels = sorted({str(value) for value in column if value is not None})
    return {"levels": levels if len(levels) <= MOST_LEVELS else []}


class OriginalColumns:
    """A fitted pipeline or bare model, asked in terms of its original columns.

    Attributes
    ----------
    names : list of str.  The columns of a row.
    kinds : dict.  From the name of a column to what it was understood to be: "number", "category", "date", ...
    coef, intercept : (k, p) and (k,) arrays, or None.  Of a model whose scores are linear in the prepared columns.
    owners : (p,) array.  To which of `names` each prepared column belongs.
    classes : list or None.  None for a regressor.
    """

    def __init__(self, model):
        check_is_fitted(model)
        self.model = model
        steps = steps_of(model)
        self.last, self.before = steps[-1], steps[:-1]
        if is_classifier(model) and isinstance(model.classes_, list):
            raise cannot(
                "explain a classifier of several outputs",
                because=f"it has {len(model.classes_)} lists of classes, and an explanation is of one",
                instead="a model for each output",
            )
        self.classes = list(model.classes_.tolist()) if is_classifier(model) else None
        self.from_table = isinstance(steps[0], TableColumns)
        self.names = [str(name) for name in steps[0].names] if self.from_table else column_names(steps[0])
        kinds = (steps[0].kinds if self.from_table else None) or ("number",) * len(self.names)
        self.kinds = dict(zip(self.names, kinds))
        forms = steps[0].forms if self.from_table else None
        self.columns = {"names": tuple(self.names), "kinds": tuple(kinds), "forms": forms}
        self.coef, self.intercept = linear_form(self.last)
        self.owners = None if self.coef is None else self.owners_of(self.coef.shape[1])

    def owners_of(self, p):
        """To which of `names` each of p prepared columns belongs, (p,)."""
        return _owners(self.model, self.names, p)

    def rows(self, X):
        """Rows as this model takes them: a Table of numbers, days and text, or a float array for a bare model."""
        if self.from_table:
            cells = select(self.columns, X)
            columns = [c.astype(np.float64) if self.kinds[n] in NUMERIC else c for n, c in zip(self.names, cells.T)]
            return Table(tuple(self.names), tuple(columns), X.source if isinstance(X, Table) else "")
        if isinstance(X, Table):
            X = np.column_stack([X[name] for name in self.names])
        elif is_frame(X):
            import narwhals as nw

            X = nw.from_native(X, eager_only=True).select(self.names).to_numpy()
        X = np.asarray(X, dtype=np.float64)
        X = X[None, :] if X.ndim == 1 else X
        if X.ndim != 2 or X.shape[1] != len(self.names):
            raise cannot(
                f"explain a row of shape {X.shape}",
                because=f"the model has {len(self.names)} columns",
                instead=f"an array of {len(self.names)} numbers, a Table or a frame",
            )
        return X

    def column(self, rows, name):
        """One column of such rows, as a column of a table."""
        return rows[name] if isinstance(rows, Table) else rows[:, self.names.index(name)]

    def cell(self, name, value):
        """A cell as a person, or JSON, would write it: a missing one is None, days are a date."""
        if value is None or isinstance(value, str):
            return value
        if not np.isfinite(value):
            return None
        return str(np.datetime64(int(value), "D")) if self.kinds[name] == "date" else float(value)

    def varied(self, rows, name, values):
        """The first row, once for each of `values`, which take the place of the column `name`."""
        if not isinstance(rows, Table):
            many = np.repeat(rows[:1], len(values), axis=0)
            many[:, self.names.index(name)] = values
            return many
        number = is_number(rows[name])
        made = np.asarray(values, dtype=np.float64) if number else np.array([None, *values], dtype=object)[1:]
        columns = [made if n == name else np.repeat(c[:1], len(values)) for n, c in zip(rows.names, rows.columns)]
        return Table(rows.names, tuple(columns), rows.source)

    def prepared(self, rows):
        """What reaches the model itself."""
        X = self._for_model(rows)
        for step in self.before:
            X = step.transform(X)
        return X

    def scores(self, rows):
        """Of a linear model: (n, k) for k classes (two of them: 0 and the score), (n, 1) for a number."""
        scores = np.asarray(self.prepared(rows) @ self.coef.T) + self.intercept
        return np.column_stack([np.zeros(len(scores)), scores]) if self._one_sided() else scores

    def differences(self):
        """Coefficients and intercepts in the form of :meth:`scores`: a row of zeros before the only score of two."""
        if not self._one_sided():
            return self.coef, self.intercept
        return np.vstack([np.zeros(self.coef.shape[1]), self.coef]), np.append(0.0, self.intercept)

    def parts(self, z):
        """What each original column adds to each score, (k, m), from one prepared row (p,)."""
        coef, _ = self.differences()
        return np.array([np.bincount(self.owners, weights=c * z, minlength=len(self.names)) for c in coef])

    def is_linear_at(self, rows):
        """Whether the model's own scores, or numbers, are what its coefficients say: then all of it is linear."""
        if self.coef is None:
            return False
        own = self.model.decision_function if self.classes is not None else self.model.predict
        own = np.asarray(own(self._for_model(rows)), dtype=np.float64).reshape(len(rows), -1)
        ours = np.asarray(self.prepared(rows) @ self.coef.T) + self.intercept
        size = np.asarray(np.abs(as_dense(self.prepared(rows))) @ np.abs(self.coef).T) + np.abs(self.intercept)
        return own.shape == ours.shape and bool((np.abs(own - ours) <= 1e-6 * (size + 1e-300)).all())

    def decided(self, rows):
        """Class or number of each row, by the model itself."""
        return self.model.predict(self._for_model(rows))

    def probabilities(self, rows):
        """(n, k), or None where the model gives none."""
        return self.model.predict_proba(self._for_model(rows)) if can(self.model, "predict_proba") else None

    def _one_sided(self):
        return self.classes is not None and len(self.coef) == 1

    def _for_model(self, rows):
        """Rows for the first step; one that was fitted to a frame gets a frame, else it would warn of missing names."""
        first = self.before[0] if self.before else self.last
        if isinstance(rows, np.ndarray) and "feature_names_in_" in vars(first):
            import narwhals as nw

            columns = {str(name): column.copy() for name, column in zip(first.feature_names_in_, rows.T)}
            return nw.from_dict(columns, backend=frame_backend(None)).to_native()
        return rows


def linear_form(model):
    """Coefficients (k, p) and intercepts (k,) of a model's scores; (None, None) if it has none.

    A calibrated classifier of two classes has log-odds ``γ (f(x) / |w| - d0) + log(ratio)``, which are linear as f is.
    """
    if isinstance(model, CalibratedLinearClassifier):
        coef, intercept = linear_form(model.estimator_)
        length = 0.0 if coef is None else float(np.linalg.norm(coef))
        if length == 0.0 or len(model.calibrators_) > 1:
            return None, None
        curve = model.calibrators_[0]
        slope = curve.gamma_ / length
        return slope * coef, slope * intercept - curve.gamma_ * curve.d0_ + np.log(curve.class_ratio_)
    model = unwrap(model)
    if not declaration(model).is_linear:
        return None, None
    coef = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64))
    return coef, np.broadcast_to(np.ravel(model.intercept_), len(coef)).astype(np.float64)


def _some(rows, part):
    return rows.take(part) if isinstance(rows, Table) else rows[part]


def _owners(model, names, p):
    """Which original column each of p prepared columns was made of, by its name, which begins with that column's.

    Of two columns called "age" and "age group" the longer name is tried first; and only columns that enter the same
    block of a ColumnTransformer are.
    """
    steps = steps_of(model)[:-1]
    blocks = vars(steps[-1]).get("transformers_") if steps else None
    if not steps or (blocks is None and p == len(names)):
        return np.arange(p)
    made = [str(name) for name in model[:-1].get_feature_names_out()]
    owners = np.full(len(made), -1)
    for block, _, positions in blocks or [("", None, range(len(names)))]:
        within = steps[-1].output_indices_[block] if blocks else slice(None)
        entering = sorted((j for j in positions if isinstance(j, int)), key=lambda j: -len(names[j]))
        for place in range(len(made))[within]:
            owners[place] = next((j for j in entering if made[place].startswith(names[j])), -1)
    if len(owners) != p or owners.min(initial=0) < 0:
        raise cannot(
            "tell which column each coefficient belongs to",
            because="the names of the prepared columns do not begin with those of the table",
            instead="a pipeline of separatrix.estimators.preparation, or a model of the columns themselves",
        )
    return owners
