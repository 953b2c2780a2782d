r"""Known terms of the scores of generalised linear models, as a problem without them.

With a log link and a variance proportional to :math:`\mu^p`, the deviance is homogeneous:
:math:`d(y, e\mu) = e^{2-p}\,d(y / e, \mu)`. A row observed with exposure e is therefore the row :math:`y / e` of weight
:math:`s\,e^{2-p}`, exactly. With squared errors and the identity link it is :math:`y - \mathrm{offset}`. Of other links
the known terms are part of the loss (:class:`~separatrix.losses.KnownTerm`).
"""

from dataclasses import replace
from typing import Any

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.problem import Problem
from separatrix.core.target import Target
from separatrix.core.types import Loss
from separatrix.core.verbs import link as link_of
from separatrix.core.verbs import neutral_score
from separatrix.designs import as_design
from separatrix.estimators.validation import validate_known_terms
from separatrix.losses import KnownTerm
from separatrix.penalties import NoPenalty
from separatrix.solvers.newton_raphson import newton

LARGEST = 1e30  # the same as of weights: sums stay within the range of numbers


def known_terms(model: Any, design: Any, exposure: Any, offset: Any) -> Any:
    """The known term of the score of each row, from an exposure or an offset; None where neither is given.

    `design` is the design of a fit, or the number of rows to predict.
    """
    if exposure is None and offset is None:
        return None
    streamed, n = (False, design) if isinstance(design, int) else (design.is_streamed, design.n)
    word, given = ("exposure", exposure) if offset is None else ("offset", offset)
    because = instead = ""
    if exposure is not None and offset is not None:
        because, instead = "one is the logarithm of the other", "exposure, or offset"
    elif streamed:
        because, instead = "rows of a stream bring no third column", "y / exposure, with sample_weight=exposure"
    elif exposure is not None and model.link_ != "log":
        because = f"with the link {model.link_!r} the mean is not proportional to it"
        instead = "offset, a known term of the scores, or a log link"
    if because:
        raise cannot(f"use {word} with {type(model).__name__}", because=because, instead=instead)
    values = validate_known_terms(word, given, n)
    if word == "exposure":
        wrong = (values < 1.0 / LARGEST) | (values > LARGEST)
        legal = "positive numbers from 1e-30 to 1e30"
        terms = np.log(np.where(wrong, 1.0, values))
    else:
        bound = np.log(LARGEST) if model.link_ == "log" else 1e150
        wrong, terms, legal = np.abs(values) > bound, values, f"numbers of size at most {bound:.3g}"
    if wrong.any():
        raise cannot(
            f"use {word} with the value {values[wrong][0]:g} (row {int(np.flatnonzero(wrong)[0])})",
            because="nothing was observed there" if (values[wrong][0] == 0.0) else "it is out of range",
            instead=f"{legal}, and without the row where it is 0" if word == "exposure" else legal,
        )
    return terms


def with_known_terms(problem: Problem, terms: Any, power: float | None, link: str) -> Problem:
    """The problem of the same coefficients with the known terms in its target or loss: see the head of this file.

    `power` is that of the variance, None for shares.
    """
    if terms is None:
        return problem
    target = problem.target
    if power == 0.0 and link == "identity":
        return replace(problem, target=Target(target.y - terms, target.s))
    if power and link == "log":
        factors = np.exp(terms)
        return replace(problem, target=Target(target.y / factors, target.weights * np.exp((2.0 - power) * terms)))
    # the constant of the mean of y, moved until every score is in the range of the link
    mean = float(target.mean())
    constant = float(link_of(problem.loss, mean)) - float(terms.max() if link == "log" else terms.min())
    rows = replace(problem, target=Target(np.arange(target.n, dtype=np.float64), target.s))
    loss = KnownTerm(problem.loss, target.y, terms, constant, constant)
    null = replace(rows, design=as_design(np.zeros((target.n, 1))), loss=loss, penalty=NoPenalty(), intercept=True)
    constant = float(newton(null, tol=1e-12, max_iter=200, start=(np.zeros(1), constant)).intercept)
    without = 0.0 if is_finite_at_zero(problem.loss) else constant
    return replace(rows, loss=KnownTerm(problem.loss, target.y, terms, constant, without))


def is_finite_at_zero(loss: Loss) -> bool:
    """Whether a score of 0 is in the range of the link."""
    return bool(neutral_score(loss, 0.5) == 0.0)
