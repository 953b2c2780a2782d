"""What machines and kernel models say of data and parameters that they cannot use: each case by its words."""

import re
import warnings

import numpy as np
import pytest

from separatrix.core.errors import NotCertified
from separatrix.estimators.margin.kernel_machine import UnevenColumns
from separatrix.kernel_ridge import KernelRidge, KernelRidgeCV
from separatrix.linear_model import KernelPerceptron
from separatrix.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM

RNG = np.random.default_rng(0)
X = RNG.standard_normal((20, 3))
LABELS = (X[:, 0] + 0.5 * RNG.standard_normal(20) > 0.0).astype(int)
K = X @ X.T + 1.0
MACHINES = [SVC, SVR, NuSVC, NuSVR, OneClassSVM]
OF_ROWS = [KernelRidge, KernelPerceptron]
CLASSIFIERS = [SVC, NuSVC, LinearSVC, KernelPerceptron]


def said(*words):
    return pytest.raises(ValueError, match=".*".join(map(re.escape, words)))


@pytest.mark.parametrize("model", [SVC, SVR, NuSVR, LinearSVC, LinearSVR])
@pytest.mark.parametrize("C", [0.0, -1.0, np.nan], ids=str)
def test_a_price_that_is_no_number_above_0(model, C):
    with said(f"Cannot fit {model.__name__} with C={C!r}: C must be a number in (0, inf)"):
        model(C=C).fit(X, LABELS)


@pytest.mark.parametrize("model", MACHINES + OF_ROWS)
@pytest.mark.parametrize("gamma", [0.0, -1.0, np.nan], ids=str)
def test_a_width_that_is_no_number_above_0(model, gamma):
    with said(f"Cannot fit {model.__name__} with gamma={gamma!r}: gamma must be a number in (0, inf)"):
        model(kernel="rbf", gamma=gamma).fit(X, LABELS)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", MACHINES + OF_ROWS)
def test_a_kernel_matrix_that_is_none(model):
    with said("square"):
        model(kernel="precomputed").fit(X, LABELS)
    lopsided = K.copy()
    lopsided[0, 1] += 1.0
    with said("Cannot use a kernel matrix that is not symmetric: K[0, 1] is", "(K + K.T) / 2"):
        model(kernel="precomputed").fit(lopsided, LABELS)
    fitted = model(kernel="precomputed").fit(K, LABELS)
    with said("X has 5 features", "expecting 20"):
        fitted.predict(K[:, :5])
    with said("NaN"):
        fitted.predict(K * np.nan)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", MACHINES)
def test_a_function_that_gives_no_kernel_in_a_fit_or_later(model):
    gives = {
        "matrix": lambda A, B: A @ B.T + 1.0,
        "column": lambda A, B: np.ones((len(A), 1)),
        "nan": lambda A, B: np.full((len(A), len(B)), np.nan),
    }
    now = ["matrix"]
    fitted = model(kernel=lambda A, B: gives[now[0]](A, B)).fit(X, LABELS)
    for now[0], rows, shape in (("column", 20, "(20, 1)"), ("column", 4, "(4, 1)")):
        run = (lambda: fitted.predict(X[:4])) if rows == 4 else (lambda: model(kernel=gives["column"]).fit(X, LABELS))
        with said("Cannot use the kernel", f"of {rows} and 20 rows it gave", shape, f"numbers of shape ({rows}, 20)"):
            run()
    now[0] = "nan"
    for run in (lambda: fitted.predict(X[:4]), lambda: model(kernel=gives["nan"]).fit(X, LABELS)):
        with said("Cannot use the kernel", "it gave numbers that are not finite"):
            run()


@pytest.mark.parametrize("model", CLASSIFIERS)
def test_one_class(model):
    with said(f"Cannot fit {model.__name__} to one class: every row of positive weight is of the class 'a'"):
        model().fit(X, np.full(20, "a"))


@pytest.mark.parametrize("model", [*MACHINES, KernelRidge])
def test_a_kernel_beyond_memory_names_its_bytes_and_nystroem_before_it_is_made(model, monkeypatch):
    from separatrix.core import memory
    from separatrix.designs import gram_rows

    monkeypatch.setattr(gram_rows, "memory", lambda: 1000.0)
    monkeypatch.setattr(memory, "memory", lambda: 1000.0)

    def never(A, B):
        raise AssertionError("it was called")

    with pytest.raises((ValueError, MemoryError), match=r"3,200 bytes.*(Nystroem|n_components)"):
        model(kernel=never).fit(X, LABELS)


@pytest.mark.parametrize("model", MACHINES)
def test_uneven_columns_are_told_up_front_at_the_line_of_the_fit(model):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        model(budget=0.5).fit(X * [1.0, 1.0, 1e6], LABELS)
    uneven = [each for each in seen if each.category is UnevenColumns]
    assert seen[0] is uneven[0] and uneven[0].filename == __file__
    assert "StandardScaler" in str(uneven[0].message)


@pytest.mark.parametrize("model", MACHINES)
def test_a_warning_names_the_line_of_the_fit(model):
    with pytest.warns(NotCertified) as seen:
        model(max_iter=1).fit(X, LABELS)
    assert seen[0].filename == __file__


def test_the_end_of_a_grid_is_told_at_the_line_of_the_fit():
    with pytest.warns(UserWarning, match="end of the grid") as seen:
        KernelRidgeCV([1e-9, 1e-8]).fit(X, RNG.standard_normal(20))
    assert seen[0].filename == __file__
