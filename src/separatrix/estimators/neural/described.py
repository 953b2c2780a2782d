"""What is said of a fitted network: its layers, and how its training went."""

import numpy as np

from separatrix.core.description import DescribedTable, Description, fit_notes


def described(model, names, X, y):
    """The layers, with the size of their weights and of the gradient in them after the last epoch."""
    count = sum(W.size for W in model.coefs_) + sum(b.size for b in model.intercepts_)
    hidden = [W.shape[1] for W in model.coefs_[:-1]]
    ends = model.trace_.layer_norms[-1] if model.trace_.layer_norms else [np.nan] * len(model.coefs_)
    rows = tuple(
        (f"{W.shape[0]} to {W.shape[1]}", int(W.size + W.shape[1]), float(np.sqrt(np.mean(np.square(W)))), float(g))
        for W, g in zip(model.coefs_, ends)
    )
    layers = DescribedTable(
        "Layers",
        ("layer", "parameters", "size of a weight", "length of the gradient"),
        rows,
        "Root mean square of the weights, and the gradient in them at the end of training. Where the lengths fall from "
        "the last layer to the first, the gradient vanishes on its way back.",
    )
    between = f"{len(hidden)} hidden layer{'' if len(hidden) == 1 else 's'} of {', '.join(map(str, hidden))} units"
    words = (
        f"The model is a network of {count:,} parameters: {len(names)} columns, "
        f"{between if hidden else 'no hidden layer'}, {model.n_outputs_} output{'' if model.n_outputs_ == 1 else 's'}. "
        f"Training took {model.n_iter_} passes, to a loss of {model.loss_:.4g}. It gives no reasons for single "
        "predictions; the importance of the columns says what it looks at."
    )
    return Description(words, (layers,), ("boundary",), fit_notes(model))
