"""What the pictures look like: every function of separatrix.plots once, on scikit-learn's bundled data."""

from types import SimpleNamespace

import numpy as np
from sklearn.inspection import partial_dependence
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix import assess, datasets, plots
from separatrix.assess.compare.comparison import Standing
from separatrix.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from separatrix.graphical import ChowLiuTree
from separatrix.linear_model import LinearRegression, LogisticRegression, lasso_path
from separatrix.naive_bayes import GaussianNB
from separatrix.svm import SVC, LinearSVC
from separatrix.tree import DecisionTreeClassifier

CONTESTANTS = {
    "linear discriminants": LinearDiscriminantAnalysis(),
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
    "quadratic discriminants": QuadraticDiscriminantAnalysis(reg_param=0.01),
    "naive Bayes": GaussianNB(),
}


def parts(data, seed=0):
    """Rows to learn from and rows to look at: X, y, X, y."""
    order = np.random.default_rng(seed).permutation(len(data))
    learnt, looked = order[: 2 * len(order) // 3], order[2 * len(order) // 3 :]
    return data.X[learnt], data.y[learnt], data.X[looked], data.y[looked]


def standings(X, y):
    """Contestants by accuracy in ten folds; with the best go those within two standard errors of it, in pairs."""
    scores = {name: cross_val_score(model, X, y, cv=10) for name, model in CONTESTANTS.items()}
    best = max(scores.values(), key=np.mean)
    made = []
    for name, own in sorted(scores.items(), key=lambda entry: -entry[1].mean()):
        behind = best - own
        group = 1 if behind.mean() <= 2.0 * behind.std(ddof=1) / np.sqrt(10) else 2
        made.append(Standing(name, scores=own, score=own.mean(), error=own.std(ddof=1) / np.sqrt(10), group=group))
    top = [one.family for one in made if one.group == 1]
    return SimpleNamespace(standings=made, score="accuracy", higher_is_better=True, recommended=top[-1])


def classified(axes):
    """Pictures of a classifier of tumours; in the plane, of irises."""
    data, iris = datasets.load("breast_cancer"), datasets.load("iris")
    X, y, X_new, y_new = parts(data)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    p = model.predict_proba(X_new)
    flowers = LogisticRegression().fit(iris.X, iris.y)
    plots.boundary(flowers, iris.X, iris.y, columns=(2, 3), names=iris.feature_names, ax=axes["boundary"])
    plots.roc(y_new, p, axes["roc"])
    plots.precision_recall(y_new, p, axes["precision_recall"])
    plots.calibration(y_new, p, bins=5, ax=axes["calibration"])
    plots.confusion(assess.confusion(y_new, model.predict(X_new)), ax=axes["confusion"])
    plots.leaderboard(standings(data.X, data.y), axes["leaderboard"])
    curve = assess.learning_curve(model, data.X, data.y, sizes=[30, 60, 120, 240, 450], measure="accuracy")
    plots.learning_curve(curve, axes["learning_curve"])
    plots.trace(LogisticRegression(trace=True).fit(StandardScaler().fit_transform(X), y), axes["trace"])
    plots.losses(axes["losses"])
    two = iris.y != iris.y[0]
    machine = LinearSVC(loss="hinge").fit(iris.X[two][:, 2:], iris.y[two])
    three = SVC().fit(iris.X[:, 2:], iris.y)
    plots.margins(three, iris.X[:, 2:], iris.y, names=iris.feature_names[2:], ax=axes["three machines"])
    plots.margins(machine, iris.X[two][:, 2:], iris.y[two], names=iris.feature_names[2:], ax=axes["margins"])


def regressed(axes):
    """Pictures of a regression of how a disease progressed."""
    data = datasets.load("diabetes")
    X = StandardScaler().fit_transform(data.X)
    alphas, coefs, _ = lasso_path(X, data.y)
    model = LinearRegression().fit(X, data.y)
    rows = model.summary().rows[1:]
    names, predicted = data.feature_names, model.predict(X)
    plots.path(alphas, coefs, names, chosen=alphas[50], ax=axes["path"])
    intervals = [[row.estimate - 1.96 * row.error, row.estimate + 1.96 * row.error] for row in rows]
    plots.coefficients(names, model.coef_, intervals, axes["coefficients"])
    plots.boundary(model, X, data.y, columns=("bmi", "s5"), names=names, ax=axes["contours"])
    plots.residuals(data.y, predicted, axes["residuals"])
    plots.residual_quantiles(data.y, predicted, axes["residual_quantiles"])
    plots.predicted_vs_true(data.y, predicted, axes["predicted_vs_true"])


def grown(axes):
    """Pictures of trees of irises: of decisions, with what the length of a petal does to them, and of dependence."""
    iris = datasets.load("iris")
    tree = DecisionTreeClassifier(max_depth=3, min_samples_leaf=3).fit(iris.X, iris.y)
    plots.tree(tree, axes["tree"])
    curve = partial_dependence(tree, iris.X, [2], response_method="predict_proba")
    options = {"name": iris.feature_names[2], "unit": "mean probability", "outputs": [str(c) for c in tree.classes_]}
    plots.dependence(curve["grid_values"][0], curve["average"], axes["dependence"], **options)
    large = np.column_stack([np.median(iris.X, axis=0) < iris.X, iris.y == "setosa"])
    plots.dependency_tree(ChowLiuTree().fit(large), axes["dependency_tree"], names=["SL", "SW", "PL", "PW", "set."])


SHEET = [
    ["leaderboard", "boundary", "contours"],
    ["roc", "precision_recall", "calibration"],
    ["confusion", "learning_curve", "trace"],
    ["path", "coefficients", "losses"],
    ["residuals", "residual_quantiles", "predicted_vs_true"],
    ["tree", "tree", "dependence"],
    ["margins", "three machines", "dependency_tree"],
]


def sheet():
    """All of them on one sheet: the figure, and the axes by name."""
    from matplotlib.figure import Figure

    with plots.styled():
        figure = Figure(figsize=(15.0, 27.0), layout="constrained")
        axes = figure.subplot_mosaic(SHEET)
        figure.get_layout_engine().set(h_pad=0.15, w_pad=0.15)
    classified(axes)
    regressed(axes)
    grown(axes)
    return figure, axes


def compute():
    """What each picture says of itself."""
    return {name: plots.describe(ax) for name, ax in sheet()[1].items()}


def draw(path):
    """The sheet, as a file."""
    sheet()[0].savefig(path, dpi=110)


if __name__ == "__main__":
    for name, words in compute().items():
        print(f"{name}: {words}")
