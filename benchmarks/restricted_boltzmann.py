"""Restricted Boltzmann machines against each other: ours, scikit-learn's, and a few lines of torch, on one core.

    python -m benchmarks.restricted_boltzmann [share of ones]

Random rows of 0 and 1, float32, 784 columns with a share of ones of 0.2 (digits in black and white have 0.1 to 0.2),
256 hidden units, batches of 128 rows, persistent chains, 3 passes over 20,000 rows. Seconds are those of the processor,
the best of three rounds in which all take turns. There is no optimum to be held to: the table shows the mean free
energy of the rows below that of random ones: about the same for all, scikit-learn moving further by the last, short
batch of each pass, whose step it makes for the rows of a whole one.
"""

import os
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"  # before anything is imported that reads it

import numpy as np  # noqa: E402

ROWS, COLUMNS, HIDDEN, BATCH, PASSES, RATE = 20_000, 784, 256, 128, 3, 0.1


def ours(X):
    from separatrix.neural_network import BernoulliRBM

    return _fitted(BernoulliRBM, X)


def scikit_learn(X):
    from sklearn.neural_network import BernoulliRBM

    return _fitted(BernoulliRBM, X)


def by_torch(X):
    """The same steps in place, without gradients that are kept."""
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    V = torch.from_numpy(X)
    with torch.inference_mode():
        W = 0.01 * torch.randn(COLUMNS, HIDDEN)
        b, c = torch.zeros(COLUMNS), torch.zeros(HIDDEN)
        chains = torch.zeros(BATCH, HIDDEN)
        for _ in range(PASSES):
            for v in V.split(BATCH):
                h = torch.addmm(c, v, W).sigmoid_()
                fantasy = torch.bernoulli(torch.addmm(b, chains, W.t()).sigmoid_())
                model = torch.addmm(c, fantasy, W).sigmoid_()
                chains = torch.bernoulli(model)
                W.addmm_(v.t(), h, alpha=RATE / len(v))
                W.addmm_(fantasy.t(), model, alpha=-RATE / BATCH)
                b += RATE * (v.mean(0) - fantasy.mean(0))
                c += RATE * (h.mean(0) - model.mean(0))
    return W.numpy().T, b.numpy(), c.numpy()


def _fitted(machine, X):
    rbm = machine(HIDDEN, learning_rate=RATE, batch_size=BATCH, n_iter=PASSES, random_state=0).fit(X)
    return rbm.components_, rbm.intercept_visible_, rbm.intercept_hidden_


def free_energy(X, W, b, c):
    return float(np.mean(-(X @ b) - np.logaddexp(0.0, X @ W.T + c).sum(axis=1)))


def run(share=0.2, rounds=3):
    """{name: (seconds, free energy of random rows above that of the data)}; one that is not installed is left out."""
    rng = np.random.default_rng(0)
    X = (rng.random((ROWS, COLUMNS)) < share).astype(np.float32)
    noise = (rng.random((1000, COLUMNS)) < 0.5).astype(np.float32)
    seconds, learnt = {}, {}
    for name, fit in (("separatrix", ours), ("scikit-learn", scikit_learn), ("torch", by_torch)):
        try:
            fit(X[: 2 * BATCH])  # imports, and compiled loops
        except ImportError:
            print(f"{name} is not installed")
            continue
        seconds[name] = []
    for _ in range(rounds):
        for name, fit in (("separatrix", ours), ("scikit-learn", scikit_learn), ("torch", by_torch)):
            if name in seconds:
                started = time.process_time()
                parameters = fit(X)
                seconds[name].append(time.process_time() - started)
                learnt[name] = free_energy(noise, *parameters) - free_energy(X[:1000], *parameters)
    return {name: (min(each), learnt[name]) for name, each in seconds.items()}


if __name__ == "__main__":
    results = run(*map(float, sys.argv[1:]))
    for name, (least, gained) in results.items():
        print(f"{name:14}{least:7.2f} s {least / results['separatrix'][0]:6.2f} x   learnt {gained:8.1f} nats")
