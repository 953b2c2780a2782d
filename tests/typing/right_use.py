"""What a user writes: mypy --strict has nothing to say against it."""

import numpy as np
from numpy.typing import NDArray

import separatrix
from separatrix.calibration import logistic_posterior
from separatrix.decision import CostSensitiveClassifier
from separatrix.decomposition import PCA
from separatrix.discriminant_analysis import LinearDiscriminantAnalysis
from separatrix.linear_model import ElasticNet, Lasso, LinearRegression, LogisticRegression, Ridge, lasso_path
from separatrix.local import LocalLinearRegression
from separatrix.multiclass import one_of_k
from separatrix.naive_bayes import GaussianNB
from separatrix.neighbors import KNeighborsClassifier
from separatrix.preprocessing import PolynomialFeatures


def use() -> None:
    X: NDArray[np.float64] = np.random.default_rng(0).standard_normal((40, 3))
    y: NDArray[np.float64] = X @ np.array([1.0, 0.0, -1.0])
    labels = ["up" if value > 0 else "down" for value in y]

    lasso: Lasso = Lasso(alpha=0.1, penalty_factor=[1.0, 2.0, 0.0], bounds=(-1.0, 1.0)).fit(
        X, y, sample_weight=np.ones(40)
    )
    converged: bool = lasso.certificate_.converged
    distance: NDArray[np.float64] = LogisticRegression(C=2, class_weight="balanced").fit(X, labels).signed_distance(X)
    fitted: NDArray[np.float64] = Ridge(alpha=1).fit(X, y).predict([[0.0, 1.0, 2.0]])
    print(converged, distance.max(), fitted.max())
    print(LinearRegression().fit(X, y).summary(), ElasticNet(0.1, l1_ratio=0.9).fit(X, y).coef_.shape)
    print(PCA(n_components=2, random_state=0).fit_transform(X), lasso_path(X, y)[0])
    print(LinearDiscriminantAnalysis(n_components=1).fit(X, labels).predict_log_proba(X).argmax(axis=1))
    print(GaussianNB(priors=[0.5, 0.5]).fit(X, labels).sample(3)[1], KNeighborsClassifier(3).fit(X, labels).classes_)
    print(
        LocalLinearRegression(bandwidth=1.0).fit(X, y).interval(X)[0],
        PolynomialFeatures((1, 3), order="F").fit(X).powers_,
    )
    print(CostSensitiveClassifier(LogisticRegression(), costs=[[0, 1], [5, 0]]).fit(X, labels).expected_costs(X))

    targets, classes = one_of_k(labels)
    print(targets.sum(axis=0), classes.tolist(), logistic_posterior([-1.0, 1.0], gamma=2.0).sum())
    print(separatrix.verify(lasso, X, y).value, separatrix.__version__)
    separatrix.save(lasso, "lasso.sepx", about={"rows": len(X)})
    print(separatrix.load("lasso.sepx").predict(X))
