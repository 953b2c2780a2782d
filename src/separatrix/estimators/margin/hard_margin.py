r"""The hard margin: the soft one at any C above the largest dual variable, if a hyperplane separates the classes.

The dual of the soft margin is that of the hard one but for :math:`\alpha_i \le C`. Where no dual variable of a soft
margin is at that end its solution is the hard margin's, and so it is for every larger C.
"""

from dataclasses import replace

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.protocol import column_names
from separatrix.core.target import Target
from separatrix.solvers.separation.existence import separation_of

# Prices to begin with, and between two trials, in units of 1 / (mean square of a row).
FIRST, FACTOR, MOST = 1e2, 1e4, 1e20
# The price that is certified, in units of the largest dual variable: much larger ones would make the objective small
# beside that of the null model, in which gaps are measured.
ROOM = 10.0


def hard_machine(model, design, target, started):
    """The machine of the hard margin of one problem, by the hinge: losses without slack are alike."""
    counted = target.weights > 0.0
    square = float(design.column_squares(target).sum()) / target.total or 1.0
    C, proved = FIRST / square, False
    while True:
        machine = model._machine(design, target, C, started)
        if not proved and not (target.y * machine.scores > 0.0)[counted].all():
            _prove(model, machine)
            proved = True
        largest = float(np.abs(machine.multipliers()).max())
        if largest < 0.5 * C or C * square > MOST:
            break
        C *= FACTOR
    return model._machine(design, target, max(ROOM * largest, np.finfo(np.float64).tiny), started)


def _prove(model, machine):
    """Raise, with the proof, unless a hyperplane separates the classes and touches none of their rows."""
    problem = machine.problem
    labels = replace(problem, target=Target((problem.target.y > 0.0).astype(np.float64), problem.target.s))
    names = column_names(model, model.n_features_in_)
    names += ["constant"] * (problem.design.p - len(names))
    proof = separation_of(labels, machine.solution.beta, machine.solution.intercept, names=names)
    if proof.verdict == "complete":
        return
    because = {
        "quasi-complete": f"rows of both classes lie on the best hyperplane ({len(proof.rows_on_boundary)} rows)",
        "overlap": "no hyperplane separates the classes",
    }.get(proof.verdict, "whether a hyperplane separates the classes could not be decided")
    if proof.multipliers is not None and proof.verdict == "overlap":
        because += f": {np.count_nonzero(proof.multipliers)} rows prove it (the error's attribute `proof`)"
    failure = cannot(f"fit {type(model).__name__} with C=inf", because=because, instead="a finite C, say C=1.0")
    failure.proof = proof
    raise failure
