"""How the certificates of models are recomputed, for their declarations to name.

Each is a function ``(model, X, y, sample_weight) -> Certificate`` that is imported when a model is verified, so that
fitting does not wait for it; or a sentence that says why there is nothing to verify.
"""

from separatrix.core.registry import late

OF_PROBLEMS = late("separatrix.estimators.verify:of_problems")
OF_MISTAKES = late("separatrix.estimators.verify:of_mistakes")
OF_TARGET_PROBLEMS = late("separatrix.estimators.verify:of_target_problems")
OF_LINEAR_MACHINES = late("separatrix.estimators.recompute.margins:linear_machines")
OF_INSIDE = late("separatrix.estimators.verify:of_inside")
OF_MODIFIED_LIKELIHOOD = late("separatrix.estimators.recompute.firth:modified_likelihood")
OF_ONE_VS_REST = late("separatrix.estimators.recompute.parts:one_vs_rest")
OF_ONE_VS_ONE = late("separatrix.estimators.recompute.parts:one_vs_one")
OF_CALIBRATED = late("separatrix.estimators.recompute.parts:calibrated")
OF_CALIBRATION_CURVE = late("separatrix.estimators.recompute.parts:calibration_curve")
OF_STORED_ROWS = late("separatrix.estimators.recompute.stored_rows:rows_and_labels")
OF_SHARES = late("separatrix.estimators.recompute.stored_rows:shares")
OF_KERNEL_RIDGE = late("separatrix.estimators.recompute.kernels:ridge")
OF_KERNEL_MISTAKES = late("separatrix.estimators.recompute.kernels:perceptron")
OF_MEAN = late("separatrix.estimators.recompute.stored_rows:mean")
OF_LINEAR_DISCRIMINANT = late("separatrix.estimators.recompute.discriminants:linear")
OF_QUADRATIC_DISCRIMINANT = late("separatrix.estimators.recompute.discriminants:quadratic")
OF_DIAGONAL_DISCRIMINANT = late("separatrix.estimators.recompute.class_means:diagonal")
OF_FISHER = late("separatrix.estimators.recompute.class_means:fisher")
OF_MEAN_DIFFERENCE = late("separatrix.estimators.recompute.class_means:mean_difference")
OF_BASIC_CLASSIFIER = late("separatrix.estimators.recompute.class_means:basic")
OF_GAUSSIAN_NB = late("separatrix.estimators.recompute.naive_bayes:gaussian")
OF_BERNOULLI_NB = late("separatrix.estimators.recompute.naive_bayes:bernoulli")
OF_MULTINOMIAL_NB = late("separatrix.estimators.recompute.naive_bayes:multinomial")
OF_CATEGORICAL_NB = late("separatrix.estimators.recompute.naive_bayes:categorical")
OF_MIXED_NB = late("separatrix.estimators.recompute.naive_bayes:mixed")
OF_CHOW_LIU_TREE = late("separatrix.estimators.recompute.chow_liu:tree")
OF_CHOW_LIU_CLASSIFIER = late("separatrix.estimators.recompute.chow_liu:classifier")
OF_PRINCIPAL_AXES = late("separatrix.estimators.recompute.axes:principal")
OF_BOOSTED = late("separatrix.estimators.recompute.adaboost:boosted")
OF_BAGGED = late("separatrix.estimators.recompute.committees:bagged")
OF_BOOSTED_NUMBERS = late("separatrix.estimators.recompute.committees:boosted_numbers")
OF_VOTERS = late("separatrix.estimators.recompute.committees:voters")
OF_STACKED = late("separatrix.estimators.recompute.committees:stacked")
OF_EXPERTS = late("separatrix.estimators.recompute.experts:experts")
OF_NETWORK = late("separatrix.estimators.recompute.networks:network")
OF_TREE = late("separatrix.estimators.recompute.trees:tree")
OF_FOREST = late("separatrix.estimators.recompute.forests:forest")
OF_MODEL_TREE = late("separatrix.estimators.recompute.model_trees:model_tree")
OF_RULES = late("separatrix.estimators.recompute.rules:rules")
OF_LOCAL_NUMBERS = late("separatrix.estimators.recompute.local:numbers")
OF_LOCAL_CLASSES = late("separatrix.estimators.recompute.local:classes")
OF_SUPPORT_VECTORS = late("separatrix.estimators.recompute.support_vectors:machines")
OF_ISING = late("separatrix.estimators.recompute.energies:ising")
OF_BOLTZMANN = late("separatrix.estimators.recompute.energies:boltzmann")
OF_TRAINING_LOSS = late("separatrix.estimators.recompute.gradient_boosting:training_loss")

PREPARED = "it solves no problem: it keeps medians, levels or dates of the columns of a table"
EXPANDED = "it solves no problem: its columns are formulas of each row"

# What the certificates of models say that are found by a greedy search.
NO_OPTIMUM = "A greedy search has no optimum to certify: another {} may fit better."
NODES_COUNTED = (
    f"{NO_OPTIMUM.format('tree')} The value is how far the numbers of the nodes are from those counted anew on the "
    "training rows, relative to their size."
)
SOME_TREES_COUNTED = (
    f"{NO_OPTIMUM.format('forest')} The value is how far the numbers of the nodes of three trees are from those "
    "counted anew on the rows that these trees were given, relative to their size."
)
RULES_COUNTED = (
    f"{NO_OPTIMUM.format('list')} The value is how far the supports and shares of the rules are from those counted "
    "anew on the training rows, relative to their size."
)
LEAVES_SOLVED = (
    f"{NO_OPTIMUM.format('tree')} The value is that of the model in a node that is farthest from its best solution on "
    "the rows of the node; of the splits nothing is proved."
)
VOTES_COUNTED = (
    f"{NO_OPTIMUM.format('committee')} The value is how far the errors and weights of the members are from those of a "
    "second count on the training rows."
)
SCORES_ADDED = (
    f"{NO_OPTIMUM.format('sum of trees')} The value is how far the scores that the trees give to some training rows "
    "are from those that the training loss was computed of, relative to the largest."
)
SPANNING_TREE = (
    "The value is how much more mutual information another tree could have at the most, relative to the sum of the "
    "entropies of the columns: no edge outside the tree is above the smallest on the path that it closes."
)
WORST_MEMBER = (
    "The members learnt from rows drawn at random, and nothing is proved of the committee as a whole. The value is "
    "the worst of the certificates of its members, each on its own rows."
)
