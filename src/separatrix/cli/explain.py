from separatrix.cli.options import command
@command()
def explain():
    """Not yet."""
