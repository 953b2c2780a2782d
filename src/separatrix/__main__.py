"""``python -m separatrix`` is the command ``separatrix``."""

from separatrix.cli.start import run

if __name__ == "__main__":
    run()
