"""The nodes and constants of an ONNX graph, and the outputs that every kind of model has."""

import numpy as np


class Drawing:
    """Nodes and constants of a graph, with names made up as they come."""

    def __init__(self):
        self.nodes = []
        self.constants = []

    def constant(self, values, dtype=np.float64):
        """A constant array; returns its name."""
        from onnx import numpy_helper

        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(values, dtype=dtype, order="C"), name))
        return name

    def node(self, kind, *inputs, out=None, **attributes):
        """A node of one output; returns its name."""
        return self.node_of(kind, inputs, [out or f"value_{len(self.nodes)}"], attributes)[0]

    def node_of(self, kind, inputs, outs, attributes):
        """A node of several outputs; returns their names."""
        from onnx import helper

        self.nodes.append(helper.make_node(kind, inputs, outs, **attributes))
        return outs

    def columns(self, value, places):
        """Some columns of an array."""
        return self.node("Gather", value, self.constant(places, np.int64), axis=1)

    def row_sums(self, value, axis=1, keepdims=1, out=None):
        """Sums over an axis."""
        return self.node("ReduceSum", value, self.constant([axis], np.int64), keepdims=keepdims, out=out)

    def for_each_row(self, value, row, out):
        """A constant row, repeated for each row of `value`."""
        count = self.node("Gather", self.node("Shape", value), self.constant([0], np.int64))
        shape = self.node("Concat", count, self.constant(np.shape(row), np.int64), axis=0)
        return self.node("Expand", self.constant(row), shape, out=out)

    def classify(self, scores, classes, two):
        """0 counts for the second of two classes; of equal scores the first of many wins."""
        from onnx import TensorProto

        if two:
            column = self.node("Reshape", scores, self.constant([-1], np.int64))
            fires = self.node("GreaterOrEqual", column, self.constant([0.0]))
            place = self.node("Cast", fires, to=TensorProto.INT64)
        else:
            place = self.node("ArgMax", scores, axis=1, keepdims=0)
        labels = classes.astype(object) if classes.dtype.kind in "OU" else classes
        self.node(
            "Gather", self.constant(labels, labels.dtype if labels.dtype == object else np.int64), place, out="label"
        )

    def probabilities(self, scores, two):
        """Of log-odds (n, 1) of the second of two classes, or of logarithms up to a shift (n, k)."""
        if two:
            against = self.node("Sigmoid", self.node("Neg", scores))
            self.node("Concat", against, self.node("Sigmoid", scores), axis=1, out="probabilities")
        else:
            self.node("Softmax", scores, axis=1, out="probabilities")


def class_outputs(model, with_probabilities):
    """What a graph of a classifier gives."""
    from onnx import TensorProto, helper

    words = model.classes_.dtype.kind in "OU"
    outputs = [helper.make_tensor_value_info("label", TensorProto.STRING if words else TensorProto.INT64, ["rows"])]
    if with_probabilities:
        shape = ["rows", len(model.classes_)]
        outputs.append(helper.make_tensor_value_info("probabilities", TensorProto.DOUBLE, shape))
    return outputs


def number_outputs(*shape):
    """What a graph of a regressor gives."""
    from onnx import TensorProto, helper

    return [helper.make_tensor_value_info("prediction", TensorProto.DOUBLE, ["rows", *shape])]
