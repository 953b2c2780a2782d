from sklearn.impute import KNNImputer as KNNImputer
from sklearn.impute import MissingIndicator as MissingIndicator
from sklearn.impute import SimpleImputer as SimpleImputer
