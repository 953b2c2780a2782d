"""What the attributes of stored objects are, by name: the one table that a file is held to before an object is made.

Names of fitted attributes mean the same in every estimator, so that most are stated once, for all of them. Sizes: p
columns of X, n stored rows, k classes, o outputs. What only Python code reads, which checks for itself, need not be
here; what reaches compiled loops, or decides how much is allocated, must be.
"""

from typing import Any

from separatrix.persist.kernel_kinds import KERNELS, kernel
from separatrix.persist.kinds import (
    Kind,
    Sizes,
    anything,
    by_key,
    either,
    flag,
    flags,
    floats,
    holds,
    inside,
    integers,
    labels,
    listed,
    nothing,
    number,
    objects,
    size,
    sparse,
    text,
    whole,
    word,
)
from separatrix.persist.laws import MOST_COLUMNS, fields_of
from separatrix.prediction.forms import Step

ROWS_PER_LEAF = 1 << 31
MOST_UNSTORED = 1 << 24  # columns that a model may claim without an array that has a number for each
MOST_DRAWS = 1 << 27  # rows of one sample of a committee
MOST_PROCESSES = 64  # joblib starts as many as it is told to

_rates = either(floats("o", finite=False), floats("k", finite=False), number(finite=False))
_table = either(floats("k", "p", finite=False), floats("o", "p", finite=False))
_matrix = floats("_q", "_q", finite=False)
_columns = either(floats("p"), nothing)
few_columns = integers("_few", low=0, below="p")
_levels = listed(listed(text), "p")


def record(name: str) -> Kind:
    """An object of a class of this table, whose sizes are those of what holds it."""

    def check(value: Any, sizes: Sizes) -> bool:
        if type(value).__name__ not in (name, Step.__name__):
            return False
        return inside(lambda held, own: holds(fields_of(held), RECORDS[name], own), value, sizes)

    return check


_distances = record("Precomputed")

# Parameters of constructors that are used after the fit, too.
PARAMETERS: dict[str, Kind] = {
    "include_bias": flag,
    "interaction_only": flag,
    "cross_terms": flag,
    "kernel_scaling": flag,
    "fit_intercept": flag,
    "standardize": flag,
    "whiten": flag,
    "order": word("C", "F"),
    "degree": either(whole(0, MOST_COLUMNS), listed(whole(0, MOST_COLUMNS), 2)),
    "n_neighbors": either(whole(1), nothing),
    "radius": either(number(), nothing),
    "leaf_size": whole(1, ROWS_PER_LEAF),
    "p": either(number(0.0, finite=False), nothing),
    "metric_params": either(by_key(anything), nothing),
    "df": either(whole(1, 1 << 16), integers("_d", low=1), listed(whole(1, 1 << 16)), nothing),
    "average": either(flag, whole(0), word("mean", "median")),
    "max_words": whole(1),
    "max_levels": whole(1),
    "unflagged": listed(whole(0)),
    "binarize": either(number(0.0), nothing),
    "unseen": word("error", "smooth", "ignore"),
    "_names": either(listed(text), nothing),
    "n_jobs": either(nothing, whole(-MOST_PROCESSES, MOST_PROCESSES)),
}

