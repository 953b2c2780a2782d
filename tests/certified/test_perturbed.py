"""verify() of every public estimator: confirmed as fitted, refuted when any published number is changed by 1 %."""

import copy
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import PCA as TheirPCA
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

from separatrix import verify
from separatrix.core import registry
from separatrix.core.declaration import declaration
from separatrix.core.node_table import NodeTable
from separatrix.core.rule_table import RuleTable
from separatrix.designs import MemoryMappedDesign
from separatrix.estimators.recompute.comparison import BOOKKEEPING

MODELS = registry.members("estimator")
RNG = np.random.default_rng(0)
X = RNG.poisson(2.0, (41, 4)).astype(float)
AMOUNT = X @ [1.0, -1.0, 0.5, 0.2] + RNG.standard_normal(41)
LABELS = {2: (np.median(AMOUNT) < AMOUNT).astype(int), 3: np.digitize(AMOUNT, np.quantile(AMOUNT, [0.33, 0.66]))}
NETWORK = {
    "hidden_layer_sizes": 3,
    "activation": "tanh",
    "solver": "lbfgs",
    "alpha": 3.0,
    "tol": 1e-6,
    "max_iter": 5000,
    "random_state": 0,
}
SETTINGS = {
    "IsingModel": {"binarize": 1.5},
    "BoltzmannMachine": {"binarize": 1.5, "random_state": 0},
    "PCA": {"n_components": 2},
    "QuantileRegressor": {"alpha": 0.0},  # with a penalty the median may be any number of an interval
    "LinearDiscriminantAnalysis": {"store_covariance": True},
    "QuadraticDiscriminantAnalysis": {"store_covariance": True},
    "RegularizedDiscriminantAnalysis": {"store_covariance": True},
    "RegularizedDiscriminantAnalysisCV": {"alphas": [0.3, 0.7]},
    "ElasticNetCV": {"alphas": [0.5, 1.0]},  # a penalty that counts: the gap is quadratic in a change of l1_ratio_
    "LogisticRegressionCV": {"Cs": [0.01, 0.1], "cv": 3},
    "ModelTreeClassifier": {"pruning": None},  # a tree of one node has no threshold to change
    "ModelTreeRegressor": {"pruning": None},
    # smooth and well penalised networks, taught on all rows: training by batches ends at no small gradient
    **dict.fromkeys(("MLPClassifier", "MLPRegressor", "Autoencoder"), NETWORK),
}
# Their tolerance is a gap of 1e-3: one percent of a coefficient may change it by less.
LOOSE = {"Perceptron", "PerceptronRegressor", "SGDClassifier", "SGDRegressor"}
# Published beside the model, and not part of what it predicts by: how it was searched for, counts of parameters.
NOT_LOOKED_AT = {
    "C_1se_",
    "Cs_",
    "alpha_1se_",
    "alphas_",
    "best_loss_",
    "best_score_",
    "coefs_paths_",
    "dual_coef_",  # of linear machines whose loss has kinks: any dual point bounds the gap
    "dual_gap_",
    "dual_objective_",  # of linear machines, as are the three lists of rows below
    "feature_importances_",  # of boosting
    "numbers of the nodes of estimators_",
    "fit_status_",
    "expert_intercept_",  # of an expert of one class: any large number will do
    "kkt_violation_",
    "l1_ratio_",  # of LassoCV, where it is 1
    "l1_ratios_",
    "margin_errors_",
    "loss_curve_",
    "mean_scores_",
    "mse_path_",
    "n_boundary_parameters_",
    "n_components_",
    "n_iter_",
    "n_parameters_",
    "n_trees_per_iteration_",
    "on_margin_",
    "rank_",
    "scores_",
    "shape_fit_",
    "support_",
    "t_",
    "train_score_",  # of boosting: the path to what is looked at
    "validation_score_",
}


def cases():
    for name, cls in sorted(MODELS.items()):
        if isinstance(declaration(cls).verification, str) or name in LOOSE or name == "LogisticCalibrator":
            continue
        if declaration(cls).task == "regression":
            yield name, 0
        else:
            yield name, 2
            if name not in ("FirthLogisticRegression", "FisherDiscriminant", "MeanDifference"):
                yield name, 3


def fitted(name, k, data=X):
    try:
        model = MODELS[name](**SETTINGS.get(name, {}))
    except TypeError:
        model = MODELS[name](MODELS["LogisticRegression"]())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(data, labels_for(model, k))


def labels_for(model, k):
    """Labels of k classes, or amounts: positive ones where a model takes no others."""
    if k:
        return LABELS[k]
    return np.exp(0.2 * AMOUNT) if get_tags(model).target_tags.positive_only else AMOUNT


