"""R's glmnet, in an R process that reads the same files and times itself with system.time (milliseconds).

One thread whatever is asked: glmnet has no parallel fit.
"""

import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks.contestant import Answer, Contestant

LADDER = tuple(10.0**-k for k in range(5, 16))


@cache
def _session(folder, rows, columns, is_sparse, intercept):
    """An R process that holds the data of one folder, and the folder where it leaves coefficients."""
    out = tempfile.TemporaryDirectory(prefix="glmnet-")
    script = Path(__file__).with_name("glmnet.R")
    command = ["Rscript", str(script), folder, out.name, rows, columns, int(is_sparse), int(intercept)]
    process = subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    _line(process)
    return process, out


def _line(process):
    line = process.stdout.readline()
    if not line:
        raise RuntimeError("R ended; is its package glmnet installed?")
    return line


def fit_with(kind):
    def fit(data, settings):
        rows, columns = settings["shape"]
        alphas = np.atleast_1d(settings["alphas"] if "alphas" in settings else settings["alpha"])
        path = Path(settings["folder"]) / "lambda.npy"
        if not path.exists():
            np.save(path, alphas)
        process, out = _session(settings["folder"], rows, columns, settings["sparse"], settings["fit_intercept"])
        process.stdin.write(f"{settings['tolerance']} {kind}\n")
        process.stdin.flush()
        seconds, extra = map(float, _line(process).split())
        read = {
            name: np.fromfile(Path(out.name) / f"{name}.bin", dtype)
            for name, dtype in [("data", "f8"), ("indices", "i4"), ("indptr", "i4"), ("intercepts", "f8")]
        }
        found = len(read["indptr"]) - 1
        coefs = sparse.csc_matrix((read["data"], read["indices"], read["indptr"]), shape=(columns, found))
        if found < len(alphas):
            raise RuntimeError(f"glmnet stopped after {found} of {len(alphas)} λ at thresh {settings['tolerance']}")
        return Answer(coefs, read["intercepts"], seconds=seconds, extra_mb=extra)

    return fit


def tall(settings):
    return settings["variant"] == "tall"


CONTESTANTS = {
    group: [
        Contestant("glmnet", "Rscript", fit_with("naive"), tolerances=LADDER),
        Contestant("glmnet covariance", "Rscript", fit_with("covariance"), tolerances=LADDER, suits=tall),
    ]
    for group in ("lasso", "lasso_path")
} | {"logistic_l1": [Contestant("glmnet", "Rscript", fit_with("binomial"), tolerances=LADDER)]}
