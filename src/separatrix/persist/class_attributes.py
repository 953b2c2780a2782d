"""Attributes whose name means something else in one class, and the check of a stored state against all tables."""

from collections.abc import Mapping
from typing import Any

from separatrix.persist.attributes import FITTED, MOST_UNSTORED, PARAMETERS, RECORDS, few_columns, record
from separatrix.persist.kinds import (
    Kind,
    Sizes,
    anything,
    by_key,
    either,
    flag,
    floats,
    integers,
    labels,
    listed,
    nothing,
    number,
    objects,
    size,
    text,
    unfit,
    whole,
    word,
)
from separatrix.persist.laws import LAWS
from separatrix.prediction.naive_bayes import LIKELIHOODS

_LOCAL: dict[str, Kind] = {"degree": whole(0, 2)}
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
_TREE: dict[str, Kind] = {
    "categories_": listed(either(listed(anything), nothing), "p"),
    "n_outputs_": whole(1),
    "_clipped": flag,
}
OWN: dict[str, dict[str, Kind]] = {
    "DecisionTreeClassifier": _TREE
    | {
        "classes_": either(labels("k"), listed(labels("_k"))),
        "n_classes_": either(whole(1), listed(whole(1))),
        "outputs_2d_": flag,
    },
    "DecisionTreeRegressor": _TREE,
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
    **dict.fromkeys(("MixtureOfExpertsClassifier", "MixtureOfExpertsRegressor"), _EXPERTS),
    "MixedNB": {
        "_names": listed(text, "p"),
        "distributions_": listed(word(*LIKELIHOODS), "p"),
        "categories_": by_key(listed(anything)),
        "_has_words": flag,
        "_backend": either(text, nothing),
    },
    "Thresholds": {"threshold_": floats("p")},
    "FisherDiscriminant": {"threshold_": number(), "_n_features_out": whole(1, 1)},
    "MeanDifference": {"_n_features_out": whole(1, 1)},
    "NaturalSpline": {"df_": integers("p", low=0), "knots_": listed(floats("_m"))},
    "KNeighborsClassifier": {"classes_": either(labels("k"), listed(labels("_k"))), "outputs_2d_": flag},
}

# scikit-learn's classes have other private names; these are alike in all of them.
THEIRS = {name: (PARAMETERS | FITTED)[name] for name in ("n_jobs", "n_features_in_", "feature_names_in_")}
_theirs = either(floats("p"), nothing)
OWN |= {
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
