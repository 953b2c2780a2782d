"""Longley's economic data, 1947 to 1962: the classical test of a least-squares program.

Six nearly collinear columns, and certified coefficients: the National Institute of Standards and Technology computed
them with 500 digits and prints 15. Data and certified values are in the public domain.

References: Longley (1967), J. Am. Statist. Assoc. 62(319); NIST Statistical Reference Datasets, "Longley".
"""

from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from separatrix.datasets.catalogue import data_set, regression

_CERTIFIED = {
    "intercept": (-3482258.63459582, 890420.383607373),
    "deflator": (15.0618722713733, 84.9149257747669),
    "gnp": (-0.358191792925910e-01, 0.334910077722432e-01),
    "unemployed": (-2.02022980381683, 0.488399681651699),
    "armed_forces": (-1.03322686717359, 0.214274163161675),
    "population": (-0.511041056535807e-01, 0.226073200069370),
    "year": (1829.15146461355, 455.478499142212),
}
PRINTED_DIGITS = 15


@dataclass(frozen=True)
class Longley:
    """The data and the certified coefficients.

    Attributes
    ----------
    X : (16, 6) array.  Price deflator, gross national product, unemployed, armed forces, population, year.
    y : (16,) array.  Total employment.
    feature_names : list of str.
    target_name : str.
    certified : dict.  Name (``"intercept"`` first) to the certified estimate and standard error.
    """

    X: np.ndarray
    y: np.ndarray
    feature_names: list
    target_name: str
    certified: dict

    @staticmethod
    def correct_digits(estimates, certified):
        """Decimal digits to which numbers agree with certified ones: ``-log10 |estimate - certified| / |certified|``.

        At most 15, the digits that NIST prints; at least 0.

        >>> Longley.correct_digits([3.14, 2.0], [3.1416, 2.0]).round(1)
        array([ 3.3, 15. ])
        """
        estimates, certified = np.asarray(estimates, dtype=np.float64), np.asarray(certified, dtype=np.float64)
        with np.errstate(divide="ignore"):
            digits = -np.log10(np.abs(estimates - certified) / np.abs(certified))
        return np.clip(digits, 0.0, PRINTED_DIGITS)


def load_longley():
    """Longley's 16 rows with certified least-squares coefficients.

    >>> data = load_longley()
    >>> data.X.shape, data.feature_names[:2]
    ((16, 6), ['deflator', 'gnp'])
    """
    lines = files("separatrix.datasets").joinpath("longley.csv").read_text(encoding="utf-8").splitlines()
    target, *features = lines[0].split(",")
    table = np.array([[float(cell) for cell in line.split(",")] for line in lines[1:]])
    return Longley(table[:, 1:].copy(), table[:, 0].copy(), features, target, dict(_CERTIFIED))


@data_set(
    "longley", "Employment in the United States, 1947 to 1962, with least-squares answers certified to 15 digits."
)
def _longley():
    data = load_longley()
    return regression("longley", data.X, data.y, data.feature_names, data.target_name)