def published(model):
    """(name, array, a function that puts another array in its place) of every array of numbers of a fitted model."""
    for name, value in list(vars(model).items()):
        if not name.endswith("_") or name.startswith("_") or name in BOOKKEEPING or isinstance(value, bool | str):
            continue
        if isinstance(value, NodeTable | RuleTable):  # each of its arrays
            for field, part in ((field, part) for field, part in value._asdict().items() if part.size):
                yield (
                    name,
                    part,
                    lambda new, name=name, value=value, field=field: setattr(
                        model, name, value._replace(**{field: new})
                    ),
                )
        elif isinstance(value, list) and all(isinstance(part, np.ndarray) for part in value):
            for place, part in enumerate(value):
                yield name, part, lambda new, value=value, place=place: value.__setitem__(place, new)
        elif not isinstance(value, list | dict) and np.asarray(value).dtype.kind in "fiu":
            yield name, np.asarray(value), lambda new, name=name: setattr(model, name, new)


def changed(array):
    """Each array by 1 %, and one entry of it by 1 %; a whole number by 1; an empty array not at all."""
    if not array.size:
        return []
    if array.dtype.kind != "f":
        return [array + 1]
    one = array.copy()
    place = np.unravel_index(np.argmax(np.where(np.isfinite(array), np.abs(array), -1.0)), array.shape)
    one[place] *= 1.01
    return [array * 1.01, one] if array[place] else [array + 0.01]


def is_refused(model, labels):
    """Whether verify says NOT certified, or refuses the data as not those of the fit."""
    try:
        return not verify(model, X, labels).converged
    except ValueError:
        return True


@pytest.mark.parametrize(("name", "k"), cases())
def test_a_number_changed_by_one_percent_is_caught_or_said_not_to_be_looked_at(name, k):
    model = fitted(name, k)
    labels = labels_for(model, k)
    certificate = verify(model, X, labels)
    assert certificate.converged, certificate
    _, _, words = certificate.message.partition("not looked at: ")
    said = set(words.split(", ")) - {""}
    assert said <= NOT_LOOKED_AT
    missed = []
    for attribute, array, put in published(model):
        for other in changed(array):
            put(other if array.ndim else other[()])
            if not is_refused(model, labels) and attribute not in said:
                missed.append(attribute)
        put(array if array.ndim else array[()])
    assert not missed


def inside(model):
    """Arrays that are no attribute of the model itself, but predictions are made of them."""
    name = type(model).__name__
    if name in ("QuadraticDiscriminantAnalysis", "RegularizedDiscriminantAnalysis"):
        return [model._spheres.maps[0], model._spheres.means, model._spheres.log_determinants]
    if name == "MixedNB":
        return [part.theta_ for part in model.parts_.values()]
    if name == "BernoulliNB":
        return [model._log_absent]
    if name in ("OneVsRestClassifier", "OneVsOneClassifier"):
        return [machine.coef_ for machine in model.estimators_]
    return [model.estimator_.coef_]


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(
    "name",
    [
        "QuadraticDiscriminantAnalysis",
        "RegularizedDiscriminantAnalysis",
        "MixedNB",
        "BernoulliNB",
        "OneVsRestClassifier",
        "OneVsOneClassifier",
        "CalibratedLinearClassifier",
        "CostSensitiveClassifier",
    ],
)
def test_what_predictions_are_made_of_is_looked_at(name, k):
    model = fitted(name, k)
    for array in inside(model):
        array *= 1.01
        assert not verify(model, X, LABELS[k]).converged
        array /= 1.01


@pytest.mark.parametrize("method", ["moments", "likelihood", "platt"])
@pytest.mark.parametrize("cv", [None, 3])
@pytest.mark.parametrize("attribute", ["gamma_", "d0_", "class_ratio_"])
def test_a_changed_calibration_curve_is_caught(method, cv, attribute):
    inner = MODELS["LogisticRegression"]()
    model = MODELS["CalibratedLinearClassifier"](inner, method=method, cv=cv).fit(X, LABELS[2])
    assert verify(model, X, LABELS[2]).converged
    curve = model.calibrators_[0]
    setattr(curve, attribute, getattr(curve, attribute) * 1.01)
    assert not verify(model, X, LABELS[2]).converged


@pytest.mark.parametrize("name", ["KNeighborsClassifier", "KNeighborsRegressor", "RadiusNeighborsRegressor"])
def test_one_changed_label_or_row_of_a_neighbour_is_caught(name):
    k = 2 if name.endswith("Classifier") else 0
    for change in (lambda m: m._y.__setitem__(3, 1 - m._y[3]), lambda m: m._fit_X.__setitem__((3, 1), 9.5)):
        model = copy.deepcopy(fitted(name, k))
        change(model)
        assert not verify(model, X, labels_for(model, k)).converged


