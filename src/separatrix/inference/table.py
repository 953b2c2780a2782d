"""The summary of a fit as data: coefficients, statistics and notes, handed out as a dict, a frame, text or HTML."""

from dataclasses import asdict, dataclass
from importlib.util import find_spec
from math import exp, inf

from separatrix.core.errors import cannot

BACKENDS = ("pandas", "polars", "pyarrow")
_FRAME_COLUMNS = {
    "term": "name",
    "estimate": "estimate",
    "std_error": "error",
    "t": "t",
    "z": "z",
    "p_value": "p",
    "ci_low": "low",
    "ci_high": "high",
    "odds_ratio": "odds_ratio",
    "odds_low": "odds_low",
    "odds_high": "odds_high",
    "digits": "digits",
    "recorded": "recorded",
    "aliased": "aliased",
    "infinite": "infinite",
}
# Columns that belong to one family of models only; the others are there even where nothing is defined.
_OF_LIKELIHOOD = ("z", "odds_ratio", "odds_low", "odds_high", "infinite")
_OF_LEAST_SQUARES = ("t", "digits", "recorded")


@dataclass(frozen=True)
class Coefficient:
    """One row of the table. A number that is not defined is None, and a note of the summary says why.

    Attributes
    ----------
    name : str.
    estimate, error : float or None.  The coefficient and its standard error.
    t, z : float or None.  The statistic of the test that the coefficient is 0: t of least squares, z of a likelihood.
    p : float or None.  Its two-sided p-value.
    low, high : float or None.  The confidence interval.
    digits : float or None.  Decimal digits of the estimate that rounding to float64 cannot change.
    recorded : float or None.  By how much rounding of the data as recorded, to the last decimal place of each column,
        may have moved the estimate: two standard deviations; of least squares whose data are given.
    aliased : bool.  Whether the column is a linear combination of others, so that no coefficient belongs to it.
    odds_ratio, odds_low, odds_high : float or None.  The factor by which one unit more multiplies the odds, and its
        confidence interval; of slopes of a logistic fit.
    infinite : bool.  Whether separated classes leave it without a finite estimate: it is then infinite, with the sign
        that it has in the fit under a vanishing ridge penalty, and has neither standard error nor test.
    """

    name: str
    estimate: float | None = None
    error: float | None = None
    t: float | None = None
    p: float | None = None
    low: float | None = None
    high: float | None = None
    digits: float | None = None
    aliased: bool = False
    z: float | None = None
    odds_ratio: float | None = None
    odds_low: float | None = None
    odds_high: float | None = None
    infinite: bool = False
    recorded: float | None = None


@dataclass(frozen=True)
class Table:
    """The coefficients and statistics of one output."""

    output: str
    rows: tuple[Coefficient, ...]
    statistics: dict

    def __getitem__(self, name):
        """The row of a coefficient, by its name."""
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)


@dataclass(frozen=True, repr=False)
class Summary:
    """What a fit says, one table for each output; printing it gives text, a notebook shows it as HTML.

    Attributes
    ----------
    model : str.  Name of the estimator.
    tables : tuple of Table.
    covariance, weights : str or None.  What the standard errors assume; None where there are none.
    level : float.  Of the confidence intervals.
    notes : tuple of str.  What must be known to read the numbers.
    intervals : str or None.  How the intervals of a likelihood were made: "wald" or "profile".
    """

    model: str
    tables: tuple[Table, ...]
    covariance: str | None
    weights: str | None
    level: float
    notes: tuple[str, ...] = ()
    intervals: str | None = None

    @property
    def rows(self):
        """The coefficients of the only output."""
        return self._only().rows

    @property
    def statistics(self):
        """The statistics of the only output."""
        return self._only().statistics

    def __getitem__(self, name):
        """The row of a coefficient of the only output, by its name."""
        return self._only()[name]

    def _only(self):
        if len(self.tables) > 1:
            raise cannot(
                "choose the rows of one output",
                because=f"the model has {len(self.tables)} outputs",
                instead="summary.tables[0], or summary(output=0)",
            )
        return self.tables[0]

    def to_dict(self):
        """Everything as nested dicts and lists of plain Python numbers."""
        return asdict(self, dict_factory=_plain)

    def to_frame(self, backend=None):
        """The coefficients as a data frame, one row each; undefined numbers are missing values.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None.  None takes the first of these that is installed.
        """
        import narwhals as nw

        kinds = {"term": nw.String, "aliased": nw.Boolean, "infinite": nw.Boolean}
        left_out = _OF_LIKELIHOOD if self.intervals is None else _OF_LEAST_SQUARES
        if self.intervals is not None and any(row.t is not None for table in self.tables for row in table.rows):
            left_out = ("z", "digits", "recorded")  # a likelihood whose dispersion is estimated: tests are by t
        columns = {column: field for column, field in _FRAME_COLUMNS.items() if column not in left_out}
        schema = {column: kinds.get(column, nw.Float64) for column in columns}
        rows = [row for table in self.tables for row in table.rows]
        data = {column: [getattr(row, field) for row in rows] for column, field in columns.items()}
        if len(self.tables) > 1:
            data = {"output": [table.output for table in self.tables for _ in table.rows], **data}
            schema = {"output": nw.String, **schema}
        return nw.from_dict(data, schema=schema, backend=frame_backend(backend)).to_native()

    def __str__(self):
        from separatrix.inference.render import text

        return text(self)

    __repr__ = __str__

    def __rich_console__(self, console, options):
        from separatrix.inference.render import renderables

        yield from renderables(self, options.max_width)

    def _repr_html_(self):
        from separatrix.inference.render import html

        return html(self)


def odds_factor(value):
    """The factor of the odds that a change of the log-odds is: exp, infinite where it overflows; None of None."""
    return None if value is None else (exp(value) if value < 709.0 else inf)


def _plain(pairs):
    return {name: list(value) if isinstance(value, tuple) else value for name, value in pairs}


def frame_backend(backend):
    """The library that makes a frame: the one asked for, or the first that is installed."""
    installed = [name for name in BACKENDS if find_spec(name) is not None]
    if backend is None and installed:
        return installed[0]
    if backend in installed:
        return backend
    raise cannot(
        f"make a frame with backend={backend!r}",
        because=f"it is not installed, or not one of {', '.join(BACKENDS)}",
        instead=f"backend={installed[0]!r}" if installed else "to_dict(), or install pandas, polars or pyarrow",
        kind=ValueError if backend is not None and backend not in BACKENDS else ImportError,
    )
