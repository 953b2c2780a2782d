from sklearn.preprocessing import Binarizer as Binarizer
from sklearn.preprocessing import FunctionTransformer as FunctionTransformer
from sklearn.preprocessing import KBinsDiscretizer as KBinsDiscretizer
from sklearn.preprocessing import KernelCenterer as KernelCenterer
from sklearn.preprocessing import LabelBinarizer as LabelBinarizer
from sklearn.preprocessing import LabelEncoder as LabelEncoder
from sklearn.preprocessing import MaxAbsScaler as MaxAbsScaler
from sklearn.preprocessing import MinMaxScaler as MinMaxScaler
from sklearn.preprocessing import MultiLabelBinarizer as MultiLabelBinarizer
from sklearn.preprocessing import Normalizer as Normalizer
from sklearn.preprocessing import OneHotEncoder as OneHotEncoder
from sklearn.preprocessing import OrdinalEncoder as OrdinalEncoder
from sklearn.preprocessing import PowerTransformer as PowerTransformer
from sklearn.preprocessing import QuantileTransformer as QuantileTransformer
from sklearn.preprocessing import RobustScaler as RobustScaler
from sklearn.preprocessing import SplineTransformer as SplineTransformer
from sklearn.preprocessing import StandardScaler as StandardScaler
from sklearn.preprocessing import TargetEncoder as TargetEncoder
from sklearn.preprocessing import add_dummy_feature as add_dummy_feature
from sklearn.preprocessing import binarize as binarize
from sklearn.preprocessing import label_binarize as label_binarize
from sklearn.preprocessing import maxabs_scale as maxabs_scale
from sklearn.preprocessing import minmax_scale as minmax_scale
from sklearn.preprocessing import normalize as normalize
from sklearn.preprocessing import power_transform as power_transform
from sklearn.preprocessing import quantile_transform as quantile_transform
from sklearn.preprocessing import robust_scale as robust_scale
from sklearn.preprocessing import scale as scale

from separatrix.estimators.basis import *
from separatrix.estimators.preparation import *
