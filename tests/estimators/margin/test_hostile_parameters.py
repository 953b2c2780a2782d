"""Parameters that no machine can use are refused by name, and odd ones that it can use are used."""

import numpy as np
import pytest

from separatrix.designs import gram_rows
from separatrix.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM

MACHINES = [SVC, SVR, NuSVC, NuSVR, OneClassSVM, LinearSVC, LinearSVR]
X = np.random.default_rng(0).standard_normal((20, 3))
LABELS = (X[:, 0] > 0.0).astype(int)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("budget", [".", "1.2.3", "", "s", "0s", 0, -1.0, np.nan, True, "5 days", ["1s"]])
def test_a_budget_that_is_no_time_is_refused_in_the_same_words(machine, budget):
    with pytest.raises((ValueError, TypeError), match=r"Cannot fit \w+ with budget=.*: a budget is a time above 0"):
        machine(budget=budget).fit(X, LABELS)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("budget", [50, 1e16, "50.", "9.5s", "2m", "2min", " 1 H ", "1m30s", "90000ms"])
def test_a_budget_is_read_however_its_number_is_written(machine, budget):
    assert machine(budget=budget).fit(X, LABELS).certificate_.converged


@pytest.mark.parametrize("machine", [SVC, SVR, NuSVR, LinearSVC, LinearSVR])
@pytest.mark.parametrize("price", ["a", None, 0.0, -1.0, np.nan])
def test_a_price_that_is_none_is_refused_by_its_name(machine, price):
    with pytest.raises((ValueError, TypeError), match=r"Cannot .*C="):
        machine(C=price).fit(X, LABELS)


@pytest.mark.parametrize("machine", [SVC, SVR, NuSVC, NuSVR, OneClassSVM])
@pytest.mark.parametrize("degree", [200, 1000])
def test_a_kernel_whose_values_overflow_is_refused(machine, degree):
    with pytest.raises(ValueError, match=r"Cannot fit .* overflow"):
        machine(kernel="poly", degree=degree, gamma=10.0).fit(X, LABELS)


@pytest.mark.parametrize("model", [SVC(kernel="rbff"), NuSVR(kernel="rbff"), OneClassSVM(kernel="rbff")], ids=repr)
def test_a_word_that_is_not_known_is_answered_with_the_true_default(model):
    with pytest.raises(ValueError, match=r"Use kernel='rbf' \(default\)"):
        model.fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("machine", [SVC, SVR, NuSVC, NuSVR, OneClassSVM])
def test_a_function_whose_matrix_is_not_symmetric_is_refused(machine):
    with pytest.raises(ValueError, match=r"not symmetric"):
        machine(kernel=lambda A, B: np.triu(A @ B.T + 5.0)).fit(X, LABELS)


def test_the_gap_of_a_nearly_symmetric_matrix_covers_what_its_halves_differ_by():
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))
    K = K + 1e-9 * np.triu(np.random.default_rng(1).standard_normal(K.shape), 1)
    model = SVC(kernel="precomputed", C=100.0).fit(K, LABELS)
    b = np.zeros(len(K))
    b[model.support_] = model.dual_coef_[0]
    f = 0.5 * (K + K.T) @ b  # the quadratic form sees this part alone
    signs = np.where(LABELS == 1, 1.0, -1.0)
    primal = 0.5 * f @ b + 100.0 * np.maximum(0.0, 1.0 - signs * (f + model.intercept_[0])).sum()
    null = 200.0 * min(LABELS.sum(), (1 - LABELS).sum())
    true = (primal - (signs @ b - 0.5 * f @ b)) / null
    assert true > 1e-13  # far above rounding
    assert true <= model.certificate_.value <= 1e-6


def test_a_labelled_kernel_matrix_larger_than_memory_is_refused_before_it_is_made(monkeypatch):
    model = SVC().fit(X, LABELS)
    assert model.labelled_gram(X, LABELS).shape == (20, 20)
    monkeypatch.setattr(gram_rows, "memory", lambda: 3000)
    with pytest.raises(ValueError, match=r"Cannot label .* 3,200 bytes.*Nystroem"):
        model.labelled_gram(X, LABELS)
