"""One period of a sine under noise: the curve on which overfitting is explained."""

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.datasets.catalogue import Truth, checked_rows, checked_spread, data_set, regression


@data_set("sine", "sin(2πx) on [0, 1] with normal noise; ten points by default.")
def sine(n=10, seed=0, *, noise=0.3, spacing="even"):
    r"""Points of :math:`t = \sin(2\pi x) + \varepsilon` with :math:`\varepsilon \sim N(0, \sigma^2)`, x in [0, 1].

    Parameters
    ----------
    n : int, [2, inf), default 10.
    seed : int or Generator, default 0.
    noise : float, [0, inf), default 0.3.  Standard deviation σ.
    spacing : {"even", "uniform"}, default "even".  Whether x is a grid from 0 to 1, or drawn.

    >>> data = sine(3, noise=0.0)
    >>> data.X.ravel(), data.y.round(12) + 0.0
    (array([0. , 0.5, 1. ]), array([0., 0., 0.]))
    """
    if spacing not in ("even", "uniform"):
        raise cannot(f"space x by {spacing!r}", because="it is 'even' or 'uniform'", instead="spacing='even' (default)")
    n, noise, rng = checked_rows(n, 2), checked_spread(noise, "noise"), np.random.default_rng(seed)
    x = np.linspace(0.0, 1.0, n) if spacing == "even" else rng.uniform(0.0, 1.0, n)
    t = np.sin(2.0 * np.pi * x) + noise * rng.standard_normal(n)
    truth = Truth(
        f"f(x) = sin(2πx), with normal noise of standard deviation {noise:g}.",
        lambda X: np.sin(2.0 * np.pi * np.asarray(X, dtype=np.float64)[:, 0]),
        noise,
    )
    return regression("sine", x[:, None], t, ["x"], "t", truth)
