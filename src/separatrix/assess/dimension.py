r"""The curse of dimensionality: the edge of a cube that holds a share r of uniform data in p dimensions.

.. math:: e_p(r) = r^{1/p}
"""

import numpy as np

from separatrix.core.errors import cannot


def edge_length(share, dimensions):
    r"""The edge of a cube that holds a share of the unit cube, :math:`r^{1/p}`.

    Parameters
    ----------
    share : float or array, [0, 1].  r, the share of the data that a neighbourhood should hold.
    dimensions : int or array, [1, inf).  p.

    References: Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, section 2.5.

    Examples
    --------
    In ten dimensions the nearest hundredth of the data reaches over 63 % of each axis.

    >>> round(edge_length(0.01, 10), 2), edge_length(0.01, 1)
    (0.63, 0.01)
    """
    r, p = np.asarray(share, dtype=np.float64), np.asarray(dimensions, dtype=np.float64)
    if not ((r >= 0.0) & (r <= 1.0)).all():
        raise cannot(f"use share={share!r}", because="a share lies in [0, 1]", instead="share in [0, 1]")
    if not (p >= 1.0).all():
        raise cannot(f"use dimensions={dimensions!r}", because="a cube has at least one", instead="dimensions >= 1")
    edge = r ** (1.0 / p)
    return edge if edge.ndim else float(edge)
