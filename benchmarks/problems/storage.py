"""Data and answers as .npy files in a folder: what one process makes, another reads (R too, hence no .npz)."""

import json
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks.contestant import Answer
from benchmarks.problems.base import Data

OPTIONAL = ("errors", "passes")  # of an answer


def save_data(folder, data):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if sparse.issparse(data.X):
        for part in ("data", "indices", "indptr"):
            np.save(folder / f"X_{part}.npy", getattr(data.X, part))
    else:
        np.save(folder / "X.npy", data.X)
    np.save(folder / "y.npy", data.y)
    if data.queries is not None:
        np.save(folder / "queries.npy", data.queries)
    kind = {"sparse": sparse.issparse(data.X), "format": data.X.format if sparse.issparse(data.X) else None}
    settings = {**data.settings, **kind, "shape": list(data.X.shape), "folder": str(folder)}
    (folder / "settings.json").write_text(json.dumps(settings))
    return settings


def load_data(folder):
    """Read into memory (no memory map), in the order in which it was made."""
    folder = Path(folder)
    settings = json.loads((folder / "settings.json").read_text())
    if settings["sparse"]:
        parts = tuple(np.load(folder / f"X_{part}.npy") for part in ("data", "indices", "indptr"))
        make = sparse.csr_matrix if settings["format"] == "csr" else sparse.csc_matrix
        X = make(parts, shape=tuple(settings["shape"]))
    else:
        X = np.load(folder / "X.npy")
    queries = folder / "queries.npy"
    return Data(X, np.load(folder / "y.npy"), settings, np.load(queries) if queries.exists() else None)


def megabytes(X):
    parts = (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,)
    return sum(part.nbytes for part in parts) / 1e6


def by_rows(data):
    """C order or CSR: what reads row after row reads this without a copy."""
    return _arranged(data, sparse.csr_matrix, np.ascontiguousarray)


def by_columns(data):
    """Fortran order or CSC."""
    return _arranged(data, sparse.csc_matrix, np.asfortranarray)


def in_single_precision(data):
    """Rows and queries in float32, for what is faster at it."""
    data.X, data.queries = data.X.astype(np.float32), data.queries.astype(np.float32)
    return data


def _arranged(data, if_sparse, if_dense):
    data.X = if_sparse(data.X) if sparse.issparse(data.X) else if_dense(data.X)
    return data


def tidy(answer):
    """Coefficients as CSC (p, number of λ or classes), for those of a path are mostly zeros; the rest as numbers."""
    coef = answer.coef if sparse.issparse(answer.coef) else np.asarray(answer.coef, dtype=np.float64)
    if coef.ndim == 1:
        coef = coef[:, None]
    intercept = np.atleast_1d(np.asarray(answer.intercept, dtype=np.float64))
    return Answer(
        sparse.csc_matrix(coef),
        intercept,
        alpha=np.nan if answer.alpha is None else answer.alpha,
        errors=None if answer.errors is None else np.asarray(answer.errors, dtype=np.float64),
        passes=None if answer.passes is None else int(np.max(answer.passes)),
    )


def save_answer(path, answer):
    answer = tidy(answer)
    coef = answer.coef
    np.savez(
        path,
        data=coef.data,
        indices=coef.indices,
        indptr=coef.indptr,
        shape=coef.shape,
        intercept=answer.intercept,
        alpha=answer.alpha,
        **{name: value for name in OPTIONAL if (value := getattr(answer, name)) is not None},
    )


def load_answer(path):
    with np.load(path) as file:
        coef = sparse.csc_matrix((file["data"], file["indices"], file["indptr"]), shape=tuple(file["shape"]))
        more = {name: file[name] for name in OPTIONAL if name in file}
        return tidy(Answer(coef, file["intercept"], float(file["alpha"]), **more))
