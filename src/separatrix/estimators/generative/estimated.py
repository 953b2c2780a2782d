"""Covariances of classes as an estimator of sklearn.covariance sees them."""

import numpy as np
from sklearn.base import clone

from separatrix.core.errors import cannot
from separatrix.core.protocol import can


def estimated_covariances(model, design, target):
    """What ``model.covariance_estimator`` makes of the rows of each class: (k, p, p).

    It is cloned for each class; it has `fit`, and then ``covariance_``.
    """
    design.needs("rows", "fit a covariance_estimator", "shrinkage='auto', or data in memory")
    codes, s = target.at(slice(None))
    if s is not None and not np.all(s == 1.0):
        raise cannot(
            "fit a covariance_estimator to weighted rows",
            because="its fit takes no weights",
            instead="no sample_weight, rows that are repeated, or shrinkage",
        )
    matrices = []
    for c in range(len(model.classes_)):
        one = clone(model.covariance_estimator, safe=False)
        one.fit(design.block(np.flatnonzero(codes == c)))
        if not can(one, "covariance_"):
            raise cannot(
                f"use covariance_estimator={one!r}",
                because=f"{type(one).__name__} does not have a covariance_ attribute after fit",
                instead="an estimator of sklearn.covariance",
            )
        matrices.append(np.atleast_2d(one.covariance_))
    return np.array(matrices)
