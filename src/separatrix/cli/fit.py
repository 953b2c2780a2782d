from separatrix.cli.options import command
@command()
def fit():
    """Not yet."""
