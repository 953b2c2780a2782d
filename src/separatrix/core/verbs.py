"""The alphabet and the verbs of the house.

Inside the library mathematics has one fixed alphabet:
``X`` design, ``y`` target, ``s`` sample weights, ``beta`` coefficients, ``eta = X beta + intercept`` raw score,
``mu`` mean, ``r`` residual, ``g`` slope, ``H`` curvature, ``theta`` dual point, ``lam`` strength, ``n, p, k`` sizes,
``i`` row, ``j`` column, ``c`` class, ``b`` block. Everything else is a word.

One objective:  ``P(beta) = (1/Σs) Σ s_i value(loss, y_i, eta_i) + Σ_j cost(penalty, beta_j)``.

Data come in as float32 or float64 and are held as given; sums are accumulated and certificates computed in float64.
"""

from separatrix.core.dispatch import generic

# ------------------------------------------------------------------ losses: scalar functions of (y, eta)


@generic
def value(loss, y, eta):
    """The loss at (y, eta)."""


@generic
def slope(loss, y, eta):
    """d value / d eta (one subgradient where the loss has a kink)."""


@generic
def curvature(loss, y, eta):
    """d² value / d eta², the generalised second derivative."""


@generic
def conjugate(loss, y, u):
    """sup over eta of ``u eta - value(loss, y, eta)``; infinity outside the domain."""


# ------------------------------------------------------------------ joint losses: functions of a row of k scores


@generic
def joint_value(loss, y, eta):
    """The loss at a row of targets and a row of scores."""


@generic
def slopes(loss, y, eta, out):
    """out_c = d value / d eta_c."""


@generic
def joint_conjugate(loss, y, u):
    """sup over rows eta of ``u'eta - joint_value(loss, y, eta)``, for u that sum to 0 if the loss ignores shifts."""


# ------------------------------------------------------------------ penalties: scalar functions of one coefficient


@generic
def cost(penalty, beta):
    """The penalty on one coefficient."""


@generic
def prox(penalty, v, step):
    """argmin over u of ``(u - v)² / (2 step) + cost(penalty, u)``."""


@generic
def conjugate_cost(penalty, v):
    """sup over beta of ``v beta - cost(penalty, beta)``; infinity outside the domain."""


# ------------------------------------------------------------------ storages: one row at a time


@generic
def row_score(rows, i, beta):
    """``x_i' beta``."""


@generic
def row_dot(rows, i, beta):
    """``x_i' beta`` and ``x_i' x_i``: the row is read once for both."""


@generic
def row_add(rows, i, a, out):
    """``out += a x_i``, in place."""


@generic
def row_span(rows, i):
    """Where row i starts and where it stops, for :func:`row_entry`."""


@generic
def row_entry(rows, i, k):
    """Column and value of entry k of row i."""


@generic
def row_ahead(rows, i):
    """A hint that row i will be read soon."""
