r"""Known terms of the scores of generalised linear models, as targets and weights of a problem without them.

With a log link and a variance proportional to :math:`\mu^p`, the deviance is homogeneous:
:math:`d(y, e\mu) = e^{2-p}\,d(y / e, \mu)`. A row observed with exposure e is therefore the row :math:`y / e` of weight
:math:`s\,e^{2-p}`, exactly. With the identity link it is :math:`y - \mathrm{offset}`.
"""

from typing import Any

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.target import Target
from separatrix.estimators.validation import validate_known_terms

LARGEST = 1e30  # the same as of weights: sums stay within the range of numbers


def known_factors(model: Any, design: Any, exposure: Any, offset: Any) -> Any:
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
    elif model.link_ not in ("log", "identity") or (model.link_ == "identity" and offset is None):
        because = f"with the link {model.link_!r} it cannot be written as another y and other weights"
        instead = "a log link (Poisson, gamma, Tweedie), or no known term"
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


def per_unit(target: Any, terms: Any, power: float | None) -> Any:
    """The target of the problem without the known terms: see the head of this file."""
    if terms is None or power is None:  # of shares there are no such terms
        return target
    if power == 0.0:
        return Target(target.y - terms, target.s)
    factors = np.exp(terms)
    return Target(target.y / factors, target.weights * np.exp((2.0 - power) * terms))
