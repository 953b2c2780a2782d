"""separatrix.naive_bayes"""

from benchmarks.contestant import Contestant, predicted, scored_by, trained
from benchmarks.ours.gram import GRAM_PASS


def fit_gaussian(data, settings):
    from separatrix.naive_bayes import GaussianNB

    return GaussianNB(var_smoothing=0.0).fit(data.X, data.y)


def fit_bernoulli(data, settings):
    from separatrix.naive_bayes import BernoulliNB

    return BernoulliNB(binarize=None).fit(data.X, data.y)


def fit_multinomial(data, settings):
    from separatrix.naive_bayes import MultinomialNB

    return MultinomialNB().fit(data.X, data.y)


SCORES = scored_by("predict_joint_log_proba")

CONTESTANTS = {
    "gaussian_nb": [Contestant("separatrix", "separatrix", fit_gaussian, answer=SCORES), GRAM_PASS],
    "bernoulli_nb": [Contestant("separatrix", "separatrix", fit_bernoulli, answer=SCORES), GRAM_PASS],
    "multinomial_nb": [Contestant("separatrix", "separatrix", fit_multinomial, answer=SCORES)],
    "gaussian_nb_predict": [Contestant("separatrix", "separatrix", predicted, prepare=trained(fit_gaussian))],
}
