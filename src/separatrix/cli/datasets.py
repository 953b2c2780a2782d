from separatrix.cli.options import command


@command()
def datasets():
    """Not yet."""