# Fitted attributes; sizes first, so that those that come after have something to agree with.
FITTED: dict[str, Kind] = {
    "n_features_in_": size("p"),
    "n_samples_fit_": size("n"),
    "classes_": either(labels("k"), listed(labels("_k"))),
    "feature_names_in_": objects("p"),
    "coef_": either(floats("p"), floats("o", "p"), sparse("o", "p"), sparse(1, "p"), sparse("p")),
    "intercept_": either(number(), floats("o"), floats()),
    "target_coef_": floats("_t", "p"),
    "target_intercept_": floats("_t"),
    "means_": floats("k", "p"),
    "priors_": floats("k"),
    "class_count_": floats("k"),
    "class_prior_": floats("k"),
    "class_log_prior_": floats("k", finite=False),
    "feature_count_": floats("k", "p"),
    "feature_log_prob_": either(floats("k", "p", finite=False), listed(floats("k", "_c", finite=False), "p")),
    "theta_": floats("k", "p"),
    "var_": either(floats("k", "p"), floats("p"), nothing),
    "n_categories_": integers("p", low=0),
    "category_count_": listed(floats("k", "_c"), "p"),
    "_log_unseen": listed(floats("k", finite=False), "p"),
    "_log_absent": floats("k", "p", finite=False),
    "_tally": either(record("ClassCounts"), record("CategoryCounts"), record("ClassMoments")),
    "_walkers": listed(record("Walker")),
    "_origin": listed(listed(either(floats("p"), number()), 2)),
    "counts_": either(integers("n", low=0), integers("o", "n", low=0)),
    "kernel_": kernel,
    "X_fit_": either(floats("n", "p"), sparse("n", "p")),
    "dual_coef_": floats("o", "n"),
    "slack_": either(floats("n", low=0.0), floats("o", "n", low=0.0)),
    "support_": integers("_support", low=0, below="n"),
    "on_margin_": integers("_on_margin", low=0, below="n"),
    "margin_errors_": integers("_margin_errors", low=0, below="n"),
    "primal_objective_": either(number(), floats("o")),
    "dual_objective_": either(number(), floats("o")),
    "t_": number(0.0),
    "_fit_X": either(floats("n", "p"), sparse("n", "p")),
    "_y": either(floats("n"), floats("n", "_o"), integers("n", low=0), integers("n", "_o", low=0)),
    "_index": either(record("Index"), lambda value, sizes: set(fields_of(value)) == {"X"} and _distances(value, sizes)),
    "_data": record("LocalData"),
    "_window": record("Window"),
    "_centre": floats("p"),
    "_center": floats("p"),
    "_level": number(),
    "_size": number(),
    "scale_": _columns,
    "mean_": _columns,
    "median_": floats("p"),
    "xbar_": floats("p"),
    "variances_": floats("p"),
    "exponent_": integers("p", low=-5000),
    "flagged_": few_columns,
    "hour_sines_": integers("_sines", low=0, below="p"),
    "hour_cosines_": integers("_cosines", low=0, below="p"),
    "levels_": _levels,
    "vocabulary_": _levels,
    "idf_": listed(floats("_w"), "p"),
    "missing_": flags("p"),
    "pooled_": flags("p"),
    "dropped_": integers("p", low=-1),
    "n_codes_": integers("p", low=0),
    "pieces_": listed(floats("_m", 4, "_d"), "p"),
    "knots_": listed(floats("_m"), "p"),
    "boundary_knots_": floats("p", 2),
    "_pieces": listed(record("_Pieces"), "p"),
    "centers_": either(floats("p", "_m"), floats("_m", "p"), floats("_m")),
    "width_": either(floats("p"), number(0.0)),
    "components_": floats("r", "p"),
    "explained_variance_": floats("r"),
    "singular_values_": floats("r"),
    "noise_variance_": number(),
    "nodes_": record("NodeTable"),
    "rules_": record("RuleTable"),
    "_is_category": flags("p"),
    "_edges": listed(either(floats("_e"), nothing), "p"),
    "_columns": integers("_live", low=0, below="p"),
    "_centres": floats("k", "_live"),
    "_means": floats("k", "p"),
    "_sphere": record("Sphere"),
    "_spheres": record("Spheres"),
    "_direct_fit": either(record("DirectFit"), nothing),
    "scalings_": either(floats("p", "_r"), listed(floats("p", "_r"), "k")),
    "covariance_": either(_matrix, floats("k", "p", "p", finite=False), listed(floats("p", "p", finite=False))),
    "standard_errors_": floats("_q", finite=False),
    "n_output_features_": whole(1, MOST_COLUMNS),
    "_n_features_out": whole(0, MOST_COLUMNS),
    "certificate_": record("Certificate"),
    "evidence_": either(
        record("LeastSquaresStatistics"),
        record("LikelihoodStatistics"),
        record("GeneralizedLinearStatistics"),
        nothing,
    ),
    "alpha_": _rates,
    "d0_": number(),
    "gamma_": number(),
    "class_ratio_": number(),
    "n_trees_per_iteration_": whole(1),
    "link_": text,
    "_baseline": floats("_outputs"),
    "_divided": flag,
    "_from_other_rows": flag,
    "_grown_by": text,
    "_categories": either(listed(either(objects("_c"), floats("_c", finite=False), anything), "p"), nothing),
    "_trees": record("Trees"),
    "_node_numbers": floats(3, "_nodes"),
    "oob_scores_": floats("_scores"),
    "oob_improvement_": floats("_scores"),
    "train_score_": floats("_scores"),
    "validation_score_": floats("_held_scores"),
    "training_loss_": floats(2),
    "is_categorical_": either(flags("p"), nothing),
    "constant_": number(),
}

