r"""A classifier by Chow-Liu trees: :math:`P(C_k \mid x) \propto P(C_k) P'_k(x)`, a tree for each class."""

import time
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike

from separatrix.core.declaration import DENSE, SmallFit, declares
from separatrix.core.errors import cannot
from separatrix.core.family import Family, declare, needs
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.generative.base import Generative
from separatrix.estimators.graphical.categories import learn_categories, values_of
from separatrix.estimators.graphical.chow_liu import UNSEEN, ChowLiuTree
from separatrix.estimators.graphical.described import trees_described
from separatrix.estimators.graphical.messages import drawn
from separatrix.estimators.published import worst
from separatrix.estimators.validation import check_choice, check_number, validate_cell_classes, validate_cells
from separatrix.prediction import forms
from separatrix.prediction.chow_liu import log_likelihoods, name_of
from separatrix.prediction.posteriors import logarithm


@declares(
    task="classification",
    sums=("designs.pair_counts",),
    solvers=("solvers.spanning_tree",),
    prediction=forms.CHOW_LIU_CLASSES,
    verification=verification.OF_CHOW_LIU_CLASSIFIER,
    description=trees_described,
    certifies=verification.SPANNING_TREE,
    small_fits=(SmallFit(counts=True, storages=DENSE),),
)
class ChowLiuClassifier(Generative):
    r"""Columns of categories that within a class depend on each other along a tree, its own in each class.

    .. math:: P(x \mid C_k) = P_k(x_r) \prod_{j \neq r} P_k(x_j \mid x_{\mathrm{parent}_k(j)})

    The next step after naive Bayes, whose columns are independent within a class: p - 1 of their dependences are in the
    model, those with the most information. Columns are as those of :class:`ChowLiuTree`.

    Parameters
    ----------
    smoothing : float, [0, inf), default 1.0.  Pretended rows of each class, spread evenly over all cells.
    priors : (k,) array or None, default None.  P(C_k); None for the share of each class.
    categories : list of p lists, or None, default None.  The categories of each column; None for those that are met.
    unseen : {"error", "ignore"}, default "error".  What a category that is none of these means in a prediction: a
        mistake, or a missing cell. Missing cells are summed over.

    Attributes
    ----------
    classes_ : (k,) array.  class_count_ : (k,) array.  class_prior_ : (k,) array.  P(C_k).
    trees_ : list of k ChowLiuTree.  The distribution of each class; all have the same categories.
    n_parameters_ : int.  Those of the trees, and k - 1.
    certificate_ : Certificate.  The worst of the trees.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Friedman, Geiger and Goldszmidt (1997), Machine Learning 29, 4.   Theory: docs/theory/chow_liu.md.

    >>> import numpy as np
    >>> X, y = np.array([[0, 0], [1, 1], [0, 1], [1, 0]] * 3), np.array(["equal", "equal", "unequal", "unequal"] * 3)
    >>> ChowLiuClassifier().fit(X, y).predict([[1, 1], [0, 1]])
    array(['equal', 'unequal'], dtype='<U7')
    """

    def __init__(
        self,
        *,
        smoothing: float = 1.0,
        priors: ArrayLike | None = None,
        categories: Sequence[Sequence[Any]] | None = None,
        unseen: str = "error",
    ) -> None:
        self.smoothing = smoothing
        self.priors = priors
        self.categories = categories
        self.unseen = unseen

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p), an array or a frame, and labels y (n,); a weight of a row means so many rows like it."""
        check_number(self, "smoothing", 0.0)
        check_choice(self, "unseen", UNSEEN)
        started = time.perf_counter()
        X, codes, s = validate_cell_classes(self, X, y, sample_weight, reset=True)
        coded = learn_categories(X, s, self.categories, self._name)
        self.class_count_ = np.bincount(codes, s, minlength=len(self.classes_)).astype(np.float64)
        self.class_prior_ = self._shares(self.class_count_)
        mine = codes if coded.kept is None else codes[coded.kept]
        self.trees_ = [self._tree(coded.only(self._of_class(mine, c)), started) for c in range(len(self.classes_))]
        self.n_parameters_ = sum(tree.n_parameters_ for tree in self.trees_) + len(self.classes_) - 1
        self.certificate_ = worst([tree.certificate_ for tree in self.trees_])
        return self

    def _of_class(self, codes, c):
        """The numbers of the rows of a class."""
        rows = np.flatnonzero(codes == c)
        if not len(rows):
            raise cannot(
                f"learn a tree of the class {self.classes_.tolist()[c]!r}",
                because="each of its rows has a missing cell",
                instead="complete rows of each class, or a category of its own for what is missing",
            )
        return rows

    def _tree(self, coded, started):
        """The tree of the rows of one class."""
        tree = ChowLiuTree(smoothing=self.smoothing, unseen=self.unseen)
        tree.n_features_in_ = self.n_features_in_
        if "feature_names_in_" in vars(self):
            tree.feature_names_in_ = self.feature_names_in_
        return tree._learn(coded, started)

    def sample(self, n_samples: int = 1, random_state: int | RandomState | None = None) -> tuple[Array, Array]:
        """Draw rows from the model: a class from its share, then x from its tree.

        Returns X (n_samples, p) and their labels y (n_samples,).
        """
        codes, y = super().sample(n_samples, random_state)
        return values_of(codes.astype(np.int64), self.trees_[0].categories_), y

    def _log_joint(self, X):
        return log_likelihoods(vars(self), [vars(tree) for tree in self.trees_], X) + self._log_shares()

    def _draw(self, code, size, random):
        tree = self.trees_[code]
        return drawn(tree.parents_, tree.conditional_tables_, size, random)

    def _enter(self, X):
        return validate_cells(self, X, reset=False)

    def _log_shares(self):
        return logarithm(self.class_prior_)

    def _name(self, j):
        return name_of(vars(self), j)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        tags.classifier_tags.poor_score = True  # on the clouds of numbers that scikit-learn's checks use
        return tags


def _only_categories(facts):
    """Numbers are no categories: nearly every one of them would be met once."""
    numbers = [kind for kind in facts.kinds if kind not in ("category", "flag")]
    if numbers:
        return f"it is for columns of categories alone, and {len(numbers)} are of the kind {numbers[0]}"
    return needs(kind=("category", "flag"), dense=True, rows_per_class=2)(facts)


declare(
    Family(
        name="Chow-Liu trees",
        task="classification",
        model=ChowLiuClassifier,
        make=lambda facts: ChowLiuClassifier(unseen="ignore"),
        complexity=30,
        description="Categories depend on each other along a tree within each class.",
        preparation="codes",
        why_excluded=_only_categories,
    )
)
