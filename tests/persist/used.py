"""Crafted model files, loaded and used in child processes: no crash, no hang, no answer but a refusal or an exception.

    python tests/persist/used.py 50000 --seed 1      # changed at random: mutations.craft
    python tests/persist/used.py each                # every attribute by every variant: mutations.exchange
    python tests/persist/used.py 20000 --checked     # with compiled loops as plain Python, whose arrays have bounds

Each file has right hashes and a changed content. A child loads it and uses what it gets: every public method and
property, a fit, a chunk of a stream, a description, ``verify``, ONNX, another file, the light reader. Python exceptions
are answers; a signal, a timeout or a process out of memory is a failure, and the number of the file is printed, by
which it can be made again. A compiled loop that reads beyond an array does not always crash: ``--checked`` finds that.
"""

import argparse
import contextlib
import gc
import inspect
import io
import os
import sys
import tempfile
import traceback
from functools import cache, partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "contracts"))
import children
from mutations import VARIANTS, attributes, craft, exchange

from separatrix.core import jit

PASSES = 20
REPEATS = ("max_iter", "n_init", "n_estimators")
AT_ONCE = 1000  # files of one child
REFUSED, USED, LIGHT = range(3)
ANSWERS = ("refused", "loaded and used", "used lightly, too")
# What changes a model or its file; these are called by name, and last.
LATER = {
    "fit",
    "fit_transform",
    "partial_fit",
    "save",
    "sparsify",
    "densify",
    "get_params",
    "get_metadata_routing",
}


@cache
def cases():
    """(file, X, y) of a model of every estimator, and of others that hold the remaining classes and kinds of values."""
    import test_persist

    from separatrix.persist.files import to_bytes

    models = []
    for _, cls in test_persist.ESTIMATORS:
        fits = test_persist.fits(cls)
        models += [fits[0], fits[-1]]
    with contextlib.redirect_stderr(io.StringIO()), np.errstate(all="ignore"):
        models += [*_containers(), *_records(), *_trees(), *_tables()]
    return [(to_bytes(model), X, y) for X, y, model in models]


def _containers():
    """scikit-learn's classes, with ours in them."""
    import test_persist
    from scipy import sparse
    from sklearn.compose import ColumnTransformer
    from sklearn.ensemble import StackingClassifier, VotingClassifier, VotingRegressor
    from sklearn.frozen import FrozenEstimator
    from sklearn.impute import SimpleImputer
    from sklearn.model_selection import KFold, StratifiedKFold
    from sklearn.pipeline import FeatureUnion, make_pipeline
    from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler

    from separatrix.linear_model import LassoCV, LogisticRegression, LogisticRegressionCV, Ridge
    from separatrix.multiclass import OneVsRestClassifier
    from separatrix.preprocessing import PolynomialFeatures

    X, y, words = test_persist.NUMBERS, test_persist.AMOUNT, test_persist.WORDS
    several = (X > 0.5).astype(int)
    constant = np.column_stack([several, np.ones(len(X), int)])
    mixed = np.column_stack([X.astype(object), words])
    columns = ColumnTransformer([("n", StandardScaler(), [0, 1]), ("c", OneHotEncoder(min_frequency=8), [3, 4])])
    others = ColumnTransformer([("n", SimpleImputer(add_indicator=True), [0, 1]), ("c", OrdinalEncoder(), [3])])
    both = FeatureUnion([("scaled", StandardScaler()), ("as it is", FunctionTransformer())])
    return [
        (mixed, y, make_pipeline(columns, Ridge()).fit(mixed, y)),
        (mixed, y, make_pipeline(others, Ridge()).fit(mixed, y)),
        (X, y, make_pipeline(MinMaxScaler(), PolynomialFeatures(2), Ridge()).fit(X, y)),
        (X, y, make_pipeline(both, FrozenEstimator(Ridge().fit(np.hstack([X, X]), y))).fit(X, y)),
        (X, several, OneVsRestClassifier(LogisticRegression()).fit(X, several)),
        (X, constant, OneVsRestClassifier(LogisticRegression()).fit(X, constant)),
        (X, several, OneVsRestClassifier(LogisticRegression()).fit(X, sparse.csr_matrix(several))),
        (X, y > 0, StackingClassifier([("a", LogisticRegression())], LogisticRegression(), cv=3).fit(X, y > 0)),
        (X, y > 0, VotingClassifier([("a", LogisticRegression())], voting="soft").fit(X, y > 0)),
        (X, y, VotingRegressor([("a", Ridge())], weights=[2.0]).fit(X, y)),
        (X, y, LassoCV(cv=KFold(3)).fit(X, y)),
        (X, y > 0, LogisticRegressionCV(cv=StratifiedKFold(3, shuffle=True, random_state=0), Cs=3).fit(X, y > 0)),
    ]


