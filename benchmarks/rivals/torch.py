"""PyTorch on the processor: the loop that its tutorials show, the rows already a tensor."""

from itertools import pairwise

from benchmarks.contestant import Answer, Contestant


def fit(data, settings):
    import torch

    torch.set_num_threads(settings["threads"])
    torch.manual_seed(0)
    X, y = torch.from_numpy(data.X), torch.from_numpy(data.y)
    sizes, layers = [X.shape[1], *settings["units"]], []
    for p, m in pairwise(sizes):
        layers += [torch.nn.Linear(p, m), torch.nn.ReLU()]
    model = torch.nn.Sequential(*layers, torch.nn.Linear(sizes[-1], settings["classes"]))
    adam = torch.optim.Adam(model.parameters(), lr=settings["rate"])
    for _ in range(settings["epochs"]):
        order = torch.randperm(len(X))
        for first in range(0, len(X), settings["batch"]):
            rows = order[first : first + settings["batch"]]
            adam.zero_grad()
            torch.nn.functional.cross_entropy(model(X[rows]), y[rows]).backward()
            adam.step()
    return model


def probabilities(model, data):
    import torch

    with torch.no_grad():
        return Answer(torch.softmax(model(torch.from_numpy(data.queries)), dim=1).numpy())


CONTESTANTS = {"mlp": [Contestant("PyTorch", "torch", fit, answer=probabilities)]}
