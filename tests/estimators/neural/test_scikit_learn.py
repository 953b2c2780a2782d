"""scikit-learn's own checks of networks."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix.neural_network import Autoencoder, MLPClassifier, MLPRegressor

STEPS = {"max_iter": 60, "learning_rate_init": 0.01, "random_state": 0}
BATCHES = "batches are made of rows, which weights do not repeat: only all rows at once take a weight for a repetition"


def expected_failures(model):
    if model.solver == "lbfgs":
        return {}
    names = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")
    return dict.fromkeys(names, BATCHES)


@parametrize_with_checks(
    [
        MLPClassifier((8,), **STEPS),
        MLPClassifier((8,), "tanh", solver="lbfgs", random_state=0),
        MLPRegressor(hidden_layer_sizes=(8,), **STEPS),
        MLPRegressor(hidden_layer_sizes=(8,), activation="tanh", solver="lbfgs", random_state=0),
        Autoencoder(**STEPS),
        Autoencoder(solver="lbfgs", random_state=0, max_iter=15),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)