def _records():
    """Models that hold what a fit with defaults does not: traces, separations, losses, sparse coefficients."""
    import test_persist

    from separatrix.linear_model import (
        ElasticNet,
        GeneralizedLinearRegressor,
        LinearRegression,
        LogisticRegression,
        Perceptron,
        Ridge,
        SGDClassifier,
        SGDRegressor,
    )
    from separatrix.neighbors import KNeighborsClassifier
    from separatrix.preprocessing import AdditiveBasis

    X, y = test_persist.NUMBERS, test_persist.AMOUNT
    two, short = y > 0, {"max_iter": 5, "tol": None, "random_state": np.random.RandomState(1)}
    flagged = np.column_stack([X, X[:, 0] > 0])
    distances = np.abs(X[:, :1] - X[:, 0])
    losses = ("hinge", "squared_hinge", "modified_huber", "huber", "epsilon_insensitive", "squared_epsilon_insensitive")
    return [
        (X, y, SGDRegressor(average=True, penalty="l1", **short).fit(X, y)),
        (X, two, SGDClassifier(warm_start=True, **short).fit(X, two)),
        (X, two, SGDClassifier(early_stopping=True, trace=True, penalty="elasticnet", **short).fit(X, two)),
        *((X, two, SGDClassifier(loss=loss, **short).fit(X, two)) for loss in losses),
        (X, two, LogisticRegression(trace=True, l1_ratio=1.0).fit(X, two).sparsify()),
        (X, X[:, 0] > 0, LogisticRegression(C=np.inf).fit(X, X[:, 0] > 0)),
        (X, y, ElasticNet(trace=True, penalty_factor=[1.0, 0.5, 2.0], bounds=(0.0, np.inf)).fit(X, y)),
        (X, y, Ridge(trace=True).fit(X, y)),
        (X, two, Perceptron(trace=True).fit(X, two)),
        (X, y, LinearRegression(trace=True, positive=True).fit(X, y)),
        (X, two * 1.0, GeneralizedLinearRegressor("binomial", link="probit").fit(X, two * 1.0)),
        (X, two * 1.0, GeneralizedLinearRegressor("binomial", link="cloglog").fit(X, two * 1.0)),
        (distances, two, KNeighborsClassifier(metric="precomputed").fit(distances, two)),
        (X, two, KNeighborsClassifier(metric="minkowski", p=3, weights="distance", algorithm="ball_tree").fit(X, two)),
        (X[:, :2], two, KNeighborsClassifier(metric="haversine", algorithm="brute").fit(X[:, :2], two)),
        (flagged, y, AdditiveBasis().fit(flagged, y)),
    ]


