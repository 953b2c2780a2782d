"""scikit-learn's own checks of the kernel support vector machines, without an exception."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix.svm import SVC, SVR

MODELS = [SVC(), SVC(kernel="linear"), SVR(), SVR(kernel="linear")]


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(MODELS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
