r"""How much each row counts at a query: :math:`D(u),\ u = \|x - x_0\| / \lambda`, for the kernels of local models."""

import numpy as np

NEGLIGIBLE = 1e-17  # Gaussian weights below this part of the largest are below the rounding of their sums


def weights_at(window, X, s, queries):
    """Kernel values (m, n) for rows X (p, n), and what each row of values was divided by (m,).

    Gaussian values are relative to that of the nearest row. `window` has the name of the kernel and its width, or the
    weight of rows that it reaches; `s` has a length only where the weights of the rows differ.

    >>> weights_at({"kernel": "uniform", "width": 1.0, "reach": None}, np.array([[0.0, 2.0]]), [], np.array([[0.5]]))[0]
    array([[1., 0.]])
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        squares = np.zeros((len(queries), X.shape[1]))
        for j, column in enumerate(X):
            squares += (column - queries[:, j, None]) ** 2
        widths = np.full(len(queries), window["width"])
        if window["reach"] is not None:
            widths = _reaching(squares, np.asarray(s), window["reach"])
        u = squares / (widths * widths)[:, None]
        u[widths == 0.0] = np.where(squares[widths == 0.0] > 0.0, np.inf, 0.0)
        if window["kernel"] != "gaussian":
            return _compact(window["kernel"], u), np.ones(len(queries))
        nearest = u.min(axis=1)
        values = np.exp(-0.5 * (u - nearest[:, None]))
        values[~(values > NEGLIGIBLE)] = 0.0
        return values, np.exp(-0.5 * nearest)


def _reaching(squares, s, reach):
    """The distance within which rows of the total weight `reach` lie."""
    if not len(s):
        kth = max(int(np.ceil(reach)) - 1, 0)
        return np.sqrt(np.partition(squares, kth, axis=1)[:, kth])
    order = np.argsort(squares, axis=1, kind="stable")
    gathered = np.cumsum(s[order], axis=1)
    place = (gathered < reach * (1.0 - 1e-12)).sum(axis=1).clip(max=squares.shape[1] - 1)
    rows = np.arange(len(squares))
    return np.sqrt(squares[rows, order[rows, place]])


def _compact(kernel, u):
    """Kernels that end at u² = 1."""
    if kernel == "uniform":
        return (u <= 1.0 + 1e-15).astype(np.float64)
    if kernel == "epanechnikov":
        return np.maximum(1.0 - u, 0.0)
    return np.maximum(1.0 - u * np.sqrt(u), 0.0) ** 3
