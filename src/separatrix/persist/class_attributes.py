"""Attributes whose name means something else in one class, and the check of a stored state against all tables."""

from collections.abc import Mapping
from typing import Any

from separatrix.core.activations import ACTIVATIONS
from separatrix.persist.attributes import FITTED, MOST_DRAWS, MOST_UNSTORED, PARAMETERS, RECORDS, few_columns, record
from separatrix.persist.kinds import (
    Kind,
    Sizes,
    anything,
    by_key,
    either,
    flag,
    flags,
    floats,
    integers,
    labels,
    listed,
    nothing,
    number,
    objects,
    size,
    sparse,
    text,
    unfit,
    whole,
    word,
)
from separatrix.persist.laws import LAWS
from separatrix.prediction.naive_bayes import LIKELIHOODS

_LOCAL: dict[str, Kind] = {"degree": whole(0, 2)}
_KERNEL: dict[str, Kind] = {
    "gamma": either(number(0.0), nothing),
    "degree": either(number(0.0), nothing),
    "coef0": either(number(), nothing),
    "X_fit_": either(floats("n", "p"), sparse("n", "p")),
}
_KERNEL_SUM: dict[str, Kind] = _KERNEL | {
    "dual_coef_": either(floats("n"), floats("n", "o")),
    "approximation_error_": number(),
}
_CHOSEN: dict[str, Kind] = {
    "gamma": either(number(0.0), floats("_g", low=0.0), listed(number(0.0)), nothing),
    "gamma_": either(number(0.0), nothing),
    "alpha_": number(0.0),
}
_EXPERTS: dict[str, Kind] = {
    "gate_coef_": floats("_K", "p"),
    "gate_intercept_": floats("_K"),
    "expert_coef_": either(floats("_K", "p"), floats("_K", "k", "p")),
    "expert_intercept_": either(floats("_K"), floats("_K", "k")),
    "expert_variances_": floats("_K", low=0.0),
    "expert_shares_": floats("_K"),
    "log_likelihood_": number(),
    "trace_": record("Trace"),
}
_NETWORK: dict[str, Kind] = {
    "coefs_": listed(floats("_p", "_m")),  # the law of networks compares them with each other
    "intercepts_": listed(floats("_m")),
    "batch_norms_": listed(floats(4, "_m")),
    "target_mean_": floats("_o"),
    "target_scale_": floats("_o", low=0.0),
    "n_layers_": whole(2),
    "n_outputs_": whole(1),
    "hidden_activation_": word(*ACTIVATIONS),
    "out_activation_": word("identity", "exp", "logistic", "softmax"),
    "loss_": number(),
    "best_loss_": either(number(finite=False), nothing),
    "loss_curve_": listed(number()),
    "validation_scores_": either(listed(number()), nothing),
    "best_validation_score_": either(number(), nothing),
    "trace_": record("Trace"),
    "_idle": whole(0),
    "_steps": either(record("Adam"), record("Momentum")),
}
_TREE: dict[str, Kind] = {
    "categories_": listed(either(listed(anything), nothing), "p"),
    "n_outputs_": whole(1),
    "_clipped": flag,
    "_is_ordinal": flags("p"),
    "_validation_seed": whole(0, 1 << 31),
    "ccp_alpha_": number(0.0),
    "ccp_alphas_": floats("_prices", low=0.0),
    "cv_errors_": floats("_prices"),
    "cv_standard_errors_": floats("_prices"),
}
_MODEL_TREE: dict[str, Kind] = {
    "categories_": _TREE["categories_"],
    "_is_ordinal": flags("p"),
    "n_outputs_": whole(1, 1),
    "node_coef_": either(floats("_nodes", "p"), floats("_nodes", "k", "p")),
    "node_intercept_": either(floats("_nodes"), floats("_nodes", "k")),
    "node_mean_": floats("_nodes", "p"),
    "node_spread_": floats("_nodes", "p", low=0.0),
}
_BAGGING: dict[str, Kind] = {
    "estimators_": listed(anything, "_m"),
    "estimators_features_": listed(integers("_few", low=0, below="p"), "_m"),
    "_seeds": integers("_m", low=0),
    "_bags": record("Bags"),
    "_drawn_columns": whole(1, 1 << 31),
    "_replaces_columns": flag,
    "_n_outputs": whole(1),
    "oob_score_": number(),
}
_FOREST: dict[str, Kind] = {
    "categories_": listed(either(listed(anything), nothing), "p"),
    "n_outputs_": whole(1),
    "_clipped": flag,
    "_is_ordinal": flags("p"),
    "_n_rows": whole(1, MOST_DRAWS),
    "_seeds": integers("_m", low=0),
    "_bags": either(record("Bags"), nothing),
    "_trees": listed(record("PackedTree"), "_m"),
    "_importances": floats("_m", "p", low=0.0),
    "oob_score_": number(),
}
_FOREST_OF_CLASSES: dict[str, Kind] = _FOREST | {
    "classes_": either(labels("k"), listed(labels("_k"))),
    "n_classes_": either(whole(1), listed(whole(1))),
    "outputs_2d_": flag,
    "oob_decision_function_": either(floats("_n", "k", finite=False), floats("_n", "_c", "_o", finite=False)),
}
_FOREST_OF_NUMBERS: dict[str, Kind] = _FOREST | {
    "oob_prediction_": either(floats("_n", finite=False), floats("_n", "_o", finite=False))
}
_per_machine = either(number(finite=False), floats("_pairs", finite=False))
_SUPPORT_VECTORS: dict[str, Kind] = {
    "support_": integers("_support", low=0),
    "dual_coef_": either(floats("_rivals", "_support"), sparse("_rivals", "_support")),
    "support_vectors_": either(floats("_support", "p"), sparse("_support", "p"), floats(0, 0)),
    "intercept_": floats("_pairs"),
    "n_support_": integers("_counts", low=0),
    "class_weight_": floats("_counts", low=0.0),
    "gamma_": number(0.0),
    "slack_": either(floats("_n", finite=False), floats("_n", "_pairs", finite=False)),
    "on_margin_": either(integers("_on", low=0), listed(integers("_on_one", low=0))),
    "margin_errors_": either(integers("_beyond", low=0), listed(integers("_beyond_one", low=0))),
    **dict.fromkeys(("margin_", "primal_objective_", "dual_objective_"), _per_machine),
    "kkt_violation_": number(0.0, finite=False),
    **dict.fromkeys(("probA_", "probB_"), floats("_pairs")),
    "break_ties": flag,
    "coef0": number(),
    "decision_function_shape": word("ovr", "ovo"),
}
OWN: dict[str, dict[str, Kind]] = {
    **dict.fromkeys(("SVC", "SVR", "OneClassSVM"), _SUPPORT_VECTORS),
    "NuSVC": _SUPPORT_VECTORS | {"C_": floats("_pairs", low=0.0)},
    "NuSVR": _SUPPORT_VECTORS | {"epsilon_": number(0.0)},
    "LinearSVC": {"C_": floats("o", low=0.0)},
    "KernelRidge": _KERNEL_SUM,
    "KernelRidgeCV": _KERNEL_SUM | _CHOSEN,
    "KernelPerceptron": _KERNEL,
    "Nystroem": _KERNEL
    | {
        "components_": either(floats("m", "p"), sparse("m", "p")),
        "normalization_": floats("m", "m"),
        "component_indices_": integers("m", low=0),
    },
    "BernoulliRBM": {
        "components_": floats("m", "p"),
        "intercept_hidden_": floats("m"),
        "intercept_visible_": floats("p"),
        "h_samples_": floats("_chains", "m"),
    },
    "IsingModel": {
        "binarize": either(number(), nothing),
        "intercept_": floats("p"),
        "coupling_": floats("p", "p"),
        "node_coef_": floats("p", "p"),
        "edges_": integers("_edges", 2, low=0, below="p"),
        "log_partition_": either(number(), nothing),
    },
    "BoltzmannMachine": {
        "binarize": either(number(), nothing),
        "intercept_": floats("_q"),
        "coupling_": floats("_q", "_q"),
        "log_partition_": number(),
        "log_likelihood_": number(),
        "n_hidden": whole(0, 20),
    },
    "RBFSampler": {
        "random_weights_": floats("p", "m"),
        "random_offset_": floats("m"),
        "gamma": either(number(0.0), text),
    },
    **dict.fromkeys(("RandomForestClassifier", "ExtraTreesClassifier"), _FOREST_OF_CLASSES),
    **dict.fromkeys(("RandomForestRegressor", "ExtraTreesRegressor"), _FOREST_OF_NUMBERS),
    "BaggingClassifier": _BAGGING
    | {"n_classes_": size("k"), "oob_decision_function_": floats("_n", "k", finite=False)},
    "BaggingRegressor": _BAGGING
    | {"oob_prediction_": either(floats("_n", finite=False), floats("_n", "_o", finite=False))},
    "AdaBoostRegressor": {
        "estimators_": listed(anything, "_m"),
        "estimator_weights_": floats("_m"),
        "estimator_errors_": floats("_m"),
        "_seed": whole(0, (1 << 32) - 1),
        "_draws": whole(1, MOST_DRAWS),
    },
    "DecisionTreeClassifier": _TREE
    | {
        "classes_": either(labels("k"), listed(labels("_k"))),
        "n_classes_": either(whole(1), listed(whole(1))),
        "outputs_2d_": flag,
    },
    "DecisionTreeRegressor": _TREE,
    **dict.fromkeys(("ModelTreeClassifier", "ModelTreeRegressor"), _MODEL_TREE),
    "LocalLinearRegression": _LOCAL,
    "LocalLogisticRegression": _LOCAL,
    "AdaBoostClassifier": {
        "n_classes_": size("k"),
        "features_": integers("_m", low=0, below="p"),
        "thresholds_": floats("_m", finite=False),
        "below_": integers("_m", low=0, below="k"),
        "above_": integers("_m", low=0, below="k"),
        "estimator_weights_": floats("_m"),
        "estimator_errors_": floats("_m"),
        "members_": listed(anything, "_m"),
    },
    "AdditiveBasis": {"df_": whole(0)},
    "RuleListClassifier": {"_validation_seed": _TREE["_validation_seed"]},
    **dict.fromkeys(("MixtureOfExpertsClassifier", "MixtureOfExpertsRegressor"), _EXPERTS),
    **dict.fromkeys(("Autoencoder", "MLPClassifier", "MLPRegressor"), _NETWORK),
    "MixedNB": {
        "_names": listed(text, "p"),
        "distributions_": listed(word(*LIKELIHOODS), "p"),
        "categories_": by_key(listed(anything)),
        "_has_words": flag,
        "_backend": either(text, nothing),
    },
    "ChowLiuTree": {
        "categories_": listed(listed(anything), "p"),
        "edges_": integers("_e", 2, low=0, below="p"),
        "parents_": integers("p", low=-1, below="p"),
        "mutual_information_": floats("p", "p"),
        "marginal_tables_": listed(floats("_v", low=0.0), "p"),
        "pair_tables_": listed(floats("_v", "_w", low=0.0), "_e"),
        "conditional_tables_": listed(either(floats("_v", low=0.0), floats("_v", "_w", low=0.0)), "p"),
    },
    "ChowLiuClassifier": {"trees_": listed(anything, "k")},
    "Thresholds": {"threshold_": floats("p")},
    "FisherDiscriminant": {"threshold_": number(), "_n_features_out": whole(1, 1)},
    "MeanDifference": {"_n_features_out": whole(1, 1)},
    "NaturalSpline": {"df_": integers("p", low=0), "knots_": listed(floats("_m"))},
    "KNeighborsClassifier": {"classes_": either(labels("k"), listed(labels("_k"))), "outputs_2d_": flag},
}