_FACTOR = {
    "scale": floats("p", finite=False),
    "mean": floats("p"),
    "kept": integers("_kept", low=0, below="p"),
    "R": floats("_kept", "_kept"),
    "total": number(0.0),
    "intercept": flag,
    "aliased": either(integers("_aliased", low=0, below="p"), listed(whole(0))),
    "constant": either(integers("_constant", low=0, below="p"), listed(whole(0))),
    "combination": either(floats("_kept", "_aliased"), nothing),
}

_LIKELIHOOD: dict[str, Kind] = {
    "n": whole(0),
    "p": whole(0),
    "rank": whole(0),
    "coefficients": floats("_q", "_o", finite=False),
    "covariance": either(floats("_v", "_v", finite=False), nothing),  # of all coefficients of all outputs
}

# Fields of records. Statistics of a fit are read by numpy alone: only what they are is checked, not how they agree.
RECORDS: dict[str, dict[str, Kind]] = {
    **KERNELS,
    "NodeTable": {
        "column": integers("_nodes", low=-1),
        "threshold": floats("_nodes", finite=False),
        **dict.fromkeys(("left", "right", "missing", "parent", "offset"), integers("_nodes", low=-1)),
        **dict.fromkeys(("width", "n_samples"), integers("_nodes", low=0)),
        "weight": floats("_nodes", low=0.0),
        "impurity": floats("_nodes"),
        "value": floats("_nodes", "_v"),
        "routes": integers("_routes", low=-1),
    },
    "RuleTable": {
        "start": integers("_starts", low=0),
        "column": integers("_conditions", low=0),
        "offset": integers("_offsets", low=0),
        "bounds": integers("_bounds", low=0),
        "value": floats("_rules", "_v", low=0.0),
        "weight": floats("_rules", low=0.0),
        "estimate": floats("_rules", low=0.0),
    },
    "Bags": {
        "n": size("_n", 1),
        "weights": either(floats("_n", low=0.0), nothing),
        "draws": whole(1, MOST_DRAWS),
        "replace": flag,
    },
    "Certificate": {
        "kind": text,
        "value": number(finite=False),
        "tolerance": number(0.0),
        "iterations": whole(0),
        "passes": whole(0),
        "seconds": number(finite=False),
        "message": text,
    },
    "ClassCounts": {"totals": floats("k"), "sums": floats("k", "p")},
    "CategoryCounts": {"totals": floats("k"), "tables": listed(floats("k", "_c"), "p")},
    "ClassMoments": {
        "totals": floats("k"),
        "means": floats("k", "p"),
        "scatter": either(floats("k", "p"), floats("p", "p"), floats("k", "p", "p"), floats(1, "p")),
        "kind": word("pooled", "each", "diagonal"),
    },
    "Factor": _FACTOR,
    "Refined": {
        "beta": floats("p", "_o"),
        "intercept": floats("_o"),
        "rss": floats("_o", finite=False),
        "g": floats("p", "_o", finite=False),
        "g0": floats("_o", finite=False),
        "passes": whole(0),
    },
    "Corrections": {
        "weights": listed(floats("p")),
        "intercepts": listed(number()),
        "passes": listed(whole(1)),
        "rows": listed(whole(-1)),
    },
    "DirectFit": {
        "factor": record("Factor"),
        "fit": record("Refined"),
        "lam": either(floats("p"), number()),
        "condition": number(finite=False),
        "rows": whole(0),
        "lengths": floats("p", finite=False),
    },
    "Index": {
        "X": either(floats("n", "p"), sparse("n", "p")),
        "metric": record("Metric"),
        "algorithm": word("auto", "brute", "kd_tree"),
        "leaf_size": whole(1, ROWS_PER_LEAF),
    },
    "Precomputed": {"X": either(floats("n", "p", low=0.0), sparse("n", "p"))},
    "Metric": {
        "name": text,
        "power": either(number(0.0, finite=False), nothing),
        "unit": flag,
        "options": by_key(either(floats("p"), floats("p", "p"), listed(number()), number(), nothing)),
        "measure": either(text, nothing),
    },
    "LocalData": {
        "X": floats("p", "n"),
        "y": floats("n"),
        "s": floats("n", low=0.0),
        "equal": flag,
        "unit": number(0.0),
        "mix": floats("_k", "_k"),
        "floor": number(),
    },
    "Window": {
        "kernel": text,
        "width": either(number(0.0), nothing),
        "reach": either(number(0.0), nothing),
    },
    "Sphere": {
        "factor": record("Factor"),
        "denominator": number(),
        "live": integers("_live", low=0, below="p"),
        "T": floats("_r", "_s"),
        "Q": either(floats("_live", "_t"), nothing),
    },
    "Spheres": {
        "means": floats("k", "p"),
        "maps": listed(floats("p", "_q"), "k"),
        "log_determinants": floats("k", finite=False),
        "ranks": integers("k", low=0),
        "frame": either(floats("_q", "p"), nothing),
    },
    "Trace": {
        "objective": listed(number(finite=False)),
        "certificate": listed(either(number(finite=False), nothing)),
        "layer_norms": listed(listed(number(0.0))),
    },
    "Walker": {
        "beta": floats("p"),
        "intercept": number(),
        "clock": number(0.0),
        "averaged": either(floats("p"), floats(0)),
        "average_intercept": number(),
        "paid": either(floats("p"), floats(0)),
        "owed": number(),
        "level": number(0.0),
    },
    "Momentum": {
        **dict.fromkeys(("first_rate", "momentum", "power", "rate"), number(0.0)),
        "nesterov": flag,
        "schedule": word("constant", "invscaling", "adaptive"),
        "velocity": either(floats("_parameters"), nothing),
    },
    "Adam": {
        **dict.fromkeys(("rate", "beta_1", "beta_2", "epsilon"), number(0.0)),
        "steps": whole(0),
        "m": either(floats("_parameters"), nothing),
        "v": either(floats("_parameters", low=0.0), nothing),
    },
    "_Pieces": {},
    "LeastSquaresStatistics": {
        "n": whole(0),
        "p": whole(0),
        "rank": whole(0),
        "coefficients": floats("_q", "_o", finite=False),
        "unscaled": either(_matrix, nothing),
        "digits": either(floats("_q", "_o", finite=False), nothing),
    },
    "LikelihoodStatistics": _LIKELIHOOD,
    "GeneralizedLinearStatistics": _LIKELIHOOD | {"family": text, "link": text},
    "Separation": {},
    "PackedTree": {
        "column": integers("_nodes"),
        "right": integers("_nodes"),
        "threshold": floats("_nodes", finite=False),
        "value": floats("_ends", "_values"),
        "weight": floats("_weighted", low=0.0),  # as many as ends, or none: `fault_of_packed` compares
        "impurity": floats("_impure"),
        "n_samples": integers("_ends", low=0),
        "inner": floats("_inner", "_more"),
        "routed": integers("_routed", 4),
        "routes": integers("_routes", low=-1),
    },
    "Trees": {
        "n_columns": size("p"),
        "column": integers("_nodes", low=-1, below="p"),
        **{name: integers("_nodes", low=-1) for name in ("left", "right", "missing", "offset")},
        "width": integers("_nodes", low=0),
        "count": integers("_nodes", low=0),
        "threshold": floats("_nodes", finite=False),
        "value": floats("_nodes"),
        "gain": floats("_nodes"),
        "roots": integers("_trees", low=0),
        "routes": integers("_routes", low=-1),
    },
}
