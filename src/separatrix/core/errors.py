"""What cannot be done, because of what, and what to do instead."""

from sklearn.exceptions import ConvergenceWarning


def cannot(what, *, because, instead, kind=ValueError):
    """Build the exception for something that cannot be done.

    >>> raise cannot("fit Lasso with alpha=-1", because="a penalty must not be negative", instead="alpha >= 0")
    Traceback (most recent call last):
    ValueError: Cannot fit Lasso with alpha=-1: a penalty must not be negative. Use alpha >= 0.
    """
    return kind(f"Cannot {what}: {because}. Use {instead}.")


class NotCertified(ConvergenceWarning):
    """A fit stopped before its certificate reached the tolerance."""

    def __init__(self, kind, value, tolerance, passes, instead):
        self.kind, self.value, self.tolerance, self.passes = kind, value, tolerance, passes
        super().__init__(
            f"Not certified: the relative {kind} is {value:.2e}, above tol={tolerance:.0e}, after {passes} passes. "
            f"{instead}"
        )


class Diverged(ConvergenceWarning):
    """A descent whose objective grew without bound."""

    def __init__(self, learning_rate, iterations, limit=None):
        self.learning_rate, self.iterations, self.limit = learning_rate, iterations, limit
        hint = f"any value below {limit:.3g}" if limit else "a smaller one, or standardise the columns"
        super().__init__(
            f"Gradient descent diverged after {iterations} iterations with learning_rate={learning_rate:g}: "
            f"the objective grew beyond all bounds. The coefficients of the best iteration are kept. Use {hint}."
        )


class NotSeparated(ConvergenceWarning):
    """A perceptron that still made mistakes when its passes were used up."""

    def __init__(self, mistakes, passes):
        self.mistakes, self.passes = mistakes, passes
        super().__init__(
            f"Not separated: pass {passes} of at most max_iter={passes} still made {mistakes} "
            f"mistake{'' if mistakes == 1 else 's'}. If the classes overlap, no number of passes will do: "
            "the weights go round in circles. Raise max_iter, add features, or use LogisticRegression."
        )


class RankDeficient(UserWarning):
    """Some columns are linear combinations of others: their coefficients are not determined by the data."""

    def __init__(self, rank, p, aliased):
        self.rank, self.p, self.aliased = rank, p, list(aliased)
        shown = _listed(self.aliased)
        super().__init__(
            f"The design has rank {rank} of {p} columns (intercept aside): {shown} "
            f"{'is' if len(self.aliased) == 1 else 'are'} determined by the other columns. "
            "The minimum-norm solution is returned; predictions are unique, single coefficients are not. "
            "Drop these columns, or use Ridge or Lasso."
        )


class DependentColumns(UserWarning):
    """Columns that do not vary within any class, or are combinations of others: densities have fewer dimensions."""

    def __init__(self, constant, aliased, dimension):
        self.constant, self.aliased, self.dimension = list(constant), list(aliased), int(dimension)
        parts = [(self.constant, "constant within every class"), (self.aliased, "determined by the other columns")]
        said = "; ".join(
            f"{_listed(names)} {'is' if len(names) == 1 else 'are'} {why}" for names, why in parts if names
        )
        super().__init__(
            f"Within classes the columns vary in {dimension} of {dimension + len(constant) + len(aliased)} dimensions: "
            f"{said}. What lies outside of them is not looked at. Drop these columns."
        )


class SingularClasses(UserWarning):
    """Classes whose own rows do not determine their covariance in every direction."""

    def __init__(self, classes, ranks, dimension):
        self.classes, self.ranks, self.dimension = list(classes), [int(r) for r in ranks], int(dimension)
        pairs = [f"{label!r} (rank {rank})" for label, rank in zip(self.classes, self.ranks, strict=True)]
        super().__init__(
            f"The covariance of {'class' if len(pairs) == 1 else 'classes'} {_listed(pairs)} is singular in "
            f"{dimension} dimensions: where the rows of a class say nothing, the pooled covariance is used. "
            "RegularizedDiscriminantAnalysis, reg_param or shrinkage blend the two everywhere."
        )


class Separated(ConvergenceWarning):
    """A maximum-likelihood estimate that does not exist: a direction separates the classes.

    ``proof`` is the :class:`~separatrix.solvers.separation.Separation` with its direction and multipliers.
    """

    def __init__(self, proof):
        self.proof, self.verdict, self.direction = proof, proof.verdict, proof.direction
        super().__init__(proof.advice())


def _listed(names, most=8):
    """Some names, and a sign that there are more."""
    return ", ".join(map(str, names[:most])) + (", …" if len(names) > most else "")
