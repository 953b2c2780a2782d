from separatrix.estimators.naive_bayes.bernoulli import BernoulliNB as BernoulliNB
from separatrix.estimators.naive_bayes.categorical import CategoricalNB as CategoricalNB
from separatrix.estimators.naive_bayes.gaussian import GaussianNB as GaussianNB
from separatrix.estimators.naive_bayes.mixed import MixedNB as MixedNB
from separatrix.estimators.naive_bayes.multinomial import MultinomialNB as MultinomialNB
