"""Flags of missing cells: each set of rows is told once, whichever blocks of the table tell it."""

import warnings

import numpy as np
import pytest

from separatrix.assess import compare
from separatrix.core.errors import RankDeficient
from separatrix.core.family import families
from separatrix.estimators.preparation.aliases import last_determined
from separatrix.estimators.preparation.compose import feature_names, prepared
from separatrix.tables import Table, target_values, understand


def people(n=400, seed=0):
    """Work and job are missing together, the job also where nobody worked; hours and a date where the job is."""
    rng = np.random.default_rng(seed)
    work = rng.choice(["state", "self", "private", "never", None], n, p=[0.2, 0.2, 0.45, 0.05, 0.1]).astype(object)
    job = rng.choice(["sales", "craft", "office"], n).astype(object)
    idle = np.array([each in ("never", None) for each in work])
    job[idle] = None
    hours = np.where(idle, np.nan, rng.normal(40.0, 8.0, n))
    days = rng.integers(1, 28, n)
    hired = np.array([None if lazy else f"2020-03-{day:02d}" for lazy, day in zip(idle, days)], dtype=object)
    age = rng.normal(40.0, 10.0, n)
    age[rng.random(n) < 0.1] = np.nan
    score = np.nan_to_num(hours, nan=30.0) + np.nan_to_num(age, nan=40.0) + rng.normal(0.0, 5.0, n)
    rich = np.where(score > np.median(score), "yes", "no").astype(object)
    columns = {"age": age, "hours": hours, "work": work, "job": job, "hired": hired, "rich": rich}
    return Table.of(columns)


@pytest.mark.parametrize("kind", ["standard", "curves"])
def test_a_flag_that_other_columns_determine_is_left_out(kind):
    table = people()
    steps, X = prepared(understand(table, "rich"), kind, table)
    names = feature_names(steps)
    assert X.shape[1] == len(names)
    # of the hours, as the first; work is missing where they are and work is not "never", the rest where they are
    assert [name for name in names if name.endswith("is missing")] == ["age is missing", "hours is missing"]
    Z = np.column_stack([np.ones(len(X)), X])
    assert np.linalg.matrix_rank(Z) == Z.shape[1]
    assert np.array_equal(steps.transform(table), X)


def test_other_preparations_keep_their_flags():
    table = people()
    steps, _ = prepared(understand(table, "rich"), "binary", table)
    assert sum(name.endswith("is missing") for name in feature_names(steps)) == 4  # hours and date share one


def test_no_family_warns_of_an_alias_that_the_preparation_made():
    comparison = compare(people(), "rich", folds=3, repeats=1)
    for standing in comparison.standings:
        assert "determined by the other columns" not in standing.note, (standing.family, standing.note)


@pytest.mark.parametrize("family", [each for each in families("classification") if each.preparation == "standard"][:6])
def test_nothing_warns_where_a_family_is_fitted_alone(family):
    from separatrix.workflow.models import fitted

    table = people()
    understanding = understand(table, "rich")
    y, _ = target_values(table, understanding)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RankDeficient)
        fitted(understanding, table, y, family.name)


def test_columns_of_the_table_itself_are_never_left_out():
    """A number that repeats a flag is the user's: the flag goes."""
    table = people()
    idle = np.array([float(cell is None) for cell in table["job"]])
    rng = np.random.default_rng(1)
    own = Table.of({"idle": idle, "job": table["job"], "noise": rng.normal(size=len(idle)), "rich": table["rich"]})
    names = feature_names(prepared(understand(own, "rich", task="classification"), "standard", own)[0])
    assert "noise" in names and sum("idle" in name for name in names) == 1
    assert not any(name.endswith("is missing") for name in names)


@pytest.mark.parametrize("rows", [50, 2_000])
def test_what_is_determined_agrees_with_ranks_of_exact_integers(rows):
    """Columns of small whole numbers, some of them sums of others: ranks by Fractions' elimination on a few rows."""
    from fractions import Fraction

    rng = np.random.default_rng(rows)
    first = rng.integers(0, 2, (rows, 4))
    nearly = np.where(np.arange(rows) == 7, 1 - first[:, 3], first[:, 3])  # another one in a single row
    flags = np.column_stack(
        [1 - first[:, 0], rng.integers(0, 2, rows), first[:, 1] ^ first[:, 2], np.ones(rows, int), first[:, 3], nearly]
    )
    Z = np.column_stack([first, flags])

    def rank(M):
        left, count = [[Fraction(int(v)) for v in row] for row in np.unique(M, axis=0)], 0
        for j in range(M.shape[1]):
            pivot = next((row for row in left if row[j]), None)
            if pivot is not None:
                left.remove(pivot)
                left = [[a - b * row[j] / pivot[j] for a, b in zip(row, pivot)] for row in left]
                count += 1
        return count

    one, answers = np.ones((rows, 1), int), []
    for j in range(4, 10):
        before, after = (rank(np.hstack([one, Z[:, :end]])) for end in (j, j + 1))
        answers.append(bool(np.ptp(Z[:, j])) and before == after)
    assert last_determined(Z.astype(float), 6) == answers == [True, False, False, False, True, False]
