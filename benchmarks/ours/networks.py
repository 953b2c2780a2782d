"""separatrix.neural_network"""

from benchmarks.contestant import Contestant, held_out


def fit(data, settings):
    from separatrix.neural_network import MLPClassifier

    model = MLPClassifier(
        settings["units"],
        batch_size=settings["batch"],
        max_iter=settings["epochs"],
        learning_rate_init=settings["rate"],
        alpha=settings["alpha"],
        random_state=0,
    )
    return model.fit(data.X, data.y)


CONTESTANTS = {"mlp": [Contestant("separatrix", "separatrix", fit, answer=held_out)]}
