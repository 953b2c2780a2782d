"""A report of a support vector machine shows its margin: numbers, and the picture over two columns."""

import re
from html import unescape

import numpy as np
import pytest

from separatrix.estimators.calibration import CalibratedLinearClassifier
from separatrix.inference.margins import LABELS
from separatrix.report import render
from separatrix.svm import SVC, SVR, LinearSVC
from separatrix.tables.table import Table

from .conftest import compared, numbers


def section(text):
    found = re.search(r'<section id="margins".*?</section>', text, re.DOTALL)
    return found and found.group()


def words_of(text):
    return " ".join(unescape(re.sub(r"<style.*?</style>|<svg.*?</svg>|<[^>]*>", " ", text, flags=re.DOTALL)).split())


def table_of(classes):
    a, b, noise = numbers(seed=4)
    score = a - b + 0.8 * noise
    y = np.where(score > 0.0, "<yes>", "no")
    y = np.where(score > 1.5, "very", y) if classes == 3 else y
    return Table(("a", "b", "y"), (a, b, y.astype(object)), "people.csv")


@pytest.mark.parametrize(
    "model", [SVC(probability=True, gamma=0.5), SVC(probability=True, kernel="linear")], ids=["Gaussian", "linear"]
)
def test_two_columns_have_the_numbers_and_the_picture(model):
    comparison = compared(table_of(2), "y", "classification", model, "accuracy", "support vector machine")
    part, fitted = section(render(comparison)), comparison.model[-1]
    words = words_of(part)
    assert part.count("<svg") == 1 and "are margin errors" in part
    for key, value in (("support", len(fitted.support_)), ("margin_errors", len(fitted.margin_errors_))):
        assert f"{LABELS[key]} {value}" in words
    assert f"misclassified {np.sum(fitted.slack_ > 1.0)}" in words and "primal objective" in words and "<yes>" in words


def test_three_classes_have_a_line_for_each_machine():
    model = SVC(probability=True)
    part = section(render(compared(table_of(3), "y", "classification", model, "accuracy", "machine")))
    assert "no against very" in words_of(part) and "Each of the 3 machines" in words_of(part)


def test_a_regression_speaks_of_its_tube_and_has_no_picture():
    a, b, noise = numbers(seed=4)
    table = Table(("a", "b", "price"), (a, b, a - b + 0.1 * noise), "prices.csv")
    part = section(render(compared(table, "price", "regression", SVR(), "root-mean-square error", "machine")))
    assert "outside the tube" in words_of(part) and "<svg" not in part and "misclassified" not in words_of(part)


def test_a_machine_of_three_columns_has_no_picture_and_other_models_no_section(two_classes):
    a, b, c = numbers(seed=4)
    table = Table(("a", "b", "c", "y"), (a, b, c, np.where(a > 0.2, "x", "z").astype(object)), "people.csv")
    model = CalibratedLinearClassifier(LinearSVC(loss="hinge"))
    part = section(render(compared(table, "y", "classification", model, "accuracy", "machine")))
    assert "on the margin" in words_of(part) and "<svg" not in part
    assert section(render(two_classes)) is None
