"""How much memory there is, for what would rather refuse than be killed."""

import contextlib
import os
from pathlib import Path

from separatrix.core.refusal import cannot

_CGROUP = Path("/sys/fs/cgroup/memory.max")


def memory() -> int:
    """Bytes of the machine, of its container, or that this process may have: the least of these."""
    limits = []
    with contextlib.suppress(AttributeError, ValueError, OSError):  # not on every system
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        limits.append(resource.getrlimit(resource.RLIMIT_AS)[0])
    with contextlib.suppress(ValueError, OSError):  # the word "max" where there is none
        limits.append(int(_CGROUP.read_text()))
    return min((limit for limit in limits if limit > 0), default=1 << 34)


def refuse_kernel_matrix(n: int, to: str, copies: int = 1) -> None:
    """Refuse to hold `copies` matrices of n by n numbers where these need more than nine tenths of the memory."""
    needed, most = 8 * copies * n * n, memory()
    if needed > 0.9 * most:
        raise cannot(
            f"{to} of {n:,} rows",
            because=f"its kernel matrix needs {needed:,} bytes, and the memory is {most:,}",
            instead="KernelRidge(n_components=1000), which keeps 1,000 rows as centres, or "
            "kernel_approximation.Nystroem before a linear model",
            kind=MemoryError,
        )
