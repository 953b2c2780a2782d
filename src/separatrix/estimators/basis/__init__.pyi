from separatrix.estimators.basis.additive import AdditiveBasis as AdditiveBasis
from separatrix.estimators.basis.gaussian import GaussianBasis as GaussianBasis
from separatrix.estimators.basis.natural_spline import NaturalSpline as NaturalSpline
from separatrix.estimators.basis.polynomial import PolynomialFeatures as PolynomialFeatures
from separatrix.estimators.basis.sigmoidal import SigmoidBasis as SigmoidBasis
