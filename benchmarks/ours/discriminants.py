"""separatrix.discriminant_analysis"""

from benchmarks.contestant import Answer, Contestant, predicted, scored_by, trained
from benchmarks.ours.gram import GRAM_PASS


def fit_lda(data, settings):
    from separatrix.discriminant_analysis import LinearDiscriminantAnalysis

    return LinearDiscriminantAnalysis().fit(data.X, data.y)


def fit_qda(data, settings):
    from separatrix.discriminant_analysis import QuadraticDiscriminantAnalysis

    return QuadraticDiscriminantAnalysis().fit(data.X, data.y)


def fit_path(data, settings):
    """A model at every alpha, from one pass over the rows."""
    from separatrix.discriminant_analysis import RegularizedDiscriminantAnalysis

    return RegularizedDiscriminantAnalysis().fit(data.X, data.y).path(settings["alphas"])


def path_scores(path, data):
    joint = path.predict_joint_log_proba(data.X[: data.settings["sample"]])  # rows, classes, alphas
    return Answer(joint.transpose(0, 2, 1).reshape(len(joint), -1))


SCORES = scored_by("decision_function")

CONTESTANTS = {
    "lda": [Contestant("separatrix", "separatrix", fit_lda, answer=SCORES), GRAM_PASS],
    "qda": [Contestant("separatrix", "separatrix", fit_qda, answer=SCORES), GRAM_PASS],
    "rda_path": [Contestant("separatrix", "separatrix", fit_path, answer=path_scores), GRAM_PASS],
    "lda_predict": [Contestant("separatrix", "separatrix", predicted, prepare=trained(fit_lda))],
    "qda_predict": [Contestant("separatrix", "separatrix", predicted, prepare=trained(fit_qda))],
}
