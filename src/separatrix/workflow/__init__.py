"""What the command line does, without a terminal: every function returns plain results and prints nothing."""