def _trees():
    """Trees, boosting and committees with the parts that defaults leave out: categories, gaps, outputs, early stops."""
    import test_persist

    from separatrix.ensemble import (
        AdaBoostClassifier,
        GradientBoostingClassifier,
        HistGradientBoostingClassifier,
        HistGradientBoostingRegressor,
        MixtureOfExpertsClassifier,
        MixtureOfExpertsRegressor,
    )
    from separatrix.tree import DecisionTreeClassifier, DecisionTreeRegressor, RuleListClassifier

    X, y, three = test_persist.NUMBERS, test_persist.AMOUNT, test_persist.THREE
    coded = np.column_stack([X, np.round(X[:, 0]) % 4])
    gaps = np.where(np.arange(coded.size).reshape(coded.shape) % 7 == 0, np.nan, coded)
    categories = {"categorical_features": [3]}
    quick = {"max_iter": 6, "min_samples_leaf": 3}
    stopped = {"early_stopping": True, "random_state": 0}
    bins = DecisionTreeClassifier(**categories, split="multiway", n_bins=4)
    return [
        (gaps, three, RuleListClassifier(bins).fit(gaps, three)),
        (gaps, three, RuleListClassifier(bins, estimate="validation", random_state=0).fit(gaps, three)),
        (X, three, GradientBoostingClassifier(n_estimators=3, n_iter_no_change=2, random_state=0).fit(X, three)),
        (gaps, three, DecisionTreeClassifier(**categories, ccp_alpha=0.01).fit(gaps, three)),
        (coded, three, DecisionTreeClassifier(**categories, split="multiway", criterion="entropy").fit(coded, three)),
        (gaps, y, DecisionTreeRegressor(**categories, split="multiway", n_bins=3, max_leaf_nodes=9).fit(gaps, y)),
        (X, y, DecisionTreeRegressor(criterion="absolute_error", monotonic_cst=[1, 0, -1]).fit(X, y)),
        (X, X[:, :2], DecisionTreeRegressor(max_depth=3).fit(X, X[:, :2])),
        (gaps, three, HistGradientBoostingClassifier(**quick, **categories).fit(gaps, three)),
        (
            gaps,
            three,
            HistGradientBoostingClassifier(**quick, **stopped, interaction_cst=[[0, 1], [2, 3]]).fit(gaps, three),
        ),
        (coded, y, HistGradientBoostingRegressor("quantile", quantile=0.3, **quick, **stopped).fit(coded, y)),
        (coded, y, HistGradientBoostingRegressor(**quick, **categories, monotonic_cst=[1, 0, -1, 0]).fit(coded, y)),
        (X, three, AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=4).fit(X, three)),
        (X, three, MixtureOfExpertsClassifier().fit(X, three)),
        (X, y, MixtureOfExpertsRegressor().fit(X, y)),
    ]


def _tables():
    """Pipelines that begin with the columns of a table, which the light reader takes: a family of each kind of form."""
    import test_light

    from separatrix.linear_model import Lasso, LogisticRegression
    from separatrix.local import LocalLinearRegression
    from separatrix.naive_bayes import BernoulliNB, GaussianNB, MixedNB
    from separatrix.neighbors import KNeighborsClassifier

    given = [
        (Lasso(), "numbers", "standard"),
        (LogisticRegression(), "three", "curves"),
        (KNeighborsClassifier(), "two", "standard"),
        (LocalLinearRegression(), "numbers", "standard"),
        (BernoulliNB(), "two", "binary"),
        (GaussianNB(), "three", "standard"),
        (MixedNB(), "two", "codes"),
    ]
    for model, target, preparation in given:
        facts = test_light.FACTS[:2] if target == "numbers" and preparation != "curves" else test_light.FACTS[:4]
        with contextlib.suppress(ValueError, TypeError):
            fitted = test_light.fitted(model, target, facts, preparation)
            yield test_light.TABLE, test_light.TARGETS[target], fitted


@cache
def loops():
    """The code of all compiled loops."""
    return {one.py_func.__code__ for one in gc.get_objects() if type(one) is jit.Loop}


class Outside(AssertionError):
    """A loop that reads or writes where there is nothing; compiled, it would do so without a word."""


def attempted(call, *given, **named):
    """Whether a call has an answer; exceptions are none, but for an index out of bounds in a loop."""
    try:
        call(*given, **named)
    except (Exception, SystemExit) as error:
        if isinstance(error, IndexError):
            inside = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
            if any(frame.f_code in loops() for frame in inside):
                raise Outside(f"{error} in {inside[-1].f_code.co_qualname}, called with {given[1:2]}") from None
        return False
    return True


def evaluate(result):
    """Have every number of an answer read, which a lazy one would not."""
    for part in result if isinstance(result, tuple | list) else (result,):
        np.asarray(part.toarray() if hasattr(part, "toarray") else part).tobytes()


def ask(model, name, rows, y):
    """One public method or property of a model."""
    member = getattr(model, name)
    if not callable(member) or isinstance(inspect.getattr_static(type(model), name), property):
        evaluate(member)
        return
    given = {"X": rows, "d": rows, "X_fit": rows, "y": y, "alphas": [0.1, 1.0]}
    wanted = inspect.signature(member).parameters.values()
    evaluate(member(**{p.name: given[p.name] for p in wanted if p.name in given and p.kind != p.VAR_KEYWORD}))


