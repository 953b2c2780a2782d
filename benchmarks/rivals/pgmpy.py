"""pgmpy: its search for trees, by scikit-learn's scores of pairs and networkx."""

from benchmarks.contestant import Answer, Contestant


def fit_tree(data, settings):
    from pgmpy.estimators import TreeSearch

    tree = TreeSearch(data.queries, root_node=0, n_jobs=1).estimate(estimator_type="chow-liu", show_progress=False)
    return Answer([sorted(edge) for edge in tree.edges()])


def as_frame(data):
    """It reads frames of categories."""
    import pandas as pd

    data.queries = pd.DataFrame(data.X.astype(int))
    return data


CONTESTANTS = {"chow_liu": [Contestant("pgmpy", "pgmpy", fit_tree, prepare=as_frame)]}
