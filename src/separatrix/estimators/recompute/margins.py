"""Margins recomputed: the gap at published coefficients and dual variables, and the slack of each row."""

from dataclasses import replace

import numpy as np

from separatrix.core.certificate import certify
from separatrix.core.dispatch import implemented
from separatrix.core.solution import Solution
from separatrix.core.verbs import kinks
from separatrix.estimators.margin.linear_machine import AT_END, Machine
from separatrix.estimators.published import worst
from separatrix.estimators.recompute.comparison import Comparison, tolerance_of

COEFFICIENTS = {"coef_", "intercept_"}


def linear_machines(model, X, y, sample_weight=None):
    """The gap of each problem at the published coefficients, and the slack at the scores that they give.

    Where the loss has kinks the published dual variables are the dual point: any gives a true bound, so that a wrong
    one can only hurt the model. It is made feasible first, and so small changes of it do not show: it is not among what
    was looked at.
    """
    problems = model._restate(X, y, sample_weight)
    n, tolerance = problems[0].design.n, tolerance_of(model)
    comparison = Comparison(model, n)
    proofs, slack, objectives = [], [], []
    intercepts = np.broadcast_to(np.ravel(model.intercept_), len(problems))
    duals = vars(model).get("dual_coef_")
    for c, (problem, coef) in enumerate(zip(problems, np.atleast_2d(model._coefficients()))):
        solution = Solution(*model._joined(coef, intercepts[c]))
        if implemented(kinks, problem.loss) and np.shape(duals) == (len(problems), n):
            weights = model._price(c) * problem.target.weights
            solution.theta = np.divide(-duals[c], weights, out=np.zeros(n), where=weights > 0.0)
        proofs.append(certify(problem, solution, tolerance))
        machine = Machine(problem, solution, proofs[-1], model._price(c))
        if machine.is_smooth and np.shape(duals) == (len(problems), n):
            # slopes of the loss: of numbers that are right to the gap they are right to its root
            sizes = 2.0 * machine.C * problem.target.weights
            comparison.hold("dual_coef_", duals[c], -machine.multipliers(), sizes, tolerance=np.sqrt(tolerance))
        slack.append(model._slack(problem, machine.scores))
        objectives.append(machine.primal)
    comparison.hold("slack_", model.slack_.reshape(len(slack), n), np.stack(slack), 1.0, means=4)
    if np.shape(duals) == (len(problems), n):
        _hold_rows(model, comparison, problems, np.atleast_2d(model.slack_))
    comparison.hold("primal_objective_", np.ravel(model.primal_objective_), np.array(objectives), means=4)
    comparison.names += sorted(COEFFICIENTS | {"C_"})
    held, proof = comparison.certificate(), worst(proofs)
    return replace(proof, message=held.message) if held.converged else worst([proof, held])


def _hold_rows(model, comparison, problems, slack):
    """Which rows hold the margin, on it and within it, by the published dual variables and slack."""
    support, errors = False, False
    for c, problem in enumerate(problems):
        dual, most = model.dual_coef_[c], model._price(c) * problem.target.weights
        far = np.abs(dual) >= (1.0 - AT_END) * most if implemented(kinks, problem.loss) else slack[c] > 0.0
        support, errors = support | (dual != 0.0), errors | ((dual != 0.0) & far)
    rows = {"support_": support, "on_margin_": support & ~errors, "margin_errors_": errors}
    for name, members in rows.items():
        same = np.array_equal(vars(model)[name], np.flatnonzero(members))
        comparison.residual(0.0 if same else np.inf, 0.0, name)
