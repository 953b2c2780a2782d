"""What cannot be done, because of what, and what to do instead."""

from collections.abc import Iterable, Sequence
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from separatrix.core.printable import printable
from separatrix.core.refusal import WrongType as WrongType  # re-exported; refusal.py avoids importing scikit-learn
from separatrix.core.refusal import cannot as cannot
from separatrix.core.solution import named


class Inseparable(ValueError):
    """A hard margin between classes that no hyperplane separates; ``proof`` says why."""

    proof: Any = None


class EmptyWindow(UserWarning):
    """An average in a range that holds no training row."""

    def __init__(self, empty: int, rows: int, radius: float) -> None:
        self.empty, self.rows, self.radius = empty, rows, radius
        super().__init__(
            f"{empty} of {rows} windows are empty: no training row lies within radius={radius:g}. Their prediction "
            "is NaN. Use a larger radius, KNeighborsRegressor, or empty='nan' where this is expected."
        )


class NotCertified(ConvergenceWarning):
    """A fit stopped before its certificate reached the tolerance."""

    def __init__(self, kind: str, value: float, tolerance: float, passes: int, instead: str) -> None:
        self.kind, self.value, self.tolerance, self.passes = kind, value, tolerance, passes
        super().__init__(
            f"Not certified: the {named(kind)} is {value:.2e}, above tol={tolerance:.0e}, after {passes} passes "
            f"of the solver. {instead}"
        )


class EndOfGrid(UserWarning):
    """Cross-validation chose the first or the last strength of its grid, where the error was still falling."""

    def __init__(self, parameter: str, value: float, grid: str, weak: bool) -> None:
        self.parameter, self.value, self.weak = parameter, value, weak
        super().__init__(
            f"The best {parameter} is at the end of the grid ({parameter}={value:.4g}, the "
            f"{'weakest' if weak else 'strongest'} penalty tried), where the error was still falling: "
            f"a {'weaker' if weak else 'stronger'} one may be better. Extend {grid}."
        )


class Diverged(ConvergenceWarning):
    """A descent whose objective grew without bound."""

    def __init__(self, learning_rate: float, iterations: int, limit: float | None = None) -> None:
        self.learning_rate, self.iterations, self.limit = learning_rate, iterations, limit
        hint = f"any value below {limit:.3g}" if limit else "a smaller one, or standardise the columns"
        super().__init__(
            f"Gradient descent diverged after {iterations} iterations with learning_rate={learning_rate:g}: "
            f"the objective grew beyond all bounds. The coefficients of the best iteration are kept. Use {hint}."
        )


class StepsReduced(Diverged):
    """A stochastic descent that diverged and went on with smaller steps."""

    def __init__(self, divisor: float, *, settled: bool, instead: str) -> None:
        self.divisor = divisor
        went_on = "It went on from its best point with steps" if settled else "Its best point is kept. Nor did steps"
        ConvergenceWarning.__init__(
            self,
            "Stochastic gradient descent diverged: its objective overflowed, or ended far above that of the prediction "
            f"0. {went_on} 1/{divisor:g} as large{'' if settled else ' converge'}. Use {instead}.",
        )


class StillFalling(ConvergenceWarning):
    """Training by batches that ended while its loss was still falling."""

    def __init__(self, epochs: int, loss: float, tol: float) -> None:
        self.epochs, self.loss, self.tol = epochs, loss, tol
        super().__init__(
            f"Training stopped after max_iter={epochs} epochs at a loss of {loss:.4g}, which was still falling by more "
            f"than tol={tol:g}. Raise max_iter or learning_rate_init, or standardise the columns."
        )


class NotSeparated(ConvergenceWarning):
    """A perceptron that still made mistakes when its passes were used up."""

    def __init__(self, mistakes: int, passes: int) -> None:
        self.mistakes, self.passes = mistakes, passes
        super().__init__(
            f"Not separated: pass {passes} of at most max_iter={passes} still made {mistakes} "
            f"mistake{'' if mistakes == 1 else 's'}. If the classes overlap, no number of passes will do: "
            "the weights go round in circles. Raise max_iter, add features, or use LogisticRegression."
        )


class RankDeficient(UserWarning):
    """Some columns are linear combinations of others: their coefficients are not determined by the data."""

    def __init__(self, rank: int, p: int, aliased: Iterable[Any]) -> None:
        self.rank, self.p, self.aliased = rank, p, list(aliased)
        super().__init__(
            f"The design has rank {rank} of {p} columns (intercept aside): {_shown(self.aliased)} "
            f"{'is' if len(self.aliased) == 1 else 'are'} determined by the other columns. "
            "The minimum-norm solution is returned; predictions are unique, single coefficients are not. "
            "Drop these columns, or use Ridge or Lasso."
        )


class SingularWithin(RankDeficient):
    """Some columns, or combinations of them, do not vary within any class: there the classes have no density.

    ``telling`` are those of them whose values differ between classes.
    """

    def __init__(
        self, rank: int, p: int, aliased: Sequence[Any], constant: Sequence[Any], telling: Sequence[Any] = ()
    ) -> None:
        UserWarning.__init__(
            self,
            f"The scatter within classes has rank {rank} of {p} columns"
            + _clause(aliased, "determined by the other columns")
            + _clause(constant, "constant within every class")
            + ". What does not vary within classes is left out. "
            + _apart(telling)
            + "Drop these columns, or use shrinkage.",
        )
        self.rank, self.p = rank, p
        self.aliased, self.constant, self.telling = list(aliased), list(constant), list(telling)


