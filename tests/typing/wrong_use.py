"""What mypy must refuse; the end of each such line says as what."""

import numpy as np

import separatrix
from separatrix.decomposition import PCA
from separatrix.linear_model import Lasso, LogisticRegression
from separatrix.naive_bayes import GaussianNB
from separatrix.preprocessing import PolynomialFeatures


def use() -> None:
    X, y = np.ones((4, 2)), np.arange(4.0)

    Lasso(alpha="strong")  # E: arg-type
    Lasso(0.1, False)  # E: call-arg
    Lasso().fit(X)  # E: call-arg
    PCA(n_componnents=2)  # E: call-arg
    PolynomialFeatures(order="rows")  # E: arg-type
    LogisticRegression(C=None)  # E: arg-type
    LogisticRegression().fit(X, y).predict(X).probabilities()  # E: attr-defined
    GaussianNB().fit(X, y, sample_weight=1.0, classes=[0, 1])  # E: call-arg
    PCA().fit(X).explained_variance_.upper()  # E: attr-defined
    print(GaussianNB().fit(X, y).certificate_.certified)  # E: attr-defined
    separatrix.verify(Lasso())  # E: call-arg
    answer: str = separatrix.verify(Lasso(), X, y)  # E: assignment
    print(answer)
