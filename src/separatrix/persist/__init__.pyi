from separatrix.persist.archive import CannotLoad as CannotLoad
from separatrix.persist.archive import CannotSave as CannotSave
from separatrix.persist.files import about as about
from separatrix.persist.files import load as load
from separatrix.persist.files import save as save
from separatrix.persist.onnx_graph import to_onnx as to_onnx
from separatrix.persist.predictor import Predictor as Predictor
from separatrix.persist.predictor import light as light
