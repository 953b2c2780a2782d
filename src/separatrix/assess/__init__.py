"""How good a model is: metrics, splits, bias and variance, curves, and models compared on the same rows."""
