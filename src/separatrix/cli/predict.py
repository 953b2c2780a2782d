from separatrix.cli.options import command
@command()
def predict():
    """Not yet."""
