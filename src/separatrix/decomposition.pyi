from sklearn.decomposition import NMF as NMF
from sklearn.decomposition import DictionaryLearning as DictionaryLearning
from sklearn.decomposition import FactorAnalysis as FactorAnalysis
from sklearn.decomposition import FastICA as FastICA
from sklearn.decomposition import IncrementalPCA as IncrementalPCA
from sklearn.decomposition import KernelPCA as KernelPCA
from sklearn.decomposition import LatentDirichletAllocation as LatentDirichletAllocation
from sklearn.decomposition import MiniBatchDictionaryLearning as MiniBatchDictionaryLearning
from sklearn.decomposition import MiniBatchNMF as MiniBatchNMF
from sklearn.decomposition import MiniBatchSparsePCA as MiniBatchSparsePCA
from sklearn.decomposition import SparseCoder as SparseCoder
from sklearn.decomposition import SparsePCA as SparsePCA
from sklearn.decomposition import TruncatedSVD as TruncatedSVD
from sklearn.decomposition import dict_learning as dict_learning
from sklearn.decomposition import dict_learning_online as dict_learning_online
from sklearn.decomposition import fastica as fastica
from sklearn.decomposition import non_negative_factorization as non_negative_factorization
from sklearn.decomposition import randomized_svd as randomized_svd
from sklearn.decomposition import sparse_encode as sparse_encode

from separatrix.estimators.projection import *
