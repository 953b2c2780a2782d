"""The result of a comparison: a standing for each family, groups without a significant difference, the model."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from separatrix.assess.compare import leaderboard
from separatrix.tables.understanding import Understanding


@dataclass
class Standing:
    """One row of the leaderboard.

    Parameters
    ----------
    family : str.  description : str.  complexity : int.  As declared by the family.
    scores : (m,) array.  The score of each round (fold of a repeat), on rows not learnt from; NaN in rounds not run.
    score : float.  Mean of `scores`.
    error : float.  Its standard error, corrected for the overlap of training sets.
    measures : dict of float.  Means of the other measures: log_loss, calibration, accuracy, rmse, r2, ...
    fit_seconds, predict_seconds : float.  Median of the rounds.
    size : int.  Numbers the fitted model keeps (coefficients, means, rows).
    certificate : str.  The worst certificate of all rounds: "certified: relative gap 1e-10 (tol 1e-8)".
    certified : bool or None.  Whether it holds, and so that of every round; None where the model is
        a closed form or a count without a certificate. Of a gradient it says only that it is small: `verdict` tells.
    group : int.  1 holds the best and all that are not shown to be worse; then 2, ...; 0 for a failure.
    rows : int.  Rows learnt from in a round; fewer than there are where the budget asked for a sample.
    chosen : dict.  Parameters chosen by the family's own search in the last round.
    note : str.  Limits and warnings ("learnt from 50,000 of 800,000 rows").
    reason : str.  Why there is no score; "" if there is one.
    """

    family: str
    description: str = ""
    complexity: int = 0
    scores: np.ndarray = field(default_factory=lambda: np.empty(0))
    score: float = float("nan")
    error: float = float("nan")
    measures: dict = field(default_factory=dict)
    fit_seconds: float = float("nan")
    predict_seconds: float = float("nan")
    size: int = 0
    certificate: str = ""
    certified: bool | None = None
    group: int = 0
    rows: int = 0
    chosen: dict = field(default_factory=dict)
    note: str = ""
    reason: str = ""

    @property
    def failed(self):
        return bool(self.reason)

    @property
    def verdict(self):
        """What is known of the fits, in a word: "yes", "no", "stationary", or "" where there is no certificate.

        >>> Standing("mixture", certificate="stationary: relative gradient 1e-9 (tol 1e-6)", certified=True).verdict
        'stationary'
        """
        if self.certified is None:
            return ""
        if not self.certified:
            return "no"
        return "stationary" if self.certificate.startswith("stationary") else "yes"


@dataclass
class Comparison:
    """The leaderboard, the recommendation, and what is needed to report and to repeat it.

    Parameters
    ----------
    understanding : Understanding.  Of the table and its target.
    standings : list of Standing.  By group, then by score, best first; failures last.
    score : str.  Name of the score, for people: "area under the ROC curve", "root-mean-square error".
    higher_is_better : bool.
    recommended : str.  Family of the simplest model within one standard error of the best.
    why : str.  The recommendation in a sentence or two.
    beats_baseline : bool.  Whether the corrected tests say that the recommended model is better than the baseline.
    model : fitted Pipeline.  columns → preparation → model, refitted to all rows but the test part; it takes a Table or
        a frame.
    feature_names : list of str.  Of the columns that reach the model itself.
    folds, repeats : int.  seed : int.  seconds : float.  budget : float or None.
    train, test : Table.  The parts; the test part was used once, for `test_measures`.
    y_train, y_test : arrays.  Labels or numbers.
    test_measures : dict of float.  Measures of the chosen model on the test part, once.
    test_score, test_error : float.  The score on the test part and its standard error, NaN where every resample of
        its rows has the same score.
    y_out_of_fold : array.  Of the recommended model: for each row of `train` what was predicted when it was held out
        (first repeat): probabilities (n, k), or numbers (n,); NaN where no round held the row out.
    p_values : dict.  From (leader of a group, family that is not in an earlier group) to the p-value of the
        corrected paired test, adjusted for the choice of the leader; the best leads group 1: all are compared with it.
    measure : str.  The name of the score in MEASURES.
    kind : str.  The kind of frame that came in ("pandas", "polars", "pyarrow"), "" for anything else.
    not_tried, partly_tried : tuple of str.  Families that the budget kept from running, or from some rounds or rows.
    question : Question or None.  The score and why, the positive class, the cost of a mistake, warnings.
    fitted_rows : int.  Rows of `train` that `model` was fitted to: all, unless the budget was too short for that.
    """

    understanding: Understanding
    standings: list
    score: str
    higher_is_better: bool
    recommended: str
    why: str
    beats_baseline: bool
    model: Any
    feature_names: list
    folds: int
    repeats: int
    seed: int
    seconds: float
    budget: float | None
    train: Any
    test: Any
    y_train: np.ndarray
    y_test: np.ndarray
    test_measures: dict
    test_score: float
    test_error: float
    y_out_of_fold: np.ndarray | None = None
    p_values: dict = field(default_factory=dict)
    measure: str = ""
    kind: str = ""
    fitted_rows: int = 0
    question: Any = None
    not_tried: tuple = ()
    partly_tried: tuple = ()

    def __getitem__(self, family):
        """The standing of a family."""
        return next(standing for standing in self.standings if standing.family == family)

    @property
    def unfinished(self):
        """How many families the budget kept from running, or from some of the rounds or rows."""
        return len(self.not_tried) + len(self.partly_tried)

    @property
    def leaderboard(self):
        """The standings as a frame of the kind that came in, else of whichever library is installed."""
        return leaderboard.frame(self)

    def as_dict(self):
        """Everything but the data and the model, as plain lists, dicts, numbers and strings, for JSON."""
        return leaderboard.plain(self)

    def __str__(self):
        return leaderboard.text(self)