def _shown(names: Sequence[Any]) -> str:
    return ", ".join(map(printable, names[:8])) + (", …" if len(names) > 8 else "")


def _clause(names: Sequence[Any], what: str) -> str:
    return f"; {_shown(names)} {'is' if len(names) == 1 else 'are'} {what}" if len(names) else ""


def _apart(names: Sequence[Any]) -> str:
    if not len(names):
        return ""
    one = len(names) == 1
    return (
        f"But {_shown(names)} {'differs' if one else 'differ'} between classes, alone or given the other columns, and "
        f"would tell classes apart on these rows without an error: {'it has' if one else 'they have'} no density. "
    )


class FewerRows(UserWarning):
    """More components were asked for than there are rows to draw."""

    def __init__(self, asked: int, rows: int) -> None:
        self.asked, self.rows = asked, rows
        super().__init__(f"n_components={asked} > n_samples={rows}: all rows are taken, and the kernel is exact.")


class SingularKernel(UserWarning):
    """The equations of a kernel have no unique solution: rows are combinations of others, and nothing is penalised."""

    def __init__(self, rank: int, n: int) -> None:
        self.rank, self.n = rank, n
        super().__init__(
            f"The kernel matrix of {n} rows has rank {rank}. The shortest coefficients of least squares are "
            "taken; they repeat the data and may fit noise. Use alpha > 0."
        )


class SingularClasses(UserWarning):
    """Classes whose own rows do not determine their covariance in every direction."""

    def __init__(self, classes: Iterable[Any], ranks: Iterable[int], dimension: int) -> None:
        self.classes, self.ranks, self.dimension = list(classes), [int(r) for r in ranks], int(dimension)
        pairs = [f"{label!r} (rank {rank})" for label, rank in zip(self.classes, self.ranks, strict=True)]
        super().__init__(
            f"The covariance of {'class' if len(pairs) == 1 else 'classes'} {_shown(pairs)} is singular in "
            f"{dimension} dimensions: where the rows of a class say nothing, the pooled covariance is used. "
            "RegularizedDiscriminantAnalysis, reg_param or shrinkage blend the two everywhere."
        )


class Separated(ConvergenceWarning):
    """A maximum-likelihood estimate that does not exist: a direction separates the classes.

    ``proof`` is the :class:`~separatrix.solvers.separation.existence.Separation` with its direction and multipliers.
    """

    def __init__(self, proof: Any) -> None:
        self._keep(proof)
        super().__init__(proof.advice())

    def _keep(self, proof: Any) -> None:
        """A TypeError tells those who rebuild a warning from its message alone that this one needs more."""
        if isinstance(proof, str):
            raise TypeError(f"{type(self).__name__} is made from a proof, not from a message")
        self.proof, self.verdict, self.direction = proof, proof.verdict, proof.direction


class NoMaximum(Separated):
    """A likelihood of means that has no maximum: along a direction the means of rows with y = 0 fall without end.

    Of shares, those of rows with y = 1 may rise to 1 as well. ``proof`` is as in :class:`Separated`.
    """

    def __init__(self, proof: Any) -> None:
        self._keep(proof)
        ConvergenceWarning.__init__(
            self,
            f"The likelihood has no maximum ({proof.verdict} separation): along one direction rows with y at the end "
            "of its range (0, of shares also 1) are fitted ever better, and no other row is fitted worse. Without a "
            f"finite estimate: {_shown([str(name) for name in proof.infinite])}. The coefficients returned are those "
            "under a faint penalty. Use alpha > 0, or drop or merge the columns that separate.",
        )


class NoLocalMaximum(ConvergenceWarning):
    """Windows in which the likelihood has no maximum: they hold one class only, or a plane separates the classes."""

    def __init__(self, count: int, total: int) -> None:
        self.count, self.total = count, total
        super().__init__(
            f"The likelihood has no maximum in the windows of {count} of {total} queries: some class is missing there, "
            "or a plane separates the classes. Their probabilities are those of the limit, held by a faint penalty of "
            "1e-10. Widen the windows."
        )


class LocallyUndetermined(UserWarning):
    """Windows whose rows do not determine all local coefficients."""

    def __init__(self, count: int, total: int) -> None:
        self.count, self.total = count, total
        super().__init__(
            f"The rows in the windows of {count} of {total} queries do not determine all local coefficients: they are "
            "too few, or constant or dependent in some columns. The shortest of all answers is given there. "
            "Widen the windows, use a lower degree, or alpha > 0."
        )


class Impossible(UserWarning):
    """Rows that a generative model gives the probability zero in every class."""

    def __init__(self, rows: int, n: int) -> None:
        self.rows, self.n = rows, n
        super().__init__(
            f"{rows} of {n} rows {'is' if rows == 1 else 'are'} impossible in every class: something in "
            f"{'it' if rows == 1 else 'them'} was never met in training. {'Its' if rows == 1 else 'Their'} posteriors "
            "are the shares of the classes. Smooth the estimates (alpha > 0, var_smoothing > 0)."
        )


class NotWhole(UserWarning):
    """A column of categories that holds fractions."""

    def __init__(self, column: Any, instead: str) -> None:
        self.column = column
        super().__init__(
            f"Column {printable(column)} holds numbers that are not whole: fractions are cut off. Use {instead}."
        )


class IncompleteRows(UserWarning):
    """Rows with missing cells, which a fit left out."""

    def __init__(self, rows: int, n: int) -> None:
        self.rows, self.n = rows, n
        super().__init__(
            f"{rows} of {n} rows have missing cells and are left out of the fit. That is right where cells are missing "
            "at random; elsewhere give what is missing a category of its own."
        )
