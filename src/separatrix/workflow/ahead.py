"""Loops of a comparison compiled by a second process, while the first one fits the families that are quick to compile.

The first comparison of a new version would otherwise wait for the compiler longer than it fits. Comparisons begin with
the simplest families, and the second process with the most complex ones. A loop that is not ready when it is needed is
compiled where it is needed.

The second process must run no code that the first one would not, so the current folder is no place of modules for it;
and it must not outlive the first one, however that ends. So it waits for the end of its standard input, which is a pipe
that nothing is written to: the system closes it even where the first process is killed.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from separatrix.core.declaration import declaration
from separatrix.core.family import families
from separatrix.core.kept_loops import given_up
from separatrix.core.threads import n_threads
from separatrix.workflow.warmup import compile_all, is_compiled

CODE = "import sys; from separatrix.workflow.ahead import compile_beside; compile_beside(sys.argv[1:])"


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
            silent = dict.fromkeys(("stdout", "stderr"), subprocess.DEVNULL)
            with suppress(OSError):  # where no process can be started, loops are compiled when they are needed
                process = ends.enter_context(subprocess.Popen(_command(models), stdin=subprocess.PIPE, **silent))
                ends.callback(process.kill)  # files of loops are replaced as a whole: none is left half written

        yield start


def _command(models):
    """-P: without the current folder among the places of modules, which a file numba.py may lie in."""
    as_here = (("-E", sys.flags.ignore_environment), ("-s", sys.flags.no_user_site))
    return [sys.executable, "-P", *(option for option, given in as_here if given), "-c", CODE, *models]


def compile_beside(models: list[str]) -> None:
    """Compile the loops of models, in the second process, until there is no room for them."""
    threading.Thread(target=_end_with_the_first, daemon=True).start()
    for model in models:
        compile_all(models=[model])
        if given_up():
            return


def _end_with_the_first():
    while os.read(0, 1):
        pass
    os._exit(0)
