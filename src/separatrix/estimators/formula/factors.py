"""Factors of a formula: ``factor``, ``relevel``, ``C``, and the numbers that stand for their levels.

A factor of k levels enters as k - 1 contrasts where the terms before it hold what the k indicators add up to, else as k
indicators. formulaic has the matrices of contrasts; names of the columns are R's.

References: Chambers and Hastie (1992), Statistical Models in S, section 2.3.2; Venables and Ripley (2002), Modern
Applied Statistics with S, section 6.2.
"""

from dataclasses import replace

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.estimators.formula.grammar import Call, Name, Number, Text
from separatrix.estimators.formula.values import Factor, codes_of, labels_of, levels_of
from separatrix.tables.table import shown

# R's names, and those of patsy and formulaic
_KINDS = {"treatment": "treatment", "sum": "sum", "helmert": "helmert", "poly": "poly", "SAS": "SAS"}
_KINDS |= {f"contr.{name}": name for name in _KINDS}
_KINDS |= {"Treatment": "treatment", "Sum": "sum", "Helmert": "helmert", "Poly": "poly"}


def as_factor(evaluation, value, key):
    """A factor of any value, with the levels it had in the data of the fit."""
    if isinstance(value, Factor):
        return value
    levels = evaluation.remembered(f"{key} levels", lambda: levels_of(value))
    labels = labels_of(value)
    codes = codes_of(labels, levels)
    strange = [label for label, code in zip(labels, codes) if code < 0 and label is not None]
    if strange:
        raise evaluation.refusal(
            key, f"{strange[0]!r} was no level of it in the data of the fit", f"one of {shown(levels)}"
        )
    return Factor(codes, tuple(levels))


def _factor(evaluation, tree):
    given = evaluation.matched(tree, "x", "levels", "labels", "exclude", "ordered")
    if "exclude" in given:
        raise evaluation.refusal(tree, "exclude is not offered", "levels")
    value = evaluation.value(given["x"])
    ordered = tree.function in ("ordered", "as.ordered") or (isinstance(value, Factor) and value.ordered)
    if "ordered" in given:
        ordered = bool(evaluation.option(given["ordered"]))
    if "levels" in given:
        chosen = [label for label in labels_of(np.atleast_1d(evaluation.value(given["levels"]))) if label is not None]
        contrasts = value.contrasts if isinstance(value, Factor) else None
        result = Factor(codes_of(labels_of(value), chosen), tuple(chosen), ordered, contrasts)
    else:
        result = replace(as_factor(evaluation, value, str(tree)), ordered=ordered)
    if "labels" in given:
        names = tuple(labels_of(np.atleast_1d(evaluation.value(given["labels"]))))
        if len(names) != len(result.levels):
            raise evaluation.refusal(tree, f"{len(result.levels)} levels have {len(names)} labels", "as many labels")
        distinct = tuple(dict.fromkeys(names))  # levels of one label are one
        codes = np.array([*(distinct.index(name) for name in names), -1])[result.codes]
        result = replace(result, codes=codes, levels=distinct)
    return result


def _relevel(evaluation, tree):
    given = evaluation.matched(tree, "x", "ref", least=2)
    value = as_factor(evaluation, evaluation.value(given["x"]), str(tree))
    first = _place(evaluation, tree, value.levels, evaluation.option(given["ref"]))
    order = [first, *(k for k in range(len(value.levels)) if k != first)]
    codes = np.append(np.argsort(order), -1)[value.codes]
    return replace(value, codes=codes, levels=tuple(value.levels[k] for k in order))


def _place(evaluation, tree, levels, wanted):
    """The place of a level given by its name, or by its number from 1."""
    if isinstance(wanted, float) and wanted in range(1, len(levels) + 1):
        return int(wanted) - 1
    if wanted not in levels:
        raise evaluation.refusal(tree, f"{wanted!r} is no level", f"one of {shown(levels)}")
    return levels.index(wanted)


def _contrasted(evaluation, tree):
    """``C(x, contr.sum)``: a factor with contrasts of its own."""
    given = evaluation.matched(tree, "object", "contr", "base")
    value = as_factor(evaluation, evaluation.value(given["object"]), str(tree))
    if "contr" not in given:
        return value
    kind, base = given["contr"], given.get("base")
    if isinstance(kind, Call):
        inside = evaluation.matched(kind, "reference", "base", least=0)  # R's first argument counts levels
        reference = inside.get("reference")
        if kind.function == "Treatment" and isinstance(reference, Number):  # patsy's and formulaic's: the level itself
            reference = Text(reference.text)
        kind, base = Name(kind.function), inside.get("base", reference if isinstance(reference, Text) else None)
    name = kind.name if isinstance(kind, Name) else kind.value if isinstance(kind, Text) else ""
    if name not in _KINDS or (base is not None and _KINDS[name] != "treatment"):
        raise evaluation.refusal(
            tree, "these contrasts are not known", "contr.treatment (with base=), contr.sum, contr.helmert, contr.poly"
        )
    place = 0 if base is None else _place(evaluation, tree, value.levels, evaluation.option(base))
    return replace(value, contrasts=(_KINDS[name], place))


def _dropped(evaluation, tree):
    """``droplevels``: what a fit does in any case."""
    return as_factor(evaluation, evaluation.value(evaluation.matched(tree, "x")["x"]), str(tree))


def _text(evaluation, tree):
    return labels_of(evaluation.value(evaluation.matched(tree, "x")["x"]))


FUNCTIONS = {
    "factor": _factor,
    "as.factor": _factor,
    "ordered": _factor,
    "as.ordered": _factor,
    "relevel": _relevel,
    "C": _contrasted,
    "droplevels": _dropped,
    "as.character": _text,
}


def coding(factor, full):
    """Matrix (levels, columns) and names of its columns: indicators (full), or contrasts."""
    levels = list(factor.levels)
    if full:
        return np.eye(len(levels)), levels
    kind, base = factor.contrasts or (("poly", 0) if factor.ordered else ("treatment", 0))
    if kind in ("treatment", "SAS"):
        kept = [k for k in range(len(levels)) if k != (base if kind == "treatment" else len(levels) - 1)]
        return np.eye(len(levels))[:, kept], [levels[k] for k in kept]
    from formulaic.transforms import contrasts

    makers = {"sum": contrasts.SumContrasts, "helmert": contrasts.HelmertContrasts, "poly": contrasts.PolyContrasts}
    with np.errstate(all="ignore"):
        matrix = np.asarray(makers[kind]().get_coding_matrix(levels, reduced_rank=True), dtype=np.float64)
    if not np.isfinite(matrix).all():
        raise cannot(
            f"form polynomial contrasts of {len(levels)} levels",
            because="powers of so many levels overflow",
            instead="factor(), or the numbers themselves",
        )
    count = matrix.shape[1]
    powers = (".L", ".Q", ".C", *(f"^{k}" for k in range(4, count + 1)))[:count]
    return matrix, list(powers) if kind == "poly" else [str(k + 1) for k in range(count)]