def use(model, X, y):
    """Everything that a user may ask a model for; how much of it has an answer."""
    import separatrix
    from separatrix.inference import describe
    from separatrix.persist import to_onnx
    from separatrix.tables import Table
    from separatrix.tree import rules

    rows, few = X.take(slice(0, 7)) if isinstance(X, Table) else X[:7], None if y is None else y[:7]
    jobs = [name for name in model.get_params() if name.endswith("n_jobs")]
    model.set_params(**dict.fromkeys(jobs))  # processes of a process that was forked may wait for each other

    def refit(method, *given):
        settings = model.get_params()
        shorter = {name: min(settings[name], PASSES) for name in settings if name.endswith(REPEATS)}
        model.set_params(**shorter)  # many passes are no hang
        getattr(model, method)(*given)

    public = [name for name in dir(type(model)) if not name.startswith(("_", "set_")) and name not in LATER]
    done = sum(attempted(ask, model, name, rows, few) for name in public)
    with tempfile.TemporaryDirectory() as folder:
        done += attempted(to_onnx, model, os.path.join(folder, "m.onnx"))
    done += attempted(describe, model) + attempted(repr, model) + attempted(lambda: model._repr_html_())
    done += sum(attempted(export, model) for export in (rules.to_text, rules.to_sql, rules.to_dot))
    done += attempted(separatrix.save, model, io.BytesIO()) + attempted(separatrix.verify, model, X, y)
    done += attempted(lambda: model.sparsify()) + attempted(ask, model, "predict", rows, few)
    done += attempted(refit, "partial_fit", X, y) + attempted(ask, model, "predict", rows, few)
    done += attempted(refit, "fit", X, y) + attempted(ask, model, "predict", rows, few)
    return done


def use_lightly(content, X):
    """Whether the light reader takes a file, and answers or raises."""
    from separatrix.persist import CannotLoad, light

    try:
        predictor = light(io.BytesIO(content))
    except CannotLoad:
        return False
    if predictor is None or isinstance(X, np.ndarray):
        return predictor is not None
    attempted(lambda: evaluate(predictor.predict(X)))
    attempted(lambda: evaluate(predictor.predict_proba(X)))
    return True


def look_at(make, i):
    """Load and use a file; a number of `ANSWERS`."""
    import separatrix
    from separatrix.persist import CannotLoad

    content, X, y = make(i)
    lightly = use_lightly(content, X)
    try:
        model = separatrix.load(io.BytesIO(content))
    except CannotLoad:
        return LIGHT if lightly else REFUSED
    with contextlib.suppress(TypeError, ValueError, AttributeError, KeyError):  # of get_params and set_params
        use(model, X, y)
    return LIGHT if lightly else USED


def at_random(seed, i):
    """File number i of a seed, with data to use it on."""
    rng = np.random.default_rng([seed, i])
    content, X, y = cases()[i % len(cases())]
    return craft(content, rng), X, y


@cache
def places():
    """(case, object, attribute): each attribute of each class once, in a file that holds it."""
    first = {}
    for case, (content, _, _) in enumerate(cases()):
        for cls, at, name in attributes(content):
            first.setdefault((cls, name), (case, at, name))
    return list(first.values())


def each(i):
    """File number i of those in which one attribute has another value, neighbours being of other classes."""
    variant, place = divmod(i, len(places()))
    case, at, name = places()[place]
    content, X, y = cases()[case]
    return exchange(content, at, name, variant, np.random.default_rng([7, i])), X, y


def plain_loops():
    """Run compiled loops as the Python they are written in: indices out of bounds are then noticed."""

    def call(loop, *given):
        with np.errstate(all="ignore"):
            return loop.py_func(*given)

    jit.Loop.__call__ = call


def look_at_checked(make, i):
    """The same with plain loops; for a child process, as they stay so."""
    plain_loops()
    return look_at(make, i)


def prepare():
    """Make the models whose files are changed, and load numba."""
    jit.load()  # small data would be handled by the loops as they are written, which cannot crash
    cases()


def run(count, seed, start=0, look=look_at):
    """Numbers of the files that crashed, with the signal; and how many could be loaded."""
    prepare()
    failures, counts = children.run(partial(look, partial(at_random, seed)), start, start + count)
    return failures, counts[USED] + counts[LIGHT]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("count", help="how many files, or 'each'")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--checked", action="store_true")
    given = parser.parse_args()
    prepare()
    make = each if given.count == "each" else partial(at_random, given.seed)
    stop = len(places()) * VARIANTS if given.count == "each" else given.start + int(given.count)
    look = look_at_checked if given.checked else look_at
    sys.exit(not children.at_length(partial(look, make), given.start, stop, AT_ONCE, ANSWERS))
