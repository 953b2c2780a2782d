"""The comparison: from a table to a leaderboard, a recommendation and a model that was tested once."""

import numpy as np

from separatrix.assess.compare import fit_once
from separatrix.assess.compare.candidate import Candidate
from separatrix.assess.compare.comparison import Comparison
from separatrix.assess.compare.deadline import MOST_SECONDS, Deadline
from separatrix.assess.compare.dependent_rows import group_codes, repeated_identifiers
from separatrix.assess.compare.groups import rank, recommend
from separatrix.assess.compare.inputs import comparison_inputs
from separatrix.assess.compare.paired import overlap_ratio
from separatrix.assess.compare.plan import plan, run_cut_families, run_first_round
from separatrix.assess.compare.question import Question, about_ruling_rows, choose_measure
from separatrix.assess.compare.refit import held_out_calibration, held_out_predictions, refit, test_standard_error
from separatrix.assess.compare.splits import default_rounds, hold_out, possible_folds, rounds
from separatrix.assess.compare.tournament import Tournament
from separatrix.assess.compare.untimed import run_untimed
from separatrix.assess.measures import MEASURES
from separatrix.core.family import families as declared
from separatrix.core.progress import Silent
from separatrix.core.refusal import cannot


def compare(
    table,
    target=None,
    *,
    task=None,
    score=None,
    exclude=(),
    group=None,
    families=None,
    folds=None,
    repeats=None,
    budget=None,
    seed=0,
    test=0.2,
    progress=None,
    announce=None,
):
    """Compare every family of models that fits a table, on the same rows, and recommend one.

    A part of the rows is held out for one test at the end. On the others all families go through the same repeated,
    stratified folds, each with its own search for regularisation; preparation is fitted to the training rows of each
    round, without the target. Scores are compared by corrected paired tests (docs/theory/
    comparison.md), and the simplest model within one standard error of the best is fitted to all rows but the test's.

    Parameters
    ----------
    table : Table, frame (pandas, polars, pyarrow), path of a file, or pair (X, y) of arrays.
    target : str or None, default None.  The column to predict; with a pair, what to call y.
    task : {"classification", "regression"} or None, default None.  None: as the target looks.
    score : str or None, default None.  One of MEASURES. None: the area under the ROC curve for two classes, accuracy
        for more (balanced accuracy where one class has more than 80 % of the rows), root-mean-square error for numbers
        (where 1 % of the rows hold more than half of the squared error of the mean, the mean absolute error; where
        they hold more than half of the absolute error too, the median absolute error).
    exclude : sequence of str, default ().  Columns to leave out.
    group : str or None, default None.  A column, such as a patient's number: rows with the same value are dependent
        and stay together, in each fold and in the test part. It is left out of the models. Searches within a family do
        not know of it.
    families : sequence of str or Family, or None, default None.  Which families; None for all. The baseline always
        takes part.
    folds, repeats : int or None, default None.  None: 5 folds twice, up to 5,000 rows; then 5 once, and 3 once beyond
        200,000.
    budget : float or None, default None.  Seconds that all of this may take. Families are timed on samples first;
        those that are too slow learn from a sample of rows, run fewer rounds, or are listed with the reason why not.
    seed : int, [0, inf), default 0.  The same seed gives the same result, as long as the budget does not bind.
    test : float, [0, 1), default 0.2.  Share of the rows for the test.
    progress : Progress or None, default None.  Receives reports of progress.
    announce : callable or None, default None.  Called with the Understanding and the Question (score, positive class,
        cost of a mistake, warnings) before anything is fitted.

    Returns
    -------
    Comparison

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((120, 2))
    >>> y = 3.0 * X[:, 0] + rng.standard_normal(120)
    >>> comparison = compare((X, y), "height", families=["least squares", "ridge"])
    >>> comparison.recommended, comparison.beats_baseline, comparison.score
    ('least squares', True, 'root-mean-square error')
    """
    deadline = Deadline(budget)
    table, y, understanding, kind, rows = comparison_inputs(table, target, task=task, exclude=exclude, group=group)
    classification = understanding.task == "classification"
    groups = None if group is None else group_codes(table, group)
    learn, test_rows = hold_out(y, test, classification=classification, seed=seed, groups=groups)
    y_train, y_test = y[learn], y[test_rows]
    question = _question(table, y, y_train, rows, understanding, score=score, group=group)
    if announce is not None:
        announce(understanding, question)
    by, of_train = question.measure, None if groups is None else groups[learn]
    folds, repeats = _folds_and_repeats(folds, repeats, y_train, classification, of_train)
    tournament = Tournament(
        understanding,
        table.take(learn),
        y_train,
        np.unique(y) if classification else None,
        rounds(y_train, folds, repeats, classification=classification, seed=seed, groups=of_train),
        _measure_names(by, understanding),
        seed,
        deadline,
        Silent() if progress is None else progress,
    )
    candidates = _run(tournament, _selected(families, understanding.task))
    standings = [_standing(tournament, candidate) for candidate in candidates]
    p_values, (chosen, better, why) = _rank_and_recommend(standings, by, folds, repeats, tournament)
    candidate = next(candidate for candidate in candidates if candidate.family.name == chosen.family)
    model, names, note, fitted_rows = refit(tournament, candidate)
    held = table.take(test_rows)
    tested, test_error = _test(model, held, y_test, tournament, None if groups is None else groups[test_rows])
    tournament.progress.end()
    return Comparison(
        understanding=understanding,
        standings=standings,
        score=by.label,
        measure=by.name,
        higher_is_better=by.higher_is_better,
        recommended=chosen.family,
        why=" ".join(filter(None, (why, note, cut_short(tournament)))),
        beats_baseline=better,
        model=model,
        feature_names=names,
        folds=folds,
        repeats=repeats,
        seed=seed,
        seconds=deadline.seconds,
        budget=budget,
        train=tournament.table,
        test=held,
        y_train=y_train,
        y_test=y_test,
        test_measures=tested,
        test_score=tested.get(by.name, float("nan")),
        test_error=test_error,
        y_out_of_fold=held_out_predictions(tournament, candidate),
        p_values=p_values,
        fitted_rows=fitted_rows,
        kind=kind,
        question=question,
        **_cut_families(tournament),
    )


