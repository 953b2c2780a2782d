r"""Whether a maximum-likelihood estimate exists: classes that are separated, or overlap, with proof.

The likelihood of logistic and multinomial regression has a maximum if and only if no direction W but those that change
no score has ``z_i'(w_c - w_d) >= 0`` for every row i of class c and every other class d. Otherwise coefficients run
away to infinity along such a direction.

References: Albert and Anderson (1984), Biometrika 71(1), theorems 1 to 3; Konis (2007), thesis, Oxford; Correia,
Guimarães and Zylkin (2019), arXiv:1903.01633; Stiemke (1915), Math. Ann. 76.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from separatrix.core.printable import printable
from separatrix.core.problem import Problem
from separatrix.core.protocol import is_sparse
from separatrix.core.registry import register
from separatrix.core.types import Array, Matrix
from separatrix.designs import as_design
from separatrix.solvers.separation.exact_signs import EPS
from separatrix.solvers.separation.recession import NEGLIGIBLE, Face, Orthonormal, independent, powers_of_two
from separatrix.solvers.separation.signed_rows import SignedRows, prove

REMEDIES = (
    "use a penalty (LogisticRegression(C=1.0)), FirthLogisticRegression, or drop or merge the columns that separate"
)


@register("record")
@dataclass(frozen=True)
class Separation:
    r"""A verdict on the existence of a maximum-likelihood estimate, and its proof.

    Attributes
    ----------
    verdict : {"complete", "quasi-complete", "overlap", "undecided"}.  "undecided" where some rows are so near to a
        boundary that no proof was found; the direction is then only evidence.
    direction : (q,) array, (q, k) array for k > 2 classes, or None.  The intercept first where there is one, in the
        units of X. Its scores are on the right side of zero for every row (with k classes: highest in the row's own
        class), strictly for the rows that are not on the boundary. The first of k classes is the reference, with zeros.
    exact : tuple of int or None.  Where the rows on the boundary need it: integers in the same direction, for which
        they score zero exactly (class after class, reference left out).
    margin : float.  Distance of the nearest row from the hyperplane of the direction (complete), else 0. The largest
        margin of all directions is at least that.
    multipliers : (n,) array, or (n, k) for k classes or soft labels.  Non-negative a with ``Σ_i a_i y_i z_i = 0`` (y =
        ±1; with k classes ``Σ a_ic (e_own - e_c) z_i' = 0``), zero for rows that the direction separates. The rows
        where they are positive span all rows on the boundary: no direction can lift any of these off it.
    infinite : tuple.  Coefficients without a finite estimate: names, or (name, class) pairs for k > 2 classes, whose
        difference from the first class has none. The others are estimated by the rows on the boundary alone.
    rows_on_boundary : (b,) array of int.  Rows that no separating direction lifts off the boundary.
    aliased : tuple.  Coefficients of columns that are linear combinations of those before them; they are left out.
    names : tuple of str.  Of the q coefficients.
    classes : array or None.
    """

    verdict: str
    direction: np.ndarray | None
    exact: tuple[int, ...] | None
    margin: float
    multipliers: np.ndarray | None
    infinite: tuple[str | tuple[str, Any], ...]
    rows_on_boundary: np.ndarray
    aliased: tuple[str, ...]
    names: tuple[str, ...]
    classes: np.ndarray | None
    fit_intercept: bool = True

    @property
    def exists(self) -> bool | None:
        """Whether the likelihood has a maximum; None if undecided."""
        return None if self.verdict == "undecided" else self.verdict == "overlap"

    def verify(self, X: Matrix, y: Array, sample_weight: Array | None = None) -> bool:
        """Check the proof against the data, by exact signs and bounded sums; True if it holds."""
        design = as_design(X if is_sparse(X) else np.asarray(X, dtype=np.float64))
        y = np.asarray(y)
        weights = np.ones(design.n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if self.classes is not None:
            y = (y[:, None] == np.asarray(self.classes)[None, :]).astype(np.float64)
        rows = SignedRows(design, as_labels(y), weights, self.fit_intercept)
        row_signs = np.zeros(len(rows), dtype=int)
        if self.direction is not None:
            w = self.direction.reshape(rows.q, -1)
            floats = w.T.ravel() if w.shape[1] == 1 else w[:, 1:].T.ravel()
            row_signs = rows.signs(floats.tolist() if self.exact is None else self.exact)
        held = np.flatnonzero(row_signs == 0)
        if (row_signs < 0).any() or self.verdict != _verdict(row_signs > 0):
            return False
        return not len(held) or self._held_down(rows, held)

    def _held_down(self, rows: SignedRows, held: Array) -> bool:
        """Whether the multipliers hold all of these rows at zero."""
        if self.multipliers is None:
            return False
        a = self.multipliers
        a = a[rows.row[held]] if a.ndim == 1 else a[rows.row[held], rows.rival[held]]
        R = rows.factor(held)
        scale = powers_of_two(np.abs(R).max(axis=0))
        kept = independent(R * scale)
        support = rows.matrix(held[a > 0.0], dense=True)[:, kept] * scale[kept]
        return not len(kept) or (len(support) >= len(kept) and Orthonormal(support).holds(a[a > 0.0]))

    def advice(self) -> str:
        """One paragraph: what is wrong, where, and what to do instead."""
        if self.verdict == "overlap":
            return "The classes overlap: the maximum-likelihood estimate exists."
        if self.verdict == "undecided":
            return (
                "Undecided whether the classes are separated: some rows lie on a separating boundary to within "
                f"rounding, and neither side could be proved. If coefficients grow without bound, {REMEDIES}."
            )
        shown = ", ".join(map(_said, self.infinite[:8])) + (", …" if len(self.infinite) > 8 else "")
        rest = "" if self.verdict == "complete" else f", but for {len(self.rows_on_boundary)} rows on the boundary"
        return (
            f"Separation is {self.verdict}: one direction puts every row on the side of its class"
            f"{rest}. The likelihood has no maximum; without a finite estimate: {shown}. Instead, {REMEDIES}."
        )

    def __str__(self) -> str:
        lines = [f"Separation: {self.verdict}", self.advice()]
        if self.direction is not None and self.direction.ndim == 1:
            terms = [f"{v:.4g} {_said(name)}" for name, v in zip(self.names, self.direction) if v != 0.0]
            lines.append(
                "direction: " + " + ".join(terms[:8]).replace("+ -", "- ") + (" + …" if len(terms) > 8 else "")
            )
        if self.verdict == "complete":
            lines.append(f"margin: {self.margin:.4g}, the distance of the nearest row from that hyperplane")
        elif self.multipliers is not None and self.verdict != "undecided":
            some = int(np.count_nonzero(self.multipliers))
            lines.append(f"proof: {some} positive multipliers with Σ a y z = 0 hold {len(self.rows_on_boundary)} rows")
        if self.aliased:
            lines.append("left out, combinations of other columns: " + ", ".join(map(_said, self.aliased[:8])))
        return "\n".join(lines)


def _said(name: str | tuple[str, Any]) -> str:
    return printable(name if isinstance(name, str) else f"{name[0]} ({name[1]})")


def _verdict(above: Array) -> str:
    return "complete" if above.all() else ("quasi-complete" if above.any() else "overlap")


def as_labels(y: Array, n_classes: int = 2) -> Array:
    """The weight that each row gives each class, (n, k), from probabilities of the second class, codes, or itself."""
    y = np.asarray(y, dtype=np.float64)
    if y.ndim == 2:
        return y
    if n_classes > 2:
        return (y[:, None] == np.arange(n_classes)).astype(np.float64)
    return np.column_stack([1.0 - y, y])


def separation_of(
    problem: Problem,
    beta: Array | None = None,
    intercept: Any = None,
    *,
    n_classes: int = 2,
    names: Iterable[str] | None = None,
    classes: Array | None = None,
) -> Separation:
    """Decide whether the unpenalised likelihood of a problem has a maximum, with proof.

    Parameters
    ----------
    problem : Problem.  Its design, target and intercept count. y is (n,) in [0, 1] for two classes (a label strictly
        between counts for both), (n,) of codes 0, 1, ... with `n_classes` > 2, or (n, k) of label weights.
    beta, intercept : (p,) and float, or (p, k) and (k,), or None.  An iterate of a solver. If it separates, that is the
        proof; if not, the rows that it meets worst are where proof of overlap is looked for: on many rows this takes
        little more than one product with X.
    n_classes : int, [2, inf), default 2.
    names : sequence of str or None.  Of the columns.
    classes : array or None.  Labels, for the report and for ``verify``.

    Returns
    -------
    Separation.

    >>> from separatrix.core.problem import Problem
    >>> from separatrix.core.target import Target
    >>> from separatrix.losses import Logistic
    >>> from separatrix.penalties import NoPenalty
    >>> x, t = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0.0, 0.0, 1.0, 1.0])
    >>> proof = separation_of(Problem(as_design(x), Target(t), Logistic(), NoPenalty()))
    >>> proof.verdict, proof.margin, proof.infinite
    ('complete', 1.0, ('intercept', 'x0'))
    """
    rows = SignedRows(problem.design, as_labels(problem.target.y, n_classes), problem.target.weights, problem.intercept)
    columns = (f"x{j}" for j in range(problem.design.p)) if names is None else map(str, names)
    coefficients = ("intercept", *columns) if problem.intercept else tuple(columns)
    W = None if beta is None else _hint(rows, np.asarray(beta, dtype=np.float64), intercept)
    face = prove(rows, W)
    return _report(rows, face, coefficients, classes)


def _hint(rows: SignedRows, beta: Array, intercept: Any) -> Array:
    """An iterate as a (q, k) array with the intercept first."""
    beta = beta.reshape(rows.design.p, -1)
    W = np.vstack([np.broadcast_to(np.asarray(intercept, dtype=np.float64), beta.shape[1]), beta])
    W = W if rows.intercept else W[1:]
    return W if W.shape[1] == rows.n_classes else np.column_stack([np.zeros(len(W)), W])


def _report(rows: SignedRows, face: Face, names: tuple[str, ...], classes: Array | None) -> Separation:
    """A Separation in the words of the data: rows, columns and classes instead of demands."""
    k, exact = rows.n_classes, None
    w = face.w
    if isinstance(w, list):
        exact, size = tuple(w), max(map(abs, w))
        w = np.array([float(Fraction(v, size)) for v in w])
    else:
        w = w * powers_of_two(np.abs(w).max(initial=0.0))[()]  # exact, so that signs stay as they are
    W = np.column_stack([np.zeros(rows.q), w.reshape(k - 1, rows.q).T])
    verdict = _verdict(face.above) if face.proven else "undecided"
    kept, free = _kept_and_free(rows, face)
    labels = list(range(k)) if classes is None else np.asarray(classes).tolist()
    label = [(names[j % rows.q], labels[1 + j // rows.q]) if k > 2 else names[j] for j in range(rows.width)]
    return Separation(
        verdict=verdict,
        direction=None if not w.any() else (W if k > 2 else W[:, 1]),
        exact=exact,
        margin=_margin(rows, W) if verdict == "complete" else 0.0,
        multipliers=_by_row(rows, face.a) if face.a.any() else None,
        infinite=tuple(label[j] for j in free) if verdict in ("complete", "quasi-complete") else (),
        rows_on_boundary=np.flatnonzero(np.bincount(rows.row[~face.above], minlength=rows.design.n)),
        aliased=tuple(label[j] for j in np.setdiff1d(np.arange(rows.width), kept)),
        names=names,
        classes=classes,
        fit_intercept=rows.intercept,
    )


def _kept_and_free(rows: SignedRows, face: Face) -> tuple[Array, Array]:
    """Columns that are no combination of those before them and, of these, the ones that held rows do not determine.

    A coefficient is determined by some rows if every vector of their null space is zero there.
    """
    kept = face.kept
    if kept is None:
        kept = independent(rows.factor(np.arange(len(rows)))) if rows.narrow else np.arange(rows.width)
    if face.above.all() or not face.above.any() or not rows.narrow:
        return kept, kept
    R = rows.factor(np.flatnonzero(~face.above))[:, kept]
    R = R * powers_of_two(np.abs(R).max(axis=0, initial=0.0))
    _, values, V = np.linalg.svd(R)
    rank = np.count_nonzero(values > 64.0 * EPS * np.sqrt(max(R.shape)) * values.max(initial=0.0))
    return kept, kept[np.abs(V[rank:]).max(axis=0, initial=0.0) > NEGLIGIBLE]


def _margin(rows: SignedRows, W: Array) -> float:
    """The smallest distance of a row from the hyperplane between its class and another."""
    normals = W[int(rows.intercept) :]
    lengths = np.linalg.norm(normals[:, :, None] - normals[:, None, :], axis=0)[rows.own, rows.rival]
    with np.errstate(divide="ignore"):
        return float((rows.scores(W) / lengths).min())


def _by_row(rows: SignedRows, a: Array) -> Array:
    """Multipliers of demands as an array with one row (and, where needed, one column for each rival) per row of X."""
    whole = np.zeros((rows.design.n, rows.n_classes))
    whole[rows.row, rows.rival] = a
    plain = rows.n_classes == 2 and np.bincount(rows.row).max() == 1
    return whole.sum(axis=1) if plain else whole