def test_a_step_of_a_pipeline_and_the_best_of_a_search_are_verified():
    pca, ridge = MODELS["PCA"](2), MODELS["RidgeClassifier"]()
    search = GridSearchCV(make_pipeline(pca, ridge), {"ridgeclassifier__alpha": [0.1, 1.0]}, cv=2)
    search.fit(X, LABELS[2])
    assert verify(search, X, LABELS[2]).converged
    search.best_estimator_[0].explained_variance_ *= 1.01  # takes no part in the prediction
    assert not verify(search, X, LABELS[2]).converged


def test_axes_of_smaller_variance_than_those_left_out_are_caught():
    model = MODELS["PCA"](2).fit(X)
    whole = TheirPCA().fit(X)
    assert verify(model, X).converged
    for name in ("components_", "explained_variance_", "singular_values_", "explained_variance_ratio_"):
        setattr(model, name, getattr(whole, name)[1:3])  # they solve S u = λ u as well
    model.noise_variance_ = (whole.explained_variance_[[0, 3]]).mean()
    model.reconstruction_error_ = whole.explained_variance_[[0, 3]].sum() * 40 / 41
    assert not verify(model, X).converged


# Of the closed forms alone: those that solve a problem are in test_verify.py.
CLOSED = [
    ("LinearDiscriminantAnalysis", {}),
    ("LinearDiscriminantAnalysis", {"shrinkage": 0.3}),
    ("LinearDiscriminantAnalysis", {"shrinkage": "auto"}),
    ("LinearDiscriminantAnalysis", {"n_components": 1, "reduced_rank": True}),
    ("QuadraticDiscriminantAnalysis", {}),
    ("QuadraticDiscriminantAnalysis", {"shrinkage": "auto", "reg_param": 0.1}),
    ("RegularizedDiscriminantAnalysis", {"denominator": "N-K"}),
    ("DiagonalLinearDiscriminantAnalysis", {}),
    ("BasicLinearClassifier", {"metric": "diagonal"}),
    ("BasicLinearClassifier", {"metric": "full", "centred": True}),
    ("GaussianNB", {}),
    ("PCA", {"n_components": 2}),
    ("PCA", {}),
]
STORED = {
    "far means": lambda X: X + 1e6,
    "farther means": lambda X: X + 1e9,
    "units": lambda X: X * 10.0 ** np.arange(-8, 8, 4),
    "float32": lambda X: X.astype(np.float32) + np.float32(100),
    "dependent columns": lambda X: np.hstack([X, X[:, :2], np.ones((len(X), 1))]),
    "sparse": sp.csr_array,
    "more columns than rows": lambda X: np.hstack([X, np.random.default_rng(1).standard_normal((len(X), 50))]),
}


@pytest.mark.parametrize("stored", STORED)
@pytest.mark.parametrize(("name", "settings"), CLOSED)
def test_no_storage_units_or_far_means_refute_an_honest_fit(name, settings, stored):
    model, data = MODELS[name](**settings), STORED[stored](X)
    if stored == "sparse" and not model.__sklearn_tags__().input_tags.sparse:
        pytest.skip("it takes dense X only")
    s = np.random.default_rng(2).integers(0, 3, len(X)).astype(float)
    weights = {} if name == "PCA" else {"sample_weight": s}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(data, LABELS[3], **weights)
    assert verify(model, data, LABELS[3], **weights).converged


@pytest.mark.parametrize(
    "name",
    [
        "LinearDiscriminantAnalysis",
        "QuadraticDiscriminantAnalysis",
        "RegularizedDiscriminantAnalysis",
        "DiagonalLinearDiscriminantAnalysis",
        "GaussianNB",
        "BernoulliNB",
        "MultinomialNB",
        "PCA",
    ],
)
def test_a_stream_is_verified_as_its_rows_in_memory_are(name, tmp_path):
    stored = np.lib.format.open_memmap(tmp_path / "X.npy", mode="w+", dtype=np.float64, shape=X.shape)
    stored[:] = X
    stream = MemoryMappedDesign(stored)
    model = MODELS[name](**SETTINGS.get(name, {})).fit(stream, LABELS[3])
    assert verify(model, stream, LABELS[3]).converged
    assert verify(model, X, LABELS[3]).converged
    attribute = next(part for part in ("means_", "theta_", "feature_count_", "mean_") if part in vars(model))
    vars(model)[attribute][0] *= 1.01
    assert not verify(model, stream, LABELS[3]).converged
