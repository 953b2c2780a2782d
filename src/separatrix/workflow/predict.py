"""Predictions of a model file, block by block, without scikit-learn where the model does not need it."""

import warnings

from separatrix.core.protocol import fitted_attribute
from separatrix.core.refusal import cannot
from separatrix.tables.table import is_number, shown
from separatrix.workflow.csv_text import CsvText, csv_cells
from separatrix.workflow.datasets import named_blocks
from separatrix.workflow.model_file import NotFinite, answering

ROWS = 20_000  # of a block; a large file is never in memory as a whole


class FilePredictor:
    """A model file that predicts blocks of a table.

    Parameters
    ----------
    path : str.  The model file.
    proba : bool.  Whether probabilities are wanted.
    keep : sequence of str.  Columns of the table to repeat before the predictions.
    """

    def __init__(self, path, *, proba=False, keep=()):
        from separatrix.persist import light

        self.path, self.keep, self._told = path, keep, False
        self.model = light(path)
        if self.model is not None:
            self.classes, self.proba, self.bare = self.model.classes, self.model.predict_proba, False
        else:
            from separatrix.core.declaration import declaration, steps_of
            from separatrix.persist import load
            from separatrix.prediction.forms import TABLE_COLUMNS

            self.model = load(path)
            with answering(path):
                self.classes = fitted_attribute(self.model, "classes_")
                self.proba = fitted_attribute(self.model, "predict_proba")
                self.bare = declaration(steps_of(self.model)[0]).prediction is not TABLE_COLUMNS
        if proba and (self.classes is None or self.proba is None):
            raise cannot(
                f"give probabilities of {path}",
                because="the model predicts a number" if self.classes is None else "the model decides without them",
                instead="the command without --proba",
            )
        self.proba = self.proba if proba else None

    def columns(self, block):
        """From names to lists: the columns kept, the prediction, the probability of each class."""
        for name in self.keep:
            if name not in block:
                raise cannot(
                    f"keep the column {name!r}",
                    because=f"{block.source or 'the table'} has the columns {shown(block.names)}",
                    instead="one of them",
                )
        with answering(self.path):
            answers = self._answers(self._numbers(block) if self.bare else block)
        for name in answers.keys() & set(self.keep):
            raise cannot(
                f"keep the column {name!r}",
                because="a column of the answer has that name",
                instead="a table in which it is called something else",
            )
        return {name: csv_cells(block[name]) for name in self.keep} | answers

    def _answers(self, rows):
        prediction = self.model.predict(rows)
        self._tell_if_not_finite(prediction)
        answers = {"prediction": prediction.tolist()}
        if self.proba is not None:
            mu = self.proba(rows)
            self._tell_if_not_finite(mu)
            answers |= {f"probability_{label}": mu[:, c].tolist() for c, label in enumerate(self.classes)}
        return answers

    def _tell_if_not_finite(self, numbers):
        """Warn, once for all blocks: a program that reads the answers may take NaN for a missing cell."""
        import numpy as np

        if not self._told and numbers.dtype.kind == "f" and not np.isfinite(numbers).all():
            self._told = True
            warnings.warn(
                f"Some answers of {self.path!r} are not finite numbers: the file holds a model that does not fit these "
                "rows, or they are far from those of its fit.",
                NotFinite,
                stacklevel=2,
            )

    def _numbers(self, block):
        """The columns of a bare model, as numbers: by their names if it knows any, else all columns in order."""
        import numpy as np

        from separatrix.tables import numbers

        names = [str(name) for name in fitted_attribute(self.model, "feature_names_in_", block.names)]
        missing = [name for name in names if name not in block]
        if missing or len(names) != self.model.n_features_in_:
            raise cannot(
                f"predict the rows of {block.source or 'the table'}",
                because=f"the model takes {self.model.n_features_in_} columns{': ' + shown(names) if missing else ''}, "
                f"and the table has {shown(block.names)}",
                instead="a table with the columns of the model",
            )
        columns = (block[name] for name in names)
        return np.column_stack([c if is_number(c) else numbers(c, name) for c, name in zip(columns, names)])


def write_predictions(file, predictor, source, *, raw=False):
    """Write the predictions as CSV, a block at a time; return the number of rows and that of marked cells.

    Parameters
    ----------
    file : text file.  predictor : FilePredictor.
    source : what `named_blocks` takes.
    raw : bool, default False.  Whether text that a spreadsheet would run is written without a mark.
    """
    text, count = CsvText(file, raw=raw), 0
    for block in named_blocks(source, ROWS):
        columns = predictor.columns(block)
        if count == 0:
            text.write_names(columns)
        text.write_columns(columns.values())
        count += len(block)
        file.flush()
    return count, text.marked


def predicted_columns(predictor, source):
    """All predictions at once: from the name of each column to its values."""
    joined = {}
    for block in named_blocks(source, ROWS):
        for name, values in predictor.columns(block).items():
            joined.setdefault(name, []).extend(values)
    return joined
