"""Loops of a comparison compiled by a second process, while the first one fits the families that are quick to compile.

The first comparison of a new version would otherwise wait for the compiler longer than it fits. Comparisons begin with
the simplest families, and the second process with the most complex ones. A loop that is not ready when it is needed is
compiled where it is needed.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from separatrix.core.declaration import declaration
from separatrix.core.family import families
from separatrix.core.threads import n_threads
from separatrix.workflow.warmup import is_compiled

COMMAND = (sys.executable, "-m", "separatrix", "warmup", "--quiet")


def models_to_compile(task: str, names: list[str] | None = None) -> list[str]:
    """Names of the models of a task's families, or of those named, whose loops are not kept; the most complex first."""
    chosen = [each for each in families(task) if names is None or each.name in names]
    chosen.sort(key=lambda family: -family.complexity)
    models = dict.fromkeys(family.model for family in chosen if family.model is not None)
    return [each.__name__ for each in models if declaration(each).small_fits and not is_compiled(each.__name__)]


@contextmanager
def compiling_ahead() -> Iterator:
    """A context with a function that starts the second process for the models of a list; it ends with the context."""
    with ExitStack() as ends:

        def start(models):
            if not models or n_threads() < 2 or not sys.executable:
                return
            silent = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
            with suppress(OSError):  # where no process can be started, loops are compiled when they are needed
                process = subprocess.Popen([*COMMAND, *(f"--model={name}" for name in models)], **silent)
                ends.callback(process.wait)
                ends.callback(process.kill)  # files of loops are replaced as a whole: none is left half written

        yield start
