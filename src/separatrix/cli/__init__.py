"""The command line: ``separatrix demo``, ``separatrix warmup``."""