# scikit-learn's classes have other private names; these are alike in all of them.
THEIRS = {name: (PARAMETERS | FITTED)[name] for name in ("n_jobs", "n_features_in_", "feature_names_in_")}
_theirs = either(floats("p"), nothing)
# Members are asked by the name of a method: it may be none but these.
_method = word("predict_proba", "decision_function", "predict")
_committee: dict[str, Kind] = {
    "estimators_": listed(anything),
    "feature_names_in_": objects("_names"),  # how many columns there are is for the members to say
    "weights": either(listed(number(0.0)), floats("_m"), nothing),
}
_stack: dict[str, Kind] = _committee | {
    "stack_method": either(word("auto"), _method),
    "stack_method_": listed(_method),
    "passthrough": flag,
}
OWN |= {
    **dict.fromkeys(("sklearn:StackingClassifier", "sklearn:StackingRegressor"), _stack | {"classes_": labels("k")}),
    **dict.fromkeys(("sklearn:VotingClassifier", "sklearn:VotingRegressor"), _committee | {"classes_": labels("k")}),
    "sklearn:LabelEncoder": {"classes_": labels("k")},
    "sklearn:StandardScaler": {
        "mean_": _theirs,
        "var_": _theirs,
        "scale_": _theirs,
        "n_samples_seen_": either(number(0.0), integers("p", low=0), floats("p")),
        "with_mean": flag,
        "with_std": flag,
    },
    "sklearn:MinMaxScaler": dict.fromkeys(("min_", "scale_", "data_min_", "data_max_", "data_range_"), _theirs),
    "sklearn:SimpleImputer": {"statistics_": either(floats("p", finite=False), objects("p"))},
    "sklearn:MissingIndicator": {"features_": few_columns},
    "sklearn:LabelBinarizer": {
        "classes_": labels("k"),
        "neg_label": whole(-(1 << 31), 1 << 31),
        "pos_label": whole(-(1 << 31), 1 << 31),
        "sparse_output": flag,
        "sparse_input_": flag,
        "y_type_": text,
    },
    "sklearn:OneHotEncoder": {
        "categories_": listed(anything, "p"),
        "_n_features_outs": listed(whole(0), "p"),
        "sparse_output": flag,
    },
    "sklearn:OrdinalEncoder": {"categories_": listed(anything, "p")},
}


