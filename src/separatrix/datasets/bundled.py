"""scikit-learn's bundled data sets, with the names of their classes for labels. Nothing is downloaded."""

import numpy as np

from separatrix.datasets.catalogue import classification, data_set, regression


@data_set("breast_cancer", "Tumours told apart by 30 measurements of cell nuclei; 569 rows, benign or malignant.")
def _breast_cancer():
    bunch = _of_scikit_learn("load_breast_cancer")
    return classification("breast_cancer", bunch.data, _named(bunch), bunch.feature_names.tolist(), "diagnosis")


@data_set("iris", "Fisher's irises: three species by four lengths of petal and sepal; 150 rows.")
def _iris():
    bunch = _of_scikit_learn("load_iris")
    return classification("iris", bunch.data, _named(bunch), bunch.feature_names, "species")


@data_set("wine", "Three cultivars of one region's wine by 13 chemical measurements; 178 rows.")
def _wine():
    bunch = _of_scikit_learn("load_wine")
    return classification("wine", bunch.data, _named(bunch), bunch.feature_names, "cultivar")


@data_set("digits", "Handwritten digits as 8 × 8 grey values; 1,797 rows, ten classes.")
def _digits():
    bunch = _of_scikit_learn("load_digits")
    return classification("digits", bunch.data, bunch.target, bunch.feature_names, "digit")


@data_set("diabetes", "How a disease progressed within a year, by ten baseline variables, standardised; 442 rows.")
def _diabetes():
    bunch = _of_scikit_learn("load_diabetes")
    return regression("diabetes", bunch.data, bunch.target, bunch.feature_names, "progression")


def _of_scikit_learn(loader):
    from sklearn import datasets  # slow to import, not needed to list names

    return getattr(datasets, loader)()


def _named(bunch):
    """Labels instead of codes; plain text of any length."""
    return np.array([str(name) for name in bunch.target_names])[bunch.target]
