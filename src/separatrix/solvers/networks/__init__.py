"""Networks of units in layers: what they compute, their gradient by backpropagation, and how they are trained."""