def wrong_with(name: str, state: Mapping[str, Any], *, is_model: bool) -> str | None:
    """What is wrong with the state of an object of a class: a sentence, or None where nothing is."""
    try:
        return _wrong_with(name, state, is_model)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError):
        return f"the parts of its {name} are not what they should be"


def _wrong_with(name: str, state: Mapping[str, Any], is_model: bool) -> str | None:
    common = THEIRS if name.startswith("sklearn:") else PARAMETERS | FITTED
    kinds = {**common, **OWN.get(name, {})} if is_model else RECORDS.get(name, {})
    sizes: Sizes = {}
    wrong = unfit(state, kinds, sizes)
    if wrong is not None:
        return f"the {wrong!r} of its {name} is not what it should be"
    if is_model and "p" in sizes and "n_features_in_" not in state:
        return f"its {name} does not say how many columns it has"
    if sizes.get("p", 0) > MOST_UNSTORED and not _stores_columns(state, kinds):
        return f"its {name} has more columns than it has numbers for"
    law = LAWS.get(name)
    return None if law is None or law(state) else f"the parts of its {name} do not fit together"


def _stores_columns(state: Mapping[str, Any], kinds: Mapping[str, Kind]) -> bool:
    """Whether an array or a list has an entry for each column; a sparse array has only its shape."""
    from separatrix.designs.pairs import stores_zeros  # scipy, which a light reader does without

    sizes: Sizes = {}
    unfit({name: held for name, held in state.items() if name != "n_features_in_" and stores_zeros(held)}, kinds, sizes)
    return "p" in sizes
