"""All tests see compiled loops, whatever they fit first; the plain twins are called by name (``py_func``)."""

from separatrix.core.jit import load

load()
