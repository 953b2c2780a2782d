"""What a result was measured on."""

import os
import platform
from datetime import UTC, datetime
from importlib import metadata

PACKAGES = ("separatrix", "numpy", "scipy", "numba", "scikit-learn")


def describe():
    """Processor, cores, and the versions of this interpreter; the rivals may have an interpreter of their own."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in PACKAGES},
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _processor():
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def _version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