def _question(table, y, y_train, rows, understanding, *, score, group):
    """The score and the warnings, from the training rows; warnings name rows of the whole table."""
    by, why = choose_measure(score, y_train, understanding.task)
    classes = understanding.classes if len(understanding.classes) == 2 else ("", "")
    warnings = []
    if understanding.task == "regression":
        warnings += about_ruling_rows(y, rows, understanding.target)
    if group is None:
        names = repeated_identifiers(table, understanding.target, y, understanding.task == "classification")
        warnings += [
            f"{each}. If rows with one value belong together, the scores below are too good for new ones: keep them "
            "together by --group (in Python: group=)."
            for each in names
        ]
    return Question(
        measure=by,
        why=why,
        positive=str(classes[1]),
        negative=str(classes[0]),
        group=group or "",
        warnings=tuple(warnings),
    )


def _folds_and_repeats(folds, repeats, y, classification, groups):
    """Those asked for, else by the number of rows; no more folds than can be made."""
    usual = default_rounds(len(y))
    folds = possible_folds(usual[0] if folds is None else folds, y, classification, groups)
    return folds, usual[1] if repeats is None else repeats


def _standing(tournament, candidate):
    """The row of the leaderboard, with the calibration of all held-out rows together."""
    standing = candidate.standing(tournament.train_size)
    standing.measures |= held_out_calibration(tournament, candidate)
    return standing


def _measure_names(by, understanding):
    """The measures of each round, the score first; the area under the ROC curve of many classes takes too long."""
    names = ("accuracy", "balanced_accuracy", "log_loss", "brier", "calibration")
    if understanding.task == "regression":
        names = ("rmse", "mae", "medae", "r2")
    elif len(understanding.classes) == 2:
        names = (*names, "roc_auc")
    return (by.name, *(name for name in names if name != by.name))


