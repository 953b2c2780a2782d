"""scikit-learn's own checks of the kernel support vector machines, without an exception that is not named here."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

MODELS = [SVC(), SVC(kernel="linear"), SVR(), SVR(kernel="linear"), NuSVC(nu=0.35), NuSVR(), OneClassSVM()]
# Data of the checks where the lighter class cannot hold half of nu: factors of 0.0001 and 1000 for the classes.
INFEASIBLE = {"check_class_weight_classifiers": "of so uneven class weights no nu is feasible but a tiny one"}


def refused(estimator):
    return INFEASIBLE if isinstance(estimator, NuSVC) else {}


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(MODELS, expected_failed_checks=refused)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
