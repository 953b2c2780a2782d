from separatrix.cli.options import command
@command()
def compare():
    """Not yet."""