def _selected(families, task):
    """The families asked for, always with the baseline; simplest first."""
    known = declared(task)
    if families is None:
        return known
    asked = [families] if isinstance(families, str) else list(families)
    by_name = {family.name: family for family in known}
    for name in asked:
        if isinstance(name, str) and name not in by_name:
            raise cannot(
                f"compare {name!r}", because=f"no family of that name does {task}", instead=f"some of {list(by_name)}"
            )
    selected = [family for family in known if family.complexity == 0]
    selected += [by_name.get(each, each) for each in asked if each not in ("baseline", *selected)]
    return sorted(dict.fromkeys(selected), key=lambda family: (family.complexity, family.name))


def _run(tournament, families):
    """Plan and run all rounds; return the candidates."""
    candidates = [Candidate(family, len(tournament.rounds)) for family in families]
    tournament.candidates = candidates
    timed = plan(tournament, candidates)
    tournament.progress.begin(sum(candidate.rounds for candidate in candidates if candidate.running))
    if not timed:
        run_untimed(tournament, candidates)
        return candidates
    run_first_round(tournament, candidates)
    for round_ in tournament.rounds[1:]:
        tournament.run_rounds([round_], candidates)
    run_cut_families(tournament, candidates)
    return candidates


def _refuse_empty_board(standings, tournament):
    """Raise if no model but the baseline has two scores: nothing could be compared."""
    rivals = [standing for standing in standings if standing.complexity > 0]
    if any(not each.failed and np.isfinite(each.scores).sum() > 1 for each in rivals):
        return
    reasons = "; ".join(f"{each.family}: {each.reason or 'one round only'}" for each in rivals[:3])
    more = f"; and {len(rivals) - 3} more" if len(rivals) > 3 else ""
    late = tournament.unfinished > 0
    ran_out = "the time ran out before any model had two rounds" if late else ""
    raise cannot(
        f"compare models of {tournament.understanding.target!r}",
        because=f"{ran_out or 'no model but the baseline could be fitted'} ({reasons or 'none was asked for'}{more})",
        instead="a larger budget, fewer families or fewer rows" if late else "other columns, more rows, other families",
    )


def _rank_and_recommend(standings, by, folds, repeats, tournament):
    """Rank the standings in place; return p-values and the recommendation."""
    _refuse_empty_board(standings, tournament)
    steps = [by.resolution(tournament.y[round_.held_out]) for round_ in tournament.rounds]
    options = {
        "higher_is_better": by.higher_is_better,
        "ratio": overlap_ratio(folds, repeats),
        "resolution": float(np.sqrt(np.mean(np.square(steps)))),
    }
    p_values = rank(standings, error_ratio=1.0 / (folds - 1), **options)
    return p_values, recommend(standings, score=by.label, late=tournament.unfinished, **options)


def _cut_families(tournament):
    """The names of the families that the budget kept from running, and from some of the rounds or rows."""
    cut = {"not_tried": tournament.not_tried, "partly_tried": tournament.partly_tried}
    return {how: tuple(each.family.name for each in some) for how, some in cut.items()}


def cut_short(tournament):
    """Sentences about the families that the budget kept from running or from finishing; "" if there are none."""
    if not tournament.unfinished:
        return ""
    total, size = len(tournament.rounds), tournament.train_size
    partly = []
    for each in tournament.partly_tried:
        rounds = f"{len(each.fits)} of {total} rounds" if len(each.fits) < total else ""
        rows = f"{each.rows:,} of {size:,} rows" if each.rows < size else ""
        partly.append(f"{each.family.name} ({' and '.join(filter(None, (rounds, rows)))})")
    said = "The time budget ended the comparison early: with more time the answer may be another."
    if tournament.deadline.budget is None:
        said = f"Without a budget a family may take {MOST_SECONDS:.0f} s: with more time the answer may be another."
    if tournament.not_tried:
        said += f" Not tried: {'; '.join(each.family.name for each in tournament.not_tried)}."
    return said + (f" Tried in part: {'; '.join(partly)}." if partly else "")


def _test(model, held, y, tournament, groups):
    """All measures on the test part, and the standard error of the score."""
    if not len(y):
        return {}, float("nan")
    predictions = fit_once.predictions_of(model, held, tournament.classes)
    task = tournament.understanding.task
    tested = predictions.measured(y, tournament.classes, [name for name, each in MEASURES.items() if each.task == task])
    options = {"score": tournament.score, "seed": tournament.seed, "groups": groups}
    return tested, test_standard_error(predictions, y, tournament.classes, **options)
