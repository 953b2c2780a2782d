"""The command line: ``separatrix compare``, ``fit``, ``predict`` and the others, a file for each."""
