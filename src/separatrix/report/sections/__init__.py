"""The sections of the report, one a file; each declares itself when it is imported."""

from separatrix.report.sections import (  # noqa: F401
    answer,
    asked,
    boundary,
    calibration,
    certificate,
    confusion,
    curves,
    data,
    importance,
    leaderboard,
    learning,
    margins,
    model,
    path,
    reproduce,
    residuals,
    training,
)
