"""Answers from a model file in plain numpy: neither scikit-learn nor a compiler is imported.

It serves pipelines that begin with the columns of a table, if all of their steps have a form of prediction that
is written in :mod:`separatrix.prediction`. The estimators call the same functions, so that the answers are those of
:func:`separatrix.load` to the last bit; only those of local models, which sum in another order, agree to rounding.
"""

import os

from separatrix.persist.archive import broken
from separatrix.persist.class_attributes import wrong_with
from separatrix.persist.files import contents, forms_of, made
from separatrix.prediction import Step, can_predict, predict_step
from separatrix.prediction.forms import TABLE_COLUMNS, classes_of, form_named, gives
from separatrix.prediction.kernels import Recipe


class Predictor:
    """A pipeline that was read from a file, as plain data.

    Parameters
    ----------
    step : Step.  The pipeline.
    about : dict.  What was said of the model when it was saved.

    Attributes
    ----------
    classes : array or None.  The labels, in the order of the columns of :meth:`predict_proba`; None for regression.
    predict_proba : function of a table, or None where the model gives no probabilities.
    """

    def __init__(self, step, about):
        self._step = step
        self.about = about
        _, last = step.state["steps"][-1]
        self.classes = classes_of(last)
        self.predict_proba = self._probabilities if gives(last, "predict_proba") else None

    def predict(self, table):
        """The prediction for each row of a table, a frame, or a dict of columns."""
        return predict_step(self._step, "predict", table)

    def _probabilities(self, table):
        return predict_step(self._step, "predict_proba", table)


def light(path: str | os.PathLike[str]) -> Predictor | None:
    """A :class:`Predictor` for a model file, or None where the model needs :func:`separatrix.load`.

    Parameters
    ----------
    path : str, path or binary file object.
    """
    manifest, numbers = contents(path)
    forms = forms_of(manifest)

    def build(name, state):
        if name.startswith("kernel:"):
            return Recipe(name.removeprefix("kernel:"), state)
        form = form_named(forms.get(name))
        wrong = None if form is None else wrong_with(name, state, is_model=True)
        if wrong is not None:
            raise broken(wrong)
        return Step(form, state)

    model = made(manifest, numbers, build)
    return Predictor(model, manifest["about"]) if _is_served(model) else None


def _is_served(model):
    try:
        _, first = model.state["steps"][0]
        _, last = model.state["steps"][-1]
        return first.form is TABLE_COLUMNS and can_predict(model) and "predict" in last.form.methods
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return False  # no pipeline, or not one of the known shape: the full reader says what is wrong with it
