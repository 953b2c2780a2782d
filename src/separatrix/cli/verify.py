from separatrix.cli.options import command
@command()
def verify():
    """Not yet."""
