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
        shown = ", ".join(map(str, self.aliased[:8])) + (", …" if len(self.aliased) > 8 else "")
        super().__init__(
            f"The design has rank {rank} of {p} columns (intercept aside): {shown} "
            f"{'is' if len(self.aliased) == 1 else 'are'} determined by the other columns. "
            "The minimum-norm solution is returned; predictions are unique, single coefficients are not. "
            "Drop these columns, or use Ridge or Lasso."
        )


class Separated(ConvergenceWarning):
    """A maximum-likelihood estimate that does not exist: a direction separates the classes.

    ``proof`` is the :class:`~separatrix.solvers.separation.Separation` with its direction and multipliers.
    """

    def __init__(self, proof):
        self.proof, self.verdict, self.direction = proof, proof.verdict, proof.direction
        super().__init__(proof.advice())


class Impossible(UserWarning):
    """Rows that a generative model gives the probability zero in every class."""

    def __init__(self, rows, n):
        self.rows, self.n = rows, n
        super().__init__(
            f"{rows} of {n} rows {'is' if rows == 1 else 'are'} impossible in every class: something in "
            f"{'it' if rows == 1 else 'them'} was never met in training. {'Its' if rows == 1 else 'Their'} posteriors "
            "are the shares of the classes. Smooth the estimates (alpha > 0, var_smoothing > 0)."
        )


class NotWhole(UserWarning):
    """A column of categories that holds fractions."""

    def __init__(self, column, instead):
        self.column = column
        super().__init__(f"Column {column} holds numbers that are not whole: fractions are cut off. Use {instead}.")
