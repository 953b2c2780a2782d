"""LIBLINEAR through its own Python interface, which takes CSR; its intercept would be penalised: left out.

Packing CSR into LIBLINEAR's nodes is in the clock, as it is inside scikit-learn's copy.
"""

import numpy as np
from scipy import sparse

from benchmarks.contestant import Answer, Contestant

LADDER = tuple(10.0**-k for k in range(0, 9))
PRIMAL, L1, DUAL = 0, 6, 7  # of L2 logistic, L1 logistic, L2 logistic
SQUARED_DUAL, SQUARED_PRIMAL, HINGE = 1, 2, 3


def fit_with(solver):
    def fit(data, settings):
        from liblinear.liblinearutil import parameter, problem, train

        options = parameter(f"-s {solver} -c {settings['C']!r} -e {settings['tolerance']!r} -B -1 -q")
        model = train(problem(data.y.astype(np.float64), data.X), options)
        coef = np.ctypeslib.as_array(model.w, (data.X.shape[1],)).copy()
        return Answer(coef if model.get_labels()[0] == 1 else -coef)  # positive is the label that came first

    return fit


def compressed(data):
    data.X = sparse.csr_matrix(data.X)
    return data


def long(settings):
    return settings["variant"] == "long"


def dense(settings):
    return not settings["sparse"]


CONTESTANTS = {
    "logistic": [
        Contestant("LIBLINEAR primal", "liblinear", fit_with(PRIMAL), LADDER, slow=long, prepare=compressed),
        Contestant("LIBLINEAR dual", "liblinear", fit_with(DUAL), LADDER, slow=dense, prepare=compressed),
    ],
    "logistic_l1": [Contestant("LIBLINEAR", "liblinear", fit_with(L1), LADDER, prepare=compressed)],
    "linear_svm": [Contestant("LIBLINEAR dual", "liblinear", fit_with(HINGE), LADDER, prepare=compressed)],
    "linear_svm_squared": [
        Contestant("LIBLINEAR primal", "liblinear", fit_with(SQUARED_PRIMAL), LADDER, prepare=compressed),
        Contestant("LIBLINEAR dual", "liblinear", fit_with(SQUARED_DUAL), LADDER, slow=dense, prepare=compressed),
    ],
}
