"""scikit-learn's own checks of the local models, without an exception."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix.local import LocalLinearRegression, LocalLogisticRegression

MODELS = [
    LocalLinearRegression(),
    LocalLinearRegression(bandwidth=1.0, kernel="gaussian", degree=0),
    LocalLinearRegression(bandwidth=1.0, kernel="gaussian", standardize=True, alpha=0.1),
    LocalLogisticRegression(),
    LocalLogisticRegression(span=0.9, kernel="gaussian", degree=0),
    LocalLogisticRegression(bandwidth=1.0, kernel="gaussian", standardize=True, alpha=0.1),
]


@parametrize_with_checks(MODELS)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)
